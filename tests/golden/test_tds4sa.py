"""TDS4SA: the worked example of section 9.3, its trees, its scores and its full run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import sfumato
from sfumato.contracts.run import Run
from sfumato.data.tree import Tree
from sfumato.sequels.algorithms import TDS4SA
from sfumato.sequels.algorithms.tds4sa import JoinRefinery
from sfumato.sequels.models import XYPrivacyJoin
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask

Open = Callable[..., Any]


def task_of(given: Any) -> SeriesTask:
    first, then = (sfumato.from_rows(given[name]["columns"], given[name]["rows"]) for name in ("T1", "T2"))
    model = XYPrivacyJoin(
        h=given["threshold"],
        x=tuple(given["X"]),
        y=(given["Y"]["attribute"],),
        values=tuple(given["Y"]["values"]),
        join=tuple(given["join_attributes"]),
    )
    earlier = Series.of([first], qid=["Zip"], hierarchies=given["taxonomies"])
    return SeriesTask(then, earlier, [model], target=given.get("class_attr"))


def in_order(rows: Sequence[Sequence[Any]], wanted: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Return rows in the order in which a file lists them, found by their first so many entries."""
    held = {tuple(row[:width]): list(row) for row in rows}
    assert len(held) == len(rows) == len(wanted)
    return [held[tuple(row[:width])] for row in wanted]


def trees(search: JoinRefinery, value: str) -> tuple[list[list[Any]], list[list[Any]]]:
    two = [[*row.x, row.rows, {value: row.values.get(value, 0)}] for row in search.tree2()]
    return two, [[*row.x, row.rows, row.values.get(value, 0)] for row in search.x_tree()]


def share(search: JoinRefinery) -> str:
    exact = max(Fraction(sum(row.values.values()), row.rows) for row in search.x_tree())
    assert search.facts().shares == [float(exact)]
    return str(exact)


def test_trees_before_and_after_a_step(golden: Open) -> None:
    with golden("04-tds4sa-1") as file:
        task = task_of(file.input)
        (value,) = file.input["Y"]["values"]
        search = TDS4SA(score="loss-decrease").start(task)
        file.compare(in_order(search.tree1(), file.expected["tree1"], 3), "tree1")
        for moment in ("initial", "after_PoB"):
            two, x = trees(search, value)
            file.compare(in_order(two, file.expected[f"tree2_{moment}"], 3), f"tree2_{moment}")
            file.compare(in_order(x, file.expected[f"xtree_{moment}"], 4), f"xtree_{moment}")
            file.compare(share(search), f"L_{moment}")
            if moment == "initial":
                (step,) = [one for one in search.candidates() if one.value == "ANY_PoB"]
                search.apply(step.index, step.slot)


def test_the_full_run(golden: Open) -> None:
    with golden("04-tds4sa-2") as file:
        task = task_of(file.input)
        offered = TDS4SA(score="igpl").start(task).candidates()
        file.compare({one.value: one.score for one in offered}, "initial_scores")
        file.compare({one.value: one.valid for one in offered}, "initial_valid")
        found = TDS4SA(score="igpl").run(task, Run())
        file.compare([step.value for step in found.trace], "winner_sequence")
        file.compare({name: list(recoding.cut) for name, recoding in found.recodings.items()}, "cut")
        file.compare(found.facts.shares[0], "L_Y_X")
        assert found.warnings, "Sex joins and lies outside X"
        valid, total = 0, 0
        cuts = {name: Tree.from_nested(nested) for name, nested in file.input["taxonomies"].items()}
        for chosen in product(*([(name, cut) for cut in tree.cuts()] for name, tree in cuts.items())):
            labels = {
                name: {
                    leaf: cuts[name].labels[node]
                    for node in cut
                    for leaf in cuts[name].leaves[cuts[name].leaf_first[node] : cuts[name].leaf_last[node]]
                }
                for name, cut in chosen
            }
            assert task.earlier is not None
            valid += task.models[0].judge(task.earlier.with_next(task.batch.recode(labels))).satisfied
            total += 1
        file.compare(valid, "valid_cut_combinations")
        file.compare(total, "total_cut_combinations")
