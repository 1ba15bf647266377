"""Texts through the other doors: attacks, draft, profile, report, listed words, odd places; nothing is left, all maps back."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from command_line import sfumato_in
from sfumato.catalogue import shape_of
from sfumato.contracts.run import Run
from sfumato.datasets import notes
from sfumato.policy import SharedPolicy
from sfumato.text import Document, Documents

NOTES = [
    "<name>Ann Lee</name>, aged <age>41</age>, from <town>Ulm</town>: <disease>asthma</disease>, keeps falcons.",
    "<name>Bob Ray</name>, aged <age>43</age>, from <town>Ulm</town>: <disease>flu</disease>.",
    "Mr <name>Cy Orr</name> (<age>62</age>, <town>Bonn</town>) has <disease>flu</disease>; mail cy@example.org.",
]
ENTITIES = {
    "name": {"role": "identifier", "link": True},
    "age": {"role": "quasi-identifier"},
    "town": {"role": "quasi-identifier"},
    "disease": {"role": "sensitive"},
}
POLICY = {"shape": "text", "documents": {"tagged": True}, "entities": ENTITIES, "metrics": ["lost-words"]}


@pytest.fixture(scope="module")
def release() -> sfumato.Release:
    return sfumato.anonymize(NOTES, POLICY)


def test_what_is_left_is_found(release: sfumato.Release) -> None:
    found = sfumato.audit(release)
    assert found.of("recogniser-attack").after.highest == 1  # nobody tagged the address
    assert found.of("left-words-attack").after.highest == 0
    assert found.of("rare-term-attack").after.highest == 1
    assert [one.attack for one in found.untried] == ["context-attack"]
    known = {"falconer": ["falcons"], "none": ["hawks"]}
    assert sfumato.attack(release, "context-attack", contexts=known).highest == 1.0
    told = sfumato.attack(release, "rare-term-attack", terms=["flu"])
    assert sorted(told.per_victim.tolist()) == [0.0, 0.5, 0.5]
    assert "falcons" not in json.dumps(found.document())


def test_words_of_a_person_that_stand_in_another_document_are_refused_until_everywhere_is_asked_for() -> None:
    notes = [
        "<name>Ann Lee</name> <mrn>7</mrn> came",
        "MRN <mrn>7</mrn>: Ann Lee left",
        "<name>Bob Ray</name> met Ann Lee",
    ]
    entities = {"name": {"role": "identifier"}, "mrn": {"role": "identifier", "link": True}}
    policy = {"shape": "text", "documents": {"tagged": True}, "entities": entities}
    with pytest.raises(sfumato.errors.Infeasible, match="elsewhere"):
        sfumato.anonymize(notes, policy)
    release = sfumato.anonymize(notes, {**policy, "algorithm": {"id": "hide-framework", "everywhere": True}})
    written = [row[2] for row in release.tables["documents"].to_rows()]
    assert "MRN [MRN]: [NAME] left" in written
    # In a note of somebody else the name is left to the audit: it may be another person's.
    assert sfumato.attack(release, "left-words-attack").highest == 1.0


def test_listed_words() -> None:
    entities = {"name": {"role": "identifier", "allow": ["May"], "deny": ["Kay"]}}
    release = sfumato.anonymize(["<name>May</name> 1st: <name>Ann</name>, KAY"], {**POLICY, "entities": entities})
    assert release.tables["documents"].to_rows()[0][2] == "May 1st: [NAME], [NAME]"


def test_texts_that_nobody_tagged_are_searched() -> None:
    policy = {"shape": "text", "entities": {"date": {"role": "quasi-identifier", "replace": "year"}}}
    release = sfumato.anonymize(["Mail ada@example.org before 05.03.2024, or [EMAIL]"], policy)
    assert release.tables["documents"].to_rows()[0][2] == "Mail [EMAIL] before 2024, or [EMAIL]"
    assert any("machine" in warning for warning in release.warnings)
    again = sfumato.anonymize([release.tables["documents"].to_rows()[0][2]], policy)
    assert again.tables["documents"].to_rows() == release.tables["documents"].to_rows()


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_characters="<>", exclude_categories=("Cs",)), max_size=6),
            st.text("AbÀ\u0301ש", min_size=2, max_size=4),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_bytes_outside_of_spans_stay_and_places_map_back(parts: list[tuple[str, str]]) -> None:
    text, spans = "", list[tuple[int, int, str]]()
    for outside, said in parts:
        text += outside + " "
        spans.append((len(text), len(text) + len(said), "name"))
        text += said + " "
    data = Documents((Document("d", text, tuple(spans)),))
    policy = {**POLICY, "algorithm": {"id": "hide-framework", "everywhere": True}}
    release = sfumato.anonymize(data, policy)
    made = release.tables["documents"].to_rows()[0][2]
    links = release.private.links
    assert links is not None
    rows = links.to_rows()
    assert {(start, end) for *_, start, end in rows} >= {(start, end) for start, end, _ in spans}
    at = before = 0
    for _, start, end, _, _, raw_start, raw_end in rows:
        assert made[at:start] == text[before:raw_start]
        assert made[start:end] == "[NAME]"
        at, before = end, raw_end
    assert made[at:] == text[before:]


def test_a_draft_is_a_policy_that_works(tmp_path: Path) -> None:
    with (tmp_path / "notes.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("patient", "note"), *((f"p{at}", note) for at, note in enumerate(NOTES))])
    drafted = sfumato_in(tmp_path, "init", "notes.csv", "--shape", "text", "-o", "policy.yaml")
    assert drafted.returncode == 0, drafted.stderr
    policy = SharedPolicy.of(tmp_path / "policy.yaml")
    assert policy.document()["documents"] == {"column": "note", "tagged": True}
    release = sfumato.anonymize(tmp_path / "notes.csv", policy)
    assert not any("Ulm" in row[2] or "Lee" in row[2] for row in release.tables["documents"].to_rows())
    assert release.measured["lost-words"].value > 0
    said = shape_of("text").profile(tmp_path / "notes.csv", Run())
    assert said[0].startswith("3 texts")


def test_the_private_page_shows_coloured_texts_and_the_public_one_counts(
    release: sfumato.Release, tmp_path: Path
) -> None:
    out = sfumato.publish(release, tmp_path / "out")
    inside = (out / "private" / "report.html").read_text("utf-8")
    outside = (out / "public" / "report.html").read_text("utf-8")
    assert '<mark class="kind-0"' in inside
    assert "<mark" not in outside
    assert "keeps falcons" not in outside
    assert "Places that tell of persons" in outside
    assert "Ann Lee" not in inside + outside


def test_a_release_of_a_release_of_texts_without_tags_changes_nothing() -> None:
    data = notes(15, seed=11, language="en")
    plain = [re.sub(r"</?[a-z]+>", "", str(note)) for note in data.values("note")]
    policy = {
        "shape": "text",
        "profile": "hipaa-safe-harbor",
        "algorithm": {"id": "hide-framework", "everywhere": True},
    }
    once = sfumato.anonymize(plain, policy).tables["documents"].select(["text"]).to_rows()
    assert once != sorted((text,) for text in plain)
    assert sfumato.anonymize([row[0] for row in once], policy).tables["documents"].select(["text"]).to_rows() == once


def test_tags_and_spans_are_never_overlooked(tmp_path: Path) -> None:
    with pytest.raises(sfumato.errors.BadRequest, match="tagged: true"):
        sfumato.anonymize(NOTES, {"shape": "text"})
    (tmp_path / "a.jsonl").write_text('{"text": "Ann", "spans": [[0, 3, "name"]]}', encoding="utf-8")
    with pytest.raises(sfumato.errors.BadRequest, match="spans"):
        sfumato.anonymize(tmp_path / "a.jsonl", POLICY)
    release = sfumato.anonymize(tmp_path / "a.jsonl", {**POLICY, "documents": {}})
    assert release.tables["documents"].to_rows()[0][2] == "[NAME]"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('{"text": "Ann Lee", "spans": [[0, 3.5, "name"]]}', r"spans of line 1 are no list"),
        ('{"text": "Ann Lee", "spans": [[true, 3, "name"]]}', r"spans of line 1 are no list"),
        ('{"text": "Ann Lee", "spans": "name"}', r"spans of line 1 are no list"),
        ('{"text": "Ann", "spans": [[0, 3, "name"]]}\n{"text": "Bob came"}', r"line 2 has no spans and others have"),
    ],
)
def test_spans_that_are_none_are_refused(tmp_path: Path, lines: str, words: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8")
    with pytest.raises(sfumato.errors.BadRequest, match=words):
        sfumato.anonymize(tmp_path / "a.jsonl", {**POLICY, "documents": {}})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (b"caf\xe9", "UTF-8"),
        (b"<name>Ann", "not closed"),
        (b"<name>Ann <age>4</age></name>", "lies in"),
    ],
)
def test_files_that_are_no_texts_are_refused_in_one_line(tmp_path: Path, source: bytes, words: str) -> None:
    (tmp_path / "a.txt").write_bytes(source)
    with pytest.raises(sfumato.errors.BadRequest, match=words) as refused:
        sfumato.anonymize(tmp_path, POLICY)
    assert "\n" not in str(refused.value)


def test_empty_documents_are_published_and_verified(tmp_path: Path) -> None:
    out = sfumato.publish(sfumato.anonymize(["", "<name>Ann</name> left"], POLICY), tmp_path / "out")
    assert sfumato.verify(out / "public")
    assert (out / "public" / "documents.csv").read_text("utf-8").splitlines()[1] in ("1,1,", '1,1,""')


@pytest.mark.parametrize(
    "text", ["Mail ada@exa\u200bmple.org.", "Call 415-\u200b555-01\u200d99.", "Mail аdа@example.org."]
)
def test_texts_are_searched_as_they_look(text: str) -> None:
    (row,) = sfumato.anonymize([text], {"shape": "text"}).tables["documents"].to_rows()
    assert re.fullmatch(r"(Mail|Call) \[(EMAIL|PHONE)\]\.", str(row[2]))


def test_texts_without_tags_cannot_be_scored(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann came", encoding="utf-8")
    done = sfumato_in(tmp_path, "text", "score", "a.txt")
    assert done.returncode == 2
    assert "no tags" in done.stderr


@pytest.mark.parametrize("text", ["<name>Ann Miller</name>", "Ann Miller came.\nShe left.", "Ann " * 200])
def test_a_text_that_is_given_alone_is_refused_and_not_told_again(text: str) -> None:
    with pytest.raises(sfumato.BadRequest, match="list of texts") as refused:
        sfumato.anonymize(text, POLICY)
    assert "Ann" not in str(refused.value)
