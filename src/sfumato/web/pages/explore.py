"""Step 6: see the neighbours of the result, change a level by hand, and what stops a finer one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path

from sfumato.catalogue import find
from sfumato.data.messages import signs, tell
from sfumato.data.tree import Tree
from sfumato.errors import SfumatoError
from sfumato.jobs.job import Job
from sfumato.web.charts import lines, tiles
from sfumato.web.elements import Act, box, button, drawing, every, go, number, pickable, region, slider, text
from sfumato.web.figures import Weighing, weighing
from sfumato.web.frame import Page, as_table, aside, card, foot, frame, next_card
from sfumato.web.pages.hierarchies import level_counts, tree_of_column
from sfumato.web.pages.requirements import title
from sfumato.web.pages.search import stage_name
from sfumato.web.project import Project, RunEntry, Spec
from sfumato.web.ways import Way, Ways, made_up, read_ways

__all__ = ["draw", "explored"]

_ALL, _BEST, _LISTED = 400, 300, 50

_BEARABLE = 0.2
"""The share of records that may be left out, at most, where it is offered."""


def draw(project: Project) -> None:
    """Draw the page."""
    with frame(project, "explore") as page:
        run = project.chosen
        if run is None:
            text(tell("page.web.explore.no_run"), "p", "note warn")
            foot(page, "", ready=False)
            return
        job = explored(project, run)
        seen = {"over": job.over}

        def body() -> None:
            now = project.book.job(job.number)
            if now.state == "failed":
                text(now.error, "p", "note warn")
            elif not now.over:
                with card(tell("page.web.explore.counting")):
                    text(stage_name(now.stage), "p", "soft")
            else:
                _found(page, project.crew.folder(now), weighing(project, run))

        again = region(body)

        def look() -> None:
            if not seen["over"]:
                seen["over"] = project.book.job(job.number).over
                again()

        every(0.5, look)
        foot(page, tell("page.web.onwards.explore"))


def explored(project: Project, run: RunEntry) -> Job:
    """Return the job that counts all choices of a run; it is asked for once."""
    policy = project.folder / "runs" / f"run-{run.number}.yaml"
    return project.book.submit(
        "explore", {"source": str(project.source), "policy": str(policy)}, key=f"explore-{run.number}-{run.job}"
    )


def _found(page: Page, folder: Path, weighed: Weighing) -> None:
    project, ways = page.project, read_ways(folder, weighed)
    if not ways.ways:
        text(tell("page.web.explore.none"), "p", "note bad")
        return
    here = dict(ways.ways[0].levels)

    def look_at(levels: Mapping[str, int]) -> None:
        here.update(levels)
        for part in (grid, hand, rows):
            part()

    def put(name: str, level: int) -> None:
        look_at({name: level})

    with box("div", "two"):
        grid = region(lambda: _tiles(ways, here, look_at), "section", "card")
        with card(tell("page.web.explore.curve")):
            _curve(ways)
    rows = region(lambda: _before_after(project, ways, here), "section", "card flush", mark="preview")
    with box("div", "cols"):
        with box("div", "stack"):
            hand = region(lambda: _by_hand(page, ways, here, put), "section", "card", mark="by-hand")
            _leave_out(page)
            _why(page, ways)
        with aside():
            next_card(_advice(page, ways))
            if ways.proven:
                with box("p", "note"):
                    text(tell("page.web.explore.proven"), "b")
                    text(f" {tell('page.web.explore.all_counted', count=ways.lattice)}")


def _tiles(ways: Ways, here: dict[str, int], look_at: Callable[[Mapping[str, int]], None]) -> None:
    """Draw one tile for each choice; where there are many, the best ones and the neighbours of the one looked at.

    A click on a tile shows rows under its levels; the buttons that change a level by hand lead there as well.
    """
    with box("header"):
        text(tell("page.web.explore.ways", count=ways.lattice), "h2")
    valid = {tuple(way.levels.values()): way for way in ways.ways}
    node = tuple(here.values())
    if ways.lattice <= _ALL:
        shown = set(product(*(range(top + 1) for top in ways.top.values())))
    else:
        shown = {tuple(way.levels.values()) for way in ways.ways[:_BEST]} | _neighbours(node, tuple(ways.top.values()))
        text(tell("page.web.explore.some", count=_BEST), "p", "small soft")
    best = ways.ways[0].detail or 1.0
    rows: dict[int, list[tuple[float, str, str, tuple[int, ...]]]] = {}
    for one in shown:
        way = valid.get(one)
        share = -1.0 if way is None else way.detail
        kind = "none" if way is None else f"s{1 + min(int(5 * share / best + 0.5), 5)}"
        told = _told(dict(zip(ways.top, one, strict=True)), way)
        rows.setdefault(sum(one), []).append((share, kind + (" here" if one == node else ""), told, one))
    text(f"{tell('page.web.explore.top')} ↑", "p", "small soft")
    placed = [sorted(rows[at], reverse=True) for at in sorted(rows)]
    drawn = [[(kind, title) for _, kind, title, _ in row] for row in placed]
    nodes = [one for row in placed for *_, one in row]
    picture = drawing(tiles(drawn, tell("page.web.explore.tiles")))
    picture.mark("tiles")
    pickable(picture, lambda at: look_at(dict(zip(ways.top, nodes[at], strict=True))))
    text(f"{tell('page.web.explore.bottom')} ↓", "p", "small soft")
    with box("div", "legend"):
        for kind, name in (("s6", "most"), ("s3", "less"), ("none", "broken")):
            with box("span"):
                box("i", f"key {kind}")
                text(tell(f"page.web.explore.{name}"))
    as_table(
        [tell("page.web.compare.detail"), *ways.top],
        [(signs(f"{100 * way.detail:.0f}%"), *map(str, way.levels.values())) for way in ways.ways[:_LISTED]],
    )


def _told(levels: Mapping[str, int], way: Way | None) -> str:
    """Say which levels a choice has, and what it keeps."""
    told = tell("page.web.explore.breaks") if way is None else signs(f"{100 * way.detail:.0f}%")
    return f"{', '.join(f'{name} {level}' for name, level in levels.items())}: {told}"


def _neighbours(node: tuple[int, ...], top: tuple[int, ...]) -> set[tuple[int, ...]]:
    out = {node}
    for at, level in enumerate(node):
        out |= {(*node[:at], one, *node[at + 1 :]) for one in (level - 1, level + 1) if 0 <= one <= top[at]}
    return out


def _curve(ways: Ways) -> None:
    points = [one for one in ways.curve if one.score is not None]
    if not points:
        text(tell("page.web.explore.no_curve"), "p", "soft")
        return
    names = [
        signs(f"{one.suppress_at_most:g}") if one.k is None else tell("page.web.one_in", n=one.k) for one in points
    ]
    here = next((at for at, one in enumerate(points) if one.asked), None)
    kept = [ways.weighing.kept(one.score or 0.0) for one in points]
    drawing(lines(kept, names, here, tell("page.web.explore.curve")))
    as_table(
        [tell("page.web.table.chance"), tell("page.web.compare.detail")],
        [(name, signs(f"{100 * share:.0f}%")) for name, share in zip(names, kept, strict=True)],
    )
    text(tell("page.web.explore.axis"), "p", "small soft")
    drops = [(kept[at] - kept[at + 1], at) for at in range(len(kept) - 1)]
    if drops and max(drops)[0] > 0.05:
        lost, at = max(drops)
        text(tell("page.web.explore.dear", start=names[at], end=names[at + 1], share=lost), "p", "reading")


def _level_name(project: Project, name: str, level: int, top: int) -> str:
    if level == 0:
        return tell("page.web.explore.top")
    if level == top:
        return tell("page.web.explore.bottom")
    counted = level_counts(project, name)
    return str(level) if isinstance(counted, str) else tell("page.web.explore.groups", count=len(counted[level]))


def _by_hand(page: Page, ways: Ways, here: dict[str, int], put: Callable[[str, int], None]) -> None:
    project, way = page.project, ways.at(here)

    def keep() -> None:
        def change(document: Spec) -> None:
            held = document["algorithm"]
            metric = held.get("metric", "loss") if isinstance(held, dict) else "loss"
            document["algorithm"] = {"id": "optimal", "metric": metric, "levels": dict(here)}

        project.edit(change)
        project.search()
        go("/search")

    with box("header"):
        text(tell("page.web.explore.by_hand"), "h2")
        kind, sign, told = ("good", "✓", "holds") if way is not None else ("bad", "✕", "broken")
        text(f"{sign} {tell(f'page.web.explore.{told}')}", "span", f"tag {kind}")
    for name, top in ways.top.items():
        with box("div", "slide named"):
            text(name, "span", "grow")
            with box("div", "seg wide", role="group", aria_label=name):
                for level in range(top + 1):
                    on = here[name] == level
                    fits = ways.at({**here, name: level}) is not None
                    made = button(
                        _level_name(project, name, level, top),
                        partial(put, name, level),
                        "on" if on else "" if fits else "no",
                        aria_pressed=on,
                    )
                    made.classes(remove="btn")
    text(tell("page.web.explore.striped", count=ways.allowed), "p", "small soft")
    if way is not None:
        told = tell("page.web.explore.way", share=way.detail, count=way.left_out, n=way.smallest_group)
        text(told, "p", "reading")
        button(tell("page.web.explore.take"), keep, "", mark="keep-levels")


def _leave_out(page: Page) -> None:
    """Offer a slider for the records that may be left out; what it allows is searched as a new run."""
    project = page.project

    def allow(given: str) -> None:
        share = min(max(float(given.replace(",", ".")) / 100, 0.0), 1.0)
        project.edit(lambda document: document.update(limits={**_limits(document), "suppress_at_most": share}))
        project.search()
        go("/search")

    with card(tell("page.web.promise.leave_out")), box("div", "slide"):
        share = 100 * project.policy.limits.suppress_at_most
        slider(share, 0, 100 * _BEARABLE, 0.5, allow, tell("page.web.promise.leave_out"), mark="leave-out")
        number(round(share, 2), allow, tell("page.web.promise.leave_out"), min=0, max=100, step=0.5)
        text("%")


def _limits(document: Spec) -> Spec:
    held = document.get("limits")
    return dict(held) if isinstance(held, dict) else {}


def _allow(project: Project, records: int) -> None:
    """Let so many records be left out, and search anew."""
    share = round(records / project.found.table.rows + 0.0005, 3)  # no fewer, by the last digit
    project.edit(lambda document: document.update(limits={**_limits(document), "suppress_at_most": share}))
    project.search()
    go("/search")


def _advice(page: Page, ways: Ways) -> Sequence[tuple[str, str, Act | None]]:
    """Offer what would allow the next finer level: a few records more that may be left out."""
    project = page.project
    held = (one for one in ways.why if (one.records or 0) > ways.allowed)  # else nothing but its loss speaks against it
    near = sorted(held, key=lambda one: one.records or 0)
    rows = project.found.table.rows
    return [
        (
            tell("page.web.explore.allow", column=one.attribute, count=(one.records or 0) - ways.allowed),
            tell("page.web.explore.allow_it", count=one.records),
            partial(_allow, project, one.records or 0),
        )
        for one in near
        if (one.records or 0) <= 0.1 * rows
    ][:2]


def _why(page: Page, ways: Ways) -> None:
    """Say what stops one level finer, and offer to leave out as many records as it takes, up to the end of the slider."""
    project, bearable = page.project, _BEARABLE * page.project.found.table.rows
    if not ways.why:
        return
    most = max((one.records or 0 for one in ways.why), default=1) or 1
    with card(tell("page.web.explore.why"), "flush", tell("page.web.promise.limit", count=ways.allowed)), box("table"):
        with box("thead"), box("tr"):
            for name in ("column", "left_out", "size", "held_by", "remedy"):
                text(tell(f"page.web.why.{name}"), "th", "num" if name == "left_out" else "", scope="col")
        with box("tbody"):
            for at, one in enumerate(ways.why):
                with box("tr"):
                    text(one.attribute, "th", scope="row")
                    text("–" if one.records is None else signs(f"{one.records:,}"), "td", "num")
                    with box("td"):
                        if one.records:
                            with box("span", "meter wide hollow"):
                                box("i", style=f"width:{100 * one.records / most:.0f}%")
                    with box("td"):
                        text(
                            tell("page.web.why.as_it_was") if one.binds is None else _promise(one.binds), "div", "soft"
                        )
                        if one.binds is not None:
                            text(one.binds, "span", "tech")
                    with box("td"):
                        if one.records is not None and ways.allowed < one.records <= bearable:
                            more = one.records - ways.allowed
                            words = tell("page.web.explore.allow_records", count=one.records, more=more)
                            button(words, partial(_allow, project, one.records), "slim", mark=f"allow-{at}")


def _promise(name: str) -> str:
    """Return how a promise is called in plain words; a limit is none, and called as the search calls it."""
    try:
        return title(find(name, "model", "table"))
    except SfumatoError:
        return name


def _before_after(project: Project, ways: Ways, here: dict[str, int]) -> None:
    trees: dict[str, Tree] = {}
    for name in here:
        tree = tree_of_column(project, name)
        if isinstance(tree, str):
            return
        trees[name] = tree
    people = project.counted(("made up", tuple(here.items())), lambda: made_up(project, trees, here))
    with box("header"):
        text(tell("page.web.explore.before_after"), "h2")
        text(tell("page.web.explore.made_up"), "span", "tag")
    way = ways.at(here)
    text(_told(here, way), "p", "pad")
    text(tell("page.web.explore.no_people"), "p", "small soft pad")
    with box("div", "scroll", tabindex="0"), box("table", "pairs"):
        with box("thead"):
            with box("tr", "group"):
                for when in ("before", "after"):
                    text(tell(f"page.web.explore.{when}"), "th", colspan=len(here), scope="colgroup")
                text(" ", "th")
            with box("tr"):
                for name in (*here, *here):
                    text(name, "th", scope="col")
                text(tell("page.web.explore.alike"), "th", "num", scope="col")
        with box("tbody"):
            for one in people:
                changed = [was != now for was, now in zip(one.before, one.after, strict=True)]
                with box("tr"):
                    for value, other in zip(one.before, changed, strict=True):
                        text(value, "td", "old" if other else "")
                    if way is not None and one.alike < way.smallest_group:
                        told = tell("page.web.explore.left_out", count=one.alike)
                        text(told, "td", "gone", colspan=len(here))
                    else:
                        for value, other in zip(one.after, changed, strict=True):
                            text(value, "td", "chg" if other else "")
                    text(signs(f"{one.alike:,}"), "td", "num")
