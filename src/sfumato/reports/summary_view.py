"""The page on top: what was protected against, what it cost, who answers for it, and a line to sign on."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from sfumato.contracts.asked import Asked
from sfumato.contracts.certificate import Certificate
from sfumato.contracts.evidence import Evidence
from sfumato.data.messages import tell, worded
from sfumato.errors import BadRequest
from sfumato.reports.attack_view import chance, in_order
from sfumato.reports.shared_parts import weakness_rows
from sfumato.reports.words import listing, number, percent, printable

__all__ = ["DATE_VARIABLE", "signing_lines", "summary_rows"]

DATE_VARIABLE = "SOURCE_DATE_EPOCH"
"""Environment variable with the date of the page, in seconds since 1970: without it the same input has the same page."""


def summary_rows(certificate: Certificate, evidence: Evidence) -> list[tuple[str, list[str]]]:
    """Return what a reader wants to know first, by heading; what was not measured is left out."""
    adversaries = [entry.adversary for entry in certificate.requirements]
    adversaries += [entry.adversary for entry in certificate.procedures]
    rows = [("protected", tell("page.summary.somebody", does=worded(text))) for text in dict.fromkeys(adversaries)]
    families = [name or words for name, words in weakness_rows(certificate.not_protected_against)]
    rows += [("open", listing(families))] if families else []
    rows += [("risk", text) for text in _risk(evidence)]
    lost = [entry for entry in certificate.metrics if entry.metric == "loss"]
    rows += [
        ("left", tell("page.summary.detail", left=percent(1 - one.value, 1), of=list(one.by_column))) for one in lost
    ]
    published, read = (certificate.counts.get(f"records_{what}") for what in ("published", "read"))
    if published is not None:
        share = percent(published, read) if read and not evidence.public else None
        text = (
            number(published) if share is None else tell("page.summary.of", published=published, read=read, share=share)
        )
        rows.append(("records", text))
    keys = dict.fromkeys(key for key, _ in rows)
    return [(tell(f"page.summary.{key}"), [text for at, text in rows if at == key]) for key in keys]


def _risk(evidence: Evidence) -> list[str]:
    """Say how the attack that succeeds best now did before; a stranger is not told."""
    found = None if evidence.public else evidence.findings
    tried = [] if found is None else [one for one in in_order(found) if "record" in one.aims_at]
    if not tried:
        return []
    worst = max(tried, key=lambda one: one.after.highest)
    now = {"highest": chance(worst.after.highest), "average": chance(worst.after.mean)}
    if worst.before is None:
        return [tell("page.summary.now", **now)]
    before, before_average = chance(worst.before.highest), chance(worst.before.mean)
    return [tell("page.summary.then", before=before, before_average=before_average, **now)]


def signing_lines(policy: Asked | None) -> list[tuple[str, str | None]]:
    """Return who answers for the release, when, and a place to sign; what nobody said is ``None``, a line to fill in."""
    steward = printable(policy.steward, 2000) if policy is not None and policy.steward else None
    lines = {"steward": steward, "date": _date(policy), "signature": None}
    return [(tell(f"page.signing.{key}"), text) for key, text in lines.items()]


def _date(policy: Asked | None) -> str | None:
    if policy is not None and policy.date is not None:
        return policy.date.isoformat()
    given = os.environ.get(DATE_VARIABLE)
    if not given:
        return None
    try:
        return datetime.fromtimestamp(int(given), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise BadRequest("must be seconds since 1970", parameter=DATE_VARIABLE, value=given) from None
