"""Releases of random procedures: the procedure is stated, what can be checked is checked, the rest is refused."""

from __future__ import annotations

from typing import Any

import pytest

import sfumato
from sfumato.errors import BadRequest, Unsupported
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.releases import NoisyAnswers, PerturbedTable, SyntheticTable

TABLE = sfumato.from_rows(["Age", "Job"], [(31, "cook"), (37, "nurse")])


def test_synthetic_rows_show_no_requirement() -> None:
    made = SyntheticTable.build(
        TABLE,
        mechanism="condensation",
        settings={"k": 5},
        domains={"Age": {"range": [0, 120]}, "Job": {"values": ["cook", "nurse", "clerk"]}},
        source=TABLE,
    )
    statement = made.kind.statement()
    assert statement.mechanism == "condensation"
    assert statement.parameters == {"k": 5}
    assert statement.checked
    assert statement.not_checkable
    assert made.kind.verify(made.tables, [], []) == []
    with pytest.raises(Unsupported, match="k-anonymity cannot be counted"):
        made.kind.verify(made.tables, [KAnonymity(k=1)], ["Age"])
    assert made.kind.prevented([KAnonymity(k=1)]) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"domains": {"Age": {"range": [0, 35]}}}, "1 values outside"),
        ({"domains": {"Job": {"values": ["cook"]}}}, "1 values outside"),
        ({"domains": {"Job": {"range": [0, 1]}}}, "needs numbers"),
        ({"domains": {"Sex": {"values": ["F"]}}}, "not a column"),
        ({"domains": {"Age": [0, 1]}}, "must be {range"),
        ({"domains": {"Age": {"range": [0]}}}, "must be {range"),
        ({"settings": {"seed": 7}}, "must not hold the seed"),
        ({"settings": {"k": {1, 2}}}, "plain data"),
        ({"mechanism": " "}, "must name the procedure"),
        ({"source": sfumato.from_rows(["Age", "Job"], [("31", "cook")])}, "column of the input with this type"),
    ],
)
def test_wrong_synthetic_tables_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        SyntheticTable.build(TABLE, **{"mechanism": "condensation", **options})


def test_perturbed_columns_are_not_counted() -> None:
    table = sfumato.from_rows(["Job", "Sex", "Income"], [("cook", "F", 1.5), ("cook", "M", 2.5)])
    made = PerturbedTable.build(table, ["Income"], mechanism="additive-noise", settings={"scale": 2})
    verdicts = made.kind.verify(made.tables, [KAnonymity(k=2, qid=("Job",)), KAnonymity(k=2)], ["Job", "Sex", "Income"])
    assert [(bool(verdict), verdict.qid) for verdict in verdicts] == [(True, ("Job",)), (False, ("Job", "Sex"))]
    for model in (
        KAnonymity(k=1, qid=("Income",)),
        DistinctLDiversity(l=1, sensitive="Income"),
    ):
        with pytest.raises(Unsupported, match="reads Income"):
            made.kind.verify(made.tables, [model], ["Job"])
    with pytest.raises(Unsupported, match="perturbed columns only"):
        made.kind.verify(made.tables, [KAnonymity(k=1)], ["Income"])
    with pytest.raises(BadRequest, match="not a column"):
        PerturbedTable.build(table, ["Wage"], mechanism="additive-noise")
    with pytest.raises(BadRequest, match="at least one"):
        PerturbedTable.build(table, [], mechanism="additive-noise")


def test_answers_stay_within_their_budget() -> None:
    made = NoisyAnswers.build(["a", "b"], [1.0, 2.0], mechanism="laplace", epsilon=[0.25, 0.75], budget=1.0)
    assert made.guarantee() == {"epsilon": 1.0}
    assert [row[4] for row in made.tables["data"].to_rows()] == [4.0, 1 / 0.75]
    parallel = NoisyAnswers.build(
        ["a", "b"], [1.0, 2.0], mechanism="laplace", epsilon=0.75, budget=0.75, composition="parallel"
    )
    assert parallel.guarantee() == {"epsilon": 0.75}
    with pytest.raises(Unsupported, match="cannot be counted"):
        made.kind.verify(made.tables, [KAnonymity(k=1)], [])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"epsilon": 0.6, "budget": 1.0}, "exceeds the budget"),
        ({"scale": [1.0, 9.0]}, "smaller than sensitivity"),
        ({"epsilon": 0.0}, "must be positive"),
        ({"epsilon": [0.5]}, "one number for each"),
        ({"answers": [1.0, float("inf")]}, "finite"),
        ({"answers": [1.0]}, "one number for each"),
        ({"questions": ["a", "a"]}, "answered twice"),
        ({"sensitivity": -1.0}, "must be positive"),
        ({"composition": "none"}, "not one of the choices"),
    ],
)
def test_answers_that_do_not_add_up_are_refused(options: dict[str, Any], says: str) -> None:
    asked = {"questions": ["a", "b"], "answers": [1.0, 2.0], "mechanism": "laplace", "epsilon": 0.5, **options}
    with pytest.raises(BadRequest, match=says):
        NoisyAnswers.build(**asked)


def test_other_mechanisms_state_their_scale() -> None:
    made = NoisyAnswers.build(["a"], [1.0], mechanism="gaussian", epsilon=0.5, scale=0.1, settings={"delta": 1e-6})
    assert made.kind.verify(made.tables, [], []) == []
    assert not any("scale" in line for line in made.kind.statement().checked)
