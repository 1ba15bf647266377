"""Repeat the verification of a release from its public files alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.catalogue import build
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.releases.certificate import open_certificate
from sfumato.releases.certificate import sha256 as digest_of
from sfumato.releases.release import Judgement
from sfumato.verbs.opening import read
from sfumato.verbs.publish import file_digest

__all__ = ["Verification", "verify"]


@dataclass(frozen=True)
class Verification:
    """What a stranger could establish: the verdicts, counted anew, and the certificate they were compared with."""

    verdict: Judgement
    certificate: dict[str, Any]
    folder: Path

    def __bool__(self) -> bool:
        return self.verdict.satisfied


def verify(out: str | Path, *, engine: str = "polars") -> Verification:
    """Verify a release folder (or its ``public`` part): hashes, schema, and every requirement counted anew.

    Fails on any changed byte. Only public files are read.
    """
    folder = Path(out)
    folder = folder / "public" if (folder / "public").is_dir() else folder
    sealed = _bytes(folder / "certificate.json")
    document = open_certificate(sealed)
    described = document["release"]
    data = folder / described["file"]
    if not data.is_file():
        raise BadRequest("is missing", parameter=described["file"])
    if file_digest(data) != document["output_sha256"]:
        raise BadRequest("was changed after it was certified", parameter=data.name)
    if digest_of(_bytes(folder / "schema.json")) != document["schema_sha256"]:
        raise BadRequest("was changed after it was certified", parameter="schema.json")
    flat = described["format"] in ("csv", "tsv")
    masked = [entry["name"] for entry in document["columns"] if entry["operation"] != "none"]
    table = read(
        str(data),
        engine=engine,
        format=described["format"],
        separator=described["separator"] if flat else None,
        encoding="utf-8" if flat else None,
        types=dict.fromkeys(masked, ColumnType.TEXT) if flat else {},
    )
    if list(table.columns) != described["columns"] or table.rows != described["rows"]:
        raise BadRequest("does not hold the certified columns and rows", parameter=data.name)
    kind = build(described["kind"], "release")
    models = [
        build({"id": entry["model"], **entry["parameters"], "qid": entry["quasi_identifier"]}, "model")
        for entry in document["requirements"]
    ]
    verdicts = kind.verify(table, models, masked)
    for verdict, entry in zip(verdicts, document["requirements"], strict=True):
        if verdict.strongest != entry["measured"] or verdict.satisfied != entry["satisfied"]:
            raise BadRequest(
                f"certifies {entry['measured']} for {verdict.model}, counting the file anew gives {verdict.strongest}",
                parameter="certificate.json",
            )
    return Verification(Judgement(tuple(verdicts)), document, folder)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise BadRequest(
            "is not there; give a release folder or its public part", parameter=path.name, value=str(path.parent)
        ) from None
