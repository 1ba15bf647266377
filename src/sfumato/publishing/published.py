"""The public files of a release, opened as a stranger opens them: any changed byte is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.contracts.release import ReleaseKind
from sfumato.data.schema import ColumnType, Role
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.policy import Policy
from sfumato.publishing.certificate import open_certificate
from sfumato.publishing.certificate import sha256 as digest_of
from sfumato.publishing.dictionary import schema_types
from sfumato.publishing.digest import file_digest
from sfumato.recodings.saved import load_operations, load_recodings

__all__ = ["Published", "file_bytes", "open_folder", "open_release", "refuse_changed"]


_FILE = ("file", "columns", "rows")


@dataclass(frozen=True, eq=False)
class Published:
    """The public files of a release, their hashes checked: certificate, kind, and the tables by the name of their part."""

    certificate: dict[str, Any]
    kind: ReleaseKind
    tables: dict[str, Table]
    masked: tuple[str, ...]
    folder: Path


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
    document = open_certificate(file_bytes(folder / "certificate.json"))
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
    schema = file_bytes(folder / "schema.json")
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


def file_bytes(path: Path) -> bytes:
    """Return what a file of a release folder holds; refuse one that is not there."""
    try:
        return path.read_bytes()
    except OSError:
        raise BadRequest(
            "is not there; give a release folder or its public part", parameter=path.name, value=str(path.parent)
        ) from None


def open_folder(
    folder: Path,
) -> tuple[Table, dict[str, ColumnRecoding], Sequence[TableRecoding], Policy]:
    """Return the published rows of a release folder, with its recodings of columns and records, and its policy."""
    private, public = folder / "private", folder / "public"
    for path in (private / "recoding.json", private / "policy.yaml", public / "certificate.json"):
        if not path.is_file():
            raise BadRequest(
                f"{path.parent.name}/{path.name} is not there; give a whole release folder, or a released file and a policy",
                parameter="release",
                value=str(folder),
            )
    try:
        document = json.loads((private / "recoding.json").read_bytes())
    except ValueError:
        raise BadRequest("is not JSON", parameter="recoding.json") from None
    recodings, operations = load_recodings(document)[0], load_operations(document)
    policy = Policy.load(private / "policy.yaml")
    described = open_certificate((public / "certificate.json").read_bytes())["release"]
    flat = described["format"] in ("csv", "tsv")
    table = read(
        str(public / described["file"]),
        format=described["format"],
        separator=described["separator"] if flat else None,
        encoding="utf-8" if flat else None,
        types=dict.fromkeys(policy.of_role(Role.QUASI_IDENTIFIER), ColumnType.TEXT) if flat else {},
    )
    return table, {name: recodings[name] for name in policy.columns if name in recodings}, operations, policy
