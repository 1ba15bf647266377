"""Answers of commands as one JSON document."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from math import isfinite
from typing import TYPE_CHECKING

from sfumato.cli.texts import show

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.contracts.model import Verdict
    from sfumato.contracts.published import Release

__all__ = ["show_json", "show_release", "verdict_document"]


def show_json(document: object) -> None:
    """Print a document as JSON; infinite numbers, and whatever else it has no form for, are texts there."""
    plain = asdict(document) if is_dataclass(document) and not isinstance(document, type) else document
    show(json.dumps(_finite(plain), indent=1, default=str, allow_nan=False))


def _finite(value: object) -> object:
    """Write infinite numbers as text: JSON has none."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def verdict_document(verdict: Verdict) -> dict[str, object]:
    """Return a verdict for JSON; which values groups have, and what is seen there, stays with whoever has the table."""
    kept = [{"size": one.size, "measured": one.measured} for one in verdict.violations]
    return {**asdict(verdict), "violations": kept}


def show_release(release: Release, out: Path) -> None:
    """Print where a release lies and what is certified of it, as JSON."""
    from sfumato.publishing.published import open_published

    certificate = open_published(out, private=False).certified
    show_json(
        {"out": str(out), "warnings": [str(one) for one in release.warnings], "certificate": certificate.document}
    )
