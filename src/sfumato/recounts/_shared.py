"""Groups of which many hold the same: what they hold is there once, with the groups that hold it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property
from typing import TypeVar

__all__ = ["Shared", "each"]

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
H = TypeVar("H")


class Shared(Mapping[K, T]):
    """What each group holds, like any other mapping of groups: in their order, and for every one of them.

    There may be millions of small groups, and far fewer ways in which they are filled. ``names`` says what the groups are
    called, ``contents`` what they hold, each content once, and ``which`` has the place of the content of each group. Names
    may be spelled when somebody comes to them.

    >>> groups = Shared([("1",), ("2",), ("3",)], ["ab", "c"], [0, 1, 0])
    >>> dict(groups), list(groups.values()), groups["3",]
    ({('1',): 'ab', ('2',): 'c', ('3',): 'ab'}, ['ab', 'c', 'ab'], 'ab')
    """

    def __init__(self, names: Collection[K], contents: Sequence[T], which: Sequence[int]) -> None:
        self.names, self.contents, self.which = names, contents, which

    def __len__(self) -> int:
        return len(self.which)

    def __iter__(self) -> Iterator[K]:
        return iter(self.names)

    def values(self) -> ValuesView[T]:
        return _Values(self)

    def items(self) -> ItemsView[K, T]:
        return _Items(self)

    def __getitem__(self, key: K) -> T:
        return self.contents[self._places[key]]

    @cached_property
    def _places(self) -> Mapping[K, int]:
        return dict(zip(self.names, self.which, strict=True))

    def each(self, read: Callable[[T], H]) -> Shared[K, H]:
        """Return what is read from the content of each group; each content is read once."""
        return Shared(self.names, [*map(read, self.contents)], self.which)


class _Values(ValuesView[T]):
    _mapping: Shared[Hashable, T]

    def __iter__(self) -> Iterator[T]:
        return map(self._mapping.contents.__getitem__, self._mapping.which)


class _Items(ItemsView[K, T]):
    _mapping: Shared[K, T]

    def __iter__(self) -> Iterator[tuple[K, T]]:
        return zip(self._mapping, self._mapping.values(), strict=True)


def each(groups: Mapping[K, T], read: Callable[[T], H]) -> Iterable[H]:
    """Return what is read from the content of each group, in their order; what several groups share is read once.

    >>> list(each({("1",): [1, 2], ("2",): [3]}, sum))
    [3, 3]
    """
    if isinstance(groups, Shared):
        return groups.each(read).values()
    contents = {id(held): held for held in groups.values()}
    found = {at: read(held) for at, held in contents.items()}
    return [found[id(held)] for held in groups.values()]
