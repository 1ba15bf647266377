"""Disassociated baskets: how many baskets each cluster has, parts of them by chunk, and items that are in some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.transactions.disassociated import Cluster, Disassociated

__all__ = ["DisassociatedBaskets"]


class DisassociatedBaskets(ReleaseKind):
    """How many baskets each cluster has, the parts of them that hold some items, and items that some of them hold.

    The part ``clusters`` has the number of baskets of each cluster; ``items`` the items of the parts, by cluster and chunk,
    parts in the order of what they hold. Chunk 0 holds the terms, items of a cluster of which nobody is told how often they
    occur. Which parts of different chunks belong to one basket is not published.

    Examples
    --------
    >>> built = DisassociatedBaskets.build(Disassociated((Cluster(2, ((("a",), ("a",)),), ("b",)),)))
    >>> built.tables["items"].to_rows()
    [(1, 0, 0, 'b'), (1, 1, 1, 'a'), (1, 1, 2, 'a')]
    >>> DisassociatedBaskets().view(built.tables).clusters[0].terms
    ('b',)

    References
    ----------
    Terrovitis, Mamoulis, Liagouris, Skiadopoulos, "Privacy preservation by disassociation", 2012,
    doi:10.14778/2336664.2336668.
    """

    id: ClassVar[str] = "disassociated-baskets"
    shape: ClassVar[str] = "transactions"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.rows_alone"),
        published="groups",
        stops=frozenset({"record"}),
        searched=True,
    )

    @classmethod
    def build(cls, apart: Disassociated) -> Built:
        """Return the two tables of clusters."""
        items: list[tuple[int, int, int, str]] = []
        for number, cluster in enumerate(apart.clusters, 1):
            items += [(number, 0, 0, name) for name in cluster.terms]
            for at, chunk in enumerate(cluster.chunks, 1):
                items += [(number, at, line, name) for line, part in enumerate(chunk, 1) for name in part]
        if not items:
            raise BadRequest("needs an item in some basket", parameter=cls.id)
        sizes = [(number, cluster.baskets) for number, cluster in enumerate(apart.clusters, 1)]
        return Built(
            cls(),
            {
                "clusters": from_rows(["cluster", "baskets"], sizes),
                "items": from_rows(["cluster", "chunk", "part", "item"], items),
            },
        )

    def part_names(self) -> tuple[str, ...]:
        return ("clusters", "items")

    def roles(self) -> dict[str, Role]:
        return dict.fromkeys(("cluster", "chunk", "part", "baskets"), Role.PLAIN) | {"item": Role.QUASI_IDENTIFIER}

    def view(self, parts: Parts) -> Disassociated:
        """Return the clusters that the tables stand for; refuse tables that do not fit together."""
        tables = self.tables(parts)
        sizes = {row[0]: row[1] for row in _rows(tables["clusters"], "clusters", ("cluster", "baskets"))}
        if len(sizes) < tables["clusters"].rows or not all(isinstance(one, int) for one in sizes.values()):
            raise BadRequest("must list every cluster once, with its number of baskets", parameter="clusters")
        held: dict[object, dict[object, dict[object, list[str]]]] = {name: {} for name in sizes}
        terms: dict[object, list[str]] = {name: [] for name in sizes}
        for cluster, chunk, part, item in _rows(tables["items"], "items", ("cluster", "chunk", "part", "item")):
            if cluster not in held or item is None:
                raise BadRequest("holds an item of a cluster that is not listed", parameter="items")
            if chunk == 0:
                terms[cluster].append(to_text(item))
            else:
                held[cluster].setdefault(chunk, {}).setdefault(part, []).append(to_text(item))
        return Disassociated(
            tuple(
                Cluster(
                    int(str(size)),
                    tuple(
                        tuple(sorted(tuple(sorted(part)) for part in chunk.values())) for chunk in held[name].values()
                    ),
                    tuple(sorted(terms[name])),
                )
                for name, size in sizes.items()
            )
        )

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge k^m-anonymity of what may have been taken apart: chunk by chunk, and the size of clusters."""
        apart = self.view(parts)
        baskets = apart.as_baskets()
        return [replace(_fitting(model).judge(baskets), records=apart.records) for model in models]

    def statement(self) -> Statement:
        return Statement(checked=[say("statement.every_anew")], not_checkable=[say("statement.disassociated")])

    def operation(self, column: str) -> str:
        return "disassociation" if column == "item" else "none"


def _fitting(model: Requirement) -> Requirement:
    if model.id != "km-anonymity":
        raise Unsupported(
            f"{model.id} cannot be read from baskets that were taken apart",
            thing=model.id,
            alternatives=["km-anonymity"],
        )
    return model


def _rows(table: Table, part: str, columns: tuple[str, ...]) -> list[tuple[object, ...]]:
    if set(table.columns) != set(columns):
        raise BadRequest(f"must have the columns {', '.join(columns)}", parameter=part, value=list(table.columns))
    return [tuple(row) for row in table.select(columns).to_rows()]
