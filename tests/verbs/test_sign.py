"""Signed certificates: whose they are, and that nothing passes that should not."""

from __future__ import annotations

import base64
import json
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato
from sfumato.datasets import sample, sample_policy
from sfumato.errors import BadRequest, Unsupported
from sfumato.publishing.signature import FILE, checked, new_key, read_public_key


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signed")
    table = sfumato.from_dataset(sample().part(0, 200))
    return sfumato.publish(sfumato.anonymize(table, sample_policy()), folder / "release")


@pytest.fixture
def release(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "release"))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_key(tmp_path / "steward.pem")
    return tmp_path / "steward.pem"


def test_a_signed_release_names_its_key(release: Path, key: Path) -> None:
    assert sfumato.verify(release).signature is None
    file = sfumato.sign(release, key)
    assert file == release / "public" / FILE
    found, expected = sfumato.verify(release), sfumato.verify(release, public_key=f"{key}.pub")
    assert found.signature is not None
    assert expected.signature is not None
    assert not found.signature.expected
    assert expected.signature.expected
    assert found.signature.fingerprint == expected.signature.fingerprint
    # The same key and the same bytes give the same signature.
    first = file.read_bytes()
    file.unlink()
    assert sfumato.sign(release / "public", key).read_bytes() == first


def test_another_key_and_a_missing_signature_are_refused(release: Path, key: Path, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="nobody signed"):
        sfumato.verify(release, public_key=f"{key}.pub")
    sfumato.sign(release, key)
    new_key(tmp_path / "stranger.pem")
    with pytest.raises(BadRequest, match="another key"):
        sfumato.verify(release, public_key=tmp_path / "stranger.pem.pub")
    with pytest.raises(BadRequest, match="is signed"):
        sfumato.sign(release, key)


@pytest.mark.parametrize("part", ["public_key", "value"])
def test_a_changed_signature_is_refused(release: Path, key: Path, part: str) -> None:
    file = sfumato.sign(release, key)
    document = json.loads(file.read_text())
    raw = bytearray(base64.b64decode(document[part]))
    raw[5] ^= 1
    document[part] = base64.b64encode(bytes(raw)).decode()
    file.write_text(json.dumps(document))
    with pytest.raises(BadRequest):
        sfumato.verify(release)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"signature": 1, "algorithm": "none"}', "\x00"])
def test_what_is_no_signature_is_refused(release: Path, content: str) -> None:
    (release / "public" / FILE).write_text(content)
    with pytest.raises(BadRequest, match="not a signature"):
        sfumato.verify(release)


def test_a_signature_of_another_certificate_is_refused(release: Path, key: Path) -> None:
    sfumato.sign(release, key)
    signature = (release / "public" / FILE).read_bytes()
    with pytest.raises(BadRequest, match="does not belong"):
        checked(b"another certificate", signature)


def test_a_changed_release_is_not_signed(release: Path, key: Path) -> None:
    data = release / "public" / "data.csv"
    data.write_bytes(data.read_bytes() + b"\n")
    with pytest.raises(BadRequest, match="was changed"):
        sfumato.sign(release, key)
    assert not (release / "public" / FILE).exists()


def test_keys_are_for_their_owner_and_never_overwritten(key: Path) -> None:
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    with pytest.raises(BadRequest, match="never overwritten"):
        new_key(key)
    assert len(read_public_key(Path(f"{key}.pub"))) == 32
    for wrong in (key, Path("nowhere.pub")):
        with pytest.raises(BadRequest, match=r"cannot be read|not a public key"):
            read_public_key(wrong)


def test_a_locked_key_needs_its_passphrase(release: Path, tmp_path: Path) -> None:
    new_key(tmp_path / "locked.pem", "open sesame")
    for passphrase in (None, "wrong"):
        with pytest.raises(BadRequest, match="passphrase"):
            sfumato.sign(release, tmp_path / "locked.pem", passphrase=passphrase)
    sfumato.sign(release, tmp_path / "locked.pem", passphrase="open sesame")
    assert sfumato.verify(release, public_key=tmp_path / "locked.pem.pub")


def test_without_the_package_it_says_what_to_install(release: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sfumato.sign(release, key)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    with pytest.raises(Unsupported, match=r"sfumato\[sign\]"):
        sfumato.verify(release, public_key=f"{key}.pub")
    assert "signature" in sfumato.verify(release).unchecked


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_checks_the_same_signature(release: Path, key: Path, tmp_path: Path) -> None:
    document = json.loads(sfumato.sign(release, key).read_text())
    (tmp_path / "value").write_bytes(base64.b64decode(document["value"]))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", f"{key}.pub", "-rawin", "-in"]
    certificate = release / "public" / "certificate.json"
    done = subprocess.run(
        [*command, str(certificate), "-sigfile", str(tmp_path / "value")], capture_output=True, text=True, check=False
    )
    assert "Verified Successfully" in done.stdout


def test_a_place_that_cannot_be_written_is_named(release: Path, key: Path, tmp_path: Path) -> None:
    (release / "public" / FILE).symlink_to(tmp_path / "nowhere" / "signature")
    with pytest.raises(BadRequest, match="cannot be written") as caught:
        sfumato.sign(release, key)
    assert caught.value.parameter == FILE
