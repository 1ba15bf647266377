"""What stays in masked texts: words that were overwritten elsewhere, parts of them, and names of other persons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.text.documents import Document, Places
from sfumato.text.name_words import NameForms, initials_beside, is_name
from sfumato.text.number_forms import NumberForms
from sfumato.text.partial_forms import PartialForms
from sfumato.text.terms import Terms, Words, folded_words, signs_of

__all__ = ["Left", "left_in"]

_LETTERS = 4  # fewest of a word of a name that is looked for in documents of others
Values = Set[tuple[str, str]]
"""What was overwritten, each with its type."""


@frozen
class Left:
    """How often overwritten words stand in each document of their person, parts of them, and names of persons in others'."""

    words: Mapping[str, int]
    parts: int
    others: int

    def counts(self) -> dict[str, int]:
        """Return what a certificate says of it, where there is something to say."""
        told = {"parts_of_masked_values_left": self.parts, "names_in_texts_of_others": self.others}
        return {name: count for name, count in told.items() if count}

    def warnings(self) -> list[str]:
        """Say what the publisher should look at."""
        out: list[str] = [say("text.parts_left", count=self.parts)] if self.parts else []
        return [*out, say("text.others_named", count=self.others)] if self.others else out


def left_in(
    documents: Sequence[Document],
    persons: Sequence[str],
    gone: Sequence[Set[str]],
    called: Mapping[str, Set[str]],
    values: Mapping[str, Values],
    languages: Mapping[str, str],
    named: Set[str] = frozenset(),
) -> Left:
    """Count what stays in masked documents, outside of their spans.

    ``gone`` are by document the words that were overwritten there and those that identify its person; ``called`` are by person
    her names, and ``values`` all that was overwritten of her; ``named`` are names of more persons, who
    have no documents here.
    """
    holders: dict[str, set[str]] = {name: set() for name in named}
    for person, held in values.items():
        for said, kind in held:
            if is_name(kind):
                holders.setdefault(said, set()).add(person)
    others = NameForms.of(holders) if len(values) > 1 or named else NameForms({}, {})
    # Ann Lee has no word that is long enough by itself.
    whole = Terms.of(name for name in holders if others.words and len(folded_words(name)) > 1)
    own = {
        person: (NameForms.of(called[person]), PartialForms.of(sorted(values[person]), languages[person]))
        for person in values
    }
    overwritten = {kind for held in values.values() for _, kind in held if is_name(kind)}
    counts, parts, strangers = dict[str, int](), 0, 0
    for document, person, words in zip(documents, persons, gone, strict=True):
        taken = [(span.start, span.end) for span in document.spans]
        read, (forms, partly) = Words(document.text, taken), own[person]
        found = Terms.of(word for word in words if signs_of(word) > 1).found(read) + forms.found(read)
        found += NumberForms.of(sorted(words), parts=False).found(read)
        places = Places(taken)
        starts = {one.start for one in found if not places.overlap(one.start, one.end)}
        counts[document.name] = len(starts)
        seen = Places(_apart([*taken, *((one.start, one.end) for one in found)]))
        telling = [(one.start, one.end) for one in partly.found(read)]
        for span in document.spans:
            telling += initials_beside(document.text, span.start, span.end) if span.type in overwritten else []
        parts += len(_apart(place for place in telling if not seen.overlap(*place)))
        strange = [
            (one.start, one.end)
            for one in others.found(read)
            if len(one.term) >= _LETTERS and all(person not in holders[name] for name in others.names(one.term))
        ]
        strange += [(one.start, one.end) for one in whole.found(read) if person not in holders[one.term]]
        strangers += len(_apart(place for place in strange if not seen.overlap(*place)))
    return Left(counts, parts, strangers)


def _apart(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return places with those joined that overlap."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if out and start < out[-1][1]:
            out[-1] = out[-1][0], max(end, out[-1][1])
        else:
            out.append((start, end))
    return out
