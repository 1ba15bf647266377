"""Algorithms: what a search receives, what it returns, and what it claims about itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.model import Model
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.thing import Thing
from sfumato.data.compressed import CompressedTable
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree

__all__ = ["Algorithm", "AlgorithmTraits", "Attribute", "Outcome", "Task"]


@dataclass(frozen=True)
class AlgorithmTraits:
    """What an algorithm accepts and promises; the verb refuses a mismatch before any work."""

    recoding: str
    release: str
    optimal: bool
    deterministic: bool
    truthful: bool
    anytime: bool
    model_needs: tuple[str, ...]
    numeric_without_hierarchy: bool
    suppresses_records: bool
    cost: str


@dataclass(frozen=True, eq=False)
class Attribute:
    """One quasi-identifier as a search sees it: a tree, an ordered range of numbers, or bare values to suppress."""

    name: str
    kind: Literal["taxonomy", "interval", "suppress"]
    type: ColumnType
    tree: Tree | None = None
    builder: HierarchyBuilder | None = None
    range: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """Everything a search may look at: the compressed table, the attributes, the requirements, the limits."""

    table: CompressedTable
    attributes: Sequence[Attribute]
    models: Sequence[Model]
    target: str | None = None
    suppress_at_most: float = 0.0
    progress: Progress = field(default_factory=Silent)
    on_step: Callable[[Any], None] | None = None

    @property
    def qids(self) -> tuple[str, ...]:
        """Names of all quasi-identifiers, in order."""
        return tuple(attribute.name for attribute in self.attributes)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a search found: a recoding per column, how it got there, and whether it stopped early."""

    recodings: Mapping[str, ColumnRecoding]
    trace: Sequence[Mapping[str, Any]] = ()
    warnings: Sequence[str] = ()
    stopped: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Algorithm(Thing):
    """A published algorithm: configures a search, or stands alone."""

    kind: ClassVar[str] = "algorithm"
    traits: ClassVar[AlgorithmTraits]

    @abstractmethod
    def run(self, task: Task, rng: np.random.Generator) -> Outcome:
        """Search for a recoding that meets every requirement of the task."""
