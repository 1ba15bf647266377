"""Running a top-down search to its end and writing down how it went."""

from __future__ import annotations

from dataclasses import replace

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.run import Run
from sfumato.contracts.trace import RefinementStep
from sfumato.data.messages import say
from sfumato.searches.refinement import Candidate, Refinery

__all__ = ["refine"]


def refine(refinery: Refinery, run: Run, *, full: bool = False, max_refinements: int | None = None) -> Outcome:
    """Refine until no candidate is left or a limit is reached; a full trace also lists the candidates not taken."""
    task = refinery.task
    trace: list[RefinementStep] = []
    before = [refinery.candidates()] if full else []

    def record(state: Refinery, step: Candidate) -> None:
        entry = state.after(step.told())
        if full:
            entry = replace(entry, candidates=[candidate.told() for candidate in before[0]])
            before[0] = state.candidates()
        trace.append(entry)
        if run.on_step is not None:
            run.on_step(state)

    stopped = refinery.run(run, max_refinements=max_refinements, on_step=record)
    warnings = []
    if task.target is not None and len(task.table.dictionaries[task.target]) < 2:
        warnings.append(say("warning.one_class", target=repr(task.target)))
    return Outcome(
        recodings=refinery.recodings(),
        suppressed=refinery.left_out(),
        trace=trace,
        warnings=warnings,
        stopped=stopped,
        facts=replace(refinery.facts(), left=[candidate.told() for candidate in refinery.candidates()] if full else []),
    )
