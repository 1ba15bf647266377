"""Sentences are English text wherever they go, know their facts, and are known again by their words."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass, replace

import pytest

from sfumato.data.messages import Message, called, languages, recalled, say, signs, speaking, spoken, tell, worded
from sfumato.errors import BadRequest


@dataclass(frozen=True)
class Note:
    text: str
    number: int = 0


def needed() -> Message:
    both = say("frame.both", first=say("known.external"), second=say("known.other"))
    return say("needs.these", what=both)


def test_a_sentence_is_english_text_and_survives_what_happens_to_text() -> None:
    sentence = needed()
    english = "needs a table of persons and their quasi-identifiers and a second release about the same persons"
    assert sentence == english
    assert json.loads(json.dumps([sentence])) == [english]
    for kept in (
        pickle.loads(pickle.dumps(sentence)),
        copy.deepcopy(sentence),
        replace(Note(sentence), number=1).text,
    ):
        assert isinstance(kept, Message)
        assert worded(kept, "de") == worded(sentence, "de") != english


def test_what_a_file_kept_is_known_again() -> None:
    for sentence in (
        needed(),
        say("records.left_out", count=1, share=0.5),
        say("records.left_out", count=1234, share=0.125),
        say("family.told", name=say("family.name.record"), means=say("family.means.record")),
        say("bound.share_and_records", bound="<= 0.5", k=3),
        say("reading.ended", start=say("reading.uniqueness", records=1000, alone=3, share=0.003)),
    ):
        known = recalled(str(sentence))
        assert known is not None
        assert known.id == sentence.id
        assert worded(str(sentence), "de") == worded(sentence, "de")


@pytest.mark.parametrize("text", ["Smith and Jones.", "zip", "5", ">= 5", "a and b", "name: value", ""])
def test_data_is_not_taken_for_a_sentence(text: str) -> None:
    assert recalled(text) is None
    assert worded(text, "de") == text


def test_counts_agree_and_signs_follow_the_language() -> None:
    one = say("records.left_out", count=1, share=0.5)
    assert one == "1 record (50.0%) is left out of the release"
    assert worded(one, "de") == "1 Datensatz (50,0 %) ist nicht in der Veröffentlichung"
    with speaking("de"):
        assert spoken() == "de"
        assert signs("1,234.5") == "1.234,5"
        assert tell("page.listing", names=["zip", "age", "sex"]) == "zip, age und sex"
        assert tell("page.listing", names=[str(i) for i in range(14)]).endswith("10 und 3 weitere Spalten")
        assert say("known.raw") == "the table before masking"
    assert spoken() == "en"
    assert tell("page.listing", names=["zip", "age", "sex"]) == "zip, age and sex"


def test_things_are_called_in_english_where_a_language_has_no_words_for_them() -> None:
    with speaking("de"):
        assert called("gist.model.nobody-knows", "A model of mine.") == "A model of mine."
        assert called("gist.model.k-anonymity", "…").startswith("Jeder Datensatz")
    assert called("gist.model.k-anonymity", "…") == "…"


def test_languages_that_there_are_no_words_in_are_refused() -> None:
    assert languages() == ("en", "de")
    with pytest.raises(BadRequest, match="available: en, de"), speaking("tlh"):
        pass
