"""Workload-aware Mondrian: of all allowed cuts, take the one that serves the use of the release best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from sfumato.algorithms.boxes._median_partition import Chooser, counted_rows, partition
from sfumato.algorithms.boxes._workloads import QueryCuts, TargetCuts, read_selections, targets_of
from sfumato.algorithms.boxes.mondrian import MONDRIAN_TRAITS, published_boxes
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.run import Run
from sfumato.contracts.thing import columns, param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.searches.box_space import BoxSpace
from sfumato.searches.part_requirements import PartRequirements

__all__ = ["InfoGainMondrian"]


class InfoGainMondrian(Algorithm):
    """Cut the records where the parts cost least for the use of the release, and go on with the parts.

    As :class:`Mondrian`, but every place of every attribute is tried, and the allowed cut of least cost is taken: values
    ``< v`` and ``>= v`` for a ``v`` that occurs, or the children of the lowest node that covers the group. A cut without
    gain is taken too, unless ``min_gain`` asks for more: finer data under the same guarantee. Of equal cuts the first
    attribute and the smallest ``v`` wins. The cost of parts ``P'`` of ``P`` is

    - for classes: ``sum |P'|/|P| H(class | P')`` in bits, summed over the columns of ``targets``, or of the tuple of them
      (``combine="joint"``);
    - for numbers (``regression``): ``sum |P'|/|P| Var(v | P')``, summed over the columns, each in units of its variance in the
      table unless ``standardize`` is false: least squared deviance;
    - for both: the mean over all columns of the share of their entropy or variance that is left;
    - for ``queries``: the records in parts whose box a selection meets but which it does not select, over ``|P|``, times the
      weight of the query. Attributes that no query selects on or shows are never cut.

    A query is ``{where: {column: condition}, weight: 1, columns: [...]}``; a condition is a value, a list of values or
    nodes, or ``{low, high}`` for numbers.

    Adversary: that of the requirements. Facts: as of Mondrian. An entry of the trace has the ``cost`` of its cut.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(1, "N"), (2, "N"), (3, "Y"), (4, "Y"), (5, "Y"), (6, "Y"), (7, "Y"), (8, "Y")]
    >>> table = sfumato.from_rows(["Age", "Class"], rows)
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}, "Class": {"role": "target"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 2}],
    ...     "algorithm": {"id": "infogain-mondrian", "trace": True},
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> release.private.trace[0]
    CutStep(attribute='Age', records=8, value='3', cost=0.0)
    >>> [box[0] for box in release.private.operations[0].boxes]
    ['[1-2]', '[3-4]', '[5-6]', '[7-8]']

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 5.2.2 and 6.4.
    LeFevre, DeWitt, Ramakrishnan, "Workload-aware anonymization", 2006, doi:10.1145/1150402.1150435.
    """

    id: ClassVar[str] = "infogain-mondrian"
    traits: ClassVar[AlgorithmTraits] = replace(
        MONDRIAN_TRAITS, cost="records times quasi-identifiers, sorted, for each level of cuts"
    )

    targets: tuple[str, ...] | None = columns(
        "target", default=None, doc="columns of classes that should stay predictable; the target column if not given"
    )
    regression: tuple[str, ...] = columns(
        "target", default=(), doc="columns of numbers that should stay predictable, by least squares"
    )
    combine: Literal["independent", "joint"] = param(
        default="independent",
        choices=("independent", "joint"),
        doc="whether several columns of classes count one by one, or every tuple of classes is a class",
    )
    standardize: bool = param(default=True, doc="whether numbers count in units of their variance in the table")
    queries: tuple[Mapping[str, object], ...] = param(
        default=(), doc="selections that the release should answer exactly"
    )
    min_gain: float = param(default=0.0, ge=0, doc="smallest decrease of the cost that is worth a cut")
    publish: Literal["box", "region"] = param(
        default="box",
        choices=("box", "region"),
        doc="whether a group is shown as the values its records span, or as the part of the space it was cut down to",
    )
    trace: bool = param(default=False, doc="whether the trace lists every cut")

    def validate(self) -> None:
        """Refuse two kinds of use at once, and columns named twice."""
        named = (*(self.targets or ()), *self.regression)
        if self.queries and named:
            raise BadRequest(
                "a release is made for queries or for targets, not for both", parameter=f"{self.id}.queries"
            )
        for name in named:
            if named.count(name) > 1:
                raise BadRequest("names a column twice", parameter=f"{self.id}.targets", value=name)
        if self.targets == () and not self.regression and not self.queries:
            raise BadRequest("must name at least one column", parameter=f"{self.id}.targets")

    def run(self, task: Task, run: Run) -> Outcome:
        """Cut until no group has an allowed cut; the generator is not used."""
        classes = self._classes(task)
        task = self._with_targets(task, [*classes, *self.regression])
        space = BoxSpace(task.attributes, task.table.dictionaries)
        requirements = PartRequirements.of(task.models, task.qids, counted_rows(task), thing=self.id)
        requirements.refuse_hopeless()
        chooser, warnings = self._chooser(task, space, requirements.least, classes)
        found = partition(
            space,
            task.table.codes,
            requirements,
            chooser,
            regions=self.publish == "region",
            trace=self.trace,
            run=run,
        )
        outcome = published_boxes(task, found)
        return replace(outcome, warnings=[*outcome.warnings, *warnings])

    def _classes(self, task: Task) -> tuple[str, ...]:
        if self.targets is not None or self.regression or self.queries:
            return self.targets or ()
        if task.target is None:
            raise BadRequest(
                "needs a column with the role target, or columns named here",
                parameter=f"{self.id}.targets",
                available=[*task.sensitive, *task.table.extra],
            )
        return (task.target,)

    def _with_targets(self, task: Task, names: list[str]) -> Task:
        """Return the task with the targets in its compressed table."""
        kinds = {} if task.raw is None else task.raw.types
        free = [name for name in kinds if name not in task.qids] or list(task.table.extra)
        for name in names:
            if name not in free:
                raise BadRequest(
                    "is not a column that can be a target", parameter=f"{self.id}.targets", value=name, available=free
                )
        for name in self.regression:
            if not kinds[name].numeric if name in kinds else not _are_numbers(task, name):
                raise BadRequest("least squares need numbers", column=name, parameter=f"{self.id}.regression")
        lacking = [name for name in names if name not in task.table.extra]
        if not lacking or task.raw is None:
            return task
        table = task.raw.compress(task.qids, [*task.table.extra, *lacking], task.table.dictionaries)
        return replace(task, table=table)

    def _chooser(self, task: Task, space: BoxSpace, least: int, classes: tuple[str, ...]) -> tuple[Chooser, list[str]]:
        if self.queries:
            asked = read_selections(self.queries, task.attributes, f"{self.id}.queries")
            return QueryCuts(space, least, self.min_gain, asked, task.table.codes), []
        targets = targets_of(
            task.table, classes, self.regression, joint=self.combine == "joint", standardize=self.standardize
        )
        warnings: list[str] = []
        if self.combine == "joint" and len(classes) > 1 and targets.kinds > task.table.records / 10:
            warnings.append(say("warning.too_many_classes", kinds=targets.kinds, records=task.table.records))
        return TargetCuts(space, least, self.min_gain, targets), warnings


def _are_numbers(task: Task, name: str) -> bool:
    return all(
        isinstance(value, (int, float)) and not isinstance(value, bool)
        for value in task.table.dictionaries[name].values
    )
