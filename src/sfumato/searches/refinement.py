"""Top-down refinement: start from the most masked table, perform the best valid step until none is left.

Four parts meet here: the candidate store (:mod:`columns`), the refiner (:mod:`partition`), the validity check
(:mod:`validity`) and the chooser (:func:`choose`). Each can be replaced: other papers change the score, the requirement,
or let another party choose.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from sfumato.contracts.algorithm import Task
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.metric import SearchMetric
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.trace import RefinementStep
from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.searches.columns import Column, open_columns, recodings
from sfumato.searches.partition import Layout, Partition
from sfumato.searches.population import with_population
from sfumato.searches.validity import ModelValidity, Step, Validity

__all__ = ["Candidate", "Refinery", "choose", "quantized", "ranked"]


def quantized(scores: Floats) -> Ints:
    """Return ``floor(score * 2^40 + 0.5)``: scores compare as whole numbers, so that every machine ranks them alike."""
    return np.floor(np.asarray(scores) * 2.0**40 + 0.5).astype(np.int64)


@frozen
class Candidate:
    """One possible step: which value of which column, what it would give and cost, and whether it may be taken.

    ``loss`` is ``None`` where the score does not ask for it and nobody counted it. ``split_at`` is where a range would be cut;
    ``squares`` are the sums of squared group sizes behind the value, now and after the step, where the score asks for them.
    """

    attribute: str
    value: str
    gain: float
    loss: float | None
    score: float
    valid: bool
    beneficial: bool
    index: int
    slot: int
    position: int
    after: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    split_at: Hashable = None
    squares: tuple[int, int] | None = None

    def told(self) -> RefinementStep:
        """Return the candidate as a trace tells it."""
        current, parts = self.squares or (None, None)
        return RefinementStep(
            attribute=self.attribute,
            value=self.value,
            gain=self.gain,
            loss=self.loss,
            score=self.score,
            valid=self.valid,
            beneficial=self.beneficial,
            split_at=self.split_at,
            dm_current=current,
            dm_children=parts,
            dm_reduction=None if current is None or parts is None else current - parts,
        )


def choose(columns: Sequence[tuple[Ints, Floats, Ints]]) -> tuple[int, int] | None:
    """Return (column, slot) of the highest score; ties go to the first column, then the smallest position.

    Each column offers its slots, their scores and their positions.
    """
    best: tuple[int, int, int] | None = None
    chosen: tuple[int, int] | None = None
    for index, (slots, scores, positions) in enumerate(columns):
        if len(slots) == 0:
            continue
        ranks = quantized(scores)
        top = np.flatnonzero(ranks == ranks.max())
        first = top[np.argmin(positions[top])]
        key = (int(ranks[first]), -index, -int(positions[first]))
        if best is None or key > best:
            best, chosen = key, (index, int(slots[first]))
    return chosen


def ranked(columns: Sequence[tuple[Ints, Floats, Ints]]) -> Iterator[tuple[int, int]]:
    """Yield (column, slot) in the order in which :func:`choose` would take them if each that it took were refused."""
    first = choose(columns)
    if first is None:
        return
    yield first
    index = np.repeat(np.arange(len(columns)), [len(slots) for slots, _, _ in columns])
    slot, score, position = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    order = np.lexsort((position, index, -quantized(score)))
    yield from zip(index[order[1:]].tolist(), slot[order[1:]].tolist(), strict=True)


class Refinery:
    """A top-down search in progress: always in a state that satisfies every requirement.

    ``validity`` decides which steps may be taken; the models of the task do if none is given. A search with another score
    replaces the few methods below the line "what a step gives".
    ``unit`` scales its scores to the whole steps of 2^-40 in which they are compared.
    """

    unit = 1.0

    def __init__(
        self,
        task: Task,
        metric: SearchMetric,
        *,
        validity: Validity | None = None,
        require_beneficial: bool = True,
        midpoint: bool = False,
        keep_dead: bool = False,
    ) -> None:
        self.task = task = with_population(task)
        self.metric = metric
        self.require_beneficial = require_beneficial
        self.keep_dead = keep_dead  # a full trace also follows candidates that can no longer be taken
        self.validity = ModelValidity(task) if validity is None else validity
        self.validity.refuse_hopeless()
        self.columns = self._opened(midpoint)
        self.layout = Layout(self.columns)
        for index in range(len(self.columns)):
            self._retire(index)
            self.layout.refresh(index, all_slots=keep_dead)
        self.partitions = {qid: Partition(task.table, qid, self.layout) for qid in self._partitioned()}
        self.steps = 0

    def _opened(self, midpoint: bool) -> list[Column]:
        """Return the columns in their most masked state."""
        return open_columns(self.task, self.metric, midpoint=midpoint)

    # ---- what could be done ------------------------------------------------------------------------------------------

    def _beneficial(self, column: Column, slots: Ints) -> Bools:
        if self.metric.traits.needs_target:
            return column.beneficial[slots]
        return column.gain[slots] > 0

    def _retire(self, index: int) -> None:
        """Take out candidates that do not pay; what is not beneficial never becomes so."""
        column = self.columns[index]
        if self.require_beneficial:
            slots = column.candidates()
            column.alive[slots[~self._beneficial(column, slots)]] = False

    # ---- what a step gives, costs and may break ----------------------------------------------------------------------

    def _partitioned(self) -> Iterable[tuple[int, ...]]:
        """Return the quasi-identifiers whose groups the search keeps."""
        return self.validity.least

    def _refinable(self, index: int) -> bool:
        """Tell whether a requirement says how far a column may be refined."""
        return self.validity.concerns(index)

    def _score(self, index: int, slots: Ints, loss: Floats) -> Floats:
        return self.metric.score(self.columns[index].gain[slots], loss)

    def _holds(self, index: int, slot: int) -> bool:
        """Ask the requirements that are not decided yet about the one step that is about to be taken."""
        return self.validity.would_hold(self._step(index, slot))

    def _step(self, index: int, slot: int) -> Step:
        return Step(self.columns[index], index, slot, self.partitions)

    def _part(self, index: int, slot: int, slots: Codes, child: Codes) -> None:
        """Split the groups that carry the value, then look ahead in the groups that changed."""
        for qid, partition in self._touching(index):
            self._look_ahead(qid, partition, partition.split(index, slot, slots, child))

    def _look_ahead(self, qid: tuple[int, ...], partition: Partition, changed: Ints) -> None:
        partition.look_ahead(changed)

    def after(self, step: RefinementStep) -> RefinementStep:
        """Return a step that was just taken with what a trace should say about the state it led to."""
        return replace(step, after={"|".join(qid): least for qid, least in self.smallest().items()})

    def facts(self) -> StepFacts:
        """Return what the outcome should say about the state in which the search ended."""
        smallest = {"|".join(qid): least for qid, least in self.smallest().items()}
        return StepFacts(refinements=self.steps, smallest_group=smallest)

    def left_out(self) -> list[tuple[str, ...]]:
        """Return the published values of groups whose records are left out; a plain search leaves nobody out."""
        return []

    def words(self) -> str:
        """Return the state in words, for whoever waits."""
        return f"{sum(partition.count for partition in self.partitions.values()):,} groups"

    # ------------------------------------------------------------------------------------------------------------------

    def _touching(self, index: int) -> list[tuple[tuple[int, ...], Partition]]:
        return [(qid, partition) for qid, partition in self.partitions.items() if index in qid]

    def _loss_and_validity(self, index: int, slots: Ints) -> tuple[Floats, Bools]:
        touching = self._touching(index)
        loss = np.zeros(len(slots))
        valid = np.ones(len(slots), bool)
        for qid, partition in touching:
            after = partition.after(index, slots)
            loss += partition.smallest - after
            valid &= after >= self.validity.least.get(qid, 1)
        return loss / max(len(touching), 1), valid

    def best(self) -> tuple[int, int] | None:
        """Return (column, slot) of the step to take next, or ``None``."""
        offers: list[tuple[Ints, Floats, Ints]] = []
        for index, column in enumerate(self.columns):
            slots = np.empty(0, int)
            if self._refinable(index):
                slots = np.flatnonzero(column.alive[: column.born] & (column.children[: column.born] > 0))
            loss, valid = self._loss_and_validity(index, slots)
            column.alive[slots[~valid]] = False  # refinement never heals a violation
            slots, loss = slots[valid], loss[valid]
            offers.append((slots, self._score(index, slots, loss) * self.unit, column.position[slots]))
        # A step that is refused changes nothing for the others, so they are asked in turn.
        for index, slot in ranked(offers):
            if self._holds(index, slot):
                return index, slot
            if self.validity.anti_monotone:
                self.columns[index].alive[slot] = False
        return None

    def candidates(self) -> list[Candidate]:
        """Return every candidate of the current state, valid or not, by column and position."""
        return [
            self.candidate(index, int(slot))
            for index, column in enumerate(self.columns)
            if self._refinable(index)
            for slot in column.candidates()
        ]

    def candidate(self, index: int, slot: int) -> Candidate:
        """Return one candidate with its numbers."""
        column = self.columns[index]
        slots = np.array([slot])
        loss, valid = self._loss_and_validity(index, slots)
        holds = bool(valid[0]) and self._holds(index, slot)
        return Candidate(
            attribute=column.name,
            value=column.label(slot),
            gain=float(column.gain[slot]),
            loss=float(loss[0]),
            score=float(self._score(index, slots, loss)[0]),
            valid=holds,
            beneficial=bool(self._beneficial(column, slots)[0]),
            index=index,
            slot=slot,
            position=int(column.position[slot]),
            after={
                self.names(qid): int(partition.after(index, slots)[0]) if index in qid else partition.smallest
                for qid, partition in self.partitions.items()
            },
            split_at=column.split_at(slot),
        )

    # ---- doing it ----------------------------------------------------------------------------------------------------

    def apply(self, index: int, slot: int) -> None:
        """Perform one step."""
        column = self.columns[index]
        self.validity.commit(self._step(index, slot))
        child = column.child.copy()
        slots = column.refine(slot)
        self._retire(index)
        for position in range(len(self.columns)):
            # A candidate may have died in any column since the last step; what is dead is not counted again.
            self.layout.refresh(position, all_slots=self.keep_dead, moved=position == index)
        self._part(index, slot, slots, child)
        self.steps += 1

    def run(
        self,
        run: Run | None = None,
        *,
        max_refinements: int | None = None,
        on_step: Callable[[Refinery, Candidate], None] | None = None,
    ) -> str | None:
        """Refine until no candidate is left; return why it stopped early, or ``None``.

        Every state on the way satisfies the requirements, so a limit, a deadline or an interruption ends the search with
        the state reached.
        """
        run = Run.of(run)
        while (chosen := self.best()) is not None:
            reason = run.stopping()
            if reason != "interrupted" and max_refinements is not None and self.steps >= max_refinements:
                return "max_refinements"
            if reason is not None:
                return reason
            step = self.candidate(*chosen) if on_step is not None else None
            self.apply(*chosen)
            run.progress.tick(self.steps, self.words())
            if on_step is not None and step is not None:
                on_step(self, step)
        return None

    # ---- looking at it -----------------------------------------------------------------------------------------------

    def names(self, qid: tuple[int, ...]) -> tuple[str, ...]:
        """Return the column names of a quasi-identifier."""
        return tuple(self.columns[index].name for index in qid)

    def recodings(self) -> dict[str, ColumnRecoding]:
        """Return the solution set: one recoding per column."""
        return recodings(self.columns)

    def groups(self, names: Sequence[str]) -> dict[tuple[str, ...], int]:
        """Return ``{masked values: records}`` over any columns: the leaf partitions on all, a QIT on one quasi-identifier."""
        order = [column.name for column in self.columns]
        indices = [order.index(name) for name in names]
        labels = [
            [self.columns[index].label_of_code(code) for code in range(len(self.columns[index].values))]
            for index in indices
        ]
        out: dict[tuple[str, ...], int] = {}
        for row, weight in zip(self.task.table.codes[:, indices], self.task.table.weights, strict=True):
            key = tuple(shown[code] for shown, code in zip(labels, row, strict=True))
            out[key] = out.get(key, 0) + int(weight)
        return out

    def links(self) -> dict[str, list[tuple[str, ...]]]:
        """Return, for every value that is shown, the leaf partitions that carry it: also for those that cannot be refined."""
        leaves = self.groups([column.name for column in self.columns])
        out: dict[str, set[tuple[str, ...]]] = {}
        for key in leaves:
            for value in key:
                out.setdefault(value, set()).add(key)
        return {value: sorted(keys) for value, keys in out.items()}

    def smallest(self) -> dict[tuple[str, ...], int]:
        """Return ``A(QID)`` of every quasi-identifier."""
        return {self.names(qid): partition.smallest for qid, partition in self.partitions.items()}
