"""Repeat the verification of a release from its public files alone."""

from __future__ import annotations

from pathlib import Path

from sfumato.contracts.published import Judgement
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Unsupported
from sfumato.publishing.certificate import FILE as CERTIFICATE
from sfumato.publishing.published import file_bytes, open_published, public_folder
from sfumato.publishing.signature import FILE, Signature, checked
from sfumato.publishing.verification import Verification, verified
from sfumato.tables.open import alike, open_table

__all__ = ["verify"]


def verify(
    out: str | Path,
    *,
    engine: str = "polars",
    external: object = None,
    public_key: str | Path | None = None,
    run: Run | None = None,
) -> Verification:
    """Verify a release folder (or its ``public`` part): hashes, schema, and every requirement counted anew.

    Fails on any changed byte. Only public files are read. ``external`` is a population table recoded like the release, for
    requirements that compare the two; without it they stay unchecked and are named. With ``public_key`` the certificate must
    be signed with that key; without it a signature, if there is one, must be right, whosever it is.
    """
    run = Run.of(run)
    run.stage("reading")
    folder = public_folder(out)
    file_bytes(folder / CERTIFICATE)  # whatever else is named is no release folder
    published = open_published(folder, engine=engine, private=False, memory=run.memory)
    signature, unread = _signature(folder, None if public_key is None else Path(public_key))
    run.stage("counting anew")
    beside = None if external is None else alike(open_table(external, run=run.part()), published.table.types)
    verdicts, unchecked = verified(published, beside, run.memory)
    return Verification(Judgement(tuple(verdicts)), published.certified, folder, (*unchecked, *unread), signature)


def _signature(folder: Path, public_key: Path | None) -> tuple[Signature | None, list[str]]:
    """Check the signature, if there is one; it stays unchecked where nobody asks for it and nothing can read it."""
    if not (folder / FILE).is_file():
        if public_key is not None:
            raise BadRequest("is not there: nobody signed the certificate", parameter=FILE)
        return None, []
    try:
        return checked(file_bytes(folder / CERTIFICATE), file_bytes(folder / FILE), public_key), []
    except Unsupported:
        if public_key is not None:
            raise
        return None, ["signature"]
