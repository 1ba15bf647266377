"""The validity check of a top-down search: would every requirement still hold after a step?

A search asks a :class:`Validity` about the one step that it is about to take, and tells it when the step is taken. The usual
one, :class:`ModelValidity`, asks the models of the task: requirements that group sizes decide are answered from the
partition's running minima, at no cost; any other merge-closed model is asked about the groups that the step would make. Who
has to look beyond the table, at earlier releases or at other parties, brings an own one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.contracts.algorithm import Task
from sfumato.contracts.model import GroupModel, TableModel
from sfumato.data.compressed import CompressedTable
from sfumato.data.frozen import frozen
from sfumato.errors import Infeasible, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Ints
from sfumato.searches.columns import Column
from sfumato.searches.partition import Partition

__all__ = ["ModelValidity", "Step", "Validity", "group_stats", "parts_of", "refuse_unlocal", "uneven_groups"]

Qid = tuple[int, ...]


@frozen(eq=False)
class Step:
    """One refinement that may be taken: the shown value (``slot``) of a column parts; ``partitions`` are those before it."""

    column: Column
    index: int
    slot: int
    partitions: Mapping[Qid, Partition]


# Two searches answer beside this interface, because a yes or no is not all they need. LKC-privacy counts once and uses the
# answer three times: to decide, to score the loss, and, after the values have parted, as the state to go on from. A search that
# leaves records out lets groups fall below ``least`` within its limit, so that sizes alone no longer refuse a step. Behind
# ``would_hold`` both would keep the overrides that they have, and pass their counts around twice.
class Validity(ABC):
    """Says which steps keep every requirement.

    ``anti_monotone``: a step that is refused once is refused for good, so that the search drops it. ``least`` gives the least
    group size on quasi-identifiers (columns by position); the search keeps their groups and looks one step ahead in them.
    """

    anti_monotone: bool = True
    least: Mapping[Qid, int] = {}

    @abstractmethod
    def would_hold(self, step: Step) -> bool:
        """Tell whether every requirement would hold after a step; group sizes above ``least`` are seen to."""

    def commit(self, step: Step) -> None:
        """Take note of a step that is being taken."""
        return

    def concerns(self, index: int) -> bool:
        """Tell whether a requirement says how far a column may be refined; others stay as they are."""
        return True

    def refuse_hopeless(self) -> None:
        """Refuse a task whose fully masked table already fails: no refinement can mend it."""
        return


class ModelValidity(Validity):
    """Requirements of a task, by quasi-identifier: the least group size, and the models that need more than sizes."""

    def __init__(self, task: Task) -> None:
        self.table = task.table
        names = list(task.qids)
        self.least: dict[Qid, int] = {}
        self.models: list[tuple[Qid, GroupModel]] = []
        for asked, model in [(given, one) for given in task.models for one in _by_group(given, names)]:
            if model is None or not model.traits.closed_under_merge:
                raise Unsupported(
                    f"{asked.id} is not decided group by group and kept under merging, which a top-down search relies on",
                    thing=asked.id,
                )
            qid = tuple(sorted(names.index(name) for name in (model.qid or asked.qid or names)))
            self.least[qid] = max(self.least.get(qid, 1), model.least_size())
            if not model.traits.by_size_alone:
                refuse_unlocal(model, task.table)
                self.models.append((qid, model))

    def concerns(self, index: int) -> bool:
        """Tell whether a quasi-identifier holds a column."""
        return any(index in qid for qid in self.least)

    def refuse_hopeless(self) -> None:
        records = self.table.records
        for qid, least in self.least.items():
            if records < least:
                names = ", ".join(self.table.columns[index] for index in qid)
                raise Infeasible(
                    f"a group needs {least} records on ({names}), the table has only {records}",
                    measured=records,
                    bound=least,
                )
        everything = np.zeros(len(self.table), np.int64)
        for _, model in self.models:
            verdict = model.check(group_stats(self.table, everything, 1, model.needs()))
            if not verdict.satisfied:
                raise Infeasible(
                    f"even the fully masked table fails {model.id}: measured {verdict.strongest}, needed {verdict.bound}",
                    measured=verdict.strongest,
                    bound=verdict.bound,
                    requirement=model.id,
                )

    def would_hold(self, step: Step) -> bool:
        """Ask the models that need more than sizes about the groups that the step would make."""
        for qid, model in self.models:
            if step.index not in qid:
                continue
            partition = step.partitions[qid]
            groups = partition.carrying(step.index, step.slot)
            rows = np.concatenate([partition.rows_of(int(group)) for group in groups])
            group = np.repeat(groups, partition.end[groups] - partition.start[groups])
            part = parts_of(step, self.table.codes[rows, step.index])
            _, made = np.unique(group * (int(part.max()) + 1) + part, return_inverse=True)
            stats = _shown(model, group_stats(self.table, made, int(made.max()) + 1, model.needs(), rows))
            if not model.bound().holds(model.measure(stats)).all():
                return False
        return True


def _by_group(model: TableModel, names: Sequence[str]) -> Sequence[GroupModel | None]:
    """Return the conditions on groups of which a model consists, or one from which it follows."""
    return model.on_subsets(names) or [model.in_search() or model.in_each_group()]


def parts_of(step: Step, codes: Codes) -> Ints:
    """Return the part that each of some values would go to, all of them shown alike before the step."""
    parts = codes == step.slot if step.column.suppressing else step.column.child[codes]
    return parts.astype(np.int64)


def uneven_groups(rows: int) -> Ints:
    """Return a number of a group for each row; groups hold 1, 3, 5, ... rows."""
    return np.sqrt(np.arange(rows)).astype(np.int64)


def refuse_unlocal(model: GroupModel, table: CompressedTable) -> None:
    """Refuse a model that reads the table's numbers off the groups it is shown: searches show it some groups only."""
    rows = np.arange(min(len(table), 400))
    group = uneven_groups(len(rows))
    model.refuse_unlocal(_shown(model, group_stats(table, group, int(group.max(initial=-1)) + 1, model.needs(), rows)))


def _shown(model: GroupModel, stats: GroupStats) -> GroupStats:
    """Return the groups that a model judges: those with a record, unless it counts absent people too."""
    if stats.people is None or model.judges_absent:
        return stats
    return stats.taken(np.flatnonzero(stats.sizes))


def group_stats(
    table: CompressedTable,
    group: Ints,
    groups: int,
    needs: Sequence[str],
    rows: Codes | Ints | None = None,
) -> GroupStats:
    """Return statistics of groups given by number, over all rows or the given ones."""
    chosen = slice(None) if rows is None else rows
    weights = table.weights[chosen]
    sizes = np.bincount(group, weights=weights, minlength=groups).astype(np.int64)
    histograms = {}
    whole = {}
    for name in needs:
        codes = table.extra_codes[chosen, table.extra.index(name)].astype(np.int64)
        histograms[name] = Histogram.from_pairs(groups, table.dictionaries[name].values, group, codes, weights)
        whole[name] = table.dictionaries[name].counts
    people = None if table.people is None else np.bincount(group, weights=table.people[chosen], minlength=groups)
    return GroupStats(("group",), (list(range(groups)),), sizes, histograms, whole, table.table_records, people)
