"""The page of a series: how its releases went on, and what whoever keeps them all learns from them."""

from __future__ import annotations

from sfumato.contracts.evidence import Evidence
from sfumato.data.messages import ENGLISH, speaking, tell, worded
from sfumato.reports.attack_view import attack_name
from sfumato.reports.course_view import course_view
from sfumato.reports.page import Section, rendered
from sfumato.reports.words import printable

__all__ = ["series_page"]


def series_page(name: str, evidence: Evidence, language: str = ENGLISH) -> str:
    """Return the page of a series as one self-contained HTML page; it must stay in the house."""
    with speaking(language):
        found = evidence.findings
        title = tell("page.series.title")
        anchors = [("learns", tell("page.series.learns")), ("untried", tell("page.series.untried"))]
        return rendered(
            "series.html.j2",
            public=False,
            title=tell("page.series.page", name=printable(name)),
            lead=tell("page.series.lead"),
            footer=tell("page.footer.names"),
            contents=[Section("series", title, "", anchors)],
            course=course_view(evidence.course),
            learnt=[
                (attack_name(one.attack, one.sensitive), printable(worded(one.after.reading), 2000))
                for one in (() if found is None else found.tried)
            ],
            untried=[
                (attack_name(one.attack, None), printable(worded(one.reason), 2000))
                for one in (() if found is None else found.untried)
            ],
        )
