"""Query secret sharing: each entry of a log holds a share of its query, which shows when k users have asked it."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import ClassVar

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.recodings.pseudonymization import read_key
from sfumato.transactions.query_log import QueryLog
from sfumato.transactions.shares import (
    additive_secret,
    additive_shares,
    first_users,
    shamir_secret,
    shamir_shares,
)

__all__ = ["PRIME", "QuerySecretSharing", "ShareEntry", "SharedLog"]

PRIME = 2**521 - 1
"""The prime field of the shares, a Mersenne prime: a block of a query fits in with room to spare."""

_BLOCK = 60  # bytes of a query that one share holds; 521 bits hold 65
_DOMAIN = b"sfumato query share 1\0"


@frozen
class ShareEntry:
    """One entry of the log: the keyed hash of the query, which share it is, and the share of each block of the query."""

    query: str
    index: int
    blocks: tuple[int, ...]


@frozen(eq=False, repr=False)
class SharedLog:
    """The entries, how many queries can be read from them and how many cannot, and what to be warned of."""

    entries: tuple[ShareEntry, ...]
    readable: int
    hidden: int
    warnings: tuple[str, ...]


class QuerySecretSharing(Thing):
    """A log holds a share of each query instead of the query: it can be read once k users have asked it.

    A query is a number S, in blocks below a prime m. *k of k* (``shares`` not given): ``S_1 .. S_(k-1)`` are pseudorandom,
    ``S_k = S - sum S_i mod m``, and the sum of all k shares is S. *k of n* (Shamir): share x is ``f(x)`` of a polynomial of
    degree k - 1 with ``f(0) = S`` and pseudorandom coefficients; any k points tell S. Fewer tell nothing but how many blocks
    of 60 bytes the query has: every S fits them.
    Shares are not stored but derived by HMAC-SHA-256 of the secret key, the query and the index, so that the same query gets
    the same shares; the hash by which its entries are found is keyed as well, because plain hashes of queries can be guessed.

    The *bucket* of a user, a keyed hash, says which share the user's entries hold. Users may collide, so that more than k may
    have to ask: ``k H_k`` on average for k of k, fewer with a larger n. By ``rule="first-users"`` the first distinct users of a
    query get distinct shares and later ones none, which needs their hashes to be remembered until all shares are out.
    A user who repeats a query adds nothing. Entries are in the order of their hashes, with neither user nor time.

    Examples
    --------
    >>> import os
    >>> os.environ["EXAMPLE_KEY"] = "not a key to use: 0123456789"
    >>> log = QueryLog.of([("ann", "jazz"), ("bob", "jazz"), ("cy", "my own name")])
    >>> sharing = QuerySecretSharing(k=2, key_variable="EXAMPLE_KEY", rule="first-users")
    >>> shared = sharing.share(log)
    >>> len(shared.entries), shared.readable, shared.hidden
    (3, 1, 1)
    >>> sharing.read(shared.entries)
    ['jazz']

    References
    ----------
    Adar, "User 4XXXXX9: anonymizing query logs", 2007.
    Shamir, "How to share a secret", 1979, doi:10.1145/359168.359176.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.6.2.
    """

    id: ClassVar[str] = "query-secret-sharing"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    k: int = param(ge=1, doc="how many users must have asked a query before it can be read")
    shares: int | None = param(
        default=None, ge=1, doc="how many shares there are, any k of which tell; k, all needed, if not given"
    )
    rule: str = param(
        default="bucket",
        choices=("bucket", "first-users"),
        doc="who gets which share: by a hash of the user, or by turn",
    )
    key_file: str | None = param(default=None, doc="file that holds the key, at least 16 random bytes")
    key_variable: str | None = param(default=None, doc="environment variable that holds the key")

    def validate(self) -> None:
        """Refuse fewer shares than are needed, and two keys."""
        if self.shares is not None and self.shares < self.k:
            raise BadRequest("must be at least k", parameter=f"{self.id}.shares", value=self.shares)
        if self.key_file is not None and self.key_variable is not None:
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)

    def share(self, log: QueryLog) -> SharedLog:
        """Return the entries of a log; each user counts once for each query."""
        key = self._key()
        asked: dict[str, dict[str, None]] = {}
        for user, query in zip(log.users, log.queries, strict=True):
            asked.setdefault(query, {})[user] = None
        count = self.shares or self.k
        entries: list[ShareEntry] = []
        readable = 0
        for query, users in asked.items():
            if self.rule == "first-users":
                held = [bucket for bucket in first_users(list(users), count) if bucket is not None]
            else:
                held = [_number(key, b"user", user.encode(), count) for user in users]
            name = hmac.digest(key, _DOMAIN + b"query" + query.encode(), "sha256").hex()[:32]
            made = self.pieces(query, key)
            entries += [ShareEntry(name, bucket, made[bucket]) for bucket in sorted(held)]
            readable += len(set(held)) >= self.k
        entries.sort(key=lambda entry: (entry.query, entry.index))
        warnings = (say("warning.one_share"),) if self.k == 1 else ()
        return SharedLog(tuple(entries), readable, len(asked) - readable, warnings)

    def pieces(self, query: str, key: bytes) -> list[tuple[int, ...]]:
        """Return all shares of a query, each with a number for every block."""
        count = self.shares or self.k
        blocks = _blocks(query)
        by_block = []
        for number, secret in enumerate(blocks):
            drawn = [
                _number(key, b"share", b"%d.%d." % (number, index) + query.encode(), PRIME)
                for index in range(self.k - 1)
            ]
            if self.shares is None:
                by_block.append(additive_shares(secret, PRIME, drawn))
            else:
                by_block.append([value for _, value in shamir_shares(secret, PRIME, drawn, range(1, count + 1))])
        return [tuple(block[index] for block in by_block) for index in range(count)]

    def read(self, entries: Iterable[ShareEntry]) -> list[str]:
        """Return the queries of which enough shares are there, in the order of their texts; needs no key."""
        found: dict[str, dict[int, tuple[int, ...]]] = {}
        for entry in entries:
            found.setdefault(entry.query, {})[entry.index] = entry.blocks
        out = []
        for held in found.values():
            if len(held) < self.k:
                continue
            some = dict(sorted(held.items())[: self.k])
            numbers = [
                additive_secret([blocks[at] for blocks in some.values()], PRIME)
                if self.shares is None
                else shamir_secret([(index + 1, blocks[at]) for index, blocks in some.items()], PRIME)
                for at in range(len(next(iter(some.values()))))
            ]
            out.append(_text(numbers))
        return sorted(out)

    def _key(self) -> bytes:
        if self.key_file is None and self.key_variable is None:
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)
        return read_key(self.key_file, self.key_variable)


def _number(key: bytes, use: bytes, about: bytes, limit: int) -> int:
    """Return a pseudorandom number below the limit; 128 bits more than it has make it even."""
    needed = (limit.bit_length() + 128 + 7) // 8
    out = b""
    while len(out) < needed:
        out += hmac.digest(key, _DOMAIN + use + bytes([len(out) // 32]) + about, "sha256")
    return int.from_bytes(out[:needed], "big") % limit


def _blocks(query: str) -> list[int]:
    """Return a query as numbers below the prime; a leading byte keeps blanks and zeros at the beginning."""
    raw = query.encode()
    pieces = [raw[at : at + _BLOCK] for at in range(0, len(raw), _BLOCK)] or [b""]
    return [int.from_bytes(b"\x01" + piece, "big") for piece in pieces]


def _text(numbers: Iterable[int]) -> str:
    """Return the query of its numbers; shares that do not belong together give none."""
    try:
        pieces = [number.to_bytes((number.bit_length() + 7) // 8, "big") for number in numbers]
        if any(piece[:1] != b"\x01" for piece in pieces):
            raise ValueError
        return b"".join(piece[1:] for piece in pieces).decode()
    except ValueError:
        raise BadRequest("shares do not belong together", parameter="entries") from None
