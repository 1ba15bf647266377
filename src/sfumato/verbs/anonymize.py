"""From a raw table and a policy to a verified release, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.model import Verdict
from sfumato.contracts.progress import Progress, Silent
from sfumato.data.compressed import CompressedTable
from sfumato.data.schema import Role
from sfumato.errors import InternalError, Unsupported
from sfumato.policy import Policy
from sfumato.releases.certificate import metric_entry, requirement_entry, versions, weaknesses
from sfumato.releases.recoded_table import RecodedTable
from sfumato.releases.release import Judgement, Private, Release
from sfumato.verbs.measure import measure_all, published_stats
from sfumato.verbs.opening import open_table
from sfumato.verbs.preparing import Prepared, prepare
from sfumato.verbs.recode import recode_table

__all__ = ["anonymize"]


def anonymize(
    source: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    progress: Progress | None = None,
    on_step: Callable[[Any], None] | None = None,
    accept_interrupted: Callable[[Outcome], bool] | None = None,
) -> Release:
    """Return a release that meets every requirement of the policy, verified on the published rows.

    ``source`` is a path, a frame, or a table; the frame in ``release.public`` has the type that came in. If the search is
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
    task = prepared.task(progress, on_step)
    algorithm = asked.search()
    _refuse_unfit(prepared)
    progress.stage(f"searching ({algorithm.id})")
    outcome = algorithm.run(task, np.random.default_rng(asked.seed))
    if outcome.stopped == "interrupted" and not (accept_interrupted is not None and accept_interrupted(outcome)):
        raise KeyboardInterrupt
    progress.stage("recoding")
    recoded = recode_table(prepared.table, outcome.recodings)
    public = recoded.table if asked.output.row_order == "keep" else recoded.table.sort()
    progress.stage("verifying")
    return _release(prepared, public, outcome, source, task.table)


def _refuse_unfit(prepared: Prepared) -> None:
    """Refuse requirements whose traits the algorithm cannot work with, before any work."""
    algorithm = prepared.policy.search()
    for model in prepared.models:
        for need in algorithm.traits.model_needs:
            if not getattr(model.traits, need):
                raise Unsupported(
                    f"{algorithm.id} needs requirements that are {need.replace('_', ' ')}", thing=model.id
                )


def _release(prepared: Prepared, public: Any, outcome: Outcome, source: Any, raw: CompressedTable) -> Release:
    policy = prepared.policy
    qids = [attribute.name for attribute in prepared.attributes]
    kind = RecodedTable()
    verdicts = kind.verify(public, policy.models(), qids)
    refuse_violations(verdicts)
    groups = public.groups(qids)
    metrics = policy.measures()
    published = published_stats(prepared.dictionaries, outcome.recodings, groups, prepared.table.rows)
    if any(metric.applies(published) is not None for metric in metrics):
        # Some metrics ask where each raw record went, or for the classes in a group; it costs another pass.
        target = prepared.target
        counted = public.groups(qids, [target] if target is not None else [])
        published = published_stats(
            prepared.dictionaries, outcome.recodings, counted, prepared.table.rows, raw=raw, target=target
        )
    measured = measure_all(published, metrics)
    dropped = prepared.dropped
    counts = {
        "records_read": prepared.records_read,
        "records_dropped_for_missing_values": dropped,
        "records_suppressed": 0,
        "records_published": public.rows,
        "groups_on_all_quasi_identifiers": len(groups),
        "smallest_of_these_groups": int(groups.sizes.min()),
    }
    if public.rows != prepared.records_read - dropped:
        raise InternalError(f"{public.rows} rows came out, {prepared.records_read - dropped} were expected")
    roles = {name: policy.columns[name].role for name in public.columns}
    warnings = list(outcome.warnings)
    if dropped:
        warnings.append(f"{dropped:,} records were dropped because of missing values")
    warnings += [
        f"{model.id} on ({', '.join(model.qid or qids)}) is covered by another requirement"
        for model in prepared.covered
    ]
    masked_all = [name for name, recoding in outcome.recodings.items() if len(recoding.published()) == 1]
    if masked_all:
        warnings.append(f"nothing is left of {', '.join(masked_all)}: all values are masked to one")
    certificate = {
        "certificate": 1,
        "release": {
            "kind": kind.id,
            "truthful": kind.traits.truthful,
            "columns": list(public.columns),
            "rows": public.rows,
            "row_order": "sorted by the published values"
            if policy.output.row_order == "sorted"
            else "as in the input, on request: whoever knows the input's order knows whose record is where",
        },
        "requirements": [requirement_entry(verdict) for verdict in verdicts],
        "not_protected_against": weaknesses(sorted({f for model in policy.models() for f in model.traits.prevents})),
        "columns": [
            {
                "name": name,
                "role": str(role),
                "operation": outcome.recodings[name].id if name in outcome.recodings else "none",
            }
            for name, role in roles.items()
        ],
        "dropped_columns": len(policy.of_role(Role.IDENTIFIER)),
        "counts": counts,
        "metrics": [metric_entry(value) for value in measured.values()],
        "algorithm": algorithm_entry(policy, outcome),
        "policy_sha256": policy.digest(),
        "versions": versions(),
        "verifier": "recoded-table: published rows re-read and grouped anew; no code of the search is used",
    }
    return Release(
        table=public,
        kind=kind.id,
        roles=roles,
        verdict=Judgement(tuple(verdicts)),
        measured=measured,
        counts=counts,
        certificate=certificate,
        private=Private(
            policy=policy,
            recodings=outcome.recodings,
            trace=outcome.trace,
            facts={**outcome.facts, "types": {name: str(prepared.table.types[name]) for name in qids}},
            stopped=outcome.stopped,
            source=str(source) if isinstance(source, (str, Path)) else None,
        ),
        warnings=warnings,
    )


def algorithm_entry(policy: Policy, outcome: Outcome) -> dict[str, Any]:
    """Return what the certificate says about the search: which, whether proven optimal, whether it ran to its end."""
    algorithm = policy.search()
    return {"id": algorithm.id, "optimal": algorithm.traits.optimal, "stopped": outcome.stopped or "no step was left"}


def refuse_violations(verdicts: list[Verdict]) -> None:
    """Stop a release that fails its own check; says how many groups fail and how badly, never whose."""
    for verdict in verdicts:
        if not verdict.satisfied:
            raise InternalError(
                f"the release fails {verdict.model} on ({', '.join(verdict.qid)}): {verdict.violating_groups} of "
                f"{verdict.groups} groups violate it, measured {verdict.strongest}, needed {verdict.bound}; "
                "nothing is published",
                measured=verdict.strongest,
                bound=verdict.bound,
                requirement=verdict.model,
            )
