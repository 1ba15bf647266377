"""Every command prints one JSON document with ``--json``, and nothing else on its output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run

pytestmark = pytest.mark.slow


@pytest.fixture
def told(run: Run, good: Path) -> Callable[..., dict[str, object]]:
    def told(*words: str) -> dict[str, object]:
        done = run(*words, "--json")
        assert done.returncode in (0, 1), done.stderr
        found: dict[str, object] = json.loads(done.stdout)
        return found

    return told


def test_a_release_is_told_verified_applied_signed_and_reported(
    told: Callable[..., dict[str, object]], good: Path
) -> None:
    found = ("attacker-risk", "individual-risk")
    accepted = "".join(f"  - {{id: {attack}, reason: invented people}}\n" for attack in found)
    (good / "policy.yaml").write_text(f"{(good / 'policy.yaml').read_text()}accepted:\n{accepted}")
    made = told("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out")
    assert made["out"] == "out"
    assert made["certificate"]["requirements"][0]["satisfied"] is True  # type: ignore[index]
    verified = told("verify", "out")
    assert verified["verified"] is True
    assert verified["certificate"] == made["certificate"]
    assert told("apply", "out", "data.csv", "-o", "next.csv")["satisfied"] in (True, False)
    assert told("report", "out", "-o", "again.html")["page"] == "again.html"
    pytest.importorskip("cryptography")
    assert told("keygen", "me")["public"] == "me.pub"
    assert str(told("sign", "out", "--key", "me")["signed"]).endswith("certificate.signature.json")


def test_tables_and_ids_are_told(told: Callable[..., dict[str, object]]) -> None:
    assert told("describe", "k-anonymity")["kind"] == "model"
    assert len(told("describe", "--kind", "model")) > 30
    assert told("describe", "notes")["kind"] == "dataset"
    assert told("describe", "hipaa-safe-harbor")["shape"] == "text"
    assert told("datasets", "patients")["rows"] == 7
    assert told("tabulate", "data.csv", "--by", "job", "--min-size", "2", "-o", "counts")["out"] == "counts"
    made = told("perturb", "data.csv", "--with", "rank-swapping column=age p=10", "-o", "swapped.csv", "--seed", "1")
    assert made["rows"] == 60
