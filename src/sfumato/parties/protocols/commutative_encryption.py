"""Commutative encryption as a thing: which group holders use to compare identifiers that they do not show."""

from __future__ import annotations

from typing import ClassVar, Literal

from sfumato.contracts.thing import param
from sfumato.parties.blocks.ciphers import Cipher, Curve, PohligHellman
from sfumato.parties.conversation.protocol import Joint

__all__ = ["Cipher", "CommutativeEncryption", "Curve", "PohligHellman"]


class CommutativeEncryption(Joint):
    """Encrypt with several keys in any order: ``E_a(E_b(x)) = E_b(E_a(x))``, deterministic and one to one.

    Holders who each encrypt the identifiers of all can see which are equal, and nobody can open those of the others.
    Identifiers are hashed into a group first, and a key is a secret number by which elements are multiplied (raised to a
    power). The group ristretto255 is what every protocol here uses; Pohlig-Hellman, powers modulo a safe prime of 2048
    bits, is the scheme of the literature and kept as a reference for worked examples: slower by far, and its time tells
    about keys.

    Hashes without a secret key protect nobody: all personal numbers there are can be tried in minutes. Never send them.

    Examples
    --------
    >>> from sfumato.parties.protocols import CommutativeEncryption
    >>> cipher = CommutativeEncryption().cipher()
    >>> a, b = cipher.key(), cipher.key()
    >>> points = cipher.hashed([b"SSN-34"])
    >>> cipher.encrypted(a, cipher.encrypted(b, points)) == cipher.encrypted(b, cipher.encrypted(a, points))
    True

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.3.1.
    de Valence et al., "The ristretto255 and decaf448 groups", RFC 9496, 2023.
    """

    id: ClassVar[str] = "commutative-encryption"

    group: Literal["ristretto255", "pohlig-hellman"] = param(
        default="ristretto255",
        choices=("ristretto255", "pohlig-hellman"),
        doc="the group; the second as a reference only",
    )

    def cipher(self) -> Curve | PohligHellman:
        """Return the cipher."""
        return Curve() if self.group == "ristretto255" else PohligHellman()
