"""Pseudonymization: identifiers become keyed names that stay the same from table to table. It is not anonymization."""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from math import isqrt, prod
from pathlib import Path
from typing import ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.thing import Thing, param
from sfumato.contracts.thing import columns as named
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.errors import BadRequest

__all__ = ["NOT_ANONYMOUS", "Pseudonymization", "Pseudonymized", "framed", "in_format", "permuted", "read_key"]

NOT_ANONYMOUS = (
    "A pseudonym is not anonymity: every record of a person still carries the same name, whoever holds the key can repeat "
    "the mapping, and the other columns can identify a person as before. Pseudonymized data is personal data."
)

SHORTEST_KEY = 16
_DISTINCT_BYTES = 8
_ROUNDS = 10
_VERSION = b"sfumato pseudonym 1"


@frozen(eq=False)
class Pseudonymized:
    """A table with pseudonyms, how many distinct values of each column got one, and what that does not mean."""

    statement: ClassVar[str] = NOT_ANONYMOUS

    table: Table
    pseudonyms: Mapping[str, int]


class Pseudonymization(Thing):
    """Identifiers become keyed names that stay the same from table to table; this is not anonymization.

    A pseudonym is not anonymity: every record of a person still carries the same name, whoever holds the key can repeat the
    mapping, and the other columns can identify a person as before. Pseudonymized data is personal data.

    The pseudonym of a value is the beginning of ``HMAC-SHA256(key, namespace, text of the value)``. The same value gets the
    same pseudonym in every column and table under one key and one ``namespace``, and unrelated ones under different
    namespaces. Numbers and texts that are written alike are the same value; blanks and capital letters count. If two values
    of the table share a pseudonym, the run is refused and a greater ``length`` helps.

    With ``keep_format`` digits become digits and the letters a to z become letters of the same case, everything else stays
    in its place. The mapping is then a keyed permutation of all values of that shape (a Feistel network over HMAC-SHA256
    with cycle walking), so no two values collide. It shows the length, the shape and all punctuation; a value may stay as it
    is by chance; and a shape with few possible values is refused below ``smallest_domain``, because pseudonyms of few values
    are told apart by how often they occur. It is no standard format-preserving encryption.

    The key comes from a file or an environment variable, has at least 16 bytes, and is stored nowhere. Line ends after a key
    that is plain text do not belong to it. Lose the key and nobody can repeat the mapping; give it away and everybody can.

    In a policy, ``pseudonym: true`` publishes an identifier under its pseudonyms, with the key in the environment variable
    ``SFUMATO_PSEUDONYM_KEY``; a mapping of the parameters above, ``columns`` left out, says it otherwise. The certificate
    then names these columns and says what a pseudonym is not.

    Examples
    --------
    >>> import os
    >>> from sfumato.engines import from_rows
    >>> os.environ["EXAMPLE_KEY"] = "not a key to use: 0123456789"
    >>> table = from_rows(["patient", "phone"], [("Ann", "030-441"), ("Bob", "030-442"), ("Ann", "030-441")])
    >>> made = Pseudonymization(columns=("patient",), key_variable="EXAMPLE_KEY", length=12).apply(table)
    >>> [name for name, _ in made.to_rows()]
    ['51c1310b4bf2', 'dc296c59b661', '51c1310b4bf2']
    >>> phones = Pseudonymization(columns=("phone",), key_variable="EXAMPLE_KEY", keep_format=True).apply(table)
    >>> [phone for _, phone in phones.to_rows()]
    ['870-988', '780-630', '870-988']

    References
    ----------
    Regulation (EU) 2016/679 (General Data Protection Regulation), article 4(5) and recital 26.
    Bellare, Canetti, Krawczyk, "Keying hash functions for message authentication", 1996, doi:10.1007/3-540-68697-5_1.
    Black, Rogaway, "Ciphers with arbitrary finite domains", 2002, doi:10.1007/3-540-45760-7_9.
    """

    id: ClassVar[str] = "pseudonymization"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = False  # a pseudonym is nobody's name

    columns: tuple[str, ...] = named("identifier", doc="columns whose values get pseudonyms")
    key_file: str | None = param(default=None, doc="file that holds the key, at least 16 random bytes")
    key_variable: str | None = param(default=None, doc="environment variable that holds the key")
    namespace: str = param(default="", doc="pseudonyms of different namespaces cannot be compared")
    keep_format: bool = param(default=False, doc="whether digits stay digits and letters stay letters")
    length: int = param(default=32, ge=8, le=64, doc="hexadecimal digits of a pseudonym, unless the format is kept")
    smallest_domain: int = param(
        default=1_000_000, ge=2, doc="fewest possible values of a shape whose format may be kept"
    )

    def validate(self) -> None:
        """Take the key from one place."""
        if not self.columns or len(set(self.columns)) != len(self.columns):
            raise BadRequest("must name at least one column, each once", parameter=f"{self.id}.columns")
        if (self.key_file is None) == (self.key_variable is None):
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)

    def apply(self, table: Table) -> Table:
        """Return the table with pseudonyms in its columns, which become text; missing stays missing."""
        return self.pseudonymize(table).table

    def pseudonymize(self, table: Table) -> Pseudonymized:
        """Return the table with pseudonyms, and what they do not mean."""
        for name in self.columns:
            if name not in table.types:
                raise BadRequest(
                    "is not a column of the table", parameter=f"{self.id}.columns", value=name, available=table.columns
                )
        key = hmac.digest(read_key(self.key_file, self.key_variable), framed(_VERSION, self.namespace), "sha256")
        dictionaries = {name: table.dictionary(name).values for name in self.columns}
        made: dict[str, str] = {}
        for name, values in dictionaries.items():
            texts = [to_text(value) for value in values]
            if self.keep_format:
                self._refuse_shapes(name, texts)
            for text in texts:
                if text not in made:
                    made[text] = self._pseudonym(key, text)
        if len(set(made.values())) < len(made):
            raise BadRequest(
                "two values share a pseudonym; take a greater length", parameter=f"{self.id}.length", value=self.length
            )
        mappings = {name: {value: made[to_text(value)] for value in values} for name, values in dictionaries.items()}
        return Pseudonymized(table.recode(mappings), {name: len(values) for name, values in dictionaries.items()})

    def _pseudonym(self, key: bytes, text: str) -> str:
        if not self.keep_format:
            return hmac.digest(key, b"name" + text.encode(), "sha256").hex()[: self.length]
        return in_format(text, key)

    def _refuse_shapes(self, name: str, texts: list[str]) -> None:
        foreign = sum(any(c.isalnum() and not c.isascii() for c in text) for text in texts)
        if foreign:
            raise BadRequest(
                f"{foreign} value{'s hold' if foreign > 1 else ' holds'} letters other than a to z; "
                "their format cannot be kept without showing them",
                column=name,
                parameter=f"{self.id}.keep_format",
            )
        small = 0
        for text in texts:
            domain = 1
            for radix in _read_shape(text)[1]:
                domain *= radix
            small += domain < self.smallest_domain
        if small:
            raise BadRequest(
                f"{small} value{'s have' if small > 1 else ' has'} a shape with fewer than {self.smallest_domain:,} "
                "possible values; their format hides too little",
                column=name,
                parameter=f"{self.id}.smallest_domain",
            )


def read_key(file: str | None = None, variable: str | None = None) -> bytes:
    """Return the key from a file or an environment variable; refuse one that is short or plainly not random."""
    if file is not None:
        try:
            key = Path(file).read_bytes()
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else type(error).__name__
            raise BadRequest(f"cannot be read ({reason})", parameter="key_file", value=file) from None
    else:
        found = os.environ.get(variable or "")
        if found is None:
            raise BadRequest("is not set", parameter="key_variable", value=variable)
        key = os.fsencode(found)
    if all(32 <= byte < 127 or byte in b"\t\r\n" for byte in key):
        key = key.rstrip(b"\r\n")
    where = "key_file" if file is not None else "key_variable"
    if len(key) < SHORTEST_KEY:
        raise BadRequest(f"must hold at least {SHORTEST_KEY} bytes, holds {len(key)}", parameter=where)
    if len(set(key)) < _DISTINCT_BYTES:
        raise BadRequest("holds a key that is not random: its bytes repeat", parameter=where)
    return key


def permuted(number: int, domain: int, key: bytes) -> int:
    """Return where a keyed permutation of ``0 .. domain - 1`` sends a number.

    A number is split into two parts of nearly equal range, and in each round a part moves by a keyed hash of the other one.
    The ranges together may exceed the domain a little; a result outside of it is sent on until it falls inside.

    >>> sorted(permuted(number, 10, bytes(32)) for number in range(10))
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    left_range = isqrt(domain - 1) + 1 if domain > 1 else 1
    right_range = -(-domain // left_range)
    while True:
        left, right = number % left_range, number // left_range
        for turn in range(_ROUNDS):
            if turn % 2 == 0:
                left = (left + _hashed(key, turn, right, left_range)) % left_range
            else:
                right = (right + _hashed(key, turn, left, right_range)) % right_range
        number = right * left_range + left
        if number < domain:
            return number


def in_format(text: str, key: bytes) -> str:
    """Return a text of the same shape: a keyed permutation of all texts of that shape; what is no letter or digit stays.

    >>> in_format("AB-12", bytes(32)) == in_format("AB-12", bytes(32)) != in_format("AB-13", bytes(32))
    True
    """
    shape, radices, number = _read_shape(text)
    return _write_shape(
        shape, radices, permuted(number, prod(radices), hmac.digest(key, b"form" + shape.encode(), "sha256"))
    )


def _hashed(key: bytes, turn: int, part: int, limit: int) -> int:
    """Return a number below the limit; 128 bits more than it has make it even."""
    needed = (limit.bit_length() + 128 + 7) // 8
    seed = part.to_bytes((part.bit_length() + 7) // 8 or 1, "big")
    out = b""
    while len(out) < needed:
        out += hmac.digest(key, bytes([turn, len(out) // 32]) + seed, "sha256")
    return int.from_bytes(out[:needed], "big") % limit


def framed(*parts: bytes | str) -> bytes:
    """Join parts so that no two lists of parts give the same bytes."""
    encoded = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(8, "big") + part for part in encoded)


def _read_shape(text: str) -> tuple[str, list[int], int]:
    """Return the shape of a text (9 for a digit, a and A for letters), the possibilities of each place, and its number."""
    shape, radices, number = [], [], 0
    for character in text:
        if character.isascii() and character.isdigit():
            kind, radix, code = "9", 10, ord(character) - ord("0")
        elif character.isascii() and character.isalpha():
            kind = "a" if character.islower() else "A"
            radix, code = 26, ord(character) - ord(kind)
        else:
            shape.append(character)
            continue
        shape.append(kind)
        radices.append(radix)
        number = number * radix + code
    return "".join(shape), radices, number


def _write_shape(shape: str, radices: list[int], number: int) -> str:
    """Return the text of a shape that has this number: the inverse of :func:`_read_shape`."""
    codes = []
    for radix in reversed(radices):
        number, code = divmod(number, radix)
        codes.append(code)
    out = []
    for character in shape:
        if character in "9aA":
            base = ord("0") if character == "9" else ord(character)
            out.append(chr(base + codes.pop()))
        else:
            out.append(character)
    return "".join(out)
