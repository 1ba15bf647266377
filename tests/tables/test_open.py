"""Opening a source: what the source does not say can be given in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sfumato.data.schema import ColumnType


def test_types_may_be_named_as_text(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("zip,age\n13053,30\n14850,31\n")
    table = sfumato.read(tmp_path / "d.csv", types={"zip": "text"})
    assert table.types == {"zip": ColumnType.TEXT, "age": ColumnType.INTEGER}
    assert table.to_rows() == [("13053", 30), ("14850", 31)]
    with pytest.raises(sfumato.BadRequest, match="is not a type"):
        sfumato.read(tmp_path / "d.csv", types={"zip": "whole"})
