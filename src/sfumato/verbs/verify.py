"""Repeat the verification of a release from its public files alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.contracts.engine import SourceOptions
from sfumato.contracts.published import Judgement, Published
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.data.words import printable
from sfumato.engines import open_source
from sfumato.errors import BadRequest, Contradiction, Unsupported
from sfumato.publishing.certificate import FILE as CERTIFICATE
from sfumato.publishing.earlier import earlier_releases
from sfumato.publishing.figures import claims
from sfumato.publishing.published import SCHEMA, file_bytes, open_published, public_folder
from sfumato.publishing.signature import FILE, Signature, checked
from sfumato.publishing.verification import Unchecked, Verification, verified
from sfumato.tables.open import alike, open_table

__all__ = ["verify"]

REPORT = "report.html"


def verify(
    out: str | Path,
    *,
    engine: str = "polars",
    external: object = None,
    public_key: str | Path | None = None,
    earlier: Sequence[str | Path] = (),
    copy: object = None,
    copy_table: str | None = None,
    run: Run | None = None,
) -> Verification:
    """Verify a release folder (or its ``public`` part): hashes, schema, and every requirement counted anew.

    Fails on any changed byte. Only public files are read. ``external`` is a population table recoded like the release, for
    requirements that compare the two; without it they stay unchecked and are named. With ``public_key`` the certificate must
    be signed with that key; without it a signature, if there is one, must be right, whosever it is. ``earlier`` are the public
    folders of the releases before it, in any order, for requirements on a whole series; those that are lacking are named.
    ``copy`` is the table once more, exported in any format and order, or a database and the name of its ``copy_table``; it
    must hold the same rows.
    """
    run = Run.of(run)
    run.stage("reading")
    folder = public_folder(out)
    if folder.is_symlink() and folder != Path(out):
        raise BadRequest("leads out of the release folder", parameter=folder.name)
    file_bytes(folder / CERTIFICATE)  # whatever else is named is no release folder
    published = open_published(folder, engine=engine, private=False, memory=run.memory)
    signature, unread = _signature(folder, None if public_key is None else Path(public_key))
    run.stage("counting anew")
    beside = None if external is None else alike(open_table(external, run=run.part()), published.table.types)
    before = earlier_releases(published.certified, earlier, engine=engine, memory=run.memory)
    verdicts, left = verified(published, beside, run.memory, before)
    if copy is not None:
        _refuse_other_copy(copy, copy_table, published, run)
    elif copy_table is not None:
        raise BadRequest("names a table of a copy that is not given", parameter="copy_table", value=copy_table)
    return Verification(
        Judgement(tuple(verdicts)),
        published.certified,
        folder,
        (*left, *unread),
        signature,
        claims(published),
        _uncovered(folder, [str(entry.file) for entry in published.certified.release.files]),
    )


def _refuse_other_copy(copy: object, table: str | None, published: Published, run: Run) -> None:
    """Refuse a copy that does not hold the rows of the one table that is published."""
    if len(published.tables) > 1:
        raise Unsupported("a release of several tables has no single copy", thing=published.kind)
    held = published.table
    found = open_source(copy, held.home, SourceOptions(types=held.types, table=table), run.memory)
    if found.content_digest() != held.content_digest():
        raise Contradiction("does not hold the rows of the release", parameter="copy")


def _uncovered(folder: Path, files: Sequence[str]) -> tuple[str, ...]:
    """Return the files beside the certificate that it does not cover; refuse those that no release has."""
    found = sorted(path.name for path in folder.iterdir())
    covered, known = {CERTIFICATE, SCHEMA, *files}, {REPORT, FILE}
    for name in found:
        if name not in covered | known or (folder / name).is_symlink():
            raise BadRequest(
                "is not part of the release; what the certificate does not name must not be handed over with it",
                parameter=printable(name),
            )
    return tuple(name for name in found if name in (REPORT, FILE))


def _signature(folder: Path, public_key: Path | None) -> tuple[Signature | None, list[Unchecked]]:
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
        return None, [Unchecked("signature", say("unchecked.signature"))]
