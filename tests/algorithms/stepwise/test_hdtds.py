"""High-Dimensional Top-Down Specialization against a twin that rescans the table, and through the public verbs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_hdtds import NaiveLKC, naive_hdtds
from oracles.naive_tdr import NaiveAttribute
from sfumato.algorithms import HDTDS
from sfumato.catalogue import build
from sfumato.contracts.run import Run
from sfumato.data.text import parse_interval
from sfumato.datasets import education_work, hospital, sample_policy
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.tables.prepare import prepare
from sfumato.testing.strategies import DrawnTable, tables

SCORES = ("infogain", "igpl", "dm-reduction", "dm-current", "dm-children")
DATA = education_work()
TABLE = sfumato.from_dataset(DATA)


# ---- the twin ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A drawn table with a sensitive column at its end, and what is required of it."""

    drawn: DrawnTable
    rows: tuple[tuple[Any, ...], ...]
    requirements: tuple[NaiveLKC, ...]


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    kinds = draw(st.lists(st.sampled_from(["taxonomy", "interval"]), min_size=1, max_size=4))
    drawn = draw(tables(kinds, max_rows=30))
    secret = draw(st.lists(st.sampled_from("xyyzzz"), min_size=len(drawn.rows), max_size=len(drawn.rows)))
    names = [attribute.name for attribute in drawn.attributes]
    requirement = st.builds(
        NaiveLKC,
        qid=st.lists(st.sampled_from(names), min_size=1, max_size=len(names), unique=True).map(
            lambda chosen: tuple(sorted(chosen))
        ),
        L=st.integers(1, 5),
        K=st.integers(1, 4),
        C=st.sampled_from([1.0, 0.75, 0.5, 2 / 3]),
        sensitive=st.just("secret"),
        values=st.sampled_from([None, ("x",), tuple(sorted(set(secret)))]).map(
            lambda values: None if values is None else tuple(value for value in values if value in secret)
        ),
    )
    requirements = draw(st.lists(requirement, min_size=1, max_size=2))
    rows = tuple((*row, value) for row, value in zip(drawn.rows, secret, strict=True))
    return Asked(drawn, rows, tuple(requirements))


def policy_of(task: Asked, score: str, **algorithm: Any) -> sfumato.Policy:
    columns: dict[str, Any] = {}
    for attribute in task.drawn.attributes:
        columns[attribute.name] = entry = {"role": "quasi-identifier"}
        if attribute.kind == "taxonomy":
            entry["hierarchy"] = {"id": "taxonomy", "tree": attribute.tree}
        elif attribute.range is not None and attribute.range[0] < attribute.range[1]:
            entry["range"] = attribute.range
    return sfumato.Policy.of(
        {
            "columns": {**columns, task.drawn.target: {"role": "target"}, "secret": {"role": "sensitive"}},
            "requirements": [
                {
                    "id": "lkc-privacy",
                    "qid": list(r.qid),
                    "L": r.L,
                    "K": r.K,
                    "C": r.C,
                    "sensitive": "secret",
                    **({} if r.values is None else {"values": list(r.values)}),
                }
                for r in task.requirements
            ],
            "algorithm": {"id": "hdtds", "score": score, "trace": "full", **algorithm},
            "output": {"row_order": "keep"},
        }
    )


def plain(label: Any) -> Any:
    text = label if isinstance(label, str) else str(label)
    return parse_interval(text) or text


def same_candidate(found: Any, wanted: Any) -> None:
    assert (found["attribute"], plain(found["value"])) == (wanted["attribute"], plain(wanted["value"]))
    assert found["score"] == pytest.approx(wanted["score"], abs=1e-9)
    assert found["valid"] == wanted["valid"]
    assert found.get("split_at") == wanted["split_at"]
    assert (found["loss"] is None) == ("loss" not in wanted)
    if "loss" in wanted:
        assert found["loss"] == pytest.approx(wanted["loss"], abs=1e-9)


def same_exposure(found: Sequence[Any], wanted: Sequence[Any], task: Asked) -> None:
    for ours, (smallest, confidence), requirement in zip(found, wanted, task.requirements, strict=True):
        assert (ours["qid"], ours["L"]) == ("|".join(requirement.qid), requirement.L)
        assert ours["smallest"] == smallest
        if ours["confidence"] is None:
            assert requirement.C == 1 or requirement.values == ()
        else:
            assert ours["confidence"] == confidence


@settings(max_examples=80)
@given(task=asked(), score=st.sampled_from(SCORES), limit=st.sampled_from([None, None, 0, 1, 3]))
def test_same_as_the_naive_twin(task: Asked, score: str, limit: int | None) -> None:
    attributes = [NaiveAttribute(a.name, a.kind, a.tree, a.range) for a in task.drawn.attributes]
    columns = [*task.drawn.columns, "secret"]
    table = sfumato.from_rows(columns, task.rows)
    policy = policy_of(task, score, max_refinements=limit)
    try:
        twin = naive_hdtds(task.rows, columns, attributes, "class", task.requirements, score, limit)
    except ValueError:
        with pytest.raises(Infeasible):
            sfumato.anonymize(table, policy)
        return
    release = sfumato.anonymize(table, policy)
    trace = release.private.trace
    assert [(e["attribute"], plain(e["value"])) for e in trace] == [
        (e["attribute"], plain(e["value"])) for e in twin["trace"]
    ]
    for found, wanted in zip(trace, twin["trace"], strict=True):
        same_candidate(found, wanted)
        same_exposure(found["exposure"], wanted["exposure"], task)
        for ours, theirs in zip(found["candidates"], wanted["candidates"], strict=True):
            same_candidate(ours, theirs)
    for ours, theirs in zip(release.private.facts["left"], twin["left"], strict=True):
        same_candidate(ours, theirs)
    same_exposure(release.private.facts["exposure"], twin["exposure"], task)
    assert [[plain(v) for v in row] for row in release.table.to_rows()] == [
        [plain(v) for v in row] for row in twin["masked_rows"]
    ]
    # The short trace, which counts only the candidate to be taken, leads to the same table.
    short = sfumato.anonymize(table, policy_of(task, score, max_refinements=limit, trace="steps"))
    assert short.table.to_rows() == release.table.to_rows()
    assert [e["exposure"] for e in short.private.trace] == [e["exposure"] for e in trace]


# ---- what it promises ----------------------------------------------------------------------------------------------------


def hospital_run(**options: Any) -> tuple[Any, Any, Any]:
    raw = sfumato.read(hospital(600, seed=3).to_polars())
    requirement = {"id": "lkc-privacy", "L": 2, "K": 5, "C": 0.5, "sensitive": "diagnosis"}
    policy = {**sample_policy(), "requirements": [requirement], "algorithm": {"id": "hdtds", **options}}
    return raw, build(requirement, "model"), sfumato.anonymize(raw, policy)


@pytest.mark.parametrize("need", ["classification", "general"])
def test_the_release_holds_and_no_valid_step_is_left(need: str) -> None:
    raw, model, release = hospital_run(need=need, trace="full")
    (verdict,) = sfumato.check(release.table, [model], qid=list(release.recodings))
    assert verdict.satisfied
    assert verdict.strongest == release.private.facts["exposure"][0]["smallest"]
    assert release.private.trace
    left = release.private.facts["left"]
    assert left
    for entry in left:
        assert not entry["valid"]
        recoding = release.recodings[entry["attribute"]]
        if recoding.id != "subtree-generalization":
            continue
        tree = recoding.tree
        below = [tree.labels[child] for child in tree.children[tree.node(entry["value"])]]
        cut = (*(label for label in recoding.cut if label != entry["value"]), *below)
        finer = build({"id": recoding.id, "tree": tree, "cut": cut}, "operation")
        table = sfumato.recode(raw, {**release.recodings, entry["attribute"]: finer}).table
        assert not sfumato.check(table, [model], qid=list(release.recodings)).satisfied


def test_full_length_without_confidence_is_k_anonymity() -> None:
    """L = |QID| and C = 1 ask for k-anonymity, so the steps are those of the check by groups."""
    by_sets, by_groups = (
        sfumato.anonymize(
            TABLE, sfumato.Policy.for_dataset(DATA, requirements=[requirement], algorithm={"id": "hdtds"})
        )
        for requirement in ({"id": "lkc-privacy", "L": 9, "K": 4}, {"id": "k-anonymity", "k": 4})
    )
    assert by_sets.table.to_rows() == by_groups.table.to_rows()
    assert [e["value"] for e in by_sets.private.trace] == [e["value"] for e in by_groups.private.trace]


def test_a_shorter_memory_leaves_more_detail_and_a_longer_one_is_safer() -> None:
    counts = []
    for length in (1, 2, 3):
        policy = sfumato.Policy.for_dataset(
            DATA, requirements=[{"id": "lkc-privacy", "L": length, "K": 6}], algorithm={"id": "hdtds"}
        )
        release = sfumato.anonymize(TABLE, policy)
        rows = release.table.select(list(release.recodings)).to_rows()
        width = len(rows[0])
        for columns in combinations(range(width), length):
            assert min(Counter(tuple(row[c] for c in columns) for row in rows).values()) >= 6
        counts.append(len(release.private.trace))
    assert counts[0] > counts[2]


def test_requirements_of_both_kinds_hold_together() -> None:
    requirements = [{"id": "lkc-privacy", "L": 1, "K": 8}, {"id": "k-anonymity", "k": 3, "qid": ["Education", "Sex"]}]
    for score in ("igpl", "infogain", "dm-reduction"):
        release = sfumato.anonymize(
            TABLE,
            sfumato.Policy.for_dataset(DATA, requirements=requirements, algorithm={"id": "hdtds", "score": score}),
        )
        assert release.verdict.satisfied
        assert release.private.facts["smallest_group"]["Education|Sex"] >= 3


def test_many_columns_and_values_are_counted_by_hashing_and_in_blocks() -> None:
    """Tables too wide for one table of all combinations, and sets gathered in blocks, give the same verdicts."""
    rng = np.random.default_rng(5)
    rows = [(*rng.integers(0, 60, 8).tolist(), str(rng.integers(0, 3))) for _ in range(400)]
    names = [f"n{i}" for i in range(8)]
    for length, least in ((3, 2), (8, 1), (2, 4)):
        policy = {
            "columns": {**{name: {"role": "quasi-identifier"} for name in names}, "class": {"role": "target"}},
            "requirements": [
                {"id": "lkc-privacy", "L": length, "K": least, "C": 0.9, "sensitive": "class", "values": ["0", "2"]}
            ],
            "algorithm": {"id": "hdtds"},
        }
        release = sfumato.anonymize(sfumato.from_rows([*names, "class"], rows), policy)
        exposure = release.private.facts["exposure"][0]
        model = build(policy["requirements"][0], "model")
        found = model.exposure(release.table.groups(names, ["class"]))
        assert (exposure["smallest"], exposure["confidence"]) == (found.smallest, found.confidence)
        assert release.private.trace


def test_a_value_with_as_many_children_as_records() -> None:
    """One specialization may make thousands of parts, each with its own protected value."""
    leaves = [f"v{i}" for i in range(3000)]
    rows = [(leaf, f"s{number}") for number, leaf in enumerate(leaves) for _ in range(2)]
    policy = {
        "columns": {
            "a": {
                "role": "quasi-identifier",
                "hierarchy": {"id": "taxonomy", "tree": {"value": "ANY", "children": [{"value": v} for v in leaves]}},
            },
            "secret": {"role": "sensitive"},
        },
        "requirements": [{"id": "lkc-privacy", "L": 1, "K": 2, "C": 0.5, "sensitive": "secret"}],
        "algorithm": {"id": "hdtds"},
    }
    release = sfumato.anonymize(sfumato.from_rows(["a", "secret"], rows), policy)
    assert release.recodings["a"].published() == ("ANY",)
    loose = {**policy, "requirements": [{"id": "lkc-privacy", "L": 1, "K": 2}]}
    assert len(sfumato.anonymize(sfumato.from_rows(["a", "secret"], rows), loose).recodings["a"].published()) == 3000


def test_the_generator_is_not_used() -> None:
    policy = sfumato.Policy.for_dataset(
        DATA, requirements=[{"id": "lkc-privacy", "L": 2, "K": 4}], algorithm={"id": "hdtds"}
    )
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    HDTDS().run(prepare(TABLE, policy).task(), Run(rng=rng))
    assert rng.bit_generator.state == before


def test_a_deadline_stops_with_a_safe_table() -> None:
    _, _, release = hospital_run(deadline=1e-9)
    assert release.private.stopped == "deadline"
    assert release.verdict.satisfied


# ---- refusals ------------------------------------------------------------------------------------------------------------


def ask(requirement: dict[str, Any], **algorithm: Any) -> Any:
    return sfumato.anonymize(
        TABLE,
        sfumato.Policy.for_dataset(
            DATA, requirements=[{"id": "lkc-privacy", **requirement}], algorithm={"id": "hdtds", **algorithm}
        ),
    )


@pytest.mark.parametrize(
    ("requirement", "parameter"),
    [
        ({"L": 0, "K": 2}, "lkc-privacy.L"),
        ({"L": 1.5, "K": 2}, "lkc-privacy.L"),
        ({"L": 2, "K": 0}, "lkc-privacy.K"),
        ({"L": 2, "K": 2, "C": 0}, "lkc-privacy.C"),
        ({"L": 2, "K": 2, "C": 1.01}, "lkc-privacy.C"),
        ({"L": 2, "K": 2, "C": 0.5, "values": ["Y"]}, "lkc-privacy.sensitive"),
    ],
)
def test_wrong_requirements_are_refused_by_name(requirement: dict[str, Any], parameter: str) -> None:
    with pytest.raises(BadRequest) as caught:
        ask(requirement)
    assert caught.value.parameter == parameter


def test_a_protected_value_that_does_not_occur_is_refused() -> None:
    with pytest.raises(BadRequest, match="do not occur") as caught:
        ask({"L": 2, "K": 2, "C": 0.9, "sensitive": "Class", "values": ["Y", "maybe"]})
    assert (caught.value.parameter, caught.value.value) == ("lkc-privacy.values", ["maybe"])


def test_a_share_above_the_bound_in_the_whole_table_is_infeasible() -> None:
    with pytest.raises(Infeasible) as caught:
        ask({"L": 2, "K": 2, "C": 0.5, "sensitive": "Class", "values": ["Y"]})
    assert caught.value.measured == pytest.approx(21 / 34)
    assert caught.value.bound == 0.5


def test_more_records_than_there_are_is_infeasible() -> None:
    with pytest.raises(Infeasible):
        ask({"L": 2, "K": TABLE.rows + 1})


@pytest.mark.parametrize(("need", "score"), [("general", "infogain"), ("classification", "dm-reduction")])
def test_a_score_must_serve_the_need(need: str, score: str) -> None:
    with pytest.raises(BadRequest) as caught:
        HDTDS(need=need, score=score)  # type: ignore[arg-type]
    assert caught.value.parameter == "hdtds.score"
    assert score not in (caught.value.available or ())


@pytest.mark.parametrize("options", [{"need": "classification"}, {"score": "igpl"}, {"score": "infogain"}])
def test_classification_needs_a_target(options: dict[str, str]) -> None:
    with pytest.raises(BadRequest, match="role target") as caught:
        HDTDS(**options).chosen_score(None)  # type: ignore[arg-type]
    assert caught.value.parameter == f"hdtds.{next(iter(options))}"
    assert HDTDS().chosen_score(None) == "dm-reduction"
    assert HDTDS().chosen_score("class") == "infogain"
    assert HDTDS(need="general").chosen_score("class") == "dm-reduction"


def test_columns_without_a_hierarchy_are_refused() -> None:
    policy = {
        "columns": {"a": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "lkc-privacy", "L": 1, "K": 1}],
        "algorithm": {"id": "hdtds"},
    }
    with pytest.raises(BadRequest, match="needs a hierarchy") as caught:
        sfumato.anonymize(sfumato.from_rows(["a", "class"], [("x", "0"), ("y", "1")]), policy)
    assert caught.value.column == "a"


@pytest.mark.parametrize(
    "requirement",
    [
        {"id": "delta-disclosure", "delta": 1.0, "sensitive": "Class"},
        {"id": "background-knowledge-safety", "c": 0.9, "k": 1, "sensitive": "Class"},
    ],
    ids=lambda requirement: requirement["id"],
)
def test_requirements_decided_neither_by_groups_nor_by_combinations_are_not_promised(
    requirement: dict[str, Any],
) -> None:
    policy = sfumato.Policy.for_dataset(DATA, requirements=[requirement], algorithm={"id": "hdtds"})
    with pytest.raises(Unsupported):
        sfumato.anonymize(TABLE, policy)
