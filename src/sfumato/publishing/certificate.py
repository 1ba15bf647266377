"""The certificate as a file: canonical JSON with a digest of itself, so that every changed byte shows.

A file is checked by its schema first and then by its digest. Version 1 is read as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import TYPE_CHECKING

from sfumato.contracts.certificate import FORMAT, Certificate, Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["canonical", "open_certificate", "seal", "sha256", "versions", "weaknesses"]

FILE = "certificate.json"

_FAMILIES = ("record", "attribute", "table", "probabilistic")


def sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def canonical(document: Mapping[str, Json]) -> bytes:
    """Return the one way to write a document."""
    return (json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode()


def seal(document: Mapping[str, Json]) -> bytes:
    """Return the bytes of a certificate, with the digest of everything else inside."""
    plain = document.document if isinstance(document, Certificate) else document
    return canonical({**plain, "digest": sha256(canonical(plain))})


def open_certificate(data: bytes) -> Certificate:
    """Return the certificate in a file; one that is none, or that differs from what was sealed, is refused."""
    try:
        document = json.loads(data)
        digest = document.pop("digest")
        number = document["certificate"]
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise BadRequest("is not a certificate", parameter=FILE) from None
    if number == 1 and "output_sha256" not in document:
        raise BadRequest("is not a certificate of version 1", parameter=FILE)
    certificate = _typed(_version_2(document) if number == 1 else document)
    if sha256(canonical(document)) != digest or seal(document) != data:
        raise BadRequest("was changed after it was sealed", parameter=FILE)
    return certificate


@cache
def _schema() -> TypeAdapter[Certificate]:
    from pydantic import TypeAdapter

    return TypeAdapter(Certificate)


def _typed(document: Mapping[str, Json]) -> Certificate:
    """Return the document as a certificate; say which entry is not what it should be, and never what it holds."""
    from pydantic import ValidationError

    try:
        certificate = _schema().validate_json(json.dumps(document), strict=True)
    except (ValidationError, ValueError, RecursionError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        place = "" if first is None else f": {'.'.join(str(part) for part in first['loc'])} {first['type']}"
        raise BadRequest(f"is not a certificate{place}", parameter=FILE) from None
    if certificate.certificate not in (1, FORMAT):
        raise BadRequest(
            f"has version {certificate.certificate}; this program reads versions 1 and {FORMAT}", parameter=FILE
        )
    return certificate


def _version_2(document: Mapping[str, Json]) -> dict[str, Json]:
    """Return a document of version 1 with the entries of version 2: its only file was described beside the kind."""
    out, described = dict(document), document.get("release")
    if not isinstance(described, Mapping):
        return out
    kept = {key: value for key, value in described.items() if key not in ("file", "columns", "rows")}
    if "files" not in described:
        named = {key: described[key] for key in ("file", "columns", "rows") if key in described}
        kept["files"] = [{"part": "data", **named, "sha256": out.get("output_sha256")}]
    out["release"] = kept
    out.pop("output_sha256", None)
    return out


def weaknesses(prevented: Sequence[str]) -> list[str]:
    """Return the families of attacks that none of the requirements is made to stop."""
    return [
        say("family.told", name=say(f"family.name.{family}"), means=say(f"family.means.{family}"))
        for family in _FAMILIES
        if family not in prevented
    ]


def versions() -> dict[str, str]:
    """Return the versions of what made the release."""
    return dict(_installed())


@cache
def _installed() -> tuple[tuple[str, str], ...]:
    """Look once: nothing is installed under a process, and reading what is takes as long as a small search."""
    out = [("python", python_version())]
    for package in ("sfumato", "numpy", "numba", "polars", "pyarrow", "duckdb"):
        with suppress(PackageNotFoundError):
            out.append((package, version(package)))
    return tuple(out)
