"""Looking at several tables before anybody wrote a policy: which columns are keys, what leads to persons, who stands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.commented_yaml import commented_yaml
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.databases.database import Database
from sfumato.engines import open_source, read
from sfumato.engines.databases import table_names
from sfumato.engines.sources import Source, locate, make_options
from sfumato.errors import BadRequest
from sfumato.hierarchies.proposals import propose
from sfumato.tables.profile import ColumnProfile, profile_of

__all__ = ["drafted", "profiled", "refuse_one_table"]

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato anonymize DATA --policy THIS_FILE -o OUT
# Keys and references get fresh numbers and have no role. Columns that are not named are left out.
# Roles: quasi-identifier (masked), sensitive, plain (published as they are), identifier and drop (left out).
# `sfumato describe` explains every id used here.
"""

_REQUIREMENT = """\
k persons share all that quasi-identifiers tell of them in all tables, and how many rows of which values they have
weaker, each single combination of the joined tables belongs to k persons: owner_signature: false"""


@frozen
class _Found:
    """Tables with the keys and references that their values speak for, and the table of persons."""

    tables: Mapping[str, Table]
    person: str
    keys: Mapping[str, str]
    references: Mapping[str, tuple[str, str]]

    def database(self, known: Mapping[str, Sequence[str]]) -> Database:
        """Return the tables that lead to persons."""
        names = [self.person, *self.references]
        return Database.of(
            {name: self.tables[name] for name in names},
            person=self.person,
            keys=self.keys,
            references={name: {column: parent} for name, (column, parent) in self.references.items()},
            known={name: known.get(name, ()) for name in names},
        )


def drafted(source: object, k: int, run: Run) -> str:
    """Return a commented policy: keys and references as the values show them, roles of all other columns."""
    found = _found(source, run)
    persons = found.tables[found.person].rows
    if persons < 2:
        raise BadRequest("has fewer than two persons, who cannot look like each other", parameter=found.person)
    tables: dict[str, object] = {}
    for name in (found.person, *found.references):
        entry: dict[str, object] = {}
        if name in found.keys:
            entry["key"] = found.keys[name]
        if name in found.references:
            column, parent = found.references[name]
            entry["references"] = {column: parent}
        roles = {one.name: _entry(one, found.tables[name]) for one in _described(found, name)}
        tables[name] = {**entry, **({"columns": roles} if roles else {})}
    document: dict[str, object] = {
        "version": 1,
        "shape": "database",
        "person": found.person,
        "tables": tables,
        "requirements": [{"id": "multir-k-anonymity", "k": min(k, persons)}],
        "algorithm": {"id": "multir-anonymize"},
        "limits": {"lose_at_most": 1.0},
    }
    lost = [name for name in found.tables if name != found.person and name not in found.references]
    said = {
        "person": f"{persons:,} persons; everything else leads to one of them",
        "requirements": _REQUIREMENT,
        "limits": "largest share of rows, beside those of persons, that may be left out",
    }
    if lost:
        said["tables"] = f"left out, because no column leads to a person: {', '.join(lost)}"
    return _HEAD + commented_yaml(document, said)


def profiled(source: object, run: Run) -> Sequence[str]:
    """Return sentences on the tables, on what leads where, and on who is alone in what the tables tell together."""
    found = _found(source, run)
    said: list[str] = [
        say(
            "database.persons",
            table=found.person,
            persons=found.tables[found.person].rows,
            key=found.keys[found.person],
        )
    ]
    said += [
        say("database.leads", table=name, rows=found.tables[name].rows, column=column, parent=parent)
        for name, (column, parent) in found.references.items()
    ]
    said += [
        say("database.leads_nowhere", table=name)
        for name in found.tables
        if name not in (found.person, *found.references)
    ]
    known = {name: _known(found, name) for name in (found.person, *found.references)}
    for names in ([found.person], [found.person, *found.references]):
        forms = found.database({name: known[name] for name in names}).forms()
        alone = int(np.count_nonzero(np.bincount(forms) == 1))
        listed = [f"{name}.{column}" for name in names for column in known[name]]
        said.append(say("database.alone", columns=listed, alone=alone, share=alone / len(forms)))
    return said


def _known(found: _Found, name: str) -> list[str]:
    return [one.name for one in _described(found, name) if one.role is Role.QUASI_IDENTIFIER]


def _described(found: _Found, name: str) -> list[ColumnProfile]:
    """Return the profiles of columns that are neither key nor reference."""
    claimed = {found.keys.get(name), found.references.get(name, ("", ""))[0]}
    return [one for one in profile_of(found.tables[name]) if one.name not in claimed]


def _entry(column: ColumnProfile, table: Table) -> dict[str, object]:
    # A target is nothing but a value of a row here, and gaps in what is known are refused.
    role = Role.SENSITIVE if column.role is Role.TARGET else column.role
    if role is Role.QUASI_IDENTIFIER and column.missing:
        role = Role.DROP
    entry: dict[str, object] = {"role": str(role)}
    builder = propose(table.dictionary(column.name), column.type) if role is Role.QUASI_IDENTIFIER else None
    return entry if builder is None else {**entry, "hierarchy": builder.drafted()}


def _found(source: object, run: Run) -> _Found:
    run.stage("reading")
    tables = {name: one for name, one in _opened(source, run).items() if one.rows}
    keys = {name: key for name, table in tables.items() if (key := _key(name, table)) is not None}
    held = {name: {to_text(value) for value in tables[name].dictionary(key).values} for name, key in keys.items()}
    references: dict[str, tuple[str, str]] = {}
    for name, table in tables.items():
        offers = [
            (_likeness(column, parent, keys[parent]), column, parent)
            for parent in keys
            if parent != name
            for column in table.columns
            if column != keys.get(name)
            and not table.missing()[column]
            and {to_text(value) for value in table.dictionary(column).values} <= held[parent]
        ]
        best = max(offers, default=None, key=lambda offer: offer[0])
        if best is not None and best[0] > 0:
            references[name] = best[1], best[2]
    person = max(
        (name for name in keys if name not in references), key=lambda name: len(_led(name, references)), default=None
    )
    if person is None:
        raise BadRequest(
            "no table has a key that others refer to; write the policy by hand", parameter="source", available=tables
        )
    led = {name: references[name] for name in _led(person, references)}
    asked = {person, *(parent for _, parent in led.values())}
    return _Found(tables, person, {name: key for name, key in keys.items() if name in asked}, led)


def _led(person: str, references: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return the tables that lead to a table, nearest first."""
    found = [person]
    for name in found:
        found += [child for child, (_, parent) in references.items() if parent == name and child not in found]
    return found[1:]


def _key(name: str, table: Table) -> str | None:
    """Return the column that tells all rows apart, by its name if several do; no measured value."""
    missing = table.missing()
    unique = [one for one in table.columns if not missing[one] and len(table.dictionary(one).values) == table.rows]
    named = [
        one for one in unique if one.lower() in ("id", "key", "nr") or one.lower().endswith(("id", "nr", "key", "no"))
    ]
    return max(named, key=lambda one: _likeness(one, name, "id"), default=None)


def _likeness(column: str, table: str, key: str) -> float:
    """Return how much the name of a column speaks of a table: patient, patient_id, patients, or its key's own name."""
    name, stem = column.lower(), table.lower().removesuffix("s")
    if stem and name.removesuffix("s").startswith(stem):
        return 2 + len(stem) / (len(name) + 1)
    return 1.0 if name == key.lower() and name not in ("id", "key", "nr") else 0.0


def _opened(source: object, run: Run) -> dict[str, Table]:
    if isinstance(source, Mapping):
        return {str(name): one if isinstance(one, Table) else read(one) for name, one in source.items()}
    if not isinstance(source, (str, Path)):
        raise BadRequest("needs a folder of tables, a database, or tables by name", parameter="source")
    empty = {"may_be_empty": True}  # nobody has a row there, which tells neither keys nor roles
    if Path(source).is_dir():
        files = sorted(path for path in Path(source).iterdir() if path.is_file() and not path.name.startswith("."))
        return {path.stem: open_source(path, None, make_options(empty), run.memory) for path in files}
    names = table_names(refuse_one_table(source))
    return {name: open_source(source, None, make_options({**empty, "table": name}), run.memory) for name in names}


def refuse_one_table(source: str | Path) -> Source:
    """Return the place of a database; a file with one table is refused."""
    place = locate(source, make_options({}))
    if place.format not in ("sqlite", "duckdb", "postgresql"):
        raise BadRequest("is one table: give a folder with a file for each, or a database", parameter="source")
    return place
