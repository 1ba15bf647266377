"""Attacks: what an adversary with stated knowledge learns from a release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.thing import Thing

__all__ = ["Attack", "AttackTraits", "Reading", "Risk", "Scene"]


@dataclass(frozen=True)
class AttackTraits:
    """What an attack aims at (record, attribute, table, probabilistic) and what its adversary knows, in words."""

    aims_at: frozenset[str]
    knowledge: str


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
    """What the adversary has before her: published rows, a table of named persons, and what labels stand for.

    ``qids`` are the columns that both tables have. ``readings`` tell what labels of a column mean; without one a label stands
    for itself, an interval of numbers, or everything (``*``). ``owners`` are the persons whose risk is asked for, all persons
    of the external table if not given.
    """

    published: Table
    external: Table
    name: str
    qids: tuple[str, ...]
    sensitive: str | None = None
    readings: Mapping[str, Reading] = field(default_factory=dict)
    owners: Table | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Risk:
    """Risk per victim and in summary; ``details`` holds counts and never values of single persons."""

    attack: str
    per_victim: npt.NDArray[np.float64]
    highest: float
    mean: float
    details: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Attack(Thing):
    """Turns knowledge and a release into a risk for each victim."""

    kind: ClassVar[str] = "attack"
    traits: ClassVar[AttackTraits]

    @abstractmethod
    def run(self, scene: Scene) -> Risk:
        """Return the risk that the published rows leave to the victims."""
