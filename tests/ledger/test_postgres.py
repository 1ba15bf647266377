"""The same ledger in a PostgreSQL database: a team appends to it, triggers keep it, locks tell who is at work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from secrets import token_hex

import pytest

from engines.conftest import postgres  # noqa: F401
from sfumato.errors import BadRequest, Taken
from sfumato.ledger.entry import Body
from sfumato.ledger.key import VARIABLE
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.verification import Witness

from .conftest import MakeFolder
from .test_contending_writers import charged

pytestmark = pytest.mark.postgres


@pytest.fixture
def address(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    """The address of a ledger that nobody made yet."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "team.key"))
    return f"{postgres}#test_{token_hex(4)}"


def test_a_series_and_a_budget_are_remembered(address: str, tmp_path: Path, folder: MakeFolder) -> None:
    with Ledger.create(address) as ledger:
        with ledger.reserve("patients", tmp_path / "march") as reservation:
            seen = reservation.certified
            reservation.prepare(folder(tmp_path / "march"), Body("mapping", bytes(range(256)) * 50))
            reservation.commit()
        ledger.budgets.allot("survey", epsilon=1, delta=1e-6)
        ledger.budgets.charge("survey", epsilon=0.25, delta=1e-9, key="q")
        assert ledger.budgets.quote("survey", epsilon=0.25).times == 3
    with Ledger(address) as again:
        (past,) = again.history("patients")
        assert past.place == tmp_path / "march"
        assert past.body == Body("mapping", bytes(range(256)) * 50)
        assert again.verify([Witness(seen)])
        number = next(entry.number for entry in again.entries() if entry.kind == "prepared")
        again.erase(number, "asked for")
        assert again.verify().erased == (number,)


def test_places_and_names_are_checked(address: str, postgres: str) -> None:  # noqa: F811
    with pytest.raises(BadRequest, match="there is no ledger"):
        Ledger(address)
    Ledger.create(address).close()
    with pytest.raises(Taken, match="exists already"):
        Ledger.create(address)
    with pytest.raises(BadRequest, match="small letters"):
        Ledger.create(f"{postgres}#x; DROP TABLE")
    wrong = postgres.replace("tester@", "tester:hunter2@").replace("/postgres", "/nowhere")
    with pytest.raises(BadRequest, match=r'cannot connect .* port .* database "nowhere" does not exist') as refused:
        Ledger.create(wrong)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET at = 0",
        "DELETE FROM entries",
        "TRUNCATE entries",
        "INSERT INTO entries SELECT 7, at, kind, series, about, facts, body, head, signature FROM entries",
        "UPDATE bodies SET kind = 'x'",
        "DELETE FROM bodies",
        "DELETE FROM charges",
    ],
)
def test_the_database_refuses_changes(address: str, tmp_path: Path, statement: str) -> None:
    with Ledger.create(address) as ledger:
        with ledger.reserve("patients", tmp_path / "march"):
            pass
        with pytest.raises(BadRequest, match="the database refuses"), ledger._book.store.writing():
            ledger._book.store.run(statement)
        assert ledger.verify()


def test_what_was_changed_is_named(address: str) -> None:
    with Ledger.create(address) as ledger:
        ledger.budgets.allot("survey", epsilon=1)
        store = ledger._book.store
        with store.writing():
            store.run("ALTER TABLE entries DISABLE TRIGGER kept")
            store.run("UPDATE entries SET at = at + 1 WHERE number = 1")
        words = " | ".join(problem.text for problem in ledger.verify().problems)
    assert "somebody changed them" in words
    assert "mismatch at entry 1" in words


@pytest.mark.slow
def test_processes_lose_nothing(address: str) -> None:
    with Ledger.create(address) as ledger:
        ledger.budgets.allot("survey", epsilon=0.3)
    assert charged(address, 6, 10) == 30
    with Ledger(address) as ledger:
        assert ledger.verify()
        assert Counter(entry.kind for entry in ledger.entries())["charged"] == 30


BEGUN = """
import sys
from sfumato.ledger.ledger import Ledger

held = Ledger(sys.argv[1]).reserve("patients", sys.argv[2])
print("reserved", flush=True)
sys.stdin.read()
"""


def test_who_is_at_work_is_left_alone_and_who_was_killed_is_settled(address: str, tmp_path: Path) -> None:
    Ledger.create(address).close()
    argv = [sys.executable, "-c", BEGUN, address, str(tmp_path / "march")]
    run = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ)
    assert run.stdout is not None
    assert run.stdout.readline() == b"reserved\n"
    with Ledger(address) as ledger:
        assert [settled.outcome for settled in ledger.repair()] == ["under way"]
        with pytest.raises(BadRequest, match="being written by somebody else"):
            ledger.reserve("patients", tmp_path / "april")
        run.send_signal(signal.SIGKILL)
        run.wait()
        for _ in range(100):  # until the server has noticed
            outcome = [settled.outcome for settled in ledger.repair()]
            if outcome != ["under way"]:
                break
        assert outcome == ["cancelled"]
        assert ledger.verify()
