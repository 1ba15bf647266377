"""Step 3: give each column that is known outside its levels, from exact to hidden."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from sfumato.catalogue import build, things
from sfumato.contracts.thing import Thing
from sfumato.data.messages import called, signs, tell
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, SfumatoError
from sfumato.web.branches import Branch
from sfumato.web.charts import bars, levels
from sfumato.web.elements import Act, box, button, choice, drawing, later, off_loop, region, text
from sfumato.web.fields import form
from sfumato.web.figures import LevelEffect, level_effect
from sfumato.web.frame import Page, as_table, aside, card, foot, frame, next_card
from sfumato.web.pages._tree_editor import draw_tree, in_and_out
from sfumato.web.project import Project, Spec

__all__ = ["draw", "level_counts", "tree_of_column"]


def draw(project: Project) -> None:
    """Draw the page."""
    qids = project.policy.of_role(Role.QUASI_IDENTIFIER)
    with frame(project, "hierarchies") as page:
        if not qids:
            text(tell("page.web.roles.none_known"), "p", "note warn")
            foot(page, tell("page.web.onwards.hierarchies"), ready=False)
            return
        here = {"column": project.shown if project.shown in qids else qids[0]}

        def redraw() -> None:
            again()

        def body() -> None:
            with box("div", "cols"):
                with box("div", "stack"):
                    _columns(project, here, redraw)
                    _editor(page, here["column"], redraw)
                    _sizes(project, here["column"])
                with aside():
                    _effect(project, here["column"])
                    _next(project, here["column"], redraw)
                    with card(tell("page.web.levels.help")):
                        text(tell("page.web.levels.explained"), "p", "small")

        again = region(body)
        foot(page, tell("page.web.onwards.hierarchies"))


_NAMED = ("dates", "frequency", "intervals", "ordered", "redaction", "taxonomy")


def _kind_name(kind: str) -> str:
    """Return how a kind of hierarchy is called; one of somebody else is called by its id."""
    return tell(f"page.web.hierarchy.{kind}") if kind in _NAMED else kind


def _spec(project: Project, name: str) -> Spec:
    held = project.columns(project.document)[name].get("hierarchy")
    return {"id": held} if isinstance(held, str) else dict(held) if isinstance(held, Mapping) else {}


def tree_of_column(project: Project, name: str) -> Tree | str:
    """Return the tree of a column, or what is wrong with its hierarchy."""
    spec = _spec(project, name)
    if not spec:
        return tell("page.web.levels.none")

    def made() -> Tree | str:
        dictionary = project.found.table.dictionary(name)
        try:
            builder = build(spec, "hierarchy").fitted(dictionary.values, dictionary.counts)
            tree: Tree = builder.build(dictionary.values, column=name)
            return tree
        except SfumatoError as error:
            return str(error)

    return project.counted(("tree", name, repr(spec)), made)


def level_counts(project: Project, name: str) -> list[list[tuple[str, int]]] | str:
    """Return for each level the labels and how many records have them, or what is wrong."""
    tree = tree_of_column(project, name)
    if isinstance(tree, str):
        return tree
    return project.counted(("levels", name, repr(_spec(project, name))), lambda: _counts(project, name, tree))


def _counts(project: Project, name: str, tree: Tree) -> list[list[tuple[str, int]]]:
    dictionary = project.found.table.dictionary(name)
    paths = {row[0]: row for row in tree.to_levels()}
    held = [
        (paths.get(to_text(value)), int(count))
        for value, count in zip(dictionary.values, dictionary.counts, strict=True)
    ]
    out = []
    for level in range(tree.height + 1):
        counted: dict[str, int] = {}
        for path, count in held:
            if path is not None:
                label = path[min(level, len(path) - 1)]
                counted[label] = counted.get(label, 0) + count
        out.append(list(counted.items()))
    return out


def _columns(project: Project, here: dict[str, str], again: Act) -> None:
    def show(name: str) -> None:
        here["column"] = project.shown = name
        again()

    with box("div", "card flush picks", role="tablist"):
        for at, name in enumerate(project.policy.of_role(Role.QUASI_IDENTIFIER)):
            tree, on = tree_of_column(project, name), name == here["column"]
            count = 0 if isinstance(tree, str) else tree.height + 1
            made = button(
                "", partial(show, name), "pick on" if on else "pick", role="tab", aria_selected=on, mark=f"c{at}"
            )
            made.classes(remove="btn")
            with made:
                text(name, "b")
                kind = str(_spec(project, name).get("id", "–"))
                told = tell("page.web.levels.count", kind=_kind_name(kind), count=count)
                text(told if count else tell("page.web.levels.open"), "small", "" if count else "tag warn")


def _editor(page: Page, name: str, again: Act) -> None:
    project, spec = page.project, _spec(page.project, name)
    kinds: dict[str, type[Thing]] = {one.id: one for one in things("hierarchy")}

    def put(new: Spec) -> None:
        def change(document: Spec) -> None:
            project.columns(document)[name]["hierarchy"] = new

        before = project.text
        project.edit(change)
        wrong = tree_of_column(project, name)
        if isinstance(wrong, str) and new["id"] != "taxonomy":  # a tree may wait for values that have no place yet
            project.write(before)
            raise BadRequest(wrong)
        page.again()
        again()

    def draft() -> None:
        put(project.proposal(name))

    with card(tell("page.web.levels.of", column=name)):
        wrong = tree_of_column(project, name)
        if isinstance(wrong, str):
            with box("div", "note warn"):
                text(wrong, "p")
                button(tell("page.web.levels.draft"), draft, "slim")
        with box("div", "field"):
            text(tell("page.web.levels.kind"))
            choice(
                {one: _kind_name(one) for one in kinds},
                str(spec.get("id", "")),
                lambda kind: put(_begun(project, name, kind)),
                tell("page.web.levels.kind"),
                mark="kind",
            )
        if spec:
            kind = kinds[str(spec["id"])]
            text(called(f"gist.hierarchy.{kind.id}", kind.summary()), "p", "soft small")
            if "tree" not in spec:
                form(project, kind, spec, put)
        tree = tree_of_column(project, name)
        declared = _declared(spec)
        if declared is not None:
            draw_tree(project, name, declared, lambda new: put({"id": "taxonomy", "tree": new.document()}))
        elif not isinstance(tree, str):
            _rows(project, name)
        in_and_out(project.policy.of_role(Role.QUASI_IDENTIFIER).index(name))


def _declared(spec: Spec) -> Branch | None:
    """Return the tree that somebody wrote down; values that it lacks have no place in it."""
    nested = spec.get("tree") if spec.get("id") == "taxonomy" else None
    return Branch.of(Tree.from_nested(nested)) if nested else None


def _begun(project: Project, name: str, kind: str) -> Spec:
    """Return a hierarchy of a kind to begin with: what fits the values, if that kind offers it; else one level above all."""
    proposal = project.proposal(name)
    if proposal.get("id") == kind:
        return proposal
    dictionary = project.found.table.dictionary(name)
    values = [to_text(value) for value in dictionary.values]
    shortest = min((len(one) for one in values), default=2)
    begun: dict[str, Spec] = {
        "taxonomy": {"id": kind, "tree": {f"ANY_{name}": list(values)}},
        "frequency": {"id": kind, "at_least": max(2, sum(int(one) for one in dictionary.counts) // 100)},
        "redaction": {"id": kind, "steps": [1] * max(shortest - 1, 1)},
        "ordered": {"id": kind, "order": list(values), "group_sizes": [2]},
        "dates": {"id": kind, "levels": ["month", "year"]},
    }
    return begun.get(kind, {"id": kind})


def _rows(project: Project, name: str) -> None:
    """Draw the levels as rows: what stands under what, and how many records."""
    counted = level_counts(project, name)
    if isinstance(counted, str):
        return
    total = project.found.table.rows or 1
    with box("div", "scroll tree", tabindex="0"), box("table"), box("tbody"):
        for level in range(len(counted) - 1, -1, -1):
            held = counted[level]
            with box("tr"):
                text(tell("page.web.levels.level", number=level, count=len(held)), "th", colspan="3", scope="rowgroup")
            shown = sorted(held, key=lambda one: -one[1])[:8] if level else []
            for label, count in shown:
                with box("tr"):
                    text(label, "td")
                    with box("td"), box("span", "meter wide"):
                        box("i", style=f"width:{100 * count / total:.0f}%")
                    text(signs(f"{count:,}"), "td", "num")
            if level and len(held) > len(shown):
                with box("tr"):
                    text(tell("page.web.levels.more", count=len(held) - len(shown)), "td", "soft small", colspan="3")


def _sizes(project: Project, name: str) -> None:
    counted = level_counts(project, name)
    if isinstance(counted, str):
        return
    with card(tell("page.web.levels.drawn"), tag=tell("page.web.levels.width")):
        rows = [
            (tell("page.web.levels.level", number=level, count=len(held)), held)
            for level, held in reversed(list(enumerate(counted)))
        ]
        drawing(levels(rows, tell("page.web.levels.drawn")))


def _effect(project: Project, name: str) -> None:
    """Draw how many records would have to go at each level; counted once the page is there."""
    tree = tree_of_column(project, name)
    if isinstance(tree, str):
        return
    kept: list[LevelEffect] = []
    limit = int(project.policy.limits.suppress_at_most * project.found.table.rows)

    def body() -> None:
        with box("header"):
            text(tell("page.web.levels.effect"), "h2")
        if not kept:
            text(tell("page.web.levels.counting"), "p", "small soft")
            return
        found, run = kept[0].broken, kept[0].run
        base = tell("page.web.levels.alone") if run is None else tell("page.web.levels.with_run", number=run)
        text(base, "p", "small soft")
        named = [(str(level), float(count)) for level, count in enumerate(found)]
        finest = next((level for level, count in enumerate(found) if count <= limit), None)
        here, words = "" if finest is None else str(finest), tell("page.web.promise.limit", count=limit)
        drawing(bars(named, limit, here, tell("page.web.levels.effect"), words), "bars")
        as_table(
            [tell("page.web.table.level"), tell("page.web.table.records")],
            [(level, signs(f"{count:,.0f}")) for level, count in named],
        )
        told = (
            tell("page.web.levels.too_many", limit=limit)
            if finest is None
            else tell("page.web.levels.enough", level=finest, count=found[finest], limit=limit)
        )
        text(told, "p", "reading small")

    again = region(body, "section", "card", mark="effect")

    async def count() -> None:
        kept.append(await off_loop(partial(level_effect, project, name, tree)))
        again()

    later(count)


def _next(project: Project, name: str, again: Act) -> None:
    counted = level_counts(project, name)
    lines: list[tuple[str, str, Act | None]] = []
    if not isinstance(counted, str) and len(counted) == 2 and len(counted[0]) > 8:
        lines = [(tell("page.web.levels.between", column=name, count=len(counted[0])), "", None)]
    next_card(lines)
