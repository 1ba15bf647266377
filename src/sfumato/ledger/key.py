"""The key of a ledger: one secret file of its owner, from which everything is derived that only the owner can do.

Checkpoints are signed with it (Ed25519 where the package cryptography is there, so that strangers can check them; else
HMAC-SHA256, which only the owner can), and persons get pseudonyms under it, so that no raw id is ever kept.
"""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Taken, Unsupported

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["ED25519", "HMAC", "SIGNATURES", "VARIABLE", "Key", "refuse_open_file", "signed_by"]

ED25519, HMAC = "ed25519", "hmac-sha256"
SIGNATURES = (ED25519, HMAC)
VARIABLE = "SFUMATO_LEDGER_KEY"
_BYTES = 32


@frozen
class Key:
    """The secret of a ledger; it never prints itself.

    >>> key = Key(bytes(32))
    >>> key.pseudonym("patients", "Ann") == key.pseudonym("patients", "Ann") != key.pseudonym("staff", "Ann")
    True
    """

    secret: bytes = field(repr=False)

    @classmethod
    def create(cls, path: Path) -> Key:
        """Write a new key to a file that only its owner can read; never over another one."""
        key = cls(secrets.token_bytes(_BYTES))
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(key.secret.hex().encode() + b"\n")
        except FileExistsError:
            raise Taken("exists already; a key is never overwritten", parameter="key", value=str(path)) from None
        except OSError as error:
            raise BadRequest(f"cannot be written ({error.strerror})", parameter="key", value=str(path)) from None
        return key

    @classmethod
    def read(cls, path: Path) -> Key:
        """Read a key file; one that others can read is refused."""
        try:
            refuse_open_file(path, "key")
            secret = bytes.fromhex(path.read_text("ascii").strip())
        except OSError as error:
            raise BadRequest(
                f"the key of the ledger cannot be read ({error.strerror}); name it by --key or {VARIABLE}",
                parameter="key",
                value=str(path),
            ) from None
        except ValueError:
            raise BadRequest("is not the key of a ledger", parameter="key", value=str(path)) from None
        if len(secret) != _BYTES:
            raise BadRequest("is not the key of a ledger", parameter="key", value=str(path))
        return cls(secret)

    def pseudonym(self, namespace: str, person: str) -> str:
        """Return the name of a person under this key: 32 hexadecimal digits of ``HMAC-SHA256(key, namespace, person)``."""
        part = self._derived("pseudonym " + namespace)
        return hmac.digest(part, person.encode(), "sha256").hex()[:32]

    def signature(self, algorithm: str, text: bytes) -> bytes:
        """Sign a checkpoint."""
        if algorithm == HMAC:
            return hmac.digest(self._derived("checkpoint"), text, "sha256")
        signed: bytes = self._ed25519.sign(text)
        return signed

    def public_key(self, algorithm: str) -> str:
        """Return the public key that checks the signatures, as hexadecimal digits; HMAC has none."""
        if algorithm == HMAC:
            return ""
        raw: bytes = self._ed25519.public_key().public_bytes_raw()
        return raw.hex()

    @cached_property
    def _ed25519(self) -> Ed25519PrivateKey:
        try:
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        except ModuleNotFoundError:
            raise Unsupported(
                "the checkpoints of this ledger are signed with Ed25519 and need the package cryptography: "
                "pip install 'sfumato[sign]'",
                thing=ED25519,
                alternatives=[HMAC],
            ) from None
        return Ed25519PrivateKey.from_private_bytes(self._derived("ed25519"))

    def _derived(self, purpose: str) -> bytes:
        return hmac.digest(self.secret, f"sfumato ledger 1 {purpose}".encode(), "sha256")


def signed_by(algorithm: str, public_key: str, key: Key | None, text: bytes, signature: bytes) -> bool:
    """Tell whether a checkpoint was signed with a key; Ed25519 asks the public one only."""
    if algorithm == HMAC:
        return key is not None and hmac.compare_digest(key.signature(HMAC, text), signature)
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ModuleNotFoundError:
        raise Unsupported("checking signatures needs the package cryptography", thing=ED25519) from None
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True


def refuse_open_file(path: Path, parameter: str) -> None:
    """Refuse a private file that others than its owner can open."""
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise BadRequest(
            "can be opened by others than its owner; close it with chmod 600", parameter=parameter, value=str(path)
        )
