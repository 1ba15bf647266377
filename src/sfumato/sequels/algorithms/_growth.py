"""The validity check of a refinement that makes the next release of a growing table: would every comparison still hold?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.model import GroupModel
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.trace import RefinementStep
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import Infeasible
from sfumato.groups.distinct import renumbered
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.metrics.loss_decrease import LossDecrease
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.searches.refinement import Refinery
from sfumato.searches.validity import ModelValidity, Step, Validity, parts_of
from sfumato.sequels.algorithms._growth_kernels import parts_hold
from sfumato.sequels.classes import SeriesClasses
from sfumato.sequels.correspondence import FAR, Targets
from sfumato.sequels.growing import Growing

__all__ = ["GrowingRefinery", "GrowthValidity", "Rule", "strictly_above", "table_task"]


@frozen
class Rule:
    """What every comparison must leave: ``least`` records, of which no value counts more than ``most`` times.

    ``backward``: also of newcomers alone. ``difference``: newcomers of comparable classes have ``least`` values or are none.
    ``requirement`` is whose rule it is.
    """

    least: int
    requirement: str = "bcf-anonymity"
    most: int = FAR
    backward: bool = True
    difference: bool = False
    targets: Targets = "published"


def table_task(growing: Growing, models: Sequence[GroupModel] = (), target: str | None = None) -> Task:
    """Return the records as the refinement search takes them: every column has a tree."""
    attributes = [
        Attribute(name, "taxonomy", growing.types[name], tree)
        for name, tree in zip(growing.qid, growing.trees, strict=True)
    ]
    return Task(growing.table, attributes, list(models), target, sensitive=(growing.sensitive,))


@frozen(eq=False)
class _Look:
    """A step beside one earlier release: rows that it touches by component, newcomers' room, and the part of each class."""

    component: Ints
    room: Ints
    met: Bools
    class_component: Ints
    class_part: Ints
    split: bool
    differ: Ints


class _Beside:
    """One earlier release beside the state of the search: which rows and classes are comparable, and newcomers by value."""

    def __init__(self, growing: Growing, number: int) -> None:
        assert growing.earlier is not None
        self.growing = growing
        self.held = growing.histograms[number]
        self.nodes = growing.earlier.nodes[number]
        self.before = growing.came[:, : number + 1].sum(axis=1)
        self.newcomer = growing.table.weights > self.before
        self.former = np.where(self.before > 0, growing.class_of_row[number], -1)
        self.above = [
            strictly_above(tree, cut) for tree, cut in zip(growing.trees, growing.earlier.cuts[number], strict=True)
        ]
        self.component = np.zeros(len(growing.table), np.int64)
        self.class_component = np.zeros(len(self.nodes), np.int64)
        self.components = 1
        value, weights = growing.value, growing.table.weights
        width = len(growing.table.dictionaries[growing.sensitive])
        after = np.bincount(value, weights, width).astype(np.int64)
        held = np.bincount(self.held.code, self.held.count, width).astype(np.int64)
        self.room, self.met = (after - held)[value], held[value] > 0
        self._index()

    @property
    def newcomers(self) -> int:
        """How many records came since."""
        return int(self.growing.table.records - self.before.sum())

    def _index(self) -> None:
        self.order = np.argsort(self.class_component, kind="stable")
        self.first = np.searchsorted(self.class_component[self.order], np.arange(self.components + 1))

    def look(self, step: Step, rows: Ints, part: Ints) -> _Look:
        """Return what a step would make of components: they part where the earlier release shows values below the refined."""
        none = np.full(len(self.nodes), -1)
        if not self.above[step.index][step.slot]:
            empty = np.empty(0, np.int64)
            return _Look(
                self.component[rows], self.room[rows], self.met[rows], self.class_component, none, False, empty
            )
        tree = self.growing.trees[step.index]
        touched = np.zeros(self.components, bool)
        touched[self.component[rows]] = True
        classes = np.flatnonzero(touched[self.class_component])
        begins = tree.leaf_first[list(tree.children[step.slot])]
        ordinal = np.searchsorted(begins, tree.leaf_first[self.nodes[classes, step.index]], side="right") - 1
        none[classes] = ordinal
        parts = len(begins)
        both = np.concatenate([self.component[rows] * parts + part, self.class_component[classes] * parts + ordinal])
        number, count = renumbered(both)
        room, met, differ = self._newcomers(rows, number[: len(rows)], classes, number[len(rows) :], count)
        fresh = self.class_component.copy()
        fresh[classes] = self.components + number[len(rows) :]
        return _Look(self.components + number[: len(rows)], room, met, fresh, none, True, differ)

    def _newcomers(
        self, rows: Ints, row_number: Ints, classes: Ints, class_number: Ints, count: int
    ) -> tuple[Ints, Bools, Ints]:
        """Return for rows how many newcomers have their value, and whether anybody of before has; and values by component."""
        values = max(len(self.held.values), 1)
        inside = self.held.taken(classes)
        keys = row_number * values + self.growing.value[rows]
        theirs = class_number[inside.group()] * values + inside.code
        distinct, at = np.unique(np.concatenate([keys, theirs]), return_inverse=True)
        mine, hers = at[: len(keys)], at[len(keys) :]
        after = np.bincount(mine, self.growing.table.weights[rows], len(distinct)).astype(np.int64)
        before = np.bincount(hers, inside.count, len(distinct)).astype(np.int64)
        room = after - before
        differ = np.bincount(distinct[room > 0] // values, minlength=count)
        return room[mine], (before > 0)[mine], differ

    def commit(self, look: _Look, rows: Ints) -> None:
        """Take a step."""
        if look.split:
            self.component[rows], self.room[rows], self.met[rows] = look.component, look.room, look.met
            self.class_component = look.class_component
            self.components = 1 + int(max(self.component.max(initial=0), self.class_component.max(initial=0)))
            self._index()


class GrowthValidity(Validity):
    """Asks every earlier release about the one step that is about to be taken, and the models of the table itself.

    ``beyond`` is asked last, about the whole series as the step would leave it.
    """

    def __init__(
        self, growing: Growing, task: Task, rule: Rule, beyond: Callable[[SeriesClasses], bool] | None = None
    ) -> None:
        self.growing = growing
        self.rule = rule
        self.beyond = beyond
        self.shown: list[set[int]] = [{0} for _ in growing.qid]
        self.plain = ModelValidity(task)
        self.qid = tuple(range(len(growing.qid)))
        self.least = {**self.plain.least, self.qid: max(rule.least, self.plain.least.get(self.qid, 1))}
        earlier = growing.earlier
        self.beside = [_Beside(growing, number) for number in range(0 if earlier is None else len(earlier.releases))]
        self.beside = [one for one in self.beside if len(one.nodes)]
        self.refused: list[tuple[int, int]] = []
        self._last: tuple[int, int, Ints, list[_Look]] | None = None

    def refuse_hopeless(self) -> None:
        """Refuse what even the fully masked release cannot keep: no refinement can mend it."""
        self.plain.refuse_hopeless()
        table, rule = self.growing.table, self.rule
        found: list[tuple[str, int]] = []
        for one in self.beside:
            classes = np.minimum(one.held.count, rule.most)
            found.append(("FA", int(np.bincount(one.held.group(), classes, len(one.nodes)).min())))
            if rule.backward and one.newcomers:
                found.append(("BA", one.newcomers))
            if rule.difference and one.newcomers:
                found.append(("values of newcomers", len(np.unique(self.growing.value[one.room > 0]))))
        broken = [(name, level) for name, level in found if level < rule.least]
        if broken or table.records < rule.least:
            told = ", ".join(f"{name}={level}<{rule.least}" for name, level in dict.fromkeys(broken))
            told = told or f"{table.records} records<{rule.least}"
            raise Infeasible(
                f"even the fully masked next release fails: {told}",
                measured=min([level for _, level in broken], default=table.records),
                bound=rule.least,
                requirement=rule.requirement,
            )

    def would_hold(self, step: Step) -> bool:
        """Ask about the parts that the step would make."""
        if not self.plain.would_hold(step):
            return False
        partition = step.partitions[self.qid]
        groups = partition.carrying(step.index, step.slot)
        lengths = partition.end[groups] - partition.start[groups]
        begin = np.concatenate([[0], np.cumsum(lengths)])
        rows = partition.order[np.repeat(partition.start[groups] - begin[:-1], lengths) + np.arange(begin[-1])]
        rows = rows.astype(np.int64)
        part = parts_of(step, self.growing.table.codes[rows, step.index])
        looks = [one.look(step, rows, part) for one in self.beside]
        self._last = (step.index, step.slot, rows, looks)
        good = all(
            self._holds(step, one, look, rows, part, begin) for one, look in zip(self.beside, looks, strict=True)
        )
        good = good and (self.beyond is None or self.beyond(self.growing.with_next(self._cuts(step))))
        if not good:
            self.refused.append((step.index, step.slot))
        return good

    def _cuts(self, step: Step) -> list[Ints]:
        """Return what each column would show after a step."""
        below = self.growing.trees[step.index].children[step.slot]
        shown = [nodes - {step.slot} | set(below) if at == step.index else nodes for at, nodes in enumerate(self.shown)]
        return [np.array(sorted(nodes), np.int64) for nodes in shown]

    def _holds(self, step: Step, one: _Beside, look: _Look, rows: Ints, part: Ints, begin: Ints) -> bool:
        rule, table = self.rule, self.growing.table
        if rule.difference and ((look.differ > 0) & (look.differ < rule.least)).any():
            return False
        return bool(
            parts_hold(
                begin,
                part,
                self.growing.value[rows],
                table.weights[rows],
                one.component[rows[begin[:-1]]],
                look.room,
                look.met,
                one.newcomer[rows],
                one.former[rows],
                one.first,
                one.order,
                look.class_part,
                one.held.start,
                one.held.code,
                np.minimum(one.held.count, rule.most),
                len(self.growing.trees[step.index].children[step.slot]),
                max(len(one.held.values), 1),
                rule.least,
                rule.most,
                rule.backward and one.newcomers > 0,
                rule.targets == "actual",
            )
        )

    def commit(self, step: Step) -> None:
        """Take note of a step: components part as they were looked at."""
        if self._last is None or self._last[:2] != (step.index, step.slot):
            self.would_hold(step)
        assert self._last is not None
        _, _, rows, looks = self._last
        self.shown = [set(cut.tolist()) for cut in self._cuts(step)]
        for one, look in zip(self.beside, looks, strict=True):
            one.commit(look, rows)


def strictly_above(tree: Tree, cut: Ints) -> Bools:
    """Tell for each node whether a node of a cut lies below it."""
    out = np.zeros(len(tree), bool)
    for node in cut.tolist():
        above = int(tree.parent[node])
        while above >= 0 and not out[above]:
            out[above] = True
            above = int(tree.parent[above])
    return out


class GrowingRefinery(Refinery):
    """The refinement search by discernibility: the value whose groups hold the most pairs of records is refined first.

    ``DM(v) = sum of |qid|^2 over the groups that show v``. Every value that may be refined is, whether it parts a group or not.
    """

    unit = 2.0**-40  # scores are whole numbers, which are compared as such

    def __init__(self, task: Task, validity: GrowthValidity) -> None:
        self.taken: list[tuple[int, int]] = []
        self.trace: list[RefinementStep] = []
        self.growth = validity
        super().__init__(task, LossDecrease(), validity=validity, require_beneficial=False)

    def _score(self, index: int, slots: Ints, loss: Floats) -> Floats:
        partition = self.partitions[self.growth.qid]
        shown = partition.shown[partition.qid.index(index), : partition.count]
        squares = np.bincount(shown, partition.sizes.astype(np.float64) ** 2, len(self.columns[index].children))
        scores: Floats = squares.astype(np.float64)[slots]
        return scores

    def apply(self, index: int, slot: int) -> None:
        """Perform one step and remember it."""
        column, squares = self.columns[index], int(self._score(index, np.array([slot]), np.zeros(1))[0])
        step = RefinementStep(
            attribute=column.name,
            value=column.label(slot),
            gain=float(column.gain[slot]),
            loss=None,
            score=float(squares),
            valid=True,
            beneficial=True,
            dm_current=squares,
        )
        super().apply(index, slot)
        self.taken.append((index, slot))
        self.trace.append(step)

    def finish(self, run: Run) -> str | None:
        """Refine until no step is left, also none of those that were refused on the way; return why it stopped early."""
        while True:
            before = len(self.taken)
            stopped = self.run(run)
            if stopped is not None or len(self.taken) == before or not self.revive():
                return stopped

    def revive(self) -> bool:
        """Let steps be asked about once more that were refused: a pair that nobody matches may have vanished."""
        refused, self.growth.refused = self.growth.refused, []
        for index, slot in refused:
            self.columns[index].alive[slot] = self.columns[index].children[slot] > 0
        return bool(refused)

    def cuts(self, steps: int | None = None) -> list[Ints]:
        """Return the nodes that each column shows after so many steps, all if not given."""
        shown = [{0} for _ in self.columns]
        for index, slot in self.taken[:steps]:
            shown[index].remove(slot)
            tree = self.growth.growing.trees[index]
            shown[index].update(tree.children[slot])
        return [np.array(sorted(nodes), np.int64) for nodes in shown]

    def recoded(self, cuts: Sequence[Ints]) -> dict[str, ColumnRecoding]:
        """Return cuts, one for each column, as recodings."""
        return {
            name: SubtreeGeneralization(tree=tree, cut=tuple(tree.labels[node] for node in cut.tolist()))
            for name, tree, cut in zip(self.growth.growing.qid, self.growth.growing.trees, cuts, strict=True)
        }
