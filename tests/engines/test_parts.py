"""A folder of Parquet files is one table on every engine, for the second judgement and for the digest of a file."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.data.content import file_digest
from sfumato.engines import read
from sfumato.engines.footers import stored_types
from sfumato.errors import BadRequest
from sfumato.recounts import Written
from sfumato.verbs.publish import _format_of

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


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"age": [1], "job": ["x"]}, "do not both have pay"),
        ({"job": ["x"], "age": [1], "pay": [1.0]}, "in another order"),
        ({"age": ["1"], "job": ["x"], "pay": [1.0]}, "hold String and INT64"),
    ],
)
def test_parts_with_unlike_columns_are_refused(
    engine: str, parts: Path, other: dict[str, list[object]], told: str
) -> None:
    read(other).write(parts / "part-2.parquet")
    with pytest.raises(BadRequest, match="parts have unlike columns") as refused:
        read(parts, engine)
    assert told in str(refused.value)


def test_a_folder_of_parquet_files_is_published_as_parquet(parts: Path) -> None:
    """The format is that of the input, as it is for one file."""
    assert _format_of(parts) == "parquet"
    assert _format_of(parts / "part-0.parquet") == "parquet"


@pytest.mark.parametrize("names", [["a.b", "sex"], ["sex", "a.b"], ["a", "a.b"]])
def test_names_with_dots_are_names(engine: str, tmp_path: Path, names: list[str]) -> None:
    """Columns of few values are read as dictionaries, which are asked for by names; dots name parts of columns there."""
    held = pa.table(
        dict(zip(names, ([f"v{at % 3}" for at in range(2000)], [at % 2 for at in range(2000)]), strict=True))
    )
    pq.write_table(held, tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", engine).content_digest() == read(held).content_digest()


def test_whole_numbers_without_a_sign_are_whole_numbers(engine: str, tmp_path: Path) -> None:
    held = pa.table({"n.1": pa.array([2**63 - 1, None, 0], pa.uint64()), "u": pa.array([1, 2, 3], pa.uint32())})
    pq.write_table(held, tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", engine).to_rows() == [(2**63 - 1, 1), (None, 2), (0, 3)]
    assert "isSigned=false" in stored_types(tmp_path / "x.parquet")["n.1"]


def test_durations_are_refused_and_not_published_as_numbers(engine: str, tmp_path: Path) -> None:
    held = pa.table({"a": [1, 2], "for": pa.array([timedelta(1), None], pa.duration("us"))})
    pq.write_table(held, tmp_path / "x.parquet")
    with pytest.raises(BadRequest, match="cannot be grouped or published"):
        read(tmp_path / "x.parquet", engine)


def test_parts_may_hold_texts_with_and_without_dictionaries(engine: str, parts: Path) -> None:
    held = pa.table({"age": [1], "job": pa.array(["x"]).dictionary_encode(), "pay": [1.0]})
    pq.write_table(held, parts / "part-2.parquet")
    assert (1, "x", 1.0) in read(parts, engine).to_rows()


def test_moments_are_cut_to_microseconds_and_not_rounded(engine: str, tmp_path: Path) -> None:
    ticks = [1_577_836_800_123_456_789, -1, None, -1001]
    kinds = {"t": pa.timestamp("ns"), "z": pa.timestamp("ns", "Europe/Berlin")}
    pq.write_table(pa.table({name: pa.array(ticks, kind) for name, kind in kinds.items()}), tmp_path / "x.parquet")
    moments = [None if at is None else datetime(1970, 1, 1) + timedelta(microseconds=at // 1000) for at in ticks]
    assert read(tmp_path / "x.parquet", engine).to_rows() == [(moment, moment) for moment in moments]


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_numbers_that_a_format_cannot_tell_are_refused(engine: str, tmp_path: Path, form: str) -> None:
    endless = read(pa.table({"n": [1.5, float("inf")]}), engine)
    with pytest.raises(BadRequest, match="infinite"):
        endless.write(tmp_path / f"x.{form}")
    endless.write(tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", engine).to_rows()[-1] == (float("inf"),)
    large = read(pa.table({"n": pa.array([1, 2**64 - 1], pa.uint64())}), engine)
    if form == "jsonl":
        large.write(tmp_path / "large.jsonl")
        return
    with pytest.raises(BadRequest, match="2\\^63"):
        large.write(tmp_path / f"large.{form}")
    assert not (tmp_path / f"large.{form}").exists()
