"""A level table as other tools write it: one row per leaf, from the value to the root, ragged rows filled with repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise

from sfumato.data.frozen import frozen
from sfumato.data.messages import Message, say
from sfumato.data.text import SUPPRESSED
from sfumato.errors import BadRequest

__all__ = ["LevelTable", "level_table", "runs"]


@frozen
class LevelTable:
    """Rows of labels with one root, each leaf once; ``notes`` say what was read in another way than it is written."""

    rows: tuple[tuple[str, ...], ...]
    notes: tuple[Message, ...] = ()


def level_table(rows: Iterable[Sequence[object]], *, column: str = "") -> LevelTable:
    """Read rows of labels; of several for one leaf the last counts, as in ARX, and rows without a common root get one.

    A level at which every row repeats its label is none.

    >>> level_table([("b", "x", "x"), ("a", "x", "x"), ("b", "y", "y")]).rows
    (('a', 'x', '*'), ('b', 'y', '*'))
    """
    table = [tuple(str(cell) for cell in row) for row in rows]
    widths = sorted({len(row) for row in table})
    if len(widths) > 1:
        raise BadRequest("level table has rows of different length", column=column or None, value=widths)
    if widths == [0]:
        raise BadRequest("level table has rows without a cell", column=column or None)
    last = {row[0]: place for place, row in enumerate(table)}
    once = [table[place] for place in sorted(last.values())]
    if once and (widths[0] == 1 or len({row[-1] for row in once}) > 1):
        once = [(*row, SUPPRESSED) for row in once]
    notes = []
    if len(once) < len(table):
        notes.append(say("warning.leaf_twice", count=len(table) - len(once)))
    fewest = _uneven(once)
    if fewest:
        once = [_without_extra(row, fewest) for row in once]
        notes.append(say("warning.label_on_two_levels", labels=list(fewest), count=len(fewest)))
    levels = [level for level, above in pairwise([*zip(*once, strict=True), ()]) if level != above]
    return LevelTable(tuple(zip(*levels, strict=True)), tuple(notes))


def runs(row: Iterable[str]) -> list[tuple[str, int]]:
    """Return the labels of a row, each with how often it stands there one after the other.

    >>> runs(("a", "N", "N", "*"))
    [('a', 1), ('N', 2), ('*', 1)]
    """
    return [(label, len(list(run))) for label, run in groupby(row)]


def _uneven(table: Sequence[tuple[str, ...]]) -> dict[str, int]:
    """Return the labels above the leaves that some rows repeat more often than others, and how often all do."""
    repeats: dict[str, set[int]] = {}
    for row in table:
        for label, levels in runs(row)[1:]:
            repeats.setdefault(label, set()).add(levels)
    return {label: min(found) for label, found in repeats.items() if len(found) > 1}


def _without_extra(row: tuple[str, ...], fewest: Mapping[str, int]) -> tuple[str, ...]:
    above = [label for label, levels in runs(row)[1:] for _ in range(fewest.get(label, levels))]
    return (*[row[0]] * (len(row) - len(above)), *above)
