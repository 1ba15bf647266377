"""Documents through every door: in memory, to a folder and back, and on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import sfumato
from command_line import sfumato_in
from sfumato.engines.sources import Described
from sfumato.errors import BadRequest, Infeasible, SfumatoError
from sfumato.text.recodings._plausible import lists_of

NOTES = [
    "<name>Ann Lee</name>, aged <age>41</age>, from <town>Ulm</town>: <disease>asthma</disease>.",
    "<name>Bob Ray</name>, aged <age>43</age>, from <town>Ulm</town>: <disease>flu</disease>.",
    "Mr <name>Cy Orr</name> (<age>62</age>, <town>Bonn</town>) has <disease>flu</disease>.",
    "Ms <name>Di Poe</name> (<age>67</age>, <town>Bonn</town>) has <disease>gout</disease>.",
]
ENTITIES = {
    "name": {"role": "identifier", "link": True},
    "age": {"role": "quasi-identifier"},
    "town": {"role": "quasi-identifier"},
    "disease": {"role": "sensitive"},
}
POLICY = {"shape": "text", "documents": {"tagged": True}, "entities": ENTITIES}
STATISTICAL = {**POLICY, "requirements": [{"id": "k-anonymity", "k": 2}]}
REMOVED = {**POLICY, "requirements": [{"id": "hide-deidentification-models", "mode": "full"}]}
SAFE = {
    "shape": "text",
    "contexts": {"entries": {"flu": ["fever", "cough"], "cold": ["cough"], "rash": ["itching"]}, "protected": ["flu"]},
    "requirements": [{"id": "k-safety", "k": 1}],
    "algorithm": {"id": "erase-best-first"},
}


def texts(release: sfumato.Release) -> list[str]:
    return [row[2] for row in release.tables["documents"].to_rows()]


def test_statistical_masking_writes_generalized_values_at_their_places() -> None:
    release = sfumato.anonymize(NOTES, STATISTICAL)
    written = texts(release)
    assert all("[NAME]" in text for text in written)
    towns = [text.count("Ulm") + text.count("Bonn") for text in written]
    assert towns in ([1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1])
    assert sum(bool(re.search(r"\[\d+(-|\.\.)\d+[\])]", text)) for text in written) == 4
    assert not any(f"{age}," in text or f"({age}" in text for age in (41, 43, 62, 67) for text in written)
    assert all(any(text.endswith(end) for text in written) for end in (": asthma.", ": flu.", "has flu.", "has gout."))


@pytest.mark.parametrize("policy", [STATISTICAL, REMOVED, SAFE], ids=["statistical", "removal", "k-safety"])
def test_a_release_of_documents_is_written_verified_and_reported(tmp_path: Path, policy: dict[str, object]) -> None:
    notes = NOTES if policy is not SAFE else ["Fever and a cough.", "Itching"]
    out = sfumato.publish(sfumato.anonymize(notes, policy), tmp_path / "out")
    certificate = (out / "public" / "certificate.json").read_text("utf-8")
    told = certificate + "".join(path.read_text("utf-8") for path in (out / "public").glob("*.csv"))
    assert "Ann Lee" not in told
    assert "protected" not in json.loads(certificate)["requirements"][0]["parameters"]
    found = sfumato.verify(out / "public")
    assert found
    if policy is STATISTICAL:
        assert json.loads(certificate)["requirements"][0]["recounted"] == "plain"
    else:
        assert found.unchecked
    assert "[NAME]" in told or policy is SAFE


def test_a_changed_text_is_noticed(tmp_path: Path) -> None:
    out = sfumato.publish(sfumato.anonymize(NOTES, STATISTICAL), tmp_path / "out") / "public"
    data = out / "documents.csv"
    data.write_text(data.read_text("utf-8").replace("Bonn", "Köln", 1), encoding="utf-8")
    with pytest.raises(SfumatoError):
        sfumato.verify(out)


def test_words_that_stand_elsewhere_are_refused_until_everywhere_is_asked_for() -> None:
    note = ["<name>Ann Lee</name> came. Ann Lee left."]
    with pytest.raises(Infeasible):
        sfumato.anonymize(note, REMOVED)
    release = sfumato.anonymize(note, {**REMOVED, "algorithm": {"id": "hide-framework", "everywhere": True}})
    assert texts(release) == ["[NAME] came. [NAME] left."]


def test_masking_again_changes_nothing() -> None:
    once = texts(sfumato.anonymize(NOTES, REMOVED))
    assert texts(sfumato.anonymize(once, REMOVED)) == once


def test_documents_of_one_person_are_masked_alike() -> None:
    more = [*NOTES, "Again <name>Ann Lee</name>: <age>41</age>."]
    release = sfumato.anonymize(more, STATISTICAL)
    rows = release.tables["documents"].to_rows()
    again = next(row for row in rows if row[2].startswith("Again"))
    first = next(row for row in rows if row[2].endswith("asthma."))
    assert again[1] == first[1]
    assert again[2].removeprefix("Again [NAME]: ").rstrip(".") in first[2]


def test_folders_lines_and_columns_are_read_alike(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for at, note in enumerate(NOTES):
        (folder / f"{at}.txt").write_text(note, encoding="utf-8")
    lines = tmp_path / "notes.jsonl"
    lines.write_text(
        "\n".join(json.dumps({"note": note, "who": at}) for at, note in enumerate(NOTES)), encoding="utf-8"
    )
    frame = {"note": NOTES, "who": ["a", "b", "c", "d"]}
    expected = texts(sfumato.anonymize(NOTES, STATISTICAL))
    by_column = {**STATISTICAL, "documents": {"tagged": True, "column": "note"}, "person": "who"}
    assert texts(sfumato.anonymize(folder, STATISTICAL)) == expected
    assert texts(sfumato.anonymize(lines, by_column)) == expected
    assert texts(sfumato.anonymize(frame, by_column)) == expected


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text("\n".join(json.dumps({"text": note}) for note in NOTES), encoding="utf-8")
    (tmp_path / "policy.json").write_text(json.dumps(STATISTICAL), encoding="utf-8")
    (tmp_path / "policy.yaml").write_text((tmp_path / "policy.json").read_text())
    done = sfumato_in(tmp_path, "anonymize", "notes.jsonl", "-p", "policy.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert sfumato_in(tmp_path, "verify", "out").returncode == 0
    assert sfumato_in(tmp_path, "describe", "erase-greedy").returncode == 0
    checked = sfumato_in(tmp_path, "check", "notes.jsonl", "-p", "policy.yaml")
    assert checked.returncode == 1, checked.stderr


@pytest.mark.parametrize(
    ("notes", "policy", "words"),
    [
        ([], REMOVED, "no document"),
        (["<name>Ann"], REMOVED, "not closed"),
        (["Ann</name>"], REMOVED, "closes nothing"),
        (["<name>Ann <age>4</age></name>"], REMOVED, "lies in"),
        (["<zip>123</zip>"], REMOVED, "no role"),
        (NOTES[:1], STATISTICAL, "k=2"),
        ("one text", REMOVED, "file"),
        ([3], REMOVED, "rows"),
        (["x"], {**SAFE, "contexts": {"entries": {}}}, "no entity"),
        (["x"], {**SAFE, "contexts": {"entries": {"a": ["b"]}, "protected": ["c"]}}, "not an entity"),
        (["x"], {**SAFE, "contexts": {}}, "file or entries"),
        (["x"], {**SAFE, "requirements": [{"id": "k-safety", "k": 9}]}, "at most"),
        (["x"], {**SAFE, "requirements": [{"id": "k-safety", "k": 0}]}, "k"),
        (["fever"], {**SAFE, "limits": {"lose_at_most": 0.0}}, "masked"),
    ],
)
def test_bad_input_is_refused_in_words(notes: object, policy: dict[str, object], words: str) -> None:
    with pytest.raises(SfumatoError, match=words):
        sfumato.anonymize(notes, policy)


def test_odd_texts() -> None:
    safe = {**SAFE, "contexts": {"entries": {"café": ["caf\u00e9", "שלום"], "x": ["y"]}}}
    release = sfumato.anonymize(["Cafe\u0301 here", "", "אמר שלום לכולם", "y\x00z"], safe)
    assert sorted(texts(release)) == sorted(["[TERM] here", "", "אמר [TERM] לכולם", "[TERM]\x00z"])


def test_spans_that_overlap_are_refused() -> None:
    from sfumato.text import Document

    with pytest.raises(BadRequest, match="overlap"):
        Document("d", "Ann Lee", ((0, 3, "name"), (2, 7, "name")))
    with pytest.raises(BadRequest, match="not in its text"):
        Document("d", "Ann", ((0, 9, "name"),))


def test_words_that_were_generalized_are_looked_for_elsewhere_too() -> None:
    more = [*NOTES, "Again <name>Ann Lee</name>, ANN  LEE from Ulm, <town>Ulm</town>."]
    with pytest.raises(Infeasible, match="elsewhere"):
        sfumato.anonymize(more, STATISTICAL)
    release = sfumato.anonymize(more, {**STATISTICAL, "algorithm": {"id": "hide-framework", "everywhere": True}})
    again = next(text for text in texts(release) if text.startswith("Again"))
    assert "lee" not in again.lower()
    assert "Ulm" not in again


@pytest.mark.parametrize("note", ["", "Nobody is named here."])
def test_a_note_that_tells_nothing_is_like_one_whose_words_are_hidden(note: str, tmp_path: Path) -> None:
    release = sfumato.anonymize([*NOTES, note], STATISTICAL)
    assert note in texts(release)
    assert sfumato.verify(sfumato.publish(release, tmp_path / "out") / "public")


def test_what_contradicts_the_first_mention_is_left_out() -> None:
    more = [*NOTES, "Later <name>Ann Lee</name> was <age>77</age>."]
    release = sfumato.anonymize(more, STATISTICAL)
    assert "Later [NAME] was [AGE]." in texts(release)


def test_a_tag_with_spaces_is_refused() -> None:
    with pytest.raises(BadRequest, match="spaces"):
        sfumato.anonymize(["< name >Ann</ name > came"], REMOVED)


@pytest.mark.parametrize(
    "left", ["Mrs Lee left", "LEE left", "Lee's dog", "Lee, Ann left", "Lees Hund", "L\u00adee left", "A. Lee left"]
)
def test_a_masked_name_stands_nowhere_by_one_of_its_words(left: str) -> None:
    policy = {"shape": "text", "documents": {"tagged": True}, "entities": {"name": {"role": "identifier"}}}
    texts = [f"<name>Ann Lee</name> came. {left}; on the lee side [NAME]"]
    with pytest.raises(Infeasible, match="everywhere"):
        sfumato.anonymize(texts, policy)
    release = sfumato.anonymize(texts, {**policy, "algorithm": {"id": "hide-framework", "everywhere": True}})
    (text,) = (row[2] for row in release.tables["documents"].to_rows())
    assert "Lee" not in text.replace("\u00ad", "").title().replace("Lee Side", "")
    assert text.endswith("on the lee side [NAME]")


def test_safe_harbor_leaves_no_year_that_tells_an_age_above_89() -> None:
    policy = {"shape": "text", "documents": {"tagged": True}, "profile": "hipaa-safe-harbor"}
    texts = ["Born <date>3/4/1925</date>, <age>94</age> years; seen <date>05.03.2019</date>, since <date>1961</date>"]
    release = sfumato.anonymize(texts, policy)
    assert release.tables["documents"].to_rows()[0][2] == "Born [DATE], 90+ years; seen 2019, since 1961"


def test_texts_are_read_in_the_encoding_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_bytes("<name>Ann</name> aß".encode("cp1252"))
    policy = {"shape": "text", "documents": {"tagged": True}, "entities": {"name": {"role": "identifier"}}}
    with pytest.raises(BadRequest, match="UTF-8"):
        sfumato.anonymize(tmp_path, policy)
    with pytest.raises(BadRequest, match="encoding"):
        sfumato.anonymize(Described.of(str(tmp_path), {"encoding": "nope"}), policy)
    for source, said in (
        (tmp_path, {**policy, "source": {"encoding": "cp1252"}}),
        (Described.of(str(tmp_path), {"encoding": "cp1252"}), policy),
    ):
        assert sfumato.anonymize(source, said).tables["documents"].to_rows()[0][2] == "[NAME] aß"


def test_half_a_sign_is_refused() -> None:
    with pytest.raises(BadRequest, match="half of a sign"):
        sfumato.anonymize(["\ud800 x"], {"shape": "text", "profile": "hipaa-safe-harbor"})


def test_surrogates_and_months_are_those_of_the_language_of_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_PSEUDONYM_KEY", "not a key to use: 0123456789")
    entities = {
        "name": {"role": "identifier"},
        "city": {"role": "identifier", "replace": "surrogate"},
        "date": {"role": "quasi-identifier", "replace": "shift", "days": 60},
    }
    notes = [
        "Herr <name>Otto Kranz</name> kam am <date>4. April 2020</date> aus <city>Ulm</city> und ging.",
        "Mr <name>Otis Crane</name> came on <date>4 April 2020</date> from <city>Leeds</city>.",
    ]
    release = sfumato.anonymize(notes, {"shape": "text", "documents": {"tagged": True}, "entities": entities})
    german, english = sorted(str(row[2]) for row in release.tables["documents"].to_rows())
    assert any(place.town in german for place in lists_of("de").places)
    assert any(place.town in english for place in lists_of("en").places)
    assert re.search("Februar|März|April|Mai|Juni", german)
    assert re.search("February|March|April|May|June", english)


def test_a_type_without_a_role_is_named_with_what_to_do() -> None:
    with pytest.raises(BadRequest, match=r"\(zip\) that has no role: give it one under entities"):
        sfumato.anonymize(["<zip>123</zip>"], {"shape": "text", "documents": {"tagged": True}})


def test_terms_are_erased_where_safety_alone_is_required() -> None:
    contexts = {"entries": {"flu": ["fever", "cough"], "cold": ["cough"]}}
    release = sfumato.anonymize(
        ["Fever and a cough."], {"shape": "text", "contexts": contexts, "requirements": [{"id": "k-safety", "k": 1}]}
    )
    assert release.certificate.algorithm.id == "erase-greedy"


def test_a_column_of_texts_has_the_date_of_its_policy() -> None:
    note = {"role": "text", "documents": {"tagged": True}, "profile": "hipaa-safe-harbor"}
    policy = {
        "date": "2039-01-01",
        "columns": {"note": note, "age": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
    }
    texts = []
    for day in ("2039-01-01", "2041-01-01"):
        frame = pl.DataFrame({"note": ["born <date>1950</date>"], "age": [4]})
        texts += sfumato.anonymize(frame, {**policy, "date": day}).public["note"].to_list()
    assert texts == ["born 1950", "born [DATE]"]


def test_the_mode_is_that_of_the_requirements() -> None:
    asked: dict[str, object] = {
        "shape": "text",
        "documents": {"tagged": True},
        "entities": {"name": {"role": "identifier"}, "town": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    texts = ["<name>Ann</name> of <town>Ulm</town>", "<name>Bob</name> of <town>Ulm</town>"]
    stated = sfumato.anonymize(texts, {**asked, "algorithm": {"id": "hide-framework", "mode": "statistical"}})
    silent = sfumato.anonymize(texts, {**asked, "algorithm": {"id": "hide-framework"}})
    assert stated.tables["documents"].to_rows() == silent.tables["documents"].to_rows()
    with pytest.raises(BadRequest, match="not what the requirements ask for, which is statistical"):
        sfumato.anonymize(texts, {**asked, "algorithm": {"id": "hide-framework", "mode": "partial"}})
    removal = {"id": "hide-deidentification-models", "mode": "statistical"}
    with pytest.raises(BadRequest, match="name a requirement on tables in its place"):
        sfumato.anonymize(texts, {**asked, "requirements": [removal]})


def test_an_entity_that_a_file_names_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "known.json").write_text('{"flu": ["fever"], "flu": ["cough"], "cold": ["cough"]}', encoding="utf-8")
    with pytest.raises(BadRequest, match="twice"):
        sfumato.anonymize(["fever"], {**SAFE, "contexts": {"file": str(tmp_path / "known.json")}})
