"""A column of texts in a table: cleaned with the rows it belongs to, certified with them, freed of what its own row tells."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest
from sfumato.text.own_values import without_own_values

ROWS = {
    "name": ["Ann Lee", "Bob Ray", "Cy Orr", "Di Poe", "Al Fox"],
    "age": [41, 43, 62, 67, 66],
    "born": ["1979-03-01", "1977-02-01", "1958-05-05", "1953-01-01", "1954-01-01"],
    "note": [
        "Mrs Lee, 41 years, of <city>Ulm</city>, took 41 mg; <doctor>Dr. Kay</doctor>",
        "ok, born 1 February 1977",
        None,
        "DI POE left",
        "<doctor>Dr. May</doctor> saw nobody",
    ],
}
NOTE = {
    "role": "text",
    "documents": {"tagged": True},
    "entities": {"city": {"role": "identifier"}, "doctor": {"role": "identifier", "replace": "surrogate"}},
}
POLICY = {
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier"},
        "born": {"role": "drop"},
        "note": NOTE,
    },
    "requirements": [{"id": "k-anonymity", "k": 2}],
}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_PSEUDONYM_KEY", "not a key to use: 0123456789")


def test_one_release_holds_masked_columns_and_cleaned_texts(tmp_path: Path) -> None:
    frame = pl.DataFrame(ROWS)
    release = sfumato.anonymize(frame, POLICY)
    notes = release.public["note"].to_list()
    assert release.public.columns == ["age", "note"]
    assert "ok, born [BORN]" in notes
    assert "[NAME] left" in notes
    assert None in notes
    ann = next(note for note in notes if note and note.startswith("Mrs"))
    assert ann.startswith("Mrs [NAME], [AGE] years, of [CITY], took 41 mg; Dr. ")
    assert "Kay" not in ann
    assert [(verdict.model, verdict.column) for verdict in release.verdict] == [
        ("k-anonymity", None),
        ("hide-deidentification-models", "note"),
    ]
    assert any("4 values" in warning for warning in release.warnings)
    assert any(warning.startswith("note: some names") for warning in release.warnings)
    out = sfumato.publish(release, tmp_path / "out")
    found = sfumato.verify(out / "public")
    assert found
    assert found.unchecked == ("hide-deidentification-models",)
    entry = json.loads((out / "public" / "certificate.json").read_bytes())["requirements"][1]
    assert (entry["column"], entry["shape"], entry["judged"]) == ("note", "text", "inside")
    assert not sfumato.check(frame, policy=POLICY)


def test_the_policy_reads_and_writes_it() -> None:
    policy = sfumato.Policy.of(POLICY)
    assert policy.columns["note"].cells["requirements"] == [{"id": "hide-deidentification-models"}]  # type: ignore[index]
    assert sfumato.Policy.of(policy.document()).digest() == policy.digest()


def test_what_spans_tell_cannot_be_required_of_a_column() -> None:
    note = {**NOTE, "entities": {"city": {"role": "quasi-identifier"}}, "requirements": [{"id": "k-anonymity", "k": 2}]}
    with pytest.raises(BadRequest, match="hide-deidentification-models"):
        sfumato.anonymize(pl.DataFrame(ROWS), {**POLICY, "columns": {**POLICY["columns"], "note": note}})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("id 77201 twice: 77201.", {"id": "77201"}, "id [ID] twice: [ID]."),
        ("177201 and 77201x", {"id": "77201"}, "177201 and 77201x"),
        ("seen 05.03.2024", {"Day of visit": "2024-03-05"}, "seen [DAY-OF-VISIT]"),
        ("aged 41; 41 tablets; 41-year-old", {"age": "41"}, "aged [AGE]; 41 tablets; [AGE]-year-old"),
        ("a lee shore; Lee", {"surname": "Lee Ann"}, "a lee shore; [SURNAME]"),
        ("[NAME] is kept", {"name": "name"}, "[NAME] is kept"),
        ("שרה כהן באה", {"name": "שרה כהן"}, "[NAME] באה"),
        ("", {"name": ""}, ""),
    ],
)
def test_own_values_are_found_however_they_are_written(text: str, row: dict[str, str], expected: str) -> None:
    found, count = without_own_values(text, row)
    assert found == expected
    assert (count > 0) == (found != text)
    assert without_own_values(found, row) == (expected, 0)


@pytest.mark.parametrize(
    ("own", "text", "masked"),
    [
        ({"phone": "4155550199"}, "call 415-555-0199 or (415) 555 0199", "call [PHONE] or ([PHONE]"),
        ({"iban": "DE89 3704 0044 0532 0130 00"}, "to DE89370400440532013000.", "to [IBAN]."),
        ({"income": "52000"}, "earns 52,000 a year, not 152,000", "earns [INCOME] a year, not 152,000"),
        ({"name": "Ann Lee", "mail": "ann@x.org"}, "mail ANN@X.ORG", "mail [MAIL]"),
        ({"name": "Bob Müller"}, "Herr Müllers Hund; Mueller; M\u00fc\u00adller", "Herr [NAME] Hund; [NAME]; [NAME]"),
        ({"age": "62"}, "a 62yo man took 62 mg", "a [AGE]yo man took 62 mg"),
        ({"age": "62"}, "aged sixty-two, sixty-two tablets", "aged [AGE], sixty-two tablets"),
        (
            {"age": "62"},
            "eine Zweiundsechzigjährige, Tochter vierzig Jahre",
            "eine [AGE]jährige, Tochter vierzig Jahre",
        ),
        (
            {"born": "1957-07-07"},
            "born the seventh of July 1957, not the eighth of July",
            "born the [BORN], not the eighth of July",
        ),
        ({"born": "1952-03-21"}, "am einundzwanzigsten März neunzehnhundertzweiundfünfzig", "am [BORN]"),
    ],
)
def test_numbers_in_groups_and_other_forms_of_names_are_own_values(own: dict[str, str], text: str, masked: str) -> None:
    assert without_own_values(text, own)[0] == masked
    # whoever asks looks a second time, and stops if that finds more
    assert without_own_values(masked, own) == (masked, 0)


def test_what_is_left_in_a_column_is_found_with_the_raw_rows(tmp_path: Path) -> None:
    notes = ["ok, mail info@clinic.org", "met Ann Lee", None, "fine", "fine"]
    frame = pl.DataFrame({**ROWS, "note": notes})
    policy = {
        **POLICY,
        "columns": {**POLICY["columns"], "note": {**NOTE, "entities": {"city": {"role": "identifier"}}}},
    }  # type: ignore[dict-item]
    release = sfumato.anonymize(frame, policy)
    assert release.certificate.counts["names_in_texts_of_others"] == 1
    assert any(one.startswith("note: names of masked persons") for one in release.warnings)
    out = sfumato.publish(release, tmp_path / "out")
    said = sfumato_in(tmp_path, "verify", "out/public")
    assert "counted by the publisher: Places where a document names the person of another: 1" in said.stdout
    found = sfumato.audit(out, raw=frame)
    assert found.of("recogniser-attack").after.above == 1
    assert found.of("recogniser-attack").columns == ("note",)
    assert found.of("left-words-attack").after.highest == 1  # Ann Lee is named in the note of somebody else
    assert found.of("rare-term-attack").before is not None
    assert "Lee" not in json.dumps(found.document())
    assert sfumato.attack(out / "public", "rare-term-attack", terms=["fine"]).highest == 0.5
    assert sfumato.audit(out, attacks=["recogniser-attack"]).tried[0].attack == "recogniser-attack"
    known = {"doctor": ["clinic"], "other": ["office"]}
    assert sfumato.attack(out, "context-attack", contexts=known).highest == 1
    with pytest.raises(BadRequest, match="documents before masking"):
        sfumato.attack(out, "left-words-attack")
