"""From a built release to a certified one: judged by its kind's own check, with the statement of what that shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.catalogue import build, find
from sfumato.contracts.built import Built
from sfumato.contracts.metric import Measured
from sfumato.contracts.model import Audit, Model
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Infeasible
from sfumato.publishing.certificate import (
    FORMAT,
    metric_entry,
    procedure_entry,
    requirement_entry,
    versions,
    weaknesses,
)
from sfumato.publishing.release import Judgement, Private, Release

__all__ = ["certified"]


def certified(
    built: Built,
    requirements: Sequence[Model] = (),
    *,
    policy: Any = None,
    algorithm: Mapping[str, Any] | None = None,
    measured: Mapping[str, Measured] | None = None,
    counts: Mapping[str, int] | None = None,
    dropped_columns: int = 0,
    trace: Sequence[Mapping[str, Any]] = (),
    facts: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
    audits: Sequence[Audit] = (),
    procedure: Mapping[str, Any] | None = None,
) -> Release:
    """Return the release of what was built, judged anew; refuse it if a requirement fails.

    ``requirements`` are those of the policy if one is given. ``algorithm`` is what the certificate says of the search that
    found the grouping; without it the grouping was given by hand. ``audits`` are what a ``procedure``, an algorithm with
    all its parameters, was found to promise.
    """
    kind, tables = built.kind, built.tables
    models = list(requirements) if policy is None or requirements else policy.models()
    roles = {name: _role(name, kind.roles(), policy) for table in tables.values() for name in table.columns}
    qids = [name for name, role in roles.items() if role is Role.QUASI_IDENTIFIER]
    verdicts = kind.verify(tables, models, qids)
    for verdict in verdicts:
        if not verdict.satisfied:
            raise Infeasible(
                f"the grouping fails {verdict.model}: {verdict.violating_groups:,} of {verdict.groups:,} groups violate it, "
                f"measured {verdict.strongest}, needed {verdict.bound}; nothing is released",
                measured=verdict.strongest,
                bound=verdict.bound,
                requirement=verdict.model,
            )
    for audit in audits:
        if not audit.satisfied:
            raise Infeasible(
                f"the procedure fails {audit.model}: measured {audit.measured:g}, needed {audit.bound}; nothing is released",
                measured=audit.measured,
                bound=audit.bound,
                requirement=audit.model,
            )
    main = tables[kind.part_names()[0]]
    values = dict(measured or {})
    certificate: dict[str, Any] = {
        "certificate": FORMAT,
        "release": {
            "kind": kind.id,
            "parameters": {key: value for key, value in kind.spec().items() if key != "id"},
            "truthful": kind.traits.truthful,
            "columns": list(main.columns),
            "rows": main.rows,
        },
        "requirements": [requirement_entry(verdict) for verdict in verdicts],
        **({"procedures": _procedures(audits, procedure or {})} if audits else {}),
        "not_protected_against": weaknesses([*kind.prevented(models), *_prevented(audits)]),
        "guarantee": kind.guarantee(tables),
        "statement": kind.statement(),
        "columns": [
            {"name": name, "role": str(role), "operation": kind.operation(name)} for name, role in roles.items()
        ],
        "dropped_columns": dropped_columns,
        "counts": dict(counts or {"rows_published": main.rows}),
        "metrics": [metric_entry(value) for value in values.values()],
        "algorithm": dict(algorithm or {"id": "given by hand", "optimal": False, "stopped": "no search"}),
        "policy_sha256": None if policy is None else policy.digest(),
        "versions": versions(),
        "verifier": f"{kind.id}: published tables re-read and counted anew; no code of a search is used",
    }
    return Release(
        table=main,
        kind=kind.id,
        roles=roles,
        verdict=Judgement(tuple(verdicts)),
        measured=values,
        counts=certificate["counts"],
        certificate=certificate,
        private=Private(
            policy=policy,
            recodings={},
            trace=trace,
            facts=dict(facts or {}),
            links=built.private,
            models=tuple(models),
        ),
        warnings=list(warnings),
        parts=dict(tables),
    )


def _procedures(audits: Sequence[Audit], procedure: Mapping[str, Any]) -> list[dict[str, Any]]:
    algorithm: Any = build(procedure, "algorithm")
    out = []
    for audit in audits:
        model = build({"id": audit.model, **audit.parameters}, "model")
        out.append(procedure_entry(audit, procedure, repeatable=algorithm.promised(model) is not None))
    return out


def _prevented(audits: Sequence[Audit]) -> list[str]:
    models: list[Any] = [find(audit.model, "model") for audit in audits]
    return sorted({family for model in models for family in model.traits.prevents})


def _role(name: str, known: Mapping[str, Role], policy: Any) -> Role:
    said: Role | None = policy.columns[name].role if policy is not None and name in policy.columns else None
    if said is Role.IDENTIFIER:
        raise BadRequest("names persons and is never published", column=name)
    if said is Role.PRIVATE:
        raise BadRequest("is private and is never published", column=name)
    return known.get(name) or said or Role.PLAIN
