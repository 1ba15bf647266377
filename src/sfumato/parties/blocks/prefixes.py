"""Comparing two numbers by what two sets share: prefixes of one that end in 1, and of the other that end in 0."""

from __future__ import annotations

from sfumato.errors import BadRequest

__all__ = ["exceeds", "one_encoding", "zero_encoding"]


def one_encoding(value: int, bits: int) -> list[str]:
    """Return the prefixes of a number that end in a one.

    >>> one_encoding(6, 3)
    ['1', '11']
    """
    text = _binary(value, bits)
    return [text[: at + 1] for at in range(bits) if text[at] == "1"]


def zero_encoding(value: int, bits: int) -> list[str]:
    """Return the prefixes of a number that end in a zero, with that zero made a one.

    >>> zero_encoding(5, 3)
    ['11']
    """
    text = _binary(value, bits)
    return [text[:at] + "1" for at in range(bits) if text[at] == "0"]


def exceeds(x: int, y: int, bits: int) -> bool:
    """Tell whether ``x > y``: iff ``one(x)`` and ``zero(y)`` share an element; they never share more than one.

    >>> exceeds(201, 200, 8), exceeds(5, 5, 3)
    (True, False)

    References
    ----------
    Lin, Tzeng, "An efficient solution to the millionaires' problem based on homomorphic encryption", 2005,
    doi:10.1007/11496137_31.
    """
    return not set(one_encoding(x, bits)).isdisjoint(zero_encoding(y, bits))


def _binary(value: int, bits: int) -> str:
    if not 0 <= value < 1 << bits:
        raise BadRequest(f"must be a whole number of at most {bits} bits", parameter="value")
    return f"{value:0{bits}b}"
