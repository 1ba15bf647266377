"""Draft a policy from a table: a commented document that runs as it is and is meant to be changed."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from math import inf

from sfumato.catalogue import TABLE, shape_of
from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.commented_yaml import commented_yaml
from sfumato.data.compressed import Dictionary
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, MissingRule, Role
from sfumato.engines.found import open_found
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest
from sfumato.hierarchies.frequency import Frequency
from sfumato.hierarchies.proposals import propose
from sfumato.policy import SourcePolicy
from sfumato.tables.profile import ColumnProfile
from sfumato.verbs.profile import profile

__all__ = ["draft"]

# What keeps most of the information of tables of at most so many records, measured by benchmarks/first_hour.py:
# the first compares records with each other, the second specializes groups step by step, the third cuts at medians.
_ALGORITHMS = ((10_000, "local-recoding-greedy"), (500_000, "progressive-local-recoding"), (inf, "mondrian"))

_LIMIT = 0.02  # a few odd records need not make all others coarser, and most are there still

# What the draft does not say and somebody may want next.
_INSTEAD = """\
keeps every record, and masks no more of each than its neighbours need: a few odd ones do not make a whole column coarser.
To give each column one level instead, for all records but the few that the limit lets go: {id: optimal}
To mask later records by the same rule (sfumato apply): {id: mondrian}"""

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato anonymize DATA --policy THIS_FILE -o OUT
# Roles: identifier (dropped), quasi-identifier (masked), sensitive, target, plain (published as they are), drop (left out).
# Plain columns are protected by nothing: if somebody outside can know one, make it a quasi-identifier.
# To link tables later, publish an identifier as a keyed pseudonym: {role: identifier, pseudonym: true}
# `sfumato describe` explains every id used here.
"""


def draft(
    source: object,
    *,
    k: int = 5,
    engine: str | None = None,
    source_options: Mapping[str, object] | None = None,
    shape: str = TABLE,
    run: Run | None = None,
) -> str:
    """Return a commented YAML policy for a table: roles with reasons, hierarchies, rules for missing values, reading.

    For data of another ``shape`` it says what these need.
    """
    from ruamel.yaml.comments import CommentedMap

    run = Run.of(run)
    if shape != TABLE:
        return shape_of(shape).draft(source, k, run)
    run.stage("reading")
    found = open_found(source, engine, make_options(source_options or {}), run.memory)
    table = found.table
    profiles = profile(table, run=run)
    if not any(column.role == Role.QUASI_IDENTIFIER for column in profiles):
        raise BadRequest(
            "no column looks like a quasi-identifier; write the policy by hand",
            parameter="columns",
            available=table.columns,
        )
    columns = CommentedMap()
    for column in profiles:
        entry = CommentedMap(role=str(column.role))
        if column.name in found.options.types:
            entry["type"] = str(found.options.types[column.name])
        if column.name in found.options.formats and not column.role.hidden:
            entry["format"] = found.options.formats[column.name]
        if column.role == Role.QUASI_IDENTIFIER:
            entry["hierarchy"] = _hierarchy(table.dictionary(column.name), column.type)
        if column.missing and not column.role.hidden and column.role != Role.PLAIN:
            entry["missing"] = str(MissingRule.OWN_VALUE)
        columns[column.name] = entry
        count = f"{column.type}, {column.distinct:,} value{'' if column.distinct == 1 else 's'}" + (
            f", {column.missing:,} missing" if column.missing else ""
        )
        columns.yaml_set_comment_before_after_key(column.name, before=f"{count}; {column.reason}", indent=2)
    rows = table.rows
    if rows < 2:
        raise BadRequest("has fewer than two records, which cannot look like each other", parameter="source")
    if rows < k:
        logging.getLogger("sfumato").warning("%s", say("warning.lower_k", k=rows, asked=k))
    document: dict[str, object] = {
        "version": 1,
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": min(k, rows)}],
        "limits": {"suppress_at_most": _LIMIT},
        "algorithm": {"id": next(name for most, name in _ALGORITHMS if rows <= most)},
        "seed": 0,
    }
    notes = {
        "requirements": _promise(profiles, _doubles(table, profiles)),
        "limits": "the largest share of the records that may be left out",
        "algorithm": _INSTEAD,
    }
    told = {name: getattr(found.options, name) for name in SourcePolicy.model_fields}
    said = SourcePolicy.model_validate({name: value for name, value in told.items() if value is not None})
    if said != SourcePolicy():
        document["source"] = said.model_dump(mode="json", exclude_defaults=True)
        notes["source"] = "how the file is written" + "".join(f"\n{note}" for note in found.notes)
    return _HEAD + commented_yaml(document, notes)


def _doubles(table: Table, profiles: Sequence[ColumnProfile]) -> int:
    """Count records that are like another one, also in what names a person; where nothing does, they may be others."""
    named = any(column.role == Role.IDENTIFIER for column in profiles)
    return table.rows - table.distinct(table.columns) if named else 0


def _promise(profiles: Sequence[ColumnProfile], doubles: int) -> str:
    """Say what is required, what doubled records mean for it, and what could be required of columns nobody should learn."""
    secret = next((column.name for column in profiles if column.role == Role.SENSITIVE and column.distinct > 1), None)
    said = "every group of look-alikes has at least k records"
    if doubles:
        said += f"\n{say('advice.doubles', count=doubles)}"
    if secret is None:
        return said
    line = f"- {{id: l-diversity-distinct, l: 2, sensitive: {json.dumps(secret, ensure_ascii=False)}}}"
    return (
        f"{said}\nthat all of them share one value is still possible; to rule it out (algorithm: mondrian) add\n{line}"
    )


def _hierarchy(dictionary: Dictionary, kind: ColumnType) -> dict[str, Json]:
    """Propose how a column may be masked; where nothing better is known, rare values share a label and the root is above."""
    builder = propose(dictionary, kind, fewest=1 if kind in (ColumnType.DATE, ColumnType.DATETIME) else 3)
    return (builder or Frequency.flat(dictionary)).drafted()
