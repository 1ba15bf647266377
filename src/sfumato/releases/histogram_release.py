"""Histogram release: boxes that do not overlap, and how many records lie in each; no record at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.columns import check_columns, linked, made, numbers_of, without_missing
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import columns, param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.data.words import counted
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats
from sfumato.releases._parts import Groups, group_numbers, seen_boxes
from sfumato.releases.grouped import distinct_names

__all__ = ["HistogramRelease"]

_BLOCK = 256


class HistogramRelease(ReleaseKind):
    """Boxes that do not overlap, and how many records lie in each.

    One table: two columns ``<name> from`` and ``<name> to`` for each numeric column, and the count. Boxes may share edges; a
    record on an edge is counted in one of them. Without given boxes each group is enclosed by the smallest box, which
    publishes the extreme values of its records.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["X"], [(1,), (2,), (7,)])
    >>> made = HistogramRelease.build(table, [1, 1, 2], ["X"], boxes={1: [(0, 4)], 2: [(4, 8)]})
    >>> made.tables["data"].to_rows()
    [(0, 4, 2), (4, 8, 1)]
    >>> HistogramRelease(qid=("X",)).guarantee(made.tables)
    {'smallest_count': 1, 'records': 3}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.3.3.
    Chawla, Dwork, McSherry, Smith, Wee, "Toward privacy in public databases", 2005, doi:10.1007/978-3-540-30576-7_20.
    """

    id: ClassVar[str] = "histogram-release"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=True,
        verifiable=say("verifiable.boxes"),
        published="groups",
        stops=frozenset({"record"}),
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.box"), say("noun.boxes"))
    by_members: ClassVar[bool] = True

    qid: tuple[str, ...] = columns(
        "quasi-identifier", some=True, doc="numeric columns that make the space of the boxes"
    )
    count: str = param(default="Count", doc="name of the published column of counts")

    def validate(self) -> None:
        """Refuse names that clash."""
        distinct_names(self, self._columns())

    def _columns(self) -> list[str]:
        return [f"{name} {side}" for name in self.qid for side in ("from", "to")] + [self.count]

    @classmethod
    def build(
        cls,
        table: Table,
        groups: Groups,
        qid: Sequence[str],
        *,
        boxes: Mapping[int, Sequence[tuple[float, float]]] | None = None,
        count: str = "Count",
    ) -> Built:
        """Return the release of a table under a given grouping (one number per record).

        ``boxes`` gives for each group the (from, to) of every column; each record must lie in the box of its group.
        """
        kind = cls(qid=tuple(qid), count=count)
        check_columns(table, "qid", kind.qid)
        points = numbers_of(table, kind.qid)
        numbers = group_numbers(groups, table.rows)
        ids, where, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        if boxes is None:
            low, high = (np.full((len(ids), len(kind.qid)), edge) for edge in (np.inf, -np.inf))
            np.minimum.at(low, where, points)
            np.maximum.at(high, where, points)
        else:
            low, high = kind._given(boxes, ids.tolist())
        if (points < low[where]).any() or (points > high[where]).any():
            outside = int(((points < low[where]) | (points > high[where])).any(axis=1).sum())
            raise BadRequest(
                f"{counted(outside, 'record lies', 'records lie')} outside the box of their group", parameter="boxes"
            )
        published: dict[str, object] = {}
        for at, name in enumerate(kind.qid):
            whole = table.types[name] is ColumnType.INTEGER and bool(np.mod([low[:, at], high[:, at]], 1).max() == 0)
            for side, edges in (("from", low), ("to", high)):
                published[f"{name} {side}"] = edges[:, at].astype(np.int64) if whole else edges[:, at]
        data = made({**published, count: sizes}, table.home).sort()
        kind.groups(data)
        return Built(kind, {"data": data}, partial(linked, table, kind.qid, numbers))

    def _given(self, boxes: Mapping[int, Sequence[tuple[float, float]]], ids: Sequence[int]) -> tuple[Floats, Floats]:
        lacking = [number for number in ids if number not in boxes]
        if lacking:
            raise BadRequest("must give a box for every group", parameter="boxes", value=lacking[0])
        edges = [boxes[number] for number in ids]
        if any(len(box) != len(self.qid) or any(len(side) != 2 for side in box) for box in edges):
            raise BadRequest("must give (from, to) for every column", parameter="boxes", available=self.qid)
        array = np.array(edges, np.float64)
        return array[:, :, 0], array[:, :, 1]

    def roles(self) -> Mapping[str, Role]:
        return dict.fromkeys(self._columns()[:-1], Role.QUASI_IDENTIFIER)

    def groups(self, parts: Parts) -> GroupStats:
        """Return the boxes as groups; refuse counts that are none and boxes that overlap."""
        data = self.tables(parts)["data"]
        wanted = tuple(self._columns())
        if data.columns != wanted:
            raise BadRequest("does not hold the columns of boxes", parameter="data", available=wanted)
        edges = numbers_of(data, wanted[:-1]).reshape(data.rows, len(self.qid), 2)
        without_missing(data, wanted[-1:])
        counts = [row[0] for row in data.select(wanted[-1:]).to_rows()]
        if any(not isinstance(count, (int, float)) or count < 1 or not float(count).is_integer() for count in counts):
            raise BadRequest("must be positive whole numbers", parameter="data", column=self.count)
        low, high = edges[:, :, 0], edges[:, :, 1]
        if not (low <= high).all():
            raise BadRequest("a box ends before it begins", parameter="data")
        if len(np.unique(edges.reshape(data.rows, -1), axis=0)) < data.rows or _overlap(low, high):
            raise BadRequest("two boxes overlap", parameter="data")
        keys = tuple(edges[:, at // 2, at % 2].tolist() for at in range(2 * len(self.qid)))
        return GroupStats(wanted[:-1], keys, np.array(counts, np.int64))

    def seen(self, parts: Parts) -> Seen:
        """Return the boxes with their counts: a person may be in each that holds her values, edges and all."""
        groups, sides = self.groups(parts), 2 * len(self.qid)
        low, high = (np.array([groups.keys[at] for at in range(side, sides, 2)], np.float64).T for side in (0, 1))
        return seen_boxes(super().seen(parts), self.qid, low, high, groups.sizes)

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the boxes by their published counts."""
        publication = Publication(explicit=self.groups(parts))
        return [model.judge(publication) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the smallest count and the number of records."""
        sizes = self.groups(parts).sizes
        return {"smallest_count": int(sizes.min()), "records": int(sizes.sum())}

    def cautions(self, given: Collection[str]) -> list[str]:
        """Say where boxes end that nobody declared."""
        declared = {"boxes", "cuts", "hierarchies", "level"}.intersection(given)
        found = say("caution.box_edges")
        return [found] if "groups" in given and not declared else []

    def statement(self) -> Statement:
        return Statement(
            checked=[say("statement.no_overlap"), say("statement.counted_sizes")],
            not_checkable=[
                say("statement.counts_true"),
                say("statement.blind_edges"),
            ],
        )


def _overlap(low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]) -> bool:
    """Tell whether two boxes share more than edges; boxes are compared in blocks, to keep the memory small."""
    for start in range(0, len(low), _BLOCK):
        a, b = low[start : start + _BLOCK, None, :], high[start : start + _BLOCK, None, :]
        shared = np.asarray(((a < high[None]) & (low[None] < b)).all(axis=2))
        own = np.arange(start, min(start + _BLOCK, len(low)))
        shared[own - start, own] = False
        if shared.any():
            return True
    return False
