"""l+-Optimize against trying everything, its bounds when it is stopped, and its refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_l_plus_optimize import all_cuts, best_cuts, cost
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.testing.strategies import trees

METRICS = ("discernibility", "minimal-distortion", "classification-metric")


def leaves(tree: dict[str, Any]) -> list[str]:
    below = tree.get("children") or ()
    return [leaf for child in below for leaf in leaves(child)] if below else [tree["value"]]


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Draw trees, records of their leaves with a sensitive value and a class, and templates."""
    width = draw(st.integers(1, 3))
    forest = [draw(trees(4, 2, prefix=f"a{i}.")) for i in range(width)]
    record = st.tuples(*(st.sampled_from(leaves(tree)) for tree in forest))
    records = draw(st.lists(record, min_size=2, max_size=8))
    rows = draw(st.lists(st.sampled_from(records), min_size=3, max_size=20))
    size = len(rows)
    template = st.tuples(
        st.lists(st.integers(0, width - 1), min_size=1, max_size=width, unique=True).map(tuple),
        st.sampled_from(["s0", "s1"]),
        st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.9]),
    )
    return {
        "trees": forest,
        "rows": rows,
        "sensitive": draw(st.lists(st.sampled_from(["s0", "s1", "s2"]), min_size=size, max_size=size)),
        "classes": draw(st.lists(st.sampled_from(["x", "y"]), min_size=size, max_size=size)),
        "templates": draw(st.lists(template, min_size=1, max_size=2)),
        "metric": draw(st.sampled_from(METRICS)),
    }


def anonymized(problem: dict[str, Any], **algorithm: Any) -> sfumato.Release:
    names = [f"a{i}" for i in range(len(problem["trees"]))]
    rows = [
        (*row, held, kind)
        for row, held, kind in zip(problem["rows"], problem["sensitive"], problem["classes"], strict=True)
    ]
    policy = {
        "columns": {
            **{
                name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}
                for name, tree in zip(names, problem["trees"], strict=True)
            },
            "disease": {"role": "sensitive"},
            "class": {"role": "target"},
        },
        "requirements": [
            {
                "id": "confidence-bounding",
                "qid": [names[c] for c in columns],
                "sensitive": "disease",
                "value": value,
                "h": h,
            }
            for columns, value, h in problem["templates"]
        ],
        "algorithm": {"id": "l-plus-optimize", "metric": problem["metric"], **algorithm},
        "metrics": list(METRICS),
    }
    return sfumato.anonymize(sfumato.from_rows([*names, "disease", "class"], rows), policy)


def naive(problem: dict[str, Any]) -> Any:
    return best_cuts(*(problem[key] for key in ("rows", "trees", "sensitive", "templates", "metric", "classes")))


@settings(max_examples=80)
@given(problem=problems(), ties=st.booleans())
def test_the_optimum_is_that_of_trying_everything(problem: dict[str, Any], ties: bool) -> None:
    wanted = naive(problem)
    if wanted is None:
        with pytest.raises(Infeasible):
            anonymized(problem)
        return
    least, optima = wanted
    release = anonymized(problem, list_optima=ties)
    facts = release.private.facts
    assert facts["cost"] == facts["lower_bound"] == pytest.approx(least)
    assert facts["gap"] == 0.0
    assert release.certificate["algorithm"]["optimal"] is True
    assert release.measured[problem["metric"]].value == pytest.approx(least)
    assert tuple(tuple(cut) for cut in facts["cuts"].values()) in optima
    assert release.table.rows == len(problem["rows"])
    if ties:
        found = [tuple(tuple(cut) for cut in optimum.values()) for optimum in facts["optima"]]
        assert len(set(found)) == len(found)
        assert set(found) <= set(optima)
        # The rest differ where no record is: below nodes that are empty.
        occurring = [set(column) for column in zip(*problem["rows"], strict=True)]
        assert {shown(problem, cuts, occurring) for cuts in found} == {
            shown(problem, cuts, occurring) for cuts in optima
        }


def shown(problem: dict[str, Any], cuts: Any, occurring: list[set[str]]) -> Any:
    """Return which label every value that occurs is published as."""
    out = []
    for tree, cut, values in zip(problem["trees"], cuts, occurring, strict=True):
        above: dict[str, str] = {}

        def walk(node: dict[str, Any], label: str | None, cut: Any = cut, above: dict[str, str] = above) -> None:
            label = label or (node["value"] if node["value"] in cut else None)
            for child in node.get("children") or ():
                walk(child, label)
            if not node.get("children"):
                above[node["value"]] = label or ""

        walk(tree, None)
        out.append(tuple(sorted((value, above[value]) for value in values)))
    return tuple(out)


@settings(max_examples=40)
@given(problem=problems(), nodes=st.integers(0, 2))
def test_stopped_early_the_bounds_enclose_the_optimum(problem: dict[str, Any], nodes: int) -> None:
    wanted = naive(problem)
    assume(wanted is not None)
    release = anonymized(problem, node_limit=nodes)
    facts = release.private.facts
    assert facts["lower_bound"] <= wanted[0] + 1e-9
    assert wanted[0] <= facts["cost"] + 1e-9
    assert facts["nodes"] <= nodes
    assert release.verdict.satisfied
    assert release.certificate["algorithm"]["optimal"] is (facts["gap"] == 0.0)


TREE = {"value": "*", "children": [{"value": "n", "children": [{"value": "a"}, {"value": "b"}]}, {"value": "c"}]}
PROBLEM: dict[str, Any] = {
    "trees": [TREE],
    "rows": [("a",), ("a",), ("b",), ("c",), ("c",), ("b",)],
    "sensitive": ["s0", "s1", "s1", "s0", "s1", "s1"],
    "classes": ["x", "y", "x", "y", "x", "y"],
    "templates": [((0,), "s0", 0.5)],
    "metric": "discernibility",
}


def test_a_deadline_stops_with_a_valid_table_and_a_true_gap() -> None:
    least = anonymized(PROBLEM).private.facts["cost"]
    release = anonymized(PROBLEM, deadline=1e-9)
    facts = release.private.facts
    assert release.private.stopped == "deadline"
    assert facts["lower_bound"] <= least <= facts["cost"]
    assert 0 < facts["gap"] < 1
    assert any("not proven best" in warning for warning in release.warnings)


def test_other_requirements_that_merging_keeps_will_do() -> None:
    policy = {
        "columns": {
            "a": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
            "s": {"role": "sensitive"},
        },
        "requirements": [
            {"id": "k-anonymity", "k": 2},
            {"id": "l-diversity-distinct", "l": 2, "sensitive": "s"},
        ],
        "algorithm": {"id": "l-plus-optimize", "metric": "loss"},
    }
    rows = [(*row, held) for row, held in zip(PROBLEM["rows"], PROBLEM["sensitive"], strict=True)]
    release = sfumato.anonymize(sfumato.from_rows(["a", "s"], rows), policy)
    # b alone would show s1 only.
    assert release.private.facts["cuts"] == {"a": ["n", "c"]}
    assert release.verdict.satisfied


def test_a_bound_below_the_share_in_the_table_is_infeasible() -> None:
    with pytest.raises(Infeasible) as caught:
        anonymized({**PROBLEM, "templates": [((0,), "s0", 0.1)]})
    assert caught.value.measured == pytest.approx(1 / 3)


def test_records_are_not_suppressed() -> None:
    document = anonymized(PROBLEM).private.policy.document()
    table = sfumato.from_rows(["a0", "disease", "class"], [("a", "s0", "x"), ("b", "s1", "y")])
    with pytest.raises(Unsupported, match="without leaving records out"):
        sfumato.anonymize(table, {**document, "limits": {"suppress_at_most": 0.1}})


@pytest.mark.parametrize("values", [(1, 2), ("x", "y")])
def test_columns_without_a_tree_are_refused_by_name(values: tuple[Any, Any]) -> None:
    policy = {
        "columns": {"a": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "algorithm": {"id": "l-plus-optimize"},
    }
    with pytest.raises(BadRequest, match="needs a hierarchy") as caught:
        sfumato.anonymize(sfumato.from_rows(["a"], [(value,) for value in values]), policy)
    assert caught.value.column == "a"


@pytest.mark.parametrize(
    ("metric", "match"),
    [
        ("no-such-metric", "not a metric"),
        ("igpl", "may rise"),
        ({"id": "classification-metric", "variant": "arx"}, "may rise"),
        ({"id": "kl-divergence", "variant": "arx"}, "may rise"),
        ({"id": "loss", "weights": {"a": -1}}, "loss.weights"),
        ({}, "not a metric"),
    ],
)
def test_metrics_without_a_bound_are_refused(metric: Any, match: str) -> None:
    with pytest.raises(BadRequest, match=match) as caught:
        anonymized({**PROBLEM, "metric": metric})
    assert caught.value.parameter == "l-plus-optimize.metric"


@pytest.mark.parametrize("name", ["non-uniform-entropy", "average-group-size"])
def test_variants_that_differ_in_records_left_out_alone_are_the_same(name: str) -> None:
    plain, arx = (anonymized({**PROBLEM, "metric": {"id": name, "variant": v}}) for v in ("literature", "arx"))
    assert arx.private.facts["cuts"] == plain.private.facts["cuts"]
    assert arx.private.facts["cost"] == pytest.approx(plain.private.facts["cost"])


def test_a_metric_that_needs_more_than_cuts_is_refused() -> None:
    with pytest.raises(BadRequest) as caught:
        anonymized({**PROBLEM, "metric": "ambiguity"})
    assert caught.value.parameter == "l-plus-optimize.metric"


def test_the_naive_twin_counts_cuts() -> None:
    assert len(all_cuts(TREE)) == 3
    assert cost(PROBLEM["rows"], [TREE], [("n", "c")], "discernibility", ()) == 16 + 4
