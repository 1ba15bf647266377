"""Mondrian over several sites: the groups of all rows together, found while every row stays where it is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.text import interval_label, to_text
from sfumato.errors import BadRequest
from sfumato.parties.blocks.counting import COUNTING, Counting, Mode
from sfumato.parties.blocks.cutting import Axis, Cut, Cutting, Promise, Region, SiteRows
from sfumato.parties.blocks.mix import MIXING, mixed
from sfumato.parties.conversation.message import Body, OutOfProtocol, canonical
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.conversation.protocol import ReleasingProtocol

if TYPE_CHECKING:
    from sfumato.contracts.run import Run
    from sfumato.parties.collaboration import Collaboration
    from sfumato.parties.contract import Contract

__all__ = ["Axis", "DistributedMondrian", "JointGroups", "SiteTable"]


@frozen(eq=False)
class SiteTable:
    """What a site brings: rows, and the axes of the quasi-identifiers as all sites agreed on them.

    ``sensitive`` names the column whose values are counted where different ones are asked for, out of the public ``values``.
    Columns that are no axis travel beside the groups.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    axes: Sequence[Axis]
    sensitive: str | None = None
    values: Sequence[object] = ()

    def column(self, name: str) -> list[object]:
        """Return the values of a column."""
        if name not in self.columns:
            raise BadRequest("is not a column of this site", column=name, available=self.columns)
        at = list(self.columns).index(name)
        found = [row[at] for row in self.rows]
        if any(one is None for one in found):
            raise BadRequest("has missing values; leave the records out or fill them before the session", column=name)
        return found

    @property
    def beside(self) -> list[str]:
        """Names of the columns that are no axis."""
        taken = {axis.name for axis in self.axes}
        return [name for name in self.columns if name not in taken]

    def coordinates(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Return the coordinates of all rows."""
        found = [axis.places(self.column(axis.name)) for axis in self.axes]
        return np.column_stack(found) if self.rows else np.zeros((0, len(self.axes)), np.int64)

    def codes(self) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
        """Return the number of each sensitive value."""
        if self.sensitive is None:
            return None
        known = {value: at for at, value in enumerate(self.values)}
        held = self.column(self.sensitive)
        if any(value not in known for value in held):
            raise BadRequest("has values that are not on the list all sites agreed on", column=self.sensitive)
        return np.array([known[value] for value in held], np.int64)

    def agreement(self) -> Json:
        """Return what must be the same at every site."""
        axes: list[Json] = [
            [one.name, one.low, one.high, one.scale, None if one.tree is None else _described(one)] for one in self.axes
        ]
        return [list(self.columns), axes, self.sensitive, [to_text(value) for value in self.values]]


def _described(axis: Axis) -> Json:
    assert axis.tree is not None
    leaves = [to_text(leaf) for leaf in axis.tree.leaves]
    return [list(axis.tree.labels), [int(one) for one in axis.tree.parent], leaves]


@frozen
class JointGroups:
    """What a site knows in the end: all groups by their labels, which of them each own row is in, and the joint table.

    ``ranges`` are the lowest and highest coordinate of each group. ``cuts`` tell how the groups came about, by number: 0 is
    all rows, ``leaves`` are the numbers of the groups that stayed. ``union`` are the rows of all sites: labels, then the
    columns beside them, in an order that tells nothing.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    ranges: tuple[tuple[tuple[float, float], ...], ...]
    group_of: tuple[int, ...]
    leaves: tuple[int, ...]
    cuts: tuple[Cut, ...]
    columns: tuple[str, ...] = ()
    union: tuple[tuple[Json, ...], ...] = ()


@frozen(kw_only=True)
class Agreed(Body):
    """A digest of what all sites must have agreed on, or of what they found."""

    type: ClassVar[str] = "box.agreed"
    control: ClassVar[bool] = True
    digest: str

    def reveals(self) -> str:
        """Nothing new."""
        return say("blocks.agreed")


class DistributedMondrian(ReleasingProtocol[SiteTable, JointGroups]):
    """Cut the records of all sites as Mondrian does, while each site keeps its rows.

    For every group the sites find minimum, maximum and lower median of each quasi-identifier by halving its public range, cut
    along the widest (as a share of the range of all records; of equal ones the first) into ``<= m`` and ``> m``, or into the
    children of the lowest node of a tree, if every part keeps the promise, else try the next; a group without such a cut
    stays. The groups are those of ``mondrian`` on the union, bit for bit. All questions are sums that must reach a
    threshold: ``count >= k``, the sites with a record ``>= l``, for each sensitive value whether it is there, and for each
    site whether the others have ``residual`` records or none.

    In ``sum`` mode the leader of a group learns counts (three sites at least), in ``bits`` mode nobody does. Every branch has
    another leader, all sites learn the same bits and decide by themselves. Rows are then published through a mix: nobody
    learns which site a row comes from. Every site learns minimum, maximum and median of each group, however groups are
    labelled. A leader that gives false bits breaks the promise; the same person at two sites is counted twice, which
    ``minimal-information-sharing`` can find out beforehand.

    Examples
    --------
    >>> from sfumato.parties.protocols import Axis, DistributedMondrian, SiteTable
    >>> axes = [Axis("Age", 0, 127)]
    >>> sites = {
    ...     "north": SiteTable(["Age"], [[30], [33]], axes),
    ...     "south": SiteTable(["Age"], [[45], [56]], axes),
    ...     "west": SiteTable(["Age"], [[30], [53]], axes),
    ... }
    >>> DistributedMondrian(k=3, mode="sum", labels="tight").simulate(sites).results["west"].labels
    (('[30-33]',), ('[45-56]',))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 12.3.
    Jurczyk, Xiong, "Distributed anonymization: achieving privacy for both data subjects and data providers", 2009,
    doi:10.1007/978-3-642-03007-9_13.
    """

    id: ClassVar[str] = "distributed-mondrian"
    aliases: ClassVar[tuple[str, ...]] = ("horizontal-collaborative-anonymization",)
    partition: ClassVar[Literal["vertical", "horizontal"]] = "horizontal"
    bodies: ClassVar[Sequence[type[Body]]] = (Agreed, *COUNTING, *MIXING)

    k: int = param(
        default=1, ge=1, doc="smallest number of records in a group; requirements of a contract may ask for more"
    )
    l: int = param(default=1, ge=1, doc="smallest number of sites with a record in a group")
    values: int = param(default=1, ge=1, doc="smallest number of different sensitive values in a group")
    residual: int = param(
        default=0, ge=0, doc="records that must be left, if any, when a site takes out its own; 0: any"
    )
    mode: Mode = param(default="bits", choices=("sum", "bits"), doc="whether leaders learn counts, or nobody does")
    rotate: bool = param(default=True, doc="whether every branch has a leader of its own")
    decimals: int = param(default=0, ge=0, le=9, doc="digits after the point of numbers, where a contract gives ranges")
    labels: Literal["cut", "tight"] = param(
        default="cut",
        choices=("cut", "tight"),
        doc="whether a group is shown as the part of the public range it was cut down to, or as the values its records span",
    )
    largest: int = param(default=1 << 20, ge=1, lt=1 << 40, doc="largest number of rows that a site may bring")
    row_bytes: int = param(default=256, ge=16, le=1 << 15, doc="length of a row in the mix")
    slots: int = param(default=0, ge=0, doc="rows that each site seems to have in the mix; 0 shows how many it has")

    def refuse_holders(self, names: Sequence[str]) -> None:
        """Refuse more sites in a group than there are, and two sites who would learn each other's counts."""
        super().refuse_holders(names)
        if self.l > len(names):
            raise BadRequest(
                f"must not exceed the number of sites, {len(names)}", parameter=f"{self.id}.l", value=self.l
            )
        if self.mode == "sum" and len(names) < 3:
            raise BadRequest(
                "counts of two sites tell each the other's: use bits",
                parameter=f"{self.id}.mode",
                value=self.mode,
                available=["bits"],
            )

    def central(self) -> Mapping[str, Json]:
        """Return the same search for one holder of everything."""
        return {"id": "mondrian"}

    def collaborate(
        self, contract: Contract, sources: Mapping[str, object], *, run: Run, order: np.random.Generator | None = None
    ) -> Collaboration:
        """Open what each site has, and run all of them in this process."""
        from sfumato.parties.horizontal import collaborated_sites

        return collaborated_sites(self, contract, sources, run, order)

    def talk(self, seat: Seat, own: SiteTable) -> Talk[JointGroups]:
        """Return the groups and the joint table, the same at every site but for the own rows."""
        self._refuse(own)
        site = SiteRows(seat.index, own.coordinates(), own.codes())
        yield from self._agree(
            seat, [self.spec(), own.agreement()], "sites have not agreed on the same columns, ranges and parameters"
        )
        promise = Promise(self.k, self.l, self.values, self.residual)
        cutting = Cutting(own.axes, promise, len(seat.names), len(own.values), rotate=self.rotate)
        counting = Counting(seat, self.mode, self.largest)
        yield from counting.prepare()
        while asked := cutting.questions:
            seat.round += 1
            weights = [site.weight(one) for one in asked]
            thresholds = [one.threshold for one in asked]
            cutting.answer((yield from counting.reached(weights, thresholds, [cutting.leader(one) for one in asked])))
            for cut in cutting.fresh:
                site.cut(cut)
        cuts: list[Json] = [[one.group, one.axis, one.at] for one in cutting.cuts]
        yield from self._agree(seat, cuts, "sites have found different groups")
        groups = self._groups(own, site, cutting)
        seat.learns(say("blocks.ranges"))
        rows = [canonical(row) for row in self._rows(own, groups)]
        union = yield from mixed(seat, rows, length=self.row_bytes, slots=self.slots)
        return self._joint(groups, own, union)

    def _refuse(self, own: SiteTable) -> None:
        if not own.axes:
            raise BadRequest("needs a quasi-identifier that all sites have", parameter=f"{self.id}.axes")
        if self.values > 1 and own.sensitive is None:
            raise BadRequest("needs a sensitive column", parameter=f"{self.id}.values", value=self.values)
        if len(own.rows) > self.largest:
            raise BadRequest("has more rows than agreed on", parameter=f"{self.id}.largest", value=self.largest)

    def _agree(self, seat: Seat, what: Json, rule: str) -> Talk[None]:
        """Compare digests: sites that differ stop before anything else is said."""
        digest = sha256(canonical(what)).hexdigest()
        heard = yield from seat.exchange(Agreed(digest=digest))
        others = [name for name, body in heard.items() if body.digest != digest]
        if others:
            raise OutOfProtocol(
                f"what {seat.name} has is not what {', '.join(others)} has: it {rule}", parameter=self.id
            )

    # ---- what is published -----------------------------------------------------------------------------------------------

    def _groups(self, own: SiteTable, site: SiteRows, cutting: Cutting) -> JointGroups:
        leaves = sorted(cutting.leaves)
        group_of = np.zeros(len(own.rows), np.int64)
        for number, leaf in enumerate(leaves):
            group_of[site.rows[leaf]] = number
        regions = [cutting.regions[leaf] for leaf in leaves]
        return JointGroups(
            names=tuple(axis.name for axis in own.axes),
            labels=tuple(self._labels(own.axes, region) for region in regions),
            ranges=tuple(
                tuple(
                    (axis.number(low), axis.number(high))
                    for axis, low, high in zip(own.axes, one.low, one.high, strict=True)
                )
                for one in regions
            ),
            group_of=tuple(group_of.tolist()),
            leaves=tuple(leaves),
            cuts=tuple(cutting.cuts),
            columns=(*(axis.name for axis in own.axes), *own.beside),
        )

    def _labels(self, axes: Sequence[Axis], region: Region) -> tuple[str, ...]:
        ends = zip(region.low, region.high, strict=True) if self.labels == "tight" else region.bounds
        return tuple(_label(axis, low, high) for axis, (low, high) in zip(axes, ends, strict=True))

    def _rows(self, own: SiteTable, groups: JointGroups) -> list[Json]:
        beside = [own.column(name) for name in own.beside]
        return [[group, *(_plain(one[at]) for one in beside)] for at, group in enumerate(groups.group_of)]

    def _joint(self, groups: JointGroups, own: SiteTable, union: Sequence[bytes]) -> JointGroups:
        rows = []
        for text in union:
            try:
                group, *beside = json.loads(text)
                rows.append((*groups.labels[group], *beside))
            except (ValueError, TypeError, IndexError):
                raise OutOfProtocol("holds a row that cannot be read", parameter=self.id) from None
            if len(beside) != len(own.beside):
                raise OutOfProtocol("holds a row of another width", parameter=self.id)
        return replace(groups, union=tuple(sorted(rows, key=str)))


def _label(axis: Axis, low: int, high: int) -> str:
    if axis.tree is not None:
        return axis.tree.labels[axis.cover(low, high)]
    if low == high:
        return to_text(axis.number(low))
    return interval_label(axis.number(low), axis.number(high), closed=True)


def _plain(value: object) -> Json:
    return value if isinstance(value, bool | int | float | str) else to_text(value)
