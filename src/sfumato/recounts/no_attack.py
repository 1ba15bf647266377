"""No-attack, recounted: how many rows, or people of the population, share the texts of each group."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from sfumato.recounts._level import Groups, Key, Level, Number, lowest
from sfumato.recounts.k_map import refuse_strangers

__all__ = ["applies", "level"]


def applies(kind: str, population: int | None) -> bool:
    """Tell whether groups are counted; an estimate goes by the table before records were left out."""
    return population is None


def level(
    groups: Groups, *, gain: float, cost: float, attacker: str, as_arx: bool, people: Mapping[Key, Number] | None
) -> Level:
    """Judge the number of rows, or of people, beside what makes an attack worthless."""
    ratio = Fraction(repr(gain)) / Fraction(repr(cost)) if gain > 0 else Fraction(0)
    least = max(1, (floor(ratio) + 1 if as_arx else ceil(ratio)) if gain > 0 else 1)
    if attacker == "prosecutor" or people is None:
        return lowest((sum(rows.values()) for rows in groups.values()), least)
    refuse_strangers(groups, people)
    return lowest((people[key] for key in groups), least)
