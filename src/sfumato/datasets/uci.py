"""What the loaders of public tables share: cells to typed columns, missing values, training and test part."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from sfumato.datasets.dataset import Column
from sfumato.errors import BadRequest

__all__ = ["Missing", "Split", "choose", "parse", "typed", "without_missing"]

Split: TypeAlias = Literal["both", "train", "test"]
Missing: TypeAlias = Literal["drop", "keep"]

SPLITS = ("both", "train", "test")
MISSING = ("drop", "keep")
MISSING_SIGN = "?"


def choose(parameter: str, value: str, available: Sequence[str]) -> None:
    """Refuse a value that is not among the available ones."""
    if value not in available:
        raise BadRequest("is not a known choice", parameter=parameter, value=value, available=available)


def parse(lines: Iterable[str], separator: str | None, width: int, where: str) -> list[list[str]]:
    """Cut lines into cells without surrounding blanks; a line of another width is refused by its number."""
    rows = []
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.split(separator)]
        if len(cells) != width:
            raise BadRequest(f"line {number} must have {width} cells", value=len(cells), where=where)
        rows.append(cells)
    return rows


def without_missing(rows: Iterable[list[str]]) -> list[list[str]]:
    """Return the rows in which no cell is missing."""
    return [row for row in rows if MISSING_SIGN not in row]


def typed(
    names: Sequence[str], rows: Sequence[Sequence[str]], types: Mapping[str, Callable[[str], Hashable]], where: str
) -> dict[str, Column]:
    """Return typed columns; the missing sign becomes ``None``, columns without a type stay text."""
    data: dict[str, Column] = {}
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    for name, cells in zip(names, columns, strict=True):
        read = types.get(name, str)
        try:
            data[name] = [None if cell == MISSING_SIGN else read(cell) for cell in cells]
        except ValueError as error:
            raise BadRequest(f"has a cell that is no number ({error})", column=name, where=where) from error
    return data
