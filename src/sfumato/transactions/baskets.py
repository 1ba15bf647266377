"""Baskets: one set of items for each person, in compressed rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.engines import from_columns
from sfumato.errors import BadRequest, misspelt
from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = ["Baskets"]


@frozen(eq=False, repr=False)
class Baskets:
    """One basket of items for each person: basket ``i`` holds ``codes[starts[i]:starts[i + 1]]``, rising and distinct.

    A code is a place in ``items``, which are in the order of their texts. ``private`` items are those that must not be
    learnt; all others are public: an adversary may know that a person has them. ``persons`` names the baskets, in the house
    only. ``tree`` is the taxonomy of the public items; published items may be any of its nodes. ``repeated`` counts how often
    an item was given once more in the same basket, where it counts once. ``beside`` is a table of what else is known of the
    persons, a row for each basket in order. ``known`` are the sets of items that an adversary may know, if not all. Unless
    ``rooted``, the root of the tree stands for nothing: items of different branches never become one. A basket may be empty.

    Examples
    --------
    >>> baskets = Baskets.of([{"a", "b", "x"}, {"a"}, set()], private=["x"])
    >>> len(baskets), baskets.items, baskets.supports.tolist()
    (3, ('a', 'b', 'x'), [2, 1, 1])
    >>> [sorted(one) for one in baskets]
    [['a', 'b', 'x'], ['a'], []]
    """

    starts: Ints
    codes: Codes
    items: tuple[str, ...]
    private: frozenset[str] = frozenset()
    persons: tuple[str, ...] | None = None
    tree: Tree | None = None
    repeated: int = 0
    beside: Table | None = None
    known: tuple[frozenset[str], ...] | None = None
    rooted: bool = True

    @classmethod
    def of(
        cls,
        source: object,
        *,
        private: Collection[str] = (),
        public: Collection[str] | None = None,
        tree: Tree | Mapping[str, object] | None = None,
        person: str | None = None,
        item: str | None = None,
        format: str | None = None,  # noqa: A002
    ) -> Baskets:
        """Read baskets from whatever holds them.

        A list of sets; a mapping of persons to sets; a sparse matrix of baskets by items (see ``items`` of the result); a
        text file with a basket on each line (``format`` ``fimi`` or ``spmf``, or a name that ends with ``.dat``); or, with
        ``item`` and ``person`` naming columns, a frame or a file: a row for each item, or a column of lists. ``public`` can be
        told to be sure that no item was forgotten.
        """
        from sfumato.transactions.sources import coded  # which knows files and frames

        found = coded(source, person=person, item=item, format=format)
        made = cls(*found).flagged(private, public)
        return made if tree is None else made.with_tree(tree if isinstance(tree, Tree) else Tree.from_nested(tree))

    @classmethod
    def of_lists(cls, source: object, *, person: str | None, item: str) -> Baskets | None:
        """Return the baskets of a source with a column of lists; nothing if its column holds single items."""
        from sfumato.transactions.sources import of_lists

        found = of_lists(source, person, item)
        return None if found is None else cls(*found)

    def __post_init__(self) -> None:
        """Refuse two baskets of one person."""
        if self.persons is not None and len(set(self.persons)) < len(self.persons):
            twice = len(self.persons) - len(set(self.persons))
            raise BadRequest(f"a person has one basket, and {twice} more were given", parameter="person")

    def flagged(self, private: Collection[str], public: Collection[str] | None = None) -> Baskets:
        """Return the baskets with private items; refuse those that nobody has, both kinds at once, and items of neither."""
        if isinstance(private, str) or isinstance(public, str):
            raise BadRequest("must be a list of items", parameter="private")
        strange = sorted(set(private) - set(self.items))
        if strange:
            raise BadRequest(
                "no basket holds it", parameter="private", values=strange, shown=misspelt(strange, self.items)
            )
        if public is not None:
            both = sorted(set(private) & set(public))
            if both:
                raise BadRequest("items are public and private at once", parameter="private", value=both)
            neither = sorted(set(self.items) - set(private) - set(public))
            if neither:
                raise BadRequest("items are neither public nor private", parameter="public", values=neither)
        return replace(self, private=frozenset(private))

    def with_tree(self, tree: Tree) -> Baskets:
        """Return the baskets with a taxonomy; every public item must be one of its leaves."""
        tree.encode([name for name in self.items if name not in self.private], column="items")
        return replace(self, tree=tree)

    def with_known(self, sets: Collection[Collection[str]]) -> Baskets:
        """Return the baskets of which an adversary knows parts of these sets of public items only."""
        for one in sets:
            strange = sorted(name for name in one if name not in self.code_of or name in self.private)
            if strange or not one:
                raise BadRequest(
                    "must be sets of public items that baskets hold",
                    parameter="items.known",
                    values=strange,
                    shown=misspelt(strange, self.items),
                )
        return replace(self, known=tuple(frozenset(one) for one in sets))

    # ---- reading -----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[frozenset[str]]:
        for first, last in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            yield frozenset(self.items[code] for code in self.codes[first:last].tolist())

    def __repr__(self) -> str:  # items may tell of persons
        return f"Baskets({len(self):,} baskets, {len(self.items):,} items, {len(self.codes):,} occurrences)"

    @cached_property
    def lengths(self) -> Ints:
        """How many items each basket holds."""
        return np.diff(self.starts)

    @cached_property
    def owners(self) -> Ints:
        """The basket of each occurrence in ``codes``."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def supports(self) -> Ints:
        """In how many baskets each item is."""
        return np.bincount(self.codes, minlength=len(self.items)).astype(np.int64)

    @cached_property
    def holders(self) -> list[Ints]:
        """The baskets that hold each item, in order."""
        order = np.argsort(self.codes, kind="stable")
        return np.split(self.owners[order], np.cumsum(self.supports)[:-1])

    @cached_property
    def is_private(self) -> Bools:
        """Which items are private."""
        return np.array([name in self.private for name in self.items], np.bool_)

    @cached_property
    def code_of(self) -> Mapping[str, int]:
        """Item -> code."""
        return {name: code for code, name in enumerate(self.items)}

    @cached_property
    def classes(self) -> tuple[Ints, tuple[str, ...]]:
        """The class of each basket whose persons share whatever is known beside the items, and what is known in each."""
        if self.beside is None:
            return np.zeros(len(self), np.int64), ("",)
        names = self.beside.columns
        distinct, number = np.unique(self.beside.as_rows().codes(names), axis=0, return_inverse=True)
        held = [[*map(to_text, self.beside.dictionary(name).values), ""] for name in names]  # -1 is a missing value
        told = [
            ", ".join(f"{name}={texts[code]}" for name, texts, code in zip(names, held, row, strict=True))
            for row in distinct.tolist()
        ]
        return number.reshape(-1).astype(np.int64), tuple(told)

    def known_beside(self, which: Ints) -> dict[str, list[str | None]]:
        """Return the texts of what is known beside the items of some baskets, by column."""
        if self.beside is None:
            return {}
        out: dict[str, list[str | None]] = {}
        for name in self.beside.columns:
            texts = [*map(to_text, self.beside.dictionary(name).values), None]  # -1 is a missing value
            out[name] = [texts[code] for code in self.beside.as_rows().codes([name])[which, 0].tolist()]
        return out

    def fitting(self, items: Collection[str]) -> Ints:
        """Return the baskets that may hold all of these items: each as it is, or as a node of the taxonomy above it."""
        fits = np.ones(len(self), np.bool_)
        for name in items:
            shown = [self.code_of[label] for label in self.climb(name) if label in self.code_of]
            there = np.zeros(len(self), np.bool_)
            there[self.owners[np.isin(self.codes, shown)]] = True
            fits &= there
        return np.flatnonzero(fits)

    def climb(self, name: str) -> list[str]:
        """Return an item and the nodes above it, lowest first."""
        labels = [name]
        at = -1 if self.tree is None else self.tree.node_of.get(name, -1)
        while self.tree is not None and at > 0:
            at = int(self.tree.parent[at])
            labels.append(self.tree.labels[at])
        return labels

    def long_rows(self) -> Table:
        """Return a table with a row for each item in a basket, and one without an item for an empty basket."""
        empty = np.flatnonzero(self.lengths == 0)
        owners = np.concatenate((self.owners, empty))
        items: list[str | None] = [self.items[code] for code in self.codes.tolist()]
        return from_columns({"basket": owners + 1, "item": items + [None] * len(empty), **self.known_beside(owners)})

    # ---- changing ----------------------------------------------------------------------------------------------------

    def recoded(self, targets: Codes, items: Sequence[str]) -> Baskets:
        """Return the baskets with each code replaced by its target among other items; -1 leaves it out, equal ones collapse.

        Private items of this one must stay private under their name.
        """
        order = np.argsort(np.array(items, object), kind="stable") if len(items) else np.empty(0, np.int64)
        place = np.empty(len(items) + 1, np.int64)
        place[order], place[-1] = np.arange(len(items)), -1
        found = place[targets[self.codes]]
        there = found >= 0
        starts, codes = compressed_rows(self.owners[there], found[there], len(self), len(items))
        kept = np.bincount(codes, minlength=len(items)) > 0
        new = np.cumsum(kept) - 1
        names = tuple(items[code] for code, held in zip(order.tolist(), kept.tolist(), strict=True) if held)
        return replace(
            self, starts=starts, codes=new[codes].astype(np.int32), items=names, private=self.private & set(names)
        )

    def taken(self, which: Ints) -> Baskets:
        """Return some of the baskets, by their places; items that nobody holds any more are gone."""
        lengths = self.lengths[which]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(self.starts[which] - starts[:-1], lengths) + np.arange(int(starts[-1]))
        some = replace(
            self,
            starts=starts,
            codes=self.codes[places],
            persons=None if self.persons is None else tuple(self.persons[at] for at in which.tolist()),
            beside=None if self.beside is None else self.beside.as_rows().take(which),
        )
        return some.recoded(np.arange(len(self.items), dtype=np.int32), self.items)

    def without(self, items: Collection[str]) -> Baskets:
        """Return the baskets with some items left out of all of them; every other set of items keeps its support."""
        targets = np.arange(len(self.items), dtype=np.int32)
        targets[[self.code_of[name] for name in items if name in self.code_of]] = -1
        return self.recoded(targets, self.items)

    def thinned(self, kept: Bools) -> Baskets:
        """Return the baskets with some occurrences only; items that nobody holds any more are gone."""
        starts = np.concatenate(([0], np.cumsum(kept)))[self.starts]
        thin = replace(self, starts=starts, codes=self.codes[kept])
        return thin.recoded(np.arange(len(self.items), dtype=np.int32), self.items)

    def cut(self, nodes: Mapping[str, str]) -> Baskets:
        """Return the baskets with public items replaced by what they become; items that are not named stay."""
        shown = [name if name in self.private else nodes.get(name, name) for name in self.items]
        names = list(dict.fromkeys(shown))
        number = {name: code for code, name in enumerate(names)}
        cut = self.recoded(np.array([number[name] for name in shown], np.int32), names)
        if self.known is None:
            return cut
        return replace(cut, known=tuple(frozenset(nodes.get(name, name) for name in one) for one in self.known))


def compressed_rows(owners: Ints, codes: Ints, baskets: int, items: int) -> tuple[Ints, Codes]:
    """Return starts and codes of pairs (basket, item) in any order; what is there twice counts once."""
    keys = np.sort(owners * np.int64(max(items, 1)) + codes)  # sorting is many times faster than numpy's own `unique`
    if len(keys) > 1:
        keys = keys[np.concatenate(([True], keys[1:] > keys[:-1]))]
    starts = np.zeros(baskets + 1, np.int64)
    np.cumsum(np.bincount(keys // max(items, 1), minlength=baskets), out=starts[1:])
    return starts, (keys % max(items, 1)).astype(np.int32)
