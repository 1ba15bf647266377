"""Steady-state evolution of cuts: two parents of good rank make a child, which takes the place of the worst.

The parts are the genes of the columns (:mod:`cut_genes`), the :class:`Fitness` that prices a string of bits, and the
:class:`Evolution` that keeps a ranked population of different strings. Every string is a recoding; what it publishes meets
the requirements because the groups that are too small are left out, and how many records that may cost is limited.
"""

from __future__ import annotations

import math
from bisect import insort
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sfumato.algorithms.cuts._cut_genes import ColumnGenes, genes_of
from sfumato.contracts.algorithm import Task
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.trace import ImprovementStep
from sfumato.errors import Infeasible, Unsupported
from sfumato.groups.distinct import distinct_rows
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["Evolution", "Fitness", "Price"]

Bits = Bools
Metric = Literal["classification-metric", "loss"]

# What a record left out beyond the limit costs besides its price: enough to lead back, not so much that a string just beyond
# the limit, from which better ones can be reached, dies at once. By loss alone leaving out pays more often.
PENALTY = {"classification-metric": 1.0, "loss": 5.0}
_EXACT = 1 << 62
_TOLD = 256  # evaluations between two reports of progress


@dataclass(frozen=True, order=True)
class Price:
    """What a string of bits costs; lower is better, compared field by field.

    ``rank``: the cost, and what exceeding the limit costs on top, in whole steps of 2^-40 so that every machine ranks alike.
    ``excess``: records left out beyond what is allowed; 0 for a string that may be published. ``suppressed``: records left
    out.
    """

    rank: int
    excess: int
    suppressed: int
    cost: float = field(compare=False)


class Fitness:
    """Prices strings of bits: decodes them, groups the distinct rows, leaves small groups out, asks the metric."""

    def __init__(self, task: Task, metric: Metric) -> None:
        self.metric: Metric = metric
        self.columns: list[ColumnGenes] = genes_of(task)
        self.budget = task.budget
        self.records = task.table.records
        names = list(task.qids)
        least: dict[tuple[int, ...], int] = {}
        for model in task.models:
            if not model.traits.by_size_alone:
                raise Unsupported(f"{model.id} is not decided by the sizes of groups alone", thing=model.id)
            qid = tuple(sorted(names.index(name) for name in (model.qid or names)))
            least[qid] = max(least.get(qid, 1), model.least_size())
        self.least = [(np.array(qid, np.int64), k) for qid, k in sorted(least.items())]
        for qid, k in least.items():
            if self.records < k:
                shown = ", ".join(names[at] for at in qid)
                raise Infeasible(
                    f"a group needs {k} records on ({shown}), the table has only {self.records}",
                    measured=self.records,
                    bound=k,
                )
        self.one_qid = [len(qid) for qid, _ in self.least] == [len(self.columns)]
        self.groups = 0
        self._read(task)
        self.all = np.arange(len(self.columns), dtype=np.int64)
        self.shift = np.concatenate([[0], np.cumsum([len(column.values) for column in self.columns])]).astype(np.int64)
        self.start = np.concatenate([[0], np.cumsum([column.bits for column in self.columns])]).astype(np.int64)
        self.bits = int(self.start[-1])
        self.slots = np.zeros(int(self.shift[-1]), np.int64)
        self.loss = np.zeros(int(self.shift[-1]))
        self.by_code = np.zeros(int(self.shift[-1]), np.int64)
        rows = self.rows
        self.table = np.empty(1 << max(2 * rows - 1, 1).bit_length(), np.int32)
        self.first, self.group = np.empty(rows, np.int32), np.empty(rows, np.int32)
        self.key, self.size = np.empty(rows, np.int64), np.empty(rows, np.int64)
        self.held = np.empty((rows, self.classes.shape[1]), np.int64)

    def _read(self, task: Task) -> None:
        """Take the distinct rows over the quasi-identifiers, with the number of records of each class."""
        table = task.table
        distinct, row = distinct_rows(table.codes)
        self.codes = np.ascontiguousarray(distinct.T)
        self.rows = len(distinct)
        width, classes = 1, np.zeros(len(table), np.int64)
        if task.target is not None:
            width = max(len(table.dictionaries[task.target]), 1)
            classes = table.extra_codes[:, table.extra.index(task.target)].astype(np.int64)
        self.classes = np.zeros((self.rows, width), np.int64)
        np.add.at(self.classes, (row, classes), table.weights)
        self.weights = self.classes.sum(axis=1)

    def of(self, bits: Bits) -> Price:
        """Return the price of a string of bits."""
        from sfumato.algorithms.cuts._cut_group_kernels import lost_detail, misjudged_records

        alive, suppressed = self.publish(bits)
        if self.metric == "classification-metric":
            groups = self.groups if self.one_qid else self._grouped(self.all, alive)
            wrong = misjudged_records(self.classes, alive, self.group, groups, self.held)
            cost = (int(wrong) + suppressed) / self.records
        else:
            lost = lost_detail(self.codes, self.weights, self.loss, self.shift, alive, self.by_code)
            cost = (float(lost) / len(self.columns) + suppressed) / self.records
        excess = max(suppressed - self.budget, 0)
        ranked = cost + PENALTY[self.metric] * excess / self.records
        return Price(math.floor(ranked * 2**40 + 0.5), excess, suppressed, cost)

    def publish(self, bits: Bits) -> tuple[Bits, int]:
        """Decode a string; return which distinct rows are published, and how many records are left out."""
        from sfumato.algorithms.cuts._cut_group_kernels import drop_small

        for at, column in enumerate(self.columns):
            here = slice(self.shift[at], self.shift[at + 1])
            self.slots[here], self.loss[here] = column.decode(bits[self.start[at] : self.start[at + 1]])
        alive, suppressed = np.ones(self.rows, bool), 0
        while True:
            before = suppressed
            for qid, least in self.least:
                self.groups = self._grouped(qid, alive)
                suppressed += int(drop_small(self.group, self.size, least, alive, self.weights))
            # With one quasi-identifier the groups that are left keep their sizes; with several they may lose records.
            if suppressed == before or len(self.least) == 1:
                return alive, suppressed

    def _grouped(self, qid: Ints, alive: Bits) -> int:
        """Number the groups of alive rows on some columns; return how many there are."""
        from sfumato.algorithms.cuts._cut_group_kernels import fold_slots, number_groups

        strides, product = np.ones(len(qid), np.int64), 1
        for at, column in enumerate(qid.tolist()):
            strides[at] = product if product < _EXACT else at + 1
            product *= self.columns[column].width
        fold_slots(self.codes, self.slots, self.shift, qid, strides, self.key)
        return int(
            number_groups(
                self.codes,
                self.weights,
                self.slots,
                self.shift,
                qid,
                self.key,
                product < _EXACT,
                alive,
                self.table,
                self.first,
                self.group,
                self.size,
            )
        )

    def recodings(self, bits: Bits) -> dict[str, ColumnRecoding]:
        """Return the recoding of every column."""
        return {
            column.attribute.name: column.recoding(bits[self.start[at] : self.start[at + 1]])
            for at, column in enumerate(self.columns)
        }

    def left_out(self, bits: Bits, recodings: dict[str, ColumnRecoding]) -> list[tuple[str, ...]]:
        """Return the published values of the groups whose records are left out, in order."""
        alive, _ = self.publish(bits)
        dead = self.codes[:, ~alive].T
        labels = [
            recodings[column.attribute.name].map(column.values, column=column.attribute.name).labels
            for column in self.columns
        ]
        return sorted({tuple(shown[code] for shown, code in zip(labels, row, strict=True)) for row in dead.tolist()})


class Evolution:
    """A population of different strings of bits, best first, and apart from it the best one that may be published.

    The parents are drawn by rank: the best is chosen ``pressure`` times as often as the middle one. A child takes one run
    of bits from the second parent and the rest from the first (two-point crossover), then each bit flips with the
    probability ``mutation``; one that equals its first parent has one bit flipped. It takes the place of the worst if it is
    better and new.
    """

    def __init__(
        self,
        fitness: Fitness,
        rng: np.random.Generator,
        *,
        population: int,
        crossover: float,
        mutation: float,
        pressure: float,
    ) -> None:
        self.fitness = fitness
        self.rng = rng
        self.crossover = crossover
        self.mutation = mutation
        self.pressure = pressure
        self.wanted = population
        self.members: dict[bytes, Bits] = {}
        self.ranked: list[tuple[Price, int, bytes]] = []
        self.history: list[ImprovementStep] = []
        # Everything masked meets any requirement that can be met at all.
        self.evaluations = 1
        self.best: Bits = np.zeros(fitness.bits, bool)
        self.price: Price = fitness.of(self.best)
        self._remember(self.best, self.price)
        self._keep(self.best, self.price)

    def _add(self, bits: Bits) -> bool:
        """Count an evaluation, take the string in if it is new and good enough; tell if it is the best to publish."""
        self.evaluations += 1
        if bits.tobytes() in self.members:
            return False
        price = self.fitness.of(bits)
        self._keep(bits, price)
        if price.excess or not price < self.price:
            return False
        self._remember(bits, price)
        return True

    def _remember(self, bits: Bits, price: Price) -> None:
        """Note the best string that may be published."""
        self.best, self.price = bits, price
        self.history.append(ImprovementStep(evaluation=self.evaluations, cost=price.cost, suppressed=price.suppressed))

    def _keep(self, bits: Bits, price: Price) -> None:
        """Take a string into the population if there is room, or in place of the worst if it is better."""
        if len(self.ranked) >= self.wanted:
            if not price < self.ranked[-1][0]:
                return
            del self.members[self.ranked.pop()[2]]
        insort(self.ranked, (price, self.evaluations, bits.tobytes()))
        self.members[bits.tobytes()] = bits

    def _founder(self) -> Bits:
        """Draw a string; how much of the detail it shows is drawn too."""
        return np.asarray(self.rng.random(self.fitness.bits) < self.rng.random() ** 2)

    def _child(self) -> Bits:
        first, second = self._parent(), self._parent()
        bits, size = first.copy(), len(first)
        if self.rng.random() < self.crossover:
            low, high = sorted(self.rng.integers(0, size + 1, 2).tolist())
            bits[low:high] = second[low:high]
        bits ^= self.rng.random(size) < self.mutation
        if np.array_equal(bits, first):
            bits[self.rng.integers(size)] ^= True
        return bits

    def _parent(self) -> Bits:
        """Draw a member, better ones more often: ranks are drawn from a density that falls linearly."""
        b, u = self.pressure, self.rng.random()
        share = u if b <= 1 else (b - math.sqrt(b * b - 4 * (b - 1) * u)) / (2 * (b - 1))
        return self.members[self.ranked[min(int(share * len(self.ranked)), len(self.ranked) - 1)][2]]

    def run(
        self,
        evaluations: int,
        run: Run | None = None,
        *,
        patience: int | None = None,
    ) -> str | None:
        """Evolve until the evaluations are used up; return why it stopped early, or ``None``."""
        run = Run.of(run)
        while self.evaluations < evaluations and self.fitness.bits > 0:
            reason = run.stopping()
            if reason is not None:
                return reason
            if patience is not None and self.evaluations - self.history[-1].evaluation >= patience:
                return "patience"
            founding = self.evaluations < self.wanted
            if self._add(self._founder() if founding else self._child()) and run.on_step is not None:
                run.on_step(self)
            if self.evaluations % _TOLD == 0:
                run.progress.tick(self.evaluations, f"cost {self.price.cost:.4f}")
        return None
