"""The page of a release of any kind, inside or outside the house."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.publishing.evidence import Evidence
from sfumato.publishing.release import Release
from sfumato.reports.html import report_page
from sfumato.reports.kind_page import kind_page

__all__ = ["page_of"]


def page_of(release: Release, certificate: Mapping[str, Any], evidence: Evidence) -> str:
    """Return the report: that of a recoded table, or that of a release with parts."""
    return (kind_page if release.parts else report_page)(release, certificate, evidence)
