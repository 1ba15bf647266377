"""Repeat the verification of a release from its public files alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.engine import Table
from sfumato.contracts.release import ReleaseKind
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest, Unsupported
from sfumato.releases.certificate import open_certificate
from sfumato.releases.certificate import sha256 as digest_of
from sfumato.releases.dictionary import schema_types
from sfumato.releases.recoded_table import RecodedTable
from sfumato.releases.release import Judgement
from sfumato.releases.signature import FILE, Signature, checked
from sfumato.verbs.digest import file_digest
from sfumato.verbs.opening import open_table, read

__all__ = ["Published", "Verification", "open_release", "refuse_changed", "verify"]

_FILE = ("file", "columns", "rows")


@dataclass(frozen=True)
class Verification:
    """What a stranger could establish: the verdicts, counted anew, and the certificate they were compared with.

    ``unchecked`` names requirements that cannot be counted from the public files alone. ``signature`` says whose certificate
    it is, if it is signed.
    """

    verdict: Judgement
    certificate: dict[str, Any]
    folder: Path
    unchecked: tuple[str, ...] = ()
    signature: Signature | None = None

    def __bool__(self) -> bool:
        return self.verdict.satisfied


@dataclass(frozen=True, eq=False)
class Published:
    """The public files of a release, their hashes checked: certificate, kind, and the tables by the name of their part."""

    certificate: dict[str, Any]
    kind: ReleaseKind
    tables: dict[str, Table]
    masked: tuple[str, ...]
    folder: Path


def verify(
    out: str | Path, *, engine: str = "polars", external: Any = None, public_key: str | Path | None = None
) -> Verification:
    """Verify a release folder (or its ``public`` part): hashes, schema, and every requirement counted anew.

    Fails on any changed byte. Only public files are read. ``external`` is a population table recoded like the release, for
    requirements that compare the two; without it they stay unchecked and are named. With ``public_key`` the certificate must
    be signed with that key; without it a signature, if there is one, must be right, whosever it is.
    """
    published = open_release(out, engine=engine)
    document = published.certificate
    signature, unread = _signature(published.folder, None if public_key is None else Path(public_key))
    models = [
        build({"id": entry["model"], **entry["parameters"], "qid": entry["quasi_identifier"]}, "model")
        for entry in document["requirements"]
    ]
    # What owners asked for is private, and a population table may not be at hand: nobody else can count these.
    closed = [bool(model.private()) or (model.traits.evaluation == "X" and external is None) for model in models]
    unchecked = [model.id for model, hidden in zip(models, closed, strict=True) if hidden]
    entries = [entry for entry, hidden in zip(document["requirements"], closed, strict=True) if not hidden]
    models = [model for model, hidden in zip(models, closed, strict=True) if not hidden]
    if isinstance(published.kind, RecodedTable):
        beside = None if external is None else open_table(external)
        verdicts = published.kind.verify(
            published.tables, models, published.masked, external=beside, reference=document.get("reference")
        )
    else:
        verdicts = published.kind.verify(published.tables, models, published.masked)
    for verdict, entry in zip(verdicts, entries, strict=True):
        if verdict.strongest != entry["measured"] or verdict.satisfied != entry["satisfied"]:
            raise BadRequest(
                f"certifies {entry['measured']} for {verdict.model}, counting the file anew gives {verdict.strongest}",
                parameter="certificate.json",
            )
    guarantee = published.kind.guarantee(published.tables)
    if guarantee != document.get("guarantee", {}):
        raise BadRequest(
            "certifies another guarantee than counting the files anew gives",
            parameter="certificate.json",
            value=document.get("guarantee"),
        )
    unchecked += unread
    unchecked += _unrepeatable(document.get("procedures", ()), guarantee)
    return Verification(Judgement(tuple(verdicts)), document, published.folder, tuple(unchecked), signature)


def _signature(folder: Path, public_key: Path | None) -> tuple[Signature | None, list[str]]:
    """Check the signature, if there is one; it stays unchecked where nobody asks for it and nothing can read it."""
    if not (folder / FILE).is_file():
        if public_key is not None:
            raise BadRequest("is not there: nobody signed the certificate", parameter=FILE)
        return None, []
    try:
        return checked(_bytes(folder / "certificate.json"), _bytes(folder / FILE), public_key), []
    except Unsupported:
        if public_key is not None:
            raise
        return None, ["signature"]


def _unrepeatable(procedures: Sequence[dict[str, Any]], guarantee: dict[str, Any]) -> list[str]:
    """Compute again what the stated parameters of a procedure promise; return the models for which that needs the input."""
    out = []
    for entry in procedures:
        model = build({"id": entry["model"], **entry["parameters"]}, "model")
        again = build(entry["procedure"], "algorithm").promised(model)
        if again is None:
            out.append(model.id)
        elif (again.measured, again.satisfied) != (entry["measured"], entry["satisfied"]):
            raise BadRequest(
                f"certifies {entry['measured']} for {model.id}, the stated procedure promises {again.measured}",
                parameter="certificate.json",
            )
        elif guarantee.get("epsilon", 0.0) > entry["measured"] * (1 + 1e-9):
            raise BadRequest(
                f"certifies {entry['measured']} for {model.id}, the published shares amount to {guarantee['epsilon']}",
                parameter="certificate.json",
            )
    return out


def open_release(out: str | Path, *, engine: str = "polars", held: Mapping[str, Table] | None = None) -> Published:
    """Read the public files of a release folder (or of its ``public`` part); any changed byte is refused.

    ``held`` are tables, by part, that were read from these very files already.
    """
    folder, document, files, schema = refuse_changed(out)
    described = document["release"]
    # A pseudonym is no quasi-identifier: it is read as text like the masked columns, but no group is made by it.
    pseudonyms = tuple(document.get("pseudonyms", {}).get("columns", ()))
    touched = tuple(entry["name"] for entry in document["columns"] if entry["operation"] != "none")
    sensitive = {entry["name"] for entry in document["columns"] if entry["role"] == "sensitive"}
    masked = tuple(name for name in touched if name not in pseudonyms and name not in sensitive)
    types = _types(json.loads(schema), described, touched)
    flat = described["format"] in ("csv", "tsv")
    tables = {}
    for entry in files:
        table = tables[entry["part"]] = (
            held[entry["part"]]
            if held is not None and entry["part"] in held
            else read(
                str(folder / entry["file"]),
                engine=engine,
                format=described["format"],
                separator=described["separator"] if flat else None,
                encoding="utf-8" if flat else None,
                types=types[entry["part"]],
            )
        )
        if list(table.columns) != entry["columns"] or table.rows != entry["rows"]:
            raise BadRequest("does not hold the certified columns and rows", parameter=entry["file"])
    kind = build({"id": described["kind"], **described.get("parameters", {})}, "release")
    return Published(document, kind, tables, masked, folder)


def refuse_changed(out: str | Path) -> tuple[Path, dict[str, Any], list[dict[str, Any]], bytes]:
    """Refuse public files that are not as they were certified; return their folder, certificate, entries and schema."""
    folder = Path(out)
    folder = folder / "public" if (folder / "public").is_dir() else folder
    document = open_certificate(_bytes(folder / "certificate.json"))
    described = document["release"]
    files = described.get("files") or [
        {"part": "data", "sha256": document["output_sha256"], **{key: described[key] for key in _FILE}}
    ]
    for entry in files:
        data = folder / entry["file"]
        if not data.is_file():
            raise BadRequest("is missing", parameter=entry["file"])
        if file_digest(data) != entry["sha256"]:
            raise BadRequest("was changed after it was certified", parameter=data.name)
    schema = _bytes(folder / "schema.json")
    if digest_of(schema) != document["schema_sha256"]:
        raise BadRequest("was changed after it was certified", parameter="schema.json")
    return folder, document, files, schema


def _types(
    schema: dict[str, Any], described: dict[str, Any], touched: tuple[str, ...]
) -> dict[str, dict[str, ColumnType]]:
    """Return the types to read each part with; of a recoded table only touched columns are texts whatever they look like."""
    if "files" not in described:
        flat = described["format"] in ("csv", "tsv")
        return {"data": dict.fromkeys(touched, ColumnType.TEXT) if flat else {}}
    if "resources" not in schema:
        return {described["files"][0]["part"]: schema_types(schema)}
    return {entry["name"]: schema_types(entry["schema"]) for entry in schema["resources"]}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise BadRequest(
            "is not there; give a release folder or its public part", parameter=path.name, value=str(path.parent)
        ) from None
