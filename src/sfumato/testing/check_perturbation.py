"""What every perturbation promises: honest results, randomness as declared, rows and columns as declared."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import RANDOMNESS, Perturbation, Perturbed
from sfumato.data.schema import ColumnType
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.promises import generators_untouched, promise
from sfumato.verbs.perturb import perturb

__all__ = ["check_perturbation"]

TRIES = 8
ROWS = 60
RECORDS = ("kept", "drawn")


def check_perturbation(perturbation: Perturbation, table: Table, rng: np.random.Generator) -> None:
    """Check a perturbation on random tables that have the columns, types and values of a given one.

    Wrong parameters, an empty table, a seed in place of a generator and columns that are not there are refused by name.
    The result is never called truthful, says what it keeps, and its statement survives JSON and holds no seed; a guarantee is
    stated if and only if one is claimed. The input is not changed and no global generator is used. Columns are as long as
    promised; ``kept`` records stay in number and place, with every column that is neither changed nor dropped as it was;
    ``drawn`` ones are the whole table. One seed gives one table, and another seed another one, unless nothing is drawn (then
    the generator is not touched) or the noise cannot be seeded (then no seed repeats it). Where a library for the noise is
    not installed, only the refusals are checked.
    """
    check_thing(perturbation)
    check_json(perturbation)
    traits = perturbation.traits
    promise(traits.records in RECORDS, perturbation, f"records is one of {', '.join(RECORDS)}")
    promise(traits.randomness in RANDOMNESS, perturbation, f"randomness is one of {', '.join(RANDOMNESS)}")
    promise(traits.truthful is False, perturbation, "no perturbation is truthful")
    _check_refusals(perturbation, table)
    repeated = moved = False
    for _ in range(TRIES):
        drawn = _random_like(table, rng)
        try:
            found = _check_one(perturbation, drawn, int(rng.integers(2**32)))
        except Unsupported:
            return
        repeated |= found[0]
        moved |= found[1]
    if traits.randomness == "not seedable":
        promise(not repeated, perturbation, "noise that cannot be seeded is not repeated by a seed")
    elif traits.randomness == "generator":
        promise(moved, perturbation, "another seed gives another table")


def _check_one(perturbation: Perturbation, table: Table, seed: int) -> tuple[bool, bool]:
    """Check one table; tell whether the same seed repeated the result, and whether another seed changed it."""
    traits, rows = perturbation.traits, table.to_rows()
    generators = [np.random.default_rng(given) for given in (seed, seed, seed + 1)]
    before = [generator.bit_generator.state for generator in generators]
    with generators_untouched(perturbation):
        results = [perturbation.apply(table, generator) for generator in generators]
    promise(table.to_rows() == rows, perturbation, "the table that came in is not changed")
    for result in results:
        _check_result(perturbation, table, result)
    tables = [{name: _texts(result, name) for name in result.columns} for result in results]
    repeated, moved = tables[0] == tables[1], tables[0] != tables[2]
    if traits.randomness != "not seedable":
        promise(repeated, perturbation, "the same seed gives the same table")
        promise(results[0].facts == results[1].facts, perturbation, "the same seed gives the same facts")
    if traits.randomness == "none":
        promise(not moved, perturbation, "where nothing is drawn, the seed does not matter")
        after = [generator.bit_generator.state for generator in generators]
        promise(after == before, perturbation, "where nothing is drawn, the generator is not touched")
    _check_table(perturbation, table, seed)
    return repeated, moved


def _check_result(perturbation: Perturbation, table: Table, result: Perturbed) -> None:
    traits = perturbation.traits
    promise(result.perturbation == perturbation, perturbation, "a result names its perturbation")
    promise(result.truthful is False, perturbation, "a result is not called truthful")
    promise(result.keeps, perturbation, "a result says what it keeps")
    promise(result.columns, perturbation, "a result has columns")
    promise(
        all(len(column) == result.rows for column in result.columns.values()),
        perturbation,
        "every column has a value for each row",
    )
    invented = set(result.columns) - set(table.columns)
    promise(not invented or result.dropped, perturbation, "no column is invented unless others are dropped for it")
    promise(set(result.dropped) <= set(table.columns) - set(result.columns), perturbation, "dropped columns are gone")
    if traits.records == "kept":
        promise(result.rows == table.rows, perturbation, "records that are kept stay in number")
    told = json.loads(json.dumps(result.statement()))
    promise(told["truthful"] is False, perturbation, "the statement says that nothing is true of single records")
    promise("seed" not in told["facts"], perturbation, "the statement holds no seed")
    promise(
        ("guarantee" in told["facts"]) == traits.formal, perturbation, f"a guarantee is stated: formal={traits.formal}"
    )


def _check_table(perturbation: Perturbation, table: Table, seed: int) -> None:
    made = perturb(table, perturbation, seed=seed)
    (step,) = made.steps
    if perturbation.traits.records == "drawn":
        promise(made.table.columns == tuple(step.columns), perturbation, "drawn columns are the whole table")
        promise(made.table.rows == step.rows, perturbation, "drawn records are the whole table")
        return
    kept = [name for name in table.columns if name not in step.dropped]
    stayed = [name for name in made.table.columns if name in kept]
    promise(stayed == kept, perturbation, "columns that are not dropped stay, in their order")
    promise(set(made.table.columns) == {*kept, *step.columns}, perturbation, "nothing else is published")
    promise(made.table.rows == table.rows, perturbation, "the rows stay")
    others = [name for name in kept if name not in step.columns]
    same = not others or made.table.select(others).to_rows() == table.select(others).to_rows()
    promise(same, perturbation, "columns that are not named stay as they are, row by row")


def _check_refusals(perturbation: Perturbation, table: Table) -> None:
    nothing = table.drop_groups(table.columns, list(dict.fromkeys(table.to_rows())))
    generator = np.random.default_rng(0)
    _refused(perturbation, nothing, generator, "an empty table is refused")
    _refused(perturbation, table, 0, "a seed in place of a generator is refused")
    strange = from_rows(["no such column"], [(1,), (2,)])
    error = _refused(perturbation, strange, generator, "a column that is not there is refused")
    promise(error.available == ["no such column"], perturbation, "the refusal of a column says which there are")


def _refused(perturbation: Perturbation, table: Table, rng: Any, words: str) -> BadRequest:
    try:
        perturbation.apply(table, rng)
    except BadRequest as error:
        promise(error.parameter is not None, perturbation, f"{words} by the name of a parameter")
        return error
    except Exception as error:
        raise AssertionError(f"{perturbation.id}: broken promise: {words}, not met with {error!r}") from error
    raise AssertionError(f"{perturbation.id}: broken promise: {words}")


def _random_like(table: Table, rng: np.random.Generator) -> Table:
    """Draw a table with the columns of another one: numbers within its range, other values among those it holds."""
    columns = []
    for name, kind in table.types.items():
        held: Any = table.dictionary(name).values
        low, high = held[0], held[-1]
        if kind is ColumnType.INTEGER:
            columns.append(rng.integers(low, high, ROWS, endpoint=True).tolist())
        elif kind is ColumnType.NUMBER:
            columns.append(rng.uniform(low, high, ROWS).tolist())
        else:
            columns.append([held[code] for code in rng.integers(len(held), size=ROWS).tolist()])
    return from_rows(table.columns, list(zip(*columns, strict=True)))


def _texts(result: Perturbed, name: str) -> list[str]:
    """Return the values of a column as texts, so that "not a number" equals itself."""
    return [str(value) for value in result.values(name)]
