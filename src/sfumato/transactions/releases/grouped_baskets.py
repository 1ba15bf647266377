"""Grouped baskets: exact public items of each basket, and for each group how many baskets have each private item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.engines import from_columns, from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.transactions.attack import BasketSeen
from sfumato.transactions.basket_groups import BasketGroups, GroupedModel
from sfumato.transactions.baskets import Baskets, compressed_rows

__all__ = ["GroupedBaskets"]


class GroupedBaskets(ReleaseKind):
    """Exact public items of each basket, and for each group of baskets how many of them have each private item.

    The part ``baskets`` has the number of every basket and that of its group, ``items`` the public items of the baskets, and
    ``private`` the private items of the groups with how many baskets have them. Numbers are drawn anew and tell nothing of the
    order of the input.

    Examples
    --------
    >>> from sfumato.transactions.models import PrivacyDegree
    >>> baskets = Baskets.of([{"wine", "x"}, {"wine"}], private=["x"])
    >>> built = GroupedBaskets.build(BasketGroups.of(baskets, [[0, 1]]), np.random.default_rng(1))
    >>> {name: table.to_rows() for name, table in built.tables.items()}["private"]
    [(0, 'x', 1)]
    >>> GroupedBaskets().verify(built.tables, [PrivacyDegree(p=2)], ())[0].satisfied
    True

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", 2008, doi:10.1109/ICDE.2008.4497480.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.3, Table 13.4.
    """

    id: ClassVar[str] = "grouped-baskets"
    shape: ClassVar[str] = "transactions"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.rows_alone"),
        published="groups",
        stops=frozenset({"attribute"}),
        searched=True,
    )

    @classmethod
    def build(cls, groups: BasketGroups, rng: np.random.Generator) -> Built:
        """Return the three tables of groups; baskets and groups are numbered at random."""
        if not len(groups.public.codes) or not any(groups.private):
            raise BadRequest("needs public and private items, at least one of each", parameter=cls.id)
        renamed = rng.permutation(len(groups))
        order = np.lexsort((rng.permutation(len(groups.group)), renamed[groups.group]))
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        public = groups.public
        owners = number[public.owners]
        rows = np.lexsort((public.codes, owners))  # items are in the order of their names
        items = [public.items[code] for code in public.codes[rows].tolist()]
        held = sorted(
            (int(renamed[at]), item, count)
            for at, counts in enumerate(groups.private)
            for item, count in counts.items()
        )
        return Built(
            cls(),
            {
                "baskets": from_columns({"basket": np.arange(len(order)), "group": renamed[groups.group[order]]}),
                "items": from_columns({"basket": owners[rows], "item": items}),
                "private": from_rows(["group", "item", "baskets"], held),
            },
        )

    def part_names(self) -> tuple[str, ...]:
        return ("baskets", "items", "private")

    def roles(self) -> dict[str, Role]:
        return {"basket": Role.PLAIN, "group": Role.PLAIN, "item": Role.QUASI_IDENTIFIER, "baskets": Role.SENSITIVE}

    def view(self, parts: Parts) -> BasketGroups:
        """Return the groups as they are published; refuse tables that do not fit together."""
        tables = self.tables(parts)
        baskets = _rows(tables["baskets"], "baskets", ("basket", "group"))
        basket = {row[0]: at for at, row in enumerate(baskets)}
        groups = {name: at for at, name in enumerate(sorted({row[1] for row in baskets}, key=str))}
        if len(basket) < len(baskets):
            raise BadRequest("holds a basket twice", parameter="baskets")
        items = _rows(tables["items"], "items", ("basket", "item"))
        held = _rows(tables["private"], "private", ("group", "item", "baskets"))
        if any(row[0] not in basket for row in items):
            raise BadRequest("names a basket that there is not", parameter="items")
        group = np.array([groups[row[1]] for row in baskets], np.int64)
        sizes = np.bincount(group, minlength=len(groups)).tolist()
        private: list[dict[str, int]] = [{} for _ in groups]
        for name, item, count in held:
            known = groups.get(name)
            if known is None or not isinstance(count, int) or not 1 <= count <= sizes[known] or item in private[known]:
                raise BadRequest(
                    "does not fit the groups: each item once, with a count within its size", parameter="private"
                )
            private[known][str(item)] = count
        names = sorted({str(row[1]) for row in items})
        code = {name: at for at, name in enumerate(names)}
        owners = np.array([basket[row[0]] for row in items], np.int64)
        codes = np.array([code[str(row[1])] for row in items], np.int64)
        public = Baskets(*compressed_rows(owners, codes, len(baskets), len(names)), tuple(names))
        return BasketGroups(public, group, tuple(private))

    def seen(self, parts: Parts) -> Seen:
        """Return the public items of the baskets, by which a person can be found; private ones are known by group only."""
        tables, view = self.tables(parts), self.view(parts)
        return BasketSeen(
            tables["baskets"], tables, roles=self.roles(), stands_for="groups", baskets=view.public, grouped=view
        )

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the groups that the tables show; only the privacy degree can be read from them."""
        view = self.view(parts)
        return [_fitting(model).judge(view) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the privacy degree, which anybody can count again; nothing without private items."""
        degree = self.view(parts).degree
        return {} if degree is None else {"privacy_degree": float(degree)}

    def statement(self) -> Statement:
        return Statement(
            checked=[say("statement.every_anew")],
            not_checkable=[say("statement.grouped_baskets")],
        )


def _fitting(model: Requirement) -> Requirement:
    if not isinstance(model, GroupedModel):
        raise Unsupported(
            f"groups of baskets publish private items by group: {model.id} cannot be read from them",
            thing=model.id,
            alternatives=["privacy-degree"],
        )
    return model


def _rows(table: Table, part: str, columns: tuple[str, ...]) -> list[tuple[object, ...]]:
    if set(table.columns) != set(columns):
        raise BadRequest(f"must have the columns {', '.join(columns)}", parameter=part, value=list(table.columns))
    return [tuple(row) for row in table.select(columns).to_rows()]
