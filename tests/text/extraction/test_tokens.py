"""Tokens map back to their text, whatever signs it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.text.extraction.tokens import tokenized


@given(st.text(max_size=60))
def test_offsets_map_back(text: str) -> None:
    tokens = tokenized(text)
    covered = [at for start, end in zip(tokens.starts, tokens.ends, strict=True) for at in range(start, end)]
    assert [text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)] == tokens.words
    assert covered == sorted(set(covered))
    assert set(covered) >= {at for at, sign in enumerate(text) if not sign.isspace()}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Zoe\u0308 Mu\u0308ller", ["Zoe\u0308", "Mu\u0308ller"]),  # marks stay on their letters
        ("שָׁלוֹם, דוד", ["שָׁלוֹם", ",", "דוד"]),
        ("مُحَمَّد ٢٠٢٤", ["مُحَمَّد", "٢٠٢٤"]),
        ("हिन्दी 5", ["हिन्दी", "5"]),
        ("AB12-x_y", ["AB", "12", "-", "x", "_", "y"]),
        ("\u200fأحمد\u200e", ["\u200f", "أحمد\u200e"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert tokenized(text).words == words
