"""Permuted table: exact quasi-identifiers, a numeric sensitive column shuffled inside each group, exact aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any, ClassVar

import numpy as np

from sfumato.contracts.alike import Alike
from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.columns import check_columns, coded, coded_numbers, made, without_missing
from sfumato.contracts.engine import Table
from sfumato.contracts.release import Parts, ReleaseTraits
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.releases._parts import Groups, free_name, group_numbers, links_of, shuffled
from sfumato.releases.grouped import GroupedKind, distinct_names, one_or_more

__all__ = ["PermutedTable"]

_AGGREGATES = ("Count", "Sum", "Minimum", "Maximum")


class PermutedTable(GroupedKind):
    """Exact quasi-identifiers, a numeric sensitive column shuffled inside each group, exact aggregates of each group.

    Part ``data`` holds quasi-identifiers, group and a sensitive value that belongs to some record of the group; part
    ``aggregates`` holds count, sum, minimum and maximum of every group. The multiset of values of a group is untouched, so
    an aggregate over whole groups is answered exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Income"], [(30, 10), (32, 20), (38, 50), (36, 40)])
    >>> made = PermutedTable.build(table, [1, 1, 2, 2], ["Age"], "Income", np.random.default_rng(0))
    >>> made.tables["aggregates"].to_rows()
    [(1, 2, 30, 10, 20), (2, 2, 90, 40, 50)]
    >>> PermutedTable(qid=("Age",), sensitive=("Income",)).guarantee(made.tables)
    {'max_link_probability': 0.5, 'l': 2}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.2 and 5.2.5.
    Zhang, Koudas, Srivastava, Yu, "Aggregate query answering on anonymized tables", 2007, doi:10.1109/ICDE.2007.367857.
    """

    id: ClassVar[str] = "permuted-table"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.permuted"),
        published="groups",
        stops=frozenset({"attribute", "probabilistic"}),
        counted_by="groups",
    )

    def validate(self) -> None:
        """Take one sensitive column, and names that do not clash."""
        super().validate()
        if len(self.sensitive) != 1:
            raise BadRequest("must name one column", parameter=f"{self.id}.sensitive", value=self.sensitive)
        distinct_names(self, [self.group, *_AGGREGATES])

    @classmethod
    def build(
        cls,
        table: Table | Alike,
        groups: Groups,
        qid: Sequence[str],
        sensitive: str,
        rng: np.random.Generator,
        *,
        group: str | None = None,
    ) -> Built:
        """Return the release of a table under a given grouping (one number per record)."""
        secrets = one_or_more(sensitive)
        group = free_name("GroupID", [*qid, *secrets]) if group is None else group
        kind = cls(qid=tuple(qid), sensitive=secrets, group=group)
        check_columns(table, "qid", kind.qid)
        check_columns(table, "sensitive", kind.sensitive)
        records = table if isinstance(table, Alike) else Alike.placed(table, [*kind.qid, *kind.sensitive])
        records.numbers(sensitive)
        numbers = group_numbers(groups, len(records))
        order = shuffled(numbers, rng)
        exact = records.shown(kind.qid, order) | {group: coded_numbers(numbers[order])}
        true = {name: exact[name] for name in kind.qid} | records.shown(kind.sensitive, order)
        data = coded(exact | records.shown(kind.sensitive, shuffled(numbers, rng)), records.types, records.home)
        tables = {"data": data, "aggregates": made(kind._aggregates(data), records.home)}
        return Built(kind, tables, links_of(records, true, exact[group]))

    def _aggregates(self, data: Table) -> dict[str, Iterable[object]]:
        """Return the aggregates of each group, in order of group numbers; sums are rounded once, so order is no matter."""
        found = data.groups([self.group], list(self.sensitive))
        histogram = found.histograms[self.sensitive[0]]
        rows: list[tuple[float, ...]] = []
        for at, size in enumerate(found.sizes.tolist()):
            counted: Mapping[Any, int] = histogram.row(at)
            whole = all(isinstance(value, int) for value in counted)
            terms = (value * count for value, count in counted.items())
            # One term per record: a product would be rounded before the sum is.
            total = sum(terms) if whole else fsum(value for value, count in counted.items() for _ in range(count))
            rows.append((size, total, min(counted), max(counted)))
        columns = zip(*rows, strict=True)
        named = dict(zip(_AGGREGATES, (list(column) for column in columns), strict=True))
        return {self.group: np.array(list(found.keys[0]), np.int64), **named}

    def part_names(self) -> tuple[str, ...]:
        return ("data", "aggregates")

    def roles(self) -> Mapping[str, Role]:
        own = [name for name in (self.group, *_AGGREGATES) if name not in (*self.qid, *self.sensitive)]
        return {**super().roles(), **dict.fromkeys(own, Role.PLAIN)}

    def records(self, parts: Parts) -> Table:
        return self.tables(parts)["data"]

    def groups(self, parts: Parts) -> GroupStats:
        """Return the groups; refuse aggregates that are not those of the values."""
        tables = self.tables(parts)
        data, aggregates = tables["data"], tables["aggregates"]
        self._refuse_columns("data", data, [*self.qid, self.group, *self.sensitive])
        self._refuse_columns("aggregates", aggregates, [self.group, *_AGGREGATES])
        without_missing(data, [self.group, *self.sensitive])
        if data.types[self.group] is not ColumnType.INTEGER:
            raise BadRequest("group numbers must be whole numbers", parameter="data", column=self.group)
        if not data.types[self.sensitive[0]].numeric:
            raise BadRequest("must hold numbers", parameter="data", column=self.sensitive[0])
        counted = self._aggregates(data)
        shown = aggregates.counts(aggregates.columns)
        for name, keys in zip(shown.columns, shown.keys, strict=True):
            if (shown.sizes > 1).any() or list(keys) != list(counted[name]):
                raise BadRequest("is not what the values of the groups give", parameter="aggregates", column=name)
        return data.groups([self.group], list(self.sensitive))

    def cells(self, parts: Parts) -> GroupStats:
        """Return how many records of each group have each sensitive value."""
        tables = self.tables(parts)
        self.groups(tables)
        return tables["data"].groups([self.group, *self.sensitive])

    def statement(self) -> Statement:
        return Statement(
            checked=[
                say("statement.aggregates"),
                say("statement.permuted_values"),
                say("statement.exact_qid"),
                say("statement.largest_share"),
            ],
            not_checkable=[
                say("statement.own_values"),
                say("statement.shuffled"),
                say("statement.linkage_open"),
            ],
        )
