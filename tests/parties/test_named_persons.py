"""A column that names persons does not leave a holder unmasked, in a simulation as little as in a session."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.parties.simulation import simulate

PERSONS = [f"p{at}" for at in range(40)]
AGES = [20 + at for at in range(40)]


def two(role: str) -> dict[str, Any]:
    return {
        "holders": {"a": {"person": "id", "columns": ["age", "note"]}, "b": {"person": "id", "columns": ["rooms"]}},
        "columns": {
            "age": {"role": "quasi-identifier", "range": [0, 120]},
            "rooms": {"role": "quasi-identifier", "range": [0, 9]},
            "note": {"role": role},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "metrics": [],
    }


@pytest.mark.parametrize("role", ["sensitive", "plain"])
def test_a_holder_does_not_simulate_with_names(role: str) -> None:
    b = pl.DataFrame({"id": PERSONS[::-1], "rooms": [at % 9 for at in range(40)]})
    named = pl.DataFrame({"id": PERSONS, "age": AGES, "note": PERSONS[::-1]})
    with pytest.raises(BadRequest, match="'note': holds the names of persons") as told:
        simulate(two(role), {"a": named, "b": b})
    assert "p1" not in str(told.value)
    fit = pl.DataFrame({"id": PERSONS, "age": AGES, "note": [f"word {at}" for at in range(40)]})
    assert simulate(two(role), {"a": fit, "b": b}).table.rows == 40


def sites() -> dict[str, Any]:
    return {
        "holders": {"north": {}, "south": {}, "west": {}},
        "protocol": {"id": "distributed-mondrian", "mode": "sum"},
        "columns": {
            "patient": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "range": [0, 120]},
            "ill": {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }


def test_a_site_does_not_send_names_either() -> None:
    def site(first: int, ill: list[str]) -> pl.DataFrame:
        return pl.DataFrame({"patient": PERSONS[first : first + 10], "age": AGES[:10], "ill": ill})

    plain = {name: site(10 * at, ["flu"] * 10) for at, name in enumerate(("north", "south", "west"))}
    assert simulate(sites(), plain).table.rows == 30
    with pytest.raises(BadRequest, match="'ill': holds the names of persons"):
        simulate(sites(), {**plain, "south": site(10, PERSONS[10:20])})


def test_sites_are_not_brought_together() -> None:
    with pytest.raises(BadRequest, match="align: brings persons of holders of different columns together"):
        Contract.of({**sites(), "align": "intersection"})
