"""The editor of a tree: rows to drag, a list to choose from for every drag, levels in and out as other tools write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sfumato.data.messages import signs, tell
from sfumato.data.text import to_text
from sfumato.web.branches import Branch
from sfumato.web.elements import box, button, choice, droppable, entry, link, region, text
from sfumato.web.project import Project

__all__ = ["draw_tree", "in_and_out"]

_SHOWN = 400


def draw_tree(project: Project, name: str, tree: Branch, put: Callable[[Branch], None]) -> None:
    """Draw the tree of a column; what is changed is put."""
    dictionary = project.found.table.dictionary(name)
    counts = {to_text(value): int(count) for value, count in zip(dictionary.values, dictionary.counts, strict=True)}
    groups = {str(one.number): one.branch.label for one in tree.walk() if one.branch.under}
    _homeless(tree, [value for value in counts if value not in tree.values()], counts, groups, put)
    here, name_of_group = {"node": 0}, {"name": ""}

    def pick(number: int) -> None:
        here["node"] = number
        bar()

    def act(change: Callable[[int, str], Branch]) -> None:
        put(change(here["node"], name_of_group["name"]))

    def named(words: str) -> None:
        name_of_group["name"] = words

    with box("div", "scroll tree", tabindex="0"), box("table", "branches"), box("tbody"):
        _rows(tree, counts, groups, put, pick)

    def tools() -> None:
        chosen = tree.walk()[here["node"]].branch
        text(tell("page.web.tree.chosen", name=chosen.label), "span", "small soft")
        entry("", named, tell("page.web.tree.new_name"), placeholder=tell("page.web.tree.new_name"), mark="node-name")
        button(tell("page.web.tree.group"), lambda: act(tree.grouped), "slim", mark="group")
        if chosen.under:
            button(tell("page.web.tree.rename"), lambda: act(tree.renamed), "slim", mark="rename")
            if here["node"]:
                button(tell("page.web.tree.dissolve"), lambda: put(tree.dissolved(here["node"])), "quiet slim")

    bar = region(tools, "div", "actions")


def in_and_out(place: int) -> None:
    """Offer the levels of a column as a file, as other tools have them: a row for each value, from exact to hidden."""
    with box("div", "actions", data_drop=f"/levels/{place}"):
        link(tell("page.web.tree.export"), f"/levels/{place}", "btn quiet slim", download="levels.csv")
        with box("label", "btn quiet slim"):
            text(tell("page.web.tree.import"))
            box(
                "input",
                "file-input",
                type="file",
                aria_label=tell("page.web.tree.import"),
                data_pick=f"/levels/{place}",
            )
        text("", "p", "problem", data_problem="", role="alert")


def _homeless(
    tree: Branch, values: list[str], counts: Mapping[str, int], groups: Mapping[str, str], put: Callable[[Branch], None]
) -> None:
    """Say which values have no place yet, and offer one."""
    if not values:
        return
    with box("div", "note warn"):
        records = sum(counts[value] for value in values)
        text(tell("page.web.tree.homeless", count=len(values), records=records), "b")
        under = tell("page.web.tree.under")
        choice({"": under, **groups}, "", lambda given: put(tree.housed(values, int(given))), under, mark="house")


def _rows(
    tree: Branch,
    counts: Mapping[str, int],
    groups: Mapping[str, str],
    put: Callable[[Branch], None],
    pick: Callable[[int], None],
) -> None:
    nodes = tree.walk()

    def moved(number: int, under: int) -> None:
        put(tree.moved(number, under))

    def dropped(under: int, number: int) -> None:
        moved(number, under)

    def chosen(number: int, given: str) -> None:
        moved(number, int(given))

    total = sum(counts.values()) or 1
    for one in nodes[:_SHOWN]:
        held = sum(counts.get(value, 0) for value in one.branch.values())
        row = box("tr", "branch" if one.branch.under else "")
        droppable(row, one.number, partial(dropped, one.number), takes=bool(one.branch.under))
        with row:
            with box("td", style=f"padding-left:{14 + 22 * one.depth}px"):
                made = button(one.branch.label, partial(pick, one.number), "quiet slim node")
                made.classes("strong" if one.branch.under else "light")
            with box("td"), box("span", "meter wide"):
                box("i", style=f"width:{100 * held / total:.0f}%")
            text(signs(f"{held:,}"), "td", "num")
            with box("td"):
                if one.above is not None:
                    move = tell("page.web.tree.move")
                    choice(
                        {"": move, **{key: label for key, label in groups.items() if int(key) != one.above}},
                        "",
                        partial(chosen, one.number),
                        f"{move}: {one.branch.label}",
                        mark=f"move-{one.number}",
                    )
    if len(nodes) > _SHOWN:
        with box("tr"):
            text(tell("page.web.levels.more", count=len(nodes) - _SHOWN), "td", "soft small", colspan="4")
