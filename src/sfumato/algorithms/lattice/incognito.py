"""Incognito: all satisfying full-domain generalizations, from small subsets of the columns to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from sfumato.algorithms.lattice._algorithm import LatticeAlgorithm, full_domain_traits
from sfumato.algorithms.lattice._release import facts_at
from sfumato.algorithms.lattice._search import LatticeSearch
from sfumato.algorithms.lattice._walks import refuse_untaggable, satisfying_subsets
from sfumato.contracts.algorithm import AlgorithmTraits, Task
from sfumato.contracts.facts import LatticeFacts
from sfumato.contracts.model import by_group
from sfumato.contracts.thing import param
from sfumato.errors import Unsupported

__all__ = ["Incognito", "LDiversityIncognito", "TClosenessIncognito"]


class Incognito(LatticeAlgorithm):
    """Find all satisfying full-domain generalizations, subset by subset of the columns, and take the best by the metric.

    Three rules save looks. Generalization: above a satisfying node every node satisfies. Subset: a node can only satisfy if
    its parts on fewer columns do. Rollup: groups of a node are sums of those of a node below. They hold for requirements that
    are kept under merging; with a suppression limit, merging must not put more records into violating groups.

    Facts of an outcome: ``by_subset`` (the satisfying nodes of every subset of the columns, named ``A+B``), ``satisfying`` (of
    all columns), ``minimal``, ``looked`` (nodes that no rule could settle).

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> data = patients()
    >>> policy = sfumato.Policy.for_dataset(
    ...     data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm={"id": "incognito"}
    ... )
    >>> facts = sfumato.anonymize(sfumato.from_dataset(data), policy).private.facts
    >>> facts["by_subset"]["Job"], facts["minimal"]
    ([(1,), (2,)], [(1, 0, 1)])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.1.2.
    LeFevre, DeWitt, Ramakrishnan, "Incognito: efficient full-domain k-anonymity", 2005, doi:10.1145/1066157.1066164.
    """

    id: ClassVar[str] = "incognito"
    traits: ClassVar[AlgorithmTraits] = full_domain_traits(
        optimal=True, cost="exponential in the columns; nodes that no rule settles are looked at"
    )
    family: ClassVar[tuple[str, ...]] = ()
    several_quasi_identifiers: ClassVar[bool] = False

    def reduced(self, task: Task) -> Task:
        """Refuse a task without a requirement of the family that the variant is made for."""
        if self.family and not any(model.id.startswith(self.family) for model in task.models):
            raise Unsupported(
                f"{self.id} needs a requirement of the family {self.family[0].rstrip('-')}",
                thing=task.models[0].id,
                alternatives=by_group(["incognito", "optimal"], task.models),
            )
        return task

    def explore(self, search: LatticeSearch) -> LatticeFacts | None:
        """Go through the subsets."""
        refuse_untaggable(search, self.id)
        if search.judge.partial:
            raise Unsupported(
                f"{self.id} needs requirements on all quasi-identifiers",
                thing=search.judge.partial[0][1].id,
                alternatives=["optimal", "mingen"],
            )
        found, looked = satisfying_subsets(search)
        names = search.lattice.names
        every = found[tuple(range(len(names)))]
        if not every:
            return None
        minimal = search.lattice.minimal(every)
        # Without suppression a cost that only rises is lowest at a minimal node.
        rises = search.budget == 0 and search.metric.rises_under_merge()
        tallies = search.count(minimal if rises else every)
        best = min((search.found(tally) for tally in tallies), key=lambda one: one.key)
        return replace(
            facts_at(search, best.node),
            by_subset={"+".join(names[i] for i in subset): nodes for subset, nodes in found.items()},
            satisfying=every,
            minimal=minimal,
            looked=looked,
        )


class LDiversityIncognito(Incognito):
    """Find all full-domain generalizations that satisfy an l-diversity, as Incognito does.

    Merging groups never lowers the diversity of a sensitive column, so the rules of Incognito carry over; groups carry
    histograms of the column instead of counts. Entropy and recursive diversity do not allow a suppression limit.

    Examples
    --------
    >>> LDiversityIncognito().spec()
    {'id': 'l-diversity-incognito'}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.2.1.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.
    """

    id: ClassVar[str] = "l-diversity-incognito"
    family: ClassVar[tuple[str, ...]] = ("l-diversity-",)
    promises: ClassVar[Mapping[str, object]] = {"id": "l-diversity-distinct", "l": 1, "sensitive": "class"}


class TClosenessIncognito(Incognito):
    """Find all full-domain generalizations that satisfy t-closeness, as Incognito does.

    The distance of a merged group from the table is at most the largest of its parts, so the rules of Incognito carry over. The
    cost that decides is discernibility. A suppression limit is refused.

    Examples
    --------
    >>> TClosenessIncognito().spec()
    {'id': 't-closeness-incognito'}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.2.1.
    Li, Li, Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", 2007,
    doi:10.1109/ICDE.2007.367856.
    """

    id: ClassVar[str] = "t-closeness-incognito"
    family: ClassVar[tuple[str, ...]] = ("t-closeness",)
    promises: ClassVar[Mapping[str, object]] = {
        "id": "t-closeness",
        "t": 0.4,
        "sensitive": "class",
        "ground_distance": "equal",
    }

    metric: str | Mapping[str, object] = param(
        default="discernibility", doc="data metric that decides between satisfying nodes: an id, or id and parameters"
    )
