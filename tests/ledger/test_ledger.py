"""A ledger is made, appended to, closed, opened again; it forgets bodies on request and nothing else."""

from __future__ import annotations

import json
import sqlite3
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

import sfumato
from sfumato.ledger.entry import Body
from sfumato.ledger.facts import Cancelled
from sfumato.ledger.key import VARIABLE
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.sqlite import _refuse_network

from .conftest import MakeFolder, SetClock


def filled(ledger: Ledger, folder: MakeFolder, tmp_path: Path, *names: str) -> None:
    """Make one release after the other."""
    for name in names:
        with ledger.reserve("patients", tmp_path / name) as reservation:
            told = {"ledger": str(reservation.certified)}
            digest = folder(tmp_path / f"{name}.aside", **told)
            reservation.prepare(digest, Body("mapping", b"what must stay: " + name.encode()))
            (tmp_path / f"{name}.aside").rename(tmp_path / name)
            reservation.commit()


def test_a_series_is_remembered(tmp_path: Path, ledger: Ledger, folder: MakeFolder, clock: SetClock) -> None:
    filled(ledger, folder, tmp_path, "march", "april")
    assert [entry.kind for entry in ledger.entries()] == ["opened", *["reserved", "prepared", "released"] * 2]
    ledger.close()
    with Ledger(tmp_path / "people.ledger", clock=clock) as again:
        first, second = again.history("patients")
        assert (first.release, second.release) == (1, 2)
        assert first.place == tmp_path / "march"
        assert first.body == Body("mapping", b"what must stay: march")
        assert first.certificate == sha256((tmp_path / "march/public/certificate.json").read_bytes()).hexdigest()
        assert again.series == ("patients",)
        assert again.verify()


def test_it_is_offered_at_the_top() -> None:
    assert sfumato.Ledger is Ledger


def test_only_the_owner_can_open_it(tmp_path: Path, ledger: Ledger) -> None:
    ledger.budgets.allot("b", epsilon=1)
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    assert {path.name for path in files} >= {"people.ledger", "people.ledger.key", "people.ledger-wal"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    for name in ("people.ledger", "people.ledger.key"):
        (tmp_path / name).chmod(0o640)
        with pytest.raises(sfumato.BadRequest, match="by others"):
            Ledger(tmp_path / "people.ledger")
        (tmp_path / name).chmod(0o600)


def test_a_place_that_is_taken_or_empty_is_refused(tmp_path: Path, ledger: Ledger) -> None:
    with pytest.raises(sfumato.BadRequest, match="exists already"):
        Ledger.create(tmp_path / "people.ledger")
    with pytest.raises(sfumato.BadRequest, match="there is no ledger"):
        Ledger(tmp_path / "nobody.ledger")
    (tmp_path / "text.ledger").write_text("no database " * 100)
    (tmp_path / "text.ledger").chmod(0o600)
    with pytest.raises(sfumato.BadRequest, match="not a ledger"):
        Ledger(tmp_path / "text.ledger")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t (a)")
    (tmp_path / "other.db").chmod(0o600)
    with pytest.raises(sfumato.BadRequest, match="not a ledger"):
        Ledger(tmp_path / "other.db")
    with pytest.raises(sfumato.BadRequest, match="cannot be written"):
        Ledger.create(tmp_path / "none" / "people.ledger")


def test_the_key_is_needed_and_must_be_the_right_one(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people.ledger.key").rename(tmp_path / "moved")
    with pytest.raises(sfumato.BadRequest, match=VARIABLE):
        Ledger(tmp_path / "people.ledger")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "moved"))
    assert Ledger(tmp_path / "people.ledger").verify()
    Ledger.create(tmp_path / "other.ledger", key=tmp_path / "another").close()
    with Ledger(tmp_path / "people.ledger", key=tmp_path / "another") as wrong:
        assert "another key" in wrong.verify().problems[0].text
        with pytest.raises(sfumato.BadRequest, match="does not go on"):
            wrong.budgets.allot("b", epsilon=1)


@pytest.mark.parametrize("signature", ["ed25519", "hmac-sha256"])
def test_both_signatures_hold(tmp_path: Path, signature: str) -> None:
    with Ledger.create(tmp_path / "people.ledger", signature=signature) as made:
        made.budgets.allot("b", epsilon=1)
        assert made.verify()
    with pytest.raises(sfumato.BadRequest, match="is not a signature"):
        Ledger.create(tmp_path / "else.ledger", signature="none")
    assert not (tmp_path / "else.ledger").exists()


def test_the_last_entry_stays_the_oldest_allowed_time(clock: SetClock, ledger: Ledger) -> None:
    ledger.budgets.allot("b", epsilon=1)
    clock.now -= timedelta(seconds=1)
    ledger.budgets.top_up("b", epsilon=1)
    first, second = list(ledger.entries())[1:]
    assert second.at == first.at, "clocks may differ a little"
    clock.now -= timedelta(days=1)
    with pytest.raises(sfumato.BadRequest, match="clock is older"):
        ledger.budgets.top_up("b", epsilon=1)
    assert ledger.verify()


def test_a_body_can_be_erased(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    filled(ledger, folder, tmp_path, "march", "april")
    number = next(entry.number for entry in ledger.entries() if entry.kind == "prepared")
    before = ledger.checkpoint
    tombstone = ledger.erase(number, "asked for by the person")
    assert tombstone.about == number
    assert ledger.body(number) is None
    assert ledger.history("patients")[0].body is None
    found = ledger.verify()
    assert found
    assert found.erased == (number,)
    assert ledger.entry(before.size).head == before.head, "what was signed before still holds"
    held = b"".join(path.read_bytes() for path in tmp_path.glob("people.ledger*"))
    assert b"what must stay: march" not in held
    assert b"what must stay: april" in held
    with pytest.raises(sfumato.BadRequest, match="erased already"):
        ledger.erase(number, "again")
    with pytest.raises(sfumato.BadRequest, match="in words"):
        ledger.erase(number, " ")
    with pytest.raises(sfumato.BadRequest, match="is not there"):
        ledger.erase(99, "why not")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET at = 0",
        "DELETE FROM entries WHERE number = 2",
        "INSERT OR REPLACE INTO entries SELECT 1, at, kind, series, about, facts, body, head, signature FROM entries",
        "UPDATE bodies SET content = ''",
        "DELETE FROM bodies",
        "UPDATE charges SET epsilon = 0",
        "DELETE FROM charges",
    ],
)
def test_the_database_refuses_changes(tmp_path: Path, ledger: Ledger, folder: MakeFolder, statement: str) -> None:
    filled(ledger, folder, tmp_path, "march")
    ledger.budgets.allot("b", epsilon=1)
    ledger.budgets.charge("b", epsilon=1, key="q")
    with closing(sqlite3.connect(tmp_path / "people.ledger")) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute(statement)


def test_persons_have_pseudonyms_only(tmp_path: Path, ledger: Ledger) -> None:
    name = ledger.pseudonym("Ann Smith 1970", namespace="patients")
    assert len(name) == 32
    assert name == Ledger(tmp_path / "people.ledger").pseudonym("Ann Smith 1970", namespace="patients")
    assert name != ledger.pseudonym("Ann Smith 1970")
    with Ledger.create(tmp_path / "other.ledger") as other:
        assert name != other.pseudonym("Ann Smith 1970", namespace="patients")


def test_an_export_shows_the_chain_and_no_body(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    filled(ledger, folder, tmp_path, "march")
    lines = [json.loads(line) for line in ledger.export()]
    head = bytes(32)
    for line in lines:
        held = [line[name] for name in ("number", "at", "kind", "series", "about", "facts", "body")]
        text = json.dumps(held, separators=(",", ":")).encode()
        head = sha256(b"sfumato ledger 1\n" + head + text).digest()
        assert line["head"] == head.hex()
    whole = "\n".join(ledger.export())
    assert "what must stay" not in whole
    assert str(tmp_path) not in whole
    assert "march" not in whole


def test_a_change_that_fails_is_none(ledger: Ledger) -> None:
    def fails() -> None:
        with ledger._book.writing():
            ledger._book.append(Cancelled())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert ledger.size == 1
    ledger.budgets.allot("b", epsilon=1)
    assert ledger.verify()


def test_a_beginning_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(sfumato.BadRequest, match="cannot be written"):
        Ledger.create(tmp_path / "people.ledger", key=tmp_path / "none" / "key")
    assert list(tmp_path.iterdir()) == []


def test_threads_take_turns(ledger: Ledger) -> None:
    ledger.budgets.allot("b", epsilon=1)

    def charged(name: int) -> None:
        for number in range(10):
            ledger.budgets.charge("b", epsilon=0.01, key=f"{name} {number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(charged, range(4)))
    assert ledger.budgets.quote("b", epsilon=0.01).times == 60
    assert ledger.verify()


def test_without_cryptography_checkpoints_are_signed_by_hmac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Ledger.create(tmp_path / "signed.ledger").close()
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with Ledger.create(tmp_path / "people.ledger") as made:
        assert json.loads(next(made.entries()).text)["signature"] == "hmac-sha256"
        assert made.verify()
    with pytest.raises(sfumato.Unsupported, match="cryptography"):
        Ledger(tmp_path / "signed.ledger").budgets.allot("b", epsilon=1)


MOUNTS = """\
22 27 0:21 / / rw,relatime - ext4 /dev/vda rw
23 22 0:22 / /home rw,relatime - nfs4 server:/home rw
24 23 0:23 / /home/ann/local\\040disk rw - xfs /dev/vdb rw
25 22 0:24 / /mnt/far rw shared:1 - fuse.sshfs far: rw
"""


@pytest.mark.parametrize(
    ("place", "refused"),
    [("/tmp/a", False), ("/home/ann/a", True), ("/home/ann/local disk/a", False), ("/mnt/far/deep/a", True)],
)
def test_network_disks_are_refused(tmp_path: Path, place: str, refused: bool) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    if not refused:
        _refuse_network(Path(place), tmp_path / "mounts")
        return
    with pytest.raises(sfumato.BadRequest, match="network file system"):
        _refuse_network(Path(place), tmp_path / "mounts")


@pytest.mark.parametrize("place", ["", ".", "no\0name"])
def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sfumato.BadRequest, match="ledger:"):
        Ledger(place)
