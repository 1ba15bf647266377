"""Step 2: say for each column what an outsider could know, and what must stay secret."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import comb

from sfumato.data.messages import signs, tell, worded
from sfumato.data.schema import Role
from sfumato.tables.profile import ColumnProfile
from sfumato.web.charts import dots, sparkline
from sfumato.web.elements import Act, Told, box, button, check, choice, drawing, later, off_loop, region, text
from sfumato.web.figures import SETS, alone, spread
from sfumato.web.frame import Page, as_table, aside, card, foot, frame, next_card
from sfumato.web.project import Project

__all__ = ["ROLES", "draw"]

ROLES: dict[Role, str] = {
    Role.IDENTIFIER: "1",
    Role.QUASI_IDENTIFIER: "K",
    Role.SENSITIVE: "S",
    Role.TARGET: "T",
    Role.PLAIN: "=",
    Role.DROP: "–",
}
"""The roles that can be chosen, with the sign of each; whatever is never read has no other name here than held back."""


def draw(project: Project) -> None:
    """Draw the page."""
    with frame(project, "roles") as page:
        picked: set[str] = set()
        known = {"columns": 3}

        def show(columns: int) -> None:
            known["columns"] = columns
            picture()
            counting()

        holder = box("div", "cols")
        with holder:
            with box("div", "stack"):
                grid = region(lambda: _grid(page, picked, lambda: refreshed()), "section", "card flush", mark="grid")
                picture = region(lambda: _picture(project, known["columns"], show), "section", "card")
            with aside():
                advice = region(lambda: _advice(project, lambda: refreshed()), "div", "stack")
                with card(tell("page.web.roles.six")), box("ul", "plain-list"):
                    for role in ROLES:
                        with box("li"):
                            _role(role)
                            text(tell(f"page.web.role_means.{role}"), "p", "soft small")

        async def count() -> None:
            await off_loop(lambda: alone(project, known["columns"]))
            picture()

        def counting() -> None:
            with holder:  # what somebody clicked on may have been drawn anew
                later(count)

        def refreshed() -> None:
            picked.clear()
            for part in (grid, advice, page.again):
                part()
            counting()

        counting()
        foot(page, tell("page.web.onwards.roles"))


def _role(role: Role) -> None:
    with box("span", f"role r-{ROLES[role] if ROLES[role].isalpha() else role}"):
        text(ROLES[role], "i", aria_hidden="true")
        text(tell(f"page.web.role.{role}"))


def _options() -> dict[str, str]:
    return {str(role): tell(f"page.web.role.{role}") for role in ROLES}


def _grid(page: Page, picked: set[str], again: Act) -> None:
    project, roles = page.project, page.project.roles()
    wanted = {"role": str(Role.DROP)}

    def pick(name: str, held: bool) -> None:
        (picked.add if held else picked.discard)(name)
        bar()

    def want(role: str) -> None:
        wanted["role"] = role

    def assign() -> None:
        project.set_role(sorted(picked), Role(wanted["role"]))
        again()

    def set_one(name: str, role: str) -> None:
        project.set_role([name], Role(role))
        again()

    def many() -> None:
        text(tell("page.web.roles.selected", count=len(picked)), "b")
        text(", ".join(sorted(picked)), "span", "soft grow")
        if picked:
            choice(_options(), wanted["role"], want, tell("page.web.roles.set_to"))
            button(tell("page.web.roles.set", count=len(picked)), assign, "slim")

    bar = region(many, "div", "bar")
    with box("div", "scroll", tabindex="0"), box("table"):
        with box("thead"), box("tr"):
            text(" ", "th")
            for name in ("column", "distinct", "spread", "role", "reason"):
                text(tell(f"page.web.roles.{name}"), "th", "num" if name == "distinct" else "", scope="col")
        with box("tbody"):
            for at, column in enumerate(project.profile):
                with box("tr", "sel" if column.name in picked else ""):
                    with box("td"):
                        check(column.name in picked, partial(pick, column.name), column.name)
                    _line(project, column, roles[column.name], partial(set_one, column.name), f"role-c{at}")


def _line(project: Project, column: ColumnProfile, role: Role, act: Told, mark: str) -> None:
    with box("th", scope="row"):
        text(column.name, "div")
        gaps = f" · {tell('page.web.roles.missing', count=column.missing)}" if column.missing else ""
        text(f"{tell(f'page.web.type.{column.type}')}{gaps}", "span", "soft small light")
    text(signs(f"{column.distinct:,}"), "td", "num")
    with box("td"):
        if role is Role.IDENTIFIER:
            text(tell("page.web.roles.not_shown"), "span", "soft small")
        else:
            drawing(sparkline(spread(project, column.name), tell("page.web.roles.spread")))
    with box("td"), box("span", f"role r-{ROLES.get(role, '–') if ROLES.get(role, '–').isalpha() else role}"):
        text(ROLES.get(role, "–"), "i", aria_hidden="true")
        options = _options() if role in ROLES else {str(role): str(role), **_options()}
        choice(options, str(role), act, f"{tell('page.web.roles.role')}: {column.name}", mark=mark)
    with box("td", "small"):
        text(worded(column.reason), "span", "soft")
        if column.name in project.place.yours:
            text(tell("page.web.yours"), "span", "tag acc")


def _picture(project: Project, known: int, show: Callable[[int], None]) -> None:
    with box("header"):
        text(tell("page.web.roles.picture", count=known), "h2")
        with box("div", "seg", role="group", aria_label=tell("page.web.roles.column")):
            for columns in (1, 2, 3):
                on = columns == known
                made = button(
                    str(columns), partial(show, columns), "on" if on else "", aria_pressed=on, mark=f"known-{columns}"
                )
                made.classes(remove="btn")
    qids = project.policy.of_role(Role.QUASI_IDENTIFIER)
    if not project.known(("sets", qids, known)):
        text(tell("page.web.roles.counting"), "p", "soft")
        return
    found = alone(project, known)
    if not found:
        text(tell("page.web.roles.none_known"), "p", "soft")
        return
    rows = project.found.table.rows
    first, last = found[0], found[-1]
    text(
        tell("page.web.roles.reading", columns=list(first.columns), count=first.people, rows=rows),
        "p",
        "reading",
    )
    if last is not first:
        text(tell("page.web.roles.least", columns=list(last.columns), count=last.people), "p", "reading")
    label = tell("page.web.roles.caption", rows=rows)
    shown = [name for name in qids if any(name in one.columns for one in found)]
    drawing(dots([(one.columns, one.people) for one in found], shown, rows, label))
    as_table(
        [tell("page.web.table.columns"), tell("page.web.table.alone")],
        [(", ".join(one.columns), signs(f"{one.people:,}")) for one in found],
    )
    text(label, "p", "small soft")
    sets = comb(len(qids), min(known, len(qids)))
    if sets > SETS:
        text(tell("page.web.roles.some_sets", count=SETS, all=sets), "p", "small soft")


def _advice(project: Project, again: Act) -> None:
    """Offer to hold back what tells most and is needed least: the column whose values are most spread."""
    roles, rows = project.roles(), project.found.table.rows
    known = [one for one in project.profile if roles[one.name] is Role.QUASI_IDENTIFIER]
    many = sorted((one for one in known if one.distinct > 50), key=lambda one: -one.distinct)

    def hold(name: str) -> None:
        project.set_role([name], Role.DROP)
        again()

    next_card(
        [
            (
                tell("page.web.roles.hold_back", column=one.name, distinct=one.distinct, rows=rows),
                tell("page.web.roles.hold", column=one.name),
                partial(hold, one.name),
            )
            for one in many[:2]
        ]
        if len(known) > 2
        else []
    )
