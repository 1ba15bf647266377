"""Secret sharing: a number in k pieces of which fewer tell nothing; additive modulo m, or of Shamir over a prime field."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction

from sfumato.errors import BadRequest

__all__ = [
    "additive_secret",
    "additive_shares",
    "buckets_of",
    "decodable_after",
    "expected_users",
    "first_users",
    "shamir_secret",
    "shamir_shares",
]


def additive_shares(secret: int, modulus: int, drawn: Sequence[int]) -> list[int]:
    """Return ``len(drawn) + 1`` shares that add up to the secret modulo m; all but the last are the drawn ones.

    >>> additive_shares(42, 97, [50, 60])
    [50, 60, 29]
    """
    if modulus < 2 or not 0 <= secret < modulus or any(not 0 <= one < modulus for one in drawn):
        raise BadRequest("secret and shares must be whole numbers from 0 to the modulus", parameter="modulus")
    return [*drawn, (secret - sum(drawn)) % modulus]


def additive_secret(shares: Iterable[int], modulus: int) -> int:
    """Return the secret of all its shares; of fewer it returns a number that says nothing.

    >>> additive_secret([50, 60, 29], 97)
    42
    """
    return sum(shares) % modulus


def shamir_shares(secret: int, prime: int, coefficients: Sequence[int], at: Iterable[int]) -> list[tuple[int, int]]:
    """Return points ``(x, f(x))`` of the polynomial ``f(x) = secret + c1 x + c2 x^2 + ...`` modulo a prime.

    With k - 1 coefficients drawn evenly, any k points tell the secret and k - 1 tell nothing.

    >>> shamir_shares(42, 97, [5], [1, 2])
    [(1, 47), (2, 52)]
    """
    if not 0 <= secret < prime or any(not 0 <= one < prime for one in coefficients):
        raise BadRequest("secret and coefficients must be whole numbers from 0 to the prime", parameter="prime")
    points = []
    for x in at:
        if not 0 < x < prime:
            raise BadRequest("a share belongs to a number from 1 to the prime", parameter="at", value=x)
        value = 0
        for coefficient in reversed([secret, *coefficients]):
            value = (value * x + coefficient) % prime
        points.append((x, value))
    return points


def shamir_secret(points: Iterable[tuple[int, int]], prime: int) -> int:
    """Return f(0) of the polynomial through the points (Lagrange): the secret, if they are as many as it takes.

    >>> shamir_secret([(2, 52), (1, 47)], 97)
    42
    """
    held = dict(points)
    total = 0
    for x, value in held.items():
        upper, lower = 1, 1
        for other in held:
            if other != x:
                upper, lower = upper * -other % prime, lower * (x - other) % prime
        total += value * upper * pow(lower, -1, prime)
    return total % prime


# ---- who gets which share --------------------------------------------------------------------------------------------------


def buckets_of(users: Sequence[Hashable], shares: int, bucket: Callable[[Hashable], int]) -> list[int]:
    """Return the share that each user of a query gets by the bucket of the user alone.

    >>> buckets_of([1, 4, 2, 6], 3, hash)
    [1, 1, 2, 0]
    """
    return [bucket(user) % shares for user in users]


def first_users(users: Sequence[Hashable], shares: int) -> list[int | None]:
    """Return the share of each user if the first distinct users get distinct ones; later users need none.

    A user who asks again keeps the share. This needs the users of a query to be remembered until all shares are out.

    >>> first_users([1, 4, 1, 2, 6], 3)
    [0, 1, 0, 2, None]
    """
    given: dict[Hashable, int] = {}
    out: list[int | None] = []
    for user in users:
        if user not in given and len(given) < shares:
            given[user] = len(given)
        out.append(given.get(user))
    return out


def decodable_after(buckets: Sequence[int | None], needed: int) -> int | None:
    """Return after how many entries so many distinct shares are there; ``None`` if they never are.

    >>> decodable_after([1, 1, 2, 0], 3), decodable_after([1, 1], 2)
    (4, None)
    """
    seen: set[int] = set()
    for number, bucket in enumerate(buckets, 1):
        if bucket is not None:
            seen.add(bucket)
        if len(seen) >= needed:
            return number
    return None


def expected_users(needed: int, shares: int) -> Fraction:
    """Return how many users ask on average before ``needed`` of ``shares`` buckets are met: sum of n / (n - i) for i < needed.

    >>> float(expected_users(3, 3)), round(float(expected_users(3, 30)), 3)
    (5.5, 3.106)
    """
    if not 1 <= needed <= shares:
        raise BadRequest("must be 1 to the number of shares", parameter="needed", value=needed)
    return sum((Fraction(shares, shares - met) for met in range(needed)), Fraction(0))
