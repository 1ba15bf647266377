"""What Parquet files tell of their columns at their ends, without a look at any row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.errors import BadRequest

__all__ = ["narrow_columns", "refuse_durations", "refuse_unlike", "stored_types"]

_NARROW = 1 << 8


def narrow_columns(paths: Iterable[Path]) -> dict[str, int]:
    """Return columns of whole numbers that lie close together, with how many values each has at most.

    Whoever wrote a file may have told nothing, or wrong: the answer decides how rows are asked, not what they hold. Of a wide
    range hardly any number may occur, so that nothing is told of it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    ends: dict[str, tuple[int, int]] = {}
    silent: set[str] = set()
    for path in paths:
        try:
            told = pq.read_metadata(path)
        except (OSError, pa.ArrowException):
            return {}  # whoever reads the rows says why
        for group in map(told.row_group, range(told.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                name, found = column.path_in_schema, column.statistics
                if found is not None and not found.has_min_max and found.null_count == column.num_values:
                    continue  # nothing but missing values
                if found is None or not found.has_min_max or type(found.min) is not int or type(found.max) is not int:
                    silent.add(name)
                    continue
                lower, upper = ends.get(name, (found.min, found.max))
                ends[name] = min(lower, found.min), max(upper, found.max)
    return {
        name: upper - lower + 1
        for name, (lower, upper) in ends.items()
        if name not in silent and 0 <= upper - lower < _NARROW
    }


def stored_types(path: Path) -> dict[str, str]:
    """Return the columns of a file with their types, in the words of Parquet; not every engine has a type for each of them."""
    import pyarrow.parquet as pq

    told = pq.read_metadata(path).schema
    out = {}
    for column in map(told.column, range(len(told))):
        meaning = str(column.logical_type)
        out[str(column.path)] = str(column.physical_type) if meaning == "None" else meaning
    return out


def refuse_durations(path: Path, where: str) -> None:
    """Refuse columns of durations: Parquet has none, and who does not know the writer takes them for whole numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException):
        return  # whoever reads the rows says why
    for column in schema:
        if pa.types.is_duration(column.type):
            raise BadRequest(
                "holds a type that cannot be grouped or published",
                column=column.name,
                value=str(column.type),
                where=where,
            )


def refuse_unlike(paths: Sequence[Path], where: str) -> None:
    """Refuse parts with other columns, or columns of another type, than the first: engines would guess, each its own way."""
    import pyarrow as pa

    try:
        first, *others = [stored_types(path) for path in paths] if len(paths) > 1 else [{}]
    except (OSError, pa.ArrowException):
        return  # whoever reads the rows says why
    for path, fields in zip(paths[1:], others, strict=False):
        both = f"parts have unlike columns: {path.name} and {paths[0].name}"
        if strange := sorted(set(first) ^ set(fields)):
            raise BadRequest(f"{both} do not both have {', '.join(strange[:5])}", where=where)
        if [*first] != [*fields]:
            raise BadRequest(f"{both} have theirs in another order", where=where)
        for name in first:
            if first[name] != fields[name]:
                raise BadRequest(f"{both} hold {fields[name]} and {first[name]}", column=name, where=where)
