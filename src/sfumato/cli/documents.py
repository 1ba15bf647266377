"""Answers of commands as one JSON document."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING

from sfumato.cli.texts import show
from sfumato.data.json import finite

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.contracts.published import Release

__all__ = ["show_json", "show_release"]


def show_json(document: object) -> None:
    """Print a document as JSON; infinite numbers, and whatever else it has no form for, are texts there."""
    plain = asdict(document) if is_dataclass(document) and not isinstance(document, type) else document
    show(json.dumps(finite(plain), indent=1, default=str, allow_nan=False))


def show_release(release: Release, out: Path) -> None:
    """Print where a release lies and what is certified of it, as JSON."""
    from sfumato.publishing.published import open_published

    certificate = open_published(out, private=False).certified
    show_json(
        {"out": str(out), "warnings": [str(one) for one in release.warnings], "certificate": certificate.document}
    )
