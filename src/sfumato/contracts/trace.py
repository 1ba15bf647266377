"""Steps of a search as its trace tells them: a kind for each way to search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.contracts.record import Record
from sfumato.data.frozen import frozen

__all__ = [
    "CoarseningStep",
    "CombinationStep",
    "Confidence",
    "CutStep",
    "Exposure",
    "GuardedStep",
    "ImprovementStep",
    "RefinementStep",
    "Step",
]


@frozen(eq=False, repr=False, kw_only=True)
class Step(Record):
    """One step: ``attribute`` is the column it touched, if it was one column."""

    attribute: str | None = None


@frozen(eq=False, repr=False, kw_only=True)
class Confidence(Record):
    """How sure a template ``qid -> value`` of a sensitive column is in a state; columns of ``qid`` are joined by ``|``."""

    qid: str
    sensitive: str
    value: object
    confidence: float


@frozen(eq=False, repr=False, kw_only=True)
class Exposure(Record):
    """What combinations of up to ``L`` values show in a state: the ``smallest``, and the largest ``confidence`` if bound."""

    qid: str
    L: int
    smallest: int
    confidence: float | None


@frozen(eq=False, repr=False, kw_only=True)
class RefinementStep(Step):
    """A value that a top-down search refined, or could have refined.

    ``gain``, ``loss`` (``None`` where nobody counted it) and ``score`` value the step, ``valid`` and ``beneficial`` say whether
    it may be taken and whether it pays. ``split_at``: where a range is cut. ``dm_current``, ``dm_children`` and
    ``dm_reduction``: discernibility of the groups that hold the value, now, after the step, and the difference. Of the state
    after a step that was taken: ``after``, the smallest group by quasi-identifier, ``confidences`` and ``exposure``.
    ``candidates`` are all that could have been taken, in a full trace.
    """

    attribute: str
    value: str
    gain: float
    loss: float | None
    score: float
    valid: bool
    beneficial: bool
    split_at: object = None
    dm_current: int | None = None
    dm_children: int | None = None
    dm_reduction: int | None = None
    after: Mapping[str, int] | None = None
    confidences: Sequence[Confidence] | None = None
    exposure: Sequence[Exposure] | None = None
    candidates: Sequence[RefinementStep] | None = None


@frozen(eq=False, repr=False, kw_only=True)
class CoarseningStep(Step):
    """A value that a bottom-up search generalized, or could have generalized.

    ``cost``, ``gain`` and ``score`` value the step; a score without bound is ``None``. ``critical``: it raises the smallest
    group. ``after`` and ``candidates`` are those of a refinement.
    """

    attribute: str
    value: str
    cost: float
    gain: float
    score: float | None
    critical: bool
    after: Mapping[str, int] | None = None
    candidates: Sequence[CoarseningStep] | None = None


@frozen(eq=False, repr=False, kw_only=True)
class CutStep(Step):
    """A group of ``records`` that was cut at a ``value`` of a column; ``cost`` is what the chooser made of it, if it counts."""

    records: int
    attribute: str
    value: str
    cost: float | None = None


@frozen(eq=False, repr=False, kw_only=True)
class CombinationStep(Step):
    """A value that was generalized, or the cells that were suppressed, while some combinations of values were unsafe."""

    step: str
    value: str | None = None
    cells: Mapping[str, int] | None = None
    unsafe_records: int
    unsafe_combinations: int


@frozen(eq=False, repr=False, kw_only=True)
class ImprovementStep(Step):
    """An evaluation that found cheaper cuts: what they cost, and how many records they leave out."""

    evaluation: int
    cost: float
    suppressed: int


@frozen(eq=False, repr=False, kw_only=True)
class GuardedStep(Step):
    """A value of a column that was refined around owners' guarding nodes, and the penalty that this saved."""

    column: str
    value: str
    gain: float
