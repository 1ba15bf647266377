"""From a raw table and a policy to a verified release, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.contracts.algorithm import Algorithm, Outcome, Task
from sfumato.contracts.progress import Progress
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run, keyboard
from sfumato.data.schema import Role
from sfumato.errors import Cancelled, Infeasible, Unsupported
from sfumato.policy import Policy
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.build import built_release, recoded_release
from sfumato.tables.open import open_table
from sfumato.tables.prepare import Prepared, prepare
from sfumato.verbs.release import fresh_seed

__all__ = ["anonymize"]


def anonymize(
    source: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    external: Any = None,
    run: Run | None = None,
    progress: Progress | None = None,
    on_step: Callable[[Any], None] | None = None,
    accept_interrupted: Callable[[Outcome], bool] | None = None,
) -> Release:
    """Return a release that meets every requirement of the policy, verified on the published rows.

    ``source`` is a path, a frame, or a table; the frame in ``release.public`` has the type that came in. ``external`` is a
    population table over the same quasi-identifiers, for requirements and algorithms that ask for one. If the search is
    interrupted and the algorithm is anytime, ``accept_interrupted`` decides whether the state reached is published; without
    it the interruption goes on. ``on_step`` sees every state of the search. The seed of the policy decides what is drawn,
    whatever the generator of ``run``. ``progress`` is short for ``Run(progress=...)``.
    """
    asked = Policy.of(policy)
    algorithm = asked.search()
    searching = Run.of(run, progress)
    run = searching.without_deadline() if algorithm.traits.anytime else searching
    table = open_table(source, asked, run=run)
    run.stage("preparing", len(asked.of_role(Role.QUASI_IDENTIFIER)))
    prepared = prepare(table, asked, run)
    run.stage("compressing")
    task = prepared.task(None if external is None else open_table(external))
    _refuse_unfit(prepared)
    run.stage(f"searching ({algorithm.id})")
    seed = _seed(asked, algorithm)
    searching = replace(searching, rng=np.random.default_rng(seed), on_step=on_step or searching.on_step)
    outcome = _searched(algorithm, task, searching, accept_interrupted)
    run.stage("recoding and verifying")
    if outcome.built is not None:
        return built_release(prepared, outcome, outcome.built, seed)
    return recoded_release(prepared, outcome, task, source, run)


def _searched(
    algorithm: Algorithm, task: Task, run: Run, accept_interrupted: Callable[[Outcome], bool] | None
) -> Outcome:
    """Search; what a search reached that was interrupted is kept if somebody accepts it."""
    if not algorithm.traits.anytime:
        return algorithm.run(task, run)
    try:
        with keyboard(run.cancel) as pressed:
            outcome = algorithm.run(task, run)
    except Infeasible:
        run.without_deadline().checkpoint()  # whoever cancelled wants no reason
        raise
    if outcome.stopped == "interrupted":
        if accept_interrupted is None or not accept_interrupted(outcome):
            raise KeyboardInterrupt if pressed.is_set() else Cancelled
        run.cancel.clear()
    return outcome


def _seed(policy: Policy, algorithm: Algorithm) -> int:
    """Return the seed of the policy; where shuffles and draws protect and it names none, one that nobody can guess."""
    if algorithm.traits.release == RecodedTable.id or "seed" in policy.model_fields_set:
        return policy.seed
    return fresh_seed()


def _refuse_unfit(prepared: Prepared) -> None:
    """Refuse requirements whose traits the algorithm cannot work with, before any work."""
    algorithm = prepared.policy.search()
    if algorithm.procedures and not prepared.policy.procedures():
        raise Unsupported(
            f"{algorithm.id} publishes the output of a procedure and needs a requirement on it, such as "
            f"{{id: {algorithm.procedures[0]}}}",
            thing=algorithm.id,
        )
    for model in prepared.models:
        for need in algorithm.traits.model_needs:
            if not getattr(model.traits, need):
                raise Unsupported(
                    f"{algorithm.id} needs requirements that are {need.replace('_', ' ')}", thing=model.id
                )
