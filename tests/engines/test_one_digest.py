"""The same policy gives the same rows on Polars, on DuckDB and on an engine that offers nothing but the contract."""

from __future__ import annotations

import pytest

import sfumato
from engines.plain_engine import PlainTable
from engines.same_releases import ASKED, policy_of
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
