"""Recoded trajectories: which persons there are, and the points of each, some left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text, type_of_value
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.attack import TrajectorySeen
from sfumato.trajectories.path_kind import PathKind, shown_columns, whose_rows
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["RecodedTrajectories"]


class RecodedTrajectories(PathKind):
    """Persons with fresh numbers, and the points of each: places at times, some of which were left out.

    The part ``persons`` has a row for each person, also of those without points, with the number of points and the columns
    that are published; ``points`` has a row for each point. Persons are numbered in the order of what is published of them,
    so that a number tells nothing of the input.

    Adversary: reads both tables and knows some points of a person's path.

    Examples
    --------
    >>> kind = RecodedTrajectories()
    >>> parts = kind.parts_of(Trajectories.of([[("b", 2), ("d", 3)], [], [("b", 2)]]))
    >>> parts["points"].to_rows()
    [(2, 'b', 2), (3, 'b', 2), (3, 'd', 3)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.
    """

    id: ClassVar[str] = "recoded-trajectories"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=False,
        verifiable=say("verifiable.rows_alone"),
        stops=frozenset({"record", "attribute"}),
        searched=True,
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.sequence"), say("noun.sequences"))

    stated: ClassVar[tuple[str, ...]] = ("zones", "lattice")
    caveat: ClassVar[str] = say("statement.points_left_out")
    own: ClassVar[Mapping[str, Role]] = {
        "person": Role.PLAIN,
        "points": Role.PLAIN,
        "place": Role.QUASI_IDENTIFIER,
        "time": Role.QUASI_IDENTIFIER,
    }

    columns: Mapping[str, str] | None = param(
        default=None, doc="what is known of persons beside their points, by column, and what was done to each"
    )

    def validate(self) -> None:
        """Refuse columns that do not say what was done to each."""
        super().validate()
        given: object = self.columns
        if given is not None and not isinstance(given, Mapping):
            raise BadRequest("must say by name what was done to each", parameter=f"{self.id}.columns")

    @property
    def shown(self) -> tuple[str, ...]:
        return (*super().shown, *(self.columns or ()))

    def roles(self) -> Mapping[str, Role]:
        return {**super().roles(), **dict.fromkeys(self.columns or (), Role.QUASI_IDENTIFIER)}

    def part_names(self) -> tuple[str, ...]:
        return ("persons", "points")

    def parts_of(self, paths: Trajectories) -> dict[str, Table]:
        """Return the two tables of paths."""
        shown = [paths.column(name) for name in self.shown]
        order = _in_order(paths, shown)
        number = np.empty(len(paths), np.int64)
        number[order] = np.arange(1, len(paths) + 1)
        owners = number[paths.owners]
        rows = np.lexsort((paths.times, owners))
        persons: dict[str, object] = {"person": np.arange(1, len(paths) + 1), "points": paths.lengths[order]}
        persons |= {name: list(keys.take(order)) for name, keys in zip(self.shown, shown, strict=True)}
        points = {
            "person": owners[rows],
            "place": [paths.names[code] for code in paths.places[rows].tolist()],
            "time": [paths.moments[code] for code in paths.times[rows].tolist()],
        }
        kind = type_of_value(paths.moments[0]) if paths.moments else "integer"
        return {
            "persons": read(persons),
            "points": read(points, types={"person": "integer", "place": "text", "time": kind}),
        }

    def trajectories_of(self, parts: Parts) -> Trajectories:
        """Return the paths that two tables stand for; refuse tables that do not fit together."""
        tables = self.tables(parts)
        listed, held = tables["persons"], tables["points"]
        own = ("person", "points")
        for table, columns in ((listed, (*own, *self.shown)), (held, ("person", "place", "time"))):
            lacking = [name for name in columns if name not in table.types]
            if lacking:
                raise BadRequest("lacks a column", parameter=self.id, value=lacking[0], available=table.columns)
            if any(table.missing()[name] for name in columns if name in (*own, "place", "time")):
                raise BadRequest("has gaps where a person, a place or a time must be", parameter=self.id)
        numbers, owners = whose_rows(listed, held, "point")
        texts = [to_text(value) for value in held.dictionary("place").values]
        rank = np.empty(len(texts), np.int64)
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        rows = held.as_rows().codes(["person", "place", "time"]).astype(np.int64)
        order = np.lexsort((rows[:, 2], owners))
        owners, when = owners[order], rows[order, 2]
        if ((owners[1:] == owners[:-1]) & (when[1:] == when[:-1])).any():
            raise BadRequest("a person is at two places at one time", parameter="points")
        lengths = np.bincount(owners, minlength=len(numbers))
        shown = listed.as_rows().codes(own)
        told = np.array(listed.dictionary("points").values, np.int64)[shown[:, 1]] if len(shown) else lengths
        if not np.array_equal(told, lengths[shown[:, 0]] if len(shown) else told):
            raise BadRequest("a person does not have as many points as is said", parameter="persons")
        return Trajectories(
            np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            rank[rows[order, 1]].astype(np.int32) if len(rows) else np.empty(0, np.int32),
            when.astype(np.int32),
            tuple(sorted(texts)),
            held.dictionary("time").values,  # type: ignore[arg-type]  # numbers or dates
            columns=shown_columns(listed, self.shown),
            known=tuple(self.columns or ()),
        )

    def verify(
        self,
        parts: Parts,
        models: Sequence[Model[Trajectories]],
        qids: Sequence[str],
        beside: Beside = NOTHING_BESIDE,
    ) -> list[Verdict]:
        paths = self.trajectories_of(parts)
        return [model.judge(paths) for model in models]

    def seen(self, parts: Parts) -> Seen:
        tables = self.tables(parts)
        return TrajectorySeen(tables["persons"], tables, roles=self.roles(), trajectories=self.trajectories_of(parts))

    def operation(self, column: str) -> str:
        return "pair-suppression" if column in ("place", "time") else (self.columns or {}).get(column, "none")


def _in_order(paths: Trajectories, shown: Sequence[CodedKeys]) -> Ints:
    """Return the persons in the order of their paths, then of their values, missing ones first."""
    held, starts = paths.codes.astype(">u4").tobytes(), (4 * paths.starts).tolist()  # bytes are in the order of numbers
    ranks = []
    for keys in shown:
        texts = [to_text(value) for value in keys.values]
        place = {text: at for at, text in enumerate(sorted(set(texts)))}
        ranks.append(np.array([*(place[text] for text in texts), -1], np.int64)[keys.codes].tolist())
    rows = list(zip([held[first:last] for first, last in pairwise(starts)], *ranks, strict=True))
    return np.array(sorted(range(len(paths)), key=rows.__getitem__), np.int64)
