"""Sequences of places without times: an adversary who knows where somebody was, and in which order, but not when."""

from __future__ import annotations

import numpy as np

from sfumato.errors import Unsupported
from sfumato.itemsets import Rule
from sfumato.itemsets.database import Rows
from sfumato.itemsets.judging import Judged, Worst
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.place_sequence_kernels import onward
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["judged_places"]

_MOST = 2_000_000
"""Sequences of one length that are kept."""


def judged_places(paths: Trajectories, secrets: Rows, rule: Rule, most: int, worst: int) -> Judged:
    """Judge all sequences of up to ``most`` places that are met in this order; a place may be met again.

    These are no sets: the order counts, and a place can be in a sequence twice. A sequence is looked at if all sequences with
    one place less go on.
    """
    width = len(paths.names)
    good: dict[tuple[int, ...], tuple[Ints, Ints]] = {(): (np.arange(len(paths)), paths.starts[:-1])}
    touched = np.zeros(len(paths), np.bool_)
    smallest: int | None = None
    looked = broken = 0
    told: list[Worst] = []
    for _ in range(most):
        following: dict[tuple[int, ...], tuple[Ints, Ints]] = {}
        for members, (persons, at) in good.items():
            bounds, who, where = onward(paths.starts, paths.places, persons, at, width)
            for place in np.flatnonzero(np.diff(bounds)).tolist():
                grown = (*members, place)
                if not all(grown[:left] + grown[left + 1 :] in good for left in range(len(grown))):
                    continue
                mine = slice(bounds[place], bounds[place + 1])
                support = int(bounds[place + 1] - bounds[place])
                sharing, secret = _shared(secrets, who[mine]) if rule.share is not None else (0, -1)
                looked += 1
                smallest = support if smallest is None else min(smallest, support)
                if rule.broken(np.array([support]), np.array([sharing]))[0]:
                    broken += 1
                    touched[who[mine]] = True
                    told.append(Worst(grown, support, sharing, secret))
                else:
                    following[grown] = who[mine], where[mine]
        if len(following) > _MOST:
            raise Unsupported("there are too many sequences of places: ask for a smaller L", thing="lkc-privacy")
        good = following
    told.sort(key=lambda one: (min(one.support, rule.least), -one.confidence, len(one.members)))
    return Judged(smallest, looked, broken, touched, tuple(told[:worst]))


def _shared(secrets: Rows, persons: Ints) -> tuple[int, int]:
    """Return how many of the persons have the commonest secret, and that secret."""
    if not secrets.width:
        return 0, -1
    lengths = secrets.starts[persons + 1] - secrets.starts[persons]
    first = np.repeat(secrets.starts[persons], lengths)
    inside = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    counts = np.bincount(secrets.codes[first + inside], minlength=secrets.width)
    best = int(counts.argmax())
    return (int(counts[best]), best) if counts[best] else (0, -1)
