"""From a raw table and a policy to a verified release, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.contracts.algorithm import Algorithm, Outcome, Task, suppression_budget
from sfumato.contracts.engine import Table
from sfumato.contracts.metric import Measured
from sfumato.contracts.model import GroupModel, Verdict
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.recoding import TableRecoding
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.errors import InternalError, Unsupported
from sfumato.groups.stats import GroupStats
from sfumato.policy import Policy
from sfumato.publishing.certificate import metric_entry, requirement_entry, versions, weaknesses
from sfumato.publishing.certify import certified
from sfumato.publishing.release import Judgement, Private, Release
from sfumato.recodings.group_suppression import GroupSuppression
from sfumato.recodings.record_recoding import RecordRecoding
from sfumato.releases.personal_table import PersonalTable, judge_owners
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.open import open_table
from sfumato.tables.prepare import Prepared, prepare
from sfumato.tables.pseudonyms import certificate_part, pseudonym_warnings, unmasked_operation
from sfumato.tables.recode import recode_table
from sfumato.verbs.measure import measure_all, operation_stats, published_stats, release_stats
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
    if outcome.built is not None:
        progress.stage("verifying")
        return _grouped_release(prepared, outcome, seed)
    progress.stage("recoding")
    whole = _masked(prepared, outcome)
    masked = whole if prepared.whole is None else whole.select(prepared.table.columns)
    public = masked if asked.output.row_order == "keep" else masked.sort()
    progress.stage("verifying")
    return _recoded_release(prepared, public, outcome, source, task, whole)


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


def _masked(prepared: Prepared, outcome: Outcome) -> Table:
    """Return the table as the outcome says: columns recoded, groups left out, then whole records recoded."""
    table = prepared.table if prepared.whole is None else prepared.whole
    table = recode_table(table, outcome.recodings).table if outcome.recodings else table
    for operation in outcome_operations(prepared, outcome):
        table = operation.apply(table)
    return table


def outcome_operations(prepared: Prepared, outcome: Outcome) -> list[TableRecoding]:
    """Return the recodings of whole records that an outcome asks for, in the order in which they are applied."""
    left_out = [GroupSuppression(qid=prepared.names, groups=tuple(outcome.suppressed))] if outcome.suppressed else []
    return [*left_out, *([] if outcome.operation is None else [outcome.operation])]


def _published_stats(prepared: Prepared, outcome: Outcome, public: Table, groups: GroupStats, task: Task) -> Any:
    """Return what metrics read; a second pass counts what the first cannot know, and only if a metric asks for it."""
    qids, target = prepared.names, prepared.target
    if outcome.operation is not None and (outcome.recodings or outcome.suppressed):
        # Columns first or records left out, then single cells: what is published must tell what it stands for.
        trees = {entry.name: entry.tree for entry in prepared.attributes if entry.tree is not None}
        return release_stats(prepared.table, public, qid=qids, target=target, hierarchies=trees)
    if outcome.operation is not None:
        return operation_stats(outcome.operation, prepared.table, qids, target)
    metrics = prepared.policy.measures()
    if not outcome.suppressed:
        published = published_stats(prepared.dictionaries, outcome.recodings, groups, prepared.table.rows)
        if all(metric.applies(published) is None for metric in metrics):
            return published
    # Some metrics ask where each raw record went, or for the classes in a group; it costs another pass.
    counted = public.groups(qids, [target] if target is not None else [])
    return published_stats(
        prepared.dictionaries, outcome.recodings, counted, prepared.table.rows, raw=task.table, target=target
    )


def _verdicts(
    prepared: Prepared,
    public: Table,
    whole: Table,
    external: Table | None,
    reference: Mapping[str, Mapping[str, int]],
) -> list[Verdict]:
    """Judge the published rows; requirements on what owners asked for need the private columns beside them."""
    out = []
    for model in prepared.policy.models():
        private = bool(model.private())
        out += RecodedTable().verify(
            whole if private else public,
            [model],
            prepared.names,
            external=external,
            reference=reference,
            trees=prepared.trees if private else None,
        )
    return out


def _recoded_release(
    prepared: Prepared, public: Table, outcome: Outcome, source: Any, task: Task, whole: Table
) -> Release:
    policy, qids = prepared.policy, prepared.names
    kind = RecodedTable()
    external = None if task.external is None else _external(prepared, outcome, task.external)
    reference = _reference(prepared, public)
    verdicts = _verdicts(prepared, public, whole, external, reference)
    refuse_violations(verdicts)
    groups = public.groups(qids)
    measured = measure_all(_published_stats(prepared, outcome, public, groups, task), policy.measures())
    suppressed = prepared.table.rows - public.rows
    counts = {
        "records_read": prepared.records_read,
        "records_dropped_for_missing_values": prepared.dropped,
        "records_suppressed": suppressed,
        "records_published": public.rows,
        "groups_on_all_quasi_identifiers": len(groups),
        "smallest_of_these_groups": int(groups.sizes.min()) if len(groups) else 0,
    }
    if suppressed < 0 or suppressed > limit_of(policy, prepared.table.rows):
        raise InternalError(
            f"{public.rows} of {prepared.table.rows} rows came out; at most {limit_of(policy, prepared.table.rows)} may be "
            "left out"
        )
    roles = {name: policy.columns[name].role for name in public.columns}
    warnings = [*outcome.warnings, *_warnings(prepared), *pseudonym_warnings(policy, public)]
    if suppressed:
        share = suppressed / prepared.table.rows
        warnings.append(f"{suppressed:,} records ({share:.1%}) are left out of the release")
    masked_all = [name for name, recoding in outcome.recodings.items() if len(recoding.published()) == 1]
    if masked_all:
        warnings.append(f"nothing is left of {', '.join(masked_all)}: all values are masked to one")
    operation = "none" if outcome.operation is None else outcome.operation.id
    touched = outcome.operation.recoded if isinstance(outcome.operation, RecordRecoding) else ()
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
        **({"reference": reference} if reference else {}),
        "not_protected_against": weaknesses(sorted({f for model in policy.models() for f in model.traits.prevents})),
        "columns": [
            {
                "name": name,
                "role": str(role),
                "operation": outcome.recodings[name].id
                if name in outcome.recodings
                else (operation if name in qids or name in touched else unmasked_operation(policy, name)),
            }
            for name, role in roles.items()
        ],
        **certificate_part(policy),
        "dropped_columns": len(policy.dropped()),
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
            operations=tuple(outcome_operations(prepared, outcome)),
            types={name: prepared.table.types[name] for name in qids},
            trace=outcome.trace,
            facts=outcome.facts,
            stopped=outcome.stopped,
            external=external,
            source=str(source) if isinstance(source, (str, Path)) else None,
            raw=task.raw,
        ),
        warnings=warnings,
    )


def _external(prepared: Prepared, outcome: Outcome, external: Table) -> Table:
    """Return the population table under the recoding of the release."""
    table = external.select([name for name in prepared.names if name in external.types])
    if outcome.recodings:
        table = recode_table(table, outcome.recodings).table
    return table if outcome.operation is None else outcome.operation.apply(table)


def _reference(prepared: Prepared, public: Table) -> dict[str, dict[str, int]]:
    """Return how columns were distributed before records were left out, where a requirement compares groups with that."""
    if public.rows == prepared.table.rows:
        return {}
    needed = {name for model in prepared.models if model.traits.evaluation == "G+" for name in model.needs()}
    counted = {name: prepared.table.dictionary(name) for name in sorted(needed)}
    return {
        name: {to_text(value): int(count) for value, count in zip(one.values, one.counts, strict=True)}
        for name, one in counted.items()
    }


def _grouped_release(prepared: Prepared, outcome: Outcome, seed: int) -> Release:
    """Return the release of an algorithm that publishes something else than a recoded table."""
    policy, built = prepared.policy, outcome.built
    assert built is not None
    main = built.tables[built.kind.part_names()[0]]
    published = {name for table in built.tables.values() for name in table.columns}
    suppressed, limit = int(outcome.facts.get("records_suppressed", 0)), limit_of(policy, prepared.table.rows)
    if suppressed > limit:
        raise InternalError(f"{suppressed} records were left out; at most {limit} may be")
    # Of a procedure with a formal guarantee even the number of records is an answer without noise.
    silent = built.kind.traits.published == "statistics" and bool(outcome.audits)
    owned = _judge_owners(prepared, outcome)
    return certified(
        built,
        policy=policy,
        algorithm=algorithm_entry(policy, outcome),
        measured=_personal_costs(prepared, outcome, main),
        counts=None
        if silent
        else {
            "records_read": prepared.records_read,
            "records_dropped_for_missing_values": prepared.dropped,
            **({"records_suppressed": suppressed} if suppressed else {}),
            "rows_published": main.rows,
        },
        dropped_columns=sum(name not in published for name in policy.columns),
        audits=outcome.audits,
        procedure=outcome.procedure or policy.search().spec(),
        trace=outcome.trace,
        facts={**outcome.facts, **owned, "seed": seed, **({"records_read": prepared.records_read} if silent else {})},
        warnings=[*outcome.warnings, *_warnings(prepared)],
    )


def _judge_owners(prepared: Prepared, outcome: Outcome) -> dict[str, Any]:
    """Count anew, of a table that protects single owners, what only the publisher can see: the groups these are in."""
    built = outcome.built
    if built is None or not isinstance(built.kind, PersonalTable):
        return {}
    held = prepared.table.dictionary(built.kind.sensitive)
    reference = dict(zip(held.values, held.counts.tolist(), strict=True))
    protected = np.zeros(prepared.table.rows, bool)
    protected[np.array(outcome.facts["protected"], np.int64)] = True
    verdicts = [
        judge_owners(built, model, protected, reference) for model in prepared.models if isinstance(model, GroupModel)
    ]
    refuse_violations(verdicts)
    return {"deviation": max((one.strongest for one in verdicts if one.strongest is not None), default=None)}


def _personal_costs(prepared: Prepared, outcome: Outcome, public: Table) -> dict[str, Measured]:
    """Return what a table of single records costs of which some were generalized, left out or added; nothing for others."""
    kind, metrics = None if outcome.built is None else outcome.built.kind, prepared.policy.measures()
    if not isinstance(kind, PersonalTable) or kind.moved or not metrics:
        return {}  # a value that is not the owner's own has climbed nowhere
    trees = {entry.name: entry.tree for entry in prepared.attributes if entry.tree is not None}
    stats = release_stats(
        prepared.table,
        public,
        qid=prepared.names,
        target=prepared.target,
        hierarchies=trees,
        added=outcome.facts["added_rows"],
    )
    return measure_all(stats, metrics)


def _warnings(prepared: Prepared) -> list[str]:
    """Return what happened before the search that the publisher should know."""
    out = []
    if prepared.dropped:
        out.append(f"{prepared.dropped:,} records were dropped because of missing values")
    return out + [
        f"{model.id} on ({', '.join(model.qid or prepared.names)}) is covered by another requirement"
        for model in prepared.covered
    ]


def limit_of(policy: Policy, records: int) -> int:
    """Return how many records may be left out."""
    return suppression_budget(policy.limits.suppress_at_most, records)


def algorithm_entry(policy: Policy, outcome: Outcome) -> dict[str, Any]:
    """Return what the certificate says about the search: which, whether proven optimal, whether it ran to its end."""
    algorithm = policy.search()
    proven = algorithm.traits.optimal if outcome.optimal is None else outcome.optimal
    return {"id": algorithm.id, "optimal": proven, "stopped": outcome.stopped or "no step was left"}


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
