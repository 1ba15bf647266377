"""What to keep, what to repeat, what to look at again: the words of the last section of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from sfumato.contracts.certificate import Certificate
from sfumato.contracts.evidence import Evidence
from sfumato.reports.words import printable

__all__ = ["PRIVATE_FILES", "again", "fingerprints", "recheck"]

PRIVATE_FILES: Mapping[str, str] = {
    "policy.yaml": "what was asked, with hierarchies that may hold raw values, and the seed",
    "recoding.json": "what became of each value before masking",
    "links.csv": "values before masking and the group they are in, or what is published of them, where there are groups",
    "trace.json": "the steps of the search, and the seed where there is one",
    "audit.json": "what the attacks found",
    "before.json": "distributions before masking",
    "utility.json": "what questions and predictions from the release are worth",
    "run.json": "where the input was, and its fingerprint",
    "report.html": "this page",
}
"""What lies in the private folder, and what it tells whoever gets hold of it."""


def again(evidence: Evidence, made_by: str | None = None) -> list[tuple[str, str]]:
    """Return commands with what they do: make the release again, verify it, attack it, make this page again.

    ``made_by`` is the command that made the release, where it was not a search.
    """
    if evidence.public:
        return [
            ("Repeat every check from the public files alone", "sfumato verify FOLDER"),
            ("Make this page again", "sfumato report FOLDER --edition public --out again.html"),
        ]
    name = input_name(evidence) or "INPUT"
    return [
        ("Make the release again", made_by or f"sfumato anonymize {name} --policy OUT/private/policy.yaml --out AGAIN"),
        ("Repeat every check from the public files alone", "sfumato verify OUT"),
        (
            "Try every attack again, with tables that an adversary may have",
            f"sfumato audit OUT --raw {name} --external TABLE",
        ),
        ("Make this page again, with what needs the raw table", f"sfumato report OUT --raw {name}"),
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
    known = (("data dictionary", certificate.schema_sha256), ("policy", certificate.policy_sha256))
    out += [(words, digest) for words, digest in known if digest]
    digest = evidence.run.get("input_sha256")
    return [*out, *([("input", digest)] if digest and not evidence.public else [])]


def recheck(weaknesses: Sequence[str]) -> list[tuple[str, str]]:
    """Return what must be looked at again, and when."""
    return [
        (
            "Before anything else about the same people is published",
            "two releases together can tell more than each of them alone; no figure on this page speaks of that",
        ),
        (
            "When a new table about these people becomes available to others",
            "a column that nobody could know may become one that an adversary knows: its role must change",
        ),
        (
            "When somebody else is to receive the data, or for another purpose",
            "who might attack, and what there is to gain, was settled for the first recipients",
        ),
        (
            "When a new way of attacking becomes known, and at least once a year",
            "what was tried can be tried again with a later version, which may know more attacks",
        ),
        (
            "When people ask to be left out",
            "what has left the house cannot be called back; the next release can leave them out",
        ),
        *(
            [
                (
                    "Before the data is used for decisions about single people",
                    "protection was not asked against everything",
                )
            ]
            if weaknesses
            else []
        ),
    ]
