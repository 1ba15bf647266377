"""Attacks: what an adversary with stated knowledge learns from a release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.thing import Thing
from sfumato.groups.stats import GroupStats

__all__ = ["Attack", "AttackTraits", "Risk"]


@dataclass(frozen=True)
class AttackTraits:
    """What an attack aims at and what it must know: the columns, an external table, the algorithm."""

    aims_at: frozenset[str]
    knowledge: str


@dataclass(frozen=True)
class Risk:
    """Risk per group of victims and in summary; ``details`` never holds raw values of single persons."""

    attack: str
    per_group: npt.NDArray[np.float64]
    highest: float
    mean: float
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Attack(Thing):
    """Turns knowledge and a release into a risk for each victim."""

    kind: ClassVar[str] = "attack"
    traits: ClassVar[AttackTraits]

    @abstractmethod
    def run(self, groups: GroupStats) -> Risk:
        """Return the risk that the published groups leave to this adversary."""
