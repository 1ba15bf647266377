"""What to keep, what to repeat, what to look at again: the words of the last section of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from sfumato.contracts.certificate import Certificate
from sfumato.contracts.evidence import Evidence
from sfumato.data.messages import tell
from sfumato.reports.words import printable

__all__ = ["PRIVATE_FILES", "again", "fingerprints", "recheck"]

PRIVATE_FILES = (
    "policy.yaml",
    "recoding.json",
    "links.csv",
    "trace.json",
    "audit.json",
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
