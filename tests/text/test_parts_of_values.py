"""Parts and odd spellings of a masked value in the texts of its own person: masked where asked, else counted and told."""

from __future__ import annotations

import json

import pytest

import sfumato
from sfumato.text.own_values import without_own_values

ENTITIES = {
    "name": {"role": "identifier"},
    "born": {"role": "identifier"},
    "phone": {"role": "identifier"},
    "age": {"role": "quasi-identifier"},
}
POLICY = {
    "shape": "text",
    "documents": {"tagged": True},
    "entities": ENTITIES,
    "requirements": [{"id": "hide-deidentification-models", "mode": "full"}],
}
EVERYWHERE = {**POLICY, "algorithm": {"id": "hide-framework", "everywhere": True}}
HEAD = "<name>John Smith</name>, <age>41</age>, <born>1979-03-01</born>, <phone>415-555-0199</phone>: "
MASKED = "[NAME], [AGE], [BORN], [PHONE]: "


def texts_of(release: sfumato.Release) -> list[str]:
    return [str(row[2]) for row in release.tables["documents"].to_rows()]


@pytest.mark.parametrize(
    ("left", "masked"),
    [
        ("came in March 1979", "came in [BORN]"),
        ("born on 01.03.1979, or 3/1/1979", "born on [BORN], or [BORN]"),
        ("his birthday is March 1st", "his birthday is [BORN]"),
        ("in March nineteen seventy-nine", "in [BORN]"),
        ("J. S. came; JS left", "[NAME] came; [NAME] left"),
        ("number ends in 0199", "number ends in [PHONE]"),
        ("at home 555-0199", "at home [PHONE]"),
        ("seen 01031979, 1/3/79 and 1979/03", "seen [BORN], [BORN] and [BORN]"),
        ("on the first of March", "on the [BORN]"),
        ("his 41st birthday", "his [AGE]st birthday"),
        ("forty-one, well; forty-one tablets", "[AGE], well; forty-one tablets"),
    ],
)
def test_parts_of_own_values_are_told_or_masked(left: str, masked: str) -> None:
    release = sfumato.anonymize([HEAD + left], POLICY)
    assert texts_of(release) == [MASKED + left]
    assert any("part of what was masked" in one for one in release.warnings)
    assert release.certificate.counts["parts_of_masked_values_left"] > 0
    risk = sfumato.attack(release, "left-words-attack")
    assert risk.highest == 0
    assert any("1 person" in one for one in risk.warnings)
    assert "Smith" not in json.dumps(list(release.warnings))
    every = sfumato.anonymize([HEAD + left], EVERYWHERE)
    assert texts_of(every)[0] == MASKED + masked
    assert "parts_of_masked_values_left" not in every.certificate.counts
    assert not sfumato.attack(every, "left-words-attack").warnings


@pytest.mark.parametrize(
    ("left", "masked"),
    [
        ("saw John\nSmith", "saw [NAME]"),
        ("saw Mr Smi-\nth again", "saw Mr [NAME] again"),
        ("saw J. Smith", "saw [NAME]"),
        ("saw Ѕmіth", "saw [NAME]"),  # Cyrillic
        ("saw ЅМІТН", "saw [NAME]"),
        ("saw Sm\u200bi\u202eth", "saw [NAME]"),
        ("call 415-555-\n0199", "call [PHONE]"),
    ],
)
def test_odd_spellings_are_refused_or_masked(left: str, masked: str) -> None:
    with pytest.raises(sfumato.errors.Infeasible, match="everywhere"):
        sfumato.anonymize([HEAD + left], POLICY)
    assert texts_of(sfumato.anonymize([HEAD + left], EVERYWHERE)) == [MASKED + masked]


@pytest.mark.parametrize(
    "text",
    [
        "in March 1980, on 12 March 1979",
        "MS, M. D., the U.S.",
        "2019, 10199, 0199-22, 0.0199",
        "forty-one tablets",
        "µg of β",
    ],
)
def test_what_only_looks_alike_stays(text: str) -> None:
    row = {
        "name": "Mary Smith",
        "born": "1979-03-01",
        "phone": "415-555-0199",
        "age": "41",
        "card": "4111 1111 1111 2019",
    }
    assert without_own_values(text, row) == (text, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("born in March 1979", "born in [BORN]"),
        ("geboren im März 1979", "geboren im [BORN]"),
        ("born in 1979; b. '79, Jg. 1979.", "born in [BORN]; b. [BORN], Jg. [BORN]."),
        ("since June 1979, on 2.5.1979, of 1978, size '79'", "since June 1979, on 2.5.1979, of 1978, size '79'"),
        ("M. S. called; card ending in 2019", "[NAME] called; card ending in [CARD]"),
        ("She is 41.", "She is [AGE]."),
        ("Patient, 41, came (41); 41F; took 41 mg, 41.5", "Patient, [AGE], came ([AGE]); [AGE]F; took 41 mg, 41.5"),
        ("She is forty-one, and well", "She is [AGE], and well"),
        ("It is 41.5 here", "It is 41.5 here"),
    ],
)
def test_parts_of_a_row_are_masked_in_its_text(text: str, expected: str) -> None:
    row = {"name": "Mary Smith", "born": "1979-03-01", "age": "41", "card": "4111 1111 1111 2019"}
    assert without_own_values(text, row)[0] == expected
    assert without_own_values(expected, row) == (expected, 0)


def test_a_name_that_is_a_month_is_found_once() -> None:
    row = {"name": "May Smith", "born": "1979-03-01"}
    told = "May 1979; 2 May 1979; May 2nd, 1979; Smith 1979"
    left = "[NAME] 1979; 2 [NAME] 1979; [NAME] 2nd, 1979; [NAME] [BORN]"
    assert without_own_values(told, row) == (left, 5)
    assert without_own_values(left, row) == (left, 0)


@pytest.mark.parametrize(
    ("note", "left", "masked"),
    [
        ("Seen by J. <name>Miller</name>.", "Seen by J. [NAME].", "Seen by [NAME] [NAME]."),
        ("J.-P. <name>Miller</name> came", "J.-P. [NAME] came", "[NAME] [NAME] came"),
        ("<name>Miller</name>, J. R. came", "[NAME], J. R. came", "[NAME], [NAME] came"),
        ("Dr. Ö. <name>Miller</name>", "Dr. Ö. [NAME]", "Dr. [NAME] [NAME]"),
        ("<name>Miller</name>, A. B. C. D. <name>Cox</name>", "[NAME], A. B. C. D. [NAME]", "[NAME], [NAME] [NAME]"),
    ],
)
def test_initials_beside_a_tagged_name_are_told_or_masked(note: str, left: str, masked: str) -> None:
    release = sfumato.anonymize([note], POLICY)
    assert texts_of(release) == [left]
    assert release.certificate.counts["parts_of_masked_values_left"] == 1
    every = sfumato.anonymize([note], EVERYWHERE)
    assert texts_of(every) == [masked]
    assert "parts_of_masked_values_left" not in every.certificate.counts


@pytest.mark.parametrize(
    "note",
    [
        "a. <name>Miller</name>",
        "Type A.\n<name>Miller</name>",
        "<name>Miller</name>, M. Sc., M.D.",
        "<name>Miller</name>, M.D.",
    ],
)
def test_what_is_no_initial_of_a_tagged_name_stays(note: str) -> None:
    every = sfumato.anonymize([note], EVERYWHERE)
    assert texts_of(every)[0] == note.replace("<name>Miller</name>", "[NAME]")


def test_names_in_documents_of_others_are_counted() -> None:
    notes = [
        "<name>Ann Lear</name> came",
        "<name>Bob Ray</name> met Ann Lear, and Mrs Lear left",
        "<name>Ann Poe</name>",
    ]
    release = sfumato.anonymize(notes, POLICY)
    assert release.certificate.counts["names_in_texts_of_others"] == 2
    assert any("2 places in documents of others" in one for one in release.warnings)
    assert sfumato.attack(release, "left-words-attack").highest == 1
    assert not sfumato.anonymize(notes[::2], POLICY).warnings


def test_surrogates_follow_initials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_PSEUDONYM_KEY", "not a key to use: 0123456789")
    entities = {**ENTITIES, "name": {"role": "identifier", "replace": "surrogate"}}
    (text,) = texts_of(sfumato.anonymize([HEAD + "J. S. came, JS"], {**EVERYWHERE, "entities": entities}))
    given, family = text.split(",")[0].split()
    assert text.endswith(f"{given[0]}. {family[0]}. came, {given[0]}{family[0]}")


def test_what_stands_before_the_sign_of_an_address_is_part_of_it() -> None:
    policy = {**EVERYWHERE, "entities": {"email": {"role": "identifier"}}}
    text = "<email>ann.lee@example.org</email>, <email>office@example.org</email>: ann.lee (at) example; the office"
    assert texts_of(sfumato.anonymize([text], policy)) == ["[EMAIL], [EMAIL]: [EMAIL] (at) example; the office"]
