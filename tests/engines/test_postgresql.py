"""Tables of PostgreSQL: read in batches, only what is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from typing import Any

import pytest

import sfumato
from sfumato.contracts.engine import SourceOptions
from sfumato.engines import open_source

pytestmark = pytest.mark.postgres

POLICY: dict[str, Any] = {
    "columns": {
        "name": {"role": "identifier"},
        "photo": {"role": "drop"},
        "Age Group": {"role": "quasi-identifier"},
        'od"d': {"role": "quasi-identifier"},
        "weight": {"role": "plain"},
    },
    "requirements": [{"id": "k-anonymity", "k": 2}],
    "algorithm": {"id": "optimal"},
}


@contextmanager
def cursor_on(address: str) -> Iterator[Any]:
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        yield cursor


@pytest.fixture(scope="module")
def people(postgres: str) -> str:
    """A table of 40 persons in a schema of its own, with a column that no table can hold."""
    schema = f"s_{token_hex(4)}"
    with cursor_on(postgres) as cursor:
        cursor.execute(f"CREATE SCHEMA {schema}")
        cursor.execute(
            f"CREATE TABLE {schema}.people AS SELECT 'Person ' || n AS name, 'secret'::bytea AS photo, "
            f'(n % 4)::text || 0 AS "Age Group", chr(97 + n % 2) AS "od""d", (n % 3) + 0.25::float8 AS weight '
            "FROM generate_series(1, 40) AS n"
        )
    return schema


def test_only_what_is_needed_is_read(engine: str, postgres: str, people: str) -> None:
    options = SourceOptions(table=f"{people}.people", unread=frozenset({"photo"}))
    held = open_source(postgres, engine, options)
    assert held.columns == ("name", "photo", "Age Group", 'od"d', "weight")
    assert held.present().known["photo"] == 0
    policy = {**POLICY, "engine": engine, "source": {"table": f"{people}.people"}}
    release = sfumato.anonymize(postgres, policy)
    assert release.table.rows == 40
    assert "photo" not in release.table.types


def test_batches_are_taken_in_as_they_come() -> None:
    import pyarrow as pa

    from sfumato.engines.polars_reader import _gathered

    schema = pa.schema([("a", pa.int64()), ("b", pa.string())])
    taken = []

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, 6, 2):
            taken.append(start)
            yield pa.record_batch({"a": [start, start + 1], "b": ["x", None]}, schema=schema)

    frame = _gathered(pa.RecordBatchReader.from_batches(schema, batches()))
    assert taken == [0, 2, 4]
    assert frame["a"].to_list() == list(range(6))
    assert frame["b"].null_count() == 3
    assert _gathered(pa.RecordBatchReader.from_batches(schema, iter(()))).shape == (0, 2)
