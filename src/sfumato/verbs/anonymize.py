"""From a raw table and a policy to a verified release, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.contracts.algorithm import Algorithm, Outcome
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.published import Release
from sfumato.data.schema import Role
from sfumato.errors import Unsupported
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
    progress: Progress | None = None,
    on_step: Callable[[Any], None] | None = None,
    accept_interrupted: Callable[[Outcome], bool] | None = None,
) -> Release:
    """Return a release that meets every requirement of the policy, verified on the published rows.

    ``source`` is a path, a frame, or a table; the frame in ``release.public`` has the type that came in. ``external`` is a
    population table over the same quasi-identifiers, for requirements and algorithms that ask for one. If the search is
    interrupted and the algorithm is anytime, ``accept_interrupted`` decides whether the state reached is published; without
    it the interruption goes on. ``on_step`` sees every state of the search.
    """
    progress = progress or Silent()
    asked = Policy.of(policy)
    progress.stage("reading")
    table = open_table(source, asked)
    progress.stage("preparing", len(asked.of_role(Role.QUASI_IDENTIFIER)))
    prepared = prepare(table, asked, progress)
    progress.stage("compressing")
    task = prepared.task(progress, on_step, None if external is None else open_table(external))
    algorithm = asked.search()
    _refuse_unfit(prepared)
    progress.stage(f"searching ({algorithm.id})")
    seed = _seed(asked, algorithm)
    outcome = algorithm.run(task, np.random.default_rng(seed))
    if outcome.stopped == "interrupted" and not (accept_interrupted is not None and accept_interrupted(outcome)):
        raise KeyboardInterrupt
    progress.stage("recoding and verifying")
    if outcome.built is not None:
        return built_release(prepared, outcome, outcome.built, seed)
    return recoded_release(prepared, outcome, task, source)


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
