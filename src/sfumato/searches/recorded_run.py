"""Running a greedy search: the metric that values its steps, and writing down how a top-down one went to its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sfumato.catalogue import TABLE, known, things
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.run import Run
from sfumato.contracts.trace import RefinementStep
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.searches.refinement import Candidate, Refinery

__all__ = ["refine", "step_metric"]


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


def step_metric(kind: type, name: str, *, called: str, owner: str, target: str | None) -> Any:
    """Return the metric of a kind; refuse what is none, and what needs a target where there is no target.

    ``called`` is what messages call the kind, ``owner`` the id of the algorithm whose parameter ``score`` names it.
    """
    parameter = f"{owner}.score"
    found: Any = known(name, "metric", TABLE)
    if found is None or found.id != name or not issubclass(found, kind):
        raise BadRequest(f"is not a {called}", parameter=parameter, value=name, available=list(_able(kind)))
    if found.traits.needs_target and target is None:
        free = [one for one, thing in _able(kind).items() if not thing.traits.needs_target]
        raise BadRequest(f"{name} needs a column with the role target", parameter=parameter, available=[*free, "auto"])
    return found.from_spec({"id": name})


def _able(kind: type) -> dict[str, Any]:
    """Return the metrics of a kind by id."""
    return {thing.id: thing for thing in things("metric", TABLE) if issubclass(thing, kind)}
