"""Logical types of columns that were stored as text.

A column has a type when every value that is not missing has it; see :mod:`sfumato.engines.patterns`. "NaN" in a column of
numbers is a missing value.
"""

from __future__ import annotations

import polars as pl

from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.engines.patterns import FORCED, PATTERNS

__all__ = ["Guess", "fits", "is_nan", "one_spelling", "one_zero", "parse", "spelled_apart"]


def parse(texts: pl.Series, kind: ColumnType) -> pl.Series:
    """Return texts as values of a type; a text that is none becomes null."""
    if kind is ColumnType.INTEGER:
        return texts.cast(pl.Int64, strict=False)
    if kind is ColumnType.NUMBER:
        return one_zero(texts.cast(pl.Float64, strict=False))
    if kind is ColumnType.BOOLEAN:
        return texts.str.to_lowercase().is_in(["true", "1"])
    if kind is ColumnType.DATE:
        return texts.str.to_date("%Y-%m-%d", strict=False)
    if kind is ColumnType.DATETIME:
        column = pl.col(texts.name).str.replace(" ", "T", literal=True)
        full = pl.when(column.str.len_bytes() == 16).then(column + ":00").otherwise(column)
        return (
            texts.to_frame().select(full.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False))
        ).to_series()
    return texts


def one_zero(numbers: pl.Series) -> pl.Series:
    """Turn -0.0 into 0.0: they are equal, so they must not look different."""
    column = pl.col(numbers.name)
    return (
        numbers.to_frame()
        .select(pl.when(column == 0).then(pl.lit(0.0, numbers.dtype)).otherwise(column).alias(numbers.name))
        .to_series()
    )


def spelled_apart(texts: pl.Series, kind: ColumnType) -> bool:
    """Tell whether two of some distinct texts stand for one value of a type, as ``1`` and ``1.0`` do."""
    if kind in (ColumnType.TEXT, ColumnType.DATE):
        return False
    if kind is ColumnType.INTEGER:
        padded = texts.str.contains("^(-0|0.)")
        return bool(padded.any()) and parse(texts, kind).n_unique() < len(texts)
    return parse(texts, kind).n_unique() < len(texts)


def one_spelling(texts: pl.Series, kind: ColumnType) -> pl.Series:
    """Return texts of a type in the one spelling that each value has."""
    return pl.Series(texts.name, [to_text(value) for value in parse(texts, kind).to_list()], dtype=pl.String)


def is_nan(texts: pl.Series) -> pl.Series:
    """Tell which texts spell "not a number"."""
    return (texts.str.len_bytes() == 3) & (texts.str.to_lowercase() == "nan")


def fits(texts: pl.Series, kind: ColumnType) -> pl.Series:
    """Tell which texts can be read as a type that the caller insists on."""
    if kind is ColumnType.TEXT:
        return pl.repeat(True, len(texts), dtype=pl.Boolean, eager=True)
    shaped = texts.str.contains(FORCED[kind])
    values = parse(texts, kind)
    valid = shaped & values.is_not_null()
    if kind is ColumnType.NUMBER:
        valid &= values.is_finite().fill_null(False)
    if kind.numeric:
        valid |= is_nan(texts)
    return valid


class Guess:
    """Finds the type of one column; sees its distinct texts in any number of portions, in any order."""

    def __init__(self) -> None:
        self._open = set(PATTERNS)
        self._seen = False
        self._nan = False

    @property
    def settled(self) -> bool:
        """Whether the column can only be text, so that further portions change nothing."""
        return not self._open

    def see(self, texts: pl.Series) -> None:
        """Take notice of texts; nulls and missing tokens must be gone."""
        if self.settled or not len(texts):
            return
        nan = is_nan(texts)
        if nan.any():
            self._nan = True
            texts = texts.filter(~nan)
        self._seen |= len(texts) > 0
        for kind in [kind for kind in ColumnType if kind in self._open]:
            if kind is ColumnType.INTEGER:
                self._see_integers(texts)
            elif not self._all(texts, kind):
                self._open.discard(kind)

    def _see_integers(self, texts: pl.Series) -> None:
        shaped = texts.str.contains(PATTERNS[ColumnType.INTEGER])
        if not shaped.all():
            self._open.discard(ColumnType.INTEGER)
            texts = texts.filter(shaped)
        if parse(texts, ColumnType.INTEGER).null_count():
            # A whole number beyond 64 bits is a code: as a floating number it would lose digits.
            self._open -= {ColumnType.INTEGER, ColumnType.NUMBER}

    @staticmethod
    def _all(texts: pl.Series, kind: ColumnType) -> bool:
        if not texts.str.contains(PATTERNS[kind]).all():
            return False
        values = parse(texts, kind)
        return not values.null_count() and (kind is not ColumnType.NUMBER or bool(values.is_finite().all()))

    def type(self) -> ColumnType:
        """Return the type that all texts seen have in common."""
        if self._seen:
            for kind in ColumnType:
                if kind in self._open and (kind.numeric or not self._nan):
                    return kind
        return ColumnType.TEXT
