"""The dataset value: shape checks, selections, frames and files."""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sfumato.data.schema import Role
from sfumato.datasets import Dataset
from sfumato.errors import BadRequest


def small() -> Dataset:
    return Dataset(
        "small",
        {
            "id": np.arange(4),
            "day": np.array(["2024-01-01", "2024-02-29", "1950-12-31", "2000-01-01"], "datetime64[D]"),
            "zip": np.array(["01234", "00001", "99999", "01234"], dtype=object),
            "size": [1.5, None, 2.0, 3.25],
        },
        roles={"id": Role.IDENTIFIER, "zip": Role.QUASI_IDENTIFIER},
        taxonomies={"zip": {"*": ["01234", "00001", "99999"]}},
        train=3,
    )


def test_rows_are_python_values_in_order() -> None:
    assert small().to_rows()[1] == (1, datetime.date(2024, 2, 29), "00001", None)
    assert (len(small()), small().rows, small().columns) == (4, 4, ("id", "day", "zip", "size"))


def test_frame_keeps_types_and_missing_values() -> None:
    frame = small().to_polars()
    assert frame.schema == {"id": pl.Int64, "day": pl.Date, "zip": pl.String, "size": pl.Float64}
    assert frame.rows() == small().to_rows()


def test_csv_has_header_leading_zeros_and_empty_cells(tmp_path: Path) -> None:
    lines = small().write_csv(tmp_path / "small.csv").read_text().splitlines()
    assert lines[:3] == ["id,day,zip,size", "0,2024-01-01,01234,1.5", "1,2024-02-29,00001,"]
    assert len(lines) == 5


def test_split_parts_at_the_training_rows() -> None:
    train, test = small().split()
    assert train.to_rows() + test.to_rows() == small().to_rows()
    assert (len(train), len(test)) == (3, 1)
    with pytest.raises(BadRequest, match="no training and test part"):
        train.split()


def test_select_keeps_only_what_concerns_the_columns() -> None:
    kept = small().select(["size", "zip"])
    assert kept.columns == ("size", "zip")
    assert kept.roles == {"zip": Role.QUASI_IDENTIFIER}
    assert list(kept.taxonomies) == ["zip"]
    with pytest.raises(BadRequest) as refusal:
        small().select(["sise"])
    assert refusal.value.value == "sise"
    assert "did you mean 'size'" in str(refusal.value)


def test_columns_by_role() -> None:
    assert small().of(Role.IDENTIFIER) == ("id",)
    assert small().of(Role.TARGET) == ()


def test_uneven_columns_are_refused() -> None:
    with pytest.raises(BadRequest, match=r"different length, got a \(1\), b \(2\)"):
        Dataset("uneven", {"a": [1], "b": [1, 2]})


def test_facts_about_unknown_columns_are_refused() -> None:
    with pytest.raises(BadRequest, match="roles: names no column"):
        Dataset("odd", {"a": [1]}, roles={"b": Role.PLAIN})


def test_import_leaves_polars_alone() -> None:
    code = "import sys, sfumato.datasets; print(sorted({'numpy', 'polars', 'pip'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['numpy']"


def test_functions_survive_the_import_of_the_file_of_the_same_name() -> None:
    import importlib

    import sfumato.datasets as room

    for name in ("adult", "german", "crx", "hospital", "sample"):
        importlib.import_module(f"sfumato.datasets.{name}")
        assert callable(getattr(room, name)), name
