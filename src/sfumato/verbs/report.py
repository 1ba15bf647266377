"""Make the report of a release folder again: the internal page, or the public one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.policy import policy_of
from sfumato.publishing.evidence import Evidence, Utility
from sfumato.publishing.kept import read_evidence, refuse_partial, write_evidence
from sfumato.publishing.published import open_published, public_folder
from sfumato.publishing.signature import FILE as SIGNATURE
from sfumato.releases.recoded_table import RecodedTable
from sfumato.reports.edition import page_of
from sfumato.reports.pdf import write_pdf
from sfumato.tables.open import open_table
from sfumato.tables.pair import prepared
from sfumato.verbs.examining import attacked, before_masking, predicted, questioned

__all__ = ["EDITIONS", "report"]

EDITIONS = ("internal", "public")


def report(
    out: str | Path,
    *,
    edition: Literal["internal", "public"] = "internal",
    raw: object = None,
    file: str | Path | None = None,
    pdf: str | Path | None = None,
    run: Run | None = None,
    progress: Progress | None = None,
) -> Path:
    """Make the report of a release folder again and return where it is.

    Parameters
    ----------
    out
        A release folder; for the public edition its ``public`` part is enough.
    edition
        ``internal`` is for the publisher and must stay in the house. ``public`` is made from the public files alone, and
        leaves out whatever would help an adversary.
    raw
        The table before masking, for the internal edition: every attack is tried again, those that take long too, and the
        target, if there is one, is predicted from both tables. Without it the page shows what was measured before.
    file
        Where to write the page. If not given, it takes the place of ``report.html`` in the folder, and what was measured
        with ``raw`` takes the place of what was measured before.
    pdf
        Where to write the page as PDF as well.

    Examples
    --------
    >>> import sfumato, tempfile
    >>> table = sfumato.from_rows(["job"], [("cook",)] * 6 + [("nurse",)] * 6)
    >>> policy = {"columns": {"job": {"role": "quasi-identifier"}}, "requirements": [{"id": "k-anonymity", "k": 5}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = sfumato.publish(sfumato.anonymize(table, policy), f"{folder}/out")
    ...     sfumato.report(made, edition="public").relative_to(folder).as_posix()
    'out/public/report.html'
    """
    if edition not in EDITIONS:
        raise BadRequest("is not an edition", parameter="edition", value=edition, available=EDITIONS)
    if edition == "public" and raw is not None:
        raise BadRequest("the public edition is made from the public files alone", parameter="raw")
    for name, path in (("file", file), ("pdf", pdf)):
        if path is not None and Path(path).exists():
            raise BadRequest("exists already", parameter=name, value=str(path))
    progress, folder = Run.of(run, progress), Path(out)
    progress.stage("opening")
    if edition == "public":
        target = public_folder(folder) / "report.html"
        release = open_published(target.parent, private=False)
        evidence = Evidence(public=True, signed=(target.parent / SIGNATURE).is_file())
    else:
        target = folder / "private" / "report.html"
        refuse_partial(folder / "private")
        release = open_published(folder)
        evidence = read_evidence(folder / "private")
        release = replace(release, warnings=evidence.run["warnings"])
        evidence = replace(evidence, signed=(folder / "public" / SIGNATURE).is_file())
        if raw is not None:
            evidence = _examined_again(release, evidence, raw, progress)
            if file is None:
                with _written("private", folder / "private"):
                    write_evidence(folder / "private", evidence)
    progress.stage("reporting")
    page = page_of(release, evidence)
    target = target if file is None else Path(file)
    with _written("file", target):
        target.write_text(page, encoding="utf-8")
    if pdf is not None:
        with _written("pdf", Path(pdf)):
            write_pdf(page, Path(pdf))
    progress.stage("done")
    return target


@contextmanager
def _written(parameter: str, path: Path) -> Iterator[None]:
    """Refuse a place that cannot be written to, by its name."""
    try:
        yield
    except OSError as error:
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__})", parameter=parameter, value=str(path)
        ) from None


def _examined_again(release: Published, evidence: Evidence, raw: object, progress: Progress) -> Evidence:
    """Measure everything that needs the table before masking."""
    table = _raw_table(release, raw)
    findings, untried = attacked(release, raw=table, thorough=True, progress=progress)
    progress.stage("asking questions")
    utility: Utility = {"queries": questioned(release, table)}
    progress.stage("learning")
    found = predicted(release, table)
    if found is not None:
        utility["classification"] = found
    before = before_masking(release, table) if release.kind == RecodedTable.id else None
    return replace(evidence, findings=findings, untried=untried, before=before, utility=utility)


def _raw_table(release: Published, raw: object) -> Table:
    """Open the table before masking, without identifiers; one with another number of records is another table."""
    policy = policy_of(release)
    table = open_table(raw) if policy is None else prepared(raw, policy)
    counts = release.certified.counts
    if "records_read" not in counts:
        return table
    meant = counts["records_read"] - counts.get("records_dropped_for_missing_values", 0)
    if table.rows != meant:
        raise BadRequest(
            f"has {table.rows:,} records to publish, the release was made from {meant:,}: this is another table",
            parameter="raw",
        )
    return table
