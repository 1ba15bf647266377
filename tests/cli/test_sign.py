"""``sfumato keygen``, ``sign`` and ``verify --public-key``: the whole thread, and what is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_keys_signature_and_verification(tmp_path: Path, run: Run) -> None:
    assert run("demo", "--out", "demo").returncode == 0
    made = run("keygen", "steward.pem")
    assert made.returncode == 0, made.stderr
    print_ = made.stdout.splitlines()[-1].removeprefix("fingerprint ")
    assert "PRIVATE" not in made.stdout
    refused = run("verify", "demo/release", "--public-key", "steward.pem.pub")
    assert refused.returncode == 2
    assert "nobody signed" in refused.stderr
    signed = run("sign", "demo/release", "--key", "steward.pem")
    assert signed.returncode == 0, signed.stderr
    found = run("verify", "demo/release", "--public-key", "steward.pem.pub")
    assert found.returncode == 0, found.stderr
    assert f"signed with the given key, fingerprint {print_}" in found.stdout
    assert "you must know from elsewhere" in run("verify", "demo/release").stdout
    again = run("keygen", "steward.pem")
    assert again.returncode == 5
    assert "never overwritten" in again.stderr
    assert run("sign", "demo/release", "--key", "nowhere.pem").returncode == 5
