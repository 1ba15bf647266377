"""t-closeness: every ground distance against exact transport, and what follows from it."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles import naive_distributions as naive
from sfumato.contracts.publication import Publication
from sfumato.data.tree import Tree
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.models import TCloseness, t_closeness
from sfumato.testing.check_model import check_model
from sfumato.testing.strategies import trees


def histograms(values: list[Any]) -> st.SearchStrategy[list[dict[Any, int]]]:
    group = st.dictionaries(st.sampled_from(values), st.integers(1, 5), min_size=1)
    return st.lists(group, min_size=1, max_size=5)


def distances(model: TCloseness, groups: list[dict[Any, int]]) -> list[float]:
    return [float(found) for found in model.measure(GroupStats.from_histograms(groups, column="s"))]


def equal(t: float = 0.1) -> TCloseness:
    return TCloseness(t=t, sensitive="s", ground_distance="equal")


@given(groups=histograms(list("abcde")))
def test_equal_distance(groups: list[dict[str, int]]) -> None:
    table = naive.overall(groups)
    wanted = [naive.equal_distance(group, table) for group in groups]
    assert distances(equal(), groups) == pytest.approx([float(d) for d in wanted], abs=1e-15)
    assert wanted == [naive.transport(group, table, lambda i, j: Fraction(i != j)) for group in groups]


@given(groups=histograms([-3, 0, 1.5, 2, 7, 40]))
def test_ordered_distance(groups: list[dict[float, int]]) -> None:
    model = TCloseness(t=0.1, sensitive="s", ground_distance="ordered")
    table = naive.overall(groups)
    wanted = [naive.ordered_distance(group, table) for group in groups]
    assert distances(model, groups) == pytest.approx([float(d) for d in wanted], abs=1e-15)
    place = {value: at for at, value in enumerate(sorted(table))}
    steps = max(len(place) - 1, 1)
    by_transport = [
        naive.transport(group, table, lambda i, j: Fraction(abs(place[i] - place[j]), steps)) for group in groups
    ]
    assert wanted == by_transport


@given(groups=histograms(list("abcd")), order=st.permutations("abcd"))
def test_an_order_of_one_s_own(groups: list[dict[str, int]], order: list[str]) -> None:
    model = TCloseness(t=0.1, sensitive="s", ground_distance="ordered", values=tuple(order))
    table = naive.overall(groups)
    wanted = [float(naive.ordered_distance(group, table, order)) for group in groups]
    assert distances(model, groups) == pytest.approx(wanted, abs=1e-15)


@given(groups=histograms(list(range(6))))
def test_a_table_too_large_for_exact_sums_gives_the_same(groups: list[dict[int, int]]) -> None:
    model = TCloseness(t=0.1, sensitive="s", ground_distance="ordered")
    exact = distances(model, groups)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(t_closeness, "_EXACT", 0)
        assert distances(model, groups) == pytest.approx(exact, abs=1e-13)


def test_counts_of_billions() -> None:
    # c N, the largest number of the equal distance, and m n N, that of the ordered one.
    groups = [dict.fromkeys(range(6), 400000000), {0: 1}]
    model = TCloseness(t=0.1, sensitive="s", ground_distance="ordered")
    assert distances(model, groups)[1] == pytest.approx(0.5, abs=1e-6)
    assert distances(equal(), groups)[1] == pytest.approx(5 / 6, abs=1e-6)


@given(data=st.data(), tree=trees(max_leaves=6, max_depth=3))
def test_hierarchical_distance(data: st.DataObject, tree: dict[str, Any]) -> None:
    leaves = list(Tree.from_nested(tree).leaves)
    groups = data.draw(histograms(leaves))
    model = TCloseness(t=0.1, sensitive="s", ground_distance="hierarchical", taxonomy=tree)
    table = naive.overall(groups)
    wanted = [naive.hierarchical_distance(group, table, tree) for group in groups]
    assert distances(model, groups) == pytest.approx([float(d) for d in wanted], abs=1e-14)
    assert wanted == [naive.transport(group, table, lambda i, j: naive.leaf_distance(tree, i, j)) for group in groups]


@given(
    groups=histograms(list("abc")),
    costs=st.lists(st.integers(0, 10), min_size=3, max_size=3),
)
def test_own_distances(groups: list[dict[str, int]], costs: list[int]) -> None:
    pytest.importorskip("scipy")
    ab, ac, bc = (cost / 10 for cost in costs)
    matrix = ((0, ab, ac), (ab, 0, bc), (ac, bc, 0))
    # The matrix lists values in an order of its own, and one that does not occur.
    model = TCloseness(t=0.1, sensitive="s", ground_distance="matrix", values=("a", "b", "c"), matrix=matrix)
    exact = {("a", "b"): costs[0], ("a", "c"): costs[1], ("b", "c"): costs[2]}

    def cost(i: str, j: str) -> Fraction:
        return Fraction(0 if i == j else exact[min(i, j), max(i, j)], 10)

    table = naive.overall(groups)
    wanted = [float(naive.transport(group, table, cost)) for group in groups]
    assert distances(model, groups) == pytest.approx(wanted, abs=1e-9)


def test_own_distances_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    model = TCloseness(t=0.1, sensitive="s", ground_distance="matrix", values=("a", "b"), matrix=((0, 1), (1, 0)))
    with pytest.raises(BadRequest, match="needs SciPy") as refused:
        distances(model, [{"a": 1}, {"b": 1}])
    assert refused.value.available == ["equal", "ordered", "hierarchical"]
    assert distances(equal(), [{"a": 1}, {"b": 1}]) == [0.5, 0.5]


@given(groups=histograms(list("abcd")))
def test_no_share_moves_by_more_than_the_distance(groups: list[dict[str, int]]) -> None:
    table = naive.shares(naive.overall(groups))
    for group, t in zip(groups, distances(equal(), groups), strict=True):
        posterior = naive.shares(group)
        assert all(abs(float(posterior.get(value, Fraction(0)) - prior)) <= t + 1e-12 for value, prior in table.items())


@given(groups=histograms(list("abcd")))
def test_zero_is_for_equal_distributions_and_one_for_every_table(groups: list[dict[str, int]]) -> None:
    stats = GroupStats.from_histograms(groups, column="s")
    table = naive.shares(naive.overall(groups))
    same = all(naive.shares(group) == table for group in groups)
    for ground, more in (("equal", {}), ("ordered", {"values": ("a", "b", "c", "d")})):
        model = TCloseness(t=0, sensitive="s", ground_distance=ground, **more)
        assert model.check(stats).satisfied == same
        assert TCloseness(t=1, sensitive="s", ground_distance=ground, **more).check(stats).satisfied


def test_many_groups_at_once_are_like_each_alone() -> None:
    rng = np.random.default_rng(5)
    drawn = [
        {int(v): int(c) for v, c in zip(*np.unique(rng.integers(0, 30, 8), return_counts=True), strict=True)}
        for _ in range(300)
    ]
    table = naive.overall(drawn)
    ordered = TCloseness(t=0.1, sensitive="s", ground_distance="ordered")
    assert distances(ordered, drawn) == pytest.approx([ordered.distance(group, table) for group in drawn], abs=1e-12)
    assert distances(equal(), drawn) == pytest.approx([equal().distance(group, table) for group in drawn], abs=1e-12)


def test_the_reference_is_the_whole_table_where_a_search_sees_a_part() -> None:
    whole = GroupStats.from_histograms([{"a": 3, "b": 1}, {"b": 4}], column="s")
    part = GroupStats.from_histograms([{"a": 3, "b": 1}], column="s")
    seen = GroupStats(part.columns, part.keys, part.sizes, part.histograms, {"s": whole.whole_table("s")})
    assert equal().measure(seen)[0] == equal().measure(whole)[0] != equal().measure(part)[0]


def test_distributions_as_shares() -> None:
    assert equal().distance({"x": 0.2, "y": 0.8}, {"x": 0.2, "y": 0.8}) == 0
    assert equal().distance({"new": 1}, {"old": 1}) == 1
    for wrong in ({}, {"x": 0}, {"x": -1, "y": 2}):
        with pytest.raises(BadRequest, match="counts or probabilities"):
            equal().distance(wrong, {"x": 1})


def test_empty_table() -> None:
    table = from_rows(["q", "s"], [("a", "b")]).drop_groups(["q"], [("a",)])
    (verdict,) = sfumato.check(table, equal(), qid=["q"])
    assert (verdict.satisfied, verdict.strongest) == (True, None)


def test_the_hierarchy_comes_with_the_check() -> None:
    tree = {"*": [{"Infection": ["Flu", "HIV"]}, {"Other": ["Burn"]}]}
    table = from_rows(["q", "s"], [("x", "Flu"), ("x", "Flu"), ("y", "HIV"), ("y", "Burn")])
    model = TCloseness(t=0.1, sensitive="s", ground_distance="hierarchical")
    (verdict,) = sfumato.check(table, model, qid=["q"], hierarchies={"s": tree})
    given_here = TCloseness(t=0.1, sensitive="s", ground_distance="hierarchical", taxonomy=tree)
    (again,) = sfumato.check(table, given_here, qid=["q"])
    # x is half Flu too much: 1/4 meets HIV halfway, 1/4 meets Burn at the root.
    assert verdict.strongest == again.strongest == 0.25 * 0.5 + 0.25
    with pytest.raises(BadRequest, match="hierarchy"):
        sfumato.check(table, model, qid=["q"])
    with pytest.raises(BadRequest, match="taxonomy"):
        model.measure(table.groups(["q"], ["s"]))
    with pytest.raises(BadRequest, match="no leaf"):
        sfumato.check(table, model, qid=["q"], hierarchies={"s": {"*": ["Flu", "HIV"]}})
    # Whole numbers hang below leaves of the same text.
    numbers = from_rows(["q", "s"], [("x", 1), ("y", 2)])
    (verdict,) = sfumato.check(numbers, model, qid=["q"], hierarchies={"s": {"*": ["1", "2"]}})
    assert verdict.strongest == 0.5


def test_what_has_no_order_is_refused() -> None:
    model = TCloseness(t=0.1, sensitive="s", ground_distance="ordered")
    for rows, what in ((["low", "high"], "text"), ([None, 3], "missing")):
        table = from_rows(["q", "s"], [("x", value) for value in rows])
        with pytest.raises(BadRequest, match=what) as refused:
            sfumato.check(table, model, qid=["q"])
        assert refused.value.column == "s"
    short = TCloseness(t=0.1, sensitive="s", ground_distance="ordered", values=("low",))
    with pytest.raises(BadRequest, match="lacks a value") as refused:
        sfumato.check(from_rows(["q", "s"], [("x", "low"), ("x", "high")]), short, qid=["q"])
    assert refused.value.value == ["high"]


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"t": 1.1}, "t"),
        ({"t": -0.1}, "t"),
        ({"ground_distance": "euclidean"}, "ground_distance"),
        ({"values": ("a",)}, "values"),
        ({"taxonomy": {"*": ["a"]}}, "taxonomy"),
        ({"matrix": ((0,),)}, "matrix"),
        ({"ground_distance": "ordered", "values": ("a", "a")}, "values"),
        ({"ground_distance": "hierarchical", "taxonomy": 5}, "taxonomy"),
        ({"ground_distance": "matrix", "values": ("a",)}, "matrix"),
        ({"ground_distance": "matrix", "matrix": ((0,),)}, "values"),
        ({"ground_distance": "matrix", "values": ("a", "b"), "matrix": ((0, 1),)}, "matrix"),
        ({"ground_distance": "matrix", "values": ("a", "b"), "matrix": ((0, 1), (0.5, 0))}, "matrix"),
        ({"ground_distance": "matrix", "values": ("a", "b"), "matrix": ((0, 2), (2, 0))}, "matrix"),
        ({"ground_distance": "matrix", "values": ("a", "b"), "matrix": ((1, 1), (1, 0))}, "matrix"),
        ({"qid": ("s", "q")}, "qid"),
    ],
)
def test_refusals(wrong: dict[str, Any], parameter: str) -> None:
    with pytest.raises(BadRequest) as refused:
        TCloseness(**{"t": 0.1, "sensitive": "s", "ground_distance": "equal", **wrong})
    assert refused.value.parameter == f"t-closeness.{parameter}"


def test_there_is_no_default_distance() -> None:
    with pytest.raises(BadRequest, match="ground_distance"):
        TCloseness.from_spec({"id": "t-closeness", "t": 0.1, "sensitive": "s"})


def test_groups_without_the_column() -> None:
    with pytest.raises(BadRequest) as refused:
        equal().check(GroupStats.from_sizes([3]))
    assert refused.value.column == "s"


@pytest.mark.parametrize(
    "more",
    [
        {"ground_distance": "ordered", "values": ("s3", "s1", "s0", "s4", "s2")},
        {
            "ground_distance": "hierarchical",
            "taxonomy": {"*": [{"x": ["s0", "s3"]}, {"y": ["s1", {"z": ["s2", "s4"]}]}]},
        },
    ],
    ids=lambda more: str(more["ground_distance"]),
)
def test_promises_of_the_other_distances(more: dict[str, Any]) -> None:
    model = TCloseness(t=0.2, sensitive="s", **more)
    check_model(model, np.random.default_rng(3), counterexamples=_found(model))


@settings(max_examples=25)
@given(groups=histograms(list("abc")), data=st.data())
def test_merging_keeps_own_distances(groups: list[dict[str, int]], data: st.DataObject) -> None:
    pytest.importorskip("scipy")
    # Not even a metric: a to c is shorter over b.
    matrix = ((0, 0.2, 1), (0.2, 0, 0.3), (1, 0.3, 0))
    model = TCloseness(t=0.1, sensitive="s", ground_distance="matrix", values=("a", "b", "c"), matrix=matrix)
    stats = GroupStats.from_histograms(groups, column="s")
    last = data.draw(st.integers(0, len(groups) - 1))
    merged = stats.merge([min(at, last) for at in range(len(groups))])
    assert model.measure(merged).max() <= model.measure(stats).max() + 1e-9


def _found(model: TCloseness) -> dict[str, tuple[GroupStats, list[int]]]:
    """Search a merge that adds records to violating groups and return it as a counter-example."""
    rng = np.random.default_rng(1)
    for _ in range(20_000):
        drawn = [
            {f"s{i}": int(c) for i, c in enumerate(rng.multinomial(n, rng.dirichlet(np.ones(5)))) if c}
            for n in (1, 9, 20)
        ]
        groups = GroupStats.from_histograms(drawn, column="s")
        if len(groups.histograms["s"].values) == 5:
            before, after = model.check(groups), model.check(groups.merge([0, 0, 1]))
            if after.violating_records > before.violating_records:
                return {"violations_shrink_under_merge": (groups, [0, 0, 1])}
    raise AssertionError("no counter-example found")


def test_a_top_down_search_keeps_it() -> None:
    rows = [(job, sex, disease) for job in "ab" for sex in "xy" for disease in ("Flu", "HIV") for _ in range(4)]
    rows += [("a", "x", "HIV")] * 6
    columns = {"job": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
    policy = {
        "columns": {name: {"role": role} for name, role in columns.items()},
        "requirements": [{"id": "t-closeness", "t": 0.06, "sensitive": "disease", "ground_distance": "equal"}],
        "algorithm": {"id": "tdr"},
    }
    table = from_rows(list(columns), rows)
    release = sfumato.anonymize(table, policy)
    (before,) = sfumato.check(table, policy=policy)
    (after,) = release.verdict
    assert not before.satisfied
    assert after.satisfied


def test_judged_on_a_publication_with_a_tree() -> None:
    tree = Tree.from_nested({"*": ["a", "b"]})
    table = from_rows(["q", "s"], [("x", "a"), ("y", "b")])
    model = TCloseness(t=0.5, sensitive="s", ground_distance="hierarchical")
    verdict = model.judge(Publication(table=table, qids=("q",), trees={"s": tree}))
    assert verdict.satisfied
    assert verdict.parameters["taxonomy"] == tree.to_nested()


def test_missing_values_are_refused_unless_they_count() -> None:
    table = from_rows(["q", "s"], [("x", "a"), ("x", None), ("y", "a"), ("y", "a")])
    with pytest.raises(BadRequest, match="missing values") as refused:
        sfumato.check(table, equal(), qid=["q"])
    assert refused.value.column == "s"
    counting = TCloseness(t=0.1, sensitive="s", ground_distance="equal", missing="count")
    (verdict,) = sfumato.check(table, counting, qid=["q"])
    assert verdict.strongest == 0.25


def test_the_sensitive_column_cannot_be_known() -> None:
    table = from_rows(["q", "s"], [("x", "a"), ("y", "b")])
    with pytest.raises(BadRequest, match="quasi-identifier"):
        sfumato.check(table, equal(), qid=["q", "s"])


@given(groups=histograms(list(range(5))))
def test_weights_that_are_no_whole_numbers(groups: list[dict[int, int]]) -> None:
    stats = GroupStats.from_histograms(groups, column="s")
    histogram = stats.histograms["s"]
    light = Histogram(histogram.values, histogram.start, histogram.code, histogram.count / 7)
    weighted = GroupStats(stats.columns, stats.keys, stats.sizes / 7, {"s": light})
    tree = {"*": [{"low": ["0", "1"]}, {"high": ["2", {"top": ["3", "4"]}]}]}
    for more in (
        {"ground_distance": "equal"},
        {"ground_distance": "ordered"},
        {"ground_distance": "hierarchical", "taxonomy": tree},
    ):
        model = TCloseness(t=0.1, sensitive="s", **more)
        assert model.measure(weighted) == pytest.approx(model.measure(stats), abs=1e-12)
