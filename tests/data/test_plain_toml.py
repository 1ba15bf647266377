"""Texts of a TOML file are read as the parser of the standard library reads them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import sfumato
from sfumato.data import plain_toml

WORDS = sorted((Path(sfumato.__file__).parent / "words").glob("*.toml"))


@pytest.mark.parametrize("path", WORDS, ids=lambda path: path.stem)
def test_the_words_of_every_language_are_read_in_their_order(path: Path) -> None:
    text = path.read_text("utf-8")
    assert json.dumps(plain_toml.loads(text)) == json.dumps(tomllib.loads(text))


def test_english_needs_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tomllib, "loads", None)
    assert (
        plain_toml.loads(next(path for path in WORDS if path.stem == "en").read_text("utf-8"))["form"]["decimal"] == "."
    )


@pytest.mark.parametrize(
    "text", ["", "# none\n", 'a = "ü"\r\n', 'a="b"', '"a b" = "c"', r'a = "\"b\""', "a = 1", "[[a]]\nb = 'c'"]
)
def test_other_lines_are_read_as_well(text: str) -> None:
    assert plain_toml.loads(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        'a = "b"\na = "c"',
        "[a]\n[a]",
        'a.b = "c"\na = "d"',
        '[a]\nb = "c"\n[a.b]\nd = "e"',
        'a = "b',
        'a. = "b"',
        '.a = "b"',
        'a..b = "c"',
    ],
)
def test_what_is_wrong_is_refused(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        plain_toml.loads(text)
