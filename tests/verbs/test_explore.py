"""Exploring a lattice: the same choices as by counting every one, publishable as promised, and refused in plain words."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.algorithms.lattice import _explored as module
from sfumato.algorithms.lattice import _frontier as lattice_frontier
from sfumato.datasets import patients
from sfumato.errors import BadRequest, Infeasible
from sfumato.tables.policy import Policy
from sfumato.testing.strategies import DrawnTable, tables
from sfumato.verbs.explore import Explored

from ..oracles.naive_explore import NaiveChoice, naive_choices, naive_minimal


def patient_policy(**asked: Any) -> Policy:
    return Policy.for_dataset(patients(), **{"requirements": [{"id": "k-anonymity", "k": 2}], **asked})


def explored(policy: Any, **options: Any) -> Explored:
    return sfumato.explore(sfumato.from_dataset(patients()), policy, **options)


# ---- against counting everything -----------------------------------------------------------------------------------------


def asked_of(table: DrawnTable, k: int, frequency: int, limit: float) -> Policy:
    columns = {
        attribute.name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": attribute.tree}}
        for attribute in table.attributes
    }
    requirements: list[dict[str, Any]] = [{"id": "k-anonymity", "k": k}]
    if frequency > 1:
        requirements.append({"id": "l-diversity-frequency", "l": frequency, "sensitive": "class"})
    return Policy.of(
        {
            "columns": {**columns, "class": {"role": "sensitive"}},
            "requirements": requirements,
            "limits": {"suppress_at_most": limit},
            "algorithm": {"id": "optimal"},
        }
    )


def expected(table: DrawnTable, k: int, frequency: int, limit: float) -> list[NaiveChoice]:
    trees = [attribute.tree for attribute in table.attributes]
    assert all(tree is not None for tree in trees)
    return naive_choices(
        table.rows, [tree for tree in trees if tree], k, frequency, int(limit * len(table.rows) + 1e-9)
    )


def ranked(choices: list[NaiveChoice]) -> list[NaiveChoice]:
    # Exact fractions and sums of floats order alike but for equal scores, where the lower node comes first.
    return sorted(
        (choice for choice in choices if choice.satisfied),
        key=lambda choice: (round(float(choice.score) * 2**40), sum(choice.node), choice.node),
    )


def compare(found: Explored, choices: list[NaiveChoice], count: int) -> None:
    right = ranked(choices)
    assert [s.score for s in found.solutions] == pytest.approx([float(c.score) for c in right[:count]])
    by_node = {choice.node: choice for choice in right}
    for solution in found.solutions:
        naive = by_node[solution.node]
        assert solution.score == pytest.approx(float(naive.score))
        assert (solution.left_out, solution.groups_left_out) == (naive.left_out, naive.groups_left_out)
        assert (solution.groups_kept, solution.smallest_group) == (naive.groups_kept, naive.smallest)
    frontier = naive_minimal(choices)
    assert {solution.node for solution in found.minimal} == frontier
    assert all(solution.minimal == (solution.node in frontier) for solution in found.solutions)
    assert found.solutions[0].optimal
    assert found.proven
    assert found.complete
    assert found.minimal_known
    assert found.bound == pytest.approx(float(right[0].score))
    assert found.lattice == len(choices)
    for height in found.heights:
        here = [choice for choice in choices if sum(choice.node) == height.height]
        assert height.nodes == len(here)
        assert height.satisfied <= sum(choice.satisfied for choice in here)
        assert height.violated <= sum(not choice.satisfied for choice in here)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    data=st.data(),
    table=tables(("taxonomy", "taxonomy", "taxonomy"), max_leaves=4, max_rows=20),
    k=st.integers(1, 4),
    frequency=st.integers(1, 2),
    limit=st.sampled_from([0.0, 0.1, 0.3]),
)
def test_the_same_as_counting_every_choice(
    data: st.DataObject, table: DrawnTable, k: int, frequency: int, limit: float
) -> None:
    choices = expected(table, k, frequency, limit)
    source = sfumato.from_rows(table.columns, table.rows)
    policy = asked_of(table, k, frequency, limit)
    if not ranked(choices):
        with pytest.raises(Infeasible):
            sfumato.explore(source, policy, ks=())
        return
    compare(sfumato.explore(source, policy, every=True, ks=()), choices, len(choices))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DRAWN", 0)  # so that the search may leave nodes out
        top = data.draw(st.integers(1, 6))
        compare(sfumato.explore(source, policy, top=top, ks=()), choices, top)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    table=tables(("taxonomy", "taxonomy"), max_leaves=5, max_rows=20),
    metric=st.sampled_from(["discernibility", "average-group-size", "non-uniform-entropy", "ambiguity"]),
    limit=st.sampled_from([0.0, 0.2]),
    top=st.integers(1, 5),
)
def test_the_best_few_are_the_first_of_all(table: DrawnTable, metric: str, limit: float, top: int) -> None:
    source = sfumato.from_rows(table.columns, table.rows)
    policy = asked_of(table, 2, 1, limit)
    every = sfumato.explore(source, policy, metric=metric, every=True, ks=())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DRAWN", 0)
        few = sfumato.explore(source, policy, metric=metric, top=top, ks=())
    assert few.solutions == every.solutions[:top]
    assert few.minimal == every.minimal
    assert few.complete


def test_a_small_lattice_by_hand() -> None:
    found = explored(patient_policy())
    assert found.best.levels == {"Job": 1, "Sex": 0, "Age": 1}
    assert found.best.score == pytest.approx(29 / 126)  # (1/3 + 0 + (3 * 2/4 + 4 * 1/4) / 7) / 3
    assert found.minimal == (found.best,)
    assert [solution.node for solution in found.solutions] == [
        (1, 0, 1),
        (1, 0, 2),
        (2, 0, 1),
        (1, 1, 1),
        (2, 0, 2),
        (1, 1, 2),
        (2, 1, 1),
        (2, 1, 2),
    ]
    assert [(height.nodes, height.satisfied) for height in found.heights] == [
        (1, 0),
        (3, 0),
        (5, 1),
        (5, 3),
        (3, 3),
        (1, 1),
    ]
    assert len(found.states) == found.lattice == found.checks == 18


# ---- publishing what was chosen ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [{"id": "tdr"}, {"id": "optimal", "metric": "iloss", "solutions": 3}])
@pytest.mark.parametrize("limit", [0.0, 0.15])
def test_every_choice_can_be_published_as_promised(algorithm: dict[str, Any], limit: float) -> None:
    policy = patient_policy(algorithm=algorithm, limits={"suppress_at_most": limit})
    found = explored(policy)
    metric = algorithm.get("metric", "loss")
    assert found.metric == {"id": metric}
    assert len(found.solutions) > 5
    for solution in found.solutions:
        chosen = found.to_policy(solution)
        assert chosen.algorithm["levels"] == solution.levels
        assert chosen.algorithm.get("solutions") == algorithm.get("solutions")
        assert Policy.of(chosen.document()) == chosen
        release = sfumato.anonymize(sfumato.from_dataset(patients()), chosen)
        assert release.private.facts["levels"] == solution.levels
        assert release.measured[metric].value == pytest.approx(solution.score)
        assert release.counts["records_suppressed"] == solution.left_out
        assert release.counts["groups_on_all_quasi_identifiers"] == solution.groups_kept
        assert release.counts["smallest_of_these_groups"] == solution.smallest_group
    assert any(solution.left_out for solution in found.solutions) == bool(limit)


def test_the_levels_of_a_policy_do_not_narrow_an_exploration() -> None:
    found = explored(patient_policy())
    again = explored(found.to_policy(found.solutions[3]))
    assert again.solutions == found.solutions


def test_pseudonyms_need_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_PSEUDONYM_KEY", raising=False)
    rows = [(f"p{i}", "ab"[i % 2]) for i in range(6)]
    columns = {"id": {"role": "identifier", "pseudonym": True}, "x": {"role": "quasi-identifier"}}
    asked = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 3}]}
    found = sfumato.explore(sfumato.from_rows(["id", "x"], rows), asked)
    assert found.best.levels == {"x": 0}
    assert found.to_policy(found.best).columns["id"].pseudonym


# ---- the curve -----------------------------------------------------------------------------------------------------------


def test_each_point_of_the_curve_is_the_best_for_its_k() -> None:
    found = explored(patient_policy(limits={"suppress_at_most": 0.15}), ks=[7, 2, 3, 3, 8])
    assert [point.k for point in found.curve] == [2, 3, 7, 8]
    assert [point.asked for point in found.curve] == [True, False, False, False]
    assert found.curve[0].levels == found.best.levels
    assert found.curve[0].score == found.best.score
    for point in found.curve[:3]:
        alone = patient_policy(limits={"suppress_at_most": 0.15}, requirements=[{"id": "k-anonymity", "k": point.k}])
        assert explored(alone, ks=()).best.levels == point.levels
        assert point.proven
    assert (found.curve[3].levels, found.curve[3].score, found.curve[3].left_out) == (None, None, None)


def test_the_curve_ends_where_everything_is_masked() -> None:
    found = explored(patient_policy())
    assert [point.k for point in found.curve] == [2, 3, 5]
    assert found.curve[-1].levels == {"Job": 2, "Sex": 1, "Age": 2}
    assert explored(patient_policy(), ks=()).curve == ()
    strict = explored(patient_policy(requirements=[{"id": "k-anonymity", "k": 6}]))
    assert [point.k for point in strict.curve] == [2, 3, 5, 6]


def test_other_requirements_stay_and_without_k_the_limit_is_varied() -> None:
    diverse = {"id": "l-diversity-distinct", "l": 2, "sensitive": "Disease"}
    both = explored(patient_policy(requirements=[{"id": "k-anonymity", "k": 2}, diverse]), ks=[1, 2])
    assert both.curve[0].levels == both.curve[1].levels == both.best.levels
    found = explored(patient_policy(requirements=[diverse], limits={"suppress_at_most": 0.3}))
    assert [point.suppress_at_most for point in found.curve] == [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5]
    assert [point.k for point in found.curve] == [None] * 8
    assert [point.asked for point in found.curve] == [False] * 6 + [True, False]
    scores = [point.score for point in found.curve]
    assert all(score is not None for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert found.curve[6].score == found.best.score


def test_several_k_become_one() -> None:
    two = [{"id": "k-anonymity", "k": 3, "qid": ["Job"]}, {"id": "k-anonymity", "k": 2, "qid": ["Sex", "Age"]}]
    found = explored(patient_policy(requirements=two), ks=[2, 3])
    one = [{**spec, "k": 3} for spec in two]
    assert [point.asked for point in found.curve] == [False, False]
    assert explored(patient_policy(requirements=one), ks=()).best.levels == found.curve[1].levels


# ---- what cannot be searched to the end ----------------------------------------------------------------------------------


def test_a_lattice_too_large_to_count_is_searched_without_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = explored(patient_policy(), every=True)
    monkeypatch.setattr(module, "DRAWN", 0)
    monkeypatch.setattr(module, "ENUMERABLE", 3)
    monkeypatch.setattr(lattice_frontier, "ENUMERABLE", 3)
    found = explored(patient_policy(), top=3)
    assert not found.complete
    assert not found.minimal_known
    assert found.bound <= whole.best.score <= found.best.score
    assert 0 < len(found.solutions) <= 3
    assert found.gap is None or found.gap >= 0
    known = {solution.node: solution.score for solution in whole.solutions}
    assert all(known[solution.node] == solution.score for solution in found.solutions)
    with pytest.raises(BadRequest, match="the lattice has 18 nodes") as refused:
        explored(patient_policy(), every=True)
    assert refused.value.parameter == "every"


def test_a_limit_of_checks_is_obeyed_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = explored(patient_policy(), every=True)
    monkeypatch.setattr(module, "DRAWN", 0)
    found = explored(patient_policy(algorithm={"id": "optimal", "max_checks": 2}), ks=())
    assert not found.proven
    assert not found.complete
    assert not found.minimal_known
    assert found.checks < 6
    assert found.bound < whole.best.score <= found.best.score
    assert found.gap == pytest.approx((found.best.score - found.bound) / found.best.score)
    assert not any(solution.optimal for solution in found.solutions)


def test_nothing_satisfies() -> None:
    diverse = {"id": "l-diversity-distinct", "l": 4, "sensitive": "Disease"}
    with pytest.raises(Infeasible, match="fully masked"):
        explored(patient_policy(requirements=[diverse]))


# ---- bad requests --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"top": 0}, "top"),
        ({"ks": [0]}, "ks"),
        ({"ks": [2, 2.5]}, "ks"),
        ({"ks": [True]}, "ks"),
        ({"metric": "igpl"}, "optimal.metric"),
        ({"metric": "classification-metric"}, "metric"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], parameter: str) -> None:
    with pytest.raises(BadRequest) as refused:
        explored(patient_policy(), **options)
    assert refused.value.parameter == parameter


def test_ks_need_a_k_to_vary() -> None:
    diverse = {"id": "l-diversity-distinct", "l": 2, "sensitive": "Disease"}
    with pytest.raises(BadRequest, match="no k-anonymity requirement"):
        explored(patient_policy(requirements=[diverse]), ks=[2])


def test_numbers_need_a_hierarchy_and_rankings_are_an_order() -> None:
    columns = {"x": {"role": "quasi-identifier"}}
    asked = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 2}]}
    with pytest.raises(BadRequest, match="a number needs a hierarchy"):
        sfumato.explore(sfumato.from_rows(["x"], [(1,), (2,), (3,)]), asked)
    ranked = explored(patient_policy(), metric={"id": "loss", "aggregate": "rank"})
    assert ranked.metric["aggregate"] == "rank"
    assert ranked.solutions[0].optimal


# ---- what is said --------------------------------------------------------------------------------------------------------


def test_the_document_holds_no_value_and_can_be_written() -> None:
    found = explored(patient_policy())
    assert any("example" in entry for entry in found.why)
    text = json.dumps(found.document(), allow_nan=False)
    for value in ("Lawyer", "Engineer", "Male", "[35-40)", "HIV"):
        assert value not in text
    told = json.loads(text)
    assert told["solutions"][0]["levels"] == dict(found.best.levels)
    assert told["columns"] == {"Job": 2, "Sex": 1, "Age": 2}
    assert [point["k"] for point in told["curve"]] == [2, 3, 5]


def test_drawings_are_documents() -> None:
    found = explored(patient_policy())
    for draw in (found.lattice_svg, found.curve_svg):
        text = draw()
        root = ET.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "<script" not in text
        assert text == draw()
    with pytest.raises(BadRequest, match="no point"):
        explored(patient_policy(), ks=()).curve_svg()


def test_progress_is_told() -> None:
    class Watching:
        def __init__(self) -> None:
            self.stages: list[str] = []
            self.ticks = 0

        def stage(self, name: str, total: float | None = None) -> None:
            self.stages.append(name)

        def tick(self, done: float, note: str = "") -> None:
            self.ticks += 1

    watching: Any = Watching()
    explored(patient_policy(), progress=watching)
    assert watching.stages == ["reading", "preparing", "compressing", "searching 18 nodes", "drawing the curve"]
    assert watching.ticks > 3


def test_exported() -> None:
    called: Callable[..., Explored] = sfumato.explore
    assert called.__module__ == "sfumato.verbs.explore"
    assert "explore" in dir(sfumato)
