"""Files that unfold to more than they are."""

from __future__ import annotations

import gzip
import struct
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from sfumato.errors import BadRequest
from sfumato.service.unfolding import refuse_unfolding


def _zip(size: int) -> bytes:
    made = BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as packed:
        packed.writestr("sheet.xml", b"0" * size)
    return made.getvalue()


def _lying_zip() -> bytes:
    """Say in both places that what takes 1,000,000 bytes takes 10."""
    return _zip(1_000_000).replace(struct.pack("<I", 1_000_000), struct.pack("<I", 10))


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"0" * 1_000_000),
        gzip.compress(b"0" * 60_000) * 2,
        _zip(1_000_000),
        _lying_zip(),
        b"PK\x03\x04...",
    ],
    ids=["gzip", "two gzips", "zip", "zip that lies", "no zip"],
)
def test_bombs_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(BadRequest, match=r"unfolds|unpacked"):
        refuse_unfolding(tmp_path / "f", 100_000)


def test_rows_of_parquet_are_counted(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "f.parquet"
    parquet.write_table(arrow.table({"a": arrow.array(["x"] * 200_000)}), file)
    assert file.stat().st_size < 10_000
    with pytest.raises(BadRequest, match="unfolds"):
        refuse_unfolding(file, 100_000)
    refuse_unfolding(file, 1_000_000)


# Names of their own: the time that gzip writes into its bytes would give the two processes of a run different tests.
@pytest.mark.parametrize(
    "content",
    [b"a,b\n1,2\n", gzip.compress(b"a\n1\n"), _zip(1000), b"\x1f\x8bnot", b""],
    ids=["csv", "gzip", "zip", "no gzip", "empty"],
)
def test_others_are_not(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f").write_bytes(content)
    refuse_unfolding(tmp_path / "f", 100_000)
