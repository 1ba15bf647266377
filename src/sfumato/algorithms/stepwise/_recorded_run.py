"""Running a top-down search to its end and writing down how it went."""

from __future__ import annotations

from typing import Any

from sfumato.algorithms.stepwise._refinement import Candidate, Refinery
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.run import Run

__all__ = ["refine"]


def refine(refinery: Refinery, run: Run, *, full: bool = False, max_refinements: int | None = None) -> Outcome:
    """Refine until no candidate is left or a limit is reached; a full trace also lists the candidates not taken."""
    task = refinery.task
    trace: list[dict[str, Any]] = []
    before = [refinery.candidates()] if full else []

    def record(state: Refinery, step: Candidate) -> None:
        entry = _entry(step) | state.state()
        if full:
            entry["candidates"] = [_entry(candidate) for candidate in before[0]]
            before[0] = state.candidates()
        trace.append(entry)
        if run.on_step is not None:
            run.on_step(state)

    stopped = refinery.run(run, max_refinements=max_refinements, on_step=record)
    warnings = []
    if task.target is not None and len(task.table.dictionaries[task.target]) < 2:
        warnings.append(f"the target column {task.target!r} holds one class only: no refinement can help to predict it")
    return Outcome(
        recodings=refinery.recodings(),
        suppressed=refinery.left_out(),
        trace=trace,
        warnings=warnings,
        stopped=stopped,
        facts={
            "refinements": refinery.steps,
            **refinery.facts(),
            "left": [_entry(candidate) for candidate in refinery.candidates()] if full else [],
        },
    )


def _entry(step: Candidate) -> dict[str, Any]:
    return {
        "attribute": step.attribute,
        "value": step.value,
        "gain": step.gain,
        "loss": step.loss,
        "score": step.score,
        "valid": step.valid,
        "beneficial": step.beneficial,
        **step.facts,
    }
