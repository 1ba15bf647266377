"""Roles of all columns together: few quasi-identifiers, by what an outsider can know and by what tells records apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sfumato.attacks.uniqueness.qid_discovery import Identifying, QidDiscovery
from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.tables.plain_columns import copies_of_identifiers, identifying
from sfumato.tables.profile import ColumnProfile, named_role
from sfumato.verbs.attack import attack

__all__ = ["settled_roles"]

# More columns that are masked together cost more than they are worth.
_MOST = 8
# Words for what neighbours, colleagues and registers know of a person; other quasi-identifiers come after these.
_WELL_KNOWN = frozenset({
    "age", "sex", "gender", "birth", "birthdate", "birthday", "dob", "born", "zip", "zipcode", "postcode", "postal", "plz",
    "city", "town", "country", "nationality", "race", "ethnicity", "marital", "education", "occupation", "job", "profession",
    "alter", "geschlecht", "geburtsdatum", "geburt", "geb", "gebdat", "geburtstag", "geburtsjahr", "postleitzahl", "ort",
    "wohnort", "stadt", "staatsangehorigkeit", "nationalitat", "familienstand", "beruf", "sexe", "bildung", "schulabschluss",
})  # fmt: skip
# Words for what only somebody who measured or counted it knows exactly.
_HARDLY = frozenset({"height", "weight", "hours", "grosse", "gewicht", "year", "jahr"})
# So many records are enough to see what tells them apart.
_SAMPLE = 20_000
# A column with more values follows from nothing but itself, or says little of others.
_FEW = 2_000
# If fewer records than so many share a value, it may follow from it by chance.
_OWN = 10


def settled_roles(table: Table, profiles: Sequence[ColumnProfile], run: Run) -> list[ColumnProfile]:
    """Return the profiles with one target, a small set of quasi-identifiers, and a role for every column that is left.

    Columns whose names say that outsiders know them are quasi-identifiers, at most eight, the best known first and then those
    that tell most records apart. Where no name says anything the columns are taken that tell records apart together (greedy
    search of ``qid-discovery``). What follows from a quasi-identifier is known with it, and what a quasi-identifier follows
    from would undo its mask: both are left out, as is what may not be published as it is. Everything else is plain.

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.3.
    """
    out = {column.name: column for column in _one_target(profiles)}
    known = [name for name, column in out.items() if column.role == Role.QUASI_IDENTIFIER]
    words = {name: named_role(name).get(Role.QUASI_IDENTIFIER, "") for name in known}
    named = [name for name in known if words[name] and words[name] not in _HARDLY]
    kept: list[str] = []
    for name in sorted(named or known, key=lambda name: -out[name].distinct):  # what others follow from comes first
        source = next((other for other in kept if _follows(table, out[name], out[other])), None)
        if source is None:
            kept.append(name)
        else:
            out[name] = replace(out[name], role=Role.DROP, reason=say("advice.follows", column=source))
    kept = [name for name in known if name in kept]
    chosen = _chosen(table, kept, words, run)
    for name in kept:
        if name not in chosen and named:
            out[name] = replace(out[name], role=Role.DROP, reason=say("advice.too_many"))
        elif name in chosen and not named:
            out[name] = replace(out[name], reason=say("advice.singles_out"))
    for name in known:
        if name not in chosen and out[name].role == Role.QUASI_IDENTIFIER:
            out[name] = _left(table, out[name], [out[other] for other in chosen])
    plain, names = ([one.name for one in out.values() if one.role is role] for role in (Role.PLAIN, Role.IDENTIFIER))
    for name, identifier in copies_of_identifiers(table, plain, names).items():
        out[name] = replace(out[name], role=Role.DROP, reason=say("advice.tells", column=identifier))
    return list(out.values())


def _follows(table: Table, column: ColumnProfile, other: ColumnProfile) -> bool:
    """Tell whether a column has one value for each value of another; not where nearly every record has its own."""
    if other.distinct > min(table.rows / _OWN, _FEW) or column.distinct < 2 or column.distinct > other.distinct:
        return False
    both = table.known([column.name, other.name]) if column.missing or other.missing else table
    return both.rows > 0 and both.distinct([column.name, other.name]) <= both.distinct([other.name])


def _chosen(table: Table, names: Sequence[str], words: Mapping[str, str], run: Run) -> list[str]:
    """Return the columns that become quasi-identifiers, at most so many as are worth it."""
    if not any(words[name] for name in names):
        return _telling(table, names, run)[:_MOST]
    well = [name for name in names if words[name] in _WELL_KNOWN]
    rest = [name for name in names if name not in well]
    if len(names) <= _MOST:
        return list(names)
    first = well if len(well) <= _MOST else [*_telling(table, well, run), *well]
    return list(dict.fromkeys([*first, *_telling(table, rest, run), *rest]))[:_MOST]


def _telling(table: Table, names: Sequence[str], run: Run) -> list[str]:
    """Return a few columns that tell nearly all records apart, found greedily; all of them if these are not enough."""
    if len(names) < 2:
        return list(names)
    few = table if table.rows <= _SAMPLE else table.as_rows().take(range(0, table.rows, table.rows // _SAMPLE + 1))
    found = attack(few, QidDiscovery(method="greedy"), qid=list(names), run=run.part())
    assert isinstance(found, Identifying)
    return list(found.greedy_alpha_distinct or found.greedy_alpha_separation or names)


def _left(table: Table, column: ColumnProfile, chosen: Sequence[ColumnProfile]) -> ColumnProfile:
    """Return the role of a column that no outsider is likely to know: plain, unless it tells what is masked or who it is."""
    for other in chosen:
        if _follows(table, other, column):
            return replace(column, role=Role.DROP, reason=say("advice.tells", column=other.name))
        if _follows(table, column, other):
            return replace(column, role=Role.DROP, reason=say("advice.follows", column=other.name))
    reason = identifying(table, column.name)
    if reason is not None:
        return replace(column, role=Role.DROP, reason=reason)
    return replace(column, role=Role.PLAIN, reason=say("advice.hardly_known"))


def _one_target(profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Keep the first target; a second column that looks like one is published as sensitive."""
    out: list[ColumnProfile] = []
    for column in profiles:
        second = column.role == Role.TARGET and any(seen.role == Role.TARGET for seen in out)
        out.append(replace(column, role=Role.SENSITIVE, reason=say("advice.second_target")) if second else column)
    return out
