"""The page of a desk: how it answers, what is left of its budgets, every question with what was decided, what askers learn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sfumato.contracts.run import Run
from sfumato.data.messages import ENGLISH, speaking, tell, worded
from sfumato.interactive.collected import log_of
from sfumato.interactive.shape import DeskShape
from sfumato.publishing.audit import audited
from sfumato.reports.attack_view import attack_name
from sfumato.reports.page import Section, rendered
from sfumato.reports.words import printable

if TYPE_CHECKING:
    from sfumato.interactive.desk import Desk

__all__ = ["desk_page"]

_SHOWN = 500


def desk_page(desk: Desk, language: str = ENGLISH) -> str:
    """Return the page of a desk as one self-contained HTML page; questions may name persons, so it must stay in the house."""
    with speaking(language):
        ledger, key = desk.ledger, desk.policy.desk
        asked = [(entry, facts) for entry, facts in ledger.questions.since() if entry.series == desk.name]
        rows = []
        for entry, facts in asked[-_SHOWN:]:
            held = json.loads(ledger.questions.body(entry.number))
            refused = [why for why in held.get("refused", ()) if why is not None]
            if not facts.answered:
                decided = tell("page.desk.refused")
            else:
                decided = tell("page.desk.partly" if refused else "page.desk.answered")
            part = str(json.loads(held["part"])[0])
            cost = f"{facts.epsilon / 1e6:g}" if facts.budgets else "–"
            words = (printable(held["question"], 300), printable(part), decided, cost)
            rows.append((str(entry.number), f"{entry.time:%Y-%m-%d %H:%M}", *words))
        learnt, untried = [], []
        if any(facts.answered for _, facts in asked):
            published = log_of(ledger, desk.policy, desk.table)
            found = audited(DeskShape().adversaries(published, {}), thorough=False, run=Run(), shape=published.shape)
            learnt = [
                (attack_name(one.attack, None), printable(worded(one.after.reading), 2000)) for one in found.tried
            ]
            untried = [(attack_name(one.attack, None), printable(worded(one.reason), 2000)) for one in found.untried]
        titles = {one: tell(f"page.desk.{one}") for one in ("promise", "budgets", "questions", "learns")}
        return rendered(
            "desk.html.j2",
            public=False,
            title=tell("page.desk.page", name=printable(desk.name)),
            lead=tell("page.desk.lead"),
            footer=tell("page.footer.names"),
            contents=[Section(name, title, "") for name, title in titles.items()],
            promise=tell(f"page.desk.mode_{key.mode.replace('-', '_')}"),
            records=tell("page.desk.records", records=desk.table.rows, questions=len(asked)),
            budgets=[str(ledger.budgets.quote(name, epsilon=0)) for name in ledger.budgets.names]
            if key.mode == "noisy"
            else [],
            header=[tell(f"page.desk.{name}") for name in ("entry", "when", "question", "part", "decided", "cost")],
            rows=rows,
            more=tell("page.desk.more", shown=len(rows), questions=len(asked)) if len(rows) < len(asked) else "",
            learnt=learnt,
            untried=untried,
        )
