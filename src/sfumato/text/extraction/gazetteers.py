"""Lists of words that hint at a type: those that are shipped, and those that a user gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Self

from sfumato.data.frozen import frozen
from sfumato.text.extraction.tokens import tokenized

__all__ = ["Gazetteers", "entries", "shipped_lists"]


@cache
def shipped_lists() -> Mapping[str, tuple[str, ...]]:
    """Return the lists of the package by name: an entry in each line, lines that begin with # are remarks."""
    folder = files("sfumato.text") / "gazetteers"
    found = sorted((one for one in folder.iterdir() if one.name.endswith(".txt")), key=lambda one: one.name)
    return {one.name.removesuffix(".txt"): entries(one.read_text("utf-8").splitlines()) for one in found}


def entries(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the entries of a list, each once; remarks and empty lines are none."""
    return tuple(dict.fromkeys(line.strip() for line in lines if line.strip() and not line.startswith("#")))


@frozen(eq=False)
class Gazetteers:
    """Lists, indexed: the lists of each single word, by first word the lists of terms of several, and endings (``-straße``).

    >>> held = Gazetteers.of({"city": ["Bonn", "New York"]})
    >>> held.single["bonn"], list(held.terms(["in", "new", "york"]))
    (('city',), [(1, 3, 'city')])
    """

    single: Mapping[str, tuple[str, ...]]
    several: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
    endings: tuple[tuple[str, str], ...] = ()

    def of_word(self, word: str) -> tuple[str, ...]:
        """Return the lists that hold a word in small letters, or the ending of a longer one."""
        found = self.single.get(word, ())
        return found or tuple(dict.fromkeys(name for end, name in self.endings if word.endswith(end) and word != end))

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[str]]) -> Self:
        """Return an index of lists by name; case aside."""
        single: dict[str, list[str]] = {}
        several: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        endings: list[tuple[str, str]] = []
        for name, entries in lists.items():
            for entry in entries:
                if entry.startswith("-"):
                    endings.append((entry[1:].lower(), name))
                    continue
                words = tuple(word.lower() for word in tokenized(entry).words)
                if len(words) == 1 and name not in single.setdefault(words[0], []):
                    single[words[0]].append(name)
                elif len(words) > 1:
                    several.setdefault(words[0], []).append((words, name))
        return cls(
            {word: tuple(sorted(names)) for word, names in single.items()},
            {word: tuple(sorted(held, key=lambda one: (-len(one[0]), one))) for word, held in several.items()},
            tuple(endings),
        )

    def terms(self, words: Sequence[str]) -> Iterable[tuple[int, int, str]]:
        """Yield terms of several words among words in small letters, as first, behind the last, and the list."""
        several = self.several
        for at, word in enumerate(words):
            if word in several:
                for term, name in several[word]:
                    if tuple(words[at : at + len(term)]) == term:
                        yield at, at + len(term), name
                        break
