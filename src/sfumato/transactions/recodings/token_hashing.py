"""Token hashing: every word of a query log becomes a keyed hash. It hides the words and nothing else."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import ClassVar

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.recodings.pseudonymization import read_key

__all__ = ["HashedQueries", "TokenHashing"]

_DOMAIN = b"sfumato token 1\0"


@frozen(eq=False, repr=False)
class HashedQueries:
    """Queries with a hash for each word, how many words there are, and what that does not mean."""

    queries: tuple[tuple[str, ...], ...]
    vocabulary: int
    statement: str


class TokenHashing(Thing):
    """Every word of a query becomes the same keyed hash wherever it occurs; this is not anonymization.

    The hash of a word is the beginning of ``HMAC-SHA-256(key, word)``. Without the key nobody can hash a guessed word, but how
    often hashes occur, alone and with each other, is that of the words: whoever has another log about the same matters finds
    out what frequent hashes stand for. So a hashed log is not published before ``token-hash-attack`` was tried on it.

    The key comes from a file or an environment variable, has at least 16 bytes, and is stored nowhere.

    Examples
    --------
    >>> import os
    >>> os.environ["EXAMPLE_KEY"] = "not a key to use: 0123456789"
    >>> made = TokenHashing(key_variable="EXAMPLE_KEY", length=8).apply([["tom", "hanks"], ["tom"]])
    >>> made.queries[0][0] == made.queries[1][0], made.vocabulary
    (True, 2)

    References
    ----------
    Kumar, Novak, Pang, Tomkins, "On anonymizing query logs via token-based hashing", 2007, doi:10.1145/1242572.1242657.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.6.1.
    """

    id: ClassVar[str] = "token-hashing"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = False

    key_file: str | None = param(default=None, doc="file that holds the key, at least 16 random bytes")
    key_variable: str | None = param(default=None, doc="environment variable that holds the key")
    length: int = param(default=16, ge=8, le=64, doc="hexadecimal digits of a hash")

    def validate(self) -> None:
        """Take the key from one place."""
        if self.key_file is not None and self.key_variable is not None:
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)

    def apply(self, queries: Sequence[Sequence[str]]) -> HashedQueries:
        """Return queries, given as words, with hashes in the place of words; two words with one hash are refused."""
        if self.key_file is None and self.key_variable is None:
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)
        key = read_key(self.key_file, self.key_variable)
        words = dict.fromkeys(word for query in queries for word in query)
        made = {word: hmac.digest(key, _DOMAIN + word.encode(), "sha256").hex()[: self.length] for word in words}
        if len(set(made.values())) < len(made):
            raise BadRequest(
                "two words share a hash; take a greater length", parameter=f"{self.id}.length", value=self.length
            )
        hashed = tuple(tuple(made[word] for word in query) for query in queries)
        return HashedQueries(hashed, len(made), say("statement.token_hashing"))
