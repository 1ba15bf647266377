"""The private part of a release as files: how it was made, what was tried on it, and how to make its page again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sfumato.contracts.evidence import Evidence
from sfumato.contracts.finding import Findings
from sfumato.contracts.picture import Picture
from sfumato.contracts.published import Release
from sfumato.data.content import file_digest
from sfumato.data.json import Json
from sfumato.engines.parts import is_parts
from sfumato.errors import BadRequest
from sfumato.publishing.published import json_file
from sfumato.recodings.saved import save_recodings

__all__ = [
    "QUESTIONS",
    "input_digest",
    "keep_closed",
    "keep_findings",
    "keep_questions",
    "read_evidence",
    "refuse_partial",
    "run_of",
    "write_evidence",
    "write_kept",
    "write_recodings",
]

QUESTIONS = "questions.json"
"""The answers to the three questions, where somebody asked them."""


def keep_closed(folder: Path) -> None:
    """Let nobody but the owner into the private folder and its files, whatever the umask allows."""
    folder.chmod(0o700)
    for path in folder.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


def write_recodings(folder: Path, release: Release) -> None:
    """Write which value became which to the private folder, where columns were recoded; no row is asked for."""
    kept = release.private
    if release.form.by_column:
        saved = save_recodings(kept.recodings, kept.types, kept.operations)
        # Trees over dates or codes have many leaves: without indentation they are written ten times faster.
        (folder / "recoding.json").write_text(json.dumps(saved, ensure_ascii=False) + "\n", encoding="utf-8")


def write_kept(folder: Path, release: Release, run: Mapping[str, object]) -> None:
    """Write what else the publisher keeps to the private folder."""
    kept = release.private
    links = kept.links
    if links is not None:
        links.write(folder / "links.csv")
        del links
    for name, table in kept.lists.items():
        table.write(folder / f"{name}.csv")
    if kept.policy is not None:
        (folder / "policy.yaml").write_text(kept.policy.to_yaml(), encoding="utf-8")
    steps = [step.document() for step in kept.trace]
    trace = {"steps": steps, "facts": kept.facts.document(), "stopped": kept.stopped}
    (folder / "trace.json").write_text(json.dumps(trace, indent=1, default=_plain) + "\n", encoding="utf-8")
    _write(folder / "run.json", run)


def input_digest(path: str | Path | None) -> str | None:
    """Return the SHA-256 of the file, or the folder of parts, that the release came from."""
    known = path is not None and (Path(path).is_file() or is_parts(Path(path)))
    return file_digest(Path(str(path))) if known else None


def run_of(
    release: Release, input_path: str | Path | None, input_sha256: str | None, *, thorough: bool = False
) -> dict[str, Json]:
    """Return where the release came from, what its publisher should know, and what to change next."""
    policy, seed = release.private.policy, release.private.facts.seed
    return {
        "input": None if input_path is None else _without_login(str(input_path)),
        "input_sha256": input_sha256,
        "seed": policy.seed if seed is None and policy is not None else seed,
        "warnings": list(release.warnings),
        "advice": release.advised(thorough=thorough),
    }


def _without_login(place: str) -> str:
    """Return an address without user, password and settings, of which one may be the password."""
    return re.sub(r"//.*@", "//", place.partition("?")[0]) if "://" in place else place


def write_evidence(folder: Path, evidence: Evidence) -> None:
    """Write what was tried and measured to the private folder."""
    found = {"audit": 1, "reason": evidence.untried} if evidence.findings is None else evidence.findings.document()
    _write(folder / "audit.json", found)
    if evidence.before is not None:
        _write(folder / "before.json", evidence.before)
    if evidence.utility:
        _write(folder / "utility.json", evidence.utility)
    if evidence.course is not None:
        _write(folder / "series.json", evidence.course)
    if evidence.pictures:
        _write(folder / "pictures.json", {"pictures": [asdict(one) for one in evidence.pictures]})


def keep_findings(folder: Path, findings: Findings) -> None:
    """Keep what attacks found on a release with it, in its private folder, in the place of what was found before."""
    refuse_partial(folder)
    _write(folder / "audit.json", findings.document())
    keep_closed(folder)


def keep_questions(folder: Path, document: Mapping[str, object]) -> None:
    """Keep the answers to the three questions about a release with it, in its private folder."""
    refuse_partial(folder)
    _write(folder / QUESTIONS, document)
    keep_closed(folder)


def refuse_partial(folder: Path) -> None:
    """Refuse a release folder without its private part."""
    if not (folder / "run.json").is_file():
        raise BadRequest(
            "the private part is not there; give a whole release folder, or ask for the public edition",
            parameter="release",
            value=str(folder.parent),
        )


def read_evidence(folder: Path) -> Evidence:
    """Read what :func:`write_evidence` wrote; a folder of an older version has none of it."""
    paths = {
        name: folder / f"{name}.json" for name in ("audit", "before", "utility", "series", "pictures", "questions")
    }
    held: Mapping[str, Any] = {name: json_file(path) for name, path in paths.items() if path.is_file()}
    audit = held.get("audit", {})
    return Evidence(
        findings=Findings.from_document(audit) if "tried" in audit else None,
        untried=audit.get("reason"),
        before=held.get("before"),
        utility=held.get("utility", {}),
        course=held.get("series"),
        pictures=_pictures(held.get("pictures", {})),
        run=json_file(folder / "run.json"),
        questions=tuple(held.get("questions", {}).get("questions", ())),
    )


def _pictures(document: Mapping[str, object]) -> Sequence[Picture]:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(Sequence[Picture]).validate_python(document.get("pictures", ()))
    except ValidationError:
        raise BadRequest("does not hold pictures", parameter="private", value="pictures.json") from None


def _plain(value: object) -> object:
    """Return a number of numpy as a number, an array as a list, and anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _write(path: Path, document: Mapping[str, object]) -> None:
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
