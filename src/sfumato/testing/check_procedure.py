"""What algorithms promise that are judged as procedures: a stated level, and nothing exact beside it."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping

from sfumato.catalogue import build
from sfumato.contracts.algorithm import Algorithm
from sfumato.contracts.engine import Table
from sfumato.contracts.published import Release
from sfumato.errors import Unsupported
from sfumato.tables.policy import Policy
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.promises import generators_untouched, promise
from sfumato.verbs.anonymize import anonymize

__all__ = ["check_procedure"]

SEED = 90_072_655_611


def check_procedure(algorithm: Algorithm, table: Table, policy: object) -> None:
    """Check an algorithm whose requirement speaks of the procedure, on the ``table`` and ``policy`` of its example.

    The certificate names every requirement on the procedure with what was found; what can be computed from the published
    parameters alone gives the same again; the certificate says whether rows are true of records; the same seed gives the same
    tables where a seed decides, and is not published; the input is not changed and no global generator is used; a requirement
    on tables is refused, alone and beside the one on the procedure.
    """
    check_thing(algorithm)
    check_json(algorithm)
    if not isinstance(policy, dict):
        raise AssertionError(f"{algorithm.id}: broken promise: the example calls its policy 'policy'")
    asked = Policy.of({**policy, "algorithm": algorithm.spec(), "seed": SEED})
    promise(asked.procedures(), algorithm, "the example asks for a model of procedures")
    document, rows = asked.document(), table.to_rows()
    with generators_untouched(algorithm):
        release, again = anonymize(table, asked), anonymize(table, asked)
    promise(table.to_rows() == rows, algorithm, "the table that came in is not changed")
    promise(asked.document() == document, algorithm, "the policy that came in is not changed")
    if algorithm.seedable:
        promise(_rows(release) == _rows(again), algorithm, "the same seed gives the same tables")
    promise(str(SEED) not in json.dumps(release.certificate.document), algorithm, "the seed is not published")
    promise(release.kind == algorithm.traits.release, algorithm, "the release is of the kind that the traits name")
    told = release.certificate.release.truthful
    promise(told is algorithm.traits.truthful, algorithm, "the certificate says whether rows are true of records")
    stated = release.certificate.procedures
    wanted = [model.id for model in asked.procedures()]
    promise([entry.model for entry in stated] == wanted, algorithm, "the certificate names what was asked")
    for entry in stated:
        promise(entry.satisfied, algorithm, "what is not met is not released")
        model = build({"id": entry.model, **entry.parameters}, "model")
        found = build(entry.procedure, "algorithm").promised(model)
        promise((found is not None) == entry.repeatable, algorithm, "the certificate says what can be repeated")
        if found is not None:
            promise(found.measured == entry.measured, algorithm, "what is stated can be computed again")
    for wrong in ([{"id": "k-anonymity", "k": 1}], [*asked.requirements, {"id": "k-anonymity", "k": 1}]):
        _refused(algorithm, table, {**document, "requirements": wrong})


def _rows(release: Release) -> dict[str, list[tuple[Hashable, ...]]]:
    return {name: table.to_rows() for name, table in release.tables.items()}


def _refused(algorithm: Algorithm, table: Table, policy: Mapping[str, object]) -> None:
    try:
        anonymize(table, policy)
    except Unsupported:
        return
    promise(False, algorithm, "a requirement on tables is refused")
