"""Columns of a raw table and of a release side by side: numbers record by record, categories with what labels stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["ComparedTables", "SpreadColumn"]


@frozen(eq=False)
class SpreadColumn:
    """A column of categories: the value of each raw record, the label of each published one, and what labels stand for.

    ``spread`` has a row for each label and a column for each value; each row sums to 1.
    """

    before: Ints
    after: Ints
    spread: Floats


@frozen(eq=False)
class ComparedTables:
    """What metrics read that compare a release with its raw table.

    ``before`` and ``after`` hold the ``numbers``, a row for each record; ``paired`` tells whether their rows are those of the
    same records. ``skipped`` are columns with too many values to be crossed.
    """

    numbers: tuple[str, ...]
    before: Floats
    after: Floats
    paired: bool
    categories: Mapping[str, SpreadColumn] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
