"""Surrogates: names, places and numbers become invented ones of the same kind, the same for every mention of a person."""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import ClassVar

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.data.text import bare
from sfumato.errors import BadRequest
from sfumato.recodings.pseudonymization import framed, in_format, read_key
from sfumato.text.documents import Documents, Span
from sfumato.text.recodings._invented_names import InventedNames, name_words
from sfumato.text.recodings._plausible import DOMAINS, Lists, Place, lists_of
from sfumato.text.terms import folded_words
from sfumato.text.vault import Vault

__all__ = ["LIKE", "Surrogates", "identities"]

_DOMAIN = "sfumato surrogates 1"
_LEAST_SIGNS = 6  # letters and digits of a number that is known again in other groups
_TRIES = 50

LIKE: Mapping[str, str] = {
    **dict.fromkeys(("name", "person", "patient", "doctor", "physician", "relative", "nurse", "staff"), "name"),
    **dict.fromkeys(("email", "e-mail", "mail"), "email"),
    **dict.fromkeys(("username", "user", "login", "nickname"), "username"),
    **dict.fromkeys(("city", "town", "place", "location", "gpe"), "town"),
    **dict.fromkeys(("zip", "zipcode", "postcode", "postal-code", "plz"), "code"),
    **dict.fromkeys(("address", "street", "street-address"), "street"),
    **dict.fromkeys(("hospital", "clinic", "ward"), "house"),
    **dict.fromkeys(("organization", "organisation", "company", "employer"), "employer"),
    **dict.fromkeys(("url", "web", "website", "domain"), "url"),
}
"""What surrogates of a type look like, by what types are usually called; all others keep their form, sign by sign."""


class Surrogates(Thing):
    """What a person is called, where she lives and what numbers she has are replaced by invented values of the same kind.

    A surrogate is chosen by ``HMAC-SHA-256(key, person, value)``: the same for every mention, in every document and release
    under one key, and another one for another person, so that how often a name occurs tells nothing. Words of a name are
    replaced one by one (Ann Lee, Lee, A. Lee and LEE, ANN belong together), given names by those of the same gender, e-mail
    addresses follow the invented name, a town its postal code. Numbers and codes keep their form, by a keyed permutation of
    all texts of that form. No value is ever replaced by itself. Case is kept.

    No list of originals is kept: the vault knows keyed hashes and what was invented for them, so that no two persons get one
    name. Whoever holds the key and guesses a value can confirm the guess; keep it as the data themselves. A surrogate is not
    true, and a document with surrogates is no source on the persons it names.

    Examples
    --------
    >>> import os
    >>> os.environ["EXAMPLE_KEY"] = "not a key to use: 0123456789"
    >>> notes = Documents.of(["<name>Ann Lee</name>, <email>ann.lee@mail.com</email>. Ms <name>Lee</name> left."], tagged=True)
    >>> made = Surrogates(key_variable="EXAMPLE_KEY").words(notes, ["p1"], ["name", "email"])[0]
    >>> name, mail, family = made.values()
    >>> name.split()[1] == family, mail.split("@")[0] == ".".join(name.lower().split()), "Lee" in name
    (True, True, False)

    References
    ----------
    Sweeney, "Replacing personally-identifying information in medical records, the Scrub system", 1996.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.1.
    Carrell, Malin, Aberdeen, et al., "Hiding in plain sight: use of realistic surrogates to reduce exposure of protected health
    information in clinical text", 2013, doi:10.1136/amiajnl-2012-001034.
    """

    id: ClassVar[str] = "surrogates"
    aliases: ClassVar[tuple[str, ...]] = ("scrub",)
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = False  # nobody has these names

    key_file: str | None = param(default=None, doc="file that holds the key, at least 16 random bytes")
    key_variable: str | None = param(default=None, doc="environment variable that holds the key")
    namespace: str = param(default="", doc="surrogates of different namespaces have nothing to do with each other")
    language: str = param(default="en", choices=("en", "de"), doc="whose names and places are taken")

    def validate(self) -> None:
        """Take the key from one place."""
        super().validate()
        if self.key_file is not None and self.key_variable is not None:
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)

    def secret(self) -> bytes:
        """Return what everything is chosen by."""
        if self.key_file is None and self.key_variable is None:
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)
        return hmac.digest(read_key(self.key_file, self.key_variable), framed(_DOMAIN, self.namespace), "sha256")

    def words(
        self,
        documents: Documents,
        persons: Sequence[str],
        types: Iterable[str],
        vault: Vault | None = None,
        like: Mapping[str, str] | None = None,
        languages: Mapping[str, str] | None = None,
    ) -> list[dict[Span, str]]:
        """Return for each document what is written at its spans of some types; ``like`` tells more than :data:`LIKE`.

        ``languages`` are those of persons, where they are not all the same.
        """
        wanted, secret = set(types), self.secret()
        vault = Vault() if vault is None else vault
        vault.open_with(hmac.digest(secret, framed("vault"), "sha256").hex())
        told: dict[str, list[tuple[Span, str, str]]] = {}
        for person, document in zip(persons, documents, strict=True):
            for span in document.spans:
                if span.type in wanted:
                    before = document.text[max(0, span.start - 12) : span.start]
                    told.setdefault(person, []).append((span, document.said(span), before))
        named = identities(documents, persons)
        made: dict[str, _Invented] = {}
        # In the order of their keyed names, so that who came first does not matter.
        tags = {person: hmac.digest(secret, framed("person", named[person]), "sha256") for person in told}
        for person in sorted(told, key=lambda one: tags[one]):
            lists = lists_of((languages or {}).get(person, self.language))
            made[person] = _Invented(tags[person], lists, told[person], vault, like or {})
        out, known = list[dict[Span, str]](), dict[tuple[str, str, str], str]()
        for person, document in zip(persons, documents, strict=True):
            places: dict[Span, str] = {}
            for span in document.spans:
                if span.type in wanted:
                    mention = person, span.type, document.said(span)
                    if mention not in known:
                        known[mention] = made[person].word(*mention[1:])
                    places[span] = known[mention]
            out.append(places)
        return out

    def hashed(self, type: str, said: str, length: int = 16) -> str:  # noqa: A002
        """Return the keyed hash of a value: who has no key cannot try guesses, as with a plain hash.

        >>> import os
        >>> os.environ["EXAMPLE_KEY"] = "not a key to use: 0123456789"
        >>> Surrogates(key_variable="EXAMPLE_KEY").hashed("mrn", "77201")
        'd0a0a66c7f9ef27e'
        """
        return hmac.digest(self.secret(), framed("hash", type, _plain(said)), "sha256").hex()[:length]


def identities(documents: Documents, persons: Sequence[str]) -> dict[str, str]:
    """Return what a person is known by across releases: what the data say, or what her documents tell first of her."""
    out: dict[str, str] = {}
    for person, document in zip(persons, documents, strict=True):
        if document.person is not None:
            out[person] = framed("person", document.person).hex()
        elif document.spans and person not in out:
            first = document.spans[0]
            out[person] = framed("told", first.type, _plain(document.said(first))).hex()
    return {person: out.get(person, "") for person in persons}


def _plain(text: str) -> str:
    """Return a value as it is compared: composed, spaces and case aside."""
    return unicodedata.normalize("NFKC", bare(text)).casefold()


def _worded(text: str) -> str:
    """Return the words of a text alone."""
    return " ".join(folded_words(text))


@frozen(eq=False)
class _Invented:
    """What is invented for one person."""

    secret: bytes
    lists: Lists
    told: Sequence[tuple[Span, str, str]]
    vault: Vault
    likes: Mapping[str, str]
    _named: dict[str, InventedNames] = field(default_factory=dict)

    def like(self, type: str) -> str:  # noqa: A002
        """Return what surrogates of a type look like."""
        return self.likes.get(type) or LIKE.get(type, "form")

    def word(self, type: str, said: str) -> str:  # noqa: A002
        """Return what is written for one mention."""
        like, plain = self.like(type), _plain(said)
        if self._of_a_release:
            return said
        if like == "name":
            return self.vault.kept(self.names(type).replaced(said))
        if like == "form" and (first := self._first_written.get(_signs(said), said)) != said:
            return self.vault.kept(_poured(self.word(type, first), said))
        tag = hmac.digest(self.secret, framed(like, plain), "sha256")
        return self.vault.take(tag.hex(), lambda: self._made(like, said, plain, tag))

    @cached_property
    def _own(self) -> frozenset[str]:
        """All that is told, as it is looked for."""
        return frozenset(_worded(said) for said in self._said)

    @cached_property
    def _said(self) -> Sequence[str]:
        """What is told, once each: a long text tells the same very often."""
        return list(dict.fromkeys(said for _, said, _ in self.told))

    @cached_property
    def _first_written(self) -> Mapping[str, str]:
        """Numbers and codes by their signs alone, as they were told first: 4155550199 is 415-555-0199 in other groups."""
        out: dict[str, str] = {}
        for kind, said in dict.fromkeys((span.type, said) for span, said, _ in self.told):
            if self.like(kind) == "form" and len(signs := _signs(said)) >= _LEAST_SIGNS:
                out.setdefault(signs, said)
        return out

    @cached_property
    def _of_a_release(self) -> bool:
        """Whether all that is told was invented by an earlier run; a single name may be a true one that was invented before."""
        return all(self.vault.invented(said) for said in self._said)

    def _made(self, like: str, said: str, plain: str, tag: bytes) -> str:
        for attempt in range(_TRIES):
            drawn = hmac.digest(tag, bytes([attempt]), "sha256")
            number = int.from_bytes(drawn[:8], "big")
            made = self._drawn(like, said, plain, number, drawn)
            if _worded(made) not in self._own:
                return made
        return "x" * len(said)

    def _drawn(self, like: str, said: str, plain: str, number: int, key: bytes) -> str:
        lists = self.lists
        if like in ("email", "username"):
            local = ".".join(self._own_name.whole(lists, self.secret))
            local = "".join(sign for sign in unicodedata.normalize("NFKD", local.lower()) if sign.isascii())
            more = "" if self._first(like) == plain else str(number % 90 + 10)
            return local + more + (f"@{DOMAINS[number % len(DOMAINS)]}" if like == "email" else "")
        if like in ("town", "code"):
            place = self._place(like, plain)
            return place.town if like == "town" else place.code
        if like == "street":
            street, house = lists.streets[number % len(lists.streets)], str(number // 64 % 180 + 1)
            line = f"{house} {street}" if lists.number_first else f"{street} {house}"
            if "," not in said:
                return line
            place = self._place("town", self._first("town") or plain)
            return f"{line}, {place.town} {place.code}" if lists.number_first else f"{line}, {place.code} {place.town}"
        if like in ("house", "employer"):
            chosen = lists.houses if like == "house" else lists.employers
            return chosen[number % len(chosen)]
        if like == "url":
            return f"https://www.{DOMAINS[number % len(DOMAINS)]}/{key.hex()[:6]}"
        return _in_form(said, key)

    def names(self, type: str) -> InventedNames:  # noqa: A002
        """The invented name of whom a type of span names: a patient is not called like her doctor."""
        if type not in self._named:
            spans = [(said, before) for span, said, before in self.told if span.type == type]
            secret = hmac.digest(self.secret, framed("type", type), "sha256")
            avoid = [word for said in self._said for word in name_words(said)]
            self._named[type] = InventedNames.of(spans, self.lists, secret, self.vault, avoid)
        return self._named[type]

    @cached_property
    def _own_name(self) -> InventedNames:
        """The invented name of the person herself: that of the first type of names, not her doctor's."""
        types = [span.type for span, _, _ in self.told if self.like(span.type) == "name"]
        return self.names(
            next((name for name in types if name in ("name", "person", "patient")), next(iter(types), ""))
        )

    @cached_property
    def _order(self) -> Mapping[str, Mapping[str, int]]:
        """What is told, by what it looks like, each value with its place in the order of being told."""
        out: dict[str, dict[str, int]] = {}
        for kind, said in dict.fromkeys((span.type, said) for span, said, _ in self.told):
            values = out.setdefault(self.like(kind), {})
            values.setdefault(_plain(said), len(values))
        return out

    def _first(self, like: str) -> str | None:
        return next(iter(self._order.get(like, ())), None)

    def _place(self, like: str, plain: str) -> Place:
        """Return the place of a town or a code: the first town that is told has the first code, and so on."""
        at = self._order.get(like, {}).get(plain, 0)
        drawn = int.from_bytes(hmac.digest(self.secret, framed("place", str(at)), "sha256")[:8], "big")
        places, own = self.lists.places, self._own
        turned = [*places[drawn % len(places) :], *places[: drawn % len(places)]]
        return next((one for one in turned if not {one.town.casefold(), one.code} & own), turned[0])


def _in_form(said: str, key: bytes) -> str:
    """Return a text of the same form; beginnings that every such number has stay, letters of other scripts become x."""
    plain = "".join(
        sign if sign.isascii() or not sign.isalnum() else "0" if sign.isdigit() else "X" if sign.isupper() else "x"
        for sign in unicodedata.normalize("NFC", said)
    )
    kept = re.match(r"\+[0-9]{1,2}|0", plain)
    head = kept[0] if kept and sum(sign.isdigit() for sign in plain) > 6 else ""
    made = head + in_format(plain[len(head) :], key)
    return _with_check_digit(made) if _luhn(plain) == 0 else made


def _signs(said: str) -> str:
    """Return the letters and digits of a number or code, case aside."""
    return "".join(sign for sign in _plain(said) if sign.isalnum())


def _poured(made: str, like: str) -> str:
    """Return letters and digits in the groups and the case of another text that has as many.

    >>> _poured("AB-646 5550123", "ab6465550123"), _poured("646-555-0123", "(415) 555 0199")
    ('ab6465550123', '(646) 555 0123')
    """
    signs = iter([sign for sign in made if sign.isalnum()])
    return "".join(
        next(signs, sign).lower() if sign.islower() else next(signs, sign) if sign.isalnum() else sign for sign in like
    )


def _luhn(text: str) -> int | None:
    """Return the remainder of the check of payment cards (ISO/IEC 7812-1), or none of a text that has not so many digits."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    if not 13 <= len(digits) <= 19 or any(sign.isalpha() for sign in text):
        return None
    return sum(sum(divmod(digit * (1 + at % 2), 10)) for at, digit in enumerate(reversed(digits))) % 10


def _with_check_digit(text: str) -> str:
    at = max(place for place, sign in enumerate(text) if sign.isdigit())
    zero = f"{text[:at]}0{text[at + 1 :]}"
    return f"{text[:at]}{-(_luhn(zero) or 0) % 10}{text[at + 1 :]}"
