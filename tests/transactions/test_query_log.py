"""Query logs: how they are read, the words of a query, and their baskets."""

from __future__ import annotations

import polars as pl
import pytest

from sfumato.errors import BadRequest
from sfumato.transactions.query_log import QueryLog, tokens
from sfumato.transactions.recodings.query_log_as_transactions import QueryLogAsTransactions

FRAME = pl.DataFrame(
    {
        "user": [1, 2, 1, 3],
        "query": ["Jazz  music", "jazz", None, "the tennis"],
        "time": ["2026-01-03", "2026-01-02", "2026-01-01", "2026-01-01"],
        "url": ["a.example", None, None, "b.example"],
    }
)


def test_words() -> None:
    assert tokens("") == tokens("?!, _") == ()
    assert tokens("STRASSE Straße") == ("strasse", "strasse")
    # A letter and its accent are one word, however they were typed.
    assert tokens("cafe\u0301") == tokens("caf\u00e9")
    assert tokens("东京 weather") == ("东京", "weather")


def test_a_frame_is_read_in_the_order_of_time() -> None:
    log = QueryLog.of(FRAME, time="time", url="url")
    assert log.users == ("3", "2", "1")
    assert log.queries == ("the tennis", "jazz", "Jazz  music")
    assert log.urls == ("b.example", None, "a.example")
    assert log.by_user == {"3": (0,), "2": (1,), "1": (2,)}
    assert "jazz" not in repr(log)


def test_baskets_of_persons_and_of_queries() -> None:
    log = QueryLog.of([("a", "Jazz music"), ("b", "the"), ("a", "tennis")])
    loaded = QueryLogAsTransactions(stop=("the",)).load(log)
    assert [set(one) for one in loaded.baskets] == [{"jazz", "music", "tennis"}, set()]
    assert loaded.baskets.persons == ("a", "b")
    assert (loaded.vocabulary, loaded.density, loaded.queries) == (3, 0.5, 3)
    single = QueryLogAsTransactions(by="query").load(log)
    assert [set(one) for one in single.baskets] == [{"jazz", "music"}, {"the"}, {"tennis"}]
    assert single.baskets.persons is None


def test_bad_logs_are_refused() -> None:
    with pytest.raises(BadRequest, match="is not a column"):
        QueryLog.of(FRAME, user="person")
    with pytest.raises(BadRequest, match="who asked"):
        QueryLog.of(pl.DataFrame({"user": [None, "a"], "query": ["a", "b"]}))
    with pytest.raises(BadRequest, match="when"):
        QueryLog.of(pl.DataFrame({"user": ["b", "a"], "query": ["a", "b"], "t": ["x", None]}), time="t")
    with pytest.raises(BadRequest, match="pairs"):
        QueryLog.of([("a",)])
    with pytest.raises(BadRequest, match="pairs"):
        QueryLog.of([("a", 3)])
    with pytest.raises(BadRequest, match="length"):
        QueryLog(("a",), ("b", "c"))
