"""Baskets in groups: the public items of each basket, and of private items only how many a group has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from sfumato.contracts.model import Model
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.transactions.baskets import Baskets

__all__ = ["BasketGroups", "GroupedModel", "group_numbers"]


@frozen(eq=False, repr=False)
class BasketGroups:
    """Disjoint groups of baskets: ``group[i]`` is that of basket i, ``private[g]`` counts the private items of group g.

    ``public`` are the baskets with their public items alone, as they are published.

    Examples
    --------
    >>> baskets = Baskets.of([{"wine", "x"}, {"wine"}, {"beer"}], private=["x"])
    >>> groups = BasketGroups.of(baskets, [[0, 1], [2]])
    >>> groups.sizes.tolist(), groups.private, groups.degrees
    ([2, 1], ({'x': 1}, {}), (Fraction(2, 1), None))
    """

    public: Baskets
    group: Ints
    private: tuple[Mapping[str, int], ...]

    @classmethod
    def of(cls, baskets: Baskets, groups: Iterable[Collection[int]]) -> BasketGroups:
        """Put baskets, by their places, into groups; each must be in exactly one."""
        listed = [list(one) for one in groups]
        number = group_numbers(listed, len(baskets))
        private = np.flatnonzero(baskets.is_private[baskets.codes])
        pairs = np.column_stack([number[baskets.owners[private]], baskets.codes[private]])
        held: list[dict[str, int]] = [{} for _ in listed]
        for (at, code), count in zip(*_counted(pairs), strict=True):
            held[at][baskets.items[code]] = count
        return cls(baskets.without(baskets.private), number, tuple(held))

    def __len__(self) -> int:
        return len(self.private)

    def __repr__(self) -> str:  # items may tell of persons
        return f"BasketGroups({len(self.group):,} baskets in {len(self):,} groups)"

    @cached_property
    def sizes(self) -> Ints:
        """How many baskets each group has."""
        return np.bincount(self.group, minlength=len(self)).astype(np.int64)

    def shares(self, item: str) -> Floats:
        """Return the share of one private item in the group of each basket: how sure it is of whoever has the basket."""
        counts = np.array([held.get(item, 0) for held in self.private], np.float64)
        return (counts / self.sizes)[self.group]

    @property
    def items(self) -> list[str]:
        """The private items, in order."""
        return sorted({name for held in self.private for name in held})

    @cached_property
    def degrees(self) -> tuple[Fraction | None, ...]:
        """``|G| / max f`` of each group, f counting a private item; ``None`` (no bound needed) for a group without any."""
        return tuple(
            Fraction(size, max(held.values())) if held else None
            for size, held in zip(self.sizes.tolist(), self.private, strict=True)
        )

    @property
    def degree(self) -> Fraction | None:
        """The smallest degree of a group; ``None`` if no group has a private item."""
        return min((one for one in self.degrees if one is not None), default=None)


class GroupedModel(Model[Baskets | BasketGroups]):
    """A requirement that groups of baskets show; baskets without groups are groups of one."""


def group_numbers(groups: Sequence[Collection[int]], baskets: int) -> Ints:
    """Return the group of each basket; refuse groups that overlap, are empty, or leave a basket out."""
    number = np.full(baskets, -1, np.int64)
    for at, members in enumerate(groups):
        places = np.array(sorted(members), np.int64)
        if not len(places):
            raise BadRequest("a group needs a basket", parameter="groups", value=at)
        if places[0] < 0 or places[-1] >= baskets or (number[places] >= 0).any() or (np.diff(places) == 0).any():
            raise BadRequest("must put every basket into one group, by its place", parameter="groups", value=at)
        number[places] = at
    if (number < 0).any():
        raise BadRequest("must put every basket into one group, by its place", parameter="groups")
    return number


def _counted(pairs: Ints) -> tuple[list[list[int]], list[int]]:
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    return distinct.tolist(), counts.tolist()
