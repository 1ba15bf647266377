"""What Parquet files tell of their columns at their ends, without a look at any row."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["narrow_columns"]

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
