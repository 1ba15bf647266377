"""A folder of Parquet files is one table on every engine, for the second judgement and for the digest of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.data.content import file_digest
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.recounts import Written

COLUMNS = {
    "age": [31, 30, None, 30, 30],
    "job": ["cook", "tailor", "cook", None, "tailor"],
    "pay": [1.5, 2.0, 1.5, 0.1, 2.0],
}


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    folder = tmp_path / "data.parquet"
    folder.mkdir()
    for number, rows in enumerate((slice(0, 2), slice(2, 5))):
        read({name: held[rows] for name, held in COLUMNS.items()}).write(folder / f"part-{number}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()
    return folder


def test_parts_are_one_table(engine: str, parts: Path) -> None:
    whole, table = read(COLUMNS, engine), read(parts, engine)
    assert table.to_rows() == whole.to_rows()
    assert table.content_digest() == whole.content_digest()
    assert table.as_rows().take([4, 0]).to_rows() == whole.as_rows().take([4, 0]).to_rows()
    assert table.relabel(["job"], [["cook", "tailor", None]], {"job": ["x", "y", None]}).to_rows()[2] == (
        None,
        "x",
        1.5,
    )


def test_the_second_judgement_reads_parts(parts: Path) -> None:
    assert Written(parts, tuple(COLUMNS), "parquet").counts(["job"]) == {("cook",): 2, ("tailor",): 2, (None,): 1}


def test_the_digest_of_parts_sees_names_and_bytes(parts: Path) -> None:
    before = file_digest(parts)
    assert file_digest(parts) == before
    (parts / "part-1.parquet").rename(parts / "part-2.parquet")
    assert file_digest(parts) != before


def test_a_folder_of_other_things_is_refused(engine: str, parts: Path, tmp_path: Path) -> None:
    (parts / "readme.txt").write_text("x")
    with pytest.raises(BadRequest, match="more than Parquet files"):
        read(parts, engine)
    with pytest.raises(BadRequest, match="is a folder"):
        read(tmp_path, engine)
