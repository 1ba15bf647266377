"""The report of a release that is no recoded table: one HTML page, like that of :mod:`sfumato.reports.html`.

It shows the names and sizes of the published tables, the numbers they bound, what a reader can check and what nobody can
see. Published answers to questions are shown; no other value is.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.contracts.certificate import Certificate, Described, ProcedureEntry, RequirementEntry, Statement
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.facts import MadeFacts, OwnerFacts
from sfumato.contracts.published import Published
from sfumato.contracts.release import Answer, ReleaseKind
from sfumato.data.schema import Role
from sfumato.groups.stats import GroupStats
from sfumato.reports.group_view import GroupView, view_of_sizes
from sfumato.reports.kind_text import guarantee_words, procedure_line
from sfumato.reports.metric_view import metric_rows, metrics_by_column
from sfumato.reports.page import Section, rendered
from sfumato.reports.shared_parts import attack_part, contents, governance_part, stated, weakness_rows
from sfumato.reports.utility_view import queries_view
from sfumato.reports.words import asked, counted, ending, gist, least, number, printable, promise

__all__ = ["kind_page"]

_COUNTS: Mapping[str, str] = {
    "records_read": "Records read",
    "records_dropped_for_missing_values": "Records left out because a value was missing",
    "rows_published": "Rows of the main table",
}

_ROLES: Mapping[Role, str] = {
    Role.QUASI_IDENTIFIER: "an outsider may know it of a person",
    Role.SENSITIVE: "what nobody should learn about a person",
    Role.TARGET: "what the release should still help to predict",
    Role.PLAIN: "anything else: group numbers, counts, perturbed values",
}

_FILES = ("policy.yaml", "links.json", "trace.json", "audit.json", "utility.json", "run.json", "report.html")

_WORD = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_NO_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")

_ANSWERS = 200
_LIKELY = math.log(20)  # 95 % of Laplace noise lies within this many times its scale


def kind_page(release: Published, certificate: Certificate, evidence: Evidence | None = None) -> str:
    """Return the report of a release with parts and its certificate as one self-contained HTML page.

    The certificate may be that of the release in memory or the one of a written release, which also knows the files and
    their hashes. ``evidence`` is what was tried and measured beside it, and says for whom the page is.
    """
    evidence = evidence or Evidence()
    public = evidence.public
    described, statement, kind = certificate.release, certificate.statement or Statement(), release.form
    grouped: GroupStats | None = kind.groups(release.tables) if hasattr(kind, "groups") else None
    view = None if grouped is None else view_of_sizes(grouped.sizes, "g1", kind.nouns[1])
    policy, facts = release.private.policy, release.private.facts
    title = policy.title if policy is not None else ""
    attacks = attack_part(evidence, certificate.not_protected_against)
    answers = _answers(kind.answers(release.tables))
    queries, metrics = queries_view(evidence.utility), metric_rows(certificate.metrics)
    files = [name for name in _FILES if name != "policy.yaml" or policy is not None]
    return rendered(
        "kind.html.j2",
        title=printable(title or f"Release report: {kind.id}"),
        lead="What was published, what it guarantees, and what nobody can see from outside.",
        footer="This page shows names, counts and what is published, and nothing more exact.",
        public=public,
        contents=_contents(attacks, view=view is not None, answers=answers is not None, metrics=bool(metrics)),
        purpose=printable(title) if title else "",
        stated=stated(policy),
        kind=kind.id,
        gist=gist(kind.id, "release"),
        truth=kind.truth(),
        verifiable=kind.traits.verifiable,
        satisfied=all(entry.satisfied for entry in certificate.requirements),
        requirements=[_requirement(entry, kind) for entry in certificate.requirements],
        procedures=[_procedure(entry) for entry in certificate.procedures],
        guarantees=guarantee_words(certificate.guarantee),
        tiles=_tiles(release, view, kind.nouns),
        warnings=[printable(text, 2000) for text in release.warnings],
        adversaries=list(
            dict.fromkeys(
                [entry.adversary for entry in certificate.requirements]
                + [entry.adversary for entry in certificate.procedures]
            )
        ),
        nothing_asked="Nothing was asked that could be counted, and so nothing is promised by the tables, about:",
        named_where="below",
        weaknesses=weakness_rows(certificate.not_protected_against),
        pseudonyms=None,
        checked=statement.checked,
        not_checkable=statement.not_checkable,
        mechanism=printable(statement.mechanism) if statement.mechanism is not None else None,
        settings=_plain_rows(statement.parameters or {}),
        parameters=_plain_rows({key: value for key, value in described.parameters.items() if key != "settings"}),
        tables=_tables(release, described),
        roles=[(str(role), words) for role, words in _ROLES.items() if role in release.roles.values()],
        counts=[
            (_COUNTS.get(key, key.replace("_", " ").capitalize()), number(value))
            for key, value in sorted(certificate.counts.items(), key=lambda one: (one[0] == "rows_published", one[0]))
        ],
        dropped=int(certificate.dropped_columns),
        view=view,
        nouns=kind.nouns,
        answers=answers,
        owners=facts.owners.rows() if isinstance(facts, OwnerFacts) and not public else None,
        metrics=metrics,
        by_column=metrics_by_column(certificate.metrics, release.table.columns),
        queries=queries,
        prediction=None,
        target="",
        algorithm=certificate.algorithm,
        ending=None if certificate.algorithm.stopped == "no search" else ending(certificate.algorithm.stopped),
        made_by=_again(release),
        seeded=facts.seed is not None,
        **attacks,
        **governance_part(certificate, evidence, files),
    )


def _contents(attacks: Mapping[str, object], *, view: bool, answers: bool, metrics: bool) -> list[Section]:
    tried = bool(attacks["attacks"])
    return contents(
        {
            "context": [("asked", "What was asked"), ("limits", "Limits")],
            "data": [("kind", "Kind"), ("tables", "Tables"), *([("answers", "Answers")] if answers else [])],
            "identifiability": [
                *([("risk", "Before and after")] if tried else []),
                *([("groups", "Groups")] if view else []),
                ("attacks", "Attacks"),
            ],
            "mitigation": [
                ("masking", "What was done"),
                *([("cost", "Cost")] if metrics else []),
                ("check", "What can be checked"),
            ],
            "governance": [("again", "Again"), ("recheck", "Look again"), ("evidence", "Evidence")],
        }
    )


def _requirement(entry: RequirementEntry, kind: ReleaseKind) -> dict[str, object]:
    """Put a requirement into words; where it was asked of groups that are no values, it speaks of their size."""
    parameters = ", ".join(f"{name} = {value}" for name, value in entry.parameters.items())
    one, many = kind.nouns
    by_size = kind.by_members and "k" in entry.parameters
    return {
        "promise": f"Every {one} stands for at least {counted(int(entry.measured), 'record')}: inside it nobody can tell "
        "them apart."
        if by_size and entry.measured is not None
        else promise(entry),
        "asked": f"{many} of at least {counted(least(entry), 'record')}" if by_size else asked(entry),
        "name": f"{entry.model}{f' with {parameters}' if parameters else ''}",
        "needed": entry.needed.replace(">=", "at least").replace("<=", "at most"),
        "measured": number(entry.measured),
        "satisfied": entry.satisfied,
    }


def _procedure(entry: ProcedureEntry) -> dict[str, str]:
    """Put a requirement on the procedure into words."""
    return {"promise": gist(entry.model, "model"), "line": printable(procedure_line(entry), 2000)}


def _tiles(release: Published, view: GroupView | None, nouns: tuple[str, str]) -> list[tuple[str, str]]:
    tables = release.tables
    out = [(number(table.rows), f"rows in {printable(name)}") for name, table in tables.items()]
    if view is not None:
        out += [(number(view.groups), nouns[1]), (number(view.smallest), f"records in the smallest {nouns[0]}")]
    return out


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
        return printable("; ".join(value), 2000) if value else "none"
    return printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 2000)


def _answers(answers: Sequence[Answer] | None) -> dict[str, Any] | None:
    """Return the published answers, each with the width within which 19 of 20 draws of its noise lie."""
    if answers is None:
        return None

    def width(one: Answer) -> str:
        if one.chosen:
            return "chosen among candidates"
        return f"± {number(one.scale * _LIKELY)}" if one.scale else "from other answers"

    rows = [(printable(one.question), number(one.value), number(one.epsilon), width(one)) for one in answers[:_ANSWERS]]
    return {"rows": rows, "left_out": max(len(answers) - _ANSWERS, 0)}


def _again(release: Published) -> str | None:
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
