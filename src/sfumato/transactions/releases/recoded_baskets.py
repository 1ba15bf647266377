"""Recoded baskets: which baskets there are, and which items each holds, some left out or made more general."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np

from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.engines import from_columns
from sfumato.errors import BadRequest
from sfumato.transactions.attack import BasketSeen
from sfumato.transactions.baskets import Baskets, compressed_rows

__all__ = ["RecodedBaskets"]


class RecodedBaskets(ReleaseKind):
    """Baskets with fresh numbers, and the items of each: some were left out, some stand for several.

    The part ``baskets`` has a row for each basket, empty ones too, with the number of its items; ``items`` has a row for each
    item in a basket. What is known of persons in further ``columns`` stands beside their baskets. Baskets are numbered in the
    order of what they hold, so that a number tells nothing of the input.

    Adversary: reads both tables and knows something of what a person's basket holds.

    Examples
    --------
    >>> kind = RecodedBaskets()
    >>> parts = kind.parts_of(Baskets.of([{"b"}, set(), {"a", "b"}]))
    >>> parts["items"].to_rows()
    [(2, 'a'), (2, 'b'), (3, 'b')]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, chapter 13.
    """

    id: ClassVar[str] = "recoded-baskets"
    shape: ClassVar[str] = "transactions"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=True,
        verifiable=say("verifiable.rows_alone"),
        stops=frozenset({"record", "attribute"}),
        searched=True,
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.itemset"), say("noun.itemsets"))

    private: tuple[str, ...] = param(
        default=(), doc="the items that nobody should learn; they are published as they are"
    )

    columns: Mapping[str, str] | None = param(
        default=None, doc="what is known of persons beside their items, by column, and what was done to each"
    )

    known: tuple[tuple[str, ...], ...] | None = param(
        default=None, doc="the sets of published items whose parts an adversary may know, if not all sets"
    )

    generalized: bool = param(
        default=False, doc="whether published items may be nodes of a taxonomy, and not items alone"
    )

    def validate(self) -> None:
        """Refuse columns that do not say what was done to each."""
        super().validate()
        given: object = self.columns
        if given is not None and not isinstance(given, Mapping):
            raise BadRequest("must say by name what was done to each", parameter=f"{self.id}.columns")

    def part_names(self) -> tuple[str, ...]:
        return ("baskets", "items")

    def roles(self) -> Mapping[str, Role]:
        known = dict.fromkeys(self.columns or (), Role.QUASI_IDENTIFIER)
        return {"basket": Role.PLAIN, "items": Role.PLAIN, "item": Role.QUASI_IDENTIFIER, **known}

    def parts_of(self, baskets: Baskets) -> dict[str, Table]:
        """Return the two tables of baskets."""
        held = memoryview(
            baskets.codes.astype(">i4").tobytes()
        )  # in the order of the codes, and smaller than lists of them
        places = (4 * baskets.starts).tolist()
        keys = [bytes(held[first:last]) for first, last in pairwise(places)]
        number, _ = baskets.classes
        order = sorted(range(len(baskets)), key=lambda at: (keys[at], number[at]))
        number = np.empty(len(baskets), np.int64)
        number[order] = np.arange(1, len(baskets) + 1)
        owners = number[baskets.owners]
        rows = np.lexsort((baskets.codes, owners))
        items = [baskets.items[code] for code in baskets.codes[rows].tolist()]
        return {
            "baskets": from_columns(
                {
                    "basket": np.arange(1, len(baskets) + 1),
                    "items": baskets.lengths[order],
                    **baskets.known_beside(np.array(order, np.int64)),
                }
            ),
            "items": from_columns({"basket": owners[rows], "item": items}),
        }

    def baskets_of(self, parts: Parts) -> Baskets:
        """Return the baskets that two tables stand for; refuse tables that do not fit together."""
        tables = self.tables(parts)
        listed, held = tables["baskets"], tables["items"]
        for table, columns in ((listed, ("basket", "items", *(self.columns or ()))), (held, ("basket", "item"))):
            lacking = [name for name in columns if name not in table.types]
            if lacking:
                raise BadRequest("lacks a column", parameter=self.id, value=lacking[0], available=table.columns)
            if any(table.missing().get(name) for name in columns if name not in (self.columns or ())):
                raise BadRequest("has gaps where a basket or an item must be", parameter=self.id)
        numbers = listed.dictionary("basket").values
        if len(numbers) < listed.rows:
            raise BadRequest("a basket is listed twice", parameter="baskets")
        place = {value: at for at, value in enumerate(numbers)}
        named = held.dictionary("basket").values
        if not all(value in place for value in named):
            raise BadRequest("an item is in a basket that is not listed", parameter="items")
        texts = [to_text(value) for value in held.dictionary("item").values]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts), np.int64)
        rank[order] = np.arange(len(texts))
        rows = held.as_rows().codes(["basket", "item"])
        owners = np.array([place[value] for value in named], np.int64)[rows[:, 0]] if len(rows) else rows[:, 0]
        codes = rank[rows[:, 1]] if len(rows) else rows[:, 1]
        starts, kept = compressed_rows(owners.astype(np.int64), codes.astype(np.int64), len(numbers), len(texts))
        if len(kept) < len(rows):
            raise BadRequest("an item is in a basket twice", parameter="items")
        counted = listed.as_rows().codes(["basket", "items"])
        told = (
            np.array(listed.dictionary("items").values, np.int64)[counted[:, 1]]
            if len(counted)
            else np.empty(0, np.int64)
        )
        if not np.array_equal(told, np.diff(starts)[counted[:, 0]] if len(counted) else told):
            raise BadRequest("a basket does not hold as many items as is said of it", parameter="baskets")
        names = tuple(texts[at] for at in order)
        beside = None
        if self.columns:
            beside = listed.as_rows().take(np.argsort(counted[:, 0], kind="stable")).select(list(self.columns))
        return Baskets(starts, kept, names, frozenset(self.private) & set(names), beside=beside, known=self._known())

    def _known(self) -> tuple[frozenset[str], ...] | None:
        return None if self.known is None else tuple(frozenset(one) for one in self.known)

    def verify(
        self, parts: Parts, models: Sequence[Model[Baskets]], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        baskets = self.baskets_of(parts)
        return [model.judge(baskets) for model in models]

    def seen(self, parts: Parts) -> Seen:
        tables = self.tables(parts)
        return BasketSeen(tables["baskets"], tables, roles=self.roles(), baskets=self.baskets_of(parts))

    def statement(self) -> Statement:
        limits = [] if self.known is None else [say("statement.known_sets", count=len(self.known))]
        return Statement(
            checked=[say("statement.every_anew")], not_checkable=[say("statement.items_left_out"), *limits]
        )

    def operation(self, column: str) -> str:
        if self.columns is not None and column in self.columns:
            return self.columns[column]
        masking = "global-item-generalization" if self.generalized else "item-suppression"
        return masking if column == "item" else "none"
