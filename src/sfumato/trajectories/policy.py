"""What the publisher asks for where data are paths: whose they are, what places and times are, what is mended and lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from sfumato.catalogue import build
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import Thing
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.policy import LimitPolicy, Section, SharedPolicy, Spec, SpecOrId, read_in
from sfumato.tables.policy import ColumnPolicy
from sfumato.trajectories.coordinates import width_of
from sfumato.trajectories.recodings.privacy_zones import PrivacyZones
from sfumato.trajectories.recodings.stay_points import StayPoints
from sfumato.trajectories.repairs import checked_repairs
from sfumato.trajectories.sources import UNITS, Layout
from sfumato.trajectories.times import length_of

__all__ = ["PersonColumn", "PlacePolicy", "TimePolicy", "TrajectoryLimits", "TrajectoryPolicy"]

OWN_COLUMNS = frozenset({"person", "points", "place", "time"})
"""What the published tables call their own columns."""

ALWAYS = (
    "pairs-kept",
    "visits-by-cell-and-hour",
    "flow-divergence",
    "origin-destination-divergence",
    "trip-duration",
    "distinct-places",
    "visit-entropy",
)
"""Metrics that are reported beside the default ones where a policy names none."""

WITH_COORDINATES = ("trip-length", "radius-of-gyration", "distance-distortion", "range-query-error")
"""The same where points have coordinates."""


def _rule(error: BadRequest) -> PydanticCustomError:
    return PydanticCustomError("rule", error.rule.replace("{", "{{").replace("}", "}}"))


def _shared(spec: Mapping[str, object]) -> Mapping[str, object]:
    """Return a requirement whose C is a share where it was given in percent."""
    given = spec.get("C")
    text = to_text(given).strip() if isinstance(given, (int, float, str)) else ""
    try:
        number = Fraction(text.removesuffix("%"))
    except ValueError:
        return spec
    percent = text.endswith("%") or 1 < number <= 100
    return {**spec, "C": float(number / 100)} if percent else spec


class PlacePolicy(Section):
    """Where points are."""

    column: str | None = None
    """The column that names places."""
    x: str | None = None
    """The column of longitudes, or of metres to the east."""
    y: str | None = None
    """The column of latitudes, or of metres to the north."""
    grid: str | float | None = None
    """Places are cells of so many metres: 250m, 2km."""
    h3: int | None = Field(default=None, ge=0, le=15)
    """Places are H3 cells of this resolution."""
    unit: str = "degrees"
    """What coordinates are: degrees or metres."""
    hierarchy: SpecOrId | None = None
    """How places become more general: the id of a hierarchy and its parameters."""

    def lattice(self) -> dict[str, float | str] | None:
        """Return what the names of cells stand for; nothing where places have names or coordinates of their own."""
        if self.grid is not None:
            return {"width": width_of(self.grid), "unit": self.unit}
        return None if self.h3 is None else {"h3": self.h3}

    @field_validator("grid")
    @classmethod
    def _grid(cls, given: str | float | None) -> str | float | None:
        try:
            return given if given is None or width_of(given) else None
        except BadRequest as error:
            raise _rule(error) from None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.unit not in UNITS:
            raise PydanticCustomError("unit", "unit must be degrees or metres")
        flat = self.x is not None or self.y is not None
        if flat and (self.x is None or self.y is None):
            raise PydanticCustomError("place", "give both x and y")
        if flat == (self.column is not None):
            raise PydanticCustomError("place", "give the column of places, or x and y")
        if self.grid is not None and self.h3 is not None:
            raise PydanticCustomError("place", "give a grid or h3, not both")
        if not flat and (self.grid is not None or self.h3 is not None):
            raise PydanticCustomError("place", "a grid needs x and y")
        return self


class TimePolicy(Section):
    """When points are."""

    column: str
    """The column of times: numbers, days, or days with their time."""
    bin: str | float | None = None
    """The length of time that counts as one: 15min, 1h, 1d; a number where times are numbers."""

    @field_validator("bin")
    @classmethod
    def _bin(cls, given: str | float | None) -> str | float | None:
        try:
            return given if given is None or length_of(given) else None
        except BadRequest as error:
            raise _rule(error) from None


class PersonColumn(Section):
    """A column that has one value for each person."""

    role: Role = Role.PLAIN
    """quasi-identifier: known beside points, masked; sensitive: nobody should learn it; plain: published; drop: left out."""
    hierarchy: SpecOrId | None = None
    """How values of a quasi-identifier become more general: the id of a hierarchy and its parameters."""
    range: tuple[float, float] | None = None
    """The range of a number that is cut into intervals without a hierarchy; observed if not given."""

    @field_validator("role")
    @classmethod
    def _known(cls, given: Role) -> Role:
        if given not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.PLAIN, Role.DROP):
            raise PydanticCustomError("role", "must be quasi-identifier, sensitive, plain or drop")
        return given

    @model_validator(mode="after")
    def _masked(self) -> Self:
        if self.role is not Role.QUASI_IDENTIFIER and (self.hierarchy is not None or self.range is not None):
            raise PydanticCustomError("role", "a hierarchy or a range is for quasi-identifiers only")
        return self

    def as_column(self) -> ColumnPolicy:
        """Return how a table of persons says the same."""
        return ColumnPolicy(role=self.role, hierarchy=self.hierarchy, range=self.range)


class TrajectoryLimits(LimitPolicy):
    """What the search may not exceed."""

    lose_at_most: float = Field(default=1.0, ge=0.0, le=1.0)
    """Largest share of points that may be left out."""


class TrajectoryPolicy(SharedPolicy):
    """A policy for paths of persons."""

    person: str | None = None
    """The column that names whose point it is; never published."""
    place: PlacePolicy | None = None
    """Where points are."""
    time: TimePolicy | None = None
    """When points are."""
    columns: dict[str, PersonColumn] = Field(default_factory=dict)
    """What else is known of a person, by column; columns that are not named are left out."""
    repair: dict[str, str] = Field(default_factory=dict)
    """What is mended and counted instead of refused: the name of a mistake and what to do about it."""
    operations: tuple[SpecOrId, ...] = ()
    """What is done to points before the search, id and parameters: stay-points first, then privacy-zones."""
    limits: TrajectoryLimits = TrajectoryLimits()
    """What the search may not exceed."""
    algorithm: Spec = Field(default={"id": "trajectory-anonymizer"})
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = ("lost-points", "maximal-frequent-sequences")
    """Metrics to report: ids, or id and parameters; all that fit the data if not given."""

    @model_validator(mode="before")
    @classmethod
    def _class_by_class(cls, given: object) -> object:
        """Take the one algorithm that masks columns as well, where there are columns to mask and no algorithm is named."""
        columns = given.get("columns") if isinstance(given, Mapping) else None
        if not isinstance(given, Mapping) or not isinstance(columns, Mapping) or "algorithm" in given:
            return given
        roles = (one.get("role") if isinstance(one, Mapping) else None for one in columns.values())
        return {**given, "algorithm": {"id": "class-by-class"}} if Role.QUASI_IDENTIFIER in roles else given

    @field_validator("repair")
    @classmethod
    def _repair(cls, given: dict[str, str]) -> dict[str, str]:
        try:
            checked_repairs(given)
        except BadRequest as error:
            named = PydanticCustomError("repair", str(error).replace("{", "{{").replace("}", "}}"))
            raise named from None
        return given

    @field_validator("columns")
    @classmethod
    def _columns(cls, given: dict[str, PersonColumn]) -> dict[str, PersonColumn]:
        taken = sorted(name for name, told in given.items() if name in OWN_COLUMNS and told.role is not Role.DROP)
        if taken:
            raise PydanticCustomError("columns", f"the published tables have a column {taken[0]} of their own")
        return given

    @field_validator("operations")
    @classmethod
    def _operations(cls, given: tuple[dict[str, object] | str, ...]) -> tuple[dict[str, object] | str, ...]:
        ids = [one if isinstance(one, str) else str(one.get("id")) for one in given]
        if any(one not in (StayPoints.id, PrivacyZones.id) for one in ids):
            raise PydanticCustomError("operations", "what is done to points first is stay-points or privacy-zones")
        if len(set(ids)) < len(ids) or ids != sorted(ids, reverse=True):
            raise PydanticCustomError("operations", "give stay-points first, then privacy-zones, each once")
        return given

    def percents(self) -> int:
        """Return how many requirements give their C in percent and are read as shares."""
        return sum(_shared(spec) != spec for spec in self.requirements) if "percent" in self.repair else 0

    def _requirement(self, spec: Mapping[str, object]) -> Thing:
        return super()._requirement(_shared(spec) if "percent" in self.repair else spec)

    def stays(self) -> StayPoints | None:
        """Return how points become stops and trips, if they do."""
        return next((one for one in self._done() if isinstance(one, StayPoints)), None)

    def zones(self) -> PrivacyZones | None:
        """Return what is hidden around the places of persons, if anything is."""
        return next((one for one in self._done() if isinstance(one, PrivacyZones)), None)

    def _done(self) -> list[Thing]:
        return [build(one, "operation", self.shape) for one in self.operations]

    def layout(self) -> Layout:
        """Return which columns say who was where and when; refuse a policy that does not name them."""
        place, time = self.place or PlacePolicy.model_construct(), self.time
        return Layout(
            self.person,
            place.column,
            None if time is None else time.column,
            place.x,
            place.y,
            place.grid,
            place.h3,
            place.unit,
            None if time is None else time.bin,
            self.repair,
        )

    def published(self) -> dict[str, Role]:
        """Return the columns of persons that are published, with their roles."""
        return {name: told.role for name, told in self.columns.items() if told.role is not Role.DROP}

    def known(self) -> dict[str, ColumnPolicy]:
        """Return the columns of persons that an adversary knows, and how they may be masked."""
        return {name: told.as_column() for name, told in self.columns.items() if told.role is Role.QUASI_IDENTIFIER}

    def taxonomy(self) -> HierarchyBuilder | None:
        """Return what the taxonomy of places is built by, if there is one."""
        given = None if self.place is None else self.place.hierarchy
        return None if given is None else build(given, "hierarchy")

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        for at, one in enumerate(self.operations):
            yield ("operations", at), partial(build, one, "operation", self.shape)
        held: dict[tuple[str | int, ...], dict[str, object] | str | None] = {
            ("columns", name, "hierarchy"): told.hierarchy for name, told in self.columns.items()
        }
        held["place", "hierarchy"] = None if self.place is None else self.place.hierarchy
        for path, given in held.items():
            if given is not None and not (isinstance(given, dict) and given.get("file") is not None):
                yield path, partial(build, given, "hierarchy")

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with its taxonomy files read in, so that it stands on its own."""
        columns = {
            name: told.model_copy(update={"hierarchy": read_in(told.hierarchy, base)})
            for name, told in self.columns.items()
        }
        place = self.place and self.place.model_copy(update={"hierarchy": read_in(self.place.hierarchy, base)})
        return self.model_copy(update={"columns": columns, "place": place})

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        inside: dict[str, type[Section]] = {
            "place": PlacePolicy,
            "time": TimePolicy,
            "columns": PersonColumn,
            "limits": TrajectoryLimits,
        }
        if len(path) > 1 and str(path[0]) in inside:
            return list(inside[str(path[0])].model_fields)
        return super()._known_keys(path)
