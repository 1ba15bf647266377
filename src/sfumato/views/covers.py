"""Association covers: values of which one at least must be a person's, whatever the table behind the views was."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.data.region import in_order
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.views.cells import Box
from sfumato.views.view_set import ViewSet

__all__ = ["Covers", "covers_by_cells"]


@dataclass(frozen=True, eq=False, repr=False)
class Covers(Mapping[Hashable, tuple[Hashable, ...]]):
    """The smallest association cover of each identifier that has one: identifier -> values, in order.

    A cover of i is a set of values such that every possible world holds i with one of them at least. Sets are shared: the cover
    of ``identifiers[at]`` is ``choices[codes[starts[n] : starts[n + 1]]]`` with ``n = sets[at]``.
    """

    identifiers: Sequence[Hashable]
    sets: Ints
    starts: Ints
    codes: Ints
    choices: Sequence[Hashable]

    @classmethod
    def of(cls, found: Mapping[Hashable, Sequence[Hashable]]) -> Covers:
        """Return covers that are listed."""
        values = in_order({value for cover in found.values() for value in cover})
        place = {value: at for at, value in enumerate(values)}
        names = in_order(found)
        lists = [sorted(place[value] for value in found[name]) for name in names]
        starts = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
        codes = np.array([code for one in lists for code in one], np.int64)
        return cls(names, np.arange(len(names)), starts, codes, values)

    def __len__(self) -> int:
        return len(self.identifiers)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.identifiers)

    @cached_property
    def _place(self) -> Mapping[Hashable, int]:
        return {name: at for at, name in enumerate(self.identifiers)}

    def __getitem__(self, name: Hashable) -> tuple[Hashable, ...]:
        return self.cover(self._place[name])

    def __repr__(self) -> str:  # identifiers are persons
        return f"Covers({len(self):,} identifiers, the smallest cover has {self.smallest} values)"

    def cover(self, at: int) -> tuple[Hashable, ...]:
        """Return the cover of one identifier, by its place."""
        number = int(self.sets[at])
        inside = self.codes[self.starts[number] : self.starts[number + 1]].tolist()
        return tuple(self.choices[code] for code in inside)

    @cached_property
    def sizes(self) -> Ints:
        """How many values each cover has."""
        return np.diff(self.starts)[self.sets]

    @property
    def smallest(self) -> int | None:
        """The size of the smallest cover of anybody; ``None`` where nobody has one."""
        return int(self.sizes.min()) if len(self) else None

    def below(self, k: int) -> list[tuple[Hashable, tuple[Hashable, ...]]]:
        """Return whoever has a cover of fewer than k values, with it."""
        return [(self.identifiers[at], self.cover(at)) for at in np.flatnonzero(self.sizes < k).tolist()]


def covers_by_cells(views: ViewSet, identifier: str, sensitive: str) -> Covers:
    """Return the smallest covers from the cells that the views cut the record space into.

    For each fact: if every cell that can witness it fixes the identifier to one value j, the values in these cells cover j; a
    cell that leaves the value open makes the cover endless. Without dependencies the witnesses of facts are chosen
    independently, so that a set of pairs is unavoidable if and only if it blocks all witnesses of one fact.
    """
    boxes = views.boxes
    best: dict[Hashable, tuple[Hashable, ...]] = {}
    for number in range(len(views)):
        witnesses: dict[int, list[Box]] = {}
        for sets, box in boxes:
            if sets[number] >= 0:
                witnesses.setdefault(sets[number], []).append(box)
        for at in sorted(witnesses):
            owner, cover = _cover(views, witnesses[at], identifier, sensitive)
            if owner is not None and (owner not in best or len(cover) < len(best[owner])):
                best[owner] = cover
    return Covers.of(best)


def _cover(
    views: ViewSet, boxes: Sequence[Box], identifier: str, sensitive: str
) -> tuple[Hashable, tuple[Hashable, ...]]:
    """Return whom the witnesses of a fact are about, and the values that they leave; nobody if there is no end of either."""
    owner: Hashable = None
    values: set[Hashable] = set()
    for box in boxes:
        region = box.get(identifier) or views.whole(identifier)
        named = region.fixed()
        if named is None or (owner is not None and named != owner):
            return None, ()
        owner = named
        inside = (box.get(sensitive) or views.whole(sensitive)).values()
        if inside is None:
            return None, ()
        values.update(inside)
    return owner, in_order(values)


def refuse_strange(views: ViewSet, identifier: str, sensitive: str, thing: str) -> None:
    """Refuse columns that the table does not have, one column for both, and persons without a name."""
    known = views.types or dict.fromkeys(views.columns)
    for name, parameter in ((identifier, "identifier"), (sensitive, "sensitive")):
        if name not in known and name not in views.columns:
            raise BadRequest(
                "is not a column of the views", parameter=f"{thing}.{parameter}", value=name, available=known
            )
    if identifier == sensitive:
        raise BadRequest("names the identifier again", parameter=f"{thing}.sensitive", value=sensitive)
    if identifier in views.gaps:
        raise BadRequest("has missing values: a person without a name cannot be protected by it", column=identifier)
