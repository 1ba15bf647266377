"""Make the report of a release folder again: the internal page, or the public one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from sfumato.catalogue import shape_of
from sfumato.contracts.progress import Progress
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.data.messages import ENGLISH, refuse_unspoken
from sfumato.errors import BadRequest, Taken
from sfumato.publishing.audit import examined, for_strangers
from sfumato.publishing.kept import keep_closed, read_evidence, refuse_partial, write_evidence
from sfumato.publishing.published import open_published, public_folder
from sfumato.publishing.signature import FILE as SIGNATURE
from sfumato.reports.html import report_page
from sfumato.reports.pdf import with_appendix, write_pdf
from sfumato.reports.series_page import series_page
from sfumato.sequels.collected import collected

__all__ = ["EDITIONS", "report"]

EDITIONS = ("internal", "public")


def report(
    out: str | Path | Sequence[str | Path],
    *,
    edition: Literal["internal", "public"] = "internal",
    raw: object = None,
    file: str | Path | None = None,
    pdf: str | Path | None = None,
    appendix: bool = False,
    language: str = ENGLISH,
    run: Run | None = None,
    progress: Progress | None = None,
) -> Path:
    """Make the report of a release folder again and return where it is.

    Parameters
    ----------
    out
        A release folder; for the public edition its ``public`` part is enough. A list of folders is a series: its page shows
        how the releases went on and what all of them together tell, and needs a ``file``.
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
    appendix
        Whether the PDF also holds what is folded on the page: each column, each attack, tables behind pictures.
    language
        The language of the page: ``en``, or another that there are words in, such as ``de``. What the release itself says
        (values, names, its certificate) stays as it is.

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
    if appendix and pdf is None:
        raise BadRequest("is a part of the PDF; say where to write it", parameter="appendix")
    refuse_unspoken(language)
    for name, path in (("file", file), ("pdf", pdf)):
        if path is not None and Path(path).exists():
            raise Taken("exists already", parameter=name, value=str(path))
    run = Run.of(run, progress)
    if not isinstance(out, (str, Path)):
        return _series(out, edition, raw, file, pdf, language, run)
    folder = Path(out)
    run.stage("opening")
    if edition == "public":
        target = public_folder(folder) / "report.html"
        release = open_published(target.parent, private=False, memory=run.memory)
        evidence = for_strangers(release, signed=(target.parent / SIGNATURE).is_file())
    else:
        target = folder / "private" / "report.html"
        refuse_partial(folder / "private")
        release = open_published(folder, memory=run.memory)
        evidence = read_evidence(folder / "private")
        release = replace(release, warnings=evidence.run["warnings"])
        evidence = replace(evidence, signed=(folder / "public" / SIGNATURE).is_file())
        if raw is not None:
            release = _with_original(release, raw, run)
            again = examined(release, thorough=True, run=run)
            evidence = replace(again, run=evidence.run, signed=evidence.signed, questions=evidence.questions)
            if file is None:
                with _written("private", folder / "private"):
                    write_evidence(folder / "private", evidence)
    run.stage("reporting")
    try:
        page = report_page(release, release.certified, evidence, language)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if edition == "public" or raw is not None:
            raise
        raise BadRequest(
            f"does not hold what was kept of a release ({type(error).__name__})", parameter="private", value=folder.name
        ) from error
    target = target if file is None else Path(file)
    with _written("file", target):
        target.write_text(page, encoding="utf-8")
        if edition != "public" and file is None:
            keep_closed(target.parent)
    if pdf is not None:
        with _written("pdf", Path(pdf)):
            write_pdf(with_appendix(page) if appendix else page, Path(pdf))
    run.stage("done")
    return target


def _series(
    folders: Sequence[str | Path],
    edition: str,
    raw: object,
    file: str | Path | None,
    pdf: str | Path | None,
    language: str,
    run: Run,
) -> Path:
    """Make the page of a series from the public files of its releases."""
    if edition == "public" or raw is not None or pdf is not None:
        raise BadRequest("a series has one page, made from public files and meant for the house", parameter="series")
    if file is None:
        raise BadRequest("is required: the page of a series lies in none of its folders", parameter="file")
    run.stage("opening")
    newest = collected(folders, memory=run.memory)
    evidence = examined(newest, thorough=True, run=run)
    run.stage("reporting")
    told = newest.certified.ledger
    with _written("file", Path(file)):
        Path(file).write_text(series_page("" if told is None else told.series, evidence, language), encoding="utf-8")
    run.stage("done")
    return Path(file)


@contextmanager
def _written(parameter: str, path: Path) -> Iterator[None]:
    """Refuse a place that cannot be written to, by its name."""
    try:
        yield
    except OSError as error:
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__})", parameter=parameter, value=str(path)
        ) from None


def _with_original(release: Published, raw: object, run: Run) -> Published:
    """Return the release with the data it was made from."""
    original = shape_of(release.shape).original(release, raw, run)
    return replace(release, private=replace(release.private, raw=original))
