"""From a release folder back to a release: as a stranger sees it, or with what its publisher kept.

A release that was opened again has no raw table and was not judged anew; its certificate says what was found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.contracts.engine import Table
from sfumato.contracts.finding import Findings
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.policy import Policy
from sfumato.publishing.evidence import Evidence
from sfumato.publishing.published import open_folder, open_release
from sfumato.publishing.release import Judgement, Private, Release
from sfumato.recodings.saved import load_recodings

__all__ = ["inside", "outside", "write_evidence"]


def outside(folder: Path, *, engine: str = "polars", held: Mapping[str, Table] | None = None) -> Release:
    """Return what a stranger has: the public tables and what the certificate says of them; changed bytes are refused.

    ``held`` are tables, by part, that were read from these very files already.
    """
    opened = open_release(folder, engine=engine, held=held)
    document, tables = opened.certificate, opened.tables
    return Release(
        table=tables[opened.kind.part_names()[0]],
        kind=opened.kind.id,
        roles={entry["name"]: Role(entry["role"]) for entry in document["columns"]},
        verdict=Judgement(()),
        measured={},
        counts=document["counts"],
        certificate=document,
        private=Private(policy=None, recodings={}),
        parts=tables if "files" in document["release"] else {},
    )


def inside(folder: Path) -> tuple[Release, Evidence]:
    """Return a release with all that its publisher kept, and what was tried on it and measured of it."""
    private = folder / "private"
    if not (private / "run.json").is_file():
        raise BadRequest(
            "the private part is not there; give a whole release folder, or ask for the public edition",
            parameter="release",
            value=str(folder),
        )
    seen, trace, run = outside(folder), _read(private / "trace.json"), _read(private / "run.json")
    kept: dict[str, Any] = {"trace": trace["steps"], "facts": trace["facts"], "stopped": trace["stopped"]}
    policy = Policy.load(private / "policy.yaml") if (private / "policy.yaml").is_file() else None
    release = replace(seen, private=Private(policy=policy, recodings={}, **kept), warnings=run["warnings"])
    if (private / "recoding.json").is_file():
        table, recodings, operations, policy = open_folder(folder)
        types = load_recodings(_read(private / "recoding.json"))[1]
        held = Private(policy=policy, recodings=recodings, operations=tuple(operations), types=types, **kept)
        release = replace(release, table=table, private=held)
    return release, _evidence(private, run)


def write_evidence(private: Path, evidence: Evidence) -> None:
    """Write what was tried and measured to the private folder."""
    found = {"audit": 1, "reason": evidence.untried} if evidence.findings is None else evidence.findings.document()
    _write(private / "audit.json", found)
    if evidence.before is not None:
        _write(private / "before.json", evidence.before)
    if evidence.utility:
        _write(private / "utility.json", evidence.utility)


def _evidence(private: Path, run: Mapping[str, Any]) -> Evidence:
    """Read what :func:`write_evidence` wrote; a folder of an older version has none of it."""
    paths = {name: private / f"{name}.json" for name in ("audit", "before", "utility")}
    held = {name: _read(path) for name, path in paths.items() if path.is_file()}
    audit = held.get("audit", {})
    return Evidence(
        findings=Findings.from_document(audit) if "tried" in audit else None,
        untried=audit.get("reason"),
        before=held.get("before"),
        utility=held.get("utility", {}),
        run=run,
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
    except OSError:
        raise BadRequest("is not there", parameter=path.name, value=str(path.parent)) from None
    except ValueError:
        raise BadRequest("is not JSON", parameter=path.name) from None
    if not isinstance(found, dict):
        raise BadRequest("is not what a release keeps there: must be a JSON object", parameter=path.name)
    return found


def _write(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
