"""What every perturbation promises, tried on each one that the catalogue finds."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.catalogue import ids as catalogue_ids
from sfumato.catalogue import things
from sfumato.contracts.perturbation import Estimator, Perturbation
from sfumato.testing.check_thing import check_json
from sfumato.testing.examples import example_of
from sfumato.testing.promises import generators_untouched

ROWS = [
    (20 + (7 * i) % 50, 1000.0 + (i * i) % 977, ("f", "m", "m")[i % 3], ("flu", "hiv", None)[i % 3], f"name {i}")
    for i in range(60)
]
COLUMNS = ["age", "income", "sex", "disease", "name"]

SPECS: dict[str, dict[str, Any]] = {
    "additive-noise": {"columns": ["age", "income"], "sigma": 2.0},
    "data-shuffling": {"columns": ["income"], "given": ["age"]},
    "data-swapping": {"columns": ["disease"], "keys": ["sex"]},
    "drbt": {"columns": ["age", "income"], "dimensions": 1},
    "microaggregation": {"columns": ["income"], "k": 5},
    "multilevel-perturbation": {"column": "sex", "p": 0.5, "levels": [0.25, 0.75]},
    "post-randomization": {"column": "sex", "keep": 0.6},
    "rank-swapping": {"column": "age", "p": 20},
    "synthetic-marginals": {"epsilon": 1.0, "domains": {"sex": ["f", "m"], "age": {"low": 0, "high": 99, "bins": 5}}},
    "targeted-record-swapping": {"household": "name", "geography": ["sex"], "risk": ["age"], "rate": 0.5},
    "top-bottom-coding": {"column": "age", "top": 60, "bottom": 25},
    "synthetic-moments": {"columns": ["age", "income", "sex"]},
}

FOUND = [thing for thing in things("perturbation") if issubclass(thing, Perturbation)]


@pytest.fixture
def table() -> sfumato.Table:
    return sfumato.from_rows(COLUMNS, ROWS)


def made(thing: type[Perturbation]) -> Perturbation:
    if thing.id == "synthetic-marginals":
        pytest.importorskip("opendp")
    return thing.from_spec(SPECS[thing.id])


def test_every_perturbation_is_tried_here() -> None:
    assert {thing.id for thing in FOUND} == set(SPECS)
    assert [thing.id for thing in things("perturbation") if issubclass(thing, Estimator)] == [
        "distribution-reconstruction"
    ]


@pytest.mark.parametrize("thing", things("perturbation"), ids=lambda thing: thing.id)
def test_saved_forms_survive_json(thing: type[Perturbation]) -> None:
    for built in example_of(thing).built:
        check_json(built)


@pytest.mark.parametrize("thing", FOUND, ids=lambda thing: thing.id)
def test_results_are_honest(thing: type[Perturbation], table: sfumato.Table) -> None:
    perturbation, rows = made(thing), table.to_rows()
    with generators_untouched(perturbation):
        result = perturbation.apply(table, np.random.default_rng(3))
    assert table.to_rows() == rows, "the table that came in is not changed"
    assert result.truthful is False
    assert result.keeps
    told = json.loads(json.dumps(result.statement()))
    assert told["truthful"] is False
    assert told["perturbation"] == json.loads(json.dumps(perturbation.spec()))
    assert "seed" not in told["facts"]
    assert all(len(column) == result.rows for column in result.columns.values())


@pytest.mark.parametrize("thing", FOUND, ids=lambda thing: thing.id)
def test_the_generator_decides_all_unless_noise_cannot_be_seeded(
    thing: type[Perturbation], table: sfumato.Table
) -> None:
    perturbation = made(thing)
    runs = [perturbation.apply(table, np.random.default_rng(seed)) for seed in (3, 3, 4)]
    values = [{name: run.values(name) for name in run.columns} for run in runs]
    if thing.traits.randomness == "not seedable":
        assert "no seed repeats it" in runs[0].statement()["randomness"]
        return
    assert values[0] == values[1]
    assert (values[0] == values[2]) == (thing.traits.randomness == "none")


@pytest.mark.parametrize("thing", FOUND, ids=lambda thing: thing.id)
def test_an_empty_table_and_a_bare_seed_are_refused(thing: type[Perturbation], table: sfumato.Table) -> None:
    perturbation = made(thing)
    with pytest.raises(sfumato.BadRequest, match="no records"):
        perturbation.apply(table.drop_groups(["sex"], [("f",), ("m",)]), np.random.default_rng(3))
    with pytest.raises(sfumato.BadRequest, match="Generator"):
        perturbation.apply(table, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("thing", FOUND, ids=lambda thing: thing.id)
def test_unknown_columns_are_refused_by_name(thing: type[Perturbation]) -> None:
    perturbation = made(thing)
    with pytest.raises(sfumato.BadRequest, match="not a column") as refused:
        perturbation.apply(sfumato.from_rows(["other"], [(1,)]), np.random.default_rng(3))
    assert refused.value.available == ["other"]
    assert refused.value.parameter is not None
    assert refused.value.parameter.startswith(thing.id)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("thing", FOUND, ids=lambda thing: thing.id)
def test_the_verb_keeps_everything_else(thing: type[Perturbation], engine: str, table: sfumato.Table) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    opened = sfumato.read(table.to_native(), engine=engine)
    result = sfumato.perturb(opened, made(thing), seed=3)
    assert result.table.engine == engine
    (step,) = result.steps
    assert result.statement["release"] in catalogue_ids("release")
    assert result.statement["release"].startswith("synthetic" if step.replaces else "perturbed")
    if step.replaces:
        assert list(result.table.columns) == list(step.columns)
        return
    kept = [name for name in opened.columns if name not in step.dropped]
    new = [name for name in step.columns if name not in opened.columns]
    assert sorted(result.table.columns) == sorted([*kept, *new])
    assert [name for name in result.table.columns if name in kept] == kept
    for name in result.table.columns:
        column = [value for (value,) in result.table.select([name]).to_rows()]
        assert column == (step.values(name) if name in step.columns else [row[COLUMNS.index(name)] for row in ROWS])
