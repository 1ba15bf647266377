"""Bottom-Up Generalization: against its naive twin, pruned against unpruned, limits, other requirements, refusals."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_bug import NaiveBugResult, naive_bug
from sfumato.algorithms import BottomUpGeneralization
from sfumato.algorithms.stepwise._coarsening import Coarsener
from sfumato.contracts.algorithm import Outcome, Task
from sfumato.contracts.model import TableTraits
from sfumato.contracts.run import Run
from sfumato.datasets import education_work, hospital
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import KAnonymity
from sfumato.tables.prepare import prepare
from sfumato.testing.strategies import DrawnTable, tables

SCORES = st.sampled_from(["ilpg", "distortion-per-gain", "discernibility-increase"])
TREES = tables(("taxonomy",) * 3)
KEPT = ("attribute", "value", "critical")


def policy_of(drawn: DrawnTable, **algorithm: Any) -> sfumato.Policy:
    """Return the policy of a drawn table; a column in no quasi-identifier stays plain."""
    masked = {name for qid, _ in drawn.requirement for name in qid}
    columns: dict[str, Any] = {
        attribute.name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": attribute.tree}}
        if attribute.name in masked
        else {"role": "plain", "publish_anyway": "invented"}
        for attribute in drawn.attributes
    }
    return sfumato.Policy.of(
        {
            "columns": {**columns, drawn.target: {"role": "target"}},
            "requirements": [{"id": "k-anonymity", "qid": list(qid), "k": k} for qid, k in drawn.requirement],
            "algorithm": {"id": "bottom-up-generalization", "trace": "full", **algorithm},
            "output": {"row_order": "keep"},
        }
    )


def table_of(drawn: DrawnTable, rows: Sequence[Any] | None = None) -> sfumato.Table:
    return sfumato.from_rows(drawn.columns, drawn.rows if rows is None else rows)


def run(drawn: DrawnTable, rows: Sequence[Any] | None = None, **algorithm: Any) -> Any:
    return sfumato.anonymize(table_of(drawn, rows), policy_of(drawn, **algorithm))


def naive(drawn: DrawnTable, **options: Any) -> NaiveBugResult:
    trees = {attribute.name: attribute.tree for attribute in drawn.attributes if attribute.tree is not None}
    return naive_bug(drawn.rows, drawn.columns, trees, drawn.target, drawn.requirement, **options)


def task_of(drawn: DrawnTable) -> Task:
    return prepare(table_of(drawn), policy_of(drawn)).task()


def same_numbers(found: Any, wanted: Any) -> None:
    assert {key: found[key] for key in KEPT} == {key: wanted[key] for key in KEPT}
    for key in ("cost", "gain", "score"):
        assert found[key] == (None if wanted[key] is None else pytest.approx(wanted[key], abs=1e-9))


def by_qid(sizes: Any) -> dict[frozenset[str], int]:
    return {frozenset(qid.split("|") if isinstance(qid, str) else qid): least for qid, least in sizes.items()}


def same_as_twin(release: Any, twin: NaiveBugResult) -> None:
    trace = release.private.trace
    assert [(step["attribute"], step["value"]) for step in trace] == [
        (step["attribute"], step["value"]) for step in twin.trace
    ]
    for ours, theirs, sizes in zip(trace, twin.trace, twin.smallest[1:], strict=True):
        same_numbers(ours, theirs)
        assert by_qid(ours["after"]) == by_qid(sizes)
        assert len(ours["candidates"]) == len(theirs["candidates"])
        for one, other in zip(ours["candidates"], theirs["candidates"], strict=True):
            same_numbers(one, other)
    assert [tuple(map(str, row)) for row in release.table.to_rows()] == twin.masked_rows


# ---- the twin ------------------------------------------------------------------------------------------------------------


@settings(max_examples=120)
@given(drawn=TREES, score=SCORES, pruned=st.booleans())
def test_same_as_the_naive_twin(drawn: DrawnTable, score: str, pruned: bool) -> None:
    same_as_twin(run(drawn, score=score, pruned=pruned), naive(drawn, score=score))


@settings(max_examples=25)
@given(
    drawn=tables(("taxonomy",) * 4, min_rows=30, max_rows=60, max_leaves=9, max_k=12, max_qids=1), pruned=st.booleans()
)
def test_same_as_the_naive_twin_on_larger_tables(drawn: DrawnTable, pruned: bool) -> None:
    same_as_twin(run(drawn, pruned=pruned), naive(drawn))


@settings(max_examples=40)
@given(drawn=TREES, seed=st.integers(0, 2**32 - 1))
def test_row_order_does_not_matter(drawn: DrawnTable, seed: int) -> None:
    order = list(range(len(drawn.rows)))
    random.Random(seed).shuffle(order)
    plain, shuffled = run(drawn), run(drawn, [drawn.rows[i] for i in order])
    assert shuffled.private.trace == plain.private.trace
    rows = plain.table.to_rows()
    assert shuffled.table.to_rows() == [rows[i] for i in order]


@settings(max_examples=40)
@given(drawn=TREES, seed=st.integers(0, 2**32 - 1))
def test_compression_and_row_order_of_the_compressed_table_do_not_matter(drawn: DrawnTable, seed: int) -> None:
    task = task_of(drawn)
    rows = np.repeat(np.arange(len(task.table)), task.table.weights)
    rows = np.random.default_rng(seed).permutation(rows)
    apart = replace(
        task.table,
        codes=task.table.codes[rows],
        weights=np.ones(len(rows), np.int64),
        extra_codes=task.table.extra_codes[rows],
    )
    same_outcome(outcome(replace(task, table=apart)), outcome(task))


def outcome(task: Task, **algorithm: Any) -> Outcome:
    return BottomUpGeneralization(trace="full", **algorithm).run(task, Run.seeded(0))


def same_outcome(found: Outcome, wanted: Outcome) -> None:
    assert found.trace == wanted.trace
    assert found.facts["curve"] == wanted.facts["curve"]
    assert {name: recoding.state() for name, recoding in found.recodings.items()} == {
        name: recoding.state() for name, recoding in wanted.recodings.items()
    }


# ---- what the sequence promises ------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(drawn=tables(("taxonomy",) * 4, max_k=8), score=SCORES)
def test_pruning_changes_nothing_and_tries_at_most_one_step_for_each_column(drawn: DrawnTable, score: str) -> None:
    task = task_of(drawn)
    pruned, unpruned = outcome(task, score=score), outcome(task, score=score, pruned=False)
    same_outcome(pruned, unpruned)
    bound = sum(len(model.qid or task.qids) for model in task.models)
    assert all(tried <= bound for tried in pruned.facts["examined"])
    assert all(few <= many for few, many in zip(pruned.facts["examined"], unpruned.facts["examined"], strict=True))


@settings(max_examples=25)
@given(drawn=tables(("taxonomy",) * 3, max_k=8))
def test_the_release_satisfies_the_requirement_and_no_earlier_state_does(drawn: DrawnTable) -> None:
    states: list[dict[str, Any]] = []
    policy = policy_of(drawn)
    release = sfumato.anonymize(table_of(drawn), policy, on_step=lambda state: states.append(state.recodings()))
    assert sfumato.check(release.table, policy=policy).satisfied
    for state in states[:-1]:
        masked = sfumato.recode(table_of(drawn), state).table
        assert any(masked.groups(list(qid)).sizes.min() < k for qid, k in drawn.requirement)
    curve = release.private.facts["curve"]
    assert [point["step"] for point in curve] == list(range(len(states) + 1))
    assert [point["satisfied"] for point in curve] == [False] * len(states) + [True]
    for before, after in pairwise(curve):
        assert after["smallest_group"] >= before["smallest_group"]
        assert after["groups"] <= before["groups"]
        assert after["cost"] >= before["cost"]
        assert after["detail"] <= before["detail"] + 1e-12
        assert after["information"] <= before["information"] + 1e-12
    for before, after in pairwise(entry["after"] for entry in release.private.trace):
        assert all(after[qid] >= before[qid] for qid in after)


@settings(max_examples=40)
@given(drawn=tables(("taxonomy",) * 3, max_qids=1, max_k=4))
def test_every_state_of_the_index_counts_right(drawn: DrawnTable) -> None:
    qid = drawn.requirement[0][0]

    def recount(state: Coarsener) -> None:
        shown = sfumato.recode(table_of(drawn), state.recodings()).table
        at = [shown.columns.index(name) for name in qid]
        counted = Counter(tuple(str(row[i]) for i in at) for row in shown.to_rows())
        assert state.groups(qid) == counted
        assert state.smallest()[state.names(next(iter(state.indexes)))] == min(counted.values())

    sfumato.anonymize(table_of(drawn), policy_of(drawn), on_step=recount)


@settings(max_examples=40)
@given(drawn=tables(("taxonomy",) * 3, max_k=3), explore=st.integers(1, 30))
def test_exploring_does_not_change_what_is_published(drawn: DrawnTable, explore: int) -> None:
    plain, further = run(drawn), run(drawn, explore=explore)
    steps = len(plain.private.trace)
    assert further.private.trace[:steps] == plain.private.trace
    assert further.table.to_rows() == plain.table.to_rows()
    assert further.private.facts["generalizations"] == steps
    curve = further.private.facts["curve"]
    assert curve[-1]["smallest_group"] >= min(explore, len(drawn.rows))
    for point in range(steps, len(curve)):
        chosen = run(drawn, explore=explore, stop_at=point)
        assert chosen.private.facts["generalizations"] == point
        assert min(chosen.private.facts["smallest_group"].values()) == curve[point]["smallest_group"]
        least = min(chosen.table.groups(list(qid)).sizes.min() for qid in _reduced(drawn))
        assert least == curve[point]["smallest_group"]


def _reduced(drawn: DrawnTable) -> list[tuple[str, ...]]:
    return [tuple(model.qid or ()) for model in task_of(drawn).models]


@settings(max_examples=25)
@given(drawn=tables(("taxonomy",) * 3, max_k=6))
def test_taking_back_gives_a_minimal_cut(drawn: DrawnTable) -> None:
    plain, refined = run(drawn), run(drawn, post_refine=True)
    assert refined.verdict.satisfied
    for name, recoding in refined.recodings.items():
        assert recoding.is_finer_than(plain.recodings[name])
        for label in recoding.published():
            node = recoding.tree.node(label)
            at = drawn.columns.index(name)
            held = {row[at] for row in drawn.rows}
            below = recoding.tree.leaves[recoding.tree.leaf_first[node] : recoding.tree.leaf_last[node]]
            if not recoding.tree.children[node] or not held & set(below):
                continue
            finer = {**refined.recodings, name: recoding.refine(label)}
            masked = sfumato.recode(table_of(drawn), finer).table
            assert any(masked.groups(list(qid)).sizes.min() < k for qid, k in drawn.requirement)
    assert all(set(step) == {"attribute", "value"} for step in refined.private.facts["taken_back"])


# ---- other requirements --------------------------------------------------------------------------------------------------


class SlowKAnonymity(KAnonymity):
    """k-anonymity that pretends sizes do not decide it, so that every step is asked of ``measure``."""

    traits: ClassVar[TableTraits] = replace(KAnonymity.traits, by_size_alone=False)


@settings(max_examples=40)
@given(drawn=tables(("taxonomy",) * 3, max_k=8), pruned=st.booleans())
def test_the_general_goal_equals_the_fast_one(drawn: DrawnTable, pruned: bool) -> None:
    task = task_of(drawn)
    slow = [SlowKAnonymity(k=model.k, qid=model.qid) for model in task.models]  # type: ignore[attr-defined]
    same_outcome(outcome(replace(task, models=slow), pruned=pruned), outcome(task, pruned=pruned))


REQUIREMENTS: list[list[dict[str, Any]]] = [
    [{"id": "l-diversity-distinct", "l": 4, "sensitive": "diagnosis"}],
    [{"id": "l-diversity-entropy", "l": 5, "sensitive": "diagnosis"}],
    [{"id": "l-diversity-recursive", "c": 2.0, "l": 3, "sensitive": "diagnosis"}],
    [{"id": "t-closeness", "t": 0.3, "sensitive": "diagnosis", "ground_distance": "equal"}],
    [{"id": "k-anonymity", "k": 4}, {"id": "l-diversity-distinct", "l": 3, "sensitive": "diagnosis"}],
    [
        {"id": "k-anonymity", "k": 3, "qid": ["sex", "occupation"]},
        {"id": "l-diversity-distinct", "l": 3, "sensitive": "diagnosis", "qid": ["department", "sex"]},
    ],
    [{"id": "lkc-privacy", "L": 2, "K": 5, "C": 0.6, "sensitive": "diagnosis"}],
]
HOSPITAL = hospital(300, seed=8)


def hospital_policy(requirements: Sequence[dict[str, Any]], **algorithm: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {name: {"role": "plain", "publish_anyway": "invented"} for name in HOSPITAL.columns}
    for name in ("sex", "occupation", "department"):
        columns[name] = {"role": "quasi-identifier"}
        if name in HOSPITAL.taxonomies:
            columns[name]["hierarchy"] = {"id": "taxonomy", "tree": HOSPITAL.taxonomies[name]}
    columns["diagnosis"] = {"role": "sensitive"}
    return {
        "columns": columns,
        "requirements": requirements,
        "algorithm": {"id": "bottom-up-generalization", "trace": "full", **algorithm},
    }


@pytest.mark.parametrize("requirements", REQUIREMENTS, ids=lambda r: "+".join(entry["id"] for entry in r))
def test_any_requirement_that_merging_keeps(requirements: list[dict[str, Any]]) -> None:
    table = sfumato.from_dataset(HOSPITAL)
    policy = hospital_policy(requirements)
    states: list[Any] = []
    release = sfumato.anonymize(table, policy, on_step=lambda state: states.append(state.recodings()))
    assert sfumato.check(release.table, policy=policy).satisfied
    assert states
    before = sfumato.recode(table, states[-2]).table if len(states) > 1 else table
    assert not sfumato.check(before, policy=policy).satisfied
    unpruned = sfumato.anonymize(table, hospital_policy(requirements, pruned=False))
    assert unpruned.private.trace == release.private.trace


def test_gains_of_a_model_are_capped_at_its_bound() -> None:
    release = sfumato.anonymize(sfumato.from_dataset(HOSPITAL), hospital_policy(REQUIREMENTS[0]))
    assert any(step["critical"] for step in release.private.trace)
    assert sum(step["gain"] for step in release.private.trace) <= 4 - 1


def test_a_hopeless_requirement_is_refused_before_searching() -> None:
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(
            sfumato.from_dataset(HOSPITAL),
            hospital_policy([{"id": "l-diversity-distinct", "l": 99, "sensitive": "diagnosis"}]),
        )
    assert caught.value.measured == len(set(HOSPITAL.values("diagnosis")))
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(
            sfumato.from_dataset(HOSPITAL),
            hospital_policy([{"id": "lkc-privacy", "L": 2, "K": 5, "C": 0.01, "sensitive": "diagnosis"}]),
        )
    assert caught.value.requirement == "lkc-privacy"


def test_requirements_that_merging_may_break_are_refused() -> None:
    class Fragile(KAnonymity):
        traits: ClassVar[TableTraits] = replace(KAnonymity.traits, closed_under_merge=False)

    task = prepare(TABLE, policy()).task()
    with pytest.raises(Unsupported, match="merged"):
        BottomUpGeneralization().start(replace(task, models=[Fragile(k=1)]))


# ---- corners and refusals ------------------------------------------------------------------------------------------------

DATA = education_work()
TABLE = sfumato.from_dataset(DATA)


def policy(*, k: int = 4, target: bool = True, **algorithm: Any) -> sfumato.Policy:
    columns: dict[str, Any] = {
        "Education": {
            "role": "quasi-identifier",
            "hierarchy": {"id": "taxonomy", "tree": DATA.taxonomies["Education"]},
        },
        "Sex": {"role": "quasi-identifier"},
        "Work_Hrs": {"role": "quasi-identifier", "hierarchy": {"id": "intervals", "edges": [1, 35, 37, 44, 99]}},
        "Class": {"role": "target" if target else "plain"},
    }
    return sfumato.Policy.of(
        {
            "columns": columns,
            "requirements": [{"id": "k-anonymity", "k": k}],
            "algorithm": {"id": "bottom-up-generalization", **algorithm},
        }
    )


def test_numbers_with_intervals_and_texts_without_a_tree() -> None:
    release = sfumato.anonymize(TABLE, policy(k=6))
    assert release.verdict.satisfied
    assert set(release.recodings["Sex"].published()) in ({"*"}, {"M", "F"})
    assert len(release.table.to_rows()) == TABLE.rows


def test_one_anonymity_changes_nothing() -> None:
    release = sfumato.anonymize(TABLE, policy(k=1))
    assert release.private.trace == []
    assert release.private.facts["satisfied_at"] == 0
    assert all(recoding.identity for recoding in release.recodings.values())


def test_everything_as_one_group() -> None:
    release = sfumato.anonymize(TABLE, policy(k=TABLE.rows))
    assert all(len(recoding.published()) == 1 for recoding in release.recodings.values())
    assert release.private.facts["curve"][-1]["information"] == pytest.approx(0)
    assert release.private.facts["curve"][-1]["detail"] == 0


def test_numbers_without_a_hierarchy_are_refused_with_those_that_would_work() -> None:
    document = policy().document()
    del document["columns"]["Work_Hrs"]["hierarchy"]
    with pytest.raises(BadRequest, match="needs a hierarchy") as caught:
        sfumato.anonymize(TABLE, document)
    assert caught.value.column == "Work_Hrs"
    assert caught.value.available == ["intervals", "ordered", "taxonomy"]


def test_the_suppressed_symbol_may_not_be_a_value() -> None:
    table = sfumato.from_rows(["a", "class"], [("*", "0"), ("y", "1")])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "bottom-up-generalization"},
    }
    with pytest.raises(BadRequest, match="stands for suppressed values") as caught:
        sfumato.anonymize(table, asked)
    assert caught.value.column == "a"


def test_scores() -> None:
    auto, explicit = (sfumato.anonymize(TABLE, policy(**a)).private.trace for a in ({}, {"score": "ilpg"}))
    assert auto == explicit
    auto, explicit = (
        sfumato.anonymize(TABLE, policy(target=False, **a)).private.trace
        for a in ({}, {"score": "distortion-per-gain"})
    )
    assert auto == explicit
    with pytest.raises(BadRequest, match="role target") as caught:
        sfumato.anonymize(TABLE, policy(target=False, score="ilpg"))
    assert caught.value.parameter == "bottom-up-generalization.score"
    assert "distortion-per-gain" in (caught.value.available or ())
    with pytest.raises(BadRequest, match="not a coarsening metric") as caught:
        sfumato.anonymize(TABLE, policy(score="igpl"))
    assert caught.value.available == ["discernibility-increase", "distortion-per-gain", "ilpg"]


def test_giving_up_says_how_far_it_came() -> None:
    steps = len(sfumato.anonymize(TABLE, policy(k=6)).private.trace)
    assert steps > 1
    with pytest.raises(Infeasible, match="the most that are allowed") as caught:
        sfumato.anonymize(TABLE, policy(k=6, max_generalizations=steps - 1))
    assert caught.value.measured < caught.value.bound == 6
    assert sfumato.anonymize(TABLE, policy(k=6, max_generalizations=steps)).verdict.satisfied


def test_a_point_that_does_not_meet_the_requirement_is_refused() -> None:
    curve = sfumato.anonymize(TABLE, policy(k=6)).private.facts["curve"]
    with pytest.raises(Infeasible, match=f"only from {len(curve) - 1} on") as caught:
        sfumato.anonymize(TABLE, policy(k=6, stop_at=0))
    assert (caught.value.measured, caught.value.bound) == (curve[0]["smallest_group"], 6)


def test_a_point_beyond_the_sequence_is_refused() -> None:
    with pytest.raises(BadRequest, match="was followed for") as caught:
        sfumato.anonymize(TABLE, policy(stop_at=1000))
    assert caught.value.parameter == "bottom-up-generalization.stop_at"


def test_a_later_point_needs_no_exploring() -> None:
    first = sfumato.anonymize(TABLE, policy(k=4))
    later = sfumato.anonymize(TABLE, policy(k=4, stop_at=first.private.facts["generalizations"] + 1))
    assert later.private.facts["generalizations"] == first.private.facts["generalizations"] + 1
    assert later.verdict.satisfied


def test_a_column_in_no_requirement_stays_and_is_named() -> None:
    document = policy().document()
    document["requirements"] = [{"id": "k-anonymity", "k": 4, "qid": ["Education", "Sex"]}]
    release = sfumato.anonymize(TABLE, document)
    assert release.recodings["Work_Hrs"].identity
    assert any("no requirement covers Work_Hrs" in warning for warning in release.warnings)


def test_records_are_not_suppressed() -> None:
    document = policy().document()
    with pytest.raises(Unsupported, match="without leaving records out"):
        sfumato.anonymize(TABLE, {**document, "limits": {"suppress_at_most": 0.1}})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_generalizations", -1),
        ("stop_at", -1),
        ("explore", 0),
        ("pruned", "yes"),
        ("post_refine", 1),
        ("trace", "all"),
    ],
)
def test_wrong_parameters_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(BadRequest) as caught:
        policy(**{name: value})
    assert caught.value.parameter == f"bottom-up-generalization.{name}"
