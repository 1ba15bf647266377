"""Recodings: the learned mapping from raw to published values, saved as JSON and applied to any table of the schema."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.thing import Thing

__all__ = ["ColumnRecoding", "Mapped"]


@dataclass(frozen=True, eq=False)
class Mapped:
    """What a recoding makes of a list of distinct values: one label each, and what each label stands for.

    ``covered``: raw values (or width) that the label covers, of ``domain``. ``climbed`` and ``root_climb``: levels from the
    value to its label and to the root; -1 without levels. ``outside``: positions of values the recoding had not seen and
    placed by its declared rule.
    """

    labels: tuple[str, ...]
    covered: npt.NDArray[np.float64]
    domain: float
    climbed: npt.NDArray[np.int64]
    root_climb: npt.NDArray[np.int64]
    continuous: bool = False
    outside: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ColumnRecoding(Thing):
    """The published form of one column: maps every value, known or new, to a label."""

    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    @abstractmethod
    def map(self, values: Sequence[Hashable], *, column: str = "", unknown: str = "declared") -> Mapped:
        """Return the label of each value.

        ``unknown`` says what to do with values the recoding cannot place: ``refuse``, ``root`` (publish the most general
        label), or ``declared`` (numbers go to the end interval, new values of a suppressed column stay suppressed, values
        outside a taxonomy are refused).
        """

    @abstractmethod
    def published(self) -> tuple[str, ...]:
        """Return the labels that may appear in a release, in order."""

    @property
    def identity(self) -> bool:
        """Whether every value is published as it is."""
        return False

    def state(self) -> Mapping[str, Any]:
        """Return the JSON form of the state; by default the parameters."""
        return self.spec()
