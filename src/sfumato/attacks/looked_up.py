"""Persons of a named table, looked up in published groups: what every attack by linking starts from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.attacks.covering import covers, matches
from sfumato.contracts.attack import Scene
from sfumato.contracts.engine import Table
from sfumato.groups.stats import CodedKeys, GroupStats

__all__ = ["LookedUp", "column_of", "look_up"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LookedUp:
    """Which groups cover which persons: persons with equal values are one *kind*, and pairs are (kind, group), in order."""

    groups: GroupStats
    kind_of_person: Ints
    pair_kind: Ints
    pair_group: Ints

    @cached_property
    def kinds(self) -> int:
        """Number of distinct persons."""
        return int(self.kind_of_person.max(initial=-1)) + 1

    @cached_property
    def persons(self) -> Ints:
        """How many persons each kind stands for."""
        return np.bincount(self.kind_of_person, minlength=self.kinds)

    @cached_property
    def covered(self) -> Ints:
        """How many persons each group covers."""
        counts = np.bincount(
            self.pair_group, weights=self.persons[self.pair_kind].astype(np.float64), minlength=len(self.groups)
        )
        return counts.astype(np.int64)

    @cached_property
    def rows(self) -> Ints:
        """How many published rows cover each kind of person."""
        counts = np.bincount(
            self.pair_kind, weights=self.groups.sizes[self.pair_group].astype(np.float64), minlength=self.kinds
        )
        return counts.astype(np.int64)

    def groups_of(self, kind: int) -> Ints:
        """Return the groups that cover a kind of person."""
        first, last = np.searchsorted(self.pair_kind, [kind, kind + 1])
        return self.pair_group[first:last]

    def persons_in(self, group: int) -> Ints:
        """Return the places of the persons that a group covers, in order."""
        return np.flatnonzero(np.isin(self.kind_of_person, self.pair_kind[self.pair_group == group]))


def look_up(scene: Scene, persons: Table | None = None) -> LookedUp:
    """Look up the persons of a table, the external one if not given, in the published groups."""
    persons = scene.external if persons is None else persons
    assert persons is not None
    groups = scene.groups
    held = {name: persons.dictionary(name) for name in scene.qids}
    codes = persons.codes(scene.qids, held)
    kinds, kind_of = np.unique(codes, axis=0, return_inverse=True)
    shown = np.empty((len(groups), len(scene.qids)), np.int32)
    columns = []
    for at, (name, keys) in enumerate(zip(groups.columns, groups.keys, strict=True)):
        coded = keys if isinstance(keys, CodedKeys) else _coded(keys)
        shown[:, at] = coded.codes
        columns.append(covers(coded.values, held[name].values, scene.readings.get(name)))
    kind, group = matches(shown, kinds.astype(np.int32), columns)
    return LookedUp(groups, kind_of.reshape(-1).astype(np.int64), kind, group)


def _coded(keys: Sequence[Hashable]) -> CodedKeys:
    numbers: dict[Hashable, int] = {}
    codes = [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys]
    return CodedKeys(list(numbers), np.array(codes, np.int32))


def column_of(table: Table, name: str) -> list[object]:
    """Return the values of one column, row by row."""
    return [row[0] for row in table.select([name]).to_rows()]
