"""The certificate: what was verified on the written output, in a form that shows every changed byte.

The file is canonical JSON (sorted keys, two blanks of indent) and carries a digest of itself, so verification can insist on
the exact bytes. It holds no time, no path, no seed and no raw value: the same release has the same certificate.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

from sfumato.contracts.metric import Measured
from sfumato.contracts.model import Audit, Verdict
from sfumato.errors import BadRequest

__all__ = [
    "canonical",
    "open_certificate",
    "procedure_entry",
    "requirement_entry",
    "seal",
    "sha256",
    "versions",
    "weaknesses",
]

FORMAT = 1

_FAMILIES: Mapping[str, str] = {
    "record": "record linkage: finding the record of a known person",
    "attribute": "attribute linkage: learning a sensitive value from a group that shares it",
    "table": "table linkage: learning whether a known person is in the table at all",
    "probabilistic": "probabilistic attacks: changing the adversary's belief about a person by more than a stated amount",
}


def sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def canonical(document: Mapping[str, Any]) -> bytes:
    """Return the one way to write a document."""
    return (json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode()


def seal(document: Mapping[str, Any]) -> bytes:
    """Return the bytes of a certificate, with the digest of everything else inside."""
    return canonical({**document, "digest": sha256(canonical(document))})


def open_certificate(data: bytes) -> dict[str, Any]:
    """Return the document of a certificate; any byte that differs from what was sealed is refused."""
    try:
        document: dict[str, Any] = json.loads(data)
        digest = document.pop("digest")
    except (ValueError, KeyError, AttributeError, TypeError):
        raise BadRequest("is not a certificate", parameter="certificate.json") from None
    if sha256(canonical(document)) != digest or seal(document) != data:
        raise BadRequest("was changed after it was sealed", parameter="certificate.json")
    return document


def requirement_entry(verdict: Verdict) -> dict[str, Any]:
    """Return what the certificate says about one requirement."""
    return {
        "model": verdict.model,
        "parameters": dict(verdict.parameters),
        "quasi_identifier": list(verdict.qid),
        "satisfied": verdict.satisfied,
        "measured": verdict.strongest,
        "needed": verdict.bound,
        "groups": verdict.groups,
        "records": verdict.records,
        "adversary": verdict.adversary,
    }


def procedure_entry(audit: Audit, procedure: Mapping[str, Any], *, repeatable: bool) -> dict[str, Any]:
    """Return what the certificate says about one requirement on the procedure, and what that rests on."""
    return {
        "model": audit.model,
        "parameters": dict(audit.parameters),
        "satisfied": audit.satisfied,
        "measured": audit.measured,
        "needed": audit.bound,
        "adversary": audit.adversary,
        "procedure": dict(procedure),
        "checked": "computed from the stated parameters of the procedure, for anybody to repeat"
        if repeatable
        else "measured on the input before publishing; nobody can repeat it without the input",
        "repeatable": repeatable,
    }


def metric_entry(measured: Measured) -> dict[str, Any]:
    """Return what the certificate says about one metric."""
    return {
        "metric": measured.metric,
        "value": measured.value,
        "by_column": dict(measured.by_attribute),
        "lowest": measured.lowest,
        "highest": measured.highest,
    }


def weaknesses(prevented: Sequence[str]) -> list[str]:
    """Return the families of attacks that none of the requirements is made to stop."""
    return [text for family, text in _FAMILIES.items() if family not in prevented]


def versions() -> dict[str, str]:
    """Return the versions of what made the release."""
    out = {"python": python_version()}
    for package in ("sfumato", "numpy", "numba", "polars", "pyarrow", "duckdb"):
        try:
            out[package] = version(package)
        except PackageNotFoundError:
            continue
    return out
