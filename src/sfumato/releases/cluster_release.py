"""Cluster release: centre, size and radius of each cluster, and its sensitive values; no record at all."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.columns import arrow_of, check_columns, counted, linked, made, numbers_of, without_missing
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import columns, param
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.errors import BadRequest
from sfumato.groups.anatomy import anatomy_groups
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats, Ints
from sfumato.releases._parts import Groups, group_numbers, seen_boxes
from sfumato.releases.grouped import distinct_names

__all__ = ["ClusterRelease"]

_BLOCK = 512
_ROUNDED = 1e-9


@frozen(eq=False)
class _Sized:
    """The clusters in the place of a table with one row per record, without making these rows."""

    cluster: str
    ids: Sequence[Hashable]
    sizes: Ints

    @property
    def types(self) -> Mapping[str, ColumnType]:
        return {self.cluster: ColumnType.INTEGER}

    def groups(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        return GroupStats((self.cluster,), (self.ids,), self.sizes)


class ClusterRelease(ReleaseKind):
    """Centre, size and radius of each cluster, and how often each sensitive value occurs in it.

    Part ``clusters`` has one row per cluster: number, centre, size, and the largest distance of a record from the centre
    (Euclidean, each column divided by its scale). Part ``sensitive`` lists sensitive values by cluster; without a sensitive
    column there is no such part. All records of a cluster look alike, so group requirements mean what they say.

    With ``centre="member"`` the centre is a record of the cluster, the one from which the farthest record is nearest: one
    person's exact values are published. ``centre="mean"`` publishes nobody's.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["X", "Disease"], [(0, "Flu"), (1, "HIV"), (2, "Flu"), (9, "Flu"), (11, "HIV")])
    >>> made = ClusterRelease.build(table, [1, 1, 1, 2, 2], ["X"], "Disease")
    >>> made.tables["clusters"].to_rows()
    [(1, 1.0, 3, 1.0), (2, 9.0, 2, 2.0)]
    >>> ClusterRelease(qid=("X",), sensitive="Disease").groups(made.tables).as_dict()
    {(1,): 3, (2,): 2}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.3.2.
    Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu, "Achieving anonymity via clustering", 2006.
    """

    id: ClassVar[str] = "cluster-release"
    stated: ClassVar[tuple[str, ...]] = ("scales",)
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=False,
        verifiable=say("verifiable.clusters"),
        published="groups",
        stops=frozenset({"record", "attribute", "probabilistic"}),
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.cluster"), say("noun.clusters"))
    by_members: ClassVar[bool] = True

    qid: tuple[str, ...] = columns(
        "quasi-identifier", some=True, doc="numeric columns that make the space of the clusters"
    )
    sensitive: str | None = columns("sensitive", doc="column whose values are listed by cluster", default=None)
    scales: tuple[float, ...] | None = param(default=None, doc="what each column is divided by in distances; 1 if none")
    centre: str = param(default="member", choices=("member", "mean"), doc="whether a centre is a record or the mean")
    cluster: str = param(default="Cluster", doc="name of the published column of cluster numbers")

    def validate(self) -> None:
        """Refuse names that clash, and scales that do not fit the columns."""
        distinct_names(self, [self.cluster, *self.qid, "Size", "Radius"])
        distinct_names(self, [self.cluster, *([self.sensitive] if self.sensitive else []), "Count"])
        if self.scales is not None and (len(self.scales) != len(self.qid) or min(self.scales) <= 0):
            raise BadRequest("must give a positive number per column", parameter=f"{self.id}.scales", value=self.scales)

    @classmethod
    def build(
        cls,
        table: Table,
        groups: Groups,
        qid: Sequence[str],
        sensitive: str | None = None,
        *,
        scales: Sequence[float] | None = None,
        centre: Literal["member", "mean"] = "member",
        centres: Mapping[int, int] | None = None,
        cluster: str = "Cluster",
    ) -> Built:
        """Return the release of a table under a given clustering (one number per record).

        ``centres`` gives the record (its position) that is the centre of each cluster, as an algorithm chose it; found from
        the records if not given.
        """
        kind = cls(
            qid=tuple(qid),
            sensitive=sensitive,
            scales=None if scales is None else tuple(scales),
            centre=centre,
            cluster=cluster,
        )
        check_columns(table, "qid", kind.qid)
        beside = () if sensitive is None else (sensitive,)
        check_columns(table, "sensitive", beside)
        points = numbers_of(table, kind.qid)
        numbers = group_numbers(groups, table.rows)
        ids, sizes = np.unique(numbers, return_counts=True)
        order = np.argsort(numbers, kind="stable")
        members = dict(zip(ids.tolist(), np.split(order, np.cumsum(sizes)[:-1]), strict=True))
        if centres is not None:
            kind._refuse_centres(centres, members)
        scale = np.array(kind.scales or (1.0,) * len(kind.qid))
        rows: list[Floats] = []
        radii: list[float] = []
        for number, inside in members.items():
            around = points[inside] / scale
            if centre == "mean":
                middle = points[inside].mean(axis=0)
            else:
                middle = points[centres[number]] if centres is not None else points[inside[_middle(around)]]
            rows.append(middle)
            radii.append(float(np.sqrt(((around - middle / scale) ** 2).sum(axis=1)).max()))
        at = np.array(rows)
        published = {cluster: ids} | {name: at[:, place] for place, name in enumerate(kind.qid)}
        tables = {"clusters": made(published | {"Size": sizes, "Radius": radii}, table.home)}
        if sensitive is not None:
            listed = {cluster: numbers, sensitive: arrow_of(table, [sensitive]).column(sensitive)}
            tables["sensitive"] = counted(listed, "Count", table.home)
        return Built(kind, tables, partial(linked, table, [*kind.qid, *beside], numbers))

    def _refuse_centres(self, centres: Mapping[int, int], members: Mapping[int, Ints]) -> None:
        if self.centre == "mean":
            raise BadRequest("are given where a centre is the mean", parameter="centres")
        for number, inside in members.items():
            if centres.get(number) not in inside:
                raise BadRequest("must name a record of every cluster", parameter="centres", value=number)

    def part_names(self) -> tuple[str, ...]:
        """Return the names of the public tables, the clusters first."""
        return ("clusters",) if self.sensitive is None else ("clusters", "sensitive")

    def roles(self) -> Mapping[str, Role]:
        known = dict.fromkeys(self.qid, Role.QUASI_IDENTIFIER)
        return known if self.sensitive is None else {**known, self.sensitive: Role.SENSITIVE}

    def groups(self, parts: Parts) -> GroupStats:
        """Return sizes and histograms of the clusters; refuse tables that are no clusters or do not fit together."""
        tables = self.tables(parts)
        clusters = tables["clusters"]
        wanted = (self.cluster, *self.qid, "Size", "Radius")
        if clusters.columns != wanted:
            raise BadRequest("does not hold the columns of clusters", parameter="clusters", available=wanted)
        without_missing(clusters, wanted)
        for name in wanted:
            if not clusters.types[name].numeric:
                raise BadRequest("must hold numbers", parameter="clusters", column=name)
        ids, *_, sizes, radii = (list(column) for column in zip(*clusters.sort().to_rows(), strict=True))
        if len(set(ids)) < len(ids):
            raise BadRequest("lists a cluster twice", parameter="clusters", column=self.cluster)
        if any(not float(size).is_integer() or size < 1 for size in sizes):
            raise BadRequest("must be positive whole numbers", parameter="clusters", column="Size")
        if any(not 0 <= radius < np.inf for radius in radii):
            raise BadRequest("must not be negative", parameter="clusters", column="Radius")
        sized = _Sized(self.cluster, ids, np.array(sizes, np.int64))
        if self.sensitive is None:
            return sized.groups([self.cluster])
        return anatomy_groups(sized, tables["sensitive"], group=self.cluster, sensitive=self.sensitive, count="Count")

    def seen(self, parts: Parts) -> Seen:
        """Return the clusters with their sizes: a person may be in each whose radius reaches her, column by column."""
        tables = self.tables(parts)
        self.groups(tables)
        clusters, learnt = tables["clusters"].sort(), {}
        centre = numbers_of(clusters, self.qid)
        sizes = numbers_of(clusters, ["Size"])[:, 0].astype(np.int64)
        reach = numbers_of(clusters, ["Radius"]) * np.array(self.scales or (1.0,) * len(self.qid))
        # Distances are rounded: whoever lies on the edge is inside.
        reach = reach * (1 + _ROUNDED) + np.spacing(np.abs(centre)) * 4
        if self.sensitive is not None:
            listed = arrow_of(tables["sensitive"], [self.cluster, self.sensitive, "Count"])
            number = numbers_of(clusters, [self.cluster])[:, 0]
            at = np.searchsorted(number, np.asarray(listed.column(self.cluster).to_numpy(), np.float64))
            centre, reach, sizes = centre[at], reach[at], np.asarray(listed.column("Count").to_numpy(), np.int64)
            learnt = {self.sensitive: listed.column(self.sensitive)}
        return seen_boxes(super().seen(tables), self.qid, centre - reach, centre + reach, sizes, learnt)

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the clusters by their published sizes and counts."""
        publication = Publication(explicit=self.groups(parts))
        return [model.judge(publication) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the size of the smallest cluster."""
        return {"smallest_cluster": int(self.groups(parts).sizes.min())}

    def cautions(self, given: Collection[str]) -> list[str]:
        """Say whose values centres are."""
        exact = say("caution.centre")
        return [exact] if self.centre == "member" else []

    def statement(self) -> Statement:
        listed = [say("statement.cluster_counts")] if self.sensitive is not None else []
        exact = [say("statement.centre_found")]
        return Statement(
            checked=[*listed, say("statement.sizes_and_counts")],
            not_checkable=[
                say("statement.centre_true"),
                *(exact if self.centre == "member" else []),
            ],
        )


def _middle(points: Floats) -> int:
    """Return the point whose farthest neighbour is nearest, the first of equals."""
    farthest = np.empty(len(points))
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        farthest[start : start + _BLOCK] = ((block[:, None, :] - points[None, :, :]) ** 2).sum(axis=2).max(axis=1)
    return int(farthest.argmin())
