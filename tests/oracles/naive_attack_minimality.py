"""The minimality attack by brute force: every world listed, every requirement counted out record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from oracles.naive_worlds import publisher_credibility

__all__ = ["BROKEN", "believed", "raw_groups"]

Pairs = Sequence[tuple[Any, Hashable]]


def raw_groups(pairs: Pairs, columns: Sequence[int] | None = None) -> list[list[Hashable]]:
    """Return the sensitive values of each raw group, on all quasi-identifiers or on some."""
    out: dict[Any, list[Hashable]] = {}
    for person, value in pairs:
        out.setdefault(person if columns is None else tuple(person[at] for at in columns), []).append(value)
    return list(out.values())


def _most(values: Sequence[Hashable]) -> Fraction:
    return Fraction(max(Counter(values).values()), len(values))


# Requirements in their own words: does a raw group with these values break them?
BROKEN: dict[str, tuple[dict[str, Any], Callable[[list[Hashable]], bool]]] = {
    "confidence": (
        {"id": "confidence-bounding", "sensitive": "S", "value": "a", "h": 0.6},
        lambda values: values.count("a") > Fraction(6, 10) * len(values),
    ),
    "frequency": (
        {"id": "l-diversity-frequency", "sensitive": "S", "l": 1.5},
        lambda values: _most(values) > Fraction(2, 3),
    ),
    "distinct": (
        {"id": "l-diversity-distinct", "sensitive": "S", "l": 2},
        lambda values: len(set(values)) < 2,
    ),
    "alpha-k": (
        {"id": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "sensitive": "S", "values": ["a", "b"]},
        lambda values: len(values) < 2 or max(values.count("a"), values.count("b")) > Fraction(1, 2) * len(values),
    ),
    "k": (
        {"id": "k-anonymity", "k": 2},
        lambda values: len(values) < 2,
    ),
}


def believed(
    groups: Sequence[tuple[Sequence[Any], Sequence[Hashable]]],
    rules: Sequence[tuple[str, Sequence[int] | None]],
    masked: bool = True,
) -> tuple[int, int, list[dict[Hashable, Fraction]]]:
    """Return the worlds before and after, and what is believed of each person; all worlds if none is left.

    ``rules`` names requirements, each on all quasi-identifiers or on the columns at some places.
    """

    def breaks(pairs: Pairs) -> bool:
        return any(BROKEN[name][1](values) for name, columns in rules for values in raw_groups(pairs, columns))

    found = publisher_credibility(groups, breaks if masked else lambda pairs: not breaks(pairs))  # type: ignore[arg-type]
    return found if found[1] else publisher_credibility(groups, lambda pairs: True)  # type: ignore[arg-type]
