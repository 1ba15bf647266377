"""The page of a release of any kind, inside or outside the house."""

from __future__ import annotations

from sfumato.contracts.evidence import Evidence
from sfumato.contracts.published import Published
from sfumato.releases.recoded_table import RecodedTable
from sfumato.reports.html import report_page
from sfumato.reports.kind_page import kind_page

__all__ = ["page_of"]


def page_of(published: Published, evidence: Evidence) -> str:
    """Return the report: that of a recoded table, or that of every other kind."""
    page = report_page if published.kind == RecodedTable.id else kind_page
    return page(published, published.certified, evidence)
