"""Marginals beside a base table, recounted: the persons and the sensitive values that all written cells leave to each class."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, inf, log

from sfumato.errors import BadRequest
from sfumato.recounts import Groups, Key, Level, Number, at_least, at_most
from sfumato.views.recounts._labels import Atom, finest

__all__ = ["applies", "level"]

_ROUNDS = 2_000
_CLOSE = 1e-12


def applies(kind: str, depth: int) -> bool:
    """Exact counts need a solver, which plain code has not."""
    return depth != 2


def level(
    groups: Groups,
    *,
    k: int | None,
    l: float | None,
    depth: int,
    diversity: str,
    c: float | None,
    strict: bool,
) -> Level:
    """Judge the fewest persons of a class and, where asked for, how diverse its sensitive values are left."""
    told = _Publications.of(groups)
    classes = list(told.classes())
    persons = [min(told.sizes[at][cell] for at, cell in enumerate(cells)) for cells in classes]
    short = [k is not None and size < k for size in persons]
    if l is None:
        return Level(min(persons, default=None), sum(short), not any(short))
    values: list[Number]
    if depth == 1:
        values = [len(told.left(cells)) for cells in classes]
    else:
        values = [_diversity(one, diversity, int(l)) for one in _fitted(told, classes) if sum(one) > 0]
    if diversity == "recursive":
        assert c is not None
        few = [not at_most(value, c, strict=strict) for value in values]
        worst = max(values, default=None)
    else:
        few = [not at_least(value, float(l) if diversity == "entropy" else int(l)) for value in values]
        worst = min(values, default=None)
    same = len(few) == len(short)
    broken = [one or other for one, other in zip(few, short, strict=True)] if same else few if any(few) else short
    return Level(worst, sum(broken), not any(few) and not any(short))


@dataclass(frozen=True, eq=False)
class _Publications:
    """What is published: columns, cells summed over the sensitive column with their values, and the finest values."""

    columns: Sequence[Sequence[str]]
    places: Sequence[int | None]
    sizes: Sequence[dict[Key, Number]]
    counts: Sequence[dict[tuple[Key, str | None], Number]]
    atoms: dict[str, list[Atom]]
    sensitive: str

    @classmethod
    def of(cls, groups: Groups) -> _Publications:
        """Read the groups of a kind."""
        keys, rows = list(groups), list(groups.values())
        sensitive = str(keys[0][1])
        columns = [[str(name) for name in json.loads(key[2] or "[]")] for key in keys]
        covers: dict[str, dict[str, list[str]]] = {}
        for column, label, finer in json.loads(keys[0][3] or "[]"):
            covers.setdefault(column, {})[label] = finer
        places = [own.index(sensitive) if sensitive in own else None for own in columns]
        sizes: list[dict[Key, Number]] = []
        counts: list[dict[tuple[Key, str | None], Number]] = []
        for place, held in zip(places, rows, strict=True):
            sizes.append({})
            counts.append({})
            for texts, count in held.items():
                bare = texts if place is None else texts[:place] + texts[place + 1 :]
                value = None if place is None else texts[place]
                sizes[-1][bare] = sizes[-1].get(bare, 0) + count
                counts[-1][bare, value] = count
        atoms = {
            name: finest(
                {
                    at: {texts[own.index(name)] for texts in held}
                    for at, (own, held) in enumerate(zip(columns, rows, strict=True))
                    if name in own
                },
                covers.get(name, {}),
            )
            for name in dict.fromkeys(name for own in columns for name in own)
        }
        return cls(columns, places, sizes, counts, atoms, sensitive)

    def classes(self) -> Iterator[tuple[Key, ...]]:
        """Yield the cell of every publication for each combination of finest values that all of them leave possible."""
        names = [name for name in self.atoms if name != self.sensitive]
        own = [[name for name in columns if name != self.sensitive] for columns in self.columns]
        ready = [[at for at, used in enumerate(own) if set(used) <= set(names[:end])] for end in range(len(names) + 1)]
        fresh = [[at for at in now if not end or at not in ready[end - 1]] for end, now in enumerate(ready)]
        chosen: dict[str, Atom] = {}
        cells: dict[int, Key] = {}

        def extend(end: int) -> Iterator[tuple[Key, ...]]:
            for at in fresh[end]:
                cells[at] = tuple(chosen[name][at] for name in own[at])
                if cells[at] not in self.sizes[at]:
                    return
            if end == len(names):
                yield tuple(cells[at] for at in range(len(own)))
                return
            for atom in self.atoms[names[end]]:
                chosen[names[end]] = atom
                yield from extend(end + 1)

        yield from extend(0)

    def left(self, cells: tuple[Key, ...]) -> list[Atom]:
        """Return the sensitive values that the cells of a class hold in every publication which shows them."""
        return [
            atom
            for atom in self.atoms[self.sensitive]
            if all(
                place is None or (cell, atom[at]) in self.counts[at]
                for at, (cell, place) in enumerate(zip(cells, self.places, strict=True))
            )
        ]


def _fitted(told: _Publications, classes: Sequence[tuple[Key, ...]]) -> list[list[float]]:
    """Return for each class the shares of its values in the distribution of maximum entropy, by proportional fitting."""
    entries = [(number, cells, atom) for number, cells in enumerate(classes) for atom in told.left(cells)]
    total = sum(told.sizes[0].values())
    places: list[list[int]] = []
    wanted: list[list[float]] = []
    for at, counts in enumerate(told.counts):
        numbers = {key: number for number, key in enumerate(counts)}
        shown = told.places[at] is not None
        places.append([numbers[cells[at], atom[at] if shown else None] for _, cells, atom in entries])
        wanted.append([count / total for count in counts.values()])
    found = [1 / max(len(entries), 1)] * len(entries)
    for _ in range(_ROUNDS):
        moved = 0.0
        for place, asked in zip(places, wanted, strict=True):
            sums = [0.0] * len(asked)
            for number, share in zip(place, found, strict=True):
                sums[number] += share
            if any(share and not held for share, held in zip(asked, sums, strict=True)):
                raise BadRequest("contradict each other: no records have all of them", parameter="marginals")
            moved = max(moved, *(abs(share - held) for share, held in zip(asked, sums, strict=True)))
            factors = [share / held if held else 0.0 for share, held in zip(asked, sums, strict=True)]
            found = [share * factors[number] for number, share in zip(place, found, strict=True)]
        if moved < _CLOSE:
            break
    out: list[list[float]] = [[] for _ in classes]
    for (number, _, _), share in zip(entries, found, strict=True):
        out[number].append(share)
    return out


def _diversity(values: Sequence[float], diversity: str, least: int) -> Number:
    """Return how diverse the values of a class are, from their shares."""
    total = sum(values)
    shares = sorted((value / total for value in values), reverse=True)
    if diversity == "distinct":
        return sum(share > 1e-9 for share in shares)
    if diversity == "entropy":
        return exp(-sum(share * log(share) for share in shares if share > 0))
    rest = sum(shares[least - 1 :])
    return round(shares[0] / rest, 9) if rest > 1e-12 else inf
