"""(c,k)-safety, recounted: how likely k implications between persons can make a sensitive value."""

from __future__ import annotations

from functools import cache
from itertools import accumulate

from sfumato.recounts._handed_out import certainly_below, elsewhere
from sfumato.recounts._level import Groups, Histogram, Level, counts_of

__all__ = ["level"]


def level(groups: Groups, *, c: float, k: int, missing: str) -> Level:
    """Judge the maximum disclosure: the worst implications share their consequent, their antecedents are handed out.

    As many atoms as some group has texts deny a person everything: more knowledge adds nothing to certainty.
    """
    held = counts_of(groups, missing)
    most = min([k, *map(len, held)])
    denied = [_denials(texts, most + 1) for texts in held]
    others = elsewhere([[[chance] for chance in chances[: most + 1]] for chances in denied])
    found = []
    for texts, chances, rest in zip(held, denied, others, strict=True):
        share = max(texts.values()) / sum(texts.values())
        # Of all atoms some lie in the own group, next to the one that is to be disclosed.
        refuted = min(chances[atoms + 1] * rest[most - atoms][0] for atoms in range(most + 1))
        found.append(share / (share + refuted))
    broken = sum(not certainly_below(value, c) for value in found)
    return Level(max(found, default=None), broken, broken == 0)


def _denials(texts: Histogram, most: int) -> list[float]:
    """Return the least chance that 0, 1, ... negated atoms of a group hold: nobody is denied more than the one before."""
    size = int(sum(texts.values()))
    frequent = list(accumulate(sorted(texts.values(), reverse=True), initial=0))

    @cache
    def least(person: int, atoms: int, largest: int) -> float:
        if person == size:
            return 1.0
        return min(
            (
                max(size - person - frequent[min(part, len(texts))], 0)
                / (size - person)
                * least(person + 1, atoms - part, part)
                for part in range(1, min(atoms, largest) + 1)
            ),
            default=1.0,
        )

    return [least(0, atoms, atoms) for atoms in range(most + 1)]
