"""Moved paths: who walks with whom, and points that were moved until the members of a group are near each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import type_of_value
from sfumato.engines import read
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import CodedKeys
from sfumato.trajectories.attack import TrajectorySeen
from sfumato.trajectories.coordinates import cells
from sfumato.trajectories.maps import map_of_walks
from sfumato.trajectories.moving_objects import MovingObjects, ObjectGroups, WalkModel
from sfumato.trajectories.path_kind import PathKind, refuse_other_columns, shown_columns, whose_rows
from sfumato.trajectories.trajectories import Moment, Trajectories

__all__ = ["MovedPaths"]


class MovedPaths(PathKind):
    """Paths in groups of which no two members are far from each other at any time; points are where nobody was.

    The part ``persons`` has a row for each person with the number of the group and the columns that are published; ``points``
    has a row for each point: metres ``x`` to the east and ``y`` to the north of ``origin``, or in the unit of the input.
    Persons and groups have numbers drawn anew.

    Adversary: reads both tables and knows where a person was, no more precisely than the groups are wide.

    Examples
    --------
    >>> from sfumato.trajectories.models import KDeltaAnonymity
    >>> objects = MovingObjects.of({"A": [(2, 0), (0, 0)], "B": [(4, 0), (0, 2)]})
    >>> built = MovedPaths.build(ObjectGroups.of(objects, [["A", "B"]]), np.random.default_rng(1))
    >>> built.tables["persons"].to_rows()
    [(1, 1), (2, 1)]
    >>> MovedPaths().verify(built.tables, [KDeltaAnonymity(k=2, delta=2)], ())[0].satisfied
    True

    References
    ----------
    Abul, Bonchi, Nanni, "Never walk alone: uncertainty for anonymity in moving objects databases", 2008,
    doi:10.1109/ICDE.2008.4497446.
    """

    id: ClassVar[str] = "moved-paths"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.rows_alone"),
        stops=frozenset({"record"}),
        searched=True,
    )
    stated: ClassVar[tuple[str, ...]] = ("origin", "zones")
    caveat: ClassVar[str] = say("statement.points_moved")
    own: ClassVar[Mapping[str, Role]] = {
        **dict.fromkeys(("person", "group"), Role.PLAIN),
        **dict.fromkeys(("time", "x", "y"), Role.QUASI_IDENTIFIER),
    }

    origin: tuple[float, ...] = param(
        default=(), doc="longitude and latitude that metres are counted from; none if not on the globe"
    )

    @classmethod
    def build(
        cls,
        groups: ObjectGroups,
        rng: np.random.Generator,
        *,
        columns: Mapping[str, CodedKeys] | None = None,
        sensitive: Sequence[str] = (),
        origin: tuple[float, ...] = (),
    ) -> Built:
        """Return the two tables of groups; ``columns`` hold a value for each object."""
        return Built(*cls.parts_of(groups, rng, columns or {}, sensitive, origin))

    @classmethod
    def parts_of(
        cls,
        groups: ObjectGroups,
        rng: np.random.Generator,
        held: Mapping[str, CodedKeys],
        sensitive: Sequence[str],
        origin: tuple[float, ...],
    ) -> tuple[MovedPaths, dict[str, Table]]:
        """Return the kind and the two tables of groups."""
        plain = tuple(name for name in held if name not in sensitive)
        kind = cls(sensitive=tuple(sensitive), plain=plain, origin=origin)
        objects = groups.objects
        named = rng.permutation(int(groups.group.max(initial=-1)) + 1) + 1
        order = np.lexsort((rng.permutation(len(objects)), named[groups.group]))
        rows, times = np.nonzero(objects.seen[order])
        persons: dict[str, object] = {"person": np.arange(1, len(order) + 1), "group": named[groups.group[order]]}
        persons |= {name: list(held[name].take(order)) for name in kind.shown}
        points = {
            "person": rows + 1,
            "time": [objects.times[at] for at in times.tolist()],
            "x": objects.x[order][rows, times],
            "y": objects.y[order][rows, times],
        }
        types = {"person": "integer", "time": type_of_value(objects.times[0]) if objects.times else "integer"}
        return kind, {"persons": read(persons), "points": read(points, types=types)}

    def part_names(self) -> tuple[str, ...]:
        return ("persons", "points")

    def view(self, parts: Parts) -> ObjectGroups:
        """Return the groups as they are published; refuse tables that do not fit together."""
        tables = self.tables(parts)
        wanted = {"persons": ("person", "group", *self.shown), "points": ("person", "time", "x", "y")}
        refuse_other_columns(tables, wanted)
        for part, count in (("persons", 2), ("points", 4)):
            if any(tables[part].missing()[name] for name in wanted[part][:count]):
                raise BadRequest("has gaps where a person, a group or a point must be", parameter=part)
        listed, held = tables["persons"], tables["points"]
        if not all(held.types[name].numeric for name in ("x", "y")):
            raise BadRequest("coordinates must be numbers", parameter="points")
        numbers, owners = whose_rows(listed, held, "point")
        shown = listed.as_rows().codes(["person", "group"])
        group = np.empty(len(numbers), np.int64)
        group[shown[:, 0]] = shown[:, 1]
        rows = held.as_rows().codes(["person", "time", "x", "y"]).astype(np.int64)
        times: tuple[Moment, ...] = tuple(held.dictionary("time").values)  # type: ignore[arg-type]  # numbers or dates
        if len(np.unique(owners * np.int64(max(len(times), 1)) + rows[:, 1])) < len(rows):
            raise BadRequest("a person is at two places at one time", parameter="points")
        both = np.full((2, len(numbers), len(times)), np.nan)
        for at, name in enumerate(("x", "y")):
            both[at, owners, rows[:, 1]] = np.array(held.dictionary(name).values, np.float64)[rows[:, 2 + at]]
        return ObjectGroups(MovingObjects(both[0], both[1], times, tuple(map(str, numbers))), group)

    def seen(self, parts: Parts) -> Seen:
        """Return the paths through the published points."""
        tables, paths = self.tables(parts), self.trajectories_of(parts)
        return TrajectorySeen(tables["persons"], tables, roles=self.roles(), trajectories=paths)

    def trajectories_of(self, parts: Parts) -> Trajectories:
        """Return the published points as paths through places of their own."""
        objects, listed = self.view(parts).objects, self.tables(parts)["persons"]
        owners, times = np.nonzero(objects.seen)
        x, y = objects.x[owners, times], objects.y[owners, times]
        codes, names, centres = cells(x, y, grid=None, h3=None, unit="metres")
        return Trajectories(
            np.concatenate(([0], np.cumsum(objects.seen.sum(axis=1)))).astype(np.int64),
            codes,
            times.astype(np.int32),
            tuple(names),
            cast(tuple[Moment, ...], objects.times),
            columns=shown_columns(listed, self.shown),
            x=x,
            y=y,
            centres=centres,
            unit="metres",
        )

    def verify(
        self, parts: Parts, models: Sequence[Model[ObjectGroups]], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the groups that the tables show; only (k, delta)-anonymity can be read from them."""
        view = self.view(parts)
        for model in models:
            if not isinstance(model, WalkModel):
                raise Unsupported(
                    f"moved points are not true: {model.id} cannot be read from them",
                    thing=model.id,
                    alternatives=["k-delta-anonymity"],
                )
        return [model.judge(view) for model in models]

    def pictures(self, parts: Parts) -> list[Picture]:
        """Return the map of groups, from what is published alone."""
        return map_of_walks(self.view(parts))

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return how many walk together at least, and how far they are apart at most."""
        view = self.view(parts)
        if not len(view.objects):
            return {}
        return {
            "smallest_group": min(len(members) for members in view.members),
            "farthest_apart": float(view.spreads.max()),
        }

    def operation(self, column: str) -> str:
        return "space-translation" if column in ("x", "y") else "none"
