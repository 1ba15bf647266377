"""An invented name for a person, word by word: given names by their gender, family names, initials, titles left alone."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Self

from sfumato.data.frozen import frozen
from sfumato.recodings.pseudonymization import framed
from sfumato.text.recodings._given_names import GIVEN_TO_MEN, GIVEN_TO_WOMEN
from sfumato.text.recodings._plausible import LANGUAGES, Lists
from sfumato.text.vault import Vault

__all__ = ["InventedNames", "name_words"]

_WORD = re.compile(r"[^\W\d_][^\W\d_\u2019']*")
_FEMALE = {"mrs", "ms", "miss", "frau", "madam", "mme", "lady", "sister", "schwester"}
_MALE = {"mr", "herr", "herrn", "sir", "mister", "lord", "brother"}
_OTHER = {
    "dr",
    "prof",
    "med",
    "phd",
    "md",
    "jr",
    "sr",
    "rn",
    "von",
    "van",
    "de",
    "der",
    "zu",
    "dipl",
    "ing",
    "and",
    "und",
}
_TITLES = _FEMALE | _MALE | _OTHER
_HERS = frozenset(name.casefold() for lists in LANGUAGES.values() for name in lists.female) | GIVEN_TO_WOMEN
_HIS = frozenset(name.casefold() for lists in LANGUAGES.values() for name in lists.male) | GIVEN_TO_MEN
_GIVEN = _HERS | _HIS


def name_words(text: str) -> list[str]:
    """Return the words of a name that tell whose it is: titles and initials do not.

    >>> name_words("Dr. Ann J. van Lee")
    ['Ann', 'Lee']
    """
    return [word for word in _WORD.findall(text) if word.casefold() not in _TITLES and len(word) > 1]


@frozen(eq=False)
class InventedNames:
    """The words that stand for those of a person's names, by what they are compared as."""

    instead: Mapping[str, str]
    given: str | None
    family: str | None
    initials: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, mentions: Sequence[tuple[str, str]], lists: Lists, secret: bytes, vault: Vault, avoid: Iterable[str] = ()
    ) -> Self:
        """Invent a name for a person who is mentioned so, each with the signs before it, from other words than ``avoid``."""
        part = _parts(mentions)
        own = {*part, *(word.casefold() for word in avoid)}
        woman = _woman(mentions, [word for word, kind in part.items() if kind == "given"], secret)
        instead, taken = dict[str, str](), set(own)
        first = {
            kind: next((word for word, held in part.items() if held == kind), None) for kind in ("given", "family")
        }
        for word, kind in part.items():
            hers = word in _HERS if (word in _HERS) != (word in _HIS) else woman  # a brother may be named beside her
            pool = lists.family if kind == "family" else lists.female if hers else lists.male
            wanted = _drawn(pool, hmac.digest(secret, framed("name", kind, word), "sha256"))
            free = (one for one in wanted if one.casefold() not in taken)
            if word == first["family"] and first["given"] in instead:
                before = instead[str(first["given"])]
                free = (one for one in free if _free(vault, f"{before} {one}", secret))
            # Where all are taken, persons share a name.
            instead[word] = next(free, None) or next((one for one in wanted if one.casefold() not in taken), "Doe")
            taken.add(instead[word].casefold())
        given, family = (None if word is None else instead[word] for word in first.values())
        if given and family:
            vault.names[f"{given} {family}"] = secret.hex()
        return cls(instead, given, family, {word[0]: made[0] for word, made in reversed(instead.items())})

    def replaced(self, said: str) -> str:
        """Return a mention with other words in the place of those that tell whose it is.

        An initial becomes that of the word it stands for, and so do initials without full stops (JS).
        """

        def other(found: re.Match[str]) -> str:
            word, plain = found[0], found[0].casefold()
            if plain in _TITLES or (plain == "s" and said[max(0, found.start() - 1)] in "'\u2019"):  # Lee's
                return word
            if len(word) == 1:
                return _cased(self.initials.get(plain, "x"), word)
            if plain not in self.instead and word.isupper() and set(plain) <= set(self.initials):
                return "".join(self.initials[sign].upper() for sign in plain)
            return _cased(self.instead.get(plain, "Doe"), word)

        return re.sub(r"\d", "0", _WORD.sub(other, said))

    def whole(self, lists: Lists, secret: bytes) -> tuple[str, str]:
        """Return a given and a family name, drawn where documents told none."""
        given = self.given or _drawn((*lists.female, *lists.male), hmac.digest(secret, b"given", "sha256"))[0]
        return given, self.family or _drawn(lists.family, hmac.digest(secret, b"family", "sha256"))[0]


def _free(vault: Vault, name: str, secret: bytes) -> bool:
    return vault.names.get(name, secret.hex()) == secret.hex()


def _drawn(pool: Sequence[str], key: bytes) -> list[str]:
    """Return a list from a place on that the key tells."""
    at = int.from_bytes(key[:8], "big") % len(pool)
    return [*pool[at:], *pool[:at]]


def _parts(mentions: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return for each word of the names whether it is a given or a family name; long mentions tell most."""
    out: dict[str, str] = {}
    for said, before in sorted(dict.fromkeys(mentions), key=lambda one: -len(name_words(one[0]))):
        words = [word.casefold() for word in name_words(said)]
        if out and len(words) == 1 and said.isupper() and set(words[0]) <= {word[0] for word in out}:
            continue  # JS: initials are no name
        titled = any(word.casefold() in _TITLES for word in (*_WORD.findall(said), *_WORD.findall(before)[-1:]))
        if "," in said and len(words) > 1:
            parts = ["family"] * len(name_words(said.partition(",")[0]))
            parts += ["given"] * (len(words) - len(parts))
        elif len(words) > 1:
            parts = ["given"] * (len(words) - 1) + ["family"]
        else:
            initial = any(len(word) == 1 for word in _WORD.findall(said))
            parts = ["given" if words and words[0] in _GIVEN and not titled and not initial else "family"] * len(words)
        for word, part in zip(words, parts, strict=True):
            out.setdefault(word, part)
    return dict(sorted(out.items(), key=lambda one: one[1] == "family"))


def _woman(mentions: Sequence[tuple[str, str]], given: Iterable[str], secret: bytes) -> bool:
    """Tell whether a person is called like a woman: by her title, by her given names, or as the key draws."""
    titles = [
        word.casefold() for said, before in mentions for word in (*_WORD.findall(said), *_WORD.findall(before)[-1:])
    ]
    hers, his = sum(word in _FEMALE for word in titles), sum(word in _MALE for word in titles)
    if hers == his:
        hers, his = sum(word in _HERS for word in given), sum(word in _HIS for word in given)
    return hers > his if hers != his else bool(secret[0] & 1)


def _cased(made: str, like: str) -> str:
    return made.upper() if like.isupper() else made.lower() if like.islower() else made[:1].upper() + made[1:]
