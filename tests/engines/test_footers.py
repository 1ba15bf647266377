"""What is told of columns at the ends of Parquet files is an upper bound, or nothing."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines.footers import narrow_columns


def test_narrow_columns_of_whole_numbers_are_told(tmp_path: Path) -> None:
    """Texts, fractions, wide ranges and columns without a value are not."""
    first, second = tmp_path / "1.parquet", tmp_path / "2.parquet"
    held = {"sex": [0, 1], "far": [0, 10**6], "name": ["a", "b"], "pay": [1.0, 2.0], "none": [None, None]}
    pl.DataFrame(held, schema_overrides={"none": pl.Int32}).write_parquet(first)
    pl.DataFrame(held | {"sex": [None, 4]}, schema_overrides={"none": pl.Int32}).write_parquet(second)
    assert narrow_columns([first]) == {"sex": 2}
    assert narrow_columns([first, second]) == {"sex": 5}


def test_files_without_statistics_tell_nothing(tmp_path: Path) -> None:
    """One silent file is enough; so is one that cannot be read, of which the reader of rows will say why."""
    telling, silent, broken = (tmp_path / f"{name}.parquet" for name in ("telling", "silent", "broken"))
    table = pl.DataFrame({"sex": [0, 1]}).to_arrow()
    pq.write_table(table, telling)
    pq.write_table(table, silent, write_statistics=False)
    broken.write_bytes(b"PAR1 and no more")
    assert narrow_columns([telling]) == {"sex": 2}
    assert narrow_columns([telling, silent]) == {}
    assert narrow_columns([telling, broken]) == {}


@given(st.lists(st.one_of(st.none(), st.integers(-200, 200)), min_size=1, max_size=30))
def test_no_column_has_more_values_than_told(tmp_path_factory: object, values: list[int | None]) -> None:
    """The number is at least that of the distinct values."""
    path = tmp_path_factory.mktemp("footers") / "rows.parquet"  # type: ignore[attr-defined]
    pl.DataFrame({"n": values}, schema={"n": pl.Int64}).write_parquet(path, row_group_size=7)
    told = narrow_columns([path])
    assert told.get("n", 10**9) >= len({value for value in values if value is not None})
