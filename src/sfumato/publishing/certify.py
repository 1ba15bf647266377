"""From a built release to a certified one: judged by its kind's own check, with the statement of what that shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from sfumato.catalogue import build, find
from sfumato.contracts.algorithm import Algorithm, Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.built import Built
from sfumato.contracts.certificate import (
    AlgorithmEntry,
    Certificate,
    ColumnEntry,
    Described,
    Json,
    MetricEntry,
    PartEntry,
    ProcedureEntry,
    PseudonymEntry,
    RequirementEntry,
)
from sfumato.contracts.engine import Table
from sfumato.contracts.metric import Measured
from sfumato.contracts.model import Audit, MechanismModel, Requirement, Verdict
from sfumato.contracts.published import Judgement, Kept, Release
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import Infeasible, InternalError
from sfumato.publishing.certificate import versions, weaknesses

__all__ = ["BY_HAND", "Told", "certify", "certify_outcome", "refuse_violations"]

BY_HAND = AlgorithmEntry(say("made.by_hand"), False, "no search")

Where = Literal["outside", "inside"]


@frozen
class Told:
    """What the publisher tells of a release beside what anybody can count.

    ``columns`` are the published ones with role and operation. ``audits`` are what a ``procedure``, an algorithm with all its
    parameters, was found to promise. Without ``counts`` only the rows are counted.
    """

    columns: tuple[ColumnEntry, ...]
    counts: Mapping[str, int] | None = None
    algorithm: AlgorithmEntry = BY_HAND
    dropped_columns: int = 0
    measured: Mapping[str, Measured] = field(default_factory=dict)
    audits: Sequence[Audit] = ()
    procedure: Mapping[str, Json] = field(default_factory=dict)
    pseudonyms: PseudonymEntry | None = None
    row_order: str | None = None
    warnings: Sequence[str] = ()


def certify(built: Built, told: Told, kept: Kept) -> Release:
    """Return the release of what was built, judged anew; refuse it if a requirement fails."""
    kind, models = built.kind, kept.requirements()
    roles = {entry.name: Role(entry.role) for entry in told.columns}
    judged = _judged(built, models, [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER])
    verdicts = tuple(verdict for verdict, _, _ in judged)
    refuse_violations(verdicts, searched=kind.traits.searched)
    _refuse_broken(told.audits)
    certificate = Certificate(
        release=Described(
            kind=kind.id,
            shape=kind.shape,
            truthful=kind.traits.truthful,
            files=tuple(PartEntry(name, table.columns, table.rows) for name, table in built.tables.items()),
            parameters={key: value for key, value in kind.spec().items() if key != "id"},
            row_order=told.row_order,
        ),
        requirements=tuple(RequirementEntry.of(*one) for one in judged),
        procedures=_procedures(told),
        not_protected_against=tuple(weaknesses([*kind.prevented(models), *_prevented(told.audits)])),
        guarantee=built.guarantee(),
        statement=kind.statement(),
        reference=built.beside.reference,
        columns=told.columns,
        pseudonyms=told.pseudonyms,
        dropped_columns=told.dropped_columns,
        counts=dict(told.counts or {"rows_published": built.main.rows}),
        metrics=tuple(MetricEntry.of(value) for value in told.measured.values()),
        algorithm=told.algorithm,
        policy_sha256=None if kept.policy is None else kept.policy.digest(),
        versions=versions(),
        verifier=say("verifier.anew", kind=kind.id),
    )
    return Release(
        form=kind,
        tables=built.tables,
        roles=roles,
        certificate=certificate,
        models=tuple(models),
        private=kept,
        warnings=list(told.warnings),
        verdict=Judgement(verdicts),
        measured=told.measured,
    )


def certify_outcome(
    outcome: Outcome,
    policy: Asked,
    algorithm: str,
    *,
    read: int,
    measured: Iterable[Measured] = (),
    warnings: Sequence[str] = (),
    raw: Table | None = None,
    by_record: bool = True,
    models: Sequence[Requirement] = (),
    counts: Mapping[str, int] | None = None,
) -> Release:
    """Certify what an algorithm built whose release has a kind of its own: roles and operations are those of the kind.

    ``read`` is how many records, or persons, were read; ``raw`` the data before masking as a table. ``by_record``: its first
    table has a row for each of them; where it has none, nobody was left out. Where noise was drawn their number is an answer
    without noise: it stays inside. ``models`` are the requirements of the policy if not given, ``counts`` more that is counted.
    """
    built = outcome.built
    assert built is not None, "such an algorithm builds its release"
    kind, roles = built.kind, built.kind.roles()
    published = dict.fromkeys(name for table in built.tables.values() for name in table.columns)
    counted = (
        {"records_read": read} | ({"records_published": built.main.rows} if by_record else {}) | dict(counts or {})
    )
    silent = kind.traits.published == "statistics"
    told = Told(
        columns=tuple(ColumnEntry(name, str(roles[name]), kind.operation(name)) for name in published if name in roles),
        counts=None if silent else counted,
        algorithm=AlgorithmEntry(algorithm, outcome.optimal is True, outcome.stopped or "no step was left"),
        measured={found.metric: found for found in measured},
        warnings=(*warnings, *outcome.warnings),
        audits=outcome.audits,
        procedure=outcome.procedure or {},
    )
    kept = Kept(
        policy=policy,
        facts=replace(outcome.facts, records_read=read if silent else None),
        trace=outcome.trace,
        stopped=outcome.stopped,
        linking=built.linking,
        raw=raw,
        models=models,
    )
    return certify(built, told, kept)


def refuse_violations(verdicts: Sequence[Verdict], *, searched: bool) -> None:
    """Stop a release that fails its own check; says how many groups fail and how badly, never whose.

    What a search found must hold: that it does not is our bug. What was grouped otherwise may ask for too much.
    """
    for verdict in verdicts:
        if not verdict.satisfied:
            on = f" on ({', '.join(verdict.qid)})" if verdict.qid else ""
            raise (InternalError if searched else Infeasible)(
                f"the release fails {verdict.model}{on}: {verdict.violating_groups:,} of {verdict.groups:,} groups violate it, "
                f"measured {verdict.strongest}, needed {verdict.bound}; nothing is published",
                measured=verdict.strongest,
                bound=verdict.bound,
                requirement=verdict.model,
            )


def _judged(
    built: Built, models: Sequence[Requirement], qids: Sequence[str]
) -> list[tuple[Verdict, Requirement, Where]]:
    """Judge the public tables; requirements on what is not published are judged on the publisher's own view."""
    out: list[tuple[Verdict, Requirement, Where]] = []
    for model in models:
        if built.inside is not None and model.private():
            out.append((model.judge(built.inside), model, "inside"))
        else:
            out += [
                (verdict, model, "outside") for verdict in built.kind.verify(built.tables, [model], qids, built.beside)
            ]
    return out


def _refuse_broken(audits: Sequence[Audit]) -> None:
    for audit in audits:
        if not audit.satisfied:
            raise Infeasible(
                f"the procedure fails {audit.model}: measured {audit.measured:g}, needed {audit.bound}; nothing is released",
                measured=audit.measured,
                bound=audit.bound,
                requirement=audit.model,
            )


def _procedures(told: Told) -> tuple[ProcedureEntry, ...]:
    if not told.audits:
        return ()
    algorithm: Algorithm = build(told.procedure, "algorithm")
    out = []
    for audit in told.audits:
        model: MechanismModel = build({"id": audit.model, **audit.parameters}, "model")
        out.append(ProcedureEntry.of(audit, told.procedure, repeatable=algorithm.promised(model) is not None))
    return tuple(out)


def _prevented(audits: Sequence[Audit]) -> list[str]:
    models = [find(audit.model, "model") for audit in audits]
    return sorted({family for model in models if issubclass(model, MechanismModel) for family in model.traits.prevents})
