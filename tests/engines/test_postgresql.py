"""Tables of PostgreSQL: read in batches, only what is needed; written in one transaction, or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from typer.testing import CliRunner

import sfumato
from sfumato.contracts.engine import SourceOptions
from sfumato.contracts.published import Release
from sfumato.engines import open_source, read
from sfumato.engines.postgres_tables import Destination
from sfumato.errors import BadRequest, Contradiction, InternalError, SfumatoError, Taken

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
        cursor.execute(
            f'CREATE TABLE {schema}.few AS SELECT "Age Group", "od""d", weight FROM {schema}.people LIMIT 39'
        )
    return schema


def test_a_table_larger_than_the_memory_passes(postgres: str, people: str, tmp_path: Path) -> None:
    """Some 80 MB of rows with 50 MB for DuckDB: they come in batches and wait on disk."""
    with cursor_on(postgres) as cursor:
        cursor.execute(
            f"CREATE TABLE {people}.large AS SELECT n % 4 AS a, n % 3 AS b, repeat(md5((n % 20000)::text), 4) AS note "
            "FROM generate_series(1, 500000) AS n"
        )
        cursor.execute(f"SELECT pg_relation_size('{people}.large')")
        assert cursor.fetchone()[0] > 80_000_000
    policy = {
        "columns": {
            "a": {"role": "quasi-identifier"},
            "b": {"role": "quasi-identifier"},
            "note": {"role": "plain", "publish_anyway": "a hash of numbers"},
        },
        "requirements": [{"id": "k-anonymity", "k": 10}],
        "algorithm": {"id": "tdr"},
        "source": {"table": f"{people}.large"},
        "output": {"format": "parquet"},
    }
    bounds = {"id": "duckdb", "memory_limit": "50MB", "threads": 1, "directory": str(tmp_path)}
    out = sfumato.publish(sfumato.anonymize(postgres, {**policy, "engine": bounds}), tmp_path / "out")
    (entry,) = sfumato.verify(out).certificate.release.files
    assert entry.rows == 500_000
    assert entry.content_digest == sfumato.anonymize(postgres, policy).table.content_digest()


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


# ---- writing -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def release(postgres: str, people: str) -> Release:
    return sfumato.anonymize(postgres, {**POLICY, "source": {"table": f"{people}.people"}})


def tables_in(address: str, schema: str) -> list[str]:
    with cursor_on(address) as cursor:
        cursor.execute(f"SELECT relname::text FROM pg_class WHERE relnamespace = '{schema}'::regnamespace ORDER BY 1")
        return [row[0] for row in cursor.fetchall()]


def test_a_release_in_a_table(engine: str, postgres: str, people: str, tmp_path: Path) -> None:
    policy = {**POLICY, "engine": engine, "source": {"table": f"{people}.people"}}
    made = sfumato.anonymize(postgres, policy)
    table = f'{people}.Out "{engine}"'
    sfumato.publish(made, tmp_path / "out", to=postgres, to_table=table)
    held = read(postgres, table=table)
    assert held.content_digest() == made.table.content_digest()
    assert sorted(held.to_rows()) == sorted(read(tmp_path / "out" / "public" / "data.csv").to_rows())
    assert sfumato.verify(tmp_path / "out", engine=engine, copy=postgres, copy_table=table)
    with pytest.raises(Contradiction, match="does not hold the rows of the release"):
        sfumato.verify(tmp_path / "out", copy=postgres, copy_table=f"{people}.few")
    with pytest.raises(BadRequest, match="names a table of a copy that is not given"):
        sfumato.verify(tmp_path / "out", copy_table=table)
    with pytest.raises(Taken, match="exists already"):
        sfumato.publish(made, tmp_path / "other", to=postgres, to_table=table)
    assert not (tmp_path / "other").exists()
    # A run that was killed between both is done again: the table holds these rows already.
    sfumato.publish(made, tmp_path / "other", to=postgres, to_table=table, if_exists="skip")
    sfumato.publish(made, tmp_path / "out", to=postgres, to_table=table, if_exists="replace")
    assert read(postgres, table=table).rows == 40


def test_what_fails_leaves_no_table(
    postgres: str, people: str, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, out = tables_in(postgres, people), tmp_path / "out"
    for to, table, told in (
        (postgres, "nowhere.x", "is not a schema"),
        (postgres, f"{people}.people", "exists already"),
        (postgres, f"{people}." + "x" * 64, "63 bytes"),
        (postgres, f"{people}.", "is not a name"),
        (postgres, None, "name the table to write"),
        (None, "x", "is required"),
        ("mysql://me:hunter2@host/x", "x", "must be a postgresql:// address"),
        ("postgresql://me:hunter2@127.0.0.1:1/x", "x", "cannot connect"),
        ("postgresql://me:hun@ter2@127.0.0.1:1/x", "x", "cannot connect"),
    ):
        with pytest.raises(SfumatoError, match=told) as caught:
            sfumato.publish(release, out, to=to, to_table=table)
        assert "hunter2" not in str(caught.value)
        assert "ter2" not in str(caught.value)
    with pytest.raises(Taken, match="is no release"):
        sfumato.publish(release, out, to=postgres, to_table=f"{people}.people", if_exists="replace")
    monkeypatch.setattr(Destination, "_content", lambda *_: "another")
    with pytest.raises(InternalError, match="nothing was committed"):
        sfumato.publish(release, out, to=postgres, to_table=f"{people}.out")
    assert not out.exists()
    assert tables_in(postgres, people) == before


def test_a_killed_process_leaves_no_table(postgres: str, people: str, tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from sfumato.engines import read\n"
        "from sfumato.engines.postgres_tables import Destination\n"
        "Destination._content = lambda *_: os._exit(9)\n"
        "Destination.of(sys.argv[1], sys.argv[2]).store({'data': read({'a': [1, 2]})}, 'fail')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, postgres, f"{people}.killed"], check=False, timeout=120)
    assert ended.returncode == 9
    assert "killed" not in tables_in(postgres, people)


def test_the_password_is_nowhere(postgres: str, people: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from sfumato.cli import commands  # noqa: F401
    from sfumato.cli.main import app

    secret = postgres.replace("tester@", "tester:hunter2@")
    (tmp_path / "policy.json").write_text(json.dumps(POLICY))
    common = ["anonymize", f"{secret}?password=hunter2", "--table", f"{people}.people", "-p"]
    common += [str(tmp_path / "policy.json"), "-o", str(tmp_path / "out"), "--to-table", f"{people}.secret"]
    refused = CliRunner().invoke(app, [*common, "--to", secret])
    assert isinstance(refused.exception, BadRequest)
    assert "PGPASSFILE" in str(refused.exception)
    done = CliRunner().invoke(app, [*common, "--to", postgres])
    assert done.exit_code == 0, done.exception
    assert "secret" in tables_in(postgres, people)
    written = [path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    said = [refused.output, str(refused.exception), done.output, caplog.text]
    assert not any(b"hunter2" in content for content in written)
    assert not any("hunter2" in text for text in said)


@pytest.mark.parametrize(
    "moment", ["'infinity'::timestamp", "'-infinity'::timestamptz", "'infinity'::date", "'0044-03-15 BC'::date"]
)
def test_moments_that_no_file_can_tell_are_refused(engine: str, postgres: str, people: str, moment: str) -> None:
    """Readers panic at them, or turn them into other moments."""
    with cursor_on(postgres) as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {people}.endless")
        cursor.execute(
            f'CREATE TABLE {people}.endless AS SELECT n AS a, {moment} AS "When" FROM generate_series(1, 9) AS n'
        )
    with pytest.raises(BadRequest, match="before 1 or after 9999") as refused:
        read(postgres, engine, table=f"{people}.endless")
    assert "'When'" in str(refused.value)
    assert open_source(postgres, engine, SourceOptions(table=f"{people}.endless", unread=frozenset({"When"}))).rows == 9
