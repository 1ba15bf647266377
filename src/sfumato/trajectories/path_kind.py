"""Kinds of releases of paths: persons with what is published of them, and a row elsewhere for each time they were seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.release import ReleaseKind
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.coordinates import METRES_PER_DEGREE

__all__ = ["PathKind", "ZonedKind", "refuse_other_columns", "shown_columns", "whose_rows"]


class ZonedKind(ReleaseKind):
    """Made of paths of which points may have been hidden before, in privacy zones."""

    shape: ClassVar[str] = "trajectories"

    zones: Mapping[str, float] | None = param(
        default=None, doc="privacy zones that were hidden before: their parameters; no reader can see them"
    )

    lattice: Mapping[str, float | str] | None = param(
        default=None,
        doc="what the name of a place stands for: width and unit of the cells of a grid, or the resolution of H3",
    )

    def validate(self) -> None:
        """Refuse zones that do not say how large they are, and places that are neither cells of a grid nor of H3."""
        super().validate()
        cells: object = self.lattice
        if cells is not None and not (isinstance(cells, Mapping) and set(cells) in ({"width", "unit"}, {"h3"})):
            raise BadRequest("must say width and unit, or the resolution of h3", parameter=f"{self.id}.lattice")
        given: object = self.zones
        if given is not None and not (isinstance(given, Mapping) and {"radius", "shift", "places"} <= set(given)):
            raise BadRequest("must say by name how large they are", parameter=f"{self.id}.zones")

    def hidden(self) -> list[str]:
        """Say what places stand for, what was hidden around those of persons, and what that does not promise."""
        told = [] if self.lattice is None else [_placed(self.lattice)]
        if self.zones is None:
            return told
        return [
            *told,
            say("statement.zones_hidden", radius=self.zones["radius"], places=self.zones["places"]),
            say("statement.privacy_zones", shift=self.zones["shift"]),
        ]


def _placed(cells: Mapping[str, float | str]) -> str:
    """Say where on earth a place is: only then can somebody else draw it."""
    if "h3" in cells:
        return say("statement.cells_of_h3", resolution=cells["h3"])
    if cells["unit"] == "metres":
        return say("statement.cells_in_metres", width=cells["width"])
    return say("statement.cells_in_degrees", width=cells["width"], degree=round(METRES_PER_DEGREE, 2))


class PathKind(ZonedKind):
    """Paths, one for each person, beside columns of persons."""

    own: ClassVar[Mapping[str, Role]]
    """The columns that every release of the kind has."""
    caveat: ClassVar[str]
    """What nobody can see from outside."""

    sensitive: tuple[str, ...] = param(
        default=(), doc="columns of persons that nobody should learn; published as they are"
    )
    plain: tuple[str, ...] = param(default=(), doc="further columns of persons that are published as they are")

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns of persons that are published."""
        return (*self.sensitive, *self.plain)

    def roles(self) -> Mapping[str, Role]:
        return {
            **self.own,
            **dict.fromkeys(self.sensitive, Role.SENSITIVE),
            **dict.fromkeys(self.plain, Role.PLAIN),
        }

    def statement(self) -> Statement:
        return Statement(checked=[say("statement.every_anew")], not_checkable=[self.caveat, *self.hidden()])


def refuse_other_columns(tables: Mapping[str, Table], wanted: Mapping[str, Sequence[str]]) -> None:
    """Refuse tables that do not have exactly these columns."""
    for part, names in wanted.items():
        if set(tables[part].columns) != set(names):
            raise BadRequest(
                f"must have the columns {', '.join(names)}", parameter=part, value=list(tables[part].columns)
            )


def whose_rows(listed: Table, held: Table, noun: str) -> tuple[tuple[object, ...], Ints]:
    """Return the numbers of the persons that are listed, in order, and the place among them for each row of another table."""
    numbers = tuple(listed.dictionary("person").values)
    if len(numbers) < listed.rows:
        raise BadRequest("a person is listed twice", parameter="persons")
    place = {value: at for at, value in enumerate(numbers)}
    people = held.dictionary("person").values
    if not all(value in place for value in people):
        raise BadRequest(f"a {noun} is of a person who is not listed", parameter=f"{noun}s")
    number = np.array([place[value] for value in people], np.int64)
    codes = held.as_rows().codes(["person"])[:, 0]
    return numbers, number[codes] if len(codes) else codes.astype(np.int64)


def shown_columns(listed: Table, names: Sequence[str]) -> dict[str, CodedKeys]:
    """Return columns of persons, in the order of their numbers."""
    codes = listed.as_rows().codes(["person", *names])
    back = np.argsort(codes[:, 0])
    return {name: CodedKeys(listed.dictionary(name).values, codes[back, 1 + at]) for at, name in enumerate(names)}
