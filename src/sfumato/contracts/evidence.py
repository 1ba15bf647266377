"""What a page shows beside the release and its certificate: what was tried on it, and what it was compared with.

Everything here is plain data without a value of a single person, so that it can lie in the private folder and a page can be
made again without the raw table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, TypedDict

from sfumato.contracts.finding import Findings
from sfumato.contracts.picture import Picture
from sfumato.data.frozen import frozen

__all__ = ["Before", "Course", "Distribution", "Evidence", "Questions", "Stage", "Utility"]


class Distribution(TypedDict):
    """How a column is distributed: labels with counts, and how many values and records were pooled."""

    form: str
    distinct: int
    missing: int
    entries: list[list[Any]]
    rarer_values: int
    rarer_records: int


class Before(TypedDict):
    """Distributions of columns; values shared by fewer than ``least`` records are not named."""

    least: int
    records: int
    columns: dict[str, Distribution]


class Questions(TypedDict, total=False):
    """How far answers to count queries lie from the truth, ``about`` what if not columns; or no median, and the reason."""

    queries: int
    undefined: int
    dimensions: int
    sensitive: str | None
    median: float | None
    mean: float | None
    threshold: float
    above: float | None
    spread: list[list[Any]]
    about: str
    reason: str


class Stage(TypedDict):
    """One release of a series: its number, rows and loss, and the largest risk under each attack with all releases until it."""

    number: int
    rows: int
    loss: float | None
    risks: dict[str, float]


class Course(TypedDict):
    """How a series went on, oldest release first; ``kind`` says how its releases follow each other."""

    kind: str | None
    stages: list[Stage]


class Utility(TypedDict, total=False):
    """What was measured of the use of a release."""

    queries: Questions
    classification: Mapping[str, Any]


@frozen
class Evidence:
    """The findings of an audit, distributions before masking, what the release is still good for, and the run.

    ``public`` asks for the edition that may leave the house. ``untried`` says why there are no findings. ``before`` is what
    :func:`sfumato.tables.pooled.pooled_columns` gave of the raw table. ``utility`` may hold ``queries`` and
    ``classification``. ``run`` says where the input was and what its fingerprint is. ``signed``: a signature lies beside the
    certificate. ``course`` is that of the series, where the release is one of several. ``pictures`` are those of its shape.
    ``questions`` are the three questions with their answers, where somebody asked them.
    """

    public: bool = False
    findings: Findings | None = None
    untried: str | None = None
    before: Before | None = None
    utility: Utility = field(default_factory=Utility)
    run: Mapping[str, Any] = field(default_factory=dict)
    signed: bool = False
    course: Course | None = None
    pictures: Sequence[Picture] = ()
    questions: Sequence[Mapping[str, Any]] = ()
