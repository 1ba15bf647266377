"""A release folder is known by the digest of its certificate; files that are not those that it names are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import BadRequest
from sfumato.ledger.folder import certificate_digest, refuse_changed

from .conftest import MakeFolder


def test_a_whole_folder_and_its_public_part_are_the_same(tmp_path: Path, folder: MakeFolder) -> None:
    digest = folder(tmp_path / "out")
    assert certificate_digest(tmp_path / "out") == certificate_digest(tmp_path / "out/public") == digest
    refuse_changed(tmp_path / "out")
    refuse_changed(tmp_path / "out/public")
    assert certificate_digest(tmp_path) is None


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"[]", b"{}", b"\xff", b'{"release": 3}', b'{"release": {"files": [3]}}', b"[" * 100_000),
        b'{"release": {"files": [{"file": "../../beside", "sha256": ""}]}, "schema_sha256": ""}',
        b'{"release": {"files": [{"file": 7, "sha256": ""}]}, "schema_sha256": ""}',
    ],
)
def test_what_is_no_certificate_is_refused(tmp_path: Path, folder: MakeFolder, content: bytes) -> None:
    folder(tmp_path / "out")
    (tmp_path / "beside").write_text("not of the folder")
    (tmp_path / "out/public/certificate.json").write_bytes(content)
    with pytest.raises(BadRequest, match="is not a release folder"):
        refuse_changed(tmp_path / "out")


@pytest.mark.parametrize("name", ["data.csv", "schema.json"])
def test_changed_and_missing_files_are_refused(tmp_path: Path, folder: MakeFolder, name: str) -> None:
    folder(tmp_path / "out")
    (tmp_path / "out/public" / name).write_text("else")
    with pytest.raises(BadRequest, match="was changed"):
        refuse_changed(tmp_path / "out")
    (tmp_path / "out/public" / name).unlink()
    with pytest.raises(BadRequest, match="is not a release folder"):
        refuse_changed(tmp_path / "out")
