"""MinGen: every full-domain generalization is looked at, and the least distorted one is taken."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.algorithms.lattice._algorithm import LatticeAlgorithm, full_domain_traits
from sfumato.algorithms.lattice._release import facts_at
from sfumato.algorithms.lattice._search import LatticeSearch, ordered
from sfumato.contracts.algorithm import AlgorithmTraits
from sfumato.contracts.facts import LatticeFacts
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest

__all__ = ["MinGen"]


class MinGen(LatticeAlgorithm):
    """Look at every full-domain generalization and take the best one by the metric.

    The exhaustive reference for all others: no rule saves a look, so any requirement decided group by group will do, with any
    suppression limit. Cost: the product of the levels, each looked at once.

    Facts of an outcome: ``satisfying`` (all satisfying nodes, lexicographic), ``minimal`` (those without a satisfying node
    below), ``best_nodes`` (all of the lowest cost), ``lattice``, ``levels``, ``score``.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> data = patients()
    >>> policy = sfumato.Policy.for_dataset(
    ...     data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm={"id": "mingen"}
    ... )
    >>> sfumato.anonymize(sfumato.from_dataset(data), policy).private.facts["minimal"]
    [(1, 0, 1)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.1.1.
    Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002,
    doi:10.1142/S021848850200165X.
    """

    id: ClassVar[str] = "mingen"
    traits: ClassVar[AlgorithmTraits] = full_domain_traits(optimal=True, cost="every node of the lattice")

    node_limit: int = param(default=1_000_000, ge=1, doc="refuse lattices with more nodes than this")

    def explore(self, search: LatticeSearch) -> LatticeFacts | None:
        """Count every node."""
        size = search.lattice.size
        if size > self.node_limit:
            raise BadRequest(
                f"the lattice has {size:,} nodes; mingen looks at every one (optimal does not)",
                parameter=f"{self.id}.node_limit",
                value=self.node_limit,
            )
        search.progress.stage(f"searching {size:,} nodes", size)
        found = search.exhaust()
        if not found:
            return None
        nodes = [one.node for one in found]
        least = ordered(found[0].score, found[0].node)[0]
        return replace(
            facts_at(search, found[0].node),
            satisfying=sorted(nodes),
            minimal=search.lattice.minimal(nodes),
            best_nodes=sorted(one.node for one in found if ordered(one.score, one.node)[0] == least),
        )
