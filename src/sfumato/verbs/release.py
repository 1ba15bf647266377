"""Build a release of any kind that is not searched for: from a grouping, from declared boxes, from noise."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any

import numpy as np

from sfumato.catalogue import find, things
from sfumato.contracts.built import Built
from sfumato.contracts.columns import check_columns
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import KindRequest, MadeFacts
from sfumato.contracts.model import TableModel
from sfumato.contracts.perturbation import Perturbation
from sfumato.contracts.published import Release
from sfumato.contracts.release import ReleaseKind
from sfumato.contracts.run import Run, fresh_seed
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.words import counted
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Array
from sfumato.releases.noisy_answers import NoisyAnswers
from sfumato.tables.answers import counted_with_noise
from sfumato.tables.boxes import boxes_of
from sfumato.tables.build import given_release
from sfumato.tables.grouping import by_number, numbered_groups, refuse_missing_groups
from sfumato.tables.named_values import look_alikes, with_held_values
from sfumato.tables.open import open_table
from sfumato.tables.perturb import PerturbedResult
from sfumato.tables.plain_columns import warnings_of_plain
from sfumato.tables.policy import Policy, table_models
from sfumato.tables.prepare import check_roles, settle_missing
from sfumato.verbs.perturb import perturb
from sfumato.verbs.tabulate import tabulate

__all__ = ["certified_perturbation", "perturbation_facts", "release"]

# What the verb itself fills in, from its own arguments or from the source.
_OWN = ("table", "groups", "qid", "sensitive", "rng", "source", "engine")
_BOXES = ("cuts", "hierarchies", "level")
_BY_GROUP = ("boxes", "centres")


@frozen
class _Request:
    """What was asked for, settled: columns by role, the requirements, the parameters of the kind, the seed."""

    kind: type[ReleaseKind]
    table: Table
    groups: str | Sequence[Hashable] | Array | None
    qid: tuple[str, ...]
    sensitive: tuple[str, ...]
    models: tuple[TableModel, ...]
    policy: Policy | None
    parameters: Mapping[str, Any]
    seed: int
    read: int
    dropped: int
    width: int

    @property
    def rng(self) -> np.random.Generator:
        """A fresh generator with the seed."""
        return np.random.default_rng(self.seed)

    def takes(self, extra: Sequence[str] = ()) -> dict[str, Parameter]:
        """Return the parameters of the kind's build, after refusing any that it does not have."""
        known = dict(signature(self.kind.build).parameters)
        names = [*(name for name in known if name not in _OWN), *extra]
        self.refuse_strangers(names)
        return known

    def refuse_strangers(self, names: Sequence[str]) -> None:
        """Refuse parameters that are none of these."""
        for name in self.parameters:
            if name not in names:
                raise BadRequest(
                    "is not a parameter", parameter=f"{self.kind.id}.{name}", value=name, available=sorted(names)
                )

    def refuse(self, *names: str) -> None:
        """Refuse arguments of the verb that this kind has no use for."""
        for name in names:
            if name == "groups" and self.groups is not None:
                raise BadRequest(f"{self.kind.id} has no groups", parameter="groups")
            if name != "groups" and getattr(self, name) and self.policy is None:
                raise BadRequest(f"{self.kind.id} has no use for it", parameter=name, value=getattr(self, name))


def release(
    source: object,
    kind: str,
    *,
    groups: str | Sequence[Hashable] | Array | None = None,
    qid: str | Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    requirements: object = None,
    policy: Policy | Mapping[str, object] | str | None = None,
    seed: int | None = None,
    engine: str | Mapping[str, object] | None = None,
    run: Run | None = None,
    **parameters: Any,
) -> Release:
    """Return a certified release of the kind with this id.

    ``groups`` names a column of the table, which is not published itself, or gives a label for each record. Labels that are
    not the numbers 1, 2, ... (or 0, 1, ...) are numbered in an order drawn at random. ``qid`` and ``sensitive`` name the
    published columns; a ``policy`` gives them by their roles, with requirements and rules for missing values. ``requirements``
    are models, their specs or ids. Without a ``seed`` fresh entropy is used; the seed stays in the private part.

    ``parameters`` are those of the kind:

    - anatomy-pair, permuted-table, cluster-release: those of its ``build``, such as ``form`` or ``centre``;
    - histogram-release: with ``groups``, ``boxes`` by group; without, ``cuts`` or ``hierarchies`` by column and ``level``;
    - perturbed-table, synthetic-table: ``perturbation`` (one of :mod:`sfumato.perturbations`, its spec, or several) and
      ``columns`` to publish; or, for a table that came out of another program, ``mechanism`` and ``settings`` in words;
    - noisy-answers: ``queries`` (conditions by column), ``epsilon``, ``composition``;
    - statistical-table: ``qid`` makes the cells, ``sensitive`` is summed; ``dominance``, ``min_size``, ``overlap``, ``log``,
      ``complement`` as in :func:`~sfumato.verbs.tabulate.tabulate`.

    >>> rows = {"age": [30, 32, 38, 36], "disease": ["Flu", "HIV", "Flu", "Heart"], "bucket": [1, 1, 2, 2]}
    >>> made = release(rows, "anatomy-pair", groups="bucket", qid="age", sensitive="disease", seed=7)
    >>> made.certificate["guarantee"], made.tables["st"].to_rows()[0]
    ({'max_link_probability': 0.5, 'l': 2}, (1, 'Flu', 1))
    """
    known = find(kind, "release")
    assert issubclass(known, ReleaseKind)
    if known.traits.searched:
        way = "sfumato.parties.collaborate" if kind == "joint-table" else "sfumato.anonymize"
        raise Unsupported(f"a {kind} is found by a search", thing=kind, alternatives=[way])
    run = Run.of(run)
    request = _settled(
        known,
        source,
        groups=groups,
        qid=_names("qid", qid),
        sensitive=_names("sensitive", sensitive),
        requirements=requirements,
        policy=None if policy is None else Policy.of(policy),
        seed=seed,
        engine=engine,
        parameters={name: value for name, value in parameters.items() if value is not None},
        run=run,
    )
    run.stage("building")
    facts = MadeFacts(asked=_asked(request), seed=request.seed)
    if known.made_from == "perturbation":
        return _random_table(request, facts)
    if known.made_from == "cells":
        return _tabulated(request)
    if known.made_from == "queries":
        return _certified(request, _answers(request), facts)
    built, labels = _grouped(request)
    named = {str(number): str(label) for label, number in labels.items()}
    return _certified(request, built, replace(facts, label_of_group=named or None))


def certified_perturbation(
    made: PerturbedResult,
    models: Sequence[TableModel] = (),
    *,
    columns: Sequence[str] | None = None,
    domains: Mapping[str, object] | None = None,
    policy: Policy | None = None,
    facts: MadeFacts | None = None,
    dropped_columns: int = 0,
) -> Release:
    """Return the certified release of a perturbed or synthetic table; rows are sorted, seeds and comparisons stay private."""
    built = made.built(columns, domains)
    exact = [name for name in built.tables["data"].columns if name not in made.changed]
    warnings: list[str] = [say("warning.unperturbed", names=", ".join(exact))] if exact else []
    warnings += warnings_of_plain(built.main, exact, refused=False) if policy is None else []
    warnings += [
        say("warning.unseeded", perturbation=step.perturbation.id)
        for step in made.steps
        if step.perturbation.traits.randomness == "not seedable"
    ]
    compared = [{"perturbation": step.perturbation.id, **step.private} for step in made.steps]
    return given_release(
        built,
        models,
        policy=policy,
        facts=replace(MadeFacts() if facts is None else facts, compared_with_the_original=compared),
        dropped_columns=dropped_columns,
        warnings=warnings,
    )


def perturbation_facts(made: PerturbedResult, seed: int) -> MadeFacts:
    """Return what stays private of a perturbation that was run with a seed: the seed, and how to run it again."""
    steps = [step.perturbation.spec() for step in made.steps]
    return MadeFacts(asked=KindRequest(kind=made.release, groups=None, parameters={"perturbation": steps}), seed=seed)


# ---- what was asked ----------------------------------------------------------------------------------------------------


def _settled(
    kind: type[ReleaseKind],
    source: object,
    *,
    groups: str | Sequence[Hashable] | Array | None,
    qid: tuple[str, ...],
    sensitive: tuple[str, ...],
    requirements: object,
    policy: Policy | None,
    seed: int | None,
    engine: str | Mapping[str, object] | None,
    parameters: Mapping[str, Any],
    run: Run,
) -> _Request:
    """Open the table and take from the policy what was not said."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise BadRequest("must be a whole number >= 0", parameter="seed", value=seed)
    table = open_table(source, policy, engine, run=run)
    read, width, dropped = table.rows, len(table.columns), 0
    column = groups if isinstance(groups, str) else None
    if column is not None:
        check_columns(table, "groups", [column])
        for parameter, names in (("qid", qid), ("sensitive", sensitive)):
            if column in names:
                raise BadRequest("holds the groups and is not published", parameter=parameter, value=column)
    models = [] if requirements is None else table_models(requirements)
    if policy is not None:
        if policy.pseudonyms():
            raise Unsupported(f"{kind.id} has no place for pseudonyms", thing=kind.id)
        if policy.procedures():
            raise Unsupported(
                f"the policy asks for {policy.procedures()[0].id}, which its algorithm promises and a {kind.id} built by hand "
                "does not",
                thing=kind.id,
                alternatives=["sfumato.anonymize"],
            )
        table, dropped = _by_policy(table, policy, column)
        if dropped and groups is not None and column is None:
            raise BadRequest(
                f"{counted(dropped, 'record is', 'records are')} dropped for missing values; name a column that holds the "
                "groups",
                parameter="groups",
                available=table.columns,
            )
        hidden = (column,) if column is not None else ()
        qid = qid or tuple(name for name in policy.of_role(Role.QUASI_IDENTIFIER) if name not in hidden)
        sensitive = sensitive or tuple(name for name in policy.of_role(Role.SENSITIVE) if name not in hidden)
        models = models or policy.models()
    models, warnings = with_held_values(models, table)
    for warning in [*warnings, *look_alikes(models, table)]:
        logging.getLogger("sfumato").warning(warning)
    if policy is not None:
        # The seed of a policy that names none is 0, which anybody can guess.
        seed = policy.seed if seed is None and "seed" in policy.model_fields_set else seed
    for parameter, names in (("qid", qid), ("sensitive", sensitive)):
        check_columns(table, parameter, names)
    return _Request(
        kind=kind,
        table=table,
        groups=groups,
        qid=qid,
        sensitive=sensitive,
        models=tuple(models),
        policy=policy,
        parameters=parameters,
        seed=fresh_seed() if seed is None else seed,
        read=read,
        dropped=dropped,
        width=width,
    )


def _by_policy(table: Table, policy: Policy, column: str | None) -> tuple[Table, int]:
    """Return the table without identifiers, missing values settled; the groups may be in a column the policy ignores."""
    beside = [name for name in table.columns if name != column or name in policy.columns]
    check_roles(table.select(beside), policy)
    kept = [name for name in table.columns if name == column or not policy.columns[name].role.hidden]
    table = table.select(kept)
    if column is not None:
        refuse_missing_groups(table, column)
    return settle_missing(table, policy)


def _names(parameter: str, given: Any) -> tuple[str, ...]:
    listed = [] if given is None else [given] if isinstance(given, str) else list(given)
    for name in listed:
        if not isinstance(name, str):
            raise BadRequest("must name columns", parameter=parameter, value=name)
        if listed.count(name) > 1:
            raise BadRequest("names a column twice", parameter=parameter, value=name)
    return tuple(listed)


def _asked(request: _Request) -> KindRequest:
    """Return the request as plain data, for whoever has to make the release again."""
    return KindRequest(
        kind=request.kind.id,
        groups=request.groups if isinstance(request.groups, str) or request.groups is None else "given by record",
        qid=list(request.qid),
        sensitive=list(request.sensitive),
        requirements=[model.spec() for model in request.models],
        parameters={name: _plain(value) for name, value in request.parameters.items()},
    )


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.spec() if hasattr(value, "spec") else value


def _certified(request: _Request, built: Built, facts: MadeFacts) -> Release:
    counted = built.kind.traits.published != "statistics"
    main = built.tables[built.kind.part_names()[0]]
    counts = {
        "records_read": request.read,
        "records_dropped_for_missing_values": request.dropped,
        "rows_published": main.rows,
    }
    used = {*request.qid, *request.sensitive} & set(built.kind.roles()) or set(request.qid)
    warnings: list[str] = []
    if request.dropped:
        warnings.append(say("records.dropped", count=request.dropped))
    warnings += built.kind.cautions([*request.parameters, *(["groups"] if request.groups is not None else [])])
    return given_release(
        built,
        request.models,
        policy=request.policy,
        # How many records were read is itself an answer without noise.
        counts=counts if counted else None,
        dropped_columns=request.width - len(used) if counted else 0,
        facts=facts if counted else replace(facts, records_read=request.read),
        warnings=warnings,
    )


# ---- kinds that publish groups -----------------------------------------------------------------------------------------


def _grouped(request: _Request) -> tuple[Built, Mapping[Hashable, int]]:
    """Return the release under the given groups, and which label became which number."""
    kind, table, rng = request.kind, request.table, request.rng
    boxed = "boxes" in signature(kind.build).parameters
    takes = request.takes(_BOXES if boxed else ())
    given = dict(request.parameters)
    if boxed and request.groups is None and request.policy is not None and not ({*_BOXES, "boxes"} & set(given)):
        known = {name: request.policy.hierarchy(name) for name in request.qid if request.policy.hierarchy(name)}
        given |= {"hierarchies": known} if known else {}
    if not request.qid:
        raise BadRequest("needs the columns to publish", parameter="qid", available=_free(request))
    labels: dict[Hashable, int] = {}
    if boxed and (cut := {name: given.pop(name) for name in _BOXES if name in given}):
        if request.groups is not None or "boxes" in given:
            raise BadRequest("give groups, or cuts and hierarchies, not both", parameter="groups")
        if set(cut) == {"level"}:
            raise BadRequest("is the level of hierarchies, and none are given", parameter="level")
        numbers, given["boxes"] = boxes_of(table, request.qid, **cut)
    else:
        if request.groups is None:
            other = "; or give cuts or hierarchies by column" if boxed else ""
            raise BadRequest(
                f"{kind.id} needs a grouping: name the column that holds it, or give a label for each record{other}",
                parameter="groups",
                available=_free(request),
            )
        # A stream of its own, so that numbers do not depend on how many shuffles a kind draws.
        numbers, labels = numbered_groups(table, request.groups, np.random.default_rng([request.seed, 1]))
        for name in _BY_GROUP:
            if name in given:
                given[name] = by_number(name, given[name], labels)
    arguments: dict[str, object] = {"table": table, "groups": numbers, "qid": request.qid}
    if "sensitive" in takes:
        if request.sensitive:
            arguments["sensitive"] = request.sensitive[0] if len(request.sensitive) == 1 else request.sensitive
        elif takes["sensitive"].default is Parameter.empty:
            raise BadRequest(f"{kind.id} needs a sensitive column", parameter="sensitive", available=_free(request))
    else:
        request.refuse("sensitive")
    if "scales" in given and not isinstance(given["scales"], (list, tuple)):
        raise BadRequest("must be a list of numbers", parameter=f"{kind.id}.scales", value=given["scales"])
    if "rng" in takes:
        arguments["rng"] = rng
    return kind.build(**arguments, **given), labels


def _free(request: _Request) -> list[str]:
    """Return the columns that have no part in the request yet."""
    taken = {*request.qid, *request.sensitive, *([request.groups] if isinstance(request.groups, str) else [])}
    return [name for name in request.table.columns if name not in taken]


def _tabulated(request: _Request) -> Release:
    """Return the table of cells; its rules take the place of requirements."""
    request.refuse("groups")
    request.refuse_strangers(["dominance", "min_size", "overlap", "log", "complement"])
    if request.models or request.policy is not None:
        raise Unsupported(f"{request.kind.id} is ruled by dominance and min_size", thing=request.kind.id)
    if not request.qid or len(request.sensitive) > 1:
        raise BadRequest("needs the columns of the cells, and one to sum at most", parameter="qid", value=request.qid)
    total = request.sensitive[0] if request.sensitive else None
    return tabulate(request.table, request.qid, sum=total, **request.parameters)


# ---- kinds of random procedures ----------------------------------------------------------------------------------------


def _answers(request: _Request) -> Built:
    request.refuse("groups", "qid", "sensitive")
    request.refuse_strangers(["queries", "epsilon", "composition"])
    if request.models:
        NoisyAnswers(mechanism="geometric").refuse_models(request.models)
    for name in ("queries", "epsilon"):
        if name not in request.parameters:
            raise BadRequest(
                "is required and missing",
                parameter=f"{request.kind.id}.{name}",
                available=[f"{{{column}: value}}" for column in request.table.columns] if name == "queries" else None,
            )
    return counted_with_noise(request.table, **request.parameters)


def _random_table(request: _Request, facts: MadeFacts) -> Release:
    """Perturb the table, or take one that another program made; state the procedure either way."""
    kind, given = request.kind, request.parameters
    request.refuse("groups", "sensitive")
    takes = request.takes(["perturbation", "columns"])
    if ("perturbation" in given) == ("mechanism" in given):
        drawn = "perturbed" not in takes
        fitting = [
            thing.id
            for thing in things("perturbation")
            if issubclass(thing, Perturbation) and (thing.traits.records == "drawn") == drawn
        ]
        raise BadRequest(
            "needs a perturbation to run, or the mechanism that made the table elsewhere"
            if "mechanism" not in given
            else "give a perturbation or a mechanism, not both",
            parameter=f"{kind.id}.perturbation",
            available=fitting,
        )
    if "perturbation" in given:
        for name in ("settings", "perturbed"):
            if name in given:
                raise BadRequest("is for tables that were made elsewhere", parameter=f"{kind.id}.{name}")
        made = perturb(request.table, given["perturbation"], request.rng)
        if made.release != kind.id:
            raise BadRequest(
                f"makes a {made.release}, not a {kind.id}",
                parameter="perturbation",
                value=[step.perturbation.id for step in made.steps],
                available=[made.release],
            )
        columns = _names("columns", given.get("columns")) or None
        return certified_perturbation(
            made,
            _on(request, made.changed),
            columns=columns,
            domains=given.get("domains"),
            policy=request.policy,
            facts=facts,
            dropped_columns=request.width - len(columns or made.table.columns),
        )
    names = _names("columns", given.get("columns")) or request.table.columns
    check_columns(request.table, "columns", names)
    arguments = {name: value for name, value in given.items() if name in takes}
    changed = _names("perturbed", given.get("perturbed"))
    if "perturbed" in takes:
        if not changed:
            raise BadRequest("is required and missing", parameter=f"{kind.id}.perturbed", available=names)
        arguments["perturbed"] = changed
    for name in ("settings", "domains"):
        if not isinstance(arguments.get(name, {}), Mapping):
            raise BadRequest("must be a mapping by name", parameter=f"{kind.id}.{name}", value=arguments[name])
    if not isinstance(arguments["mechanism"], str):
        raise BadRequest("must be a text", parameter=f"{kind.id}.mechanism", value=arguments["mechanism"])
    built = kind.build(request.table.select(names).sort(), **arguments)
    return given_release(
        built,
        _on(request, changed),
        policy=request.policy,
        facts=facts,
        dropped_columns=request.width - len(names),
        warnings=[say("warning.made_elsewhere")],
    )


def _on(request: _Request, changed: Sequence[str]) -> list[TableModel]:
    """Return the requirements on the exact ones among the quasi-identifiers, where a requirement names none itself."""
    exact = tuple(name for name in request.qid if name not in changed)
    return [model if model.qid is not None or not exact else replace(model, qid=exact) for model in request.models]
