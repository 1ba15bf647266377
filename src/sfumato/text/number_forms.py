"""The forms in which a text may write a number again: its digits grouped otherwise, behind a country code, or its end alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Self

from sfumato.data.frozen import frozen
from sfumato.text.terms import Found, Words

__all__ = ["NumberForms", "plain_digits"]

_LEAST = 6  # digits of a number that is looked for, and of an end of it
_LEAST_UNPADDED = 5  # digits behind the zeros that a number begins with
_MOST = 40  # digits of a number; what is longer is a text
_CODE = 3  # digits of a country code
_APART = 3  # signs between two groups of digits at most
_DIGITS = re.compile(r"\d+")
_BETWEEN = re.compile(r"[ \t\u00a0\u202f(),./_'\u2010-\u2013-]{1,3}")


@frozen(eq=False)
class NumberForms:
    """Numbers of six digits or more, by their digits and by all ends of them that have so many.

    >>> forms = NumberForms.of(["415-555-0199", "MRN-0048213"])
    >>> text = "4155550199, (415) 555 0199, +14155550199, 555-0199, mrn0048213, no. 48213; 4155550190"
    >>> [text[one.start : one.end] for one in forms.found(text)]
    ['4155550199', '415) 555 0199', '14155550199', '555-0199', '0048213', '48213']
    """

    ends: Mapping[str, str]
    """What is looked for, each with the number that it is of."""
    whole: Mapping[str, str]
    longest: int = 0

    @classmethod
    def of(cls, numbers: Iterable[str], *, parts: bool = True) -> Self:
        """Return the forms of numbers, with their ends or without; one with fewer digits, or many letters, is no number."""
        ends, whole = dict[str, str](), dict[str, str]()
        for said in numbers:
            digits = plain_digits(said)
            if not _LEAST <= len(digits) <= _MOST or len(said) > 4 * len(digits):
                continue
            whole.setdefault(digits, said)
            if not parts:
                continue
            for at in range(len(digits) - _LEAST + 1):
                ends.setdefault(digits[at:], said)
            if len(bare := digits.lstrip("0")) >= _LEAST_UNPADDED:
                ends.setdefault(bare, said)
        return cls({**ends, **whole}, whole, max(map(len, whole), default=0))

    def found(self, read: str | Words) -> list[Found]:
        """Return where they stand, in the order of the text and apart; of two that begin together the longer."""
        out, behind = list[Found](), 0
        if not self.ends:
            return out
        read = Words(read) if isinstance(read, str) else read
        text = read.text
        groups = [match.span() for match in _DIGITS.finditer(text)]
        most = self.longest + _CODE
        for first, (start, edge) in enumerate(groups):
            if start < behind or read.is_taken(start):
                continue
            digits, met = "", None
            for at in range(first, len(groups)):
                begin, end = groups[at]
                # most numbers of a text are short and alone: what is far from the next is not looked at closely
                if at > first and (begin > edge + _APART or not _BETWEEN.fullmatch(text, edge, begin)):
                    break
                edge, digits = end, digits + plain_digits(text[begin:end])
                if len(digits) > most:
                    break
                said = self._known(digits, coded=at == first) if len(digits) >= _LEAST_UNPADDED else None
                met = met if said is None else Found(start, end, said)
            if met is not None:
                out.append(met)
                behind = met.end
        return out

    def _known(self, digits: str, *, coded: bool) -> str | None:
        """Return the number that digits are of; those of one group may begin with the code of a country."""
        said = self.ends.get(digits)
        if said is None and coded:
            said = next(
                (found for at in range(1, _CODE + 1) if (found := self.whole.get(digits[at:])) is not None), None
            )
        return said


def plain_digits(text: str) -> str:
    """Return the digits of a text, whatever script they are of.

    >>> plain_digits("(415) 555"), plain_digits("٤١٥")
    ('415555', '415')
    """
    if text.isascii():
        return text if text.isdigit() else "".join(filter(str.isdigit, text))
    return "".join(str(unicodedata.decimal(sign)) for sign in text if sign.isdecimal())
