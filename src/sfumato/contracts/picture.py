"""Pictures of a shape: plain numbers with words, which a page draws. No picture holds what its reader may not see.

Sentences in them are messages (``say``), so that a page words them in its language. Labels are values of the data or message
ids; whoever makes a picture answers for what it shows: in the public edition it is made from public files alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sfumato.data.frozen import frozen

__all__ = ["Bars", "Cells", "Curves", "Line", "Path", "Picture", "Plot", "Texts"]

Point = tuple[float, float]


@frozen(kw_only=True)
class _Titled:
    title: str
    caption: str = ""


@frozen(kw_only=True)
class Bars(_Titled):
    """A number for each label, and what it was before masking where that may be told."""

    labels: Sequence[str]
    after: Sequence[float]
    before: Sequence[float] | None = None
    form: Literal["bars"] = "bars"

    def __post_init__(self) -> None:
        given = [self.after] if self.before is None else [self.after, self.before]
        assert all(len(numbers) == len(self.labels) for numbers in given), "a bar for each label"


@frozen(kw_only=True)
class Line:
    """Points from left to right, with a name; ``before`` if they are those of the data before masking."""

    name: str
    points: Sequence[Point]
    before: bool = False


@frozen(kw_only=True)
class Curves(_Titled):
    """Lines over one another; axes may be logarithmic, on which only positive numbers have a place."""

    across: str
    up: str
    lines: Sequence[Line]
    log_across: bool = False
    log_up: bool = False
    form: Literal["curves"] = "curves"


@frozen(kw_only=True)
class Cells(_Titled):
    """A grid of shades: ``values[row][column]`` from 0 upwards; nothing where a cell is not told."""

    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    form: Literal["cells"] = "cells"


@frozen(kw_only=True)
class Path:
    """Points in the plane that are joined; ``before`` if it is one before masking."""

    points: Sequence[Point]
    before: bool = False


@frozen(kw_only=True)
class Plot(_Titled):
    """Paths and points in the plane, both axes in the same unit: a map without tiles, a drawn network."""

    paths: Sequence[Path] = ()
    points: Sequence[Point] = ()
    sizes: Sequence[float] = ()
    """How large each point is drawn, 0 to 1; all alike if not given."""
    labels: Sequence[str] = ()
    """What each point is called, if its name is to be seen."""
    form: Literal["plot"] = "plot"


@frozen(kw_only=True)
class Texts(_Titled):
    """Texts with some of their places coloured by what stands there: pieces of each text, and the kind of each or nothing."""

    texts: Sequence[Sequence[tuple[str, str]]]
    form: Literal["texts"] = "texts"


Picture = Bars | Curves | Cells | Plot | Texts
"""What a page can draw."""
