"""SPALM: full-domain generalization that hides who is in the table, among all who could be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.algorithms.lattice._algorithm import data_metric, full_domain_traits
from sfumato.algorithms.lattice._release import facts_at, outcome_at
from sfumato.algorithms.lattice._search import LatticeSearch
from sfumato.algorithms.lattice._walks import passing_down
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Attribute, Outcome, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, at_most, by_group
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.groups.stats import GroupStats
from sfumato.metrics.discernibility import Discernibility
from sfumato.models.delta_presence import DeltaPresence
from sfumato.searches.population import held_inside, over_population

__all__ = ["SPALM"]

_INSIDE = "inside"


class _Presence(GroupModel):
    """How far the share of the private table in each group of the public one lies outside its bounds."""

    id: ClassVar[str] = "presence"
    traits: ClassVar[TableTraits] = DeltaPresence.traits
    asked: DeltaPresence = param(doc="the requirement")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the distance of each share from the allowed range."""
        share = groups.histograms[_INSIDE].of(1) / groups.sizes
        slack = 1e-9
        low, high = self.asked.delta_min * (1 - slack), self.asked.delta_max * (1 + slack)
        return np.maximum(np.maximum(low - share, share - high), 0.0)

    def bound(self) -> Bound:
        """No distance is allowed."""
        return at_most(0)

    def needs(self) -> tuple[str, ...]:
        """Return the column that tells who is inside."""
        return (_INSIDE,)


class SPALM(Algorithm):
    """Find the full-domain generalization of least cost in which nobody's presence is too certain.

    An adversary knows a public table E that holds everybody who may be in the private table T. In every group of E under
    the recoding the share ``|T| / |E|`` must lie between ``delta_min`` and ``delta_max`` of the requirement ``delta-presence``;
    a group of E without a record of T has the share 0. Merging groups keeps the property, so the search goes down from the
    fully masked table and stops below a node that fails. Of all passing nodes the one of least cost on T is published. Other
    requirements of the policy must hold as well.

    The public table is given as ``external`` (``sfumato anonymize --external FILE``).

    Facts of an outcome: ``satisfying`` (all passing nodes), ``minimal``, ``best_nodes`` (all of the lowest cost), ``presence``
    (share of each group of E at the published node).

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients, patients_external
    >>> data = patients()
    >>> policy = sfumato.Policy.for_dataset(
    ...     data,
    ...     requirements=[{"id": "delta-presence", "delta_min": 0.5, "delta_max": 0.8}],
    ...     algorithm={"id": "spalm"},
    ... )
    >>> release = sfumato.anonymize(
    ...     sfumato.from_dataset(data), policy, external=sfumato.from_dataset(patients_external())
    ... )
    >>> release.private.facts["presence"]
    [(('Artist', 'Female', '[30-35)'), 0.8), (('Professional', 'Male', '[35-40)'), 0.75)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.3.1.
    Nergiz, Atzori, Clifton, "Hiding the presence of individuals from shared databases", 2007,
    doi:10.1145/1247480.1247554.
    """

    id: ClassVar[str] = "spalm"
    traits: ClassVar[AlgorithmTraits] = replace(
        full_domain_traits(optimal=True, cost="the nodes that hide presence, and those just below them"),
        suppresses_records=False,
    )
    promises: ClassVar[Mapping[str, object]] = {"id": "delta-presence", "delta_min": 0.2, "delta_max": 1.0}

    metric: str | Mapping[str, object] = param(
        default="discernibility", doc="data metric that decides between satisfying nodes: an id, or id and parameters"
    )

    def validate(self) -> None:
        """Refuse a metric that scores steps instead of releases."""
        self.cost()

    def cost(self) -> DataMetric:
        """Return the metric to minimise."""
        return data_metric(self.id, self.metric)

    def run(self, task: Task, run: Run) -> Outcome:
        """Search down from the top; the generator is not used."""
        asked = [model for model in task.models if isinstance(model, DeltaPresence)]
        if len(asked) != 1:
            raise Unsupported(
                f"{self.id} needs one requirement delta-presence",
                thing=task.models[0].id,
                alternatives=by_group(["optimal"], task.models),
            )
        if asked[0].qid is not None and set(asked[0].qid) != set(task.qids):
            raise Unsupported(f"{self.id} needs delta-presence on all quasi-identifiers", thing=asked[0].id)
        if task.external is None:
            raise BadRequest("spalm needs the public table of everybody who may be in this one", parameter="external")
        public = public_task(task, task.external, asked[0])
        around = LatticeSearch(public, Discernibility(), run)
        self._refuse_hopeless(around, asked[0])
        passing = [found.node for found in passing_down(around)]
        rest = [model for model in task.models if model is not asked[0]]
        metric = self.cost()
        inside = LatticeSearch(replace(task, models=rest, attributes=public.attributes), metric, run)
        found = inside.exhaust(passing)
        if not found:
            raise Infeasible(
                "no full-domain generalization meets delta-presence and every other requirement",
                measured=0,
                bound=1,
                requirement=asked[0].id,
            )
        least = found[0].key[0]
        groups = around.rollup.stats(found[0].node)
        share = groups.histograms[_INSIDE].of(1) / groups.sizes
        facts = replace(
            facts_at(inside, found[0].node),
            satisfying=sorted(one.node for one in found),
            minimal=inside.lattice.minimal([one.node for one in found]),
            best_nodes=sorted(one.node for one in found if one.key[0] == least),
            presence=[(groups.key(at), float(one)) for at, one in enumerate(share)],
        )
        return outcome_at(inside, facts)

    def _refuse_hopeless(self, around: LatticeSearch, asked: DeltaPresence) -> None:
        """Refuse if even the fully masked table tells too much: its share lies outside the bounds."""
        top = around.rollup.stats(around.lattice.top)
        share = float(top.histograms[_INSIDE].of(1)[0] / top.sizes[0])
        if not around.valid(around.count([around.lattice.top])[0]):
            raise Infeasible(
                f"{share:.4f} of the public table is in the private one, even with everything masked",
                measured=share,
                bound=f"{asked.delta_min:g} to {asked.delta_max:g}",
                requirement=asked.id,
            )


def public_task(task: Task, external: Table, asked: DeltaPresence) -> Task:
    """Return the task of hiding who is inside: the public table, with a column that says who is in the private one."""
    everybody, _, inside = held_inside(task, external)
    dictionaries = dict(everybody.dictionaries)
    codes = np.concatenate([everybody.codes, everybody.codes])
    weights = np.concatenate([inside, everybody.weights - inside])
    flag = np.repeat(np.array([1, 0], np.int32), len(everybody)).reshape(-1, 1)
    kept = weights > 0
    dictionaries[_INSIDE] = Dictionary(
        _INSIDE, (0, 1), np.array([everybody.records - inside.sum(), inside.sum()], np.int64)
    )
    joined = CompressedTable(everybody.columns, codes[kept], weights[kept], dictionaries, (_INSIDE,), flag[kept])
    attributes = [_attribute(attribute, joined) for attribute in task.attributes]
    return replace(
        task, table=joined, attributes=attributes, models=(_Presence(asked=asked),), suppress_at_most=0.0, target=None
    )


def _attribute(attribute: Attribute, table: CompressedTable) -> Attribute:
    """Return an attribute whose tree holds the values of the public table."""
    if attribute.kind == "interval":
        return attribute
    if attribute.builder is not None:
        return over_population(attribute, table)
    tree = Tree.flat(table.dictionaries[attribute.name].values, column=attribute.name)
    return replace(attribute, tree=tree, kind="taxonomy")
