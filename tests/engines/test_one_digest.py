"""The same policy gives the same rows on Polars, on DuckDB and on an engine that offers nothing but the contract."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato
from engines.plain_engine import PlainTable
from engines.same_releases import ASKED, GROUPED, MIXED, digests_of, grouped_policy, mixed_policy, outcome_of, policy_of
from engines.test_engine_contract import MAKERS, TABLES, Rows
from sfumato.datasets import hospital
from sfumato.engines import read


@pytest.mark.parametrize("name", ASKED)
def test_engines_agree(name: str) -> None:
    patients = read(hospital(200).to_polars())
    release = sfumato.anonymize(patients, policy_of(name))
    held = PlainTable(patients.types, patients.to_rows())
    for table in (read(patients.to_native(), "duckdb"), held):
        other = sfumato.anonymize(table, policy_of(name))
        assert other.table.content_digest() == release.table.content_digest()
        assert other.measured == release.measured


@pytest.mark.parametrize("name", GROUPED)
def test_engines_agree_on_groups_whatever_the_order_of_rows(name: str) -> None:
    patients = hospital(200).to_polars()
    release = sfumato.anonymize(patients, grouped_policy(name))
    other = sfumato.anonymize(read(patients.reverse(), "duckdb"), grouped_policy(name))
    assert digests_of(other) == digests_of(release)
    assert other.private.links.content_digest() == release.private.links.content_digest()


@pytest.mark.parametrize("name", MIXED)
def test_what_is_drawn_can_be_released(name: str) -> None:
    """Else engines would only be compared in what they refuse."""
    rows: Rows = [("a", i, 0.5, i > 0, None, None) for i in range(-2, 3) for _ in range(5)]
    assert len(outcome_of(MAKERS["plain"](rows), mixed_policy(name))) == 64


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(rows=TABLES, times=st.integers(1, 3), name=st.sampled_from([*MIXED]))
def test_engines_agree_on_whatever_is_drawn(rows: Rows, times: int, name: str) -> None:
    found = {engine: outcome_of(make(rows * times), mixed_policy(name)) for engine, make in MAKERS.items()}
    assert len(set(found.values())) == 1, found
