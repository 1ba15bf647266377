"""The forms by which a text may speak of a person again: Ann Lee is Mrs Lee, Müller is Mueller, and both have addresses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from importlib.resources import files
from typing import Self

from sfumato.data.frozen import frozen
from sfumato.text.documents import Places
from sfumato.text.placeholders import PLACEHOLDER
from sfumato.text.recodings.surrogates import LIKE
from sfumato.text.terms import Found, Words, folded, folded_words

__all__ = ["NameForms", "initials_beside", "initials_of", "is_name", "is_usual", "name_words"]

_LEAST = 2  # letters of a word that is looked for by itself, as Wu and Li
_LEAST_SURE = 3  # of one that counts however it is written: ED is a ward, Ed is a person
_LEAST_SMALL = 4  # of one that is written in small letters
_LEAST_GLUED = 6  # signs of a name without its spaces, or of an account
_SPELLED = {"ä": "ae", "ö": "oe", "ü": "ue"}  # casefold writes ss already
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "herr", "frau", "prof", "sir", "lady"})
# Words that stand in names and name nobody.
_NOBODY = _TITLES | {"van", "von", "der", "den", "del", "dos", "the", "and", "und"}
_NOBODY |= {"de", "la", "le", "du", "da", "el", "zu", "jr", "sr", "st", "ii", "iv"}
# What is no sentence: addresses, accounts, paths, names of files. A path has two strokes, he/she has one.
_SIGN = re.compile(
    r"[@_]|[/\\](?=[^\s/\\]*[/\\])|\.(?:txt|pdf|docx?|odt|rtf|jpe?g|png|tiff?|dcm|xml|json|csv|html?|eml|msg)\b",
    re.IGNORECASE,
)
_EDGE = re.compile(r"[\s<>\"(),;]")
_FAR = 200  # signs of an address on either side
_LETTERS = re.compile(r"[^\W\d_]+")
_INITIAL = re.compile(r"(?<![\w.])([^\W\d_])\.\s?$")
# Initials that stand at a name: J. R. Miller, and Miller, J. R.
_BEFORE_NAME = re.compile(r"(?<![\w.'\u2019@/-])[^\W\d_a-z]\.(?:[\s-]?[^\W\d_a-z]\.){0,2}(?=[ \t-]?\Z)")
_BEHIND_NAME = re.compile(r",[ \t]?([^\W\d_a-z]\.(?:[\s-]?[^\W\d_a-z]\.){0,2})(?![\w.]|[ \t]?(?:Sc|Ed|Eng|Phil)\b)")
_DEGREES = frozenset({"MD", "DO", "BA", "MA", "BS", "MS", "PA", "RN", "DDS"})  # Miller, M.D.
_NEAR_NAME = 12  # signs in which they stand


@cache
def _usual() -> frozenset[str]:
    """Return words that mean something beside being a name: those of all lists of the package."""
    folder = files("sfumato.text")
    lists = [one for one in (folder / "gazetteers").iterdir() if one.name.endswith(".txt")]
    lines = [line for one in (*lists, folder / "words_like_names.txt") for line in one.read_text("utf-8").splitlines()]
    entries = [folded_words(line) for line in lines if not line.startswith("#")]
    return frozenset(words[0] for words in entries if len(words) == 1)


def is_usual(word: str) -> bool:
    """Tell whether a word in small letters is most often no name.

    >>> is_usual("may"), is_usual("vasquez")
    (True, False)
    """
    return word in _usual() or word.removesuffix("s") in _usual()


def is_name(kind: str) -> bool:
    """Tell whether spans of a type name persons.

    >>> is_name("doctor"), is_name("address")
    (True, False)
    """
    return LIKE.get(kind) == "name"


def name_words(name: str) -> set[str]:
    """Return the words of a name that tell of the person, each with its genitive and as it is written without marks.

    >>> sorted(name_words("Dr. Ida Müller"))
    ['ida', 'idas', 'mueller', 'muellers', 'muller', 'mullers', 'müller', 'müllers']
    """
    words = set(_told(name))
    words |= {_spelled(one) for one in words} | {_plain(one) for one in words}
    return words | {f"{one}s" for one in words if len(one) >= _LEAST_SURE}  # Das is no genitive of Da


def _glued(name: str) -> Iterator[str]:
    """Yield a name without its spaces, in both orders, and its last words with what stands before them: vanderberg, obrien."""
    words, told = [one for one in folded_words(name) if one.isalpha()], _told(name)
    yield from ("".join(words[at:]) for at in range(len(words) - 1) if any(one in told for one in words[at:]))
    yield from (first + last for first in told for last in told if first != last)


def _told(name: str) -> list[str]:
    return [one for one in folded_words(name) if len(one) >= _LEAST and one.isalpha() and one not in _NOBODY]


def initials_of(name: str) -> set[str]:
    """Return the initials of a name of two words or more, in small letters: of all its words, and of the first and the last.

    >>> sorted(initials_of("Dr. John M. Smith")), initials_of("Lee")
    (['js'], set())
    """
    words = _told(name)
    if "," in name:  # Lee, Ann
        words = [*_told(name.partition(",")[2]), *_told(name.partition(",")[0])]
    return {"".join(word[0] for word in words), words[0][0] + words[-1][0]} if len(words) > 1 else set()


def initials_beside(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return where initials stand beside a name, before it or behind a comma: whoever tags the family name alone forgets them.

    >>> text = "Seen by J. R. Miller; vitamin D for Miller, K."
    >>> [text[slice(*place)] for at in (14, 36) for place in initials_beside(text, at, at + 6)]
    ['J. R.', 'K.']
    """
    near = max(0, start - _NEAR_NAME)
    before = _BEFORE_NAME.search(text, near, start) if "." in text[max(0, start - 2) : start] else None
    behind = _BEHIND_NAME.match(text, end)
    out = [] if before is None else [before.span()]
    out += [] if behind is None or re.sub(r"\W", "", behind[1]) in _DEGREES else [behind.span(1)]
    return [place for place in out if not any(sign.islower() for sign in text[slice(*place)])]


def _spelled(word: str) -> str:
    if word.isascii():
        return word
    return "".join(_SPELLED.get(sign, sign) for sign in word)


def _plain(word: str) -> str:
    if word.isascii():
        return word
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


@frozen(eq=False)
class NameForms:
    """Words of names and what is made of them: annlee, alee; each with the names that it is of.

    >>> forms = NameForms.of(["Will May", "Vida Özil"])
    >>> text = "It may rain; May will not. mrs may, v.ozil@example.org, ozil, will_may.txt, WillMay, wmay07, may.will"
    >>> [text[one.start : one.end] for one in forms.found(text)]
    ['May', 'may', 'v.ozil@example.org', 'ozil', 'will_may.txt', 'WillMay', 'wmay07', 'may', 'will']
    """

    words: Mapping[str, tuple[str, ...]]
    joined: Mapping[str, tuple[str, ...]]
    glued: Set[str] = frozenset()
    """Those of the joined ones that are a whole name without its spaces, which counts anywhere in a text."""

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """Return the forms of names."""
        words, joined, glued = dict[str, dict[str, None]](), dict[str, dict[str, None]](), set[str]()
        for name in names:
            for word in name_words(name):
                words.setdefault(word, {}).setdefault(name)
            for one in _glued(name):
                for form in (_plain(one), _spelled(one)):
                    joined.setdefault(form, {}).setdefault(name)
                    glued.add(form)
            for first in (told := _told(name)):
                for last in told:
                    if first != last:
                        for one in (first + last, first[0] + last, last + first[0]):
                            joined.setdefault(_plain(one), {}).setdefault(name)
                            joined.setdefault(_spelled(one), {}).setdefault(name)
        return cls(
            {word: tuple(held) for word, held in words.items()},
            {word: tuple(held) for word, held in joined.items()},
            glued,
        )

    def names(self, form: str) -> tuple[str, ...]:
        """Return the names that a form is of."""
        return self.words.get(form) or self.joined[form]

    def found(self, text: str | Words) -> list[Found]:
        """Return where such forms stand in a text, in its order and apart: addresses whole, else word by word.

        A word begins with a capital letter, follows a title, or is no usual word and long enough; in small letters others are
        most often something else. One of two letters follows a title, or is no usual word and written as Wu. An initial before
        it belongs to it. Marks on letters are passed over. Placeholders of an earlier release are no words.
        """
        return (text if isinstance(text, Words) else Words(text)).with_breaks(self._found) if self.words else []

    def _found(self, words: Words) -> list[Found]:
        text, said = words.text, words.said
        known = {word: form for word, fold in words.folds.items() if (form := self._form(fold)) is not None}
        whole = {word: form for word, fold in words.folds.items() if (form := self._account(fold)) is not None}
        known = whole | known
        out = list(self.addresses(text))
        if not known:
            return out
        letters = dict[str, set[str]]()  # with which words of the names begin that a form is of
        hidden = Places(match.span() for match in PLACEHOLDER.finditer(text))
        taken = Places((one.start, one.end) for one in out)
        for at in words.among(known):
            start, end = words.starts[at], words.end(at)
            if hidden.overlap(start, end) or taken.overlap(start, end):
                continue
            before = at - 1
            while before >= 0 and hidden.overlap(words.starts[before], words.end(before)):
                before -= 1
            one = Found(start, end, known[said[at]])
            title = words.folds[said[before]] if before >= 0 else ""
            sure = said[at] in whole or self._names(text, one, one.term, title)
            if sure or self._tied(words, at, known):
                initial = self._initial_before(text, start)
                if initial is not None and one.term not in letters:
                    letters[one.term] = {told[0] for name in self.names(one.term) for told in _told(name)}
                own = initial is not None and folded(initial[1]) in letters[one.term]
                out.append(one._replace(start=initial.start()) if initial is not None and own else one)
        return sorted(out)

    def _tied(self, words: Words, at: int, known: Mapping[str, str]) -> bool:
        """Tell whether a sign ties a word to another of the same name: lee.ann."""
        for one in (at - 1, at):
            if one >= 0 and one + 1 < len(words.said) and words.starts[one + 1] - words.end(one) == 1:
                pair = known.get(words.said[one]), known.get(words.said[one + 1])
                if words.text[words.end(one)] in ".-" and pair[0] != pair[1] and None not in pair:
                    first, second = (self.names(form) for form in pair if form is not None)
                    if not set(first).isdisjoint(second):
                        return True
        return False

    @staticmethod
    def _initial_before(text: str, start: int) -> re.Match[str] | None:
        """Return the initial before a name: J. Smith."""
        if "." not in text[max(0, start - 2) : start]:
            return None
        initial = _INITIAL.search(text, max(0, start - 4), start)
        return initial if initial is not None and initial[1].isupper() else None

    def _form(self, term: str) -> str | None:
        if term in self.words:
            return term
        plain = _plain(term)
        return plain if plain in self.words else None

    def _account(self, term: str) -> str | None:
        """Return the form of a word that is a name without its spaces, or a name of an account with its number: wmay07."""
        if len(term) < _LEAST_GLUED or term in self.words:
            return None
        plain = _plain(term).rstrip("0123456789")
        held = self.glued if len(plain) == len(term) else self.joined
        return plain if plain in held and len(plain) >= _LEAST_SMALL and not is_usual(plain) else None

    @staticmethod
    def _names(text: str, one: Found, form: str, before: str) -> bool:
        if before in _TITLES:
            return True
        if len(form) < _LEAST_SURE:
            return not text[one.start : one.end].isupper() and not text[one.start].islower() and not is_usual(form)
        if text[one.start].isupper() or not text[one.start].islower():
            return True
        return len(form) >= _LEAST_SMALL and not is_usual(form)

    def addresses(self, text: str) -> Iterator[Found]:
        """Yield addresses and names of files that hold a form, outside of placeholders."""
        if _SIGN.search(text) is None:
            return
        text, until = PLACEHOLDER.sub(lambda match: "." * len(match[0]), text), 0
        for sign in _SIGN.finditer(text):
            if sign.start() < until:
                continue
            left = max(until, sign.start() - _FAR)
            start = sign.start()
            while start > left and _EDGE.match(text, start - 1) is None:
                start -= 1
            edge = _EDGE.search(text, sign.end(), sign.end() + _FAR)
            said = text[start : edge.start() if edge else sign.end() + _FAR].rstrip(".:!?'")
            until = start + len(said)
            account = said.partition("@")[0] if "@" in said else ""
            met = list[str]()
            for piece in _LETTERS.finditer(said):
                word = folded(piece[0])
                form = self._form(word) or (_plain(word) if _plain(word) in self.joined else None)
                if form is None:
                    continue
                met.append(form)
                short = len(form) < _LEAST_SURE  # two letters alone make no address of a person
                sure = form in self.joined or len(met) > 1 or not (short or is_usual(form))
                if sure or (not short and (piece[0][0].isupper() or piece.end() <= len(account))):
                    yield Found(start, until, form)
                    break
