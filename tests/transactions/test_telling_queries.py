"""Queries that tell who asked them: names that few ask for, digits and known numbers however many do."""

from __future__ import annotations

import pytest

from sfumato.errors import BadRequest
from sfumato.transactions.query_log import QueryLog
from sfumato.transactions.telling_queries import telling_queries


def reasons(query: str, users: int = 1) -> tuple[str, ...]:
    found = telling_queries(QueryLog.of([(f"u{at}", query) for at in range(users)]))
    return found[0].reasons if found else ()


@pytest.mark.parametrize("query", ["Anna Schmidt dresden", "schmidt anna", "José García's house"])
def test_rare_names(query: str) -> None:
    assert "person-name" in reasons(query)
    assert "person-name" in reasons(query, 4)
    assert "person-name" not in reasons(query, 5)


@pytest.mark.parametrize(
    "query", ["jazz music", "anna", "schmidt", "anna and the schmidt family", "weather 2026", "", "smith taylor"]
)
def test_ordinary_queries(query: str) -> None:
    assert reasons(query) == ()


@pytest.mark.parametrize(
    ("query", "reason"),
    [("my id 44 17-749", "digits"), ("mail to ann@clinic.example", "email"), ("host 192.168.17.4 down", "ip-address")],
)
def test_numbers_and_addresses_however_many_ask(query: str, reason: str) -> None:
    assert reason in reasons(query)
    assert reason in reasons(query, 30)


def test_nobody_is_shown() -> None:
    log = QueryLog.of([("u1", "Anna Schmidt"), ("u1", "jazz"), ("u2", " Anna Schmidt")])
    (found,) = telling_queries(log)
    assert (found.places, found.users) == ((0, 2), 2)
    assert "Schmidt" not in repr(found)


def test_bad_thresholds() -> None:
    for wrong in ({"users": 0}, {"digits": 0}):
        with pytest.raises(BadRequest, match="at least 1"):
            telling_queries(QueryLog.of([]), **wrong)
