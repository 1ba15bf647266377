"""The join of a series, in plain words: records of every release that can be one person's, put together one by one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod

from sfumato.errors import BadRequest
from sfumato.sequels.recounts._texts import Parents, Text, path

__all__ = ["Column", "Join", "Rows"]

Row = tuple[Text, ...]
Rows = Mapping[Row, int]
"""The texts of a row -> how many rows have them."""

Column = tuple[int, str]
"""The number of a release, the oldest being 0, and the name of a column of it."""


@dataclass(frozen=True)
class Join:
    """Rows of all releases, the columns of each, and what matches: attributes by which, and declared pairs that nobody has."""

    releases: Sequence[Rows]
    columns: Sequence[Sequence[str]]
    parents: Mapping[str, Parents]
    join: Sequence[str] | None = None
    inconsistent: Sequence[Sequence[str]] = ()
    numbers: Collection[str] = ()
    _paths: dict[tuple[str, Text], tuple[str, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def attributes(self) -> list[str]:
        """The columns by which rows match: those of two releases that are no bare numbers, unless they are given."""
        if self.join is not None:
            return list(self.join)
        names = dict.fromkeys(name for held in self.columns for name in held)
        return [
            name
            for name in names
            if sum(name in held for held in self.columns) > 1 and (name in self.parents or name not in self.numbers)
        ]

    @cached_property
    def declared(self) -> list[tuple[Column, str, Column, str]]:
        """The pairs that nobody has."""
        return [(self.named(a)[0], one, self.named(b)[0], two) for a, one, b, two in self.inconsistent]

    @cached_property
    def read(self) -> list[str]:
        """The names of all columns that decide who matches."""
        ends = [end[1] for a, _, b, _ in self.declared for end in (a, b)]
        return list(dict.fromkeys([*self.attributes, *ends]))

    def named(self, name: str) -> list[Column]:
        """Return what a column of the join is called: ``T1.Job``, or ``Job`` for that of every release which has it."""
        placed = re.fullmatch(r"T([1-9][0-9]*)\.(.+)", name)
        if placed and int(placed[1]) <= len(self.releases):
            found = [(int(placed[1]) - 1, placed[2])]
        else:
            found = [(at, name) for at, held in enumerate(self.columns) if name in held]
        if not found or any(one not in self.columns[at] for at, one in found):
            raise BadRequest("is not a column of the join", parameter="series", value=name)
        return found

    def classes(self, release: int, columns: Sequence[Column] = ()) -> dict[Row, dict[Row, int]]:
        """Return the rows of a release by what decides who matches, with their texts in some columns counted."""
        names = self.columns[release]
        read = [names.index(name) for name in self.read if name in names]
        kept = [names.index(name) for at, name in columns if at == release]
        out: dict[Row, dict[Row, int]] = defaultdict(lambda: defaultdict(int))
        for row, count in self.releases[release].items():
            out[tuple(row[at] for at in read)][tuple(row[at] for at in kept)] += count
        return out

    def meet(self, one: int, row: Row, two: int, other: Row) -> bool:
        """Tell whether two rows of different releases, as far as they are read, can be one person's."""
        held = {at: dict(zip(self._read_in(at), texts, strict=True)) for at, texts in ((one, row), (two, other))}
        for name in self.attributes:
            if name in held[one] and name in held[two]:
                left, right = (self._path(name, held[at][name]) for at in (one, two))
                if left[0] not in right and right[0] not in left:
                    return False
        return not any(
            all(label in self._path(end[1], held[end[0]][end[1]]) for end, label in ((a, mine), (b, hers)))
            for a, mine, b, hers in self.declared
            if {a[0], b[0]} == {one, two}
        )

    def _read_in(self, release: int) -> list[str]:
        return [name for name in self.read if name in self.columns[release]]

    def _path(self, name: str, text: Text) -> tuple[str, ...]:
        if (name, text) not in self._paths:
            self._paths[name, text] = path(text, self.parents.get(name, {}))
        return self._paths[name, text]

    def alone(self) -> list[int]:
        """Return for each release how many rows match none of another release."""
        held = [self.classes(at) for at in range(len(self.releases))]

        def lonely(one: int, row: Row) -> bool:
            others = [(two, hers) for two, hers in enumerate(held) if two != one]
            return any(not any(self.meet(one, row, two, other) for other in hers) for two, hers in others)

        return [
            sum(sum(counts.values()) for row, counts in mine.items() if lonely(one, row))
            for one, mine in enumerate(held)
        ]

    def groups(self, x: Sequence[Column], y: Sequence[Column]) -> dict[Row, dict[Row, int]]:
        """Return the joined rows by their texts on X, with those on Y counted."""
        asked = [*x, *y]
        held = [self.classes(at, asked) for at in range(len(self.releases))]
        met: list[tuple[Row, ...]] = [()]
        for at, mine in enumerate(held):
            met = [
                (*before, row)
                for before in met
                for row in mine
                if all(self.meet(one, old, at, row) for one, old in enumerate(before))
            ]
        # Texts come release by release; X first, then Y, is what is asked for.
        order = [one for at in range(len(held)) for one in asked if one[0] == at]
        places = [order.index(one) for one in asked]
        out: dict[Row, dict[Row, int]] = defaultdict(lambda: defaultdict(int))
        for match in met:
            for parts in product(*(held[at][row].items() for at, row in enumerate(match))):
                texts = [text for part, _ in parts for text in part]
                shown = tuple(texts[at] for at in places)
                out[shown[: len(x)]][shown[len(x) :]] += prod(count for _, count in parts)
        return out
