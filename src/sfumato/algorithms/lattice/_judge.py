"""Which groups of a lattice node break a requirement, asked for many nodes at once.

Models that are decided group by group do not care which node a group belongs to, so the groups of many nodes are put to
them in one call. Group sizes are looked at first: what is too small for every requirement is not measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sfumato.contracts.algorithm import Task
from sfumato.contracts.model import GroupModel, SizesModel, TableModel
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Infeasible, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Bools, Ints
from sfumato.searches.lattice import Lattice, Merged, Rollup, listed
from sfumato.searches.validity import refuse_unlocal

__all__ = ["Judge", "Judged"]


@frozen(eq=False)
class Judged:
    """The violating groups of a node, and what follows for the nodes below it.

    The records of ``firm`` groups are left out at every node below. Of each other group at least ``loose`` records are;
    nothing is said of them where every violating group is firm.
    """

    violating: Bools
    firm: Bools
    loose: Ints | None = None


class Judge:
    """The requirements of a task, sorted by what a search may conclude from them.

    ``upward``: a node above a valid one is valid, so nodes can be tagged without looking. That holds without a suppression
    limit if every model is closed under merging, and with one only if merging never puts more records into violating groups.
    """

    def __init__(self, task: Task, lattice: Lattice) -> None:
        self.task = task
        self.lattice = lattice
        self.budget = task.budget
        names = lattice.names
        self.whole: list[GroupModel] = []
        self.partial: list[tuple[tuple[int, ...], GroupModel]] = []
        self.together = [model for model in task.models if isinstance(model, SizesModel)]
        rest = [model for model in task.models if not isinstance(model, SizesModel)]
        parts: list[tuple[TableModel, GroupModel | None]] = []
        for one in rest:
            parts += [(one, part) for part in one.on_subsets(names) or ()] or [(one, one.in_search())]
        for asked, model in parts:
            qid = asked.qid if model is None else model.qid or asked.qid
            if model is None:
                raise Unsupported(
                    f"{asked.id} is not decided group by group, which a search over the lattice relies on",
                    thing=asked.id,
                )
            if qid is None or set(qid) == set(names):
                self.whole.append(model)
            elif model.judges_absent or model.traits.evaluation == "labels":
                raise Unsupported(
                    f"{asked.id} with these parameters is judged on all quasi-identifiers",
                    thing=asked.id,
                    alternatives=["mondrian"] if model.judges_absent else [],
                )
            else:
                self.partial.append((tuple(names.index(name) for name in qid), model))
        for sized in self.together:
            if sized.qid is not None and set(sized.qid) != set(names):
                raise Unsupported(f"a search needs {sized.id} on all quasi-identifiers", thing=sized.id)
        self.least = max((model.least_size() for model in self.whole), default=1)
        self.measured = [model for model in self.whole if not model.traits.by_size_alone]
        self.by_counts = [model for model in self.measured if self._counts_do(model)]
        for model in (*self.measured, *(model for _, model in self.partial)):
            if model.traits.evaluation != "labels":  # what labels stand for is not known before there are nodes
                refuse_unlocal(model, task.table)
        models: list[TableModel] = [*self.whole, *(model for _, model in self.partial), *self.together]
        self.closed = all(model.traits.closed_under_merge for model in models)
        shrinking = all(model.traits.violations_shrink_under_merge for model in models) and not self.partial
        self.upward = self.closed if self.budget == 0 else shrinking
        # Of all groups together others may be left out below, though not fewer records.
        self.shrinking = shrinking and not self.together
        self.tags = self.upward or self.least > 1 or any(m.traits.violations_shrink_under_merge for m in self.measured)

    @property
    def quick(self) -> bool:
        """Whether judging one node at a time is as quick as judging many at once."""
        return len(self.by_counts) == len(self.measured) and not self.partial and not self.together

    def needs(self) -> tuple[str, ...]:
        """Return the columns whose histograms the requirements read."""
        wanted = [*self.measured, *(model for _, model in self.partial)]
        return tuple(dict.fromkeys(name for model in wanted for name in model.needs()))

    def judge(self, rollup: Rollup, nodes: Sequence[Merged]) -> list[Judged]:
        """Return the violating groups of each node."""
        violating = [merged.sizes < self.least for merged in nodes]
        firm = list(violating)
        loose: list[Ints | None] = [None] * len(nodes)
        for model in self.measured:
            shrinking = model.traits.violations_shrink_under_merge
            for at, (fails, gone) in enumerate(self._measure(rollup, model, nodes, violating)):
                violating[at] = violating[at] | fails
                before = loose[at]
                if shrinking:
                    firm[at] = firm[at] | fails
                else:
                    loose[at] = gone if before is None else np.maximum(before, gone)
                if model.judges_absent and fails[nodes[at].sizes == 0].any():
                    # Nothing that is left out mends it, here or below.
                    violating[at] = firm[at] = np.ones_like(fails)
        if self.partial:
            violating = [self._judge_parts(rollup, merged, bad) for merged, bad in zip(nodes, violating, strict=True)]
        for sized in self.together:
            violating = [
                self._judge_sizes(rollup, sized, merged, bad) for merged, bad in zip(nodes, violating, strict=True)
            ]
        if self.shrinking:
            return [Judged(bad, bad) for bad in violating]
        return [
            Judged(bad, last, np.zeros(len(last), np.int64) if gone is None else np.where(last, 0, gone))
            for bad, last, gone in zip(violating, firm, loose, strict=True)
        ]

    def _measure(
        self, rollup: Rollup, model: GroupModel, nodes: Sequence[Merged], skipped: Sequence[Bools]
    ) -> list[tuple[Bools, Ints]]:
        """Return which groups fail a model, and how many of their records any node below leaves out.

        Groups that fail already are not measured.
        """
        quick = self._quickly(model, nodes, skipped)
        if quick is not None:
            return quick
        absent = model.judges_absent
        asked = [
            np.flatnonzero(~bad | (merged.sizes == 0) if absent else ~bad)
            for merged, bad in zip(nodes, skipped, strict=True)
        ]
        out = [(np.zeros(len(merged), bool), np.zeros(len(merged), np.int64)) for merged in nodes]
        lengths = np.array([len(groups) for groups in asked])
        if lengths.sum() == 0:
            return out
        histograms = {}
        for name in model.needs():
            histograms[name] = self._listed(name, nodes, asked)
        sizes = np.concatenate([merged.sizes[groups] for merged, groups in zip(nodes, asked, strict=True)])
        people = [
            merged.people[groups] for merged, groups in zip(nodes, asked, strict=True) if merged.people is not None
        ]
        stats = replace(
            self._stats(model, sizes, histograms),
            people=np.concatenate(people) if people else None,
            lost=np.concatenate(
                [rollup.bits_left_open(merged)[groups] for merged, groups in zip(nodes, asked, strict=True)]
            )
            if model.traits.evaluation == "labels"
            else None,
        )
        measured = model.measure(stats)
        fails = ~model.bound().holds(measured)
        gone = (
            model.least_removed(stats, measured) if model.traits.closed_under_merge else np.zeros(len(sizes), np.int64)
        )
        at = 0
        for groups, (failing, leaving), length in zip(asked, out, lengths.tolist(), strict=True):
            failing[groups] = fails[at : at + length]
            leaving[groups] = gone[at : at + length]
            at += length
        return out

    def _quickly(
        self, model: GroupModel, nodes: Sequence[Merged], skipped: Sequence[Bools]
    ) -> list[tuple[Bools, Ints]] | None:
        """Do the same from counts as they are, if the model can."""
        if model not in self.by_counts:
            return None
        name = model.needs()[0]
        whole = self.task.table.dictionaries[name].counts
        out = []
        for merged, bad in zip(nodes, skipped, strict=True):
            counts = merged.counts(name)
            found = None
            if not isinstance(counts, Histogram):
                found = model.judge_counts(counts, merged.sizes, bad, whole)
            if found is None:
                return None
            out.append(found)
        return out

    def _counts_do(self, model: GroupModel) -> bool:
        """Tell whether a model can be judged by counts as they are."""
        if len(model.needs()) != 1 or not model.traits.closed_under_merge or model.judges_absent:
            return False
        whole = self.task.table.dictionaries[model.needs()[0]].counts
        nothing = np.zeros(0, np.int64)
        return model.judge_counts(np.zeros((0, len(whole)), np.int32), nothing, nothing > 0, whole) is not None

    def _listed(self, name: str, nodes: Sequence[Merged], asked: Sequence[Ints]) -> Histogram:
        """Return the histograms of the asked groups of all nodes, one after the other."""
        values = self.task.table.dictionaries[name].values
        counts = [(merged.counts(name), groups) for merged, groups in zip(nodes, asked, strict=True) if len(groups)]
        dense = [one[groups] for one, groups in counts if not isinstance(one, Histogram)]
        if len(dense) == len(counts):
            return listed(values, dense[0] if len(dense) == 1 else np.concatenate(dense))
        return _stacked([listed(values, one, groups) for one, groups in counts])

    def _stats(self, model: GroupModel, sizes: Ints, histograms: Mapping[str, Histogram]) -> GroupStats:
        """Return some groups beside what the whole table holds before anything is left out."""
        table = self.task.table
        whole = {name: table.dictionaries[name].counts for name in model.needs()}
        return GroupStats(("group",), (range(len(sizes)),), sizes, histograms, whole, table.table_records)

    def _judge_parts(
        self,
        rollup: Rollup,
        merged: Merged,
        bad: Bools,
        parts: Sequence[tuple[tuple[int, ...], GroupModel]] | None = None,
    ) -> Bools:
        """Add the groups that break a requirement on part of the quasi-identifiers.

        What a model sees on some columns is what it would see if the others were masked, so it is asked about that node,
        without the records left out so far; more may have to go until every requirement holds.
        """
        groups = rollup.group_table(merged)
        values_of = self.task.table.dictionaries.__getitem__
        bad = bad.copy()
        while True:
            before = int(bad.sum())
            for qid, model in self.partial if parts is None else parts:
                above = tuple(level if i in qid else self.lattice.top[i] for i, level in enumerate(merged.node))
                rolled = rollup.merged_from(groups, above)
                kept = np.flatnonzero(~bad)
                if len(kept) == 0:
                    return bad
                target = rolled.target[kept].astype(np.int64)
                present, where = np.unique(target, return_inverse=True)
                sizes = np.bincount(where, weights=groups.sizes[kept]).astype(np.int64)
                histograms = {
                    name: listed(values_of(name).values, groups.histograms[name], kept).merge(where, len(present))
                    for name in model.needs()
                }
                people = None
                if groups.people is not None:
                    # Whoever is left out stays in the population, and so does who was never in.
                    people = np.bincount(rolled.target, weights=groups.people)[present]
                stats = replace(self._stats(model, sizes, histograms), people=people)
                fails = ~model.bound().holds(model.measure(stats))
                bad[kept] |= fails[where]
            if int(bad.sum()) == before:
                return bad

    def _judge_sizes(self, rollup: Rollup, model: SizesModel, merged: Merged, bad: Bools) -> Bools:
        """Add the smallest groups, of equal ones the first by their labels, until all that are left hold together."""
        kept = np.flatnonzero(~bad)
        sizes = merged.sizes[kept]
        order = np.argsort(sizes, kind="stable")
        gone = model.too_many(sizes[order])
        if gone == 0:
            return bad
        if gone < len(kept) and sizes[order[gone - 1]] == sizes[order[gone]]:
            codes = rollup.codes(merged)[:, kept]
            ranks = [self._rank(i, level)[codes[i]] for i, level in enumerate(merged.node)]
            order = np.lexsort((*ranks[::-1], sizes))
        bad = bad.copy()
        bad[kept[order[:gone]]] = True
        return bad

    def _rank(self, index: int, level: int) -> Ints:
        """Return the place of each published value among its labels in order."""
        labels = self.lattice.labels(index, level)
        out = np.empty(len(labels), np.int64)
        out[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
        return out

    def binding(self, rollup: Rollup, merged: Merged) -> tuple[str, int]:
        """Return the requirement that most records of a node break, and how many do."""
        nothing = [merged.sizes == 0]
        found = [("", 0)]
        for model in self.whole:
            fails = merged.sizes < model.least_size()
            if not model.traits.by_size_alone:
                fails = fails | self._measure(rollup, model, [merged], nothing)[0][0]
            found.append((model.id, int(merged.sizes[fails].sum())))
        for sized in self.together:
            fails = self._judge_sizes(rollup, sized, merged, nothing[0])
            found.append((sized.id, int(merged.sizes[fails].sum())))
        for part in self.partial:
            fails = self._judge_parts(rollup, merged, nothing[0], [part])
            binds = say("why.on_columns", model=part[1].id, columns=[self.lattice.names[i] for i in part[0]])
            found.append((binds, int(merged.sizes[fails].sum())))
        return max(found, key=lambda entry: entry[1])

    def refuse_hopeless(self, rollup: Rollup) -> None:
        """Refuse a task whose fully masked table already fails, where that settles the matter."""
        merged = rollup.merged(self.lattice.top)
        judged = self.judge(rollup, [merged])[0]
        failing = int(merged.sizes[judged.violating].sum())
        if failing <= self.budget or not self.closed:
            return
        stats = rollup.stats_of(rollup.group_table(merged))
        models: list[GroupModel | SizesModel] = [*self.whole, *(model for _, model in self.partial), *self.together]
        for model in models:
            verdict = model.check(stats)
            if not verdict.satisfied:
                raise Infeasible(
                    f"even the fully masked table fails {model.id}: measured {verdict.strongest}, needed {verdict.bound}",
                    measured=verdict.strongest,
                    bound=verdict.bound,
                    requirement=model.id,
                )


def _stacked(parts: Sequence[Histogram]) -> Histogram:
    """Return the groups of several histograms one after the other."""
    if len(parts) == 1:
        return parts[0]
    shift = np.cumsum([0, *(len(part.code) for part in parts)])
    start = np.concatenate([part.start[:-1] + at for part, at in zip(parts, shift[:-1], strict=True)] + [shift[-1:]])
    code = np.concatenate([part.code for part in parts])
    return Histogram(parts[0].values, start, code, np.concatenate([part.count for part in parts]))
