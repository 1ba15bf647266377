"""Value swaps: who could as well have somebody else's value, because exchanging both changes no answer and no dependency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.groups.distinct import renumbered
from sfumato.kernels.arrays import Ints
from sfumato.views.dependencies import Dependency
from sfumato.views.view_set import ViewSet

__all__ = ["reachable_values"]

MOST_TRIED = 2_000
"""Others whose value is tried for one person, beyond those who look exactly alike."""
MOST_SINGLE = 20_000
"""Persons for whom others are tried one by one; the rest counts on those who look exactly alike."""

Row = tuple[Hashable, ...]


def reachable_values(
    views: ViewSet, dependencies: Sequence[Dependency], identifier: str, sensitive: str, k: int, run: Run
) -> tuple[Sequence[Hashable], Ints]:
    """Return everybody, and how many values she could have in worlds that are made from the table by exchanging two persons'.

    Each such world shows her with one value only, so that a cover must hold all of them: who reaches k values has no cover of
    fewer. Who has several values herself reaches none. Owners whose records look alike to every view that reads the sensitive
    column can always be exchanged; others are tried one by one, as long as there are not too many.
    """
    if views.source is None:
        raise BadRequest("needs the table behind the views: only its holder can exchange values", parameter="views")
    table = views.source
    owners = _Owners(table, identifier, sensitive)
    asked = [view for view in views.views if sensitive in view.reads]
    involved = [one for one in dependencies if sensitive in one.columns and identifier not in one.determinant]
    found = np.where(owners.value >= 0, 1, 0)
    if any(one.determined == identifier for one in involved) or any(
        sensitive in (one.column for one in view.where) for view in asked
    ):
        return owners.names, found  # exchanging values may show other rows, or name other persons: nothing is claimed
    together = [view for view in asked if identifier in view.reads]
    if together:
        return owners.names, found
    contexts = [
        *((view.columns, view.regions(table.types)) for view in asked),
        *((one.columns, {}) for one in involved),
    ]
    alike = np.zeros(len(owners.names), np.int64)
    for columns, regions in contexts:
        kept = [name for name in columns if name != sensitive]
        alike = owners.refined(alike, table, kept, regions)
    single = owners.value >= 0
    pairs = np.unique(np.column_stack([alike[single], owners.value[single]]), axis=0)
    values = np.bincount(pairs[:, 0], minlength=int(alike.max(initial=-1)) + 1)
    found = np.where(single, values[alike], 0)
    unsafe = np.flatnonzero(single & (found < k))
    if len(unsafe) > MOST_SINGLE:
        return owners.names, found
    trial = _Trial(owners, table, contexts, sensitive)
    for at in unsafe.tolist():
        run.checkpoint()
        found[at] = max(int(found[at]), trial.reached(at, k))
    return owners.names, found


class _Owners:
    """Whose record each row is, and the one value of each owner; -1 where there are several."""

    def __init__(self, table: Table, identifier: str, sensitive: str) -> None:
        rows = table.as_rows().codes([identifier, sensitive])
        self.names = table.dictionary(identifier).values
        self.row = rows[:, 0].astype(np.int64)
        least = np.full(len(self.names), np.iinfo(np.int64).max)
        most = np.full(len(self.names), -2)
        value = rows[:, 1].astype(np.int64) + 1  # a missing value is one like others
        np.minimum.at(least, self.row, value)
        np.maximum.at(most, self.row, value)
        self.value: Ints = np.where(least == most, least, -1)

    def refined(self, alike: Ints, table: Table, columns: Sequence[str], regions: Mapping[str, object]) -> Ints:
        """Split owners that look alike by the set of what their selected records show in some columns."""
        rows = table.as_rows()
        shown = np.ones(table.rows, bool)
        for name, region in regions.items():
            inside = np.array([*(value in region for value in table.dictionary(name).values), False])  # type: ignore[operator]
            shown &= inside[rows.codes([name])[:, 0]]
        key = np.zeros(table.rows, np.int64)
        for name in columns:
            codes = rows.codes([name])[:, 0].astype(np.int64) + 1
            key, _ = renumbered(key * (int(codes.max(initial=0)) + 1) + codes)
        pairs = np.unique(np.column_stack([self.row[shown], key[shown]]), axis=0)
        starts = np.searchsorted(pairs[:, 0], np.arange(len(self.names) + 1))
        sets: dict[bytes, int] = {}
        number = np.array(
            [
                sets.setdefault(pairs[starts[at] : starts[at + 1], 1].tobytes(), len(sets))
                for at in range(len(self.names))
            ],
            np.int64,
        )
        return renumbered(alike * (len(sets) or 1) + number)[0]


@frozen(eq=False)
class _Trial:
    """Exchanges of two owners' values, tried by counting what each view and dependency would show."""

    owners: _Owners
    table: Table
    contexts: Sequence[tuple[Sequence[str], Mapping[str, object]]]
    sensitive: str

    @cached_property
    def _shown(self) -> list[tuple[list[list[Row]], Counter[tuple[Row, int]]]]:
        """For each context what the records of every owner show beside the value, and how often each pair is shown."""
        found = []
        for columns, regions in self.contexts:
            names = [name for name in columns if name != self.sensitive]
            reads = [*names, *regions]
            own: list[list[Row]] = [[] for _ in self.owners.names]
            counts: Counter[tuple[Row, int]] = Counter()
            values = self.table.as_rows().codes([self.sensitive])[:, 0].tolist()
            for owner, value, row in zip(
                self.owners.row.tolist(), values, self.table.select(list(dict.fromkeys(reads))).to_rows(), strict=True
            ):
                held = dict(zip(dict.fromkeys(reads), row, strict=True))
                if all(held[name] in region for name, region in regions.items()):  # type: ignore[operator]
                    shown = tuple(held[name] for name in names)
                    own[owner].append(shown)
                    counts[shown, value + 1] += 1
            found.append((own, counts))
        return found

    def reached(self, at: int, k: int) -> int:
        """Return how many values an owner has in worlds made by one exchange, no more than k."""
        mine = int(self.owners.value[at])
        reached = {mine}
        for other in range(min(len(self.owners.names), MOST_TRIED)):
            value = int(self.owners.value[other])
            if value >= 0 and value not in reached and self._same(at, other, mine, value):
                reached.add(value)
            if len(reached) >= k:
                break
        return len(reached)

    def _same(self, one: int, other: int, mine: int, theirs: int) -> bool:
        for own, counts in self._shown:
            change: Counter[tuple[Row, int]] = Counter()
            for owner, before, after in ((one, mine, theirs), (other, theirs, mine)):
                for shown in own[owner]:
                    change[shown, before] -= 1
                    change[shown, after] += 1
            for key, by in change.items():
                if (counts[key] > 0) != (counts[key] + by > 0):
                    return False
        return True
