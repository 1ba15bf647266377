"""What the recognisers of identifiers find inside a text: places that a form or a check digit proves, by type of span."""

from __future__ import annotations

import re
from functools import cache

from sfumato.contracts.identifier import Identifier
from sfumato.identifiers.scan import recognisers
from sfumato.text.documents import Span
from sfumato.text.types import TYPES

__all__ = ["loose_forms", "proven"]

# Signs without which no recogniser finds anything.
_SIGN = re.compile(r"[\d@]|www\.|://", re.IGNORECASE)
# Where a number may begin, or a code of letters and digits; what these recognisers find begins anywhere.
_BEGINS = re.compile(r"(?<!\d)(?=[+(]?\d)|(?<!\w)(?=[A-Z]{1,6}[- ]?\d)", re.IGNORECASE)
_ANYWHERE = {"email", "url", "ip-address", "mac-address"}
# Looser forms: hints for the chain, too weak to decide by themselves.
# Most signs of a text are letters inside of words, at which none begins: two looks tell so, instead of one for each.
_LOOSE = re.compile(
    r"(?=[\d(+])(?:(?P<years>(?<![\d.,/-])\d{1,3}(?=[ -]?(?:years?|yrs?|y/?o|jahr|j\.)))"
    r"|(?P<day>(?<![\d./-])\d{1,2}(?:[./-] ?\d{1,2}[./-] ?(?:\d{4}|\d{2})?|/\d{2,4})(?!\d))"
    r"|(?P<clock>(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:]))"
    r"|(?P<number>(?<![\w.])[(+]?\d[\d()./ x-]{5,40}\d(?!\w)))"
    r"|(?<!\w)(?:(?P<host>(?<![@.])(?:[a-z0-9-]+\.)+[a-z]{2,10}(?![\w@]))"
    r"|(?P<code>(?=[A-Z-]*\d)(?=\d*[A-Z-])[A-Z0-9-]{5,}(?!\w)))",
    re.IGNORECASE,
)


@cache
def _searched() -> tuple[tuple[re.Pattern[str], Identifier, str, bool], ...]:
    """Return what to look for, the recogniser that judges it, its type, and whether it begins at a number; the surest first."""
    first: dict[str, str] = {}
    for name, entity in TYPES.items():
        first.setdefault(entity.category, name)
    able = [one for one in recognisers() if one.traits.category in first]
    return tuple(
        (one.inside, one, first[one.traits.category], one.id not in _ANYWHERE)
        for one in sorted(able, key=lambda one: (one.traits.chance, one.id))
        if one.inside is not None
    )


@cache
def _any_of() -> re.Pattern[str]:
    """Return one pattern that begins to match wherever a form without groups does that begins at a number."""
    forms = [form for form, _, _, numbered in _searched() if numbered and not form.groups]
    marks = ((re.IGNORECASE, "i"), (re.VERBOSE, "x"), (re.ASCII, "a"))
    return re.compile(
        "|".join(
            f"(?{''.join(mark for flag, mark in marks if form.flags & flag) or '-i'}:{form.pattern})" for form in forms
        )
    )


def proven(text: str) -> tuple[Span, ...]:
    """Return what recognisers find, in order and apart: of two that overlap the longer, then the surer.

    >>> proven("Mail ada@example.org before 05.03.2024!")
    (Span(start=5, end=20, type='email'), Span(start=28, end=38, type='date'))
    """
    if _SIGN.search(text) is None:
        return ()
    # Forms that begin with a number are tried where one begins: one pass over the text for all of them.
    places = [found.start() for found in _BEGINS.finditer(text)]
    any_of, found = _any_of().match, list[tuple[int, int, int, str]]()
    likely = [at for at in places if any_of(text, at) is not None]
    for rank, (form, one, type_, numbered) in enumerate(_searched()):
        if numbered:
            match = form.match
            hits = [hit for at in (places if form.groups else likely) if (hit := match(text, at)) is not None]
        else:
            hits = list(form.finditer(text))
        found += [(*_trimmed(hit), rank, type_) for hit in hits if one.telling(hit[0])]
    found.sort()
    out, at = list[Span](), 0
    while at < len(found):
        end, last = found[at][1], at + 1
        while last < len(found) and found[last][0] < end:
            end, last = max(end, found[last][1]), last + 1
        out += _apart(found[at:last])
        at = last
    return tuple(out)


def _trimmed(hit: re.Match[str]) -> tuple[int, int]:
    """Return a place without the signs of the sentence around it: a bracket without its other half, a full stop at the end."""
    start, end = hit.span()
    said = hit[0]
    if said.startswith("(") and ")" not in said:
        start += 1
    while said[-1] in ".,;:!?'\"" or (said[-1] == ")" and "(" not in said):
        said, end = said[:-1], end - 1
    return start, end


def _apart(found: list[tuple[int, int, int, str]]) -> list[Span]:
    """Take places in turn that overlap none taken before, the longest first."""
    taken: list[Span] = []
    for start, end, _, type_ in sorted(found, key=lambda one: (one[0] - one[1], one[2])):
        if all(end <= one.start or one.end <= start for one in taken):
            taken.append(Span(start, end, type_))
    return sorted(taken)


def loose_forms(text: str) -> list[tuple[int, int, str]]:
    """Return what is written like a number of years, a day, a clock time, a long number, a host or a code, sure or not."""
    return [(*match.span(), match.lastgroup or "") for match in _LOOSE.finditer(text)]
