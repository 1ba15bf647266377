"""Marginals as they are published: a table of combinations with their counts for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.views.marginal import COUNT, Marginal, MarginalQuery, marginal
from sfumato.views.marginal_set import MarginalSet

__all__ = ["MarginalBuild", "build_marginals"]


def build_marginals(table: Table, queries: Sequence[MarginalQuery]) -> dict[str, Marginal]:
    """Count several marginals of one table, by their titles.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Ill"], [(31, "Flu"), (38, "HIV"), (39, "Flu")])
    >>> found = build_marginals(table, [MarginalQuery(("Age",), bins={"Age": [31, 36, 41, 46]}), MarginalQuery(("Ill",))])
    >>> found["Age"].rows(), found["Ill"].rows()
    ([('[31-35]', 1), ('[36-40]', 2), ('[41-45]', 0)], [('Flu', 2), ('HIV', 1)])
    """
    titles = [query.title for query in queries]
    if len(set(titles)) < len(titles):
        raise BadRequest("names a marginal twice", parameter="marginals", value=titles)
    return {query.title: marginal(table, query) for query in queries}


class MarginalBuild(ReleaseKind):
    """Counts of combinations of values in a few columns each, some cut into bins, beside a base table or alone.

    A marginal is the projection of the table on its columns with duplicates, published as value combination and count. Counts
    of each add up to the number of records. What marginals tell together with the base table is judged by
    ``marginal-privacy-check``. The part ``base`` is the anonymous table that they stand beside, if there is one.

    Adversary: knows the quasi-identifiers of a person in the table, and reads every marginal and the base table.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Ill"], [(31, "Flu"), (38, "HIV"), (39, "Flu")])
    >>> built = MarginalBuild.build(table, [MarginalQuery(("Age",), bins={"Age": [31, 36, 41]})], sensitive="Ill")
    >>> built.tables["Age"].to_rows(), built.kind == MarginalBuild(names=("Age",), sensitive="Ill")
    ([('[31-35]', 1), ('[36-40]', 2)], True)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.3, tables 8.15 to 8.17.
    Kifer, Gehrke, "Injecting utility into anonymized datasets", 2006, doi:10.1145/1142473.1142499.
    """

    id: ClassVar[str] = "marginal-build"
    shape: ClassVar[str] = "views"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=True,
        verifiable=say("verifiable.marginals"),
        published="groups",
        stops=frozenset({"record", "attribute"}),
        searched=True,
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.class"), say("noun.classes"))

    names: tuple[str, ...] = param(doc="what the marginals are called, each a part of the release")
    sensitive: str = param(doc="the column that nobody should learn")
    base: bool = param(default=False, doc="whether the base table is a part as well")
    covers: tuple[tuple[str, str, tuple[str, ...]], ...] = param(
        default=(), doc="what labels stand for, where they do not tell themselves: column, label, finer labels"
    )

    @classmethod
    def build(
        cls,
        table: Table,
        queries: Sequence[MarginalQuery],
        *,
        sensitive: str,
        base: Table | None = None,
    ) -> Built:
        """Count marginals of a table; with the anonymous table that they stand beside, if there is one."""
        counted = build_marginals(table, queries)
        kind = cls(names=tuple(counted), sensitive=sensitive, base=base is not None)
        tables = {} if base is None else {"base": base}
        return Built(kind, {**tables, **{name: one.table() for name, one in counted.items()}})

    def part_names(self) -> tuple[str, ...]:
        return (*(("base",) if self.base else ()), *self.names)

    def marginal_set(self, parts: Parts) -> MarginalSet:
        """Return the published tables as one set of publications."""
        tables = self.tables(parts)
        held = {name: tables[name] for name in self.names}
        covers: dict[str, dict[object, tuple[str, ...]]] = {}
        for column, label, finer in self.covers:
            covers.setdefault(column, {})[label] = finer
        named: Mapping[str, Mapping[object, Sequence[object]]] = covers
        return MarginalSet.of(tables.get("base"), held, sensitive=self.sensitive, covers=named)

    def verify(
        self, parts: Parts, models: Sequence[Model[MarginalSet]], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        found = self.marginal_set(parts)
        return [model.judge(found) for model in models]

    def statement(self) -> Statement:
        return Statement(
            checked=[say("statement.marginals_checked")], not_checkable=[say("statement.marginals_not_checkable")]
        )

    def operation(self, column: str) -> str:
        return "none" if column == COUNT else self.id
