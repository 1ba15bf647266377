"""What recognisers prove inside texts: the same as each of them finds, at their places."""

from __future__ import annotations

import pytest

from sfumato.identifiers.scan import recognisers
from sfumato.text.recognised import proven


@pytest.mark.parametrize("one", [one for one in recognisers() if one.inside is not None], ids=lambda one: one.id)
def test_examples_are_found_inside_a_sentence(one: object) -> None:
    for example in one.examples:  # type: ignore[attr-defined]
        text = f"Seen before ({example}), and again {example}."
        if one.search(text):  # type: ignore[attr-defined]
            said = [text[span.start : span.end] for span in proven(text)]
            assert any(example.rstrip(".") in part or part in example for part in said), example


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("See https://example.org/a?b=1.", ["https://example.org/a?b=1"]),
        ("(call (212) 555-0142)", ["(212) 555-0142"]),
        ("Fax an (030 23125 531)", ["030 23125 531"]),
        ("Card 4111 1111 1111 1111, not 4111111111111112", ["4111 1111 1111 1111"]),
        ("version 1.2.3, page 12", []),
        ("", []),
    ],
)
def test_places(text: str, said: list[str]) -> None:
    assert [text[span.start : span.end] for span in proven(text)] == said
