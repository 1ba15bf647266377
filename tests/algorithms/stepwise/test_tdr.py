"""Top-Down Refinement through the public verbs: scores, limits, refusals. The search itself is tested beside its twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.algorithms import TDR, TopDownSpecialization
from sfumato.datasets import education_work
from sfumato.errors import BadRequest, Infeasible

DATA = education_work()
TABLE = sfumato.from_dataset(DATA)


def policy(*, k: int = 4, target: bool = True, **algorithm: Any) -> sfumato.Policy:
    asked = sfumato.Policy.for_dataset(
        DATA, requirements=[{"id": "k-anonymity", "k": k}], algorithm={"id": "tdr", **algorithm}
    )
    if target:
        return asked
    document = asked.document()
    for entry in document["columns"].values():
        if entry["role"] == "target":
            entry["role"] = "plain"
    return sfumato.Policy.of(document)


def test_without_a_target_the_general_score_is_used() -> None:
    release = sfumato.anonymize(TABLE, policy(target=False))
    assert release.verdict.satisfied
    assert release.private.trace
    assert all(entry["gain"] > 0 for entry in release.private.trace)
    explicit = sfumato.anonymize(TABLE, policy(target=False, score="loss-decrease"))
    assert explicit.private.trace == release.private.trace


def test_with_a_target_igpl_is_used() -> None:
    auto, explicit = (sfumato.anonymize(TABLE, policy(**a)).private.trace for a in ({}, {"score": "igpl"}))
    assert auto == explicit


@pytest.mark.parametrize("score", ["igpl", "infogain"])
def test_scores_that_need_a_target_are_refused_without_one(score: str) -> None:
    with pytest.raises(BadRequest, match="role target") as caught:
        sfumato.anonymize(TABLE, policy(target=False, score=score))
    assert caught.value.parameter == "tdr.score"
    assert "loss-decrease" in (caught.value.available or ())


@pytest.mark.parametrize("score", ["discernibility", "no-such-score"])
def test_what_is_no_search_metric_is_refused(score: str) -> None:
    with pytest.raises(BadRequest, match="not a search metric") as caught:
        sfumato.anonymize(TABLE, policy(score=score))
    assert caught.value.available == ["gain-ratio-score", "igpl", "infogain", "loss-decrease"]


def test_a_limit_of_no_steps_publishes_the_most_masked_table() -> None:
    release = sfumato.anonymize(TABLE, policy(max_refinements=0))
    assert release.private.trace == []
    assert release.private.stopped == "max_refinements"
    assert all(len(recoding.published()) == 1 for recoding in release.recodings.values())
    assert any("nothing is left of" in warning for warning in release.warnings)


def test_a_deadline_stops_with_a_valid_table() -> None:
    release = sfumato.anonymize(TABLE, policy(deadline=1e-9))
    assert release.private.stopped == "deadline"
    assert release.verdict.satisfied
    assert release.certificate["algorithm"]["stopped"] == "deadline"


def test_midpoints_lie_between_the_values_they_part() -> None:
    at_value = sfumato.anonymize(TABLE, policy(k=1))
    between = sfumato.anonymize(TABLE, policy(k=1, split_point="midpoint"))
    hours = sorted(TABLE.dictionary("Work_Hrs").values)
    first = [e["split_at"] for e in at_value.private.trace if e["attribute"] == "Work_Hrs"]
    second = [e["split_at"] for e in between.private.trace if e["attribute"] == "Work_Hrs"]
    assert first
    assert second == [(hours[hours.index(value) - 1] + value) / 2 for value in first]
    assert at_value.table.groups(["Work_Hrs"]).sizes.tolist() == between.table.groups(["Work_Hrs"]).sizes.tolist()


def test_more_records_than_there_are_is_infeasible() -> None:
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(TABLE, policy(k=TABLE.rows + 1))
    assert (caught.value.measured, caught.value.bound) == (TABLE.rows, TABLE.rows + 1)


def test_records_are_left_out_only_where_a_limit_allows_it() -> None:
    document = policy().document()
    release = sfumato.anonymize(TABLE, {**document, "limits": {"suppress_at_most": 0.1}})
    assert 0 <= release.counts["records_suppressed"] <= TABLE.rows // 10
    assert "records_suppressed" in release.private.facts
    assert sfumato.anonymize(TABLE, document).counts["records_suppressed"] == 0


def test_specialization_needs_hierarchies() -> None:
    table = sfumato.from_rows(["a", "class"], [("x", "0"), ("y", "1")])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "algorithm": {"id": "top-down-specialization"},
    }
    with pytest.raises(BadRequest, match="needs a hierarchy") as caught:
        sfumato.anonymize(table, asked)
    assert caught.value.column == "a"


def test_specialization_is_refinement_where_nothing_is_suppressed() -> None:
    refined, specialized = (sfumato.anonymize(TABLE, policy(id=name)) for name in ("tdr", "top-down-specialization"))
    assert refined.private.trace == specialized.private.trace
    assert refined.table.to_rows() == specialized.table.to_rows()


def test_the_suppressed_symbol_may_not_be_a_value() -> None:
    table = sfumato.from_rows(["a", "class"], [("*", "0"), ("y", "1")])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
    }
    with pytest.raises(BadRequest, match="stands for suppressed values") as caught:
        sfumato.anonymize(table, asked)
    assert caught.value.column == "a"


def test_a_column_in_no_requirement_stays_masked_and_is_named() -> None:
    """A quasi-identifier that no requirement protects is not refined: nothing would say how far."""
    release = sfumato.anonymize(
        TABLE,
        sfumato.Policy.for_dataset(
            DATA, requirements=[{"id": "k-anonymity", "k": 4, "qid": ["Education", "Sex"]}], algorithm={"id": "tdr"}
        ),
    )
    assert release.recodings["Work_Hrs"].published() == ("[1-99)",)
    assert any("nothing is left of" in warning and "Work_Hrs" in warning for warning in release.warnings)


@pytest.mark.parametrize("algorithm", [TDR, TopDownSpecialization])
def test_the_generator_is_not_used(algorithm: type[TDR]) -> None:
    from sfumato.contracts.run import Run
    from sfumato.tables.prepare import prepare

    task = prepare(TABLE, policy()).task()
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    algorithm().run(task, Run(rng=rng))
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_refinements", -1),
        ("deadline", 0),
        ("split_point", "middle"),
        ("trace", "all"),
        ("require_beneficial", "yes"),
    ],
)
def test_wrong_parameters_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(BadRequest) as caught:
        policy(**{name: value})
    assert caught.value.parameter == f"tdr.{name}"
