"""Frequent sets of items as they are published: supports, and how many records hold part of a set and none of the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.itemsets.database import Database
from sfumato.itemsets.frequent import frequent_sets

__all__ = ["Channel", "Itemset", "Patterns"]

Itemset = tuple[str, ...]
"""Items in rising order; the empty set stands for all records."""

_LONGEST = 20
_MOST = 100_000  # sets, with those that follow


@dataclass(frozen=True, order=True)
class Channel:
    """``count`` records hold all items of ``inside`` and none of the others of ``within``; nobody published that number."""

    inside: Itemset
    within: Itemset
    count: int

    @property
    def outside(self) -> Itemset:
        """The items that these records do not hold."""
        return tuple(item for item in self.within if item not in self.inside)


@frozen(eq=False)
class Patterns:
    """Published sets of items with the number of records that hold each of them.

    >>> mined = Patterns.mined([{"a", "b"}, {"a", "b"}, {"a"}], 2)
    >>> dict(mined.supports)
    {(): 3, ('a',): 3, ('b',): 2, ('a', 'b'): 2}
    >>> for channel in mined.channels(2):
    ...     print(channel.inside, channel.outside, channel.count)
    () ('b',) 1
    ('a',) ('b',) 1
    """

    supports: Mapping[Itemset, int]

    @classmethod
    def of(cls, supports: Mapping[Itemset, int] | Mapping[frozenset[str], int]) -> Patterns:
        """Return patterns with items in order; numbers that are no counts, and sets of one string, are refused."""
        out: dict[Itemset, int] = {}
        for items, support in supports.items():
            if isinstance(items, str):
                raise BadRequest(say("results.bad.strings"), parameter="patterns")
            if isinstance(support, bool) or int(support) != support or support < 0:
                raise BadRequest(say("results.bad.supports"), parameter="patterns", value=str(support))
            key = tuple(sorted(set(items)))
            if out.setdefault(key, int(support)) != support:
                raise BadRequest(say("results.bad.two_supports"), parameter="patterns", value=", ".join(key))
        for key, support in out.items():
            parts = ((), *(key[:at] + key[at + 1 :] for at in range(len(key))))
            if any(out.get(part, support) < support for part in parts):
                raise BadRequest(say("results.bad.more_than_part"), parameter="patterns", value=", ".join(key))
        return cls(dict(sorted(out.items(), key=lambda entry: (len(entry[0]), entry[0]))))

    @classmethod
    def mined(cls, records: Iterable[Collection[str]], support: int, size: int | None = None) -> Patterns:
        """Return the sets of up to ``size`` items that at least ``support`` records hold, the empty set among them."""
        if support < 1:
            raise BadRequest("must be at least 1", parameter="support", value=str(support))
        rows = [sorted(set(record)) for record in records]
        names = sorted(set(chain.from_iterable(rows)))
        code = {name: at for at, name in enumerate(names)}
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=starts[1:])
        codes = np.array([code[name] for row in rows for name in row], np.int32)
        out: dict[Itemset, int] = {(): len(rows)} if len(rows) >= support else {}
        longest = max(map(len, rows), default=0)
        for sets in frequent_sets(Database.of(starts, codes, len(names)), support, min(size or longest, longest) or 1):
            for members, count in zip(sets.members.tolist(), sets.supports.tolist(), strict=True):
                out[tuple(names[at] for at in members)] = count
        return cls.of(out)

    def __len__(self) -> int:
        return len(self.supports)

    @cached_property
    def sizes(self) -> Mapping[int, list[Itemset]]:
        """The published sets by their number of items."""
        out: dict[int, list[Itemset]] = {}
        for items in self.supports:
            out.setdefault(len(items), []).append(items)
        return out

    def followed(self) -> Patterns:
        """Return these sets and those whose support follows: if sup(X) = sup(X and Y), then sup(Z) = sup(Z and Y) for X in Z.

        Where all frequent sets are published these are among them.
        """
        sets = {frozenset(items): support for items, support in self.supports.items()}
        sure = [
            (frozenset((*items[:at], *items[at + 1 :])), frozenset((item,)))
            for items, support in self.supports.items()
            for at, item in enumerate(items)
            if self.supports.get((*items[:at], *items[at + 1 :])) == support
        ]
        waiting = list(sets)
        while waiting and len(sets) < _MOST:
            whole = waiting.pop()
            for held, item in sure:
                more = whole | item
                if held <= whole and more not in sets and len(more) <= _LONGEST:
                    sets[more] = sets[whole]
                    waiting.append(more)
        if len(sets) == len(self.supports):
            return self
        order = sorted((tuple(sorted(items)) for items in sets), key=lambda items: (len(items), items))
        return Patterns({items: sets[frozenset(items)] for items in order})

    def channels(self, k: int) -> list[Channel]:
        """Return every group of fewer than ``k`` records that supports tell of, in order.

        Of sets of which some part is not published only those groups whose number follows from published supports.
        """
        return self.followed()._channels_of_all(k)

    def _channels_of_all(self, k: int) -> list[Channel]:
        out: list[Channel] = []
        for size, sets in self.sizes.items():
            if not size:
                continue
            if size > _LONGEST:
                raise BadRequest(say("results.bad.longest", most=_LONGEST), parameter="patterns", value=str(size))
            for part in range(0, len(sets), max(1, (1 << 22) >> size)):
                out += self._channels(sets[part : part + max(1, (1 << 22) >> size)], size, k)
        return sorted(out)

    def _channels(self, sets: list[Itemset], size: int, k: int) -> list[Channel]:
        """Return the groups that sets of one size tell of: supports of all parts, and the rest by taking turns with each item.

        A part that is not published makes every sum over it unknown: not a number.
        """
        places = [[at for at in range(size) if mask >> at & 1] for mask in range(1 << size)]
        held = [[self.supports.get(tuple(one[at] for at in parts), np.nan) for parts in places] for one in sets]
        counts = np.array(held, np.float64)
        for at in range(size):
            without = [mask for mask in range(1 << size) if not mask >> at & 1]
            counts[:, without] -= counts[:, [mask | 1 << at for mask in without]]
        whole = (1 << size) - 1
        rows, masks = np.nonzero((counts > 0) & (counts < k))
        return [
            Channel(tuple(sets[row][at] for at in places[mask]), sets[row], round(float(counts[row, mask])))
            for row, mask in zip(rows.tolist(), masks.tolist(), strict=True)
            if mask != whole
        ]
