"""What a page says of the kind of a release: its form, the tables it publishes, the answers in them, and how it was made."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.contracts.certificate import Certificate, Described, ProcedureEntry, RequirementEntry
from sfumato.contracts.facts import MadeFacts
from sfumato.contracts.published import Published
from sfumato.contracts.release import Answer, ReleaseKind
from sfumato.data.messages import Message, tell, worded
from sfumato.data.schema import Role
from sfumato.reports.kind_text import charge_line, guarantee_words, procedure_line
from sfumato.reports.words import asked, bounded, gist, least, number, printable, promise

__all__ = ["kind_part", "made_by", "requirement_words"]

_WORD = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_NO_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")

_ANSWERS = 200
_BUT_PSEUDONYMS = ("truth.records", "truth.recoded")
_LIKELY = math.log(20)  # 95 % of Laplace noise lies within this many times its scale


def kind_part(release: Published, certificate: Certificate) -> dict[str, object]:
    """Return what the kind says of itself, what its tables bound, and what was asked of its procedure."""
    described, kind = certificate.release, release.form
    statement = certificate.statement or kind.statement()
    adversaries = [entry.adversary for entry in certificate.requirements]
    adversaries += [entry.adversary for entry in certificate.procedures]
    return {
        "kind": kind.id,
        "gist": gist(kind.id, "release"),
        "truth": _truth(kind, certificate),
        "parameters": _plain_rows({key: value for key, value in described.parameters.items() if key != "settings"}),
        "tables": _tables(release, described),
        "answers": _answers(kind.answers(release.tables)),
        "nouns": tuple(map(worded, kind.nouns)),
        "verdict": _verdict(certificate),
        "satisfied": all(entry.satisfied for entry in certificate.requirements),
        "requirements": [requirement_words(entry, kind) for entry in certificate.requirements],
        "procedures": [_procedure(entry) for entry in certificate.procedures],
        "charges": [printable(charge_line(entry), 2000) for entry in certificate.charges],
        "guarantees": guarantee_words(certificate.guarantee),
        "adversaries": list(map(worded, dict.fromkeys(adversaries))),
        "mechanism": printable(statement.mechanism) if statement.mechanism is not None else None,
        "settings": _plain_rows(statement.parameters or {}),
        "verifiable": worded(kind.traits.verifiable),
        "checked": list(map(worded, statement.checked)),
        "not_checkable": list(map(worded, statement.not_checkable)),
    }


def _verdict(certificate: Certificate) -> str:
    if not all(entry.satisfied for entry in certificate.requirements):
        return tell("page.verdict.broken")
    if certificate.requirements:
        return tell("page.verdict.met")
    if certificate.procedures:
        return tell("page.verdict.procedure")
    if certificate.guarantee:
        return tell("page.verdict.tables")
    return tell("page.verdict.nothing")


def _truth(kind: ReleaseKind, certificate: Certificate) -> str:
    """Say what published values are true of; pseudonyms are true of nothing."""
    if kind.traits.truthful and not certificate.release.truthful:
        return ""
    truth = kind.truth()
    if certificate.pseudonyms is not None and isinstance(truth, Message) and truth.id in _BUT_PSEUDONYMS:
        return tell(f"page.but_pseudonyms.{truth.id}")
    return worded(truth)


def requirement_words(entry: RequirementEntry, kind: ReleaseKind) -> dict[str, object]:
    """Put a requirement into words; where it was asked of groups that are no values, it speaks of their size."""
    parameters = ", ".join(f"{name} = {value}" for name, value in entry.parameters.items())
    one, many = map(worded, kind.nouns)
    by_size = kind.by_members and "k" in entry.parameters
    return {
        "promise": tell("page.requirement.members", noun=one, records=int(entry.measured))
        if by_size and entry.measured is not None
        else promise(entry),
        "asked": tell("page.requirement.members_asked", nouns=many, records=least(entry)) if by_size else asked(entry),
        "name": tell("page.requirement.with", model=entry.model, parameters=parameters) if parameters else entry.model,
        "needed": bounded(entry.needed),
        "measured": number(entry.measured),
        "satisfied": entry.satisfied,
    }


def _procedure(entry: ProcedureEntry) -> dict[str, str]:
    """Put a requirement on the procedure into words."""
    return {"promise": gist(entry.model, "model"), "line": printable(procedure_line(entry), 2000)}


def _tables(release: Published, described: Described) -> list[dict[str, object]]:
    written = {entry.part: entry.file for entry in described.files}
    return [
        {
            "part": printable(part),
            "file": written.get(part),
            "rows": table.rows,
            "columns": [
                (printable(name, 80), str(type_), str(release.roles.get(name, Role.PLAIN)))
                for name, type_ in table.types.items()
            ],
        }
        for part, table in release.tables.items()
    ]


def _plain_rows(values: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(printable(key), _said(value)) for key, value in values.items()]


def _said(value: object) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return printable("; ".join(map(worded, value)), 2000) if value else tell("page.kind.none")
    return printable(worded(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 2000)


def _answers(answers: Sequence[Answer] | None) -> dict[str, Any] | None:
    """Return the published answers, each with the width within which 19 of 20 draws of its noise lie."""
    if answers is None:
        return None

    def width(one: Answer) -> str:
        if one.chosen:
            return tell("page.answer.chosen")
        return f"± {number(one.scale * _LIKELY)}" if one.scale else tell("page.answer.derived")

    rows = [(printable(one.question), number(one.value), number(one.epsilon), width(one)) for one in answers[:_ANSWERS]]
    return {"rows": rows, "left_out": max(len(answers) - _ANSWERS, 0)}


def made_by(release: Published) -> str | None:
    """Return the command that makes the release again, as far as one line can; ``None`` if a policy and a search made it."""
    facts = release.private.facts
    said = facts.asked if isinstance(facts, MadeFacts) else None
    if said is None:
        return None
    words = ["sfumato", "release", "INPUT", "--kind", said.kind]
    words += ["--policy", "private/policy.yaml"] if release.private.policy is not None else []
    words += ["--groups", said.groups] if said.groups is not None else []
    for option, names in (("qid", said.qid), ("sensitive", said.sensitive)):
        words += [f"--{option}", ",".join(names)] if names else []
    for spec in said.requirements:
        pairs = [f"{key}={_value(value)}" for key, value in spec.items() if key != "id"]
        words += ["--require", " ".join([str(spec["id"]), *(shlex.quote(pair) for pair in pairs)])]
    for key, value in said.parameters.items():
        words += ["--set", f"{key}={_value(value)}"]
    return printable(shlex.join([*words, "--seed", "SEED", "--out", "OUT"]), 4000)


def _value(value: object) -> str:
    """Write a value as YAML in one line; a plain word needs no quotes unless YAML reads it as something else."""
    if isinstance(value, str) and _WORD.fullmatch(value) and value.lower() not in _NO_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
