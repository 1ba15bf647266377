"""Numbers of persons by place and time, or by origin, destination and time, as they are published."""

from __future__ import annotations

from typing import NamedTuple

from sfumato.contracts.model import Model
from sfumato.data.frozen import frozen
from sfumato.trajectories.trajectories import Moment

__all__ = ["Flow", "FlowModel", "Flows", "NoisyFlows"]


class Flow(NamedTuple):
    """One number: places (two for a flow), the width of their cells (``None`` as given), the bin, its length, persons."""

    places: tuple[str, ...]
    cell: float | None
    time: Moment
    bin: str | float | None
    persons: int

    def text(self, *, coarser: bool = False) -> str:
        """Return places and time in words; also how coarse they are."""
        told = " > ".join(self.places) + f" @ {self.time}"
        return f"{told} ({self.cell or ''} {self.bin or ''})" if coarser else told


@frozen
class Flows:
    """Rows of numbers; ``uncounted`` visits or flows are in none, because even at the coarsest they had too few persons."""

    rows: tuple[Flow, ...]
    uncounted: int = 0


class FlowModel(Model[Flows]):
    """A requirement that can be read from published numbers of persons."""


@frozen
class NoisyFlows:
    """Noisy numbers of persons, and what was spent on every person; no seed repeats it.

    ``counts`` has them by a text of places and time, ``rows`` in order, those of ``steps`` resolutions one after the other.
    """

    counts: dict[str, int]
    epsilon: float
    delta: float
    threshold: int
    scale: float = 0.0
    rows: tuple[Flow, ...] = ()
    steps: int = 1
