"""Records that meet in a column that names nobody: a contract says so, and what comes of it is what one holder would join."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from parties.sessions.test_session import talked
from sfumato.errors import BadRequest
from sfumato.parties import Contract, collaborate, simulate
from sfumato.parties.plan import planned

DOCUMENT: dict[str, Any] = {
    "holders": {
        "shop": {"person": "id", "join": "street", "columns": ["age"]},
        "town": {"person": "house", "join": "road", "columns": ["rooms"]},
    },
    "align": {"id": "general-join", "fold_case": True},
    "columns": {
        "age": {"role": "quasi-identifier", "range": [0, 100]},
        "rooms": {"role": "quasi-identifier", "range": [0, 20]},
        "pays": {"role": "target"},
    },
    "requirements": [{"id": "k-anonymity", "k": 2}],
    "metrics": [],
}
SHOP = {
    "id": ["a", "b", "c", "d", "e", "f"],
    "street": ["Elm", " oak", "Ash", "Fir", None, "Yew"],
    "age": [20, 30, 60, 70, 40, 50],
    "pays": ["no", "no", "yes", "yes", "no", "yes"],
}
TOWN = {"house": ["p", "q", "r", "s", "t"], "road": ["FIR", "ash", "Oak ", "elm", None], "rooms": [9, 8, 2, 1, 5]}


def test_records_that_meet_are_published_as_pairs_in_one_process_and_by_messages() -> None:
    contract = Contract.of(DOCUMENT)
    found = collaborate(contract, {"shop": SHOP, "town": TOWN})
    assert sorted(found.persons) == ["a + s", "b + r", "c + q", "d + p"]
    assert found.raw is not None
    assert sorted(found.raw.to_rows()) == [(20, 1, "no"), (30, 2, "no"), (60, 8, "yes"), (70, 9, "yes")]
    end = talked(contract, {"shop": SHOP, "town": TOWN}).results["town"]
    assert sorted(end.rows) == sorted(tuple(map(str, row)) for row in found.table.to_rows())
    assert any("in which records meet" in leak.what for leak in end.leaks)
    assert any("in which records meet" in one for one in planned(contract).learnt)


def test_a_record_that_meets_several_is_refused_unless_that_is_meant() -> None:
    twice = {**TOWN, "road": ["elm", "ash", "Oak ", "elm", None]}
    tables = {"shop": SHOP, "town": twice}
    with pytest.raises(BadRequest, match="no longer be k persons"):
        collaborate(DOCUMENT, tables)
    allowed = {**DOCUMENT, "align": {"id": "general-join", "fold_case": True, "allow_duplicates": True}}
    assert any("k records are not k persons" in one for one in simulate(allowed, tables).warnings)
    end = talked(Contract.of(allowed), {name: pl.DataFrame(table) for name, table in tables.items()}).results["shop"]
    assert len(end.rows) == 4
    assert any("not k persons" in one for one in end.warnings)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"align": "foo"}, "exact, intersection, general-join"),
        ({"align": {"id": "general-join", "loud": 1}}, "loud"),
        ({"align": "exact"}, "general-join alone"),
        ({"holders": {**DOCUMENT["holders"], "town": {"person": "house", "columns": ["rooms"]}}}, "records meet in it"),
        ({"holders": {**DOCUMENT["holders"], "bank": {"person": "id", "join": "x", "columns": []}}}, "two holders"),
    ],
)
def test_what_cannot_be_joined_is_refused_by_name(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(BadRequest) as refused:
        Contract.of({**DOCUMENT, **changed})
    assert told in str(refused.value)


def test_nothing_that_meets_is_no_table() -> None:
    with pytest.raises(BadRequest, match="no records that meet"):
        collaborate(DOCUMENT, {"shop": SHOP, "town": {**TOWN, "road": ["Low", "High", None, "Mid", "Far"]}})
