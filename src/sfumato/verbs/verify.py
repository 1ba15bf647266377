"""Repeat the verification of a release from its public files alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.catalogue import build
from sfumato.errors import BadRequest, Unsupported
from sfumato.publishing.published import file_bytes, open_release
from sfumato.publishing.release import Judgement
from sfumato.publishing.signature import FILE, Signature, checked
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.open import open_table

__all__ = ["Verification", "verify"]


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
        return checked(file_bytes(folder / "certificate.json"), file_bytes(folder / FILE), public_key), []
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
