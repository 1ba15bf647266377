"""Flow count release: publish how many persons were where when, in coarser cells and bins where they are few."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.facts import Facts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Infeasible, Unsupported
from sfumato.trajectories.models.minimum_count import MinimumCount
from sfumato.trajectories.recodings.flow_counts import FlowCounts
from sfumato.trajectories.releases.flow_table import FlowTable
from sfumato.trajectories.task import TrajectoryTask

__all__ = ["FlowCountRelease", "FlowFacts"]


@frozen(eq=False, repr=False, kw_only=True)
class FlowFacts(Facts):
    """How many numbers are published, how many of them coarser than the finest, and what no number counts."""

    rows: int
    coarser: int
    uncounted: int
    counted: int

    def words(self, *, chosen: bool = False) -> list[str]:
        return [
            say("trails.flows", rows=self.rows, coarser=self.coarser, uncounted=self.uncounted, all=self.counted),
        ]


class FlowCountRelease(Search[TrajectoryTask]):
    """Publish numbers of different persons by place and time, none below k: what is too few is counted coarser.

    The requirement is ``minimum-count``. ``cells`` and ``bins`` are taken in step, see ``flow-counts``; whatever has too few
    persons even in the last is left out and counts against ``lose_at_most``.

    Examples
    --------
    >>> from sfumato.trajectories import Trajectories
    >>> task = TrajectoryTask(Trajectories.of([[("a", 1)], [("a", 1)], [("a", 2)], [("b", 1)]]), [MinimumCount(k=2)])
    >>> built = FlowCountRelease().run(task, Run()).built
    >>> built.tables["counts"].to_rows()
    [('a', None, 1, None, 2)]

    References
    ----------
    Hundepool et al., *Statistical Disclosure Control*, 2012, section 4.2 (minimum frequency).
    """

    id: ClassVar[str] = "flow-count-release"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=FlowTable.id,
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="points x resolutions",
    )

    of: str = param(
        default="visits", choices=("visits", "flows"), doc="visits of places, or flows from one place to the next"
    )
    cells: tuple[float, ...] = param(
        default=(), doc="widths of cells in metres, rising; places as they are if none is given"
    )
    bins: tuple[str | float, ...] = param(default=(), doc="lengths of bins, rising; times as they are if none is given")

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        """Count, coarser step by step."""
        run.stage("counting")
        strange = [model.id for model in task.models if not isinstance(model, MinimumCount)]
        if strange:
            raise Unsupported(
                f"{self.id} works for {MinimumCount.id}", thing=strange[0], alternatives=[MinimumCount.id]
            )
        least = max(model.k for model in task.models if isinstance(model, MinimumCount))
        counter = FlowCounts(of=self.of, least=least, cells=self.cells, bins=self.bins)
        flows, units = counter.count(task.trajectories), counter.units(task.trajectories)
        if not flows.rows:
            raise Infeasible(say("trails.no_flow_left", threshold=least), measured=0, bound=f">= {least}")
        if flows.uncounted > task.lose_at_most * units + 1e-9:
            raise Infeasible(
                say(
                    "trails.too_much_lost",
                    lost=flows.uncounted,
                    points=units,
                    share=flows.uncounted / units,
                    most=task.lose_at_most,
                ),
                measured=flows.uncounted / units,
                bound=f"<= {task.lose_at_most:g}",
            )
        first = (self.cells or (None,))[0], (self.bins or (None,))[0]
        coarser = sum((row.cell, row.bin) != first for row in flows.rows)
        facts = FlowFacts(rows=len(flows.rows), coarser=coarser, uncounted=flows.uncounted, counted=units)
        return Outcome(built=FlowTable.build(flows, self.of), facts=facts)
