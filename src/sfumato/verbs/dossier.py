"""Write the dossier of an expert's determination about a release folder: as PDF, or as a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

from sfumato.contracts.run import Run
from sfumato.data.messages import ENGLISH, refuse_unspoken
from sfumato.errors import BadRequest, Taken
from sfumato.publishing.kept import read_evidence, refuse_partial
from sfumato.publishing.published import open_published
from sfumato.reports.dossier_page import dossier_page
from sfumato.reports.pdf import write_pdf

__all__ = ["dossier"]


def dossier(
    out: str | Path,
    file: str | Path,
    *,
    answers: Mapping[str, object] | str | Path | None = None,
    expert: str | None = None,
    valid_until: date | str | None = None,
    language: str = ENGLISH,
    run: Run | None = None,
) -> Path:
    """Write the dossier of a release folder and return where it is.

    Parameters
    ----------
    out
        A release folder with its private part: figures before masking are there.
    file
        Where to write it: ``.pdf`` (needs WeasyPrint, or a Chromium), or ``.html``.
    answers
        What :func:`sfumato.advise` gave (its ``document``), or a file of ``sfumato advise --out``.
    expert
        Who determines it; without a name there is a line to fill in.
    valid_until
        The day from which on it must be looked at again, as a date or as ``2027-11-30``.
    language
        The language of the page: ``en``, or another that there are words in, such as ``de``.

    Examples
    --------
    >>> import sfumato, tempfile
    >>> table = sfumato.from_rows(["job"], [("cook",)] * 6 + [("nurse",)] * 6)
    >>> policy = {"columns": {"job": {"role": "quasi-identifier"}}, "requirements": [{"id": "k-anonymity", "k": 5}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = sfumato.publish(sfumato.anonymize(table, policy), f"{folder}/out")
    ...     answers = sfumato.advise("contract").document()
    ...     sfumato.dossier(made, f"{folder}/dossier.html", answers=answers, expert="A. Expert").name
    'dossier.html'
    """
    refuse_unspoken(language)
    folder, target = Path(out), Path(file)
    if target.suffix.lower() not in (".pdf", ".html"):
        raise BadRequest("must end in .pdf or .html", parameter="file", value=str(file))
    if target.exists():
        raise Taken("exists already", parameter="file", value=str(file))
    until = _day(valid_until)
    held = _read(answers)
    run = Run.of(run)
    run.stage("opening")
    refuse_partial(folder / "private")
    release = open_published(folder, memory=run.memory)
    evidence = read_evidence(folder / "private")
    release = replace(release, warnings=evidence.run["warnings"])
    run.stage("reporting")
    page = dossier_page(
        release,
        release.certified,
        evidence,
        answers=held,
        expert=expert,
        valid_until=until,
        language=language,
    )
    try:
        if target.suffix.lower() == ".html":
            target.write_text(page, encoding="utf-8")
        else:
            write_pdf(page, target)
    except OSError as error:
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__})", parameter="file", value=str(file)
        ) from None
    run.stage("done")
    return target


def _day(given: date | str | None) -> date | None:
    if given is None or isinstance(given, date):
        return given
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise BadRequest("must be a day such as 2027-11-30", parameter="valid_until", value=given) from None


def _read(given: Mapping[str, object] | str | Path | None) -> Mapping[str, object] | None:
    """Return answers; refuse what ``sfumato advise`` did not write."""
    held: object = given
    if isinstance(given, (str, Path)):
        try:
            held = json.loads(Path(given).read_text(encoding="utf-8"))
        except OSError as error:
            raise BadRequest(f"cannot be read ({error.strerror})", parameter="answers", value=str(given)) from None
        except ValueError:
            raise BadRequest("is not JSON", parameter="answers", value=str(given)) from None
    if held is None:
        return None
    entries = held.get("proposed") if isinstance(held, Mapping) else None
    if (
        not isinstance(held, Mapping)
        or not isinstance(held.get("adversary"), str)
        or not isinstance(entries, list)
        or not all(isinstance(one, Mapping) and {"asked", "answer", "reason"} <= set(one) for one in entries)
    ):
        raise BadRequest("must hold what sfumato advise --out wrote", parameter="answers")
    return held
