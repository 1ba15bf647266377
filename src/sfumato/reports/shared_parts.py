"""What the pages of all kinds of releases say alike: requirements, weaknesses, attacks, governance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.contracts.asked import Asked
from sfumato.contracts.certificate import Certificate
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.finding import Findings
from sfumato.data.messages import recalled, tell, worded
from sfumato.reports.attack_view import attack_views, chance, remaining, untried_rows
from sfumato.reports.governance import PRIVATE_FILES, again, fingerprints, recheck
from sfumato.reports.page import Section
from sfumato.reports.risk_view import attacker_rows, risk_rows, risk_view
from sfumato.reports.words import listing, number, printable

__all__ = ["attack_part", "contents", "governance_part", "stated", "weakness_rows"]

_SECTIONS = ("context", "data", "identifiability", "mitigation", "governance")


def contents(parts: Mapping[str, Sequence[tuple[str, str]]]) -> list[Section]:
    """Return the five sections, in the order of ISO/IEC 27559, with the anchors inside each."""
    return [
        Section(key, tell(f"page.section.{key}"), tell(f"page.question.{key}"), parts.get(key, ())) for key in _SECTIONS
    ]


def weakness_rows(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return each family of attacks that no requirement stops: its name and what it is."""
    known = [recalled(text) for text in texts]
    return [
        (worded(str(one.facts["name"])), worded(str(one.facts["means"])))
        if one is not None and one.id == "family.told"
        else _parted(text)
        for one, text in zip(known, texts, strict=True)
    ]


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
        "identifiers": [] if found is None else [_identifier(one) for one in found.identifiers],
    }


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
