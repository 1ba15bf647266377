"""What is written instead of what texts tell, by the type of span: surrogates, shifted dates, hashes, parts of a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Literal

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.identifiers.small_zips import small_zips
from sfumato.text.dates import beside_weekday
from sfumato.text.documents import Documents, Span
from sfumato.text.language import languages_of
from sfumato.text.placeholders import placeholder
from sfumato.text.recodings.date_shift import DateShift
from sfumato.text.recodings.surrogates import Surrogates, identities
from sfumato.text.safe_harbor import age_below_90, tells_high_age, three_digits, year_alone
from sfumato.text.vault import Vault

__all__ = ["INVENTED", "PARTLY", "Replace", "Replacing"]

Replace = Literal["placeholder", "surrogate", "shift", "hash", "year", "zip3", "age90"]
"""What becomes of a span, whatever the mode."""

INVENTED: tuple[Replace, ...] = ("surrogate", "shift", "hash")
"""What is true of nobody: an adversary cannot look anybody up by it."""

PARTLY: tuple[Replace, ...] = ("year", "zip3", "age90")
"""What stays true, if less exact."""


@frozen(eq=False)
class Replacing:
    """How the spans of some types are replaced, and by which keys."""

    how: Mapping[str, Replace] = field(default_factory=dict)
    surrogates: Surrogates = field(default_factory=Surrogates)
    shifts: Mapping[str, DateShift] = field(default_factory=dict)
    like: Mapping[str, str] = field(default_factory=dict)
    vault: Vault = field(default_factory=Vault)
    language: str | None = None
    """That of all texts; that of each person's own if not given."""
    year: int = 0
    """The year of the release, from which ages are reckoned; without one, the newest that a person's texts tell."""
    small_zips: frozenset[str] = field(default_factory=small_zips)

    @property
    def invented(self) -> frozenset[str]:
        """The types whose spans tell nothing true."""
        return frozenset(name for name, how in self.how.items() if how in INVENTED)

    def words(self, documents: Documents, persons: Sequence[str]) -> list[dict[Span, str]]:
        """Return for each document what is written at its spans of these types; what cannot be read becomes a placeholder."""
        chosen = [name for name, how in self.how.items() if how == "surrogate" and name in documents.types]
        surrogates, spoken = [dict[Span, str]() for _ in documents], self.languages(documents, persons)
        if chosen:
            surrogates = self.surrogates.words(documents, persons, chosen, self.vault, self.like, spoken)
        known = identities(documents, persons)
        offsets: dict[tuple[str, str], int] = {}
        shifted: dict[tuple[str, str, str], str] = {}  # a long text tells one date very often
        newest = self._newest_years(documents, persons) if "age90" in self.how.values() else {}
        out = []
        for person, document, places in zip(persons, documents, surrogates, strict=True):
            for span in document.spans:
                how, said = self.how.get(span.type), document.said(span)
                if how is None or how == "surrogate":
                    continue
                if said == placeholder(span.type):
                    places[span] = said
                elif how == "shift":
                    shift = self.shifts[span.type]
                    if (person, span.type) not in offsets:
                        offsets[person, span.type] = shift.offset(known[person])
                    if (person, span.type, said) not in shifted:
                        moved = shift.shifted(said, offsets[person, span.type], spoken[person])
                        shifted[person, span.type, said] = moved or placeholder(span.type)
                    told = not shift.keep_weekday and beside_weekday(document.text, span.start, span.end)
                    # a Monday beside a date that has become a Tuesday tells the offset but for whole weeks
                    places[span] = placeholder(span.type) if told else shifted[person, span.type, said]
                elif how == "hash":
                    places[span] = self.surrogates.hashed(span.type, said)
                else:
                    kept = self._kept(how, said, spoken[person]) or placeholder(span.type)
                    hidden = how == "year" and kept.isdigit() and person in newest
                    old = hidden and tells_high_age(int(kept), newest[person])
                    places[span] = placeholder(span.type) if old else kept
            out.append(places)
        return out

    def _newest_years(self, documents: Documents, persons: Sequence[str]) -> dict[str, int]:
        """Return by person the newest year of the dates of which the year is left, or that of the release."""
        out = dict.fromkeys(persons, self.year)
        for person, document in zip(persons, documents, strict=True):
            for span in document.spans:
                if self.how.get(span.type) == "year":
                    year = self._kept("year", document.said(span), self.language or "en")
                    out[person] = max(out[person], int(year or 0))
        return out

    def languages(self, documents: Documents, persons: Sequence[str]) -> Mapping[str, str]:
        """Return by person the language in which her dates are read and her surrogates are chosen."""
        return languages_of(documents, persons) if self.language is None else dict.fromkeys(persons, self.language)

    def _kept(self, how: Replace, said: str, language: str) -> str | None:
        rules: Mapping[Replace, Callable[[str], str | None]] = {
            "year": partial(year_alone, language=language),
            "zip3": partial(three_digits, small=self.small_zips),
            "age90": age_below_90,
        }
        return rules[how](said) if how in rules else None

    def warnings(self, types: Sequence[str]) -> list[str]:
        """Say what the reader of a release with spans of these types should know."""
        met = {self.how[name] for name in types if name in self.how}
        out: list[str] = []
        if met & {"surrogate", "hash"}:
            out.append(say("text.surrogates_not_true"))
        if "shift" in met:
            out.append(say("text.dates_shifted"))
        return out
