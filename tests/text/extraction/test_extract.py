"""Extraction by the model of the package: what it finds, what a user may say, and that texts stay as they are."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.datasets import notes
from sfumato.errors import BadRequest
from sfumato.text.documents import Document, Documents
from sfumato.text.extraction import TypeRule, extract, score, shipped_model, uncertainty


def corpus(rows: int, seed: int, part: str) -> Documents:
    made = notes(rows, seed, part=part)
    pairs = zip(made.values("note"), made.values("patient"), strict=True)
    return Documents(tuple(Document.tagged(str(at), str(note), str(who)) for at, (note, who) in enumerate(pairs)))


def bare(documents: Documents) -> Documents:
    return Documents(tuple(Document(one.name, one.text, (), one.person) for one in documents))


def said(text: str, **rules: TypeRule) -> list[tuple[str, str]]:
    (document,) = extract(Documents.of([text]), rules=rules)
    return [(document.said(span), span.type) for span in document.spans]


def test_templates_and_names_that_were_never_seen() -> None:
    gold = corpus(300, 2, "test")
    scores = score(gold, extract(bare(gold)))
    assert scores.strict.f() >= 0.95
    assert scores.characters.recall >= 0.95


def test_a_note() -> None:
    found = said(
        "Patient Ute Brandt, 41 years old, was admitted to St. Anna Hospital on 5 March 2024. Mail: u@example.org"
    )
    assert {("Ute Brandt", "name"), ("41", "age"), ("5 March 2024", "date"), ("u@example.org", "email")} <= set(found)


@given(st.text(max_size=80))
def test_texts_stay_and_spans_lie_inside(text: str) -> None:
    (document,) = extract(Documents.of([text]))
    assert document.text == text
    masked = document.replaced([(span, "[X]") for span in document.spans])
    kept, at = "", 0
    for span in document.spans:
        kept, at = kept + text[at : span.start] + "[X]", span.end
    assert masked.text == kept + text[at:]


@pytest.mark.parametrize(
    "text",
    ["", "   \n\t ", "\u200f\u202eأحمد يسكن في برلين", "Zoe\u0308 Mu\u0308ller, Tel. 030 23125 017", "\x00"],
)
def test_odd_texts(text: str) -> None:
    (document,) = extract(Documents.of([text]))
    assert document.text == text


def test_half_a_sign_is_refused() -> None:
    with pytest.raises(BadRequest, match="half of a sign"):
        Documents.of(["\x00\ud83d"])


def test_documents_with_spans_keep_them() -> None:
    tagged = Document.tagged("1", "<x>Ann</x> wrote to u@example.org")
    (kept,) = extract(Documents((tagged,)))
    assert kept == tagged


def test_allowed_and_denied_words() -> None:
    text = "The Blue Elephant paid. Mail to info@example.org or u@example.org."
    assert ("info@example.org", "email") in said(text)
    found = said(text, email=TypeRule(allow=("INFO@example.org",)), project=TypeRule(deny=("blue elephant",)))
    assert ("info@example.org", "email") not in found
    assert ("Blue Elephant", "project") in found


def test_thresholds_and_context_words() -> None:
    text = "Patient: Ute Brandt. Later Korbinian came to see us about it."
    none = said(text, name=TypeRule(threshold=1.0))
    many = said(text, name=TypeRule(threshold=0.01))
    assert sum(type_ == "name" for _, type_ in none) <= 1 <= sum(type_ == "name" for _, type_ in many)
    with pytest.raises(BadRequest, match="at most 1"):
        TypeRule(threshold=2)


@pytest.mark.parametrize("rule", [TypeRule(threshold=0.5), TypeRule(words=("call",))])
def test_a_threshold_of_what_no_model_finds_is_refused(rule: TypeRule) -> None:
    with pytest.raises(BadRequest, match="not found by the model"):
        said("Ann called.", nmae=rule)


def test_names_that_stand_again_are_found_again() -> None:
    text = "Patient: Ute Zwirnmann, born 05.03.1980.\n\n" + "x " * 40 + "Zwirnmann"
    assert [word for word, _ in said(text)].count("Zwirnmann") == 1
    assert said(text)[0][0] == "Ute Zwirnmann"


def test_doubts_are_highest_where_the_model_knows_least() -> None:
    sure, unsure = "The patient was seen on 05.03.2024.", "Quux Frobnitz 77 Zork, Plugh 12/b."
    doubts = uncertainty(Documents.of([sure, unsure, ""]), model=shipped_model())
    assert doubts[1] > doubts[0]
    assert doubts[2] == 0


def test_long_documents_cost_in_proportion() -> None:
    note = str(notes(1, 3, language="en").values("note")[0]).replace("<", " ").replace(">", " ") + "\n"
    extract(Documents.of([note]))
    took = []
    for times in (100, 400):
        begun = time.process_time()
        extract(Documents.of([note * times]))
        took.append(time.process_time() - begun)
    assert took[1] < 8 * took[0]


def test_words_between_two_numbers_of_one_kind_are_no_number() -> None:
    from sfumato.text.documents import Span
    from sfumato.text.extraction.extract import _cut

    text = "040 123 fax 040 124, 7"
    both = [Span(0, 7, "phone"), Span(12, 19, "phone")]
    assert _cut(text, [Span(0, 19, "phone")], both) == both
    assert _cut(text, [Span(0, 22, "phone")], both) == [Span(0, 22, "phone")]  # what else has digits stays masked
    assert _cut(text, [Span(0, 19, "fax")], both) == [Span(0, 19, "fax")]
