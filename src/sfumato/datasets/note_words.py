"""What invented notes are made of: templates of sentences, and the names, places and illnesses that fill them.

In braces stands what is told of a person; in brackets what is none of it (``[mr]``, ``[he]``). Everything is invented; phone
numbers are those that are kept free for fiction, mail addresses end in example domains.
"""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.data.frozen import frozen

__all__ = ["Words", "lines", "names", "places"]


@frozen
class Words:
    """The words of one language; headers and footers are lines, the others sentences."""

    women: tuple[str, ...]
    men: tuple[str, ...]
    families: tuple[str, ...]
    streets: tuple[str, ...]
    places: tuple[tuple[str, str], ...]
    hospitals: tuple[str, ...]
    saints: tuple[str, ...]
    diseases: tuple[str, ...]
    occupations: tuple[str, ...]
    months: tuple[str, ...]
    headers: tuple[str, ...]
    sentences: tuple[str, ...]
    plain: tuple[str, ...]
    footers: tuple[str, ...]
    forms: Mapping[str, tuple[str, str]]


def names(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())


def lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text; ``\\n`` is a new line inside one."""
    return tuple(line.replace("\\n", "\n") for line in text.strip().splitlines())


def places(text: str) -> tuple[tuple[str, str], ...]:
    """Return the towns of a text with their codes, a line each."""
    pairs = [line.rsplit(" ", 1) for line in text.strip().splitlines()]
    return tuple((city, code) for city, code in pairs)
