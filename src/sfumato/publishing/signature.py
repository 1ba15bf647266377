"""A signature says whose certificate it is: Ed25519 over the exact bytes of ``certificate.json``, in a file beside it.

The certificate alone shows any change but not who made it. The signature file names the public key, so that anybody can see
that the bytes belong to that key; whose key it is must be known from elsewhere. ``openssl pkeyutl -verify -rawin`` checks the
same signature.
"""

from __future__ import annotations

import base64
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Taken, Unsupported

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["FILE", "Signature", "checked", "fingerprint", "new_key", "private_key", "read_public_key", "signed"]

FILE = "certificate.signature.json"
_ALGORITHM = "Ed25519"


@frozen
class Signature:
    """A signature that was checked: the fingerprint of its key, and whether that is the key that was asked for."""

    fingerprint: str
    expected: bool


def new_key(path: Path, passphrase: str | None = None) -> str:
    """Write a new private key to a file that only its owner can read, the public one beside it; return the fingerprint.

    The files are ``path`` (PKCS #8, encrypted if a passphrase is given) and ``path.pub``, both PEM. Nothing is overwritten.
    """
    ed25519 = _ed25519()
    from cryptography.hazmat.primitives import serialization as form

    public_path = path.with_name(path.name + ".pub")
    for one in (path, public_path):
        if one.exists():
            raise Taken("exists already; a key is never overwritten", parameter="key", value=str(one))
    key = ed25519.Ed25519PrivateKey.generate()
    locked = form.BestAvailableEncryption(passphrase.encode()) if passphrase else form.NoEncryption()
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, locked)
    public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(private)
        public_path.write_bytes(public)
    except OSError as error:
        raise BadRequest(f"cannot be written ({error.strerror})", parameter="key", value=str(path)) from None
    return fingerprint(_raw(key.public_key()))


def signed(certificate: bytes, key: Path, passphrase: str | None = None) -> bytes:
    """Return the content of the signature file for the bytes of a certificate."""
    private = private_key(key, passphrase)
    document = {
        "signature": 1,
        "algorithm": _ALGORITHM,
        "public_key": base64.b64encode(_raw(private.public_key())).decode(),
        "value": base64.b64encode(private.sign(certificate)).decode(),
    }
    return (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()


def checked(certificate: bytes, signature: bytes, public_key: Path | None = None) -> Signature:
    """Check a signature; refuse one that does not belong to these bytes or, if a key is given, to that key."""
    ed25519 = _ed25519()
    from cryptography.exceptions import InvalidSignature

    try:
        document = json.loads(signature)
        if (document["signature"], document["algorithm"]) != (1, _ALGORITHM):
            raise ValueError
        raw = base64.b64decode(document["public_key"], validate=True)
        value = base64.b64decode(document["value"], validate=True)
        key = ed25519.Ed25519PublicKey.from_public_bytes(raw)
    except (ValueError, KeyError, TypeError):
        raise BadRequest("is not a signature that can be read", parameter=FILE) from None
    if public_key is not None and read_public_key(public_key) != raw:
        raise BadRequest(
            f"was made with another key ({fingerprint(raw)}) than the given one ({fingerprint(read_public_key(public_key))})",
            parameter=FILE,
        )
    try:
        key.verify(value, certificate)
    except InvalidSignature:
        raise BadRequest("does not belong to this certificate", parameter=FILE) from None
    return Signature(fingerprint(raw), public_key is not None)


def fingerprint(raw: bytes) -> str:
    """Return the SHA-256 of the 32 bytes of a public key, the first half of it in groups of four: to be read out aloud.

    >>> fingerprint(bytes(32))
    '6668 7aad f862 bd77 6c8f c18b 8e9f 8e20'
    """
    digest = sha256(raw).hexdigest()[:32]
    return " ".join(digest[at : at + 4] for at in range(0, 32, 4))


def read_public_key(path: Path) -> bytes:
    """Return the 32 bytes of a public key file (PEM)."""
    ed25519 = _ed25519()
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(path.read_bytes())
    except OSError as error:
        raise BadRequest(f"cannot be read ({error.strerror})", parameter="public_key", value=str(path)) from None
    except ValueError:
        raise BadRequest("is not a public key in PEM form", parameter="public_key", value=str(path)) from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise BadRequest("is not an Ed25519 key", parameter="public_key", value=str(path))
    return _raw(key)


def private_key(path: Path, passphrase: str | None) -> Ed25519PrivateKey:
    """Return the private key of a file; refuse what is none, and a locked one without its passphrase."""
    ed25519 = _ed25519()
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(path.read_bytes(), passphrase.encode() if passphrase else None)
    except OSError as error:
        raise BadRequest(f"cannot be read ({error.strerror})", parameter="key", value=str(path)) from None
    except TypeError:
        rule = "is not locked; no passphrase is needed" if passphrase else "is locked and needs its passphrase"
        raise BadRequest(rule, parameter="key", value=str(path)) from None
    except ValueError:
        raise BadRequest(
            "is not a private key in PEM form, or the passphrase is wrong", parameter="key", value=str(path)
        ) from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise BadRequest("is not an Ed25519 key", parameter="key", value=str(path))
    return key


def _raw(key: Ed25519PublicKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    raw: bytes = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    return raw


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ModuleNotFoundError:
        raise Unsupported(
            "signing needs the package cryptography: pip install 'sfumato[sign]'", thing="signature"
        ) from None
    return ed25519
