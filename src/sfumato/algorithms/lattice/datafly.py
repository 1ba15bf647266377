"""Datafly: generalize the column that shows most values, until few enough records are left to suppress."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.algorithms.lattice._algorithm import LatticeAlgorithm, full_domain_traits
from sfumato.algorithms.lattice._release import facts_at
from sfumato.algorithms.lattice._search import LatticeSearch
from sfumato.catalogue import build, find, ids
from sfumato.contracts.algorithm import AlgorithmTraits
from sfumato.contracts.facts import LatticeFacts
from sfumato.contracts.metric import AttributeMetric
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.searches.lattice import Node

__all__ = ["Datafly"]


class Datafly(LatticeAlgorithm):
    """Generalize the column that shows most distinct values, one level at a time, until few enough records are left out.

    Quick and greedy: it stops at the first node on its way where the records in violating groups are no more than may be left
    out, and these are left out. Ties go to the first column. The policy's suppression limit decides how many records that
    may be; the original leaves out up to k.

    Facts of an outcome: ``trace`` (each column generalized, with the number of values it showed), ``levels``, ``left_out``.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> data = patients()
    >>> policy = sfumato.Policy.for_dataset(
    ...     data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm={"id": "datafly"}
    ... )
    >>> sfumato.anonymize(sfumato.from_dataset(data), policy).private.facts["trace"]
    [('Job', 4), ('Age', 3)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.2.2.
    Sweeney, "Datafly: a system for providing anonymity in medical data", 1998, doi:10.1007/978-0-387-35285-5_22.
    """

    id: ClassVar[str] = "datafly"
    traits: ClassVar[AlgorithmTraits] = full_domain_traits(optimal=False, cost="one look at each node on the way up")

    choice: str = param(default="distinctive-attribute", doc="attribute metric that says which column comes next")

    def validate(self) -> None:
        """Refuse what is no attribute metric."""
        super().validate()
        known = [name for name in ids("metric") if issubclass(find(name, "metric"), AttributeMetric)]
        if self.choice not in known:
            raise BadRequest(
                "is not an attribute metric", parameter=f"{self.id}.choice", value=self.choice, available=known
            )

    def explore(self, search: LatticeSearch) -> LatticeFacts:
        """Climb."""
        choice: AttributeMetric = build(self.choice, "metric")
        lattice = search.lattice
        node: Node = lattice.bottom
        trace: list[tuple[str, int]] = []
        while True:
            tally = search.count([node])[0]
            if search.offer(tally):
                return replace(facts_at(search, node), trace=trace)
            search.progress.tick(len(trace), f"{tally.left_out:,} records in groups that are too small")
            shown = {
                name: len(lattice.values[i][node[i]])
                for i, name in enumerate(lattice.names)
                if node[i] < lattice.top[i]
            }
            if not shown:
                search.refuse_infeasible(proven=False)
            chosen = choice.choose(shown)
            trace.append((chosen, shown[chosen]))
            at = lattice.names.index(chosen)
            node = (*node[:at], node[at] + 1, *node[at + 1 :])
