"""Who a holder is: an Ed25519 key of its own, and a certificate of it that others pin."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["Identity", "Pinned", "new_certificate"]

_DAYS = 825


@frozen
class Pinned:
    """Another holder as a contract knows it: its name and the certificate (PEM) that its key must belong to."""

    name: str
    certificate: str

    @property
    def key(self) -> bytes:
        """Return the 32 bytes of the public key; refuse a certificate of another kind."""
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            key = x509.load_pem_x509_certificate(self.certificate.encode()).public_key()
        except ValueError:
            raise BadRequest(say("party.bad.pem"), parameter=f"certificate of {self.name}") from None
        if not isinstance(key, Ed25519PublicKey):
            raise BadRequest("must be of an Ed25519 key", parameter=f"certificate of {self.name}")
        return bytes(key.public_bytes_raw())

    def signed(self, text: bytes, signature: bytes) -> bool:
        """Tell whether a signature of a text is this holder's."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(signature, text)
        except InvalidSignature:
            return False
        return True

    def sealed(self, text: bytes) -> bytes:
        """Return a text that this holder alone can open."""
        nacl = _nacl()
        return bytes(nacl.public.SealedBox(nacl.signing.VerifyKey(self.key).to_curve25519_public_key()).encrypt(text))


class Identity:
    """This holder: its name, its private key, its certificate."""

    def __init__(self, name: str, key: Path, certificate: Path, passphrase: str | None = None) -> None:
        from sfumato.publishing.signature import private_key

        self.name, self.key_file, self.certificate_file, self.passphrase = name, key, certificate, passphrase
        self._key: Ed25519PrivateKey = private_key(key, passphrase)
        try:
            self.pinned = Pinned(name, certificate.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            raise BadRequest(say("party.bad.unread"), parameter="certificate", value=certificate.name) from None
        if self.pinned.key != self._key.public_key().public_bytes_raw():
            raise BadRequest(say("party.bad.other_key"), parameter="certificate", value=certificate.name)

    def sign(self, text: bytes) -> bytes:
        """Return the signature of a text."""
        return bytes(self._key.sign(text))

    def opened(self, sealed: bytes) -> bytes:
        """Open what was sealed for this holder."""
        nacl = _nacl()
        own = nacl.signing.SigningKey(self._key.private_bytes_raw()).to_curve25519_private_key()
        try:
            return bytes(nacl.public.SealedBox(own).decrypt(sealed))
        except (nacl.exceptions.CryptoError, ValueError, TypeError):
            raise BadRequest("is not sealed for this holder", parameter="envelope") from None


def new_certificate(name: str, key: Path, out: Path, passphrase: str | None = None) -> None:
    """Write a certificate of an own key, signed by itself: others pin it, so that nobody has to vouch for it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.x509.oid import NameOID

    from sfumato.publishing.signature import private_key

    if re.fullmatch(r"\w[\w-]{0,63}", name) is None:  # as contracts take it; X.509 has room for 64 characters
        raise BadRequest(say("party.bad.certificate_name"), parameter="name", value=name)
    if out.exists():
        raise BadRequest(say("party.bad.there"), parameter="out", value=out.name)
    own = private_key(key, passphrase)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(own, None)
    )
    try:
        out.write_bytes(made.public_bytes(form.Encoding.PEM))
    except OSError as error:
        raise BadRequest(say("party.bad.unwritten", why=str(error.strerror)), parameter="out", value=out.name) from None


def _nacl() -> ModuleType:
    try:
        import nacl.exceptions
        import nacl.public
        import nacl.signing
    except ImportError:
        raise Unsupported('sealed messages need PyNaCl: pip install "sfumato[parties]"', thing="party") from None
    found: ModuleType = nacl
    return found
