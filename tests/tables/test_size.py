"""A table larger than what an algorithm is meant for, or than a limit of the policy, is refused before the search."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import sfumato
from engines.plain_engine import PlainTable
from sfumato.algorithms.boxes.mondrian import Mondrian
from sfumato.algorithms.groupings.mdav import MDAV
from sfumato.contracts.run import Run
from sfumato.engines import read
from sfumato.errors import BadRequest, Unsupported
from sfumato.tables.policy import Policy
from sfumato.tables.prepare import prepare
from sfumato.tables.size import forecast

NUMBERS = {"a": list(range(60)), "b": [n % 7 for n in range(60)]}
POLICY: dict[str, Any] = {
    "columns": {"a": {"role": "quasi-identifier"}, "b": {"role": "quasi-identifier"}},
    "requirements": [{"id": "k-anonymity", "k": 3}],
    "algorithm": {"id": "mdav"},
}


def test_a_table_beyond_the_bound_is_refused_and_told_what_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MDAV, "traits", replace(MDAV.traits, most_rows=59))
    assert Mondrian.traits.works_on == "counts"
    with pytest.raises(Unsupported, match=r"mdav is meant for tables of up to 59 records, this one has 60; .*mondrian"):
        sfumato.anonymize(NUMBERS, POLICY)
    monkeypatch.setattr(MDAV, "traits", replace(MDAV.traits, most_rows=60))
    assert sfumato.anonymize(NUMBERS, POLICY).verdict


def test_rows_without_a_place_are_refused_before_the_search() -> None:
    held = read(NUMBERS)
    with pytest.raises(Unsupported, match="mdav needs rows that have a place in memory; the engine plain only counts"):
        sfumato.anonymize(PlainTable(held.types, held.to_rows()), POLICY)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_limits_bound_what_a_search_keeps(engine: str) -> None:
    asked = POLICY | {"algorithm": {"id": "tdr"}, "engine": engine}
    assert sfumato.anonymize(NUMBERS, asked | {"limits": {"distinct_rows": 60, "memory": "1GB", "temp": "1GB"}}).verdict
    with pytest.raises(BadRequest, match=r"limits.distinct_rows: allows 59 distinct rows, and this table has 60"):
        sfumato.anonymize(NUMBERS, asked | {"limits": {"distinct_rows": 59}})
    with pytest.raises(BadRequest, match=r"limits.memory"):
        sfumato.anonymize(NUMBERS, asked | {"engine": "polars", "limits": {"memory": "1kB"}})
    with pytest.raises(BadRequest, match="must be an amount such as 4GB"):
        sfumato.anonymize(NUMBERS, asked | {"limits": {"memory": "much"}})


def test_a_table_far_beyond_a_limit_is_refused_without_counting_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = POLICY | {"algorithm": {"id": "tdr"}, "engine": "duckdb"}
    held = read({"a": list(range(5000)), "b": [n % 7 for n in range(5000)]}, "duckdb")
    counted = []
    monkeypatch.setattr(type(held), "distinct", lambda self, columns: counted.append(columns) or 5000)
    with pytest.raises(
        BadRequest, match=r"allows 100 distinct rows, and this table has about [0-9,]+ over the 2 columns"
    ):
        sfumato.anonymize(held, asked | {"limits": {"distinct_rows": 100}})
    assert not counted
    with pytest.raises(BadRequest, match=r"allows 4,990 distinct rows, and this table has 5,000 over"):
        sfumato.anonymize(held, asked | {"limits": {"distinct_rows": 4990}})
    assert counted, "near the bound the number itself is asked for"


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_large_run_says_what_it_will_need(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, engine: str
) -> None:
    monkeypatch.setattr("sfumato.tables.size.LARGE", 60)
    sfumato.anonymize(NUMBERS, POLICY | {"algorithm": {"id": "tdr"}, "engine": engine})
    (said,) = [record.getMessage() for record in caplog.records if "are counted" in record.getMessage()]
    told = re.fullmatch(
        r"60 records, 2 columns are counted; about ([0-9]+) distinct rows, which take a search about [0-9.]+ kB; "
        r"up to 0 B of temporary files, about 1 min beside the search with two cores",
        said.replace("KB", "kB"),
    )
    assert told is not None, said
    assert 30 <= int(told[1]) <= 60


def test_what_a_run_needs_follows_from_cells_and_engine() -> None:
    policy = {
        **POLICY,
        "algorithm": {"id": "tdr"},
        "limits": {"memory": "2kB", "distinct_rows": 60},
        "engine": "duckdb",
    }
    prepared = prepare(read(NUMBERS, "duckdb"), Policy.of(policy), Run.of(None))
    told = forecast(prepared)
    assert (told.rows, told.columns, told.minutes) == (60, 2, 1)
    assert told.searched == told.distinct
    assert told.temporary == 60 * 2 * 15, "more than half of the memory goes through files"
    sampled = forecast(replace(prepared, policy=Policy.of({**policy, "search_on": {"sample": 10, "seed": 1}})))
    assert sampled.searched == 10
    assert sampled.memory < told.memory
