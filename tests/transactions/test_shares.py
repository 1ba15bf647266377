"""Shares of a secret: all of them tell it, one fewer fits every secret."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.transactions.shares import (
    additive_secret,
    additive_shares,
    decodable_after,
    expected_users,
    first_users,
    shamir_secret,
    shamir_shares,
)

SMALL = 7


@given(secret=st.integers(0, 96), drawn=st.lists(st.integers(0, 96), max_size=4))
def test_additive_shares_tell_the_secret(secret: int, drawn: list[int]) -> None:
    assert additive_secret(additive_shares(secret, 97, drawn), 97) == secret


def test_fewer_additive_shares_fit_every_secret_equally() -> None:
    for missing in range(3):
        seen: dict[tuple[int, ...], set[int]] = {}
        for secret, first, second in product(range(SMALL), repeat=3):
            shares = additive_shares(secret, SMALL, [first, second])
            seen.setdefault(tuple(shares[:missing] + shares[missing + 1 :]), set()).add(secret)
        assert all(secrets == set(range(SMALL)) for secrets in seen.values())


@given(secret=st.integers(0, 96), drawn=st.lists(st.integers(0, 96), max_size=3), extra=st.integers(0, 3))
def test_any_k_points_tell_the_secret(secret: int, drawn: list[int], extra: int) -> None:
    k = len(drawn) + 1
    points = shamir_shares(secret, 97, drawn, range(1, k + extra + 1))
    assert all(shamir_secret(some, 97) == secret for some in combinations(points, k))


def test_fewer_points_fit_every_secret_equally() -> None:
    for held in combinations(range(1, 5), 2):
        seen: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for secret, first, second in product(range(SMALL), repeat=3):
            points = tuple(shamir_shares(secret, SMALL, [first, second], held))
            seen.setdefault(points, []).append(secret)
        assert all(sorted(secrets) == list(range(SMALL)) for secrets in seen.values())


@given(users=st.lists(st.integers(0, 8)), k=st.integers(1, 5))
def test_the_first_users_get_distinct_shares(users: list[int], k: int) -> None:
    given_out = first_users(users, k)
    after = decodable_after(given_out, k)
    distinct = [len(set(users[: at + 1])) for at in range(len(users))]
    assert after == next((at + 1 for at, count in enumerate(distinct) if count == k), None)


def test_bad_numbers_are_refused() -> None:
    for wrong in ((97, 97, []), (1, 1, []), (0, 5, [5])):
        with pytest.raises(BadRequest):
            additive_shares(*wrong)  # type: ignore[arg-type]
    with pytest.raises(BadRequest):
        shamir_shares(9, 7, [], [1])
    with pytest.raises(BadRequest):
        shamir_shares(1, 7, [], [0])
    with pytest.raises(BadRequest):
        expected_users(3, 2)
    assert expected_users(3, 3) == 3 * (1 + 1 / 2 + 1 / 3)
