"""Commutative encryption: whoever encrypts first, the result is the same, so equal things can be found without showing them."""

from __future__ import annotations

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from hashlib import sha512
from typing import Generic, TypeVar

from sfumato.errors import BadRequest, Unsupported

__all__ = ["Cipher", "Curve", "PohligHellman", "Secret"]

E = TypeVar("E")
K = TypeVar("K")
A = TypeVar("A")
B = TypeVar("B")

Secret = Callable[[int], bytes]
"""Gives as many bytes as asked for that nobody can guess: the operating system, unless a test brings its own."""

_BATCH = 512  # elements that one thread takes at a time: some hundredths of a second


class Cipher(ABC, Generic[K, E]):
    """A group in which ``E_a(E_b(x)) = E_b(E_a(x))``, deterministic and one to one; keys ``K``, elements ``E``.

    Hashing alone protects nobody: identifiers are few enough to be tried one after the other. Only elements under a secret
    key may leave a holder.
    """

    @abstractmethod
    def key(self, secret: Secret = secrets.token_bytes) -> K:
        """Draw a fresh key from bytes that nobody can guess."""

    @abstractmethod
    def hashed(self, texts: Sequence[bytes], context: bytes = b"") -> list[E]:
        """Return the element of each text; ``context`` keeps elements of different sessions apart."""

    @abstractmethod
    def encrypted(self, key: K, elements: Sequence[E]) -> list[E]:
        """Return each element under a key; refuse what is not in the group."""

    @abstractmethod
    def inverse(self, key: K) -> K:
        """Return the key that takes another one off again."""

    @abstractmethod
    def serialised(self, element: E) -> bytes:
        """Return the bytes of an element, as many for each."""

    def decrypted(self, key: K, elements: Sequence[E]) -> list[E]:
        """Take a key off each element."""
        return self.encrypted(self.inverse(key), elements)


class Curve(Cipher[bytes, bytes]):
    """The group ristretto255, of prime order, as every protocol uses it: elements of 32 bytes, keys modulo its order.

    ``H(x) = from_hash(SHA-512("sfumato/psi/v1|" || length of context || context || x))`` and ``E_k(P) = k P``.

    >>> group = Curve()
    >>> a, b = group.key(), group.key()
    >>> points = group.hashed([b"19121212-1212"])
    >>> group.encrypted(a, group.encrypted(b, points)) == group.encrypted(b, group.encrypted(a, points))
    True

    References
    ----------
    de Valence et al., "The ristretto255 and decaf448 groups", RFC 9496, 2023.
    """

    def __init__(self, threads: int | None = None) -> None:
        try:
            import rbcl
        except ImportError:
            raise Unsupported(
                'protocols between holders need rbcl: pip install "sfumato[parties]"', thing="commutative-encryption"
            ) from None
        self._group = rbcl
        self._threads = threads or os.cpu_count() or 1

    def key(self, secret: Secret = secrets.token_bytes) -> bytes:
        """Draw a number between 1 and the order of the group."""
        while True:
            drawn: bytes = self._group.crypto_core_ristretto255_scalar_reduce(secret(64))
            if any(drawn):
                return drawn

    def hashed(self, texts: Sequence[bytes], context: bytes = b"") -> list[bytes]:
        """Return the point of each text."""
        begun = sha512(b"sfumato/psi/v1|" + len(context).to_bytes(4, "big") + context)
        place = self._group.crypto_core_ristretto255_from_hash

        def point(text: bytes) -> bytes:
            one = begun.copy()
            one.update(text)
            found: bytes = place(one.digest())
            return found

        return self._each(point, texts)

    def encrypted(self, key: bytes, elements: Sequence[bytes]) -> list[bytes]:
        """Multiply each point; bytes that are no point, and the neutral one, are refused."""
        multiplied = self._group.crypto_scalarmult_ristretto255

        def product(point: bytes) -> bytes:
            found: bytes = multiplied(key, point)
            return found

        try:
            return self._each(product, elements)
        except (RuntimeError, ValueError, TypeError):
            raise BadRequest("is not an element of the group", parameter="elements") from None

    def inverse(self, key: bytes) -> bytes:
        """Return the inverse modulo the order of the group."""
        found: bytes = self._group.crypto_core_ristretto255_scalar_invert(key)
        return found

    def product(self, key: bytes, other: bytes) -> bytes:
        """Return the key that does what two do one after the other."""
        found: bytes = self._group.crypto_core_ristretto255_scalar_mul(key, other)
        return found

    def points(self, keys: Sequence[bytes]) -> list[bytes]:
        """Return ``k G`` of each key, G being the point that all know."""
        return self._each(self._group.crypto_scalarmult_ristretto255_base, keys)

    def multiples(self, point: bytes, most: int) -> list[bytes]:
        """Return ``P, 2 P, 3 P, ...``, as many as asked for."""
        out = [point][:most]
        while len(out) < most:
            out += self.offset([out[-1]], [point])
        return out

    def offset(self, points: Sequence[bytes], others: Sequence[bytes]) -> list[bytes]:
        """Add another point to each; no bytes at all stand for the neutral one."""
        try:
            return [
                self._group.crypto_core_ristretto255_add(one, other) if other else one
                for one, other in zip(points, others, strict=True)
            ]
        except (RuntimeError, ValueError, TypeError):
            raise BadRequest("is not an element of the group", parameter="elements") from None

    def taken_off(self, point: bytes, other: bytes) -> bytes:
        """Take a point off another one."""
        found: bytes = self._group.crypto_core_ristretto255_sub(point, other)
        return found

    def serialised(self, element: bytes) -> bytes:
        """Return the point: it is 32 bytes already."""
        return element

    def _each(self, made: Callable[[A], B], given: Sequence[A]) -> list[B]:
        """Map over batches, several threads at a time: the library lets go of the interpreter while it multiplies."""
        if self._threads == 1 or len(given) <= _BATCH:
            return [made(one) for one in given]
        batches = [given[at : at + _BATCH] for at in range(0, len(given), _BATCH)]
        with ThreadPoolExecutor(self._threads) as pool:
            return [one for batch in pool.map(lambda batch: [made(one) for one in batch], batches) for one in batch]


class PohligHellman(Cipher[int, int]):
    """Powers modulo a safe prime: the scheme of the literature, here as a reference that worked examples are compared with.

    ``p = 2 q + 1``; elements are squares modulo p, ``E_e(m) = m^e mod p`` and ``d = e^-1 mod q``. The default p is the
    2048-bit prime of RFC 3526. Slow, and not constant in time: protocols use :class:`Curve`.

    >>> toy = PohligHellman(23)
    >>> toy.encrypted(3, [2, 3, 4]), toy.inverse(3)
    ([8, 4, 18], 4)

    References
    ----------
    Pohlig, Hellman, "An improved algorithm for computing logarithms over GF(p)", 1978, doi:10.1109/TIT.1978.1055817.
    """

    def __init__(self, prime: int | None = None) -> None:
        if prime is not None and (prime < 7 or prime % 4 != 3):
            raise BadRequest("must be a safe prime", parameter="prime", value=prime)
        self.prime = _RFC_3526 if prime is None else prime
        self.order = (self.prime - 1) // 2

    @cached_property
    def width(self) -> int:
        """Return how many bytes an element has."""
        return (self.prime.bit_length() + 7) // 8

    def key(self, secret: Secret = secrets.token_bytes) -> int:
        """Draw an exponent between 1 and the order."""
        return int.from_bytes(secret(self.width + 16), "big") % (self.order - 1) + 1

    def key_of(self, label: str) -> int:
        """Return the exponent of a label, as worked examples name their keys: known to everybody who knows the label."""
        return int.from_bytes(sha512(label.encode()).digest(), "big") % (self.order - 1) + 1

    def hashed(self, texts: Sequence[bytes], context: bytes = b"") -> list[int]:
        """Return the square of five hashes side by side."""
        return [self._square(context + text) for text in texts]

    def _square(self, text: bytes) -> int:
        parts = (sha512(b"ppdp/ph/v1|" + at.to_bytes(4, "big") + text).digest() for at in range(5))
        return pow(int.from_bytes(b"".join(parts), "big") % self.prime, 2, self.prime)

    def encrypted(self, key: int, elements: Sequence[int]) -> list[int]:
        """Return powers; what is no square is refused."""
        if any(not 0 < one < self.prime or pow(one, self.order, self.prime) != 1 for one in elements):
            raise BadRequest("is not an element of the group", parameter="elements")
        return [pow(one, key, self.prime) for one in elements]

    def inverse(self, key: int) -> int:
        """Return the exponent that takes another one back."""
        return pow(key, -1, self.order)

    def serialised(self, element: int) -> bytes:
        """Return the number, the highest byte first."""
        return element.to_bytes(self.width, "big")


# Group 14: 2^2048 - 2^1984 - 1 + 2^64 (floor(2^1918 pi) + 124476).
_RFC_3526 = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F"
    "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"
    "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510"
    "15728E5A8AACAA68FFFFFFFFFFFFFFFF",
    16,
)
