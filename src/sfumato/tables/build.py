"""From what a search found to a release: tables built, measured, told of and certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sfumato.catalogue import name_of
from sfumato.contracts.algorithm import Outcome, Task, suppression_budget
from sfumato.contracts.built import Built
from sfumato.contracts.certificate import AlgorithmEntry, ColumnEntry
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts, OwnerFacts
from sfumato.contracts.metric import Measured
from sfumato.contracts.model import GroupModel, TableModel
from sfumato.contracts.publication import Publication
from sfumato.contracts.published import Kept, Release
from sfumato.contracts.recoding import TableRecoding
from sfumato.contracts.release import Beside, ReleaseKind
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, InternalError
from sfumato.estimates.attack_payoff import bits_left_open
from sfumato.groups.label_rows import LabelRows
from sfumato.groups.published import PublishedStats
from sfumato.perturbations.microaggregation import Microaggregation
from sfumato.publishing.certify import BY_HAND, Told, certify, refuse_violations
from sfumato.recodings.group_suppression import GroupSuppression
from sfumato.recodings.record_recoding import RecordRecoding
from sfumato.recodings.value_suppression import ValueSuppression
from sfumato.releases.personal_table import PersonalTable, judge_owners
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.cells import masked_cells
from sfumato.tables.class_values import with_class_values
from sfumato.tables.plain_columns import refuse_identifying
from sfumato.tables.policy import Policy
from sfumato.tables.prepare import Prepared
from sfumato.tables.pseudonyms import pseudonym_entry, pseudonym_warnings, unmasked_operation
from sfumato.tables.recode import recode_table
from sfumato.tables.reference import told_models, told_reference
from sfumato.tables.statistics import measure_all, operation_stats, published_stats, release_stats

__all__ = [
    "built_release",
    "given_release",
    "masked_table",
    "outcome_stats",
    "recoded_release",
    "recoding_kept",
    "recoding_told",
]

_SORTED = say("order.sorted")
_KEPT = say("order.kept")


# ---- a recoded table -----------------------------------------------------------------------------------------------------


def recoded_release(prepared: Prepared, outcome: Outcome, task: Task, source: object, run: Run) -> Release:
    """Return the release of an algorithm that found how to recode the table."""
    policy, qids = prepared.policy, prepared.names
    whole = masked_table(prepared, outcome)
    whole, alone = with_class_values(whole, policy, qids)
    cells = masked_cells(whole, policy, prepared.hidden, run)
    inside = cells.table if prepared.whole is not None or cells.views else None
    masked = cells.table if prepared.whole is None else cells.table.select(prepared.table.columns)
    public = masked if policy.output.row_order == "keep" else masked.sort()
    cells = replace(cells, table=public)
    del whole, masked  # of a large table nobody needs the rows a second time, in another order
    public.foresee([name for name in policy.counted() if name in public.types])
    run.checkpoint()
    limit, suppressed = _limit(prepared), prepared.table.rows - public.rows
    if not 0 <= suppressed <= limit:
        raise InternalError(f"{public.rows} of {prepared.table.rows} rows came out; at most {limit} may be left out")
    population, weights = _population(prepared, task)
    external = None if population is None else _external(prepared, outcome, population, weights)
    reference, untold = told_reference(prepared, public)
    built = Built(
        RecodedTable(),
        {"data": public},
        beside=Beside(
            external,
            reference,
            prepared.table.rows,
            lost=_lost(prepared, outcome, task, public),
            external_weights=weights,
        ),
        inside=None
        if inside is None
        else Publication(
            table=inside,
            qids=qids,
            external=external,
            external_weights=weights,
            trees=prepared.trees,
            records=prepared.table.rows,
            cells=cells.views,
        ),
    )
    told = recoding_told(prepared, outcome, task, public, [*untold, *alone, *cells.warnings])
    told = replace(told, counts={**(told.counts or {}), **cells.counts})
    kept = replace(
        recoding_kept(prepared, outcome, source),
        beside=built.beside,
        raw=task.raw,
        models=[*told_models(prepared, built.tables, suppressed), *policy.cell_requirements()],
    )
    return certify(built, told, kept)


def _lost(prepared: Prepared, outcome: Outcome, task: Task, public: Table) -> dict[tuple[str, ...], float]:
    """Return the share of bits that each published group leaves open, by its texts, where a requirement asks for it."""
    if not any(model.traits.evaluation == "labels" for model in prepared.models):
        return {}
    stats = outcome_stats(prepared, outcome, task, public)
    if stats.group_cover is None or stats.cover_domain is None:
        return {}
    keys = zip(*stats.groups.keys, strict=True)
    lost = bits_left_open(stats.group_cover, stats.cover_domain).tolist()
    return {tuple(map(to_text, key)): share for key, share in zip(keys, lost, strict=True)}


def recoding_told(prepared: Prepared, outcome: Outcome, task: Task, public: Table, untold: Sequence[str] = ()) -> Told:
    """Return what is told of records that were recoded as a search says: columns, counts, costs, warnings."""
    policy, suppressed, groups = prepared.policy, prepared.table.rows - public.rows, public.groups(prepared.names)
    counts = {
        "records_read": prepared.records_read,
        "records_dropped_for_missing_values": prepared.dropped,
        "records_suppressed": suppressed,
        "records_published": public.rows,
        "groups_on_all_quasi_identifiers": len(groups),
        "smallest_of_these_groups": int(groups.sizes.min()) if len(groups) else 0,
    }
    warnings = [*outcome.warnings, *_warnings(prepared), *pseudonym_warnings(policy, public), *untold]
    if suppressed:
        share = suppressed / prepared.table.rows
        warnings.append(say("records.left_out", count=suppressed, share=share))
    if task.weighed is not None:
        warnings.append(say("warning.weighed_people") if task.weighed.people else say("warning.weighed"))
    nothing_left = [name for name, recoding in outcome.recodings.items() if len(recoding.published()) == 1]
    if outcome.operation is not None:  # single cells are masked, and all of a column may be
        held = {name: len(prepared.dictionaries[name]) for name in prepared.names if name not in nothing_left}
        nothing_left += [name for name, values in held.items() if len(public.dictionary(name)) == 1 < values]
    if nothing_left:
        warnings.append(say("warning.nothing_left", names=", ".join(nothing_left)))
    warnings += [say("warning.star_for_one", name=name) for name in _starred(prepared, outcome)]
    return Told(
        columns=tuple(
            ColumnEntry(
                name,
                str(policy.columns[name].role),
                _operation(prepared, outcome, name),
                policy.columns[name].publish_anyway,
            )
            for name in public.columns
        ),
        counts=counts,
        algorithm=replace(
            algorithm_entry(policy, outcome),
            searched_records=None if policy.search_on is None else task.table.records,
        ),
        dropped_columns=len(policy.dropped()),
        measured=measure_all(
            _among_people(prepared, outcome, task, outcome_stats(prepared, outcome, task, public)), policy.measures()
        ),
        pseudonyms=pseudonym_entry(policy),
        row_order=_SORTED if policy.output.row_order == "sorted" else _KEPT,
        warnings=warnings,
    )


def recoding_kept(prepared: Prepared, outcome: Outcome, source: object) -> Kept:
    """Return what is kept of records that were recoded as a search says: the recoding, and how it was found."""
    return Kept(
        policy=prepared.policy,
        recodings=outcome.recodings,
        operations=tuple(_operations(prepared, outcome)),
        types={name: prepared.table.types[name] for name in prepared.names},
        trace=outcome.trace,
        facts=outcome.facts,
        stopped=outcome.stopped,
        source=str(source) if isinstance(source, (str, Path)) else None,
    )


def _starred(prepared: Prepared, outcome: Outcome) -> list[str]:
    """Return the columns in which ``*`` stands for one value, beside others that are published: whoever knows them knows it."""
    return [
        name
        for name, recoding in outcome.recodings.items()
        if isinstance(recoding, ValueSuppression)
        and len(prepared.dictionaries[name]) > 1
        and sum(map(recoding.hides, prepared.dictionaries[name].values)) == 1
    ]


def _operations(prepared: Prepared, outcome: Outcome) -> list[TableRecoding]:
    """Return the recodings of whole records that an outcome asks for, in the order in which they are applied."""
    left_out = (
        [GroupSuppression(qid=prepared.names, groups=LabelRows.of(outcome.suppressed))] if outcome.suppressed else []
    )
    return [*left_out, *([] if outcome.operation is None else [outcome.operation])]


def masked_table(prepared: Prepared, outcome: Outcome) -> Table:
    """Return the table as the outcome says: columns recoded, groups left out, then whole records recoded."""
    table = prepared.table if prepared.whole is None else prepared.whole
    table = recode_table(table, outcome.recodings).table if outcome.recodings else table
    for operation in _operations(prepared, outcome):
        table = operation.apply(table)
    return table


def _external(prepared: Prepared, outcome: Outcome, external: Table, weights: str | None) -> Table:
    """Return the population table under the recoding of the release, with its weights if it has some."""
    names = [name for name in prepared.names if name in external.types]
    table = external.select(names if weights is None else [*names, weights])
    if outcome.recodings:
        table = recode_table(table, outcome.recodings).table
    return table if outcome.operation is None else outcome.operation.apply(table)


def _population(prepared: Prepared, task: Task) -> tuple[Table | None, str | None]:
    """Return the table that people are counted in, and the column of it that says how many a record stands for."""
    if task.weighed is not None and task.weighed.people:
        return prepared.table if prepared.whole is None else prepared.whole, prepared.policy.weights
    return task.external, None


def _among_people(prepared: Prepared, outcome: Outcome, task: Task, stats: PublishedStats) -> PublishedStats:
    """Return what metrics read with the people who look like each group, where a metric asks for them."""
    population, weights = _population(prepared, task)
    asked = [metric for metric in prepared.policy.measures() if metric.applies(stats) is not None]
    if population is None or not asked or stats.groups.people is not None:
        return stats
    names = stats.groups.columns
    view = Publication(
        table=population,
        qids=names,
        external=_external(prepared, outcome, population, weights),
        external_weights=weights,
    )
    counted = view.external_groups(names).as_dict()
    people = [counted[key] for key in zip(*stats.groups.keys, strict=True)]
    return replace(stats, groups=replace(stats.groups, people=np.array(people)))


def _operation(prepared: Prepared, outcome: Outcome, name: str) -> str:
    """Return what the certificate says was done to a column."""
    if name in outcome.recodings:
        return outcome.recodings[name].id
    touched = outcome.operation.recoded if isinstance(outcome.operation, RecordRecoding) else ()
    if name in prepared.names or name in touched:
        return "none" if outcome.operation is None else outcome.operation.id
    if name in prepared.policy.aggregates():
        return f"{Microaggregation.id}: {prepared.policy.aggregates()[name]}"
    cells = prepared.policy.cells().get(name)
    return unmasked_operation(prepared.policy, name) if cells is None else f"{cells.shape}: {cells.search().id}"


def outcome_stats(prepared: Prepared, outcome: Outcome, task: Task, public: Table) -> PublishedStats:
    """Return what metrics read; a second pass counts what the first cannot know, and only if a metric asks for it."""
    qids, target = prepared.names, prepared.target
    if outcome.operation is not None and (outcome.recodings or outcome.suppressed):
        # Columns first or records left out, then single cells: what is published must tell what it stands for.
        return release_stats(prepared.table, public, qid=qids, target=target, hierarchies=_trees(prepared))
    if outcome.operation is not None:
        return operation_stats(outcome.operation, prepared.table, qids, target, published=public)
    if prepared.policy.search_on is not None or prepared.start:
        # Nobody holds the distinct rows: metrics that ask where each one went do not apply.
        groups = public.groups(qids, [target] if target is not None else [])
        left_out = prepared.table.rows - public.rows
        return published_stats(
            prepared.dictionaries, outcome.recodings, groups, prepared.table.rows, left_out, target=target
        )
    if not outcome.suppressed and task.weighed is None:
        published = published_stats(prepared.dictionaries, outcome.recodings, public.groups(qids), prepared.table.rows)
        if all(metric.applies(published) is None for metric in prepared.policy.measures()):
            return published
    # Some metrics ask where each raw record went, or for the classes in a group; it costs another pass.
    counted = public.groups(qids, [target] if target is not None else [])
    return published_stats(
        prepared.dictionaries,
        outcome.recodings,
        counted,
        prepared.table.rows,
        raw=task.table,
        target=target,
        weighed=task.weighed,
    )


# ---- every other kind ----------------------------------------------------------------------------------------------------


def built_release(prepared: Prepared, outcome: Outcome, built: Built, seed: int) -> Release:
    """Return the release of an algorithm that publishes something else than a recoded table."""
    policy, main = prepared.policy, built.main
    published = {name for table in built.tables.values() for name in table.columns}
    suppressed, limit = outcome.facts.records_suppressed or 0, _limit(prepared)
    if suppressed > limit:
        raise InternalError(f"{suppressed} records were left out; at most {limit} may be")
    # Of a procedure with a formal guarantee even the number of records is an answer without noise.
    silent = built.kind.traits.published == "statistics" and bool(outcome.audits)
    counts = {
        "records_read": prepared.records_read,
        "records_dropped_for_missing_values": prepared.dropped,
        **({"records_suppressed": suppressed} if suppressed else {}),
        "rows_published": main.rows,
    }
    facts = _judged_facts(prepared, outcome.facts, built)
    if isinstance(built.kind, PersonalTable) and isinstance(facts, OwnerFacts):
        built = replace(built, kind=replace(built.kind, deviation=facts.deviation))
    told = Told(
        columns=column_entries(built.kind, built.tables, policy),
        counts=None if silent else counts,
        algorithm=algorithm_entry(policy, outcome),
        dropped_columns=sum(name not in published for name in policy.columns),
        measured=_personal_costs(prepared, outcome, built),
        audits=outcome.audits,
        procedure=outcome.procedure or policy.search().spec(),
        warnings=[
            *outcome.warnings,
            *_warnings(prepared),
            *_plain_warnings(built.kind, built.tables, policy, prepared.copies),
        ],
    )
    kept = Kept(
        policy=policy,
        trace=outcome.trace,
        facts=replace(facts, seed=seed, records_read=prepared.records_read if silent else None),
        linking=built.linking,
        models=told_models(prepared, built.tables, suppressed),
    )
    return certify(built, told, kept)


def given_release(
    built: Built,
    models: Sequence[TableModel] = (),
    *,
    policy: Policy | None = None,
    counts: Mapping[str, int] | None = None,
    algorithm: AlgorithmEntry = BY_HAND,
    dropped_columns: int = 0,
    facts: Facts | None = None,
    warnings: Sequence[str] = (),
) -> Release:
    """Return the release of what no search of a policy found; ``models`` are those of the policy if none are given."""
    told = Told(
        columns=column_entries(built.kind, built.tables, policy),
        counts=counts,
        algorithm=algorithm,
        dropped_columns=dropped_columns,
        warnings=[*warnings, *_plain_warnings(built.kind, built.tables, policy)],
    )
    return certify(
        built,
        told,
        Kept(policy=policy, facts=Facts() if facts is None else facts, linking=built.linking, models=tuple(models)),
    )


def column_entries(kind: ReleaseKind, tables: Mapping[str, Table], policy: Policy | None) -> tuple[ColumnEntry, ...]:
    """Return the published columns with the role that the kind or the policy gives them; refuse what is never published."""
    roles: dict[str, Role] = {}
    for table in tables.values():
        for name in table.columns:
            said = policy.columns[name].role if policy is not None and name in policy.columns else None
            if said is Role.IDENTIFIER:
                raise BadRequest("names persons and is never published", column=name)
            if said is Role.PRIVATE:
                raise BadRequest("is private and is never published", column=name)
            if said is Role.DROP:
                raise BadRequest("is to be left out by the policy", column=name)
            if policy is not None and name in policy.cells():
                raise BadRequest("has cells with a shape of their own, which only a recoded table masks", column=name)
            roles[name] = kind.roles().get(name) or said or Role.PLAIN
    anyway = {} if policy is None else {name: entry.publish_anyway for name, entry in policy.columns.items()}
    return tuple(ColumnEntry(name, str(role), kind.operation(name), anyway.get(name)) for name, role in roles.items())


def _plain_warnings(
    kind: ReleaseKind, tables: Mapping[str, Table], policy: Policy | None, copies: Mapping[str, str] | None = None
) -> list[str]:
    """Refuse columns that a kind publishes as they were and that name persons; warn of plain ones that nearly do."""
    if policy is None:
        return []
    out: list[str] = []
    for table in tables.values():
        as_they_were = [name for name in table.columns if name in policy.columns and kind.unchanged(name)]
        sensitive = policy.of_role(Role.SENSITIVE)
        looked = [name for name in as_they_were if name not in kind.roles() or name in sensitive]
        out += refuse_identifying(table, policy, looked, copies)
    return out


def _judged_facts(prepared: Prepared, facts: Facts, built: Built) -> Facts:
    """Count anew, of a table that protects single owners, what only the publisher can see: the groups these are in."""
    if not isinstance(built.kind, PersonalTable):
        return facts
    if not isinstance(facts, OwnerFacts):
        raise InternalError(f"a {built.kind.id} that does not tell whom it protects cannot be judged")
    held = prepared.table.dictionary(built.kind.sensitive)
    reference = dict(zip(held.values, held.counts.tolist(), strict=True))
    verdicts = [judge_owners(built, model, reference) for model in prepared.models if isinstance(model, GroupModel)]
    refuse_violations(verdicts, searched=True)
    return replace(facts, deviation=max((one.strongest for one in verdicts if one.strongest is not None), default=None))


def _personal_costs(prepared: Prepared, outcome: Outcome, built: Built) -> dict[str, Measured]:
    """Return what a table of single records costs of which some were generalized, left out or added; nothing for others."""
    kind, facts, metrics = built.kind, outcome.facts, prepared.policy.measures()
    if not isinstance(kind, PersonalTable) or not isinstance(facts, OwnerFacts) or kind.moved or not metrics:
        return {}  # a value that is not the owner's own has climbed nowhere
    stats = release_stats(
        prepared.table,
        built.main,
        qid=prepared.names,
        target=prepared.target,
        hierarchies=_trees(prepared),
        added=facts.added_rows,
    )
    return measure_all(stats, metrics)


# ---- both ----------------------------------------------------------------------------------------------------------------


def _trees(prepared: Prepared) -> dict[str, Tree]:
    return {entry.name: entry.tree for entry in prepared.attributes if entry.tree is not None}


def _limit(prepared: Prepared) -> int:
    """Return how many records may be left out."""
    return suppression_budget(prepared.policy.limits.suppress_at_most, prepared.table.rows)


def _warnings(prepared: Prepared) -> list[str]:
    """Return what happened before the search that the publisher should know."""
    out: list[str] = [*prepared.warnings]
    if prepared.dropped:
        out.append(say("records.dropped", count=prepared.dropped))
    return out + [
        say("warning.covered", model=model.id, columns=", ".join(model.qid or prepared.names))
        for model in prepared.covered
    ]


def algorithm_entry(policy: Policy, outcome: Outcome) -> AlgorithmEntry:
    """Return what the certificate says about the search: which, whether proven optimal, whether it ran to its end."""
    algorithm = policy.search()
    proven = algorithm.traits.optimal if outcome.optimal is None else outcome.optimal
    return AlgorithmEntry(name_of(type(algorithm)), proven, outcome.stopped or "no step was left")
