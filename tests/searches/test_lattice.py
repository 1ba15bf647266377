"""The lattice, what it concludes from failing groups, and the ways through it."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

from oracles.lattice_tasks import search_of, task_of
from oracles.naive_lattice import Problem, drawn, lies_below
from sfumato.algorithms.lattice._walks import lowest_height, nodes_of_height, passing_down, satisfying_subsets
from sfumato.catalogue import build
from sfumato.contracts.model import GroupModel
from sfumato.errors import BadRequest, Infeasible
from sfumato.groups.stats import GroupStats
from sfumato.searches.lattice import Lattice, Rollup

TAXONOMY = {"*": [{"n": ["u", "v"]}, {"m": ["w", "x", "y"]}]}
CLOSE = [
    {"ground_distance": "equal"},
    {"ground_distance": "ordered", "values": ("u", "v", "w", "x", "y")},
    {"ground_distance": "hierarchical", "taxonomy": TAXONOMY},
]


# ---- groups of a node ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", [62, 3])  # with three bits in a word keys have several, and some nodes fit into one
def test_groups_of_every_node_are_those_of_the_recoded_rows(word: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.searches.lattice._WORD", word)
    for seed in range(20):
        problem = drawn(seed)
        task = task_of(problem)
        rollup = Rollup(Lattice(task.attributes, task.table), task.table, ["s", "class"])
        nodes = list(problem.nodes())
        random.Random(seed).shuffle(nodes)
        for node in nodes:
            merged = rollup.merged(node)
            rollup.keep(merged)
            groups = rollup.stats_of(rollup.group_table(merged))
            shown = problem.shown(node)
            assert groups.as_dict() == Counter(shown)
            for name, column in (("s", problem.sensitive), ("class", problem.classes)):
                pairs = Counter(zip(shown, column, strict=True))
                found = {
                    (groups.key(at), value): count
                    for at in range(len(groups))
                    for value, count in groups.histograms[name].row(at).items()
                }
                assert found == pairs, f"seed {seed}, node {node}"


def test_groups_that_are_held_stay_while_others_make_room() -> None:
    problem = drawn(0, columns=4, rows=60)
    task = task_of(problem)
    rollup = Rollup(Lattice(task.attributes, task.table), task.table, room=1500)
    made: list[tuple[int, ...]] = [(0, 0, 0, 1)]
    rollup.hold(made[0])
    for node in problem.nodes():
        rollup.keep(rollup.merged(node))
        made += [table.node for table in rollup.kept if table.node not in made]
        assert rollup.held == sum(table.bytes for table in rollup.kept) <= 1500
    kept = [table.node for table in rollup.kept]
    assert kept == [made[0], *made[len(made) - len(kept) + 1 :]]  # of the others the oldest have gone
    assert len(kept) < len(made)
    rollup.hold((0, 0, 1, 0))
    for node in problem.nodes():
        rollup.keep(rollup.merged(node))
    assert made[0] not in [table.node for table in rollup.kept]


def test_histograms_that_do_not_fit_a_table_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same groups, whether counts by value are kept as tables or as lists of what occurs."""
    problem = drawn(4, columns=3, rows=60)
    task = task_of(problem)
    lattice = Lattice(task.attributes, task.table)
    dense = Rollup(lattice, task.table, ["s", "class"])
    with monkeypatch.context() as patched:
        patched.setattr("sfumato.searches.lattice._DENSE", 0)
        sparse = Rollup(lattice, task.table, ["s", "class"])
        for node in problem.nodes():
            one, other = (rollup.stats(node) for rollup in (dense, sparse))
            assert one.as_dict() == other.as_dict()
            for name in ("s", "class"):
                assert np.array_equal(one.histograms[name].dense(), other.histograms[name].dense())


def test_halting_places_on_long_ways_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(8):
        problem = drawn(seed, columns=4, rows=60)
        plain = search_of(problem, "loss")
        plain.run()
        with monkeypatch.context() as patched:
            patched.setattr("sfumato.searches.lattice._LONG", 3)
            patched.setattr("sfumato.searches.lattice._FAR", 1.0)
            halting = search_of(problem, "loss")
            halting.run()
        assert halting.best == plain.best
        assert {node: tally.left_out for node, tally in halting.tallies.items()} == {
            node: tally.left_out for node, tally in plain.tallies.items()
        }


def test_trees_may_hold_values_that_do_not_occur_and_bare_columns_become_one_star() -> None:
    problem = Problem(
        rows=(("a0.v0", "p"), ("a0.v2", "q")),
        trees=(
            {
                "value": "r",
                "children": [{"value": "n", "children": [{"value": "a0.v0"}, {"value": "a0.v1"}]}, {"value": "a0.v2"}],
            },
            {"value": "*", "children": [{"value": "p"}, {"value": "q"}]},
        ),
        bare=(False, True),
        sensitive=("x", "x"),
        classes=("Y", "N"),
        requirements=({"id": "k-anonymity", "k": 1},),
        limit=0.0,
    )
    lattice = search_of(problem, "loss").lattice
    assert lattice.top == (2, 1)
    assert [lattice.labels(0, level) for level in range(3)] == [["a0.v0", "a0.v2"], ["n", "a0.v2"], ["r"]]
    assert lattice.labels(1, 1) == ["*"]
    starred = Problem(**{**vars_of(problem), "rows": (("a0.v0", "*"), ("a0.v2", "q"))})
    with pytest.raises(BadRequest, match="suppressed"):
        search_of(starred, "loss")


def vars_of(problem: Problem) -> dict[str, Any]:
    return {name: getattr(problem, name) for name in problem.__dataclass_fields__}


# ---- conclusions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("close", CLOSE, ids=lambda given: given["ground_distance"])
def test_no_split_of_a_group_leaves_out_less_than_the_least(close: dict[str, Any]) -> None:
    """Split groups at random, leave out the parts that fail, and compare with what the model says must go."""
    rng = random.Random(3)
    some = tight = 0
    for _ in range(400):
        model = build(
            {"id": "t-closeness", "t": rng.choice([0.0, 0.1, 0.3, 0.7, 1.0]), "sensitive": "s", **close}, "model"
        )
        assert isinstance(model, GroupModel)
        values = "uvwxy"[: rng.randint(2, 5)]
        group = [rng.choice(values) for _ in range(rng.randint(1, 12))]
        rest = [rng.choice("uvwxy") for _ in range(rng.randint(0, 20))]
        parts: dict[int, Counter[str]] = {}
        for value in group:
            parts.setdefault(rng.randrange(4), Counter())[value] += 1

        stats = compared(Counter(group), Counter(group + rest))
        least = int(model.least_removed(stats, model.measure(stats))[0])
        gone = 0
        for part in parts.values():
            measured = model.measure(compared(part, Counter(group + rest)))
            gone += 0 if model.bound().holds(measured)[0] else part.total()
        assert least <= gone
        some += least > 0
        tight += least == gone > 0
        # The quick way says the same.
        counts = stats.histograms["s"].dense()[:1].astype(np.int32)
        quick = model.judge_counts(counts, stats.sizes[:1], np.zeros(1, bool), stats.whole_table("s"))
        assert (quick is not None) == (close["ground_distance"] == "equal")
        if quick is not None:
            assert quick[0].tolist() == [not model.bound().holds(model.measure(stats))[0]]
            assert quick[1].tolist() == [least]
    assert some > 20
    assert tight > 5


def compared(group: Counter[str], table: Counter[str]) -> GroupStats:
    """Return a group as the first of a partition of the table."""
    beside = table - group
    return GroupStats.from_histograms([dict(group), *([dict(beside)] if beside else [])], "s")


def test_what_must_be_left_out_below_a_node_is_left_out_there() -> None:
    """``lasting`` records of a node are left out at every node below it, and the firm ones are the same records."""
    compared = 0
    for seed in range(100, 150):
        problem = drawn(seed)
        search = search_of(problem, "loss")
        tallies = {node: search.count([node])[0] for node in problem.nodes()}
        for upper, lower in product(tallies, tallies):
            if lies_below(lower, upper):
                assert tallies[upper].lasting <= tallies[lower].left_out, f"seed {seed}, {upper} over {lower}"
                compared += tallies[upper].lasting > 0
        if search.judge.upward:
            for upper, lower in product(tallies, tallies):
                if lies_below(lower, upper) and search.valid(tallies[lower]):
                    assert search.valid(tallies[upper]), f"seed {seed}, {upper} over {lower}"
    assert compared > 100


def test_tags_are_used_only_where_requirements_allow_it() -> None:
    def upward(limit: float, *requirements: dict[str, Any]) -> bool:
        problem = Problem(**{**vars_of(drawn(2, columns=2)), "requirements": requirements, "limit": limit})
        return search_of(problem, "loss").judge.upward

    k = {"id": "k-anonymity", "k": 2}
    distinct = {"id": "l-diversity-distinct", "l": 2, "sensitive": "s"}
    entropy = {"id": "l-diversity-entropy", "l": 1.5, "sensitive": "s"}
    disclosure = {"id": "delta-disclosure", "delta": 1.0, "sensitive": "s"}
    part = {**k, "qid": ["a0"]}
    assert upward(0.0, k)
    assert upward(0.0, k, entropy)
    assert upward(0.0, part)
    assert not upward(0.0, k, disclosure)
    assert upward(0.5, k, distinct)
    assert not upward(0.5, k, entropy)
    assert not upward(0.5, part)


def test_a_hopeless_task_says_what_the_fully_masked_table_measures() -> None:
    problem = Problem(
        **{
            **vars_of(drawn(2, columns=2)),
            "sensitive": tuple("xy"[i % 2] for i in range(len(drawn(2, columns=2).rows))),
            "requirements": ({"id": "l-diversity-distinct", "l": 3, "sensitive": "s"},),
            "limit": 0.0,
        }
    )
    search = search_of(problem, "loss")
    search.run()
    assert search.best is None
    with pytest.raises(Infeasible) as refusal:
        search.refuse_infeasible()
    assert refusal.value.measured == 2
    assert refusal.value.requirement == "l-diversity-distinct"
    assert "3" in str(refusal.value.bound)


# ---- ways ----------------------------------------------------------------------------------------------------------------


def test_nodes_of_a_height_are_all_of_them() -> None:
    for seed in range(10):
        problem = drawn(seed)
        search = search_of(problem, "loss")
        for height in range(search.lattice.height + 1):
            assert list(nodes_of_height(search, height)) == [node for node in problem.nodes() if sum(node) == height]
        for node in problem.nodes():
            above = search.lattice.above(node)
            assert above == sorted(above, reverse=True)
            assert all(sum(other) == sum(node) + 1 and lies_below(node, other) for other in above)
            assert all(node in search.lattice.above(other) for other in search.lattice.below(node))


def test_ways_find_what_brute_force_finds() -> None:
    ways = 0
    for seed in range(200, 300):
        problem = drawn(seed)
        if any("qid" in spec for spec in problem.requirements):
            continue
        search = search_of(problem, "loss")
        if not search.judge.upward:
            continue
        valid = problem.satisfying()
        assert [found.node for found in sorted(passing_down(search), key=lambda found: found.node)] == valid
        lowest = lowest_height(search_of(problem, "loss"))
        assert (lowest is None) == (not valid)
        if lowest is not None:
            least = min(sum(node) for node in valid)
            assert lowest[0] == least
            assert sorted(found.node for found in lowest[1]) == [node for node in valid if sum(node) == least]
        subsets, looked = satisfying_subsets(search_of(problem, "loss"))
        for subset, nodes in subsets.items():
            masked = [
                node
                for node in product(*(range(problem.top[i] + 1) for i in subset))
                if problem.valid(
                    tuple(node[subset.index(i)] if i in subset else top for i, top in enumerate(problem.top))
                )
            ]
            assert nodes == masked, f"seed {seed}, {subset}"
        assert looked <= sum(len(list(product(*(range(problem.top[i] + 1) for i in subset)))) for subset in subsets)
        assert search.lattice.minimal(valid) == problem.minimal()
        ways += bool(valid)
    assert ways > 15
