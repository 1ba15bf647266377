"""Condensed table: rows drawn from the moments of groups of records, and how many records each group stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from sfumato.contracts.built import Built, Linking
from sfumato.contracts.columns import check_columns, linked, made, numbers_of, without_missing
from sfumato.contracts.engine import Engine, Table
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.errors import BadRequest
from sfumato.estimates.moments import Moments
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats
from sfumato.releases._parts import Groups, group_numbers
from sfumato.releases.mechanism import MechanismKind

__all__ = ["CondensedTable"]


class CondensedTable(MechanismKind):
    """Rows drawn from the mean and covariance of each group of records, and how many records each group stands for.

    Part ``data`` has as many rows as there were records; each was drawn from the count, the sums and the sums of products
    of one group, and none of them is a record. Part ``groups`` lists the sizes of the groups, largest first; which row
    was drawn for which group is not told. Whole numbers are rounded, which adds up to 1/12 to a variance.

    A group of equal records has no variance: the rows drawn for it are copies of what all its records share.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Income"], [(30, 10.0), (32, 14.0), (61, 50.0), (65, 40.0), (66, 44.0)])
    >>> made = CondensedTable.build(table, [1, 1, 2, 2, 2], ["Age", "Income"], np.random.default_rng(0))
    >>> made.tables["groups"].to_rows(), made.tables["data"].rows
    ([(1, 3), (2, 2)], 5)
    >>> CondensedTable().guarantee(made.tables)
    {'smallest_group': 2}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.3.3 and 5.1.3.1.
    Aggarwal, Yu, "A condensation approach to privacy preserving data mining", 2004.
    """

    id: ClassVar[str] = "condensed-table"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.condensed"),
        published="statistics",
        stops=frozenset({"record"}),
        counted_by="rows",
    )
    by_members: ClassVar[bool] = True

    mechanism: str = param(default="condensation", doc="the procedure that made the output, by its id or in words")
    group: str = param(default="Group", doc="name of the published column of group numbers")

    def validate(self) -> None:
        """Refuse a name that clashes."""
        super().validate()
        if self.group == "Size":
            raise BadRequest("two published columns would have this name", parameter=self.id, value=self.group)

    @classmethod
    def build(
        cls,
        table: Table,
        groups: Groups,
        qid: Sequence[str],
        rng: np.random.Generator,
        *,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        settings: Mapping[str, object] | None = None,
        group: str = "Group",
    ) -> Built:
        """Return the release of a table under a given grouping (one number per record).

        ``ranges`` are publicly known: drawn values outside are moved to their ends.
        """
        check_columns(table, "qid", qid)
        points = numbers_of(table, qid)
        numbers = group_numbers(groups, table.rows)
        # Sums of squares of numbers far from 0 would lose the digits that a variance is made of.
        origin = points.mean(axis=0)
        moments = Moments.of(points - origin, np.unique(numbers, return_inverse=True)[1])
        types = {name: table.types[name] for name in qid}
        return cls.drawn(
            moments,
            types,
            rng,
            origin=origin,
            ranges=ranges,
            settings=settings,
            group=group,
            engine=table.home,
            linking=partial(linked, table, qid, numbers),
        )

    @classmethod
    def drawn(
        cls,
        moments: Moments,
        types: Mapping[str, ColumnType],
        rng: np.random.Generator,
        *,
        origin: Floats | float = 0.0,
        scale: Floats | float = 1.0,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        settings: Mapping[str, object] | None = None,
        group: str = "Group",
        engine: str | Engine = "polars",
        linking: Linking | None = None,
    ) -> Built:
        """Return the release of condensed groups whose records may be gone; a value is ``moment * scale + origin``."""
        kind = cls(settings=dict(settings or {}), group=group)
        points = moments.draw(rng)[0] * scale + origin
        columns: dict[str, object] = {}
        for at, (name, found) in enumerate(types.items()):
            low, high = (ranges or {}).get(name, (-np.inf, np.inf))
            column = np.clip(points[:, at], low, high)
            if found is ColumnType.INTEGER:
                column = np.clip(np.round(column), np.ceil(low), np.floor(high)).astype(np.int64)
            columns[name] = column
        sizes = np.sort(moments.count)[::-1]
        listed = {group: np.arange(1, len(sizes) + 1), "Size": np.ascontiguousarray(sizes)}
        # Sorted: the order in which rows were drawn would tell which belong together.
        tables = {"data": made(columns, engine).sort(), "groups": made(listed, engine)}
        return Built(kind, tables, linking)

    def part_names(self) -> tuple[str, ...]:
        """Return the names of the public tables, the drawn rows first."""
        return ("data", "groups")

    def roles(self) -> Mapping[str, Role]:
        """Return the roles of the columns that say how large groups are."""
        return {self.group: Role.PLAIN, "Size": Role.PLAIN}

    def groups(self, parts: Parts) -> GroupStats:
        """Return the sizes of the groups; refuse tables that do not fit together."""
        tables = self.tables(parts)
        listed = tables["groups"]
        wanted = (self.group, "Size")
        if listed.columns != wanted:
            raise BadRequest("does not hold the sizes of groups", parameter="groups", available=wanted)
        without_missing(listed, wanted)
        ids, sizes = (list(column) for column in zip(*listed.sort().to_rows(), strict=True))
        if len(set(ids)) < len(ids):
            raise BadRequest("lists a group twice", parameter="groups", column=self.group)
        if any(not isinstance(size, int) or size < 1 for size in sizes):
            raise BadRequest("must be positive whole numbers", parameter="groups", column="Size")
        if sum(sizes) != tables["data"].rows:
            raise BadRequest(
                f"groups of {sum(sizes):,} records do not fit {tables['data'].rows:,} rows", parameter="groups"
            )
        return GroupStats((self.group,), (ids,), np.array(sizes, np.int64))

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the stated sizes of the groups; refuse requirements on anything but the number of records."""
        self.refuse_models([model for model in models if not model.traits.by_size_alone])
        publication = Publication(explicit=self.groups(parts))
        return [model.judge(publication) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the size of the smallest group."""
        return {"smallest_group": int(self.groups(parts).sizes.min())}

    def visible(self) -> list[str]:
        return [
            say("statement.condensed_rows"),
            say("statement.condensed_sizes"),
        ]
