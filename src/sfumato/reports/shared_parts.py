"""What the pages of all kinds of releases say alike: requirements, weaknesses, attacks, governance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.contracts.asked import Asked
from sfumato.contracts.certificate import Certificate
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.finding import Findings
from sfumato.reports.attack_view import attack_views, chance, remaining, untried_rows
from sfumato.reports.governance import PRIVATE_FILES, again, fingerprints, recheck
from sfumato.reports.page import Section
from sfumato.reports.risk_view import attacker_rows, risk_rows, risk_view
from sfumato.reports.words import listing, printable

__all__ = ["attack_part", "contents", "governance_part", "stated", "weakness_rows"]

_QUESTIONS: Mapping[str, tuple[str, str]] = {
    "context": ("Context", "What the release is for, what was asked of it, and who might attack it."),
    "data": ("Data", "What is in it, what each column is, and what was done to it."),
    "identifiability": ("Identifiability", "How well people in it can be found or read, before masking and now."),
    "mitigation": ("Mitigation", "What protects them, and what that cost in usefulness."),
    "governance": ("Governance", "How to repeat it, what to keep, and what to look at again."),
}


def contents(parts: Mapping[str, Sequence[tuple[str, str]]]) -> list[Section]:
    """Return the five sections, in the order of ISO/IEC 27559, with the anchors inside each."""
    return [Section(key, *words, parts.get(key, ())) for key, words in _QUESTIONS.items()]


def weakness_rows(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return each family of attacks that no requirement stops: its name and what it is."""
    parted = [text.partition(": ") for text in texts]
    return [(name, words) if words else ("", name) for name, _, words in parted]


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
        return f"None could be tried: {printable(evidence.untried, 400)}."
    return "None were tried. sfumato audit tries them on a release folder."


def _identifier(one: Mapping[str, object]) -> str:
    said = {key: printable(value, 200) for key, value in one.items()}
    reason = f": {said['reason']}" if "reason" in said else ""
    return f"{said.get('column', 'a column')}{reason}"


def governance_part(
    certificate: Certificate, evidence: Evidence, files: Sequence[str], made_by: str | None
) -> dict[str, object]:
    """Return what the page says about checking, keeping and looking again.

    ``files`` are those of the private folder; ``made_by`` is the command that made the release, if no search did.
    """
    return {
        "again": again(evidence, made_by),
        "private_files": [(name, words) for name, words in PRIVATE_FILES.items() if name in files],
        "recheck": recheck(certificate.not_protected_against),
        "hashes": fingerprints(certificate, evidence),
        "versions": sorted(certificate.versions.items()),
        "verifier": certificate.verifier,
        "signed": evidence.signed,
        "file": _file(certificate),
    }


def _file(certificate: Certificate) -> list[tuple[str, str]]:
    release = certificate.release
    main = release.files[0]
    known = (
        ("kind", release.kind),
        ("made by", certificate.algorithm.id),
        ("file", main.file),
        ("format", release.format),
        ("rows", f"{main.rows:,}"),
        ("row order", release.row_order),
    )
    return [(key, printable(value)) for key, value in known if value is not None]


def stated(policy: Asked | None) -> list[tuple[str, str]]:
    """Return what the policy says about the occasion: what for, for whom, and who answers for it."""
    if policy is None:
        return []
    said = {"Purpose": policy.purpose, "Recipients": policy.recipients, "Who answers for it": policy.steward}
    return [(words, printable(text, 2000)) for words, text in said.items() if text]


def _compared(found: Findings | None) -> str:
    """Say which attacks were tried on the table before masking as well."""
    known = [] if found is None else [one.before is not None for one in found.tried]
    if not any(known):
        return ""
    return " and on the table before masking" if all(known) else ", some of them also on the table before masking"
