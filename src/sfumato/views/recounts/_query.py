"""The query of a published view, read from its text: columns, and comparisons with constants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sfumato.errors import BadRequest

__all__ = ["Comparison", "Query"]

_TOKEN = re.compile(r"\s*(?:'((?:[^']|'')*)'|[\"`]([^\"`]+)[\"`]|(<=|>=|!=|[=<>(),])|([^\s<>=!(),'\"`]+))")


@dataclass(frozen=True)
class Comparison:
    """A column, a sign, and the constants as they are written: one, or a list."""

    column: str
    sign: str
    constants: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """Which columns are shown of rows that meet every comparison."""

    columns: tuple[str, ...]
    where: tuple[Comparison, ...]

    @property
    def reads(self) -> set[str]:
        """All columns that it looks at."""
        return {*self.columns, *(one.column for one in self.where)}

    @classmethod
    def read(cls, text: str) -> Query:
        """Read what certificates print: SELECT a, "b c" WHERE a >= 3 and d in (x, 'y z')."""
        words = list(_words(text))
        if not words or words[0][1].lower() != "select":
            raise BadRequest("is no query of a view", parameter="views")
        ends = [at for at, (kind, word) in enumerate(words) if kind == "word" and word.lower() == "where"]
        end = ends[0] if ends else len(words)
        columns = tuple(word for kind, word in words[1:end] if kind != "sign")
        return cls(columns, tuple(_comparisons(words[end + 1 :])))


def _words(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            raise BadRequest("is no query of a view", parameter="views")
        quoted, named, sign, word = found.groups()
        if quoted is not None:
            yield "constant", quoted.replace("''", "'")
        elif named is not None:
            yield "named", named
        else:
            yield ("sign", sign) if sign is not None else ("word", word)
        at = found.end()


def _comparisons(words: Sequence[tuple[str, str]]) -> Iterator[Comparison]:
    pieces: list[list[tuple[str, str]]] = [[]]
    for kind, word in words:
        if kind == "word" and word.lower() == "and":
            pieces.append([])
        else:
            pieces[-1].append((kind, word))
    for piece in pieces:
        if len(piece) > 2:
            yield Comparison(piece[0][1], piece[1][1], tuple(word for kind, word in piece[2:] if kind != "sign"))
