"""Aggregated table: the records, with the quasi-identifiers of each group replaced by what stands for the group."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.columns import arrow_of, check_columns, linked, made, without_missing
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import columns, param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.representatives import Shape, aggregate, middle_leaves
from sfumato.kernels.arrays import Array, Ints
from sfumato.releases._parts import Groups, group_numbers
from sfumato.releases.mechanism import MechanismKind

__all__ = ["AggregatedTable"]


class AggregatedTable(MechanismKind):
    """The records, with the quasi-identifiers of each group replaced by what stands for the group.

    Numbers become the mean or median of their group. Other values become the one that lies nearest to all of the group: the
    most frequent, or the one with the least total distance in a tree. All records of a group look alike, so requirements are
    counted on the published rows as in a recoded table. Aggregated values are not true of single records; other columns are.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> from sfumato.models.k_anonymity import KAnonymity
    >>> table = from_rows(["Age", "Job"], [(30, "Artist"), (34, "Artist"), (61, "Cook"), (59, "Smith"), (66, "Cook")])
    >>> made = AggregatedTable.build(table, [1, 1, 2, 2, 2], ["Age", "Job"])
    >>> made.tables["data"].to_rows()
    [(32.0, 'Artist'), (32.0, 'Artist'), (62.0, 'Cook'), (62.0, 'Cook'), (62.0, 'Cook')]
    >>> kind = AggregatedTable(aggregated=("Age", "Job"))
    >>> [bool(verdict) for verdict in kind.verify(made.tables, [KAnonymity(k=2)], ["Age", "Job"])]
    [True]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.
    Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", 2005,
    doi:10.1007/s10618-005-0007-5.
    """

    id: ClassVar[str] = "aggregated-table"
    stated: ClassVar[tuple[str, ...]] = (*MechanismKind.stated, "aggregated")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.rows_anew"),
        published="statistics",
        stops=frozenset({"record", "attribute"}),
        counted_by="rows",
    )

    mechanism: str = param(default="microaggregation", doc="the procedure that made the output, by its id or in words")
    aggregated: tuple[str, ...] = columns("quasi-identifier", some=True, doc="the columns that hold values of groups")

    @classmethod
    def build(
        cls,
        table: Table,
        groups: Groups,
        qid: Sequence[str],
        *,
        statistic: str = "mean",
        decimals: int | None = None,
        trees: Mapping[str, Tree] | None = None,
        beside: Sequence[str] = (),
        settings: Mapping[str, object] | None = None,
        mechanism: str = "microaggregation",
    ) -> Built:
        """Return the release of a table under a given grouping (one number per record); rows are sorted.

        Groups that look alike when they are published are one group from then on, with the number of the first of them.
        ``trees`` are those of columns whose nearest value is to be found in a tree. Columns ``beside`` the aggregated ones are
        published as they are.
        """
        import pyarrow as pa

        if statistic not in ("mean", "median"):
            raise BadRequest("is not a statistic", parameter="statistic", value=statistic, available=["mean", "median"])
        for parameter, names in (("qid", qid), ("beside", beside)):
            check_columns(table, parameter, names)
        without_missing(table, qid)
        kind = cls(aggregated=tuple(qid), settings=dict(settings or {}), mechanism=mechanism)
        given = group_numbers(groups, table.rows)
        numbers = np.unique(given, return_inverse=True)[1].astype(np.int64)
        held = arrow_of(table, [name for name in table.columns if name in qid or name in beside])
        published: dict[str, object] = {}
        alike = np.zeros(table.rows, np.int64)
        for name in held.column_names:
            if name not in qid:
                published[name] = held.column(name)
            elif table.types[name].numeric and name not in (trees or {}):
                found = aggregate(np.asarray(held.column(name).to_numpy(), np.float64), numbers, statistic)
                found = found if decimals is None else np.round(found, decimals)
                published[name] = found
                alike = _refined(alike, found)
            else:
                known, leaves, shape = _leaves(table, name, (trees or {}).get(name))
                places = middle_leaves(leaves, numbers, shape)[numbers]
                published[name] = pa.array([known[leaf] for leaf in places.tolist()], held.schema.field(name).type)
                alike = _refined(alike, places)
        # Sorted: the order of the input would tell whose record is where.
        data = made(published, table.home).sort()
        first = np.full(int(alike.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(first, alike, given)
        return Built(kind, {"data": data}, partial(linked, table, held.column_names, first[alike]))

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the published rows, grouped by the published values."""
        table = self.tables(parts)["data"]
        check_columns(table, "aggregated", self.aggregated)
        return [model.judge(Publication(table=table, qids=tuple(qids) or self.aggregated)) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the size of the smallest group of records that look alike in the aggregated columns."""
        return {"smallest_group": int(self.tables(parts)["data"].groups(self.aggregated).sizes.min())}

    def statement(self) -> Statement:
        return replace(
            super().statement(),
            not_checkable=[say("statement.aggregated")],
        )

    def seen(self, parts: Parts) -> Seen:
        """Return the records in groups that look alike; what stands for a group is nobody's own value."""
        return replace(super().seen(parts), stands_for="records", aggregated=frozenset(self.aggregated))

    def visible(self) -> list[str]:
        return [say("statement.every_anew")]


def _leaves(table: Table, name: str, tree: Tree | None) -> tuple[Sequence[Hashable], Ints, Shape]:
    """Return the values that a column can have, which of them each record has, and their tree."""
    dictionary = table.dictionary(name)
    codes = table.as_rows().codes([name], {name: dictionary})[:, 0].astype(np.int64)
    if tree is None:
        return dictionary.values, codes, Shape.flat(len(dictionary))
    return tree.leaves, tree.encode(dictionary.values, column=name).astype(np.int64)[codes], Shape.of(tree)


def _refined(groups: Ints, values: Array) -> Ints:
    """Return groups of records that are in one group and have one value."""
    codes = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return np.asarray(np.unique(groups * (int(codes.max()) + 1) + codes, return_inverse=True)[1], np.int64)
