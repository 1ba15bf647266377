"""Top-down specialization under LKC-privacy, scored for classification or for general analysis.

The refinement search with two parts replaced: validity is asked over combinations of at most L values, and the score may be
the discernibility of the groups, which, unlike information gain, changes whenever a group is split.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.algorithms.stepwise._lkc_validity import Links, LKCValidity
from sfumato.algorithms.stepwise._square_kernels import squares_ahead, squares_of_slots
from sfumato.contracts.algorithm import Task
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.metric import MetricTraits, Refinement, SearchMetric
from sfumato.contracts.trace import Exposure, RefinementStep
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.models.lkc_privacy import LKCPrivacy
from sfumato.searches.partition import Partition
from sfumato.searches.refinement import Candidate, Refinery

__all__ = ["DISCERNIBILITY", "ColumnDiscernibility", "LKCRefinery"]

#: Scores by the squared sizes of the groups on all quasi-identifiers that carry a value.
DISCERNIBILITY = ("dm-reduction", "dm-current", "dm-children")


class ColumnDiscernibility(SearchMetric):
    """How many pairs of records a step tells apart in its column alone; it chooses where an interval is cut.

    ``gain = |R_v|^2 - sum over children of |R_c|^2``: the most even cut is best.
    """

    traits: ClassVar[MetricTraits] = MetricTraits(better="higher")

    def gain(self, step: Refinement) -> Floats:
        """Return the pairs that each way tells apart."""
        parent = float(step.parent_classes.sum())
        return np.asarray(parent**2 - (step.child_classes.sum(axis=-1).astype(np.float64) ** 2).sum(axis=-1))

    def score(self, gain: Floats, anonymity_loss: Floats) -> Floats:
        """Return the gain itself."""
        return gain


class LKCRefinery(Refinery):
    """A top-down search whose requirements may be LKC-privacy, besides those that are decided group by group.

    ``score`` is one of :data:`DISCERNIBILITY`, or anything else for the score of the metric. ``weigh_loss`` says whether that
    score asks for the loss of anonymity; under LKC-privacy it costs a count of every candidate after every step.
    """

    def __init__(
        self,
        task: Task,
        metric: SearchMetric,
        *,
        score: str,
        weigh_loss: bool = False,
        midpoint: bool = False,
        keep_dead: bool = False,
    ) -> None:
        self.score = score
        self.weigh_loss = weigh_loss
        self.everything = tuple(range(len(task.attributes)))
        grouped = [model for model in task.models if not isinstance(model, LKCPrivacy)]
        super().__init__(
            replace(task, models=grouped), metric, require_beneficial=False, midpoint=midpoint, keep_dead=keep_dead
        )
        self.carried = Links(task.table, self.columns)
        self.combinations = [
            LKCValidity(model, task.table, task.qids, self.carried)
            for model in task.models
            if isinstance(model, LKCPrivacy)
        ]
        for requirement in self.combinations:
            requirement.refuse_hopeless()
        self._known: dict[tuple[int, int], list[tuple[bool, int, float]]] = {}
        self._squares: _Squares | None = None
        if score in DISCERNIBILITY:
            # Sums of squares are whole numbers: they compare as such, not in steps of 2^-40.
            self.unit = 2.0**-40
            self._squares = _Squares(self.partitions[self.everything])

    def _partitioned(self) -> Iterable[tuple[int, ...]]:
        wanted = dict.fromkeys(self.validity.least)
        if self.score in DISCERNIBILITY:
            wanted[self.everything] = None
        return wanted

    def _refinable(self, index: int) -> bool:
        asked = [*self.validity.least, *(requirement.qid for requirement in self.combinations)]
        return any(index in qid for qid in asked)

    def _score(self, index: int, slots: Ints, loss: Floats) -> Floats:
        if self._squares is None:
            return super()._score(index, slots, loss)
        current, parts = self._squares.of(index)
        values = {"dm-reduction": current - parts, "dm-current": current, "dm-children": parts}[self.score]
        return np.asarray(values[slots].astype(np.float64))

    def _loss_and_validity(self, index: int, slots: Ints) -> tuple[Floats, Bools]:
        loss, valid = super()._loss_and_validity(index, slots)
        asked = [requirement for requirement in self.combinations if index in requirement.qid]
        if not self.weigh_loss or not asked:
            return loss, valid
        column, grouped = self.columns[index], len(self._touching(index))
        loss = loss * grouped
        for at, slot in enumerate(slots):
            for requirement in asked:
                loss[at] += requirement.loss(index, int(slot), column.child)
        return loss / (grouped + len(asked)), valid

    def _holds(self, index: int, slot: int) -> bool:
        if not super()._holds(index, slot):
            return False
        return all(safe for safe, _, _ in self._answers(index, slot, self.columns[index].child))

    def _answers(self, index: int, slot: int, child: Codes) -> list[tuple[bool, int, float]]:
        """Ask every requirement of LKC-privacy about a candidate, once in each state."""
        if (index, slot) not in self._known:
            answers = []
            for requirement in self.combinations:
                if index not in requirement.qid:
                    answers.append((True, requirement.smallest, requirement.surest))
                    continue
                answers.append(requirement.holds(index, slot, child))
                if not answers[-1][0]:
                    break
            self._known[index, slot] = answers
        return self._known[index, slot]

    def _part(self, index: int, slot: int, slots: Codes, child: Codes) -> None:
        answers = self._answers(index, slot, child)
        super()._part(index, slot, slots, child)
        self.carried.split(index, slot, slots, child)
        for requirement, (_, smallest, surest) in zip(self.combinations, answers, strict=True):
            requirement.performed(index, smallest, surest)
        self._known.clear()

    def _look_ahead(self, qid: tuple[int, ...], partition: Partition, changed: Ints) -> None:
        super()._look_ahead(qid, partition, changed)
        if self._squares is not None and partition is self._squares.partition:
            self._squares.look_ahead(changed)

    def candidate(self, index: int, slot: int) -> Candidate:
        """Return one candidate with its numbers; its loss only where it was counted."""
        found = super().candidate(index, slot)
        if self._squares is not None:
            current, parts = self._squares.of(index)
            found = replace(found, squares=(int(current[slot]), int(parts[slot])))
        counted = self.weigh_loss or not (self.combinations or self._squares is not None)
        return found if counted else replace(found, loss=None)

    def exposure(self) -> list[Exposure]:
        """Return, for each requirement of LKC-privacy, the smallest combination and the largest confidence shown now."""
        return [
            Exposure(
                qid="|".join(requirement.names),
                L=requirement.model.L,
                smallest=requirement.smallest,
                confidence=requirement.surest if requirement.secrets > 1 else None,
            )
            for requirement in self.combinations
        ]

    def after(self, step: RefinementStep) -> RefinementStep:
        """Return a step with the smallest groups and combinations."""
        return replace(super().after(step), exposure=self.exposure())

    def facts(self) -> StepFacts:
        """Return the smallest groups and combinations at the end."""
        return replace(super().facts(), exposure=self.exposure())

    def words(self) -> str:
        """Return how many values are shown."""
        return f"{int(self.carried.width.sum()):,} values shown"


class _Squares:
    """The sums of squared group sizes behind every candidate, now and after it."""

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self.below = np.zeros((len(partition.qid), len(partition.size)), np.int64)
        self._sums: dict[int, tuple[Ints, Ints]] = {}
        self.look_ahead(np.zeros(1, np.int64))

    def look_ahead(self, changed: Ints) -> None:
        """Count, in the changed groups, how each candidate would part them."""
        partition, layout = self.partition, self.partition.layout
        if self.below.shape[1] < len(partition.size):
            grown = np.zeros((len(partition.qid), len(partition.size)), np.int64)
            grown[:, : self.below.shape[1]] = self.below
            self.below = grown
        squares_ahead(
            partition.codes,
            partition.weights,
            partition.order,
            partition.start,
            partition.end,
            partition.shown,
            changed,
            np.array(partition.qid, np.int64),
            layout.live,
            layout.child,
            layout.shift,
            layout.children,
            layout.slot_shift,
            self.below,
            layout.counters,
            layout.counter_shift,
        )
        self._sums.clear()

    def of(self, index: int) -> tuple[Ints, Ints]:
        """Return, by slot of a column, the sum of squares of the groups that carry it and of their parts."""
        if index not in self._sums:
            partition = self.partition
            local = partition.qid.index(index)
            slots = int(partition.layout.slot_shift[index + 1] - partition.layout.slot_shift[index])
            self._sums[index] = squares_of_slots(
                partition.shown[local], partition.size, self.below[local], partition.count, slots
            )
        return self._sums[index]
