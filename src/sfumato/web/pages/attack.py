"""Step 7: what outsiders would learn, as sentences and pictures; nobody is shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import ceil
from pathlib import Path

import numpy as np

from sfumato.contracts.finding import Findings
from sfumato.data.json import Json
from sfumato.data.messages import called, signs, tell, worded
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.publishing.acceptance import Yes
from sfumato.publishing.published import open_published
from sfumato.reports.attack_view import attacker_rows
from sfumato.web.charts import bars, meter, risk_line
from sfumato.web.elements import Act, box, button, choice, drawing, entry, every, go, region, text
from sfumato.web.figures import WeakGroup, breaking, guessable, weakest
from sfumato.web.frame import Page, as_table, aside, card, foot, frame, next_card
from sfumato.web.pages.search import stage_name
from sfumato.web.project import OUTSIDE, Project, RunEntry, Spec

__all__ = ["ATTACKERS", "draw", "left", "risk_bins"]

Sizes = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

_BINS = ((100, "100"), (50, "50"), (20, "20"), (10, "10"), (5, "5"), (2, "2"), (1, "1"))


def draw(project: Project) -> None:
    """Draw the page."""
    with frame(project, "attack") as page:
        run = project.chosen
        folder = None if run is None else project.made(run)
        if run is None or folder is None:
            text(tell("page.web.explore.no_run"), "p", "note warn")
            foot(page, "", ready=False)
            return
        found = project.findings(run)
        if found is None:
            text(tell("page.web.attack.not_tried"), "p", "note warn")
            foot(page, tell("page.web.onwards.attack"))
            return
        verdict = region(lambda: _verdict(project, run, found))

        def again() -> None:
            verdict()
            accept()

        _questions(page, run, again)
        with box("div", "cols"):
            with box("div", "stack"):
                _risk(project, run, folder, found)
                _weakest(project, folder)
                _tried(found)
            with aside():
                accept = region(lambda: _accept(page, run, again), "div", "stack")
                with card(tell("page.web.attack.untried")):
                    text(tell("page.web.attack.needs", count=len(found.untried)), "p", "small soft")
                    with box("ul", "plain-list"):
                        for one in found.untried[:6]:
                            with box("li"):
                                text(one.attack, "b", "small")
                                text(worded(one.reason), "p", "soft small")
                    _outside(project, run)
        foot(page, tell("page.web.onwards.attack"))


def left(project: Project, run: RunEntry) -> list[Yes]:
    """Return what says yes and nobody has accepted."""
    accepted = {one.id for one in project.policy.accepted}
    return [one for one in project.said_yes(run) if one.attack not in accepted]


def _verdict(project: Project, run: RunEntry, found: Findings) -> None:
    said, open_still = len(project.said_yes(run)), len(left(project, run))
    told = tell("page.web.attack.borne", count=said) if said else tell("page.web.attack.none")
    told = tell("page.web.attack.weak", count=open_still) if open_still else told
    with box("div", f"note {'warn' if open_still else 'good'} verdict"):
        text(f"{'!' if open_still else '✓'} {tell('page.web.attack.tried', count=len(found.tried))}", "b")
        text(f" {told}")
        text(f" {tell('page.web.attack.threshold', share=found.threshold)}", "p", "small soft")


def _questions(page: Page, run: RunEntry, answered: Act) -> None:
    """Ask the three questions in a worker, on records that are held out; the answers appear when they are there."""
    project = page.project
    job = project.questions(run)
    seen = {"over": job.over}

    def body() -> None:
        now = project.book.job(job.number)
        if now.state == "failed":
            text(now.error, "p", "note warn")
            return
        if not now.over:
            text(f"{tell('page.web.attack.asking')} {stage_name(now.stage)}", "p", "note")
            return
        document = project.answers(now)
        with box("div", "three"):
            for question in () if document is None else document["questions"]:
                _question(question)

    again = region(body)

    def look() -> None:
        if not seen["over"]:
            seen["over"] = project.book.job(job.number).over
            again()
            if seen["over"]:
                answered()

    every(0.6, look)


def _question(told: Mapping[str, Json]) -> None:
    answer = str(told["answer"])
    kind = {"no": "good", "yes": "bad"}.get(answer, "warn")
    with card(tell(f"page.web.question.{told['id']}")):
        sign = {"no": "✓", "yes": "✕"}.get(answer, "?")
        text(f"{sign} {tell(f'page.web.answer.{_slug(answer)}')}", "span", f"tag {kind}")
        if told.get("about") is not None:
            text(str(told["about"]), "span", "tech")
        text(worded(str(told["reading"])), "p", "small")
        shown = [told.get(name) for name in ("risk_low", "risk", "risk_high", "negligible")]
        held = [float(one) for one in shown if isinstance(one, int | float)]
        if len(held) == len(shown):
            low, risk, high, limit = (max(one, 0.0) for one in held)
            words = tell("page.web.attack.counts_as_none", share=limit)
            drawing(risk_line(low, risk, high, limit, words, worded(str(told["reading"]))))


def _slug(answer: str) -> str:
    return answer.replace(" ", "_")


ATTACKERS = ("prosecutor", "journalist", "marketer")


def _outside(project: Project, run: RunEntry) -> None:
    """Offer to bring what outsiders have, and to attack again with it; files go through the door of tables."""
    job = project.attacked_again(run)
    seen = {"over": job is None or job.over}

    def remove(kind: str) -> None:
        project.drop_outside(kind)
        go("/attack")

    def name(column: str) -> None:
        project.place.names = column
        project.remember()

    def attack() -> None:
        project.attack_again(run)
        go("/attack")

    def stop() -> None:
        if job is not None:
            project.book.cancel(job.number, "discard")
        go("/attack")

    def look() -> None:
        if job is not None and not seen["over"]:
            seen["over"] = project.book.job(job.number).over
            if seen["over"]:
                go("/attack")

    for kind in OUTSIDE:
        with box("div", "field", data_drop=f"/outside/{kind}"):
            text(tell(f"page.web.outside.{kind}"))
            if project.outside(kind) is None:
                with box("label", "btn slim"):
                    words = tell(f"page.web.outside.add_{kind}")
                    text(words)
                    box("input", "file-input", type="file", aria_label=words, data_pick=f"/outside/{kind}")
            else:
                text(f"✓ {tell('page.web.outside.there')}", "span", "small")
                button(tell("page.web.outside.remove"), partial(remove, kind), "quiet slim", mark=f"remove-{kind}")
            text("", "p", "problem", data_problem="", role="alert")
    columns = project.outside_columns("register")
    if columns:
        options = {"": tell("page.web.outside.no_names")} | {one: one for one in columns}
        with box("div", "field"):
            text(tell("page.web.outside.names"))
            choice(options, project.place.names, name, tell("page.web.outside.names"), mark="names")
    if job is not None and job.state == "failed":
        text(job.error, "p", "note warn")
    if job is not None and not job.over:
        text(f"{tell('page.web.outside.attacking')} {stage_name(job.stage)}", "p", "note")
        button(tell("page.web.outside.stop"), stop, "quiet slim", mark="stop-again")
        every(0.6, look)
    elif project.place.outside:
        button(tell("page.web.outside.again"), attack, "slim", mark="attack-again")


def _risk(project: Project, run: RunEntry, folder: Path, tried: Findings) -> None:
    """Draw how easily each of three attackers finds people, before and after.

    For the first, people by the size of their group. For the second by the persons of the register who look so; without one
    the table stands for the population. The third links everybody and is right once in every group, so that groups are counted.
    """

    def counted() -> dict[str, Sizes]:
        qids = project.policy.of_role(Role.QUASI_IDENTIFIER)
        tables = {"before": project.found.table, "after": open_published(folder).table}
        names = {when: [name for name in qids if name in table.types] for when, table in tables.items()}
        return {
            when: np.asarray(table.groups(names[when]).sizes if names[when] and table.rows else (), np.int64)
            for when, table in tables.items()
        }

    sizes = project.counted(("risk", str(folder)), counted)
    register = project.register_groups(run)
    here = {"attacker": ATTACKERS[0]}

    def body() -> None:
        attacker = here["attacker"]
        with box("header"):
            text(tell("page.web.attack.how_easily"), "h2")
        with box("div", "seg wide", role="group", aria_label=tell("page.risk.attacker")):
            for one in ATTACKERS:
                on = one == attacker
                words = tell(f"page.web.attacker.{one}")
                made = button(words, partial(show, one), "on" if on else "", aria_pressed=on, mark=f"attacker-{one}")
                made.classes(remove="btn")
        found = {when: risk_bins(held, attacker) for when, held in sizes.items()}
        if attacker == "journalist" and register:
            found = {
                when: risk_bins(np.asarray(held["persons"], np.int64), attacker, np.asarray(held["records"], np.int64))
                for when, held in register.items()
            }
        for when, counts in found.items():
            text(tell(f"page.web.attack.{when}"), "p", "small soft")
            shown = [
                (tell("page.web.one_in", n=label), float(value))
                for (_, label), value in zip(_BINS, counts, strict=True)
            ]
            drawing(bars(shown, None, "", tell("page.web.attack.how_easily")), f"risk {when}")
        as_table(
            [tell("page.web.table.chance"), tell("page.web.explore.before"), tell("page.web.explore.after")],
            [
                (tell("page.web.one_in", n=label), signs(f"{was:,}"), signs(f"{now:,}"))
                for (_, label), was, now in zip(_BINS, found["before"], found["after"], strict=True)
            ],
        )
        registered = attacker == "journalist" and register
        caption = tell("page.web.outside.caption") if registered else tell(f"page.web.attack.caption_{attacker}")
        text(caption, "p", "small soft")
        _attackers(tried)

    def show(attacker: str) -> None:
        here["attacker"] = attacker
        again()

    again = region(body, "section", "card", mark="risk")


def risk_bins(sizes: Sizes, attacker: str, records: Sizes | None = None) -> list[int]:
    """Return for each bin of chances how many people it holds; of the marketer, how many are expected to be found in it.

    ``records`` are those of each group, where ``sizes`` counts more people than are in the table.

    >>> risk_bins(np.array([1, 1, 2, 60]), "prosecutor"), risk_bins(np.array([1, 1, 2, 60]), "marketer")
    ([0, 60, 0, 0, 0, 2, 2], [0, 1, 0, 0, 0, 1, 2])
    >>> risk_bins(np.array([1, 5]), "journalist", np.array([1, 2]))
    [0, 0, 0, 0, 2, 0, 1]
    """
    weights = np.ones_like(sizes) if attacker == "marketer" else sizes if records is None else records
    edges = [low for low, _ in _BINS]
    above = [np.inf, *edges]
    return [int(weights[(sizes >= low) & (sizes < high)].sum()) for low, high in zip(edges, above, strict=False)]


def _attackers(tried: Findings) -> None:
    """Say what each of the three attackers achieves, before and after: highest, average, and who is at risk."""
    rows = attacker_rows(tried)
    if not rows:
        return
    with box("div", "scroll", tabindex="0"), box("table"):
        with box("thead"), box("tr"):
            text(tell("page.risk.attacker"), "th", scope="col")
            for name in ("highest", "average", "at_risk"):
                text(tell(f"page.risk.{name}"), "th", "num", scope="col")
        with box("tbody"):
            for one in rows:
                with box("tr"):
                    text(one.words, "th", "wrap light", scope="row")
                    for name in ("highest", "average", "share"):
                        text(f"{one.before[name]} → {one.after[name]}", "td", "num")


def _weakest(project: Project, folder: Path) -> None:
    """Describe the groups in which a secret is easiest to guess, by what is published of them."""
    secret = next(iter(project.policy.of_role(Role.SENSITIVE)), None)

    def counted() -> list[WeakGroup]:
        table = open_published(folder).table
        qids = [name for name in project.policy.of_role(Role.QUASI_IDENTIFIER) if name in table.types]
        return weakest(table, qids, secret) if secret in table.types and qids and secret is not None else []

    groups = project.counted(("weakest", str(folder), secret), counted)
    if not groups:
        return
    with card(tell("page.web.attack.weakest"), "flush", tell("page.web.attack.described")), box("table"):
        with box("thead"), box("tr"):
            for name in ("who", "people", "secret", "guess"):
                text(tell(f"page.web.weak.{name}"), "th", "num" if name == "people" else "", scope="col")
        with box("tbody"):
            for one in groups:
                with box("tr"):
                    text(", ".join(one.published), "td", "wrap")
                    text(signs(f"{one.people:,}"), "td", "num")
                    text(tell("page.web.attack.share_one", count=one.sharing), "td", "soft")
                    with box("td"):
                        share = signs(f"{100 * one.guess:.0f}%")
                        drawing(meter(one.guess, share), "inline")
                        text(f" {share}")


def _tried(found: Findings) -> None:
    with card(tell("page.web.attack.what_worked"), "flush"), box("div", "scroll", tabindex="0"), box("table"):
        with box("thead"), box("tr"):
            for name in ("attack", "highest", "average", "above"):
                text(tell(f"page.web.finding.{name}"), "th", "" if name == "attack" else "num", scope="col")
        with box("tbody"):
            for one in sorted(found.tried, key=lambda one: -one.after.highest):
                with box("tr"):
                    with box("th", scope="row"):
                        text(called(f"gist.attack.{one.attack}", one.summary), "div", "light")
                        text(one.attack + (f" · {one.sensitive}" if one.sensitive else ""), "span", "tech")
                    text(signs(f"{100 * one.after.highest:.1f}%"), "td", "num")
                    text(signs(f"{100 * one.after.mean:.1f}%"), "td", "num")
                    text(signs(f"{one.after.above:,}"), "td", "num")


Line = tuple[str, str, Act | None]


def _changes(project: Project, run: RunEntry) -> list[Line]:
    """Offer promises against what was found: larger groups where people are found, a mixed secret where it is guessed."""
    found = [_larger(project, run), _mixed(project, run)]
    return [one for one in found if one is not None]


def _promised(project: Project, old: str, spec: Spec) -> Act:
    """Return what puts a promise in the place of an old one, and searches."""

    def promise() -> None:
        kept = [one for one in project.promises if one["id"] != old]
        project.edit(lambda document: document.update(requirements=[spec, *kept]))
        project.search()
        go("/search")

    return promise


def _larger(project: Project, run: RunEntry) -> Line | None:
    """Offer groups as large as the limit asks for, where single records are found more easily."""
    folder = project.made(run)
    tried = None if folder is None else project.findings(run)
    if tried is None or not {"attacker-risk", "individual-risk"} & {one.attack for one in project.said_yes(run)}:
        return None
    wanted = ceil(1 / tried.threshold)
    held = next((one for one in project.promises if one["id"] == "k-anonymity"), Spec())
    now = held.get("k", 1)
    if not isinstance(now, int) or now >= wanted:
        return None
    spec: Spec = {**held, "id": "k-anonymity", "k": wanted}
    words = tell("page.web.attack.found", k=now, share=tried.threshold)
    return _line(project, f"{words} {tell('page.web.attack.gain_larger', k=wanted)}", spec, "k-anonymity", wanted)


def _mixed(project: Project, run: RunEntry) -> Line | None:
    """Offer a promise about the secret where it can be guessed: more than one value, else at most half of a group."""
    folder, secret = project.made(run), next(iter(project.policy.of_role(Role.SENSITIVE)), None)
    if folder is None or secret is None:
        return None

    def counted() -> int:
        table = open_published(folder).table
        qids = [name for name in project.policy.of_role(Role.QUASI_IDENTIFIER) if name in table.types]
        return guessable(table, qids, secret) if secret in table.types and qids else 0

    people = project.counted(("guessable", str(folder), secret), counted)
    asked = {str(one["id"]) for one in project.promises if secret in one.values()}
    if not people or "alpha-k-anonymity" in asked:
        return None
    sizes = [one["k"] for one in project.promises if isinstance(one.get("k"), int)]
    spec: Spec = (
        {"id": "alpha-k-anonymity", "alpha": 0.5, "k": sizes[0] if sizes else 2, "sensitive": secret}
        if asked
        else {"id": "l-diversity-distinct", "l": 2, "sensitive": secret}
    )
    words = tell("page.web.attack.guessable", people=people, column=secret)
    goal = "half" if asked else "two"
    return _line(project, f"{words} {tell(f'page.web.attack.gain_{goal}')}", spec, "", goal)


def _line(project: Project, words: str, spec: Spec, old: str, goal: str | int) -> Line:
    """Return a change with what it costs on the levels as they are."""
    (broken,) = breaking(project, [spec])
    price = tell("page.web.attack.price", count=broken) if isinstance(broken, int) else ""
    label = tell("page.web.attack.larger", k=goal) if isinstance(goal, int) else tell(f"page.web.attack.{goal}")
    return f"{words} {price}".strip(), label, _promised(project, old, spec)


def _accept(page: Page, run: RunEntry, again: Act) -> None:
    """Offer to accept what says yes; what was accepted, and why, is shown."""
    project, open_still = page.project, left(page.project, run)
    said = {one.attack for one in project.said_yes(run)}
    accepted = [one for one in project.policy.accepted if one.id in said]
    kept = {"reason": ""}

    def write(reason: str) -> None:
        kept["reason"] = reason.strip()

    def accept() -> None:
        if not kept["reason"]:
            raise BadRequest("must be given, in words", parameter="reason")
        project.accept([one.attack for one in open_still], kept["reason"])
        again()

    def take_back() -> None:
        project.accept([one.id for one in accepted], "")
        again()

    changes = _changes(project, run)
    if changes or not said:
        next_card(changes)
    if not said:
        return
    with card("", "next"):
        text(tell("page.web.attack.or_accept") if changes else tell("page.web.next.title"), "h2")
        for one in open_still:
            text(called(f"title.{one.attack}", one.attack), "b", "small")
            text(worded(one.reading), "p", "small")
        if open_still:
            with box("div", "field"):
                text(tell("page.web.attack.reason"))
                entry("", write, tell("page.web.attack.reason"), mark="reason")
            button(tell("page.web.attack.accept"), accept, "slim", mark="accept")
        if accepted:
            text(f"✓ {tell('page.web.attack.accepted')}", "p", "small soft")
            for entry_of in accepted:
                text(f"{entry_of.id}: {entry_of.reason}", "p", "small")
            button(tell("page.web.attack.take_back"), take_back, "quiet slim", mark="take-back")
