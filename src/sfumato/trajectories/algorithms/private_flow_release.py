"""Private flow release: noisy numbers of persons by place and time, cut off by a threshold and charged to a budget."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, SearchTraits
from sfumato.contracts.mechanism import Mechanism
from sfumato.contracts.model import Audit, MechanismModel
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.models.approximate_differential_privacy import ApproximateDifferentialPrivacy
from sfumato.trajectories.recodings.flow_counts import FlowCounts
from sfumato.trajectories.releases.noisy_flows import NoisyFlows
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.times import length_of

__all__ = ["PrivateFlowRelease"]


class PrivateFlowRelease(Mechanism[TrajectoryTask]):
    """Publish noisy numbers of persons by place and time, or by origin and destination; (epsilon, delta)-private for persons.

    Of each person at most d (``most``) different rows count, drawn at random. The number of persons of every row gets discrete
    Laplace noise of scale ``b = d / epsilon``; what stays below the threshold T is left out, places and all. A row of one
    person alone shows with ``P[1 + noise >= T]``, so that ``delta <= d P[noise >= T - 1]``, and T is the smallest whole number
    for which that is within bounds. Noise and both numbers come from OpenDP; a budget is charged before anything is drawn.
    Places are cells of ``cell`` metres and times bins of ``bin``, both fixed beforehand; no seed repeats it.

    With ``cells`` and ``bins`` instead, several of either and taken in step, what stays below the threshold is counted again in
    the next larger cells and longer bins: each of the n resolutions spends epsilon / n and delta / n, and which rows go on
    follows from the noisy numbers before, which are published. So all of them together spend epsilon and delta.

    Examples
    --------
    >>> from sfumato.trajectories import Trajectories
    >>> paths = Trajectories.of([[("a", 1)]] * 400 + [[("home", 2)]])
    >>> outcome = PrivateFlowRelease(epsilon=1.0, delta=1e-6, most=1).run(TrajectoryTask(paths, []), Run())
    >>> [row[:2] for row in outcome.built.tables["counts"].to_rows()]
    [('a', 1)]

    References
    ----------
    Rogers, "A unifying privacy analysis framework for unknown domain algorithms in differential privacy", 2023,
    arXiv:2309.09170.
    Korolova, Kenthapadi, Mishra, Ntoulas, "Releasing search queries and clicks privately", 2009, doi:10.1145/1526709.1526733.
    """

    id: ClassVar[str] = "private-flow-release"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=NoisyFlows.id,
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        cost="linear in the number of points",
    )
    procedures: ClassVar[tuple[str, ...]] = (ApproximateDifferentialPrivacy.id,)

    epsilon: float = param(gt=0, doc="what may be spent on every person")
    delta: float = param(
        gt=0, lt=1, doc="the chance of an output for which that does not hold; far below one by the persons"
    )
    most: int = param(default=10, ge=1, doc="how many different rows of a person count")
    of: str = param(
        default="visits", choices=("visits", "flows"), doc="visits of places, or flows from one place to the next"
    )
    cell: float | None = param(default=None, gt=0, doc="width of cells in metres; places as they are if not given")
    bin: str | float | None = param(default=None, doc="length of bins such as 1h; times as they are if not given")
    cells: tuple[float, ...] = param(
        default=(), doc="widths of cells in metres, rising, instead of cell: the next one where numbers are too small"
    )
    bins: tuple[str | float, ...] = param(
        default=(), doc="lengths of bins, rising, instead of bin: the next one where numbers are too small"
    )

    def validate(self) -> None:
        """Refuse one cell beside several, and widths that do not rise."""
        super().validate()
        for one, several in (("cell", "cells"), ("bin", "bins")):
            if getattr(self, one) is not None and getattr(self, several):
                raise BadRequest(f"give {one} or {several}, not both", parameter=f"{self.id}.{several}")
        if list(self.cells) != sorted(set(self.cells)) or any(cell <= 0 for cell in self.cells):
            raise BadRequest("must rise, above 0", parameter=f"{self.id}.cells", value=list(self.cells))
        lengths = [one.total_seconds() if isinstance(one, timedelta) else one for one in map(length_of, self.bins)]
        if lengths != sorted(lengths):
            raise BadRequest("must rise", parameter=f"{self.id}.bins", value=list(self.bins))

    def _counter(self) -> FlowCounts:
        return FlowCounts(
            of=self.of,
            cells=self.cells if self.cell is None else (self.cell,),
            bins=self.bins if self.bin is None else (self.bin,),
        )

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        """Count, charge and draw."""
        self.refuse_counted(task.models)
        counter = self._counter()
        noise = counter.noise(self.epsilon, self.delta, self.most)
        found = counter.drawn(task.trajectories, noise, run.charge, most=self.most, delta=self.delta, rng=run.rng)
        asked = ApproximateDifferentialPrivacy(epsilon=self.epsilon, delta=self.delta)
        return self.drawn(NoisyFlows.build(found, most=self.most, of=self.of), asked, found.epsilon)

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return what the parameters alone say about a requirement on the procedure."""
        if not isinstance(model, ApproximateDifferentialPrivacy):
            return None
        counter = self._counter()
        noise, steps = counter.noise(self.epsilon, self.delta, self.most), len(counter.resolutions())
        return model.audit(noise.epsilon * steps, noise.delta * steps)
