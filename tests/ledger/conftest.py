"""What the tests of the ledger share: a new one, a clock that can be set, a release folder that is none but looks like one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sfumato.ledger.ledger import Ledger

from .trial import release_folder

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
