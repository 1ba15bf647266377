"""Invented names, moved dates, keyed hashes and what Safe Harbor leaves: consistent, coherent, never the original."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.catalogue import find
from sfumato.data.schema import Role
from sfumato.datasets import notes
from sfumato.errors import BadRequest
from sfumato.text import Documents
from sfumato.text.dates import read_date
from sfumato.text.recodings import DateShift, Surrogates
from sfumato.text.recodings._invented_names import InventedNames
from sfumato.text.recodings._plausible import LANGUAGES
from sfumato.text.terms import Terms
from sfumato.text.types import TYPES
from sfumato.text.vault import Vault

KEY = "not a key to use: 0123456789"
NOTES = [
    "<name>Ann Lee</name>, <age>41</age>, of <zip>89073</zip> <city>Ulm</city>, <email>ann.lee@web.de</email>: "
    "came on <date>3 March 2020</date>, MRN <mrn>A-77123</mrn>.",
    "Mrs <name>LEE</name> (<phone>+49 731 445566</phone>) of <city>Ulm</city> came on <date>2020-03-10</date>.",
    "Mr <name>Bob Ray</name>, <age>95</age>, of <zip>03601</zip> came on <date>3/9/2020</date> and <date>soon</date>.",
]
SURROGATE = {"role": "identifier", "replace": "surrogate"}
POLICY = {
    "shape": "text",
    "person": "who",
    "documents": {"tagged": True, "column": "note"},
    "entities": {
        **dict.fromkeys(("name", "email", "phone", "city", "zip"), SURROGATE),
        "mrn": {"role": "identifier", "replace": "hash"},
        "age": {"role": "quasi-identifier"},
        "date": {"role": "quasi-identifier", "replace": "shift"},
    },
}
SOURCE = {"note": NOTES, "who": ["a", "a", "b"]}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_PSEUDONYM_KEY", KEY)


def texts(release: sfumato.Release) -> list[str]:
    """Return the published texts in the order of NOTES."""
    found = [row[2] for row in release.tables["documents"].to_rows()]
    return [next(text for text in found if mark in text) for mark in (", 41, of", "Mrs ", ", 95, of")]


def test_surrogates_belong_together() -> None:
    release = sfumato.anonymize(SOURCE, POLICY)
    first, second, third = texts(release)
    given, family, code, town, local = re.fullmatch(
        r"(\w+) (\w+), 41, of (\d{5}) ([\w ]+), ([a-z.]+)@example\.(?:org|com|net): came .*", first
    ).groups()  # type: ignore[union-attr]
    assert given in LANGUAGES["en"].female
    assert f"Mrs {family.upper()} (+49 " in second
    assert f"of {town} came" in second
    assert local == f"{given}.{family}".lower()
    assert (town, code) in {(place.town, place.code) for place in LANGUAGES["en"].places}
    assert any(third.startswith(f"Mr {name} ") for name in LANGUAGES["en"].male)
    assert third.endswith("and [DATE].")
    assert not re.search(
        r"Lee|LEE|Bob|Ray|Ulm|89073|77123|445566|2020-03-10|3 March 2020", "".join([first, second, third])
    )
    assert release.kind == "surrogate-documents"
    assert not release.certificate.release.truthful
    assert sum("one true date" in warning for warning in release.warnings) == 1


def test_the_time_between_dates_of_a_person_stays() -> None:
    first, second, _ = texts(sfumato.anonymize(SOURCE, POLICY))
    days = [read_date(re.search(r"came on ([^,.]+)[,.]", text)[1]) for text in (first, second)]  # type: ignore[index]
    assert days[0] is not None
    assert days[1] is not None
    assert (days[1].day - days[0].day).days == 7
    assert days[0].day != date(2020, 3, 3)


def test_the_same_key_gives_the_same_and_another_key_or_namespace_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    once = texts(sfumato.anonymize(SOURCE, POLICY))
    turned = {"note": NOTES[::-1], "who": ["b", "a", "a"]}
    assert texts(sfumato.anonymize(turned, POLICY)) == once
    assert texts(sfumato.anonymize(SOURCE, {**POLICY, "surrogates": {"namespace": "x"}})) != once
    assert sfumato.policy.SharedPolicy.of(POLICY).digest() == (
        sfumato.policy.SharedPolicy.of({**POLICY, "surrogates": {"key_variable": "K", "vault": "v"}}).digest()
    )
    monkeypatch.setenv("SFUMATO_PSEUDONYM_KEY", KEY[::-1])
    assert texts(sfumato.anonymize(SOURCE, POLICY)) != once


def test_a_vault_holds_no_original_and_knows_what_it_gave(tmp_path: Path) -> None:
    policy = {**POLICY, "surrogates": {"vault": str(tmp_path / "names.vault")}}
    once = texts(sfumato.anonymize(SOURCE, policy))
    kept = (tmp_path / "names.vault").read_text("utf-8")
    assert not re.search(r"Ann|Lee|Ray|Ulm|89073|77123", kept, re.IGNORECASE)
    assert json.loads(kept)["vault"] == 1
    name = once[0].split(",")[0]
    again = {"note": [f"<name>{name}</name> came back"], "who": ["a"]}
    assert sfumato.anonymize(again, policy).tables["documents"].to_rows()[0][2] == f"{name} came back"
    other = {**policy, "surrogates": {**policy["surrogates"], "namespace": "x"}}
    with pytest.raises(BadRequest, match="another key or namespace"):
        sfumato.anonymize(SOURCE, other)
    (tmp_path / "names.vault").write_text('{"vault": 1, "held": {"Ann": "Eve"}, "names": {}, "written": []}')
    with pytest.raises(BadRequest, match="vault"):
        sfumato.anonymize(SOURCE, policy)


def test_no_two_persons_get_one_name() -> None:
    many = Documents.of([f"<name>Ann{'abcdefghij'[at % 10]} Lee{at}</name>" for at in range(400)], tagged=True)
    made = Surrogates(key_variable="SFUMATO_PSEUDONYM_KEY").words(
        many, [str(at) for at in range(400)], ["name"], Vault()
    )
    assert len({next(iter(places.values())) for places in made}) == 400


@given(st.sampled_from(["", "A", "XY-"]), st.integers(0, 10**16), st.sampled_from(["id", "name", "zip", "email"]))
def test_nothing_is_replaced_by_itself(letters: str, number: int, kind: str) -> None:
    said = f"{letters}{number}"
    notes = Documents.of([f"No. <{kind}>{said}</{kind}>"], tagged=True)
    made = Surrogates(key_variable="SFUMATO_PSEUDONYM_KEY").words(notes, ["p"], [kind])[0]
    assert said not in made.values() or kind == "name"  # what has no letters is no name
    if kind == "id":
        assert [sign.isdigit() for sign in next(iter(made.values()))] == [sign.isdigit() for sign in said]


def test_a_number_in_other_groups_has_the_same_surrogate_in_those_groups() -> None:
    told = "<phone>415-555-0199</phone> <phone>(415) 555 0199</phone> <id>MRN-0048213</id> <id>mrn0048213</id>"
    notes = Documents.of([f"{told} <phone>555-0199</phone>"], tagged=True)
    first, second, code, small, local = (
        Surrogates(key_variable="SFUMATO_PSEUDONYM_KEY").words(notes, ["p"], ["phone", "id"])[0].values()
    )
    assert re.sub(r"\D", "", first) == re.sub(r"\D", "", second) != "4155550199"
    assert re.fullmatch(r"\(\d{3}\) \d{3} \d{4}", second)
    assert small == code.replace("-", "").lower() != "mrn0048213"
    assert local != "555-0199"


@pytest.mark.parametrize("said", ["Lee's", "Lee\u2019s", "LEE'S"])
def test_a_genitive_stays_one(said: str) -> None:
    notes = Documents.of([f"<name>Ann Lee</name> and <name>{said}</name> dog"], tagged=True)
    whole, family = Surrogates(key_variable="SFUMATO_PSEUDONYM_KEY").words(notes, ["p"], ["name"])[0].values()
    assert family.casefold() == f"{whole.split()[1]}{said[3:]}".casefold()


def test_card_numbers_keep_their_check_digit() -> None:
    notes = Documents.of(["<card>4111 1111 1111 1111</card>"], tagged=True)
    made = next(iter(Surrogates(key_variable="SFUMATO_PSEUDONYM_KEY").words(notes, ["p"], ["card"])[0].values()))
    digits = [int(sign) for sign in made if sign.isdigit()]
    assert sum(sum(divmod(digit * (1 + at % 2), 10)) for at, digit in enumerate(reversed(digits))) % 10 == 0
    assert re.fullmatch(r"\d{4} \d{4} \d{4} \d{4}", made)


@given(st.text(max_size=8), st.integers(1, 400), st.booleans())
def test_offsets_are_bounded_and_never_zero(person: str, days: int, weeks: bool) -> None:
    days += 7
    shift = DateShift(key_variable="SFUMATO_PSEUDONYM_KEY", days=days, keep_weekday=weeks)
    offset = shift.offset(person)
    assert 1 <= abs(offset) <= days
    assert not weeks or offset % 7 == 0


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(-500, 500))
def test_dates_are_written_back_in_their_form(day: date, days: int) -> None:
    month = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ][day.month - 1]
    for text in (
        day.isoformat(),
        f"{day.month}/{day.day}/{day.year}",
        f"{day.day:02}.{day.month:02}.{day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month[:3]} {day.year}",
    ):
        read = read_date(text)
        assert read is not None
        assert (read.day, str(read)) == (day, text)
        moved = read.later(days)
        assert moved is not None
        again = read_date(str(moved))
        assert again is not None
        assert (again.day - day).days == days


def test_safe_harbor() -> None:
    policy = {"shape": "text", "documents": {"tagged": True}, "profile": "hipaa-safe-harbor"}
    release = sfumato.anonymize(NOTES, policy)
    found = [row[2] for row in release.tables["documents"].to_rows()]
    assert "[NAME], 41, of 000** [CITY], [EMAIL]: came on 2020, MRN [MRN]." in found  # 890 is one of the small prefixes
    assert "Mr [NAME], 90+, of 000** came on 2020 and [DATE]." in found
    assert release.certificate.release.truthful
    kept = {**policy, "entities": {"city": {"role": "plain"}}}
    assert any("Ulm" in row[2] for row in sfumato.anonymize(NOTES, kept).tables["documents"].to_rows())


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"entities": {"date": {"role": "quasi-identifier", "days": 3}}}, "replace: shift"),
        ({"entities": {"date": {"role": "quasi-identifier", "replace": "shift", "days": 0}}}, "1"),
        ({"entities": {"date": {"role": "identifier", "replace": "shift", "days": 3, "keep_weekday": True}}}, "7"),
        ({"entities": {"name": {"role": "identifier", "replace": "rot13"}}}, "replace"),
        ({"entities": {"name": {"role": "identifier", "like": "name"}}}, "replace: surrogate"),
        ({"entities": {"name": {"role": "identifier", "allow": ["May"], "deny": ["may"]}}}, "allowed and denied"),
        ({"surrogates": {"key_file": "a", "key_variable": "b"}}, "either"),
        ({"surrogates": {"key_variable": "NOT_SET"}}, "not set"),
        ({"surrogates": {"key_file": "nowhere"}}, "cannot be read"),
        ({"profile": "gdpr"}, "hipaa-safe-harbor"),
        (
            {"entities": {}, "profile": "hipaa-safe-harbor", "requirements": [{"id": "k-anonymity", "k": 2}]},
            "hierarchy",
        ),
        (
            {
                "entities": {"date": {"role": "quasi-identifier", "replace": "shift"}},
                "requirements": [{"id": "k-anonymity", "k": 2}],
            },
            "quasi",
        ),
        ({"documents": {"tagged": True, "extract": True}}, "not both"),
    ],
)
def test_bad_policies_are_refused_in_words(changed: dict[str, object], words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        sfumato.anonymize(SOURCE, {**POLICY, **changed})


@pytest.mark.parametrize("entity", [{"role": "identifier"}, SURROGATE], ids=["placeholders", "surrogates"])
def test_no_tagged_identifier_is_left_in_invented_notes(entity: dict[str, str]) -> None:
    data = notes(60, seed=3)
    direct = [name for name, known in TYPES.items() if known.role is Role.IDENTIFIER or name == "hospital"]
    policy = {
        "shape": "text",
        "person": "patient",
        "documents": {"column": "note", "tagged": True},
        "entities": {name: {"role": "plain"} for name in TYPES} | dict.fromkeys(direct, entity),
        "algorithm": {"id": "hide-framework", "everywhere": True},
    }
    release = sfumato.anonymize({name: list(data.values(name)) for name in data.columns}, policy)
    assert release.private.links is not None
    number = {row[4]: row[0] for row in release.private.links.to_rows()}
    written = {row[0]: row[2] for row in release.tables["documents"].to_rows()}
    for document in Documents.of([str(note) for note in data.values("note")], tagged=True):
        said = {document.said(span) for span in document.spans if span.type in direct}
        text = written[number[document.name]] if document.spans else ""
        assert not Terms.of(one for one in said if len(one) > 2).found(text)
    assert sfumato.anonymize(list(written.values()), {**policy, "person": None, "documents": {"tagged": True}}).tables[
        "documents"
    ].select(["text"]).to_rows() == [(text,) for text in sorted(written.values())]


@pytest.mark.parametrize(("said", "hers"), [("Ann Lee", True), ("Elke Huber", True), ("Bill Lee", False)])
def test_names_that_no_list_of_surrogates_has_keep_their_gender(said: str, hers: bool) -> None:
    for secret in range(4):
        made = InventedNames.of([(said, "")], LANGUAGES["en"], bytes([secret] * 32), Vault()).given
        assert (made in LANGUAGES["en"].female) is hers


@pytest.mark.parametrize(
    "said",
    [
        "Monday, {}",
        "MONDAY {}",
        "Monday the {}",
        "Mon. {}",
        "Montag, den {}",
        "Mo, {}",
        "{} (Monday)",
        "{}, a Monday",
        "{}, Mo",
        "{} was a Monday",
    ],
)
def test_no_weekday_tells_by_how_much_a_date_moved(said: str) -> None:
    text = (
        "<name>Ann Lee</name> came: " + said.format("<date>4 March 2024</date>") + "; left <date>9 March 2024</date>."
    )
    moved = {"role": "quasi-identifier", "replace": "shift", "days": 21}
    policy = {
        "shape": "text",
        "documents": {"tagged": True},
        "entities": {"name": {"role": "identifier"}, "date": moved},
    }
    published = sfumato.anonymize([text], policy).tables["documents"].to_rows()[0][2]
    assert said.format("[DATE]") in published
    assert re.search(r"left [0-9]+ [A-Z][a-z]+ 2024", published)
    assert "left 9 March" not in published

    policy["entities"] = {"name": {"role": "identifier"}, "date": {**moved, "keep_weekday": True}}
    kept = sfumato.anonymize([text], policy).tables["documents"].to_rows()[0][2]
    assert "[DATE]" not in kept
    assert said.format("4 March 2024") not in kept


@pytest.mark.parametrize("said", ["Sol, {}", "So: from {}", "the month {}", "{} Domino", "{}. He left on Monday"])
def test_a_word_that_is_no_weekday_leaves_the_date(said: str) -> None:
    text = "<name>Ann Lee</name>; " + said.format("<date>4 March 2024</date>") + "."
    policy = {
        "shape": "text",
        "documents": {"tagged": True},
        "entities": {"name": {"role": "identifier"}, "date": {"role": "quasi-identifier", "replace": "shift"}},
    }
    assert "[DATE]" not in sfumato.anonymize([text], policy).tables["documents"].to_rows()[0][2]


def test_the_older_name_of_surrogates_is_known() -> None:
    assert find("scrub") is Surrogates
