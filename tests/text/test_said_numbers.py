"""Ages and dates in words, years that tell a high age, and ZIP prefixes of few people, in texts that Safe Harbor cleans."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sfumato.errors import BadRequest

HARBOR = {"shape": "text", "profile": "hipaa-safe-harbor", "date": "2026-05-01", "documents": {"extract": True}}


def cleaned(text: str, **changed: object) -> str:
    (row,) = sfumato.anonymize([text], {**HARBOR, **changed}).tables["documents"].to_rows()
    return str(row[2])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("she was born nineteen fifty-two and is well", "she was born nineteen fifty-two and is well"),
        ("she was born nineteen thirty-two and is well", "she was born [DATE] and is well"),
        ("the lady is ninety-three years old", "the lady is 90+ years old"),
        ("the lady is forty-four years old", "the lady is forty-four years old"),
        ("she turned ninety-one, and is well", "she turned 90+, and is well"),
        ("a man in his late nineties", "a man in his late 90+"),
        ("it was on the third of March nineteen fifty-two", "it was on the 1952"),
        ("it was on the third of March", "it was on the [DATE]"),
        ("sie ist dreiundneunzig Jahre alt", "sie ist 90+ Jahre alt"),
        ("ein dreiundneunzigjähriger Mann", "ein 90+jähriger Mann"),
        ("geboren neunzehnhundertzweiunddreißig", "geboren [DATE]"),
        ("am dritten März neunzehnhundertzweiundfünfzig", "am 1952"),
        ("born 1930, seen again", "born [DATE], seen again"),
        ("born 1970, seen again", "born 1970, seen again"),
        ("took eighteen hundred mg", "took eighteen hundred mg"),
    ],
)
def test_numbers_in_words_are_read(text: str, expected: str) -> None:
    assert cleaned(text) == expected
    assert cleaned(expected) == expected


def test_high_ages_are_reckoned_from_the_day_of_the_release() -> None:
    assert cleaned("born 1950, well", date="2039-01-01") == "born 1950, well"
    assert cleaned("born 1950, well", date="2040-01-01") == "born [DATE], well"


def test_a_user_says_which_prefixes_are_small(tmp_path: Path) -> None:
    tagged = {**HARBOR, "documents": {"tagged": True}}
    text = "of <zip>90210</zip> and <zip>03601</zip>"
    assert sfumato.anonymize([text], tagged).tables["documents"].to_rows()[0][2] == "of 902** and 000**"
    (tmp_path / "people.csv").write_text("zip3,population\n036,70000\n")
    (tmp_path / "policy.yaml").write_text(
        "shape: text\nprofile: hipaa-safe-harbor\ndocuments: {tagged: true}\nsmall_zips: people.csv\n"
    )
    release = sfumato.anonymize([text], tmp_path / "policy.yaml")
    assert release.tables["documents"].to_rows()[0][2] == "of 000** and 036**"
    with pytest.raises(BadRequest, match="small_zips"):
        sfumato.anonymize([text], {**tagged, "small_zips": "census-2050"})
