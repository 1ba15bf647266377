"""Attacks: what an adversary with stated knowledge learns from a release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.thing import Thing
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats

__all__ = ["KNOWLEDGE", "Attack", "AttackTraits", "Reading", "Risk", "Scene", "spread"]

# What an attack may need beside the published rows, and how a person is asked for it.
KNOWLEDGE: Mapping[str, str] = {
    "qid": "columns to link by",
    "sensitive": "the column whose values are to be learnt",
    "external": "a table of persons and their quasi-identifiers",
    "name": "the column of the external table that names its persons",
    "owners": "a table of persons, their quasi-identifiers and their true sensitive values",
    "raw": "the table before masking",
    "control": "a table like the raw one, of persons who are not in the release",
    "corrupted": "a table of persons in the release who told their sensitive value",
    "other": "a second release about the same persons",
    "parts": "the two tables of an anatomy pair",
    "models": "the requirements that the release was made for",
}


@dataclass(frozen=True)
class AttackTraits:
    """What an attack aims at (record, attribute, table, probabilistic) and what its adversary knows, in words.

    ``needs`` are the names in :data:`KNOWLEDGE` without which it cannot be tried. ``victims`` says whom a risk is counted for:
    the persons of the external table, in order, or the published records, group by group. ``quick`` tells whether it costs
    no more than a few passes over the groups, so that every release can be tried with it before it leaves. ``across`` tells
    whether it reads sensitive values from another table than the records.
    """

    aims_at: frozenset[str]
    knowledge: str
    needs: frozenset[str] = frozenset({"qid", "external", "name"})
    victims: Literal["persons", "records"] = "persons"
    quick: bool = True
    across: bool = False

    @property
    def learns(self) -> bool:
        """Whether sensitive values are looked at: where they are needed, and by whoever links with a table of persons."""
        return bool({"sensitive", "external"} & self.needs)


class Reading(Protocol):
    """What the labels of one column stand for."""

    @property
    def root(self) -> str:
        """The label that stands for everything."""

    def knows(self, label: str) -> bool:
        """Tell whether a text is a label."""

    def runs(
        self, labels: Sequence[str], values: Sequence[Hashable]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return the rank of each value, -1 without a place, and the first rank and the one after the last of each label."""


@dataclass(frozen=True, eq=False)
class Scene:
    """What the adversary has before her: published rows, what she knows beside them, and what labels stand for.

    ``qids`` are the columns to link by, ``sensitive`` the one to learn. ``external`` is her table of persons and ``name`` its
    column of names. ``readings`` tell what labels of a column mean; without one a label stands for itself, an interval of
    numbers, or everything (``*``). ``owners`` are the persons whose risk is asked for, all persons of the external table if
    not given. ``raw`` is the table before masking and ``control`` one of persons who were not published: with them the
    steward tries out what an outsider could guess. ``corrupted`` are persons of the release who told their sensitive value.
    ``other`` is a second release. ``parts`` are the public tables of a release that has several, ``models`` the
    requirements that the adversary knows the release was made for. ``counted`` are groups that were counted already, or
    those of a release that publishes sensitive values by group. ``kept`` is where attacks leave what the next one would have
    to count again.
    """

    published: Table
    external: Table | None = None
    name: str | None = None
    qids: tuple[str, ...] = ()
    sensitive: str | None = None
    readings: Mapping[str, Reading] = field(default_factory=dict)
    owners: Table | None = None
    raw: Table | None = None
    control: Table | None = None
    corrupted: Table | None = None
    other: Table | None = None
    parts: Mapping[str, Table] = field(default_factory=dict)
    models: tuple[Model, ...] = ()
    progress: Progress = field(default_factory=Silent)
    counted: GroupStats | None = None
    kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def groups(self) -> GroupStats:
        """The published records by their quasi-identifiers, with the sensitive column counted; all attacks share them."""
        if self.counted is not None:
            return self.counted
        # A release in parts may publish its sensitive values in another table than its records.
        held = self.sensitive is not None and self.sensitive in self.published.types
        return self.published.groups(self.qids, [str(self.sensitive)] if held else [])

    def lacks(self, needs: frozenset[str]) -> list[str]:
        """Return which of the needed things are not there, in the order of :data:`KNOWLEDGE`."""
        held = {"qid": bool(self.qids), "parts": bool(self.parts), "models": bool(self.models)}
        return [
            need
            for need in KNOWLEDGE
            if need in needs and not (held[need] if need in held else getattr(self, need) is not None)
        ]


@dataclass(frozen=True, kw_only=True, eq=False)
class Risk:
    """Risk per victim and in summary; ``details`` holds counts and never values of single persons.

    ``counts`` says how many victims each entry of ``per_victim`` stands for, one if not given: records that look alike share
    their risk. ``reading`` says in one sentence what was found, for someone who has never heard of the attack.
    """

    attack: str
    per_victim: npt.NDArray[np.float64]
    highest: float
    mean: float
    reading: str
    counts: npt.NDArray[np.int64] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def victims(self) -> int:
        """Number of victims."""
        return len(self.per_victim) if self.counts is None else int(self.counts.sum())

    def above(self, threshold: float) -> int:
        """Return how many victims have a risk above a threshold."""
        over = self.per_victim > threshold
        return int(np.count_nonzero(over)) if self.counts is None else int(self.counts[over].sum())


def spread(per_victim: npt.NDArray[np.float64], counts: npt.NDArray[np.int64] | None = None) -> tuple[float, float]:
    """Return the highest and the mean risk; both are 0 if there is nobody.

    >>> import numpy as np
    >>> spread(np.array([1.0, 0.25]), np.array([1, 3]))
    (1.0, 0.4375)
    """
    if not len(per_victim):
        return 0.0, 0.0
    return float(per_victim.max()), float(np.average(per_victim, weights=counts))


@dataclass(frozen=True, kw_only=True)
class Attack(Thing):
    """Turns knowledge and a release into a risk for each victim."""

    kind: ClassVar[str] = "attack"
    traits: ClassVar[AttackTraits]
    adversary: ClassVar[str]

    @abstractmethod
    def run(self, scene: Scene) -> Risk:
        """Return the risk that the published rows leave to the victims."""

    def unfit(self, scene: Scene) -> str | None:
        """Say why the attack cannot be tried in a scene, or ``None`` if it can; whatever is named here may be given."""
        lacking = scene.lacks(self.traits.needs)
        if lacking:
            return "needs " + " and ".join(KNOWLEDGE[need] for need in lacking)
        return "needs sensitive values beside the published records or groups" if self._out_of_reach(scene) else None

    def _out_of_reach(self, scene: Scene) -> bool:
        """Tell whether the values to learn stand nowhere beside the records or the groups that were counted."""
        held = scene.published.types if scene.counted is None else scene.counted.histograms
        return "sensitive" in self.traits.needs and not self.traits.across and scene.sensitive not in held

    def refuse_unfit(self, scene: Scene) -> None:
        """Refuse a scene that lacks what the attack needs, or whose tables lack the named columns."""
        lacking = scene.lacks(self.traits.needs)
        if "qid" in lacking and scene.external is not None:
            raise BadRequest(
                "the published and the external table share no quasi-identifier",
                parameter="qid",
                available=scene.published.columns,
            )
        if lacking:
            raise BadRequest(f"{self.id} needs {KNOWLEDGE[lacking[0]]}", parameter=lacking[0])
        for name in scene.qids:
            if name not in scene.published.types:
                raise BadRequest(
                    "is not a column of the published table",
                    parameter="qid",
                    value=name,
                    available=scene.published.columns,
                )
        if scene.sensitive is not None:
            if self._out_of_reach(scene) or (scene.sensitive not in scene.published.types and not scene.parts):
                raise BadRequest(
                    "is not a column of the published table",
                    parameter="sensitive",
                    value=scene.sensitive,
                    available=scene.published.columns,
                )
            if scene.sensitive in scene.qids:
                raise BadRequest("is linked by and cannot be learnt", parameter="sensitive", value=scene.sensitive)
        if scene.external is None:
            return
        for name in scene.qids:
            if name not in scene.external.types:
                raise BadRequest(
                    "is not a column of the external table",
                    parameter="qid",
                    value=name,
                    available=scene.external.columns,
                )
        if scene.name is not None:
            if scene.name not in scene.external.types:
                raise BadRequest(
                    "the external table needs a column that names its persons",
                    parameter="name",
                    value=scene.name,
                    available=scene.external.columns,
                )
            if scene.name in scene.qids:
                raise BadRequest("names persons and cannot be linked by", parameter="qid", value=scene.name)
