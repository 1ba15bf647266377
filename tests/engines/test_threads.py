"""Several threads ask one table: each gets the answer, and what one is asking nobody asks again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from sfumato.engines import get_engine, read
from sfumato.engines.duckdb_engine import DuckDBTable
from sfumato.engines.polars_engine import PolarsTable


def _rows(seed: int, count: int = 3000) -> dict[str, list[object]]:
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(90, size=count).tolist(),
        "job": [f"job {number}" for number in rng.integers(40, size=count)],
        "bmi": (rng.integers(400, size=count) / 10).tolist(),
    }


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_threads_get_what_one_would_get(engine: str) -> None:
    asked = [["age"], ["job"], ["age", "job"], ["job", "bmi"], ["age", "job", "bmi"], ["bmi"]] * 4
    alone, table = (read(_rows(1), engine) for _ in range(2))
    assert table.in_threads
    with ThreadPoolExecutor(6) as threads:
        digest = threads.submit(table.content_digest)
        found = list(threads.map(table.counts, asked))
    assert digest.result() == alone.content_digest()
    for columns, cells in zip(asked, found, strict=True):
        same = alone.counts(columns)
        assert [*zip(*cells.keys, cells.sizes, strict=True)] == [*zip(*same.keys, same.sizes, strict=True)]


@pytest.mark.parametrize("kind", [PolarsTable, DuckDBTable])
def test_who_asks_what_another_asks_waits_for_its_answer(
    kind: type[PolarsTable | DuckDBTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = read(_rows(2), kind.engine)
    begun, go, asked, real = Event(), Event(), list[int](), kind.bucket_hashes

    def slow(self: PolarsTable | DuckDBTable) -> object:
        asked.append(1)
        begun.set()
        assert go.wait(30)
        return real(self)  # type: ignore[arg-type]

    monkeypatch.setattr(kind, "bucket_hashes", slow)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(table.content_digest)
        assert begun.wait(30)
        second = threads.submit(table.content_digest)
        go.set()
        assert first.result() == second.result()
    assert asked == [1]


def test_a_question_that_failed_can_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table = read(_rows(3), "polars")
    with monkeypatch.context() as broken:
        broken.setattr(PolarsTable, "bucket_hashes", lambda _: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            table.content_digest()
    assert table.content_digest()


def test_within_a_bound_of_memory_one_thread_asks() -> None:
    assert not read(_rows(4), get_engine("duckdb", memory_limit="200MB")).in_threads
