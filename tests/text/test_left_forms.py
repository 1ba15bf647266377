"""A masked person is found again by any form of the name: small letters, addresses, names of files, marks on letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest, Infeasible
from sfumato.text import Documents
from sfumato.text.documents import Places
from sfumato.text.extraction.tagged_files import write_documents
from sfumato.text.name_words import NameForms
from sfumato.text.number_forms import NumberForms
from sfumato.text.terms import Found, Terms, Words

POLICY = {"shape": "text", "documents": {"tagged": True}, "entities": {"name": {"role": "identifier"}}}
EVERYWHERE = {**POLICY, "algorithm": {"id": "hide-framework", "everywhere": True}}


@pytest.mark.parametrize(
    ("name", "left", "masked"),
    [
        ("Ana Vasquez", "saw vasquez again", "saw [NAME] again"),
        ("Ann Lee", "saw mrs lee again", "saw mrs [NAME] again"),
        ("Ann Lee", "write to ann.lee@example.org.", "write to [NAME]."),
        ("Ann Lee", "write to alee42@example.org", "write to [NAME]"),
        ("Ann Lee", "see ann_lee.txt, page 2", "see [NAME], page 2"),
        ("Ann Lee", "user @AnnLee", "user [NAME]"),
        ("Işıl Yılmaz", "saw ISIL and YILMAZ", "saw [NAME] and [NAME]"),
        ("İpek Kıraç", "saw IPEK, ipek and KIRAÇ", "saw [NAME], [NAME] and [NAME]"),
        ("Jose Garcia", "saw Jose\u0301 and Garci\u0301a", "saw [NAME] and [NAME]"),
        ("Wei Wu", "saw Mr Wu, Wu's son and MR WU", "saw Mr [NAME], [NAME]'s son and MR [NAME]"),
        ("Ed Xu", "Ed's mail is exu@example.org", "[NAME]'s mail is [NAME]"),
        ("José García", "saw Jose and garcia", "saw [NAME] and [NAME]"),
        ("Ann Lee", "user annlee, tag #AnnLee, LEEANN", "user [NAME], tag #[NAME], [NAME]"),
        ("Ann Lee", "account alee07, not alee", "account [NAME], not alee"),
        ("Ann Lee", "see lee.ann", "see [NAME].[NAME]"),
        ("Pieter van der Berg", "vanderberg and PieterBerg", "[NAME] and [NAME]"),
        ("Tom O'Brien", "saw OBrien", "saw [NAME]"),
        ("Jörg Müller", "joergmueller, JorgMuller", "[NAME], [NAME]"),
    ],
)
def test_left_forms_are_refused_or_masked(name: str, left: str, masked: str) -> None:
    text = f"<name>{name}</name> came; {left}"
    with pytest.raises(Infeasible, match="everywhere"):
        sfumato.anonymize([text], POLICY)
    release = sfumato.anonymize([text], EVERYWHERE)
    assert release.tables["documents"].to_rows()[0][2] == f"[NAME] came; {masked}"
    assert sfumato.attack(release, "left-words-attack").highest == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Will May", "it may be, will see; may@example"),
        ("Ida Stone", "a kidney stone"),
        ("Ann Lee", "the lee side, he/she, and/or"),
        ("Mark Long", "long_term.txt"),
        ("Rose Mary", "rosemary, rose.wine; leeway"),
        ("Tim Read", "the tread of a tyre"),
        ("Ed Do", "Do not wait in the ED"),
        ("Al de la Torre", "De novo, La Paz, als"),
    ],
)
def test_words_in_small_letters_that_mean_something_else_stay(name: str, text: str) -> None:
    told = text.split(";")[0]
    release = sfumato.anonymize([f"<name>{name}</name> came; {told}"], POLICY)
    assert release.tables["documents"].to_rows()[0][2] == f"[NAME] came; {told}"


def test_names_of_files_are_forms_of_their_persons(tmp_path: Path) -> None:
    (tmp_path / "Ana Vasquez.txt").write_text("Mrs Vasquez came.", encoding="utf-8")
    (tmp_path / "note 2.txt").write_text("<name>Bob Ray</name> came.", encoding="utf-8")
    with pytest.raises(Infeasible, match="everywhere"):
        sfumato.anonymize(tmp_path, POLICY)
    release = sfumato.anonymize(tmp_path, EVERYWHERE)
    assert [row[2] for row in release.tables["documents"].to_rows()] == ["Mrs [NAME] came.", "[NAME] came."]
    out = sfumato.publish(release, tmp_path / "out")
    assert not any("Vasquez" in file.read_text("utf-8") for file in (out / "public").iterdir())


def test_a_refused_file_is_named_by_its_number_where_its_name_is_a_persons(tmp_path: Path) -> None:
    (tmp_path / "Ana Vasquez.txt").write_text("<name>Ana", encoding="utf-8")
    with pytest.raises(BadRequest, match="file 1 of 1") as refused:
        sfumato.anonymize(tmp_path, POLICY)
    assert "Vasquez" not in str(refused.value)


def test_texts_are_written_under_names_that_tell_of_nobody(tmp_path: Path) -> None:
    notes = Documents.of({"Ana Vasquez.txt": "<name>Rose</name>", "rose.txt": "", "3.txt": ""}, tagged=True)
    write_documents(notes, tmp_path / "out")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["3.txt", "document-1.txt", "document-2.txt"]


@pytest.mark.parametrize(
    ("number", "left", "masked"),
    [
        ("219-09-9999", "219099999", "[PHONE]"),
        ("415-555-0199", "(415) 555 0199 or +14155550199", "([PHONE] or +[PHONE]"),
        ("4155550199", "415.555.01 99", "[PHONE]"),
        ("MRN-0048213", "mrn0048213", "mrn[PHONE]"),
        ("4155550199", "\u0664\u0661\u0665\u0665\u0665\u0665\u0660\u0661\u0669\u0669", "[PHONE]"),
    ],
)
def test_a_number_in_other_groups_is_the_same_number(number: str, left: str, masked: str) -> None:
    policy = {**POLICY, "entities": {"phone": {"role": "identifier"}}}
    text = f"<phone>{number}</phone>; {left}"
    with pytest.raises(Infeasible, match="everywhere"):
        sfumato.anonymize([text], policy)
    release = sfumato.anonymize([text], {**policy, "algorithm": {"id": "hide-framework", "everywhere": True}})
    assert release.tables["documents"].to_rows()[0][2] == f"[PHONE]; {masked}"
    assert sfumato.attack(release, "left-words-attack").highest == 0


def test_other_numbers_stay() -> None:
    policy = {**POLICY, "entities": {"phone": {"role": "identifier"}}}
    text = "<phone>415-555-0199</phone>; 415-555-0198; 19 9; 1415 555, 0.0199 mg; 12 34 56 78"
    release = sfumato.anonymize([text], policy)
    assert release.tables["documents"].to_rows()[0][2] == f"[PHONE]{text.partition('</phone>')[2]}"


def test_an_attack_finds_a_number_that_was_left_in_other_groups() -> None:
    policy = {**POLICY, "entities": {"phone": {"role": "identifier"}}}
    told = ["<phone>415-555-0199</phone> is hers", "call 4155550199", "<phone>646-555-0123</phone>"]
    risk = sfumato.attack(sfumato.anonymize(told, policy), "left-words-attack")
    assert risk.per_victim.tolist() == [1.0, 0.0, 0.0]


@given(st.lists(st.sampled_from(["Ann", "Lee", "Lang", "came", "LANG", "4155550199", "555-0199", "."]), max_size=12))
def test_places_that_are_known_are_passed_over_and_nothing_else_is(words: list[str]) -> None:
    text, places = "", list[tuple[int, int]]()
    for at, word in enumerate(words):
        places += [(len(text), len(text) + len(word))] if at % 3 == 0 else []
        text += f"{word} "
    known, outside = Places(places), list[list[Found]]()
    for read in (Words(text), Words(text, places)):
        found = [*Terms.of(["Lang", "Ann Lang", "Lee Lang"]).found(read), *NameForms.of(["Ann Lee"]).found(read)]
        found += NumberForms.of(["415-555-0199"]).found(read)
        outside.append([one for one in found if not known.overlap(one.start, one.end)])
    assert outside[0] == outside[1]
