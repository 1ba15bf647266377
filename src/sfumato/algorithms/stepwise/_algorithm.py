"""What the top-down searches share: where they may stop, what they write down, and how they run."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.searches.recorded_run import refine
from sfumato.searches.refinement import Refinery

__all__ = ["RefiningAlgorithm", "refining_traits"]


def refining_traits(*, cost: str, cuts_numbers: bool = True, suppresses_records: bool = False) -> AlgorithmTraits:
    """Return the traits of a search that refines the most masked table; some cut numbers without a hierarchy."""
    return AlgorithmTraits(
        recoding="cut",
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=True,
        model_needs=("closed_under_merge",),
        numeric_without_hierarchy=cuts_numbers,
        suppresses_records=suppresses_records,
        cost=cost,
        works_on="counts",
        most_rows=None,
    )


class RefiningAlgorithm(Algorithm):
    """A search that starts from the most masked table and takes the step of best score until none is valid."""

    max_refinements: int | None = param(default=None, ge=0, doc="stop after this many steps")
    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best state reached")
    trace: Literal["steps", "full"] = param(
        default="steps", choices=("steps", "full"), doc="whether the trace also lists the candidates not taken"
    )

    @abstractmethod
    def start(self, task: Task) -> Refinery:
        """Return the search in its most masked state."""

    def run(self, task: Task, run: Run) -> Outcome:
        """Refine until no valid candidate is left; the generator is not used."""
        refinery = self.start(task)
        return refine(
            refinery, run.within(self.deadline), full=self.trace == "full", max_refinements=self.max_refinements
        )
