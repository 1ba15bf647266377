"""Step 5: find the choice that keeps most, and compare runs."""

from __future__ import annotations

import re
import time
from functools import partial

from sfumato.catalogue import things
from sfumato.contracts.algorithm import Algorithm
from sfumato.data.messages import signs, tell, worded
from sfumato.data.schema import Role
from sfumato.releases.recoded_table import RecodedTable
from sfumato.web.charts import course, meter
from sfumato.web.elements import Act, box, button, choice, drawing, every, region, slider, text
from sfumato.web.figures import predicted, run_figures, weighing
from sfumato.web.frame import Page, aside, foot, frame, next_card
from sfumato.web.project import Project, RunEntry, Spec

__all__ = ["draw", "share_kept", "stage_name"]

METHODS = ("optimal", "mondrian", "local-recoding-greedy")
"""Best with proof, fast, finer in places; all others are offered by their ids."""


def draw(project: Project) -> None:
    """Draw the page."""
    with frame(project, "search") as page:
        with box("div", "two"):
            region(lambda: _wanted(page, lambda: started()), "section", "card")
            running = region(
                lambda: _running(page, lambda: refreshed(), lambda: started()), "section", "card", mark="running"
            )
        with box("div", "cols"):
            with box("div", "stack"):
                table = region(lambda: _compared(page, lambda: refreshed()), "section", "card flush")
            with aside():
                advice = region(lambda: _advice(page, lambda: started()), "div", "stack")
        end = region(lambda: _foot(page))
        seen = {"state": _states(project)}

        def refreshed() -> None:
            for part in (running, table, advice, end, page.again):
                part()

        def started() -> None:
            project.search()
            refreshed()

        def look() -> None:
            now = _states(project)
            if now != seen["state"]:
                seen["state"] = now
                refreshed()
            elif any(not project.job(run).over for run in project.place.runs):
                running()

        every(0.5, look)


def _states(project: Project) -> list[str]:
    jobs = [job for run in project.place.runs for job in (project.job(run), project.predicting(run))]
    return [job.state for job in jobs if job is not None]


def _foot(page: Page) -> None:
    run = page.project.chosen
    foot(page, "" if run is None else tell("page.web.onwards.search", number=run.number), ready=run is not None)


def _wanted(page: Page, start: Act) -> None:
    project = page.project
    algorithm = project.algorithm
    importance = project.policy.importance()

    def weigh(name: str, given: str) -> None:
        project.edit(lambda document: project.columns(document)[name].update(importance=float(given)))
        page.again()
        words[name]()

    def weight(name: str) -> None:
        held = round(project.policy.importance().get(name, 1.0))
        text(tell(f"page.web.importance.{min(max(held, 0), 4)}"))

    def use(name: str) -> None:
        def change(document: Spec) -> None:
            document["algorithm"] = {"id": name}

        project.edit(change)
        page.again()

    with box("header"):
        text(tell("page.web.search.exact"), "h2")
    names, words = project.policy.of_role(Role.QUASI_IDENTIFIER), dict[str, Act]()
    for at, name in enumerate(names):
        with box("div", "slide named"):
            text(name, "span", "grow")
            slider(importance.get(name, 1.0), 0, 4, 1, partial(weigh, name), name, mark=f"importance-c{at}")
            words[name] = region(partial(weight, name), "span", "soft small weight")
    with box("div", "field"):
        text(tell("page.web.search.method"))
        known = [one.id for one in things("algorithm", "table") if issubclass(one, Algorithm)]
        fit = [one for one in known if _recodes(one)]
        options = {one: tell(f"page.web.method.{one}") for one in METHODS} | {
            one: one for one in fit if one not in METHODS
        }
        choice(options, str(algorithm["id"]), use, tell("page.web.search.method"), mark="method")
    button(tell("page.web.search.start"), start, "", mark="start")


def _recodes(name: str) -> bool:
    found = next(one for one in things("algorithm", "table") if one.id == name)
    return issubclass(found, Algorithm) and found.traits.release == RecodedTable.id


_BEFORE = ("", "reading", "preparing", "compressing")
"""Stages before a search begins."""


def _running(page: Page, again: Act, start: Act) -> None:
    project = page.project
    active = [run for run in project.place.runs if not project.job(run).over]
    run = active[-1] if active else project.place.runs[-1] if project.place.runs else None
    if run is None:
        text(tell("page.web.search.none"), "p", "soft")
        return
    job = project.job(run)
    seconds = (job.ended or time.time()) - (job.begun or time.time())
    with box("header"):
        text(tell(f"page.web.job.{job.state}", number=run.number), "h2")
        text(tell("page.web.search.seconds", seconds=round(seconds)), "span", "tag")
    if job.over:
        if job.state == "failed":
            text(job.error, "p", "note bad")
        elif job.state == "done":
            made = run_figures(project, run)
            stopped = made.stopped is not None
            told = tell("page.web.search.stopped") if stopped else tell("page.web.search.finished")
            text(told, "p", f"note {'warn' if stopped else 'good'}")
            _course(project, run)
        elif job.stop == "keep":
            text(tell("page.web.search.nothing_yet"), "p", "note warn")
            button(tell("page.web.search.again"), start, "slim", mark="search-again")
        return
    counted = tell("page.web.search.counted", done=round(job.done), total=round(job.total)) if job.total else ""
    text(" · ".join(one for one in (stage_name(job.stage), counted) if one), "p", "soft")
    share = job.share or 0.0
    with box(
        "div", "progress", role="progressbar", aria_valuenow=round(100 * share), aria_valuemin=0, aria_valuemax=100
    ):
        box("i", style=f"width:{100 * share:.0f}%")

    _course(project, run)

    def stop(how: str) -> None:
        project.book.cancel(run.job, "keep" if how == "keep" else "discard")
        again()

    with box("div", "actions"):
        if job.stage.partition(" ")[0] not in _BEFORE:  # nothing is there to be kept
            button(tell("page.web.search.keep"), partial(stop, "keep"), mark="keep")
        button(tell("page.web.search.discard"), partial(stop, "discard"), "quiet", mark="discard")


_STAGES = (
    "reading", "preparing", "compressing", "searching", "recoding", "writing", "attacking", "trying", "reporting", "done",
)  # fmt: skip


def stage_name(stage: str) -> str:
    """Return what a worker does now; a stage that has no words of ours is called as it calls itself."""
    first = stage.partition(" ")[0]
    return (
        tell("page.web.search.waiting") if not stage else tell(f"page.web.stage.{first}") if first in _STAGES else stage
    )


def _course(project: Project, run: RunEntry) -> None:
    """Draw what the best choice so far keeps, as the search told it."""
    job = project.job(run)
    told = [(event.at, share_kept(str(event.told.get("note", "")))) for event in project.book.events(run.job)]
    weighed = weighing(project, run)
    points = [(at - (job.begun or at), weighed.kept(1 - kept)) for at, kept in told if kept is not None]
    if points:
        now = job.ended or time.time()
        drawing(course(points, now - (job.begun or now), tell("page.web.search.best_so_far")))
        text(tell("page.web.search.best_so_far"), "p", "small soft")


def share_kept(note: str) -> float | None:
    """Return what the best choice keeps, by the note of a search; ``None`` if it tells none, or costs that are no share.

    >>> share_kept("best 0.25, gap 68.3%")
    0.75
    """
    found = re.match(r"best ([\d.e-]+)(?:, gap|$)", note)
    return None if found is None or float(found[1]) > 1 else 1 - float(found[1])


def _compared(page: Page, again: Act) -> None:
    project = page.project
    runs = [run for run in project.place.runs if project.made(run) is not None]
    with box("header"):
        text(tell("page.web.search.compare"), "h2")
    if not runs:
        text(tell("page.web.search.no_run"), "p", "soft pad")
        return
    chosen = project.chosen

    def choose(run: RunEntry) -> None:
        project.place.chosen = run.number
        project.remember()
        again()

    def forget(run: RunEntry) -> None:
        project.forget(run)
        again()

    made = {run.number: run_figures(project, run) for run in runs}
    names = list(dict.fromkeys(name for run in runs for name in made[run.number].losses))
    best = max((one.detail or 0.0 for one in made.values()), default=0.0)
    with box("div", "scroll", tabindex="0"), box("table"):
        with box("thead"), box("tr"):
            text(" ", "th")
            for run in runs:
                on = run is chosen
                with box("th", "chosen" if on else "", scope="col"):
                    text(tell("page.web.search.run", number=run.number), "div")
                    if on:
                        text(tell("page.web.search.chosen"), "span", "tag acc")
                    else:
                        button(tell("page.web.search.choose"), partial(choose, run), "slim")
                        button(tell("page.web.search.forget"), partial(forget, run), "quiet slim")
        with box("tbody"):
            _row("kept", [tell("page.web.search.all_kept") for _ in runs])
            chances = [made[run.number].smallest for run in runs]
            _row("chance", ["–" if one is None else tell("page.web.search.at_most", n=one) for one in chances])
            details = [made[run.number].detail for run in runs]
            _row(
                "detail",
                ["–" if one is None else signs(f"{100 * one:.0f}%") + (" •" if one == best else "") for one in details],
            )
            for name in names:
                with box("tr"):
                    text(name, "th", "indent", scope="row")
                    for run in runs:
                        with box("td"):
                            lost = made[run.number].losses.get(name)
                            if lost is None:
                                text(tell("page.web.search.held_back"), "span", "tag")
                            else:
                                kept = signs(f"{100 * max(1 - lost, 0):.0f}%")
                                drawing(meter(max(1 - lost, 0), kept), "inline")
                                text(f" {kept}")
            jobs = [project.job(run) for run in runs]
            taken = [round((job.ended or 0.0) - (job.begun or 0.0), 1) for job in jobs]
            _row("time", [tell("page.web.search.seconds", seconds=one) for one in taken])
            _row("published", [signs(f"{made[run.number].published:,}") for run in runs])
            if project.place.predicted:
                _row("predicted", [_predicted(project, run) for run in runs])
    _target(project, again)


def _target(project: Project, again: Act) -> None:
    """Offer the columns that a release may be wanted for; how well each run predicts the chosen one is counted by a worker."""

    def predict(name: str) -> None:
        project.place.predicted = name
        project.remember()
        again()

    names = project.predictable
    if not names:
        return
    label = tell("page.web.search.predict")
    with box("div", "field pad"):
        text(label)
        options = {"": tell("page.web.search.predict_none")} | {name: name for name in names}
        choice(options, project.place.predicted, predict, label, mark="predict")
        if project.place.predicted:
            text(tell("page.web.search.tree", column=project.place.predicted), "p", "small soft")


def _predicted(project: Project, run: RunEntry) -> str:
    """Say how often the chosen column is predicted right from a release, beside the raw table and what needs no column."""
    job = project.predicting(run)
    if job is None or not job.over:
        return "…"
    if job.state != "done":
        return job.error or "–"
    found = predicted(job.result)
    return tell("page.web.search.right", share=found.release, raw=found.raw, guess=found.guess)


def _row(name: str, cells: list[str]) -> None:
    with box("tr"):
        text(tell(f"page.web.compare.{name}"), "th", scope="row")
        for one in cells:
            text(one, "td", "strong" if name == "detail" else "")


def _advice(page: Page, start: Act) -> None:
    project, run = page.project, page.project.chosen
    lines: list[tuple[str, str, Act | None]] = []
    if project.stale:
        lines.append((tell("page.web.search.changed"), tell("page.web.search.again"), start))
    if run is not None:
        lines += [(worded(line), "", None) for line in run_figures(project, run).advice[:2]]

        def finer() -> None:
            def change(document: Spec) -> None:
                document["algorithm"] = {
                    "id": METHODS[2] if project.found.table.rows <= 10_000 else "progressive-local-recoding"
                }

            project.edit(change)
            start()

        if "optimal" in run.policy:
            lines.append((tell("page.web.search.finer"), tell("page.web.search.try_finer"), finer))
    next_card(lines)
