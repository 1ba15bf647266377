"""Which of two numbers is larger, found out by two who keep them: a private intersection of the sets of their prefixes."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.parties.blocks.ciphers import Curve, Secret
from sfumato.parties.blocks.prefixes import one_encoding, zero_encoding

__all__ = ["KEY_BITS", "Challenge", "answered", "challenged", "challenged_both_ways"]

KEY_BITS = 80
"""A score in steps of 2^-40 below 2^24, and 16 bits that rank attributes."""

Points = list[bytes]


@frozen
class Challenge:
    """What the first party keeps: the key of each comparison, drawn for it alone, and the points that it sent."""

    keys: tuple[bytes, ...]
    points: tuple[Points, ...]
    bits: int

    def decided(self, doubles: Sequence[Points], others: Sequence[Points], group: Curve) -> list[bool]:
        """Tell for each pair whether the own number is larger: iff one point under both keys is in both sets."""
        _refuse_sizes(doubles, len(self.keys), self.bits)
        _refuse_sizes(others, len(self.keys), self.bits)
        own = (group.encrypted(key, points) for key, points in zip(self.keys, others, strict=True))
        return [not set(mine).isdisjoint(theirs) for mine, theirs in zip(doubles, own, strict=True)]


def challenged(
    values: Sequence[int], context: bytes, group: Curve, bits: int = KEY_BITS, secret: Secret = secrets.token_bytes
) -> Challenge:
    """Begin comparisons: points of ``one(x)`` for each number, filled up with random ones, each under a fresh key, in no order.

    ``context`` binds the points to session and round. Sorting encrypted points hides their order: it depends on the key.
    """
    keys = tuple(group.key(secret) for _ in values)
    encoded = [one_encoding(value, bits) for value in values]
    return Challenge(keys, _encrypted(keys, encoded, context, group, bits, secret), bits)


def challenged_both_ways(
    values: Sequence[int], context: bytes, group: Curve, bits: int, secret: Secret = secrets.token_bytes
) -> tuple[Challenge, tuple[Points, ...]]:
    """Begin comparisons that may be answered either way round: beside ``one(x)`` the points of ``one(2^bits - 1 - x)``.

    Both sets of a pair are under one key: whoever sent them does not see which of them was answered.
    """
    challenge = challenged(values, context, group, bits, secret)
    turned = [one_encoding((1 << bits) - 1 - value, bits) for value in values]
    return challenge, _encrypted(challenge.keys, turned, context, group, bits, secret)


def answered(
    values: Sequence[int],
    points: Sequence[Points],
    context: bytes,
    group: Curve,
    bits: int = KEY_BITS,
    secret: Secret = secrets.token_bytes,
) -> tuple[list[Points], list[Points]]:
    """Answer comparisons: the points of the first party under a second key, and the own points of ``zero(y)`` under it.

    The first party learns of each pair whether ``x > y`` and nothing else; the second learns nothing until it is told.
    """
    _refuse_sizes(points, len(values), bits)
    keys = tuple(group.key(secret) for _ in values)
    doubles = [sorted(group.encrypted(key, given)) for key, given in zip(keys, points, strict=True)]
    encoded = [zero_encoding(value, bits) for value in values]
    return doubles, list(_encrypted(keys, encoded, context, group, bits, secret))


def _encrypted(
    keys: Sequence[bytes],
    encoded: Sequence[Sequence[str]],
    context: bytes,
    group: Curve,
    bits: int,
    secret: Secret,
) -> tuple[Points, ...]:
    """Return the points of prefixes and of as many random texts as are lacking, so that sizes say nothing."""
    out = []
    for at, (key, prefixes) in enumerate(zip(keys, encoded, strict=True)):
        texts = [f"{at}|{prefix}".encode() for prefix in prefixes]
        texts += [b"!" + secret(32) for _ in range(bits - len(prefixes))]
        out.append(sorted(group.encrypted(key, group.hashed(texts, context))))
    return tuple(out)


def _refuse_sizes(points: Sequence[Points], comparisons: int, bits: int) -> None:
    if len(points) != comparisons or any(len(one) != bits for one in points):
        raise BadRequest(f"must be {comparisons} sets of {bits} points", parameter="points")
