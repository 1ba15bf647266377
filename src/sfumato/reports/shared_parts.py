"""What the pages of all kinds of releases say alike: the summary on top, requirements, weaknesses, attacks, governance."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath

from sfumato.contracts.asked import Asked
from sfumato.contracts.certificate import Certificate
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.finding import Findings
from sfumato.data.messages import tell, worded
from sfumato.errors import BadRequest
from sfumato.publishing.acceptance import answered_yes
from sfumato.reports.attack_view import (
    attack_name,
    attack_views,
    attacker_rows,
    chance,
    in_order,
    remaining,
    risk_rows,
    risk_view,
    untried_rows,
)
from sfumato.reports.page import Section
from sfumato.reports.words import listing, number, percent, printable

__all__ = [
    "DATE_VARIABLE",
    "accepted_rows",
    "attack_part",
    "contents",
    "governance_part",
    "recheck",
    "signing_lines",
    "stated",
    "summary_rows",
    "weakness_rows",
]

_SECTIONS = ("context", "data", "identifiability", "mitigation", "governance")


def contents(parts: Mapping[str, Sequence[tuple[str, str]]]) -> list[Section]:
    """Return the five sections, in the order of ISO/IEC 27559, with the anchors inside each."""
    return [
        Section(key, tell(f"page.section.{key}"), tell(f"page.question.{key}"), parts.get(key, ())) for key in _SECTIONS
    ]


def weakness_rows(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return each family of attacks that no requirement stops: its name and what it is."""
    return [_parted(worded(text)) for text in texts]


def _parted(text: str) -> tuple[str, str]:
    name, _, words = text.partition(": ")
    return (name, words) if words else ("", name)


def attack_part(evidence: Evidence, weaknesses: Sequence[str]) -> dict[str, object]:
    """Return what the page says about attacks; on a public page nothing that was found."""
    found = None if evidence.public else evidence.findings
    families = listing([name or words for name, words in weakness_rows(weaknesses)])
    return {
        "open_families": families,
        "no_attacks": _silence(evidence),
        "threshold": "" if found is None else chance(found.threshold),
        "attacks": [] if found is None else attack_views(found),
        "compared": _compared(found),
        "attackers": [] if found is None else attacker_rows(found),
        "risk": None if found is None else risk_view("risks", risk_rows(found)),
        "untried": [] if found is None else untried_rows(found),
        "remaining": [] if found is None else remaining(found),
        "asked_three": [] if evidence.public else [_answer(one) for one in evidence.questions],
        "identifiers": [] if found is None else [_identifier(one) for one in found.identifiers],
    }


def accepted_rows(policy: Asked | None, evidence: Evidence) -> list[tuple[str, str | None]]:
    """Return each attack that said yes, with the reason why that is accepted, or ``None``; a stranger is not told."""
    if evidence.public:
        return []
    reasons = {} if policy is None else {one.id: printable(one.reason, 2000) for one in policy.accepted}
    said = dict.fromkeys([*(one.attack for one in answered_yes(evidence)), *reasons])
    return [(attack_name(attack), reasons.get(attack)) for attack in said]


def _answer(told: Mapping[str, object]) -> tuple[str, str, str]:
    about = f" ({printable(told['about'], 60)})" if told.get("about") is not None else ""
    answer = tell(f"page.web.answer.{str(told['answer']).replace(' ', '_')}")
    return tell(f"page.web.question.{told['id']}") + about, answer, printable(worded(str(told["reading"])), 2000)


def _silence(evidence: Evidence) -> str:
    if evidence.untried:
        return tell("page.attacks.none_possible", why=printable(worded(evidence.untried), 400))
    return tell("page.attacks.none_tried")


def _identifier(one: Mapping[str, object]) -> str:
    said = {key: printable(value, 200) for key, value in one.items()}
    reason = f": {printable(worded(str(one['reason'])), 200)}" if "reason" in said else ""
    return f"{said.get('column') or tell('page.attacks.a_column')}{reason}"


def governance_part(
    certificate: Certificate, evidence: Evidence, files: Sequence[str], made_by: str | None
) -> dict[str, object]:
    """Return what the page says about checking, keeping and looking again.

    ``files`` are those of the private folder; ``made_by`` is the command that made the release, if no search did.
    """
    return {
        "again": again(evidence, made_by),
        "private_files": [
            (name, tell(f"page.private_file.{name.partition('.')[0]}")) for name in PRIVATE_FILES if name in files
        ],
        "recheck": recheck(certificate.not_protected_against),
        "hashes": fingerprints(certificate, evidence),
        "versions": sorted(certificate.versions.items()),
        "verifier": worded(certificate.verifier),
        "signed": evidence.signed,
        "file": _file(certificate),
    }


def _file(certificate: Certificate) -> list[tuple[str, str]]:
    release = certificate.release
    main = release.files[0]
    known = (
        ("kind", release.kind),
        ("made_by", worded(certificate.algorithm.id)),
        ("file", main.file),
        ("format", release.format),
        ("rows", number(main.rows)),
        ("row_order", None if release.row_order is None else worded(release.row_order)),
    )
    return [(tell(f"page.release.{key}"), printable(value)) for key, value in known if value is not None]


def stated(policy: Asked | None) -> list[tuple[str, str]]:
    """Return what the policy says about the occasion: what for, for whom, and who answers for it."""
    if policy is None:
        return []
    said = {"purpose": policy.purpose, "recipients": policy.recipients, "steward": policy.steward}
    return [(tell(f"page.stated.{key}"), printable(text, 2000)) for key, text in said.items() if text]


def _compared(found: Findings | None) -> str:
    """Say which attacks were tried on the table before masking as well."""
    known = [] if found is None else [one.before is not None for one in found.tried]
    which = "all" if known and all(known) else "some" if any(known) else "none"
    threshold = "" if found is None else chance(found.threshold)
    return tell(f"page.attacks.compared.{which}", attacks=len(known), threshold=threshold)


PRIVATE_FILES = (
    "policy.yaml",
    "recoding.json",
    "links.csv",
    "trace.json",
    "audit.json",
    "questions.json",
    "before.json",
    "utility.json",
    "series.json",
    "run.json",
    "report.html",
)
"""What may lie in the private folder."""


def again(evidence: Evidence, made_by: str | None = None) -> list[tuple[str, str]]:
    """Return commands with what they do: make the release again, verify it, attack it, make this page again.

    ``made_by`` is the command that made the release, where it was not a search.
    """
    if evidence.public:
        return [
            (tell("page.again.verify"), "sfumato verify FOLDER"),
            (tell("page.again.page"), "sfumato report FOLDER --edition public --out again.html"),
        ]
    name = input_name(evidence) or "INPUT"
    return [
        (
            tell("page.again.release"),
            made_by or f"sfumato anonymize {name} --policy OUT/private/policy.yaml --out AGAIN",
        ),
        (tell("page.again.verify"), "sfumato verify OUT"),
        (
            tell("page.again.attack"),
            f"sfumato audit OUT --raw {name} --external TABLE",
        ),
        (tell("page.again.page_with_raw"), f"sfumato report OUT --raw {name}"),
    ]


def input_name(evidence: Evidence) -> str | None:
    """Return the name of the input without its folder; of a database nothing but that it was one."""
    given = evidence.run.get("input")
    if not given:
        return None
    if "://" in str(given):
        return "DATABASE"
    return printable(re.sub(r"[^\w.+-]", "_", PurePath(str(given)).name), 120)


def fingerprints(certificate: Certificate, evidence: Evidence) -> list[tuple[str, str]]:
    """Return SHA-256 fingerprints: of the public files, the policy, and on an internal page the input."""
    files = certificate.release.files
    out = [(printable(entry.file), entry.sha256) for entry in files if entry.file and entry.sha256]
    known = (
        (tell("page.file.dictionary"), certificate.schema_sha256),
        (tell("page.file.policy"), certificate.policy_sha256),
    )
    out += [(words, digest) for words, digest in known if digest]
    digest = evidence.run.get("input_sha256")
    return [*out, *([(tell("page.file.input"), digest)] if digest and not evidence.public else [])]


def recheck(weaknesses: Sequence[str]) -> list[tuple[str, str]]:
    """Return what must be looked at again, and when."""
    return [
        (
            tell("page.recheck.more"),
            tell("page.recheck.more_why"),
        ),
        (
            tell("page.recheck.table"),
            tell("page.recheck.table_why"),
        ),
        (
            tell("page.recheck.recipient"),
            tell("page.recheck.recipient_why"),
        ),
        (
            tell("page.recheck.attack"),
            tell("page.recheck.attack_why"),
        ),
        (
            tell("page.recheck.people"),
            tell("page.recheck.people_why"),
        ),
        *(
            [
                (
                    tell("page.recheck.decisions"),
                    tell("page.recheck.decisions_why"),
                )
            ]
            if weaknesses
            else []
        ),
    ]


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
