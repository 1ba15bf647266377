"""The validity check of a top-down search: would every requirement still hold after a step?

Requirements that group sizes decide are answered from the partition's running minima, at no cost. Any other merge-closed
model is asked only about the candidate that is about to be performed, on the groups that the step would make: a violated
step stays violated, so a candidate that fails is out for good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.contracts.algorithm import Task
from sfumato.contracts.model import GroupModel
from sfumato.data.compressed import CompressedTable
from sfumato.errors import Infeasible, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.searches.partition import Partition

__all__ = ["Validity"]

Ints = npt.NDArray[np.int64]


class Validity:
    """Requirements of a task, by quasi-identifier: the least group size, and the models that need more than sizes."""

    def __init__(self, task: Task) -> None:
        self.table = task.table
        names = list(task.qids)
        self.least: dict[tuple[int, ...], int] = {}
        self.models: list[tuple[tuple[int, ...], GroupModel]] = []
        for model in task.models:
            if not isinstance(model, GroupModel) or not model.traits.closed_under_merge:
                raise Unsupported(
                    f"{model.id} is not decided group by group and kept under merging, which a top-down search relies on",
                    thing=model.id,
                )
            qid = tuple(sorted(names.index(name) for name in (model.qid or names)))
            self.least[qid] = max(self.least.get(qid, 1), model.least_size())
            if not model.traits.by_size_alone:
                self.models.append((qid, model))

    def refuse_hopeless(self) -> None:
        """Refuse a task whose fully masked table already fails: no refinement can mend it."""
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

    def holds(self, partitions: Mapping[tuple[int, ...], Partition], index: int, slot: int, child: Ints) -> bool:
        """Ask the models that need more than sizes about the groups one step would make."""
        for qid, model in self.models:
            if index not in qid:
                continue
            partition = partitions[qid]
            groups = partition.carrying(index, slot)
            rows = np.concatenate([partition.rows_of(int(group)) for group in groups])
            group = np.repeat(groups, partition.end[groups] - partition.start[groups])
            codes = self.table.codes[rows, index]
            part = (codes == slot).astype(np.int64) if partition.layout.suppressing[index] else child[codes]
            _, made = np.unique(group * (int(part.max()) + 1) + part, return_inverse=True)
            stats = group_stats(self.table, made, int(made.max()) + 1, model.needs(), rows)
            if not model.bound().holds(model.measure(stats)).all():
                return False
        return True


def group_stats(
    table: CompressedTable,
    group: Ints,
    groups: int,
    needs: Sequence[str],
    rows: npt.NDArray[np.int32] | None = None,
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
    return GroupStats(("group",), (list(range(groups)),), sizes, histograms, whole)
