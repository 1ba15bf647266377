"""What the tests of the ledger share: a new one, a clock that can be set, a release folder that is none but looks like one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from sfumato.ledger.ledger import Ledger

MakeFolder = Callable[..., str]


class SetClock:
    """A clock that says what it is told to, and a microsecond more each time."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(microseconds=1)
        return self.now


@pytest.fixture
def clock() -> SetClock:
    """A clock for a ledger."""
    return SetClock()


@pytest.fixture
def ledger(tmp_path: Path, clock: SetClock) -> Iterator[Ledger]:
    """A new ledger."""
    with Ledger.create(tmp_path / "people.ledger", clock=clock) as made:
        yield made


@pytest.fixture
def folder() -> MakeFolder:
    """Return a function that makes a folder with a certificate and two files that it names; it gives the digest."""
    return release_folder


def release_folder(target: Path, **told: object) -> str:
    """Make a folder that has what the ledger looks at."""
    public = target / "public"
    public.mkdir(parents=True)
    files = {"data.csv": b"age\n20-29\n", "schema.json": b"{}\n"}
    for name, content in files.items():
        (public / name).write_bytes(content)
    digests = {name: sha256(content).hexdigest() for name, content in files.items()}
    document = {
        "release": {"files": [{"file": "data.csv", "sha256": digests["data.csv"]}]},
        "schema_sha256": digests["schema.json"],
        **told,
    }
    content = json.dumps(document).encode()
    (public / "certificate.json").write_bytes(content)
    return sha256(content).hexdigest()
