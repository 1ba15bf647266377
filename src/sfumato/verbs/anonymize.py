"""From raw data and a policy to a verified release, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from sfumato.catalogue import shape_of
from sfumato.contracts.algorithm import Outcome, Search
from sfumato.contracts.progress import Progress
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run, fresh_seed, keyboard
from sfumato.errors import Cancelled, Infeasible
from sfumato.policy import SharedPolicy
from sfumato.publishing.purse import LedgerPurse
from sfumato.releases.recoded_table import RecodedTable
from sfumato.verbs._spared import spared

__all__ = ["anonymize"]

T = TypeVar("T")


@spared()
def anonymize(
    source: object,
    policy: SharedPolicy | Mapping[str, object] | str | Path,
    *,
    external: object = None,
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
    whatever the generator of ``run``. If the policy names a budget of a ledger, that is charged before noise is drawn, and
    stays charged if something fails later. ``progress`` is short for ``Run(progress=...)``.
    """
    asked = SharedPolicy.of(policy)
    shape, algorithm = shape_of(asked.shape), asked.search()
    algorithm.refuse_unpromised(asked.procedures())
    searching, purse = Run.of(run, progress), LedgerPurse.of(asked) if asked.budgets else None
    run = searching
    if algorithm.traits.anytime:
        run = replace(searching.without_deadline(), cancel=searching.cancel.outside_search())
    prepared = shape.prepare(shape.open(source, asked, run), asked, run)
    run.stage("compressing")
    # A list, so that whoever makes the release holds the task alone: of a large table it takes room, and may not be needed.
    tasks = [shape.task(prepared, None if external is None else shape.open(external, None, run))]
    run.stage(f"searching ({algorithm.id})")
    seed = _seed(asked, algorithm)
    searching = replace(searching, rng=np.random.default_rng(seed), on_step=on_step or searching.on_step, purse=purse)
    outcome = _searched(algorithm, tasks[0], searching, accept_interrupted)
    run.stage("recoding and verifying")
    release = shape.release(prepared, outcome, tasks.pop(), seed, source, run)
    return release if purse is None else purse.told(release)


def _searched(algorithm: Search[T], task: T, run: Run, accept_interrupted: Callable[[Outcome], bool] | None) -> Outcome:
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


def _seed(policy: SharedPolicy, algorithm: Search[Any]) -> int:
    """Return the seed of the policy; where shuffles and draws protect and it names none, one that nobody can guess."""
    if algorithm.traits.release == RecodedTable.id or "seed" in policy.model_fields_set:
        return policy.seed
    return fresh_seed()
