"""What anatomized and permuted releases share: exact quasi-identifiers with a group number, sensitive values by group.

A requirement that reads a sensitive column is asked about the groups: a record has value s with probability
count(s) / size of its group. A requirement on quasi-identifiers alone is asked about their exact values, because these are
what an adversary sees.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind
from sfumato.contracts.thing import columns, param
from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys, GroupStats

__all__ = ["GroupedKind", "distinct_names", "one_or_more"]


def one_or_more(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    return (names,) if isinstance(names, str) else tuple(names)


def distinct_names(kind: ReleaseKind, columns: Sequence[str]) -> None:
    """Refuse a kind whose published columns would share a name."""
    twice = [name for at, name in enumerate(columns) if name in columns[:at]]
    if twice:
        raise BadRequest("two published columns would have this name", parameter=kind.id, value=twice[0])


class GroupedKind(ReleaseKind):
    """Records with exact quasi-identifiers and a group number; sensitive values belong to groups, not to records."""

    qid: tuple[str, ...] = columns("quasi-identifier", some=True, doc="columns that are published exactly")
    sensitive: tuple[str, ...] = columns(
        "sensitive", some=True, doc="columns that are published by group; several act as one"
    )
    group: str = param(default="GroupID", doc="name of the published column of group numbers")

    def validate(self) -> None:
        """Refuse a repeating list of columns."""
        distinct_names(self, [*self.qid, self.group, *self.sensitive])

    def roles(self) -> Mapping[str, Role]:
        return dict.fromkeys(self.qid, Role.QUASI_IDENTIFIER) | dict.fromkeys(self.sensitive, Role.SENSITIVE)

    @abstractmethod
    def records(self, parts: Parts) -> Table:
        """Return the table that has one row per record, with quasi-identifiers and group."""

    @abstractmethod
    def groups(self, parts: Parts) -> GroupStats:
        """Return the groups with a histogram of each sensitive column; refuse tables that do not fit together."""

    @abstractmethod
    def cells(self, parts: Parts) -> GroupStats:
        """Return how many records of each group have each combination of sensitive values."""

    def seen(self, parts: Parts) -> Seen:
        """Return the records with exact quasi-identifiers; values to learn are read in their groups."""
        return replace(super().seen(parts), buckets=self.groups(parts))

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the groups by counting them anew, and quasi-identifiers by their exact values."""
        tables = self.tables(parts)
        groups = Publication(explicit=self.groups(tables))
        exact = Publication(table=self.records(tables), qids=tuple(qids) or self.qid)
        return [model.judge(groups if model.needs() else exact) for model in models]

    def prevented(self, models: Sequence[TableModel]) -> list[str]:
        """Return the families that are stopped: linking records only where exact quasi-identifiers were judged."""
        exact = {family for model in models if not model.needs() for family in model.traits.prevents}
        grouped = {family for model in models if model.needs() for family in model.traits.prevents}
        return sorted((exact & {"record"}) | (grouped & self.traits.stops))

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the largest probability of linking a record to a sensitive value, and the l it corresponds to.

        The probability is the largest count(s) / size over groups and sensitive values; l is the largest whole number with
        probability <= 1/l. Several sensitive columns are read as one value.
        """
        cells = self.cells(parts)
        group = CodedKeys.of(cells.keys[0]).codes
        start = np.flatnonzero(np.append(True, group[1:] != group[:-1]))  # cells come in the order of groups
        size, largest = np.add.reduceat(cells.sizes, start), np.maximum.reduceat(cells.sizes, start)
        return {"max_link_probability": float((largest / size).max()), "l": int((size // largest).min())}

    def _refuse_columns(self, part: str, table: Table, wanted: Sequence[str]) -> None:
        if table.columns != tuple(wanted):
            raise BadRequest(
                "does not hold the columns of this kind of release",
                parameter=part,
                value=list(table.columns),
                available=wanted,
            )
