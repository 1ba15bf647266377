"""The same policy gives the same rows on Polars, on DuckDB and on an engine that offers nothing but the contract."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato
from engines.plain_engine import PlainTable
from engines.same_releases import ASKED, MIXED, mixed_policy, outcome_of, policy_of
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


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(rows=TABLES, times=st.integers(1, 3), name=st.sampled_from([*MIXED]))
def test_engines_agree_on_whatever_is_drawn(rows: Rows, times: int, name: str) -> None:
    found = {engine: outcome_of(make(rows * times), mixed_policy(name)) for engine, make in MAKERS.items()}
    assert len(set(found.values())) == 1, found
