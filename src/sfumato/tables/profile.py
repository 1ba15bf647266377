"""What a column holds, and which role it probably has."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress, Silent
from sfumato.data.compressed import Dictionary
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.identifiers.scan import told_by_content

__all__ = ["ColumnProfile", "profile_of", "suggest_role"]

# Words in column names, in the languages our users write them in; a word must stand alone (zip_code, ZIP, zipCode).
_WORDS: dict[Role, tuple[str, ...]] = {
    Role.IDENTIFIER: (
        "id", "uid", "uuid", "guid", "key", "name", "firstname", "lastname", "surname", "forename", "fullname", "email",
        "mail", "phone", "telephone", "mobile", "fax", "ssn", "passport", "iban", "account", "licence", "license", "mrn",
        "address", "street", "url", "ip", "username", "login", "nachname", "vorname", "telefon", "nom", "prenom",
    ),
    Role.QUASI_IDENTIFIER: (
        "age", "sex", "gender", "birth", "birthdate", "birthday", "dob", "born", "zip", "zipcode", "postcode", "postal",
        "plz", "city", "town", "county", "state", "region", "country", "nationality", "race", "ethnicity", "ethnic",
        "education", "school", "degree", "occupation", "job", "profession", "employer", "marital", "relationship",
        "children", "household", "workclass", "language", "height", "weight", "hours", "admission", "discharge", "date",
        "year", "alter", "geschlecht", "geburtsdatum", "beruf", "sexe", "profession",
    ),
    Role.SENSITIVE: (
        "disease", "diagnosis", "diagnose", "condition", "symptom", "treatment", "medication", "drug", "hiv", "salary",
        "income", "wage", "wealth", "debt", "loan", "religion", "party", "vote", "crime", "offence", "offense", "ldl",
        "illness", "disability", "pregnancy", "grade", "score", "rating",
    ),
    Role.TARGET: ("class", "target", "label", "outcome", "churn", "default", "readmitted", "survived", "response"),
}  # fmt: skip


@dataclass(frozen=True)
class ColumnProfile:
    """One column in numbers; no value of it."""

    name: str
    type: ColumnType
    distinct: int
    missing: int
    unique: float
    role: Role
    reason: str


def profile_of(table: Table, progress: Progress | None = None) -> list[ColumnProfile]:
    """Return a profile of every column of a table."""
    progress = progress or Silent()
    progress.stage("looking at columns", len(table.columns))
    missing = table.missing()
    out = []
    for done, name in enumerate(table.columns):
        progress.tick(done, name)
        dictionary = table.dictionary(name)
        present = table.rows - missing[name]
        unique = float((dictionary.counts == 1).sum()) / present if present else 0.0
        role, reason = _suggest(name, table.types[name], dictionary, present, unique)
        out.append(ColumnProfile(name, table.types[name], len(dictionary), missing[name], unique, role, reason))
    return out


def suggest_role(table: Table, name: str) -> tuple[Role, str]:
    """Return the probable role of one column, and why."""
    dictionary = table.dictionary(name)
    present = table.rows - dictionary.missing
    unique = float((dictionary.counts == 1).sum()) / present if present else 0.0
    return _suggest(name, table.types[name], dictionary, present, unique)


def _suggest(name: str, kind: ColumnType, dictionary: Dictionary, present: int, unique: float) -> tuple[Role, str]:
    distinct = len(dictionary)
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name) or [name]
    words = {part.lower() for part in parts} | {name.lower()}
    named = {role: next((word for word in listed if word in words), None) for role, listed in _WORDS.items()}
    whole = kind in (ColumnType.TEXT, ColumnType.INTEGER)
    if named[Role.IDENTIFIER] and (unique > 0.5 or kind == ColumnType.TEXT) and not named[Role.QUASI_IDENTIFIER]:
        return Role.IDENTIFIER, say("advice.name_says", word=repr(named[Role.IDENTIFIER]))
    told = told_by_content(name, kind, dictionary)
    if told is not None:
        return Role.IDENTIFIER, told.reason
    if whole and present > 20 and unique > 0.95:
        return Role.IDENTIFIER, say("advice.occur_once", share=unique)
    for role in (Role.SENSITIVE, Role.QUASI_IDENTIFIER):
        if named[role]:
            return role, say("advice.name_says", word=repr(named[role]))
    if named[Role.TARGET] and distinct <= 20:
        return Role.TARGET, say("advice.name_and_values", word=repr(named[Role.TARGET]), distinct=distinct)
    if distinct <= 1:
        return Role.PLAIN, say("advice.one_value")
    return Role.QUASI_IDENTIFIER, say("advice.may_know")
