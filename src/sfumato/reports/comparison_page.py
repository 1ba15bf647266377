"""The page of a comparison: what every algorithm made of a table, as a table and as a picture, the best ones marked."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.comparison import Attempt, Criterion
from sfumato.data.messages import ENGLISH, speaking, tell
from sfumato.reports.comparison_view import comparison_table, risk_view
from sfumato.reports.page import Section, rendered
from sfumato.reports.words import percent, printable

__all__ = ["comparison_page"]


def comparison_page(attempts: Sequence[Attempt], by: Criterion, language: str = ENGLISH) -> str:
    """Return a comparison as one self-contained HTML page; it must stay in the house."""
    with speaking(language):
        best = [(one, error) for one in attempts if one.best and (error := one.by(by)) is not None]
        return rendered(
            "compare.html.j2",
            public=False,
            title=tell("page.compare.page"),
            lead=tell("page.compare.lead"),
            footer=tell("page.compare.footer"),
            contents=[
                Section("compared", tell("page.compare.table"), ""),
                Section("drawn", tell("page.compare.drawn"), ""),
            ],
            best=[
                tell(
                    "page.compare.best_is" if one.k is None else "page.compare.best_at_k",
                    name=printable(one.algorithm),
                    what=tell(f"page.compare.{by}"),
                    error=percent(error, 1),
                    k=one.k,
                )
                for one, error in best
            ],
            table=comparison_table(attempts),
            picture=risk_view("compare", attempts, by),
        )
