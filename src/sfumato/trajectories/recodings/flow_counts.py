"""Counts of flows: how many persons go from where to where, or are where when; few ones become coarser or noisy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing, param
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.ledger.budgets import Budgets
from sfumato.perturbations.opendp_noise import OpenDPThreshold
from sfumato.trajectories.coarser import coarse_times
from sfumato.trajectories.coordinates import cells
from sfumato.trajectories.flows import Flow, Flows, NoisyFlows
from sfumato.trajectories.times import binned
from sfumato.trajectories.trajectories import Moment, Trajectories

__all__ = ["FlowCounts", "Flows", "NoisyFlows"]


class FlowCounts(Thing):
    """Count different persons by place and time, or by origin, destination and time; coarser where they are too few.

    With ``least`` k, a row that fewer than k persons have is not published: its persons are counted again with the next
    resolution, ``cells`` (metres) and ``bins`` taken in step, together with others that were too few. So each person's visit
    is in one row at most, and every row stands for k persons or more. Places without coordinates have one resolution.

    ``noisy`` publishes (epsilon, delta)-private numbers instead: at most ``most`` rows of a person count, drawn at random, and
    rows below the threshold of the noise are left out. With several resolutions each spends an equal part of epsilon and
    delta: what no finer row shows is counted again in the next. That is decided by what was drawn, which is public, and never
    by true numbers, so that the parts add up.

    A policy publishes either by the algorithms ``flow-count-release`` and ``private-flow-release``.

    Examples
    --------
    >>> paths = Trajectories.of([[("a", 1)], [("a", 1)], [("a", 2)], [("b", 1)]])
    >>> FlowCounts(least=2, bins=(1, 10)).count(paths)
    Flows(rows=(Flow(places=('a',), cell=None, time=1, bin=1, persons=2),), uncounted=2)

    References
    ----------
    Hundepool et al., *Statistical Disclosure Control*, 2012, section 4.2 (minimum frequency).
    Rogers, "A unifying privacy analysis framework for unknown domain algorithms in differential privacy", 2023,
    arXiv:2309.09170.
    """

    id: ClassVar[str] = "flow-counts"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    of: str = param(
        default="visits", choices=("visits", "flows"), doc="visits of places, or flows from one place to the next"
    )
    least: int = param(default=10, ge=1, doc="smallest number of persons that is published")
    cells: tuple[float, ...] = param(
        default=(), doc="widths of cells in metres, rising; places as they are if none is given"
    )
    bins: tuple[str | float, ...] = param(default=(), doc="lengths of bins, rising; times as they are if none is given")

    def count(self, paths: Trajectories) -> Flows:
        """Return exact numbers of persons, none below the least."""
        open_ = np.ones(self.units(paths), np.bool_)
        rows: list[Flow] = []
        for cell, length in self.resolutions():
            owners, places, times, names, moments = self._things(paths, cell, length)
            keys, number = np.unique(np.column_stack((places, times)), axis=0, return_inverse=True)
            number = number.ravel()
            once = np.unique(number[open_] * np.int64(len(paths) + 1) + owners[open_])
            persons = np.bincount(once // (len(paths) + 1), minlength=len(keys))
            enough = persons >= self.least
            for at in np.flatnonzero(enough).tolist():
                *where, when = keys[at].tolist()
                rows.append(Flow(tuple(names[one] for one in where), cell, moments[when], length, int(persons[at])))
            open_ &= ~enough[number]
        return Flows(tuple(rows), int(open_.sum()))

    def noisy(
        self,
        paths: Trajectories,
        *,
        epsilon: float,
        delta: float,
        most: int,
        rng: np.random.Generator,
        budgets: Budgets | None = None,
        names: str | tuple[str, ...] = (),
    ) -> NoisyFlows:
        """Return noisy numbers; budgets are charged before anything is drawn. ``rng`` only chooses rows of a person."""

        def charge(epsilon: float, delta: float) -> None:
            if budgets is not None:
                budgets.charge_draw(names, epsilon=epsilon, delta=delta, purpose=self.id)

        noise = self.noise(epsilon, delta, most)
        return self.drawn(paths, noise, charge, most=most, delta=delta, rng=rng)

    def resolutions(self) -> list[tuple[float | None, str | float | None]]:
        """Return cells and bins in step, the last of either as long as the other goes on."""
        steps = range(max(len(self.cells), len(self.bins), 1))
        wide: list[float | None] = [*self.cells] or [None]
        long: list[str | float | None] = [*self.bins] or [None]
        return [(wide[min(step, len(wide) - 1)], long[min(step, len(long) - 1)]) for step in steps]

    def noise(self, epsilon: float, delta: float, most: int) -> OpenDPThreshold:
        """Return the noise of one resolution; all of them together spend no more than epsilon and delta."""
        steps = len(self.resolutions())
        part = 1.0 if steps == 1 else (1 - 1e-12) / steps  # a sum of parts must not be rounded to above the whole
        return OpenDPThreshold(epsilon * part, delta * part, most)

    def drawn(
        self,
        paths: Trajectories,
        noise: OpenDPThreshold,
        charge: Callable[[float, float], None],
        *,
        most: int,
        delta: float,
        rng: np.random.Generator,
    ) -> NoisyFlows:
        """Return numbers with this noise at each resolution; ``charge`` is called before anything is drawn."""
        if len(paths) and delta * len(paths) >= 1:
            raise BadRequest("must be below one by the number of persons", parameter="delta", value=delta)
        steps = self.resolutions()
        charge(noise.epsilon * len(steps), noise.delta * len(steps))
        open_ = np.ones(self.units(paths), np.bool_)
        rows: list[Flow] = []
        for cell, length in steps:
            owners, places, times, labels, moments = self._things(paths, cell, length)
            keys, number = np.unique(np.column_stack((places, times)), axis=0, return_inverse=True)
            number = number.ravel()
            held = np.unique(owners[open_] * np.int64(max(len(keys), 1)) + number[open_])
            owner, row = np.divmod(held, max(len(keys), 1))
            order = np.lexsort((rng.random(len(held)), owner))
            rank = np.arange(len(order)) - np.searchsorted(owner[order], owner[order])
            counts = np.bincount(row[order[rank < most]], minlength=len(keys)).tolist()
            found = noise.add({str(at): count for at, count in enumerate(counts) if count})
            shown = sorted((int(name), persons) for name, persons in found.items())
            rows += [
                Flow(tuple(labels[one] for one in keys[at, :-1].tolist()), cell, moments[keys[at, -1]], length, persons)
                for at, persons in shown
            ]
            open_ &= ~np.isin(number, [at for at, _ in shown])
        return NoisyFlows(
            {row.text(coarser=(row.cell, row.bin) != steps[0]): row.persons for row in rows},
            noise.epsilon * len(steps),
            noise.delta * len(steps),
            noise.threshold,
            float(noise.scale),
            tuple(rows),
            len(steps),
        )

    def units(self, paths: Trajectories) -> int:
        """Return how many visits or flows there are."""
        return len(paths.places) if self.of == "visits" else int((paths.owners[1:] == paths.owners[:-1]).sum())

    def _things(
        self, paths: Trajectories, cell: float | None, length: str | float | None
    ) -> tuple[Ints, Ints, Ints, list[str], list[Moment]]:
        """Return person, places and time of all that is counted, with the names of places and times."""
        names, codes = list(paths.names), paths.places.astype(np.int64)
        if cell is not None:
            if paths.x is None or paths.y is None:
                raise BadRequest("needs coordinates", parameter=f"{self.id}.cells")
            found, names, _ = cells(paths.x, paths.y, grid=cell, h3=None, unit=paths.unit)
            codes = found.astype(np.int64)
        times = coarse_times(paths, length)
        moments = list(dict.fromkeys(_bins(paths, length)))
        if self.of == "visits":
            return paths.owners, codes[:, None], times, names, moments
        same = np.flatnonzero(paths.owners[1:] == paths.owners[:-1])
        return paths.owners[same], np.column_stack((codes[same], codes[same + 1])), times[same], names, moments


def _bins(paths: Trajectories, length: str | float | None) -> Iterator[Moment]:
    yield from paths.moments if length is None else binned(paths.moments, length)
