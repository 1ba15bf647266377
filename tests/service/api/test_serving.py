"""TLS: the whole way of the example through it; nobody is answered in the clear, and files that do not fit are refused."""

from __future__ import annotations

import datetime
import os
import ssl
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from service.api.test_restart import EXAMPLE, serving
from sfumato.errors import BadRequest
from sfumato.service.api.house import House
from sfumato.service.api.serving import Service
from sfumato.service.api.tokens import TokenFile

x509 = pytest.importorskip("cryptography.x509")


def certified(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate for this computer that signs itself, and its key."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    who = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder(who, who, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / f"{name}.crt").write_bytes(made.public_bytes(pem))
    (folder / f"{name}.key").write_bytes(plain)
    return folder / f"{name}.crt", folder / f"{name}.key"


def test_the_example_goes_the_whole_way_through_tls(tmp_path: Path) -> None:
    certificate, key = certified(tmp_path, "here")
    token = TokenFile(tmp_path / "tokens").add("hospital", "steward")
    options = ("--tls-certificate", str(certificate), "--tls-key", str(key), "--name", "127.0.0.1")
    with serving(tmp_path, *options) as (address, _):
        assert address.startswith("https://127.0.0.1:")
        with pytest.raises(URLError, match="CERTIFICATE_VERIFY_FAILED"):
            urlopen(f"{address}/livez", timeout=20)
        with pytest.raises(OSError, match=r".*"):  # in the clear there is no answer
            urlopen(f"{address.replace('https', 'http')}/livez", timeout=20)
        old = ssl.create_default_context(cafile=str(certificate))
        with urlopen(f"{address}/livez", timeout=20, context=old) as answer:
            assert answer.status == 200
        said = {"SFUMATO_SERVICE": address, "SFUMATO_TOKEN": token, "SSL_CERT_FILE": str(certificate)}
        done = subprocess.run(
            [sys.executable, str(EXAMPLE)], env={**os.environ, **said}, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        assert "released: True" in done.stdout
        assert "bytes may go" in done.stdout


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    (certificate, key), (_, strange) = certified(tmp_path, "one"), certified(tmp_path, "two")
    tokens = TokenFile(tmp_path / "tokens")
    tokens.add("hospital", "steward")
    house = House(tmp_path / "root", tokens)
    for listen, given, why in (
        ("0.0.0.0:0", {}, "tls-certificate"),
        ("0.0.0.0:0", {"certificate": certificate, "key": key}, "by which names"),
        ("127.0.0.1:0", {"certificate": certificate}, "both"),
        ("127.0.0.1:0", {"certificate": certificate, "key": strange}, "TLS"),
        ("127.0.0.1:0", {"certificate": certificate, "key": tmp_path / "none"}, "no such file"),
        ("127.0.0.1:0", {"certificate": key, "key": key}, "TLS"),
    ):
        with pytest.raises(BadRequest, match=why) as refused:
            Service(house, listen, **given)
        assert str(tmp_path) not in str(refused.value)
