"""What a column holds, and which role it probably has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.identifier import words_of
from sfumato.contracts.progress import Progress, Silent
from sfumato.data.compressed import Dictionary
from sfumato.data.frozen import frozen
from sfumato.data.html import html_table
from sfumato.data.messages import say, tell, worded
from sfumato.data.schema import ColumnType, Role
from sfumato.data.words import percent
from sfumato.identifiers.scan import sample_of, told_by_content
from sfumato.tables.free_text import free_text, wordy

__all__ = ["ColumnProfile", "Profile", "named_role", "profile_of", "suggest_role"]

# So many distinct values of a column are looked at.
_LOOKED = 256
# A value that fewer records have may find a person by itself.
_RARE = 5

# A word of so many letters also counts as the beginning or the end of a compound: Hauptdiagnose, Aufnahmedatum, Weducation.
_COMPOUND = 6
_WORDS: Mapping[Role, tuple[str, ...]] = {
    Role.IDENTIFIER: (
        "id", "uid", "uuid", "guid", "key", "name", "firstname", "lastname", "surname", "forename", "fullname", "email",
        "mail", "phone", "telephone", "mobile", "fax", "ssn", "passport", "iban", "account", "licence", "license", "mrn",
        "address", "street", "url", "ip", "username", "login", "nachname", "vorname", "telefon", "nom", "prenom", "handy",
        "strasse", "straße", "str", "hausnummer", "hausnr", "adresse", "anschrift", "versichertennummer",
        "versicherungsnummer", "versichertennr", "kvnr", "sozialversicherungsnummer", "svnr", "patientennummer",
        "patientennr", "fallnummer", "fallnr", "aktenzeichen", "personalnummer", "kontonummer", "steuernummer",
    ),
    Role.QUASI_IDENTIFIER: (
        "age", "sex", "gender", "birth", "birthdate", "birthday", "dob", "born", "zip", "zipcode", "postcode", "postal",
        "plz", "city", "town", "county", "state", "region", "country", "nationality", "race", "ethnicity", "ethnic",
        "education", "school", "degree", "occupation", "job", "profession", "employer", "marital", "relationship",
        "children", "household", "workclass", "language", "height", "weight", "hours", "admission", "discharge", "date",
        "year", "alter", "geschlecht", "geburtsdatum", "beruf", "sexe", "profession", "geburt", "geb", "gebdat", "geburtstag",
        "geburtsjahr", "geburtsort", "postleitzahl", "ort", "wohnort", "stadt", "gemeinde", "kreis", "landkreis", "bundesland",
        "kanton", "canton", "provinz", "province", "district", "bezirk", "department", "ward", "station", "abteilung",
        "land", "staatsangehörigkeit", "staatsangehorigkeit", "nationalität", "nationalitat", "familienstand", "bildung",
        "schulabschluss", "ausbildung", "arbeitgeber", "kinder", "kinderzahl", "haushalt", "sprache", "grosse", "gewicht",
        "aufnahmedatum", "entlassdatum", "entlassungsdatum", "aufnahme", "entlassung", "datum", "jahr",
    ),
    Role.SENSITIVE: (
        "disease", "diagnosis", "diagnose", "condition", "symptom", "treatment", "medication", "drug", "hiv", "salary",
        "income", "wage", "wealth", "debt", "loan", "religion", "party", "vote", "crime", "offence", "offense", "ldl",
        "illness", "disability", "pregnancy", "grade", "score", "rating", "icd", "befund", "krankheit", "erkrankung",
        "symptome", "behandlung", "therapie", "medikament", "medikation", "wirkstoff", "gehalt", "einkommen", "lohn",
        "vermögen", "vermogen", "schulden", "kredit", "konfession", "partei", "straftat", "behinderung", "schwangerschaft",
        "pflegegrad", "note", "gain", "loss", "credit", "savings",
    ),
    Role.TARGET: (
        "class", "target", "label", "outcome", "churn", "default", "readmitted", "survived", "response", "klasse",
        "ziel", "wiederaufnahme", "ergebnis", "kündigung", "kundigung",
    ),
}  # fmt: skip
"""Words in column names, in the languages our users write them in; a word must stand alone (zip_code, ZIP, zipCode)."""


@frozen
class ColumnProfile:
    """One column in numbers; no value of it."""

    name: str
    type: ColumnType
    distinct: int
    missing: int
    unique: float
    role: Role
    reason: str


class Profile(list[ColumnProfile]):
    """The profiles of all columns, in order."""

    def _repr_html_(self) -> str:
        names = ("column", "type", "distinct", "missing", "unique", "role", "because")
        rows = [
            [one.name, one.type, one.distinct, one.missing, percent(one.unique, 1.0), one.role, worded(one.reason)]
            for one in self
        ]
        return html_table([tell(f"page.notebook.{name}") for name in names], rows)


def profile_of(table: Table, progress: Progress | None = None) -> Profile:
    """Return a profile of every column of a table."""
    progress = progress or Silent()
    progress.stage("looking at columns", len(table.columns))
    missing = table.missing()
    out = Profile()
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


def named_role(name: str) -> Mapping[Role, str]:
    """Return the roles that the name of a column speaks for, each with the word that says so.

    >>> [f"{role}: {word}" for role, word in named_role("Hauptdiagnose_1").items()]
    ['sensitive: diagnose']
    """
    words = {*words_of(name), name.lower()}
    compounds = [word for word in words if len(word) > _COMPOUND]

    def inside(word: str) -> bool:
        return len(word) >= _COMPOUND and any(one.startswith(word) or one.endswith(word) for one in compounds)

    alone = {role: [word for word in listed if word in words] for role, listed in _WORDS.items()}
    if not any(alone.values()):
        alone = {role: [word for word in listed if inside(word)] for role, listed in _WORDS.items()}
    return {role: found[0] for role, found in alone.items() if found}


def _suggest(name: str, kind: ColumnType, dictionary: Dictionary, present: int, unique: float) -> tuple[Role, str]:
    distinct, named = len(dictionary), named_role(name)
    whole = kind in (ColumnType.TEXT, ColumnType.INTEGER)
    if not distinct:
        return Role.DROP, say("advice.empty")
    if (
        Role.IDENTIFIER in named
        and (unique > 0.5 or kind == ColumnType.TEXT)
        and Role.QUASI_IDENTIFIER not in named
        and Role.SENSITIVE not in named
    ):
        return Role.IDENTIFIER, say("advice.name_says", word=repr(named[Role.IDENTIFIER]))
    told = told_by_content(name, kind, dictionary)
    if told is not None:
        return Role.IDENTIFIER, told.reason
    sample = sample_of(name, kind, dictionary, _LOOKED)
    if free_text(sample) or wordy(sample):
        return Role.DROP, say("plain_column.free_text")
    meant = kind is ColumnType.INTEGER and (Role.SENSITIVE in named or Role.QUASI_IDENTIFIER in named)
    if whole and not meant and present > 20 and unique > 0.95:
        return Role.IDENTIFIER, say("advice.occur_once", share=unique)
    if Role.SENSITIVE in named:
        return Role.SENSITIVE, _rare(named[Role.SENSITIVE], kind, dictionary)
    if Role.QUASI_IDENTIFIER in named:
        return Role.QUASI_IDENTIFIER, say("advice.name_says", word=repr(named[Role.QUASI_IDENTIFIER]))
    if Role.TARGET in named and distinct <= 20:
        return Role.TARGET, say("advice.name_and_values", word=repr(named[Role.TARGET]), distinct=distinct)
    if distinct <= 1:
        return Role.PLAIN, say("advice.one_value")
    return Role.QUASI_IDENTIFIER, say("advice.may_know")


def _rare(word: str, kind: ColumnType, dictionary: Dictionary) -> str:
    """Say by which word a column is sensitive, and whether it holds values that hardly anybody else has."""
    says = say("advice.name_says", word=repr(word))
    rare = int(np.count_nonzero(dictionary.counts < _RARE))
    if kind is not ColumnType.TEXT or not rare:
        return says
    return say("frame.both", first=says, second=say("advice.rare_values", count=rare, fewer=_RARE))
