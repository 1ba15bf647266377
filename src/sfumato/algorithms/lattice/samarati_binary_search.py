"""Samarati's binary search: the lowest height of the lattice at which the requirement can be met."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.algorithms.lattice._algorithm import LatticeAlgorithm, full_domain_traits
from sfumato.algorithms.lattice._release import facts_at
from sfumato.algorithms.lattice._search import LatticeSearch
from sfumato.algorithms.lattice._walks import lowest_height, refuse_untaggable
from sfumato.contracts.algorithm import AlgorithmTraits
from sfumato.contracts.facts import LatticeFacts

__all__ = ["SamaratiBinarySearch"]


class SamaratiBinarySearch(LatticeAlgorithm):
    """Find the lowest height of the lattice at which the requirements can be met, by halving.

    The height of a node is the sum of its levels. If a node of some height satisfies the requirements, so does one of every
    greater height; so heights are halved instead of tried one by one. Of the satisfying nodes at the lowest height the best by
    the metric is published. The least height need not have the least cost: see ``optimal`` for that.

    Requirements must be kept under merging; with a suppression limit, merging must not put more records into violating groups.

    Facts of an outcome: ``height`` (the lowest), ``nodes`` (the satisfying nodes of that height, each with the number of
    records left out).

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> data = patients()
    >>> policy = sfumato.Policy.for_dataset(
    ...     data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm={"id": "samarati-binary-search"}
    ... )
    >>> facts = sfumato.anonymize(sfumato.from_dataset(data), policy).private.facts
    >>> facts["height"], facts["nodes"]
    (2, [((1, 0, 1), 0)])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.1.1.
    Samarati, "Protecting respondents' identities in microdata release", 2001, doi:10.1109/69.971193.
    """

    id: ClassVar[str] = "samarati-binary-search"
    traits: ClassVar[AlgorithmTraits] = full_domain_traits(
        optimal=False, cost="the widest layers of the lattice, for a logarithmic number of heights"
    )

    def explore(self, search: LatticeSearch) -> LatticeFacts | None:
        """Halve the heights."""
        refuse_untaggable(search, self.id)
        lowest = lowest_height(search)
        if lowest is None:
            return None
        height, found = lowest
        nodes = sorted((one.node, one.left_out) for one in found)
        return replace(facts_at(search, found[0].node), height=height, nodes=nodes)
