"""Paths of regions: for each person and time a box of cells that holds where the person was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import type_of_value
from sfumato.engines import read
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import CodedKeys
from sfumato.trajectories.maps import map_of_regions
from sfumato.trajectories.path_kind import PathKind, refuse_other_columns, whose_rows
from sfumato.trajectories.region_seen import RegionSeen
from sfumato.trajectories.regions import Cloaked, RegionModel, Regions
from sfumato.trajectories.trajectories import Moment

__all__ = ["RegionPaths"]

_CORNERS = ("x1", "y1", "x2", "y2")


class RegionPaths(PathKind):
    """Boxes of grid cells, each of which holds where a person was at a time; objects that hide together share one.

    The part ``persons`` has a row for each person with the columns that are published, ``regions`` one for each person and
    time: the first and the last cell of the box, both inside, and whether it was taken to be ``known`` where the person was. A
    cell is ``cell`` metres wide and is counted from ``origin``. Persons have numbers drawn anew.

    Adversary: reads both tables and knows where a person was at the times that are marked.

    Examples
    --------
    >>> from sfumato.trajectories.models import MobKAnonymity
    >>> from sfumato.trajectories.moving_objects import MovingObjects
    >>> raw = MovingObjects.of({"A": [(1, 1)], "B": [(2, 2)]})
    >>> box = ((1, 1), (2, 2))
    >>> built = RegionPaths.build(Cloaked.of(raw, Regions.of({"A": [box], "B": [box]})), np.random.default_rng(1))
    >>> built.tables["regions"].to_rows()
    [(1, 0, 1, 1, 2, 2, True), (2, 0, 1, 1, 2, 2, True)]
    >>> RegionPaths().verify(built.tables, [MobKAnonymity(k=2)], ())[0].satisfied
    True

    References
    ----------
    Yarovoy, Bonchi, Lakshmanan, Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?", 2009,
    doi:10.1145/1516360.1516370.
    """

    id: ClassVar[str] = "region-paths"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=True,
        verifiable=say("verifiable.rows_alone"),
        stops=frozenset({"record"}),
        searched=True,
    )
    stated: ClassVar[tuple[str, ...]] = ("cell", "origin", "zones")
    caveat: ClassVar[str] = say("statement.regions_true")
    own: ClassVar[Mapping[str, Role]] = {
        **dict.fromkeys(("person", "known"), Role.PLAIN),
        **dict.fromkeys(("time", *_CORNERS), Role.QUASI_IDENTIFIER),
    }

    cell: float = param(default=1.0, gt=0, doc="width of a cell, in metres or the unit of the input")
    origin: tuple[float, ...] = param(
        default=(), doc="longitude and latitude that cells are counted from; none if not on the globe"
    )

    @classmethod
    def build(
        cls,
        cloaked: Cloaked,
        rng: np.random.Generator,
        *,
        columns: Mapping[str, CodedKeys] | None = None,
        sensitive: Sequence[str] = (),
        cell: float = 1.0,
        origin: tuple[float, ...] = (),
    ) -> Built:
        """Return the two tables of regions; ``columns`` hold a value for each object."""
        return Built(*cls.parts_of(cloaked, rng, columns or {}, sensitive, cell, origin))

    @classmethod
    def parts_of(
        cls,
        cloaked: Cloaked,
        rng: np.random.Generator,
        columns: Mapping[str, CodedKeys],
        sensitive: Sequence[str],
        cell: float,
        origin: tuple[float, ...],
    ) -> tuple[RegionPaths, dict[str, Table]]:
        """Return the kind and the two tables of regions."""
        plain = tuple(name for name in columns if name not in sensitive)
        kind = cls(sensitive=tuple(sensitive), plain=plain, cell=cell, origin=origin)
        regions = cloaked.published
        order = rng.permutation(len(regions))
        rows, times = np.nonzero(regions.seen[order])
        corners = np.concatenate((regions.low, regions.high), axis=2)[order][rows, times]
        held = {
            "person": rows + 1,
            "time": [regions.times[at] for at in times.tolist()],
            **{name: corners[:, at] for at, name in enumerate(_CORNERS)},
            "known": cloaked.known[order][rows, times],
        }
        persons: dict[str, object] = {"person": np.arange(1, len(order) + 1)}
        persons |= {name: list(columns[name].take(order)) for name in kind.shown}
        types = {"person": "integer", "time": type_of_value(regions.times[0]) if regions.times else "integer"}
        return kind, {"persons": read(persons), "regions": read(held, types=types)}

    def part_names(self) -> tuple[str, ...]:
        return ("persons", "regions")

    def view(self, parts: Parts) -> Cloaked:
        """Return the regions as they are published; refuse tables that do not fit together."""
        tables = self.tables(parts)
        columns = ("person", "time", *_CORNERS, "known")
        refuse_other_columns(tables, {"persons": ("person", *self.shown), "regions": columns})
        listed, held = tables["persons"], tables["regions"]
        if listed.missing()["person"] or any(held.missing()[name] for name in columns):
            raise BadRequest("has gaps where a person or a region must be", parameter="regions")
        numbers, owners = whose_rows(listed, held, "region")
        rows = held.as_rows().codes(list(columns)).astype(np.int64)
        times: tuple[Moment, ...] = tuple(held.dictionary("time").values)  # type: ignore[arg-type]  # numbers or dates
        seen = np.zeros((len(numbers), len(times)), np.bool_)
        seen[owners, rows[:, 1]] = True
        if int(seen.sum()) < len(rows):
            raise BadRequest("a person has two regions at one time", parameter="regions")
        corners = np.zeros((len(numbers), len(times), 4), np.int64)
        for at, name in enumerate(_CORNERS):
            values = held.dictionary(name).values
            if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
                raise BadRequest("corners must be whole numbers of cells", parameter="regions")
            corners[owners, rows[:, 1], at] = np.array(values, np.int64)[rows[:, 2 + at]]
        if (corners[:, :, :2] > corners[:, :, 2:]).any():
            raise BadRequest("a box ends before it begins", parameter="regions")
        marks = held.dictionary("known").values
        if not all(isinstance(value, bool) for value in marks):
            raise BadRequest("must be true or false", parameter="regions.known")
        known = np.zeros_like(seen)
        known[owners, rows[:, 1]] = np.array(marks, np.bool_)[rows[:, 6]]
        names = tuple(map(str, numbers))
        low, high = np.ascontiguousarray(corners[:, :, :2]), np.ascontiguousarray(corners[:, :, 2:])
        regions = Regions(low, high, seen, times, names)
        return Cloaked(regions, regions, known)

    def seen(self, parts: Parts) -> Seen:
        """Return the regions; as a table an adversary has one row for each person."""
        tables = self.tables(parts)
        return RegionSeen(tables["persons"], tables, roles=self.roles(), cloaked=self.view(parts))

    def verify(
        self, parts: Parts, models: Sequence[Model[Cloaked]], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the regions by each other; only MOB k-anonymity can be read from them."""
        view = self.view(parts)
        for model in models:
            if not isinstance(model, RegionModel):
                raise Unsupported(
                    f"regions are no points: {model.id} cannot be read from them",
                    thing=model.id,
                    alternatives=["mob-k-anonymity"],
                )
        return [model.judge(view) for model in models]

    def pictures(self, parts: Parts) -> list[Picture]:
        """Return the map of regions, from what is published alone."""
        return map_of_regions(self.view(parts).published)

    def operation(self, column: str) -> str:
        return "bounding-box" if column in _CORNERS else "none"
