"""Draft a policy from a table: a commented document that runs as it is and is meant to be changed."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO

from sfumato.contracts.run import Run
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType, MissingRule, Role
from sfumato.data.text import to_text
from sfumato.engines.found import open_found
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest
from sfumato.hierarchies.proposals import propose
from sfumato.policy import SourcePolicy
from sfumato.tables.profile import ColumnProfile
from sfumato.verbs.profile import profile

__all__ = ["draft"]

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato anonymize DATA --policy THIS_FILE -o OUT
# Roles: identifier (dropped), quasi-identifier (masked), sensitive, target, plain (published as they are).
# To link tables later, publish an identifier as a keyed pseudonym: {role: identifier, pseudonym: true}
# `sfumato describe` explains every id used here.
"""


def draft(
    source: object,
    *,
    k: int = 5,
    engine: str | None = None,
    source_options: Mapping[str, object] | None = None,
    run: Run | None = None,
) -> str:
    """Return a commented YAML policy for a table: roles with reasons, hierarchies, rules for missing values, reading."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    run = Run.of(run)
    run.stage("reading")
    found = open_found(source, engine, make_options(source_options or {}), run.memory)
    table = found.table
    profiles = _one_target(profile(table, run=run))
    if not any(column.role == Role.QUASI_IDENTIFIER for column in profiles):
        raise BadRequest(
            "no column looks like a quasi-identifier; write the policy by hand",
            parameter="columns",
            available=table.columns,
        )
    columns = CommentedMap()
    for column in profiles:
        entry = CommentedMap(role=str(column.role))
        if column.name in found.options.formats and column.role != Role.IDENTIFIER:
            entry["format"] = found.options.formats[column.name]
        if column.role == Role.QUASI_IDENTIFIER:
            entry.update(_masking(table.dictionary(column.name), column.type))
        if column.missing and column.role not in (Role.IDENTIFIER, Role.PLAIN):
            own = column.role != Role.QUASI_IDENTIFIER or ("hierarchy" not in entry and not column.type.numeric)
            entry["missing"] = str(MissingRule.OWN_VALUE if own else MissingRule.DROP_RECORD)
        columns[column.name] = entry
        count = f"{column.type}, {column.distinct:,} values" + (
            f", {column.missing:,} missing" if column.missing else ""
        )
        columns.yaml_set_comment_before_after_key(column.name, before=f"{count}; {column.reason}", indent=2)
    rows = table.rows
    document = CommentedMap(
        version=1,
        columns=columns,
        requirements=[{"id": "k-anonymity", "k": min(k, rows)}],
        algorithm={"id": "tdr"},
        seed=0,
    )
    said = SourcePolicy.model_validate({name: getattr(found.options, name) for name in SourcePolicy.model_fields})
    if said != SourcePolicy():
        document["source"] = said.model_dump(mode="json", exclude_defaults=True)
        before = "how the file is written" + "".join(f"\n{note}" for note in found.notes)
        document.yaml_set_comment_before_after_key("source", before=before)
    document.yaml_set_comment_before_after_key(
        "requirements", before="every group of look-alikes has at least k records"
    )
    yaml = YAML()
    yaml.width = 120
    text = StringIO()
    yaml.dump(document, text)
    return _HEAD + text.getvalue()


def _one_target(profiles: list[ColumnProfile]) -> list[ColumnProfile]:
    """Keep the first target; a second column that looks like one is published as sensitive."""
    from dataclasses import replace

    out: list[ColumnProfile] = []
    for column in profiles:
        second = column.role == Role.TARGET and any(seen.role == Role.TARGET for seen in out)
        out.append(replace(column, role=Role.SENSITIVE, reason="a second target") if second else column)
    return out


def _masking(dictionary: Dictionary, kind: ColumnType) -> dict[str, object]:
    """Propose how a column may be masked.

    Numbers are cut on the fly, within a round range that does not show the smallest and the largest value. Two values get
    a tree: suppressing one of them would hide nothing.
    """
    builder = propose(dictionary, kind, fewest=1 if kind in (ColumnType.DATE, ColumnType.DATETIME) else 3)
    if builder is not None:
        return builder.drafted()
    if len(dictionary) == 2 and not kind.numeric:
        return {"hierarchy": {"id": "taxonomy", "tree": {"*": [to_text(value) for value in dictionary.values]}}}
    return {}
