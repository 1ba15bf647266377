"""Certificates are typed, sealed and read again; releases of version 1 stay readable."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.contracts.certificate import FORMAT
from sfumato.errors import BadRequest
from sfumato.publishing.certificate import canonical, open_certificate, seal, sha256

OLD = Path(__file__).parent / "version_1"


@pytest.fixture(scope="module")
def release() -> sfumato.Release:
    rows = [("cook", 30)] * 6 + [("nurse", 41)] * 6
    policy = {
        "columns": {"job": {"role": "quasi-identifier"}, "age": {"role": "plain"}},
        "requirements": [{"id": "k-anonymity", "k": 5}],
    }
    return sfumato.anonymize(sfumato.from_rows(["job", "age"], rows), policy)


@pytest.mark.parametrize("name", ["recoded", "anatomy"])
def test_a_release_of_version_1_is_verified_reported_and_audited(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(OLD / name, folder)
    found = sfumato.verify(folder)
    assert found
    assert found.unchecked == ()
    assert found.certificate.certificate == 1
    for edition in ("internal", "public"):
        assert "<html" in sfumato.report(folder, edition=edition).read_text("utf-8")  # type: ignore[arg-type]
    assert sfumato.audit(folder, thorough=False).tried


def test_a_changed_byte_of_version_1_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    shutil.copytree(OLD / "recoded", folder)
    for name in ("data.csv", "schema.json", "certificate.json"):
        path = folder / "public" / name
        original = path.read_bytes()
        path.write_bytes(original[:-2] + b"x" + original[-1:])
        with pytest.raises(BadRequest):
            sfumato.verify(folder)
        path.write_bytes(original)
    assert sfumato.verify(folder)


def test_the_document_is_the_certificate(release: sfumato.Release) -> None:
    certificate = release.certificate
    assert certificate["release"]["kind"] == certificate.release.kind == "recoded-table"  # type: ignore[index,call-overload]
    assert certificate["certificate"] == FORMAT
    assert dict(certificate) == certificate.document
    again = open_certificate(seal(certificate))
    assert again == certificate == certificate.document
    assert again.document == certificate.document


def test_certificate_and_facts_serve_as_dictionaries(release: sfumato.Release) -> None:
    facts = release.private.facts
    for read, document in ((release.certificate, release.certificate.document), (facts, facts.document())):
        assert read | {"more": 1} == {**read, "more": 1} == {**dict(read), "more": 1}
        assert {"more": 1} | read == {"more": 1, **read}
        assert copy.deepcopy(read) == pickle.loads(pickle.dumps(read)) == copy.copy(read) == read
        assert type(copy.deepcopy(read)) is type(pickle.loads(pickle.dumps(read))) is type(read)
        assert json.loads(json.dumps(document)) == json.loads(json.dumps(read, default=dict))
        with pytest.raises(TypeError):
            read | 7  # type: ignore[operator]


def sealed(document: dict[str, Any]) -> bytes:
    """Seal whatever a forger writes: the digest fits, so only the schema can tell."""
    return canonical({**document, "digest": sha256(canonical(document))})


BROKEN: list[tuple[str, Any]] = [
    ("requirements", None),
    ("requirements", [{"model": "k-anonymity"}]),
    ("requirements", "k-anonymity"),
    ("release", []),
    ("release", {"kind": "recoded-table"}),
    ("counts", {"records_read": "many"}),
    ("columns", [{"name": "job", "role": "quasi-identifier", "operation": 7}]),
    ("certificate", 3),
    ("certificate", "2"),
    ("surprise", 1),
]


@pytest.mark.parametrize(("key", "value"), BROKEN)
def test_what_is_no_certificate_is_refused_by_its_schema(release: sfumato.Release, key: str, value: Any) -> None:
    document = json.loads(json.dumps(release.certificate.document))
    with pytest.raises(BadRequest, match=r"certificate\.json"):
        open_certificate(sealed({**document, key: value}))


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"null", b'{"digest": 1}', b"\xff", b"[" * 20_000])
def test_what_is_not_even_a_document_is_refused(data: bytes) -> None:
    with pytest.raises(BadRequest, match="is not a certificate"):
        open_certificate(data)


def test_the_schema_speaks_before_the_digest(release: sfumato.Release) -> None:
    document = json.loads(seal(release.certificate))
    document["surprise"] = 1
    with pytest.raises(BadRequest, match="surprise"):
        open_certificate(canonical(document))


UNFIT = {
    "role": lambda c: c["columns"][0].update(role="x"),
    "column": lambda c: c["columns"][0].update(name="x"),
    "no file": lambda c: c["release"].update(files=[]),
    "another part": lambda c: c["release"]["files"].append({**c["release"]["files"][0], "part": "b"}),
    "the same part twice": lambda c: c["release"]["files"].append(c["release"]["files"][0]),
    "a file elsewhere": lambda c: c["release"]["files"][0].update(file="../public/data.csv"),
    "no quasi-identifier": lambda c: c["requirements"][0].update(quasi_identifier=[]),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_sealed_certificate_whose_entries_do_not_fit_is_refused(
    release: sfumato.Release, tmp_path: Path, name: str
) -> None:
    out = sfumato.publish(release, tmp_path / "out")
    path = out / "public" / "certificate.json"
    document = json.loads(path.read_bytes())
    del document["digest"]
    UNFIT[name](document)
    path.write_bytes(sealed(document))
    with pytest.raises(BadRequest):
        sfumato.verify(out)
