"""From a release in memory to a folder: written aside, read again, verified, sealed, attacked, and only then given its name.

``OUT/public`` holds what may leave the house, ``OUT/private`` what must stay; only its owner can open it. A release of one
table is ``public/data.csv``, one of several has a file for each part. Each folder has its own ``report.html``, the public one
made from the public files alone. If anything fails nothing is left behind.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.contracts.progress import Progress
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.data.ahead import thread_beside
from sfumato.data.messages import ENGLISH, refuse_unspoken
from sfumato.engines.parts import is_parts
from sfumato.engines.postgres_tables import Destination
from sfumato.engines.sources import FORMATS, UNWRITTEN, format_of
from sfumato.engines.unused import give_back
from sfumato.errors import BadRequest
from sfumato.publishing.audit import count_before, examined, for_strangers
from sfumato.publishing.folder import IfExists, aside, refuse_taken, seal_public, write_public
from sfumato.publishing.formulas import formula_warnings
from sfumato.publishing.kept import input_digest, keep_closed, run_of, write_evidence, write_kept, write_recodings
from sfumato.publishing.published import open_published
from sfumato.publishing.remembered import memory_of, remembered
from sfumato.reports.html import report_page
from sfumato.verbs._spared import spared

if TYPE_CHECKING:  # most releases are in no ledger
    from sfumato.ledger.ledger import Ledger
    from sfumato.ledger.series import SeriesGuard

__all__ = ["publish"]

# Formats in which a spreadsheet cannot tell a text from a formula.
_COMPUTED = ("csv", "tsv")


@spared()
def publish(
    release: Release,
    out: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    separator: str | None = None,
    input_path: str | Path | None = None,
    thorough: bool = False,
    language: str = ENGLISH,
    excel_safe: bool = False,
    if_exists: IfExists = "fail",
    ledger: Ledger | str | Path | None = None,
    series: str | None = None,
    guard: SeriesGuard | None = None,
    to: str | None = None,
    to_table: str | None = None,
    run: Run | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write a release to a new folder and return it.

    The data file is read back and verified by counting it anew before anything appears under the final name. Every attack
    that costs little is tried on it, and what they find goes into ``private/audit.json`` and the report; with ``thorough``
    also those that take long, and the target is predicted from both tables, if there is one. ``format`` is that of the
    policy, or of the input, or CSV. ``language`` is that of the two pages; the certificate is English. With
    ``excel_safe`` texts in CSV that a spreadsheet takes for formulas get an apostrophe; without it they are warned of.
    ``if_exists`` says what becomes of a folder of that name: it is refused, left as it is (``skip``), or, if it is a release,
    replaced once the new one is verified. A
    ``ledger`` (opened, or its place) remembers the release as the next one of a ``series``, if ``guard`` admits it after those
    before; both default to what the policy says. ``to`` is a ``postgresql://`` address: what was verified in the folder is also
    written to its table ``to_table`` (``schema.name``; with several parts ``schema.name_part``), read back and compared inside
    one transaction, and committed just before the folder gets its name. Leave the password to ``PGPASSFILE``.
    """
    run = Run.of(run, progress)
    target = Path(out)
    refuse_unspoken(language)
    refuse_taken(target, if_exists)
    if if_exists == "skip" and target.exists():
        return target
    place = _destination(release, to, to_table, if_exists)
    policy = release.private.policy
    if if_exists == "replace" and memory_of(policy, ledger, series) is not None:
        raise BadRequest(
            "what a ledger remembers is never replaced; give the release a name of its own", parameter="if_exists"
        )
    known = list(release.table.writes or (name for name in FORMATS if name not in UNWRITTEN))
    usual = known[0] if release.table.writes else _format_of(input_path)
    wanted = format or (policy.output.format if policy is not None else None) or usual
    if wanted not in known:
        raise BadRequest("is not a format that can be written", parameter="format", value=wanted, available=known)
    excel_safe = excel_safe and wanted in _COMPUTED
    if wanted in _COMPUTED and not excel_safe:
        told = [warning for table in release.tables.values() for warning in formula_warnings(table)]
        for warning in told:
            logging.getLogger("sfumato").warning(warning)
        release = replace(release, warnings=[*release.warnings, *told])
    with (
        remembered(release, target, ledger, series, guard) as memory,
        aside(target, if_exists) as folder,
        thread_beside("publish") as beside,
    ):
        release = memory.release
        public, private = folder / "public", folder / "private"
        private.mkdir(mode=0o700)
        keep_closed(private)  # before anything is in it
        hashed = beside.submit(input_digest, input_path)
        counted, saved = beside.submit(count_before, release), beside.submit(write_recodings, private, release)
        run.stage("writing and verifying")
        # From here on it is what was written, not what was meant.
        sign = "\t" if wanted == "tsv" else (separator or ",")
        written = write_public(release, public, wanted, sign, run.memory, excel_safe=excel_safe, beside=beside)
        run.stage("attacking")
        counted.result()
        if not release.table.in_threads:
            give_back()  # a large table is attacked in the room that writing took
        evidence = examined(written, thorough=thorough, run=run)
        written = seal_public(written)
        run.stage("trying what to change next")
        evidence = replace(evidence, run=run_of(release, input_path, hashed.result(), thorough=thorough))
        run.stage("reporting")
        saved.result()
        write_kept(private, release, evidence.run)
        write_evidence(private, evidence)
        page = report_page(written, written.certificate, evidence, language)
        (private / "report.html").write_text(page, encoding="utf-8")
        keep_closed(private)
        stranger = open_published(public, engine=release.table.home, private=False, held=written.tables)
        page = report_page(stranger, stranger.certified, for_strangers(stranger), language)
        (public / "report.html").write_text(page, encoding="utf-8")
        memory.prepare(folder)
        if place is not None:
            run.stage("writing to the database")
            place.store(written.tables, if_exists, run.memory)
        run.stage("done")
    return target


def _destination(release: Release, to: str | None, to_table: str | None, if_exists: IfExists) -> Destination | None:
    """Return the table that the release is written to as well, if one is named; refuse it before anything is written."""
    if to is None and to_table is None:
        return None
    if to is None:
        raise BadRequest("is required with a table to write to", parameter="to")
    place = Destination.of(to, to_table)
    release.table.as_rows()
    place.refuse_taken(tuple(release.tables), if_exists)
    return place


def _format_of(path: str | Path | None) -> str:
    """Return the format of the input file; a release from a database, a frame or a statistics program is written as CSV."""
    if path is None or "://" in str(path):
        return "csv"
    if is_parts(Path(path)):
        return "parquet"
    try:
        found = format_of(Path(path))[0]
    except BadRequest:
        return "csv"  # data of another shape may lie in files that hold no table
    return "csv" if found == "sqlite" or found in UNWRITTEN else found
