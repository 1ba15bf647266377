"""Mondrian: cut the records in two, again and again, along the widest attribute at its median."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.algorithms.boxes._median_partition import Chooser, Medians, Partition, counted_rows, partition
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.model import TableModel
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Codes
from sfumato.searches.box_space import BoxSpace, rows_of_records
from sfumato.searches.part_requirements import Check, CountedRows, ModelCheck, PartRequirements, by_parts
from sfumato.searches.population import PeopleCheck, Population, population_of

__all__ = ["MIXED", "MONDRIAN_TRAITS", "Mondrian", "published_boxes"]

MIXED = say("warning.mixed_granularity")
MONDRIAN_TRAITS = AlgorithmTraits(
    recoding="boxes",
    release="recoded-table",
    optimal=False,
    deterministic=True,
    truthful=True,
    anytime=True,
    model_needs=(),
    numeric_without_hierarchy=True,
    suppresses_records=False,
    cost="records times quasi-identifiers for each level of cuts; about log2(records / k) levels",
    works_on="counts",
    most_rows=None,
)


class Mondrian(Algorithm):
    """Cut the records in two along the widest attribute, at its median, and go on with the parts.

    A group of ``s`` records is cut along the attribute with the largest range, as a share of its range in the whole table;
    of equal ones the first. With the lower median ``m``, the value at place ``(s - 1) // 2`` in order, the parts are the
    records with values ``<= m`` and ``> m``. A group of a column with a tree falls into the children of the lowest node that
    covers it; the range of ``n`` leaves of ``N`` is ``(n - 1) / (N - 1)``. Columns without a tree that are no numbers go by the
    order of their values. A cut is *allowed* if every part meets every requirement; if it is not, the next widest attribute
    is tried. A group without an allowed cut is published as the box that its records span: ``[low-high]``, the lowest common
    node, ``first..last``. ``publish="region"`` shows the part of the space that it was cut down to instead: later records have
    a place there too, unless they lie in a branch of a tree that had no record.

    A cut touches one group only, so equal values may be published in different ways. The requirements are met by every
    group; what is published on some of the columns are unions of groups. LKC-privacy is met by a condition on single groups
    that is stronger than it. With ``strict=False`` records that equal the median are shared out so that the parts are even:
    equal records may then look different. The more even parts are, the more cuts there are, as a rule.

    With ``threshold="median"`` a heavily tied median can close a large group. With ``any`` no group of d columns has more than
    ``2 d (k - 1) + c`` records under k-anonymity, c being the number of records in the most frequent point, if no column has a
    tree.

    Adversary: that of the requirements. Facts of an outcome: ``groups``, ``cuts``, ``smallest_group``, ``largest_group``.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Age", "Pay"], [(31, 10), (35, 12), (42, 30), (47, 11), (52, 35), (58, 33)])
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}, "Pay": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 2}],
    ...     "algorithm": {"id": "mondrian"},
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> release.private.operations[0].boxes
    (('[31-42]', '[10-30]'), ('[47-58]', '[11-35]'))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.2.6.
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", 2006, doi:10.1109/ICDE.2006.101.
    """

    id: ClassVar[str] = "mondrian"
    meets_every_limit: ClassVar[bool] = True
    traits: ClassVar[AlgorithmTraits] = MONDRIAN_TRAITS

    strict: bool = param(default=True, doc="whether equal records are published alike; if not, ties are shared out")
    threshold: Literal["median", "any"] = param(
        default="median", choices=("median", "any"), doc="whether other cuts of an attribute are tried after the median"
    )
    publish: Literal["box", "region"] = param(
        default="box",
        choices=("box", "region"),
        doc="whether a group is shown as the values its records span, or as the part of the space it was cut down to",
    )
    trace: bool = param(default=False, doc="whether the trace lists every cut")

    def validate(self) -> None:
        """Refuse what has no meaning where ties are shared out."""
        if self.strict:
            return
        if self.publish == "region":
            raise BadRequest(
                "regions of records whose ties are shared out overlap; publish boxes, or be strict",
                parameter=f"{self.id}.publish",
                value=self.publish,
            )
        if self.threshold == "any":
            raise BadRequest(
                "where ties are shared out the median always parts evenly; there is no other cut to try",
                parameter=f"{self.id}.threshold",
                value=self.threshold,
            )

    def run(self, task: Task, run: Run) -> Outcome:
        """Cut until no group has an allowed cut; the generator is not used."""
        counting = [model for model in task.models if model.counts_people]
        if counting:
            return self._among_people(task, counting, run)
        space = BoxSpace(task.attributes, task.table.dictionaries)
        if not self.strict:
            return self._relaxed(task, space, run)
        requirements = PartRequirements.of(task.models, task.qids, counted_rows(task), thing=self.id)
        requirements.refuse_hopeless()
        chooser = Medians(space, requirements.least, anywhere=self.threshold == "any")
        found = self._cut(run, space, task.table.codes, requirements, chooser)
        return published_boxes(task, found)

    def _cut(
        self,
        run: Run,
        space: BoxSpace,
        codes: Codes,
        requirements: PartRequirements,
        chooser: Chooser,
    ) -> Partition:
        return partition(
            space,
            codes,
            requirements,
            chooser,
            regions=self.publish == "region",
            trace=self.trace,
            run=run,
        )

    def _among_people(self, task: Task, counting: Sequence[TableModel], run: Run) -> Outcome:
        """Cut a population: a group is a box of people, of whom those in the table are published."""
        if not self.strict:
            raise Unsupported(
                f"{counting[0].id} asks how many people look alike, which shared-out ties hide; set strict to true",
                thing=counting[0].id,
            )
        people = Population.of(task, population_of(task, counting[0].id))
        asked = [(model, model.in_search()) for model in counting]
        unfit = [model.id for model, found in asked if found is None or not found.traits.closed_under_merge]
        if unfit:
            raise Unsupported(f"{self.id} cannot promise {unfit[0]}", thing=unfit[0], alternatives=["optimal"])
        rest = by_parts([model for model in task.models if model not in counting], task.qids, thing=self.id)
        checks: list[Check] = [PeopleCheck(found, people.inside) for _, found in asked if found is not None]
        checks += [ModelCheck(model, people.inside) for model in rest]
        requirements = PartRequirements(people.counted, 1, tuple(checks))
        requirements.refuse_hopeless()
        chooser = Medians(people.space, 1, anywhere=self.threshold == "any")
        found = self._cut(run, people.space, people.codes, requirements, chooser)
        sizes = np.bincount(found.group_of[people.inside], weights=task.table.weights)
        sizes = sizes[sizes > 0].astype(np.int64)
        facts = replace(
            found.facts(), groups=len(sizes), smallest_group=int(sizes.min()), largest_group=int(sizes.max())
        )
        return replace(published_boxes(task, found), facts=facts)

    def _relaxed(self, task: Task, space: BoxSpace, run: Run) -> Outcome:
        """Cut single records, so that equal ones can go to different sides."""
        if task.raw is None:
            raise BadRequest("needs the records themselves to share out equal ones", parameter=f"{self.id}.strict")
        table = task.table
        codes = task.raw.as_rows().codes(task.qids, table.dictionaries)
        extra = (
            task.raw.as_rows().codes(table.extra, table.dictionaries)
            if table.extra
            else np.empty((len(codes), 0), np.int32)
        )
        counted = CountedRows(
            np.ones(len(codes), np.int64),
            {name: extra[:, at] for at, name in enumerate(table.extra)},
            table.dictionaries,
            table.records,
        )
        requirements = PartRequirements.of(task.models, task.qids, counted, thing=self.id, merged=True)
        requirements.refuse_hopeless()
        found = self._cut(run, space, codes, requirements, Medians(space, requirements.least, relaxed=True))
        operation = space.cells(found.labels(), found.group_of, found.groups.low, found.groups.high)
        return Outcome(
            operation=operation, trace=found.trace, warnings=[MIXED], stopped=found.stopped, facts=found.facts()
        )


def published_boxes(task: Task, found: Partition) -> Outcome:
    """Return the outcome that publishes the groups of a partition as boxes; the box of each record is known already."""
    operation = found.space.boxes(found.labels())
    if task.raw is not None:
        # Which box a record lies in need not be looked for again.
        operation.remember(task.raw, found.group_of[rows_of_records(task.table, task.raw)])
    warnings = [MIXED] if operation.mixed_granularity else []
    return Outcome(
        operation=operation, trace=found.trace, warnings=warnings, stopped=found.stopped, facts=found.facts()
    )
