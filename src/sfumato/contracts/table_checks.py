"""What every engine refuses in the same words, and the frame that compressed rows are put into."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.errors import BadRequest, InternalError
from sfumato.kernels.arrays import Codes, Ints

__all__ = [
    "check_codes",
    "check_keys",
    "compressed",
    "refuse_missing",
    "refuse_none",
    "refuse_unknown",
    "refuse_unlabelled",
    "refuse_unshared",
    "side_by_side",
]

_BLOCK = 1 << 12


def refuse_none(columns: Sequence[str]) -> None:
    """Refuse an empty choice of columns."""
    if not columns:
        raise BadRequest("needs at least one column", parameter="select")


def check_keys(columns: Sequence[str], keys: Sequence[Sequence[Hashable]]) -> None:
    """Refuse keys that do not have one value per column."""
    if not columns:
        raise BadRequest("needs at least one column", parameter="columns")
    for key in keys:
        if len(key) != len(columns):
            raise BadRequest("needs one value per column", parameter="keys", value=len(key))


def check_codes(column: str, codes: Codes, labels: Sequence[str | None], rows: int) -> Codes:
    """Refuse labels that are not given by one code for each row."""
    given = np.asarray(codes)
    if given.shape != (rows,):
        raise BadRequest(f"needs one code for each of the {rows} rows", column=column, value=list(given.shape))
    if rows and not -1 <= int(given.min()) <= int(given.max()) < len(labels):
        raise BadRequest(f"codes must lie in -1..{len(labels) - 1}", column=column, parameter="labels")
    return given.astype(np.int32, copy=False)


def refuse_missing(column: str, count: int) -> None:
    """Refuse a column in which values are missing."""
    if count:
        raise BadRequest(
            f"{count} value{' is' if count == 1 else 's are'} missing; say how missing values are treated",
            column=column,
        )


def refuse_unknown(column: str, count: int) -> None:
    """Refuse a column that holds values outside the dictionary that was given."""
    if count:
        raise BadRequest(
            f"{count} value{' is' if count == 1 else 's are'} not in the dictionary that was given", column=column
        )


def refuse_unlabelled(columns: Sequence[str], rows: int) -> None:
    """Refuse rows that have none of the keys that labels are given for."""
    if rows:
        raise InternalError(f"{rows} rows have no label by {', '.join(columns)}")


def refuse_unshared(columns: Sequence[str], wrong: bool) -> None:
    """Refuse shares of rows that look alike which are not all of them."""
    if wrong:
        raise InternalError(f"what is taken of rows alike in {', '.join(columns)} does not add up to them")


def compressed(
    columns: Sequence[str],
    extra: Sequence[str],
    codes: Mapping[str, Codes],
    weights: Ints,
    dictionaries: Mapping[str, Dictionary],
) -> CompressedTable:
    """Put distinct rows into their frame."""
    known, more = (side_by_side([codes[name] for name in names], len(weights)) for names in (columns, extra))
    return CompressedTable(tuple(columns), known, weights, dictionaries, tuple(extra), more)


def side_by_side(columns: Sequence[Codes], rows: int) -> Codes:
    """Return columns of codes as one array in which the codes of a row lie side by side."""
    out = np.empty((rows, len(columns)), np.int32)
    # By blocks of rows: writing one column after the other would fetch every line of memory once per column.
    for start in range(0, rows, _BLOCK):
        for at, codes in enumerate(columns):
            out[start : start + _BLOCK, at] = codes[start : start + _BLOCK]
    return out
