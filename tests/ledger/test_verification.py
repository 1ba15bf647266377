"""Whatever somebody does to a ledger is noticed and said, given the ledger and one later certificate."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from sfumato.contracts.certificate import LedgerEntry
from sfumato.errors import BadRequest
from sfumato.ledger.entry import Body
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.verification import Witness

from .conftest import MakeFolder, SetClock

FLIPS = 150


def published(ledger: Ledger, folder: MakeFolder, target: Path) -> LedgerEntry:
    """Make one release and return what its certificate says of the ledger."""
    with ledger.reserve("patients", target) as reservation:
        seen = reservation.certified
        reservation.prepare(folder(target), Body("mapping", b"body of " + target.name.encode()))
        reservation.commit()
    return seen


def changed(place: Path, *statements: str) -> None:
    """Change what triggers protect, as somebody can who owns the file."""
    with closing(sqlite3.connect(place)) as other, other:
        triggers = [row[0] for row in other.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")]
        for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f"DROP TRIGGER {name}")
        for statement in (*statements, *triggers):
            other.execute(statement)


@pytest.fixture
def seen(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> LedgerEntry:
    """A ledger with two releases and a charge, closed; what the later certificate says of it."""
    published(ledger, folder, tmp_path / "march")
    ledger.budgets.allot("survey", epsilon=1)
    ledger.budgets.charge("survey", epsilon=0.5, key="q")
    entry = published(ledger, folder, tmp_path / "april")
    ledger.close()
    return entry


def found(place: Path, *seen: LedgerEntry) -> list[str]:
    """Return what is wrong with a ledger, in words."""
    try:
        with Ledger(place) as opened:
            result = opened.verify([Witness(one) for one in seen])
            words = [problem.text for problem in result.problems]
            return words + [one.text for one in result.witnesses if not one]
    except BadRequest as error:
        return [str(error)]


def test_nothing_is_wrong_with_an_untouched_one(tmp_path: Path, seen: LedgerEntry) -> None:
    assert found(tmp_path / "people.ledger", seen) == []
    with Ledger(tmp_path / "people.ledger") as opened:
        (shown,) = opened.verify([Witness(seen)]).witnesses
        assert shown.standing == "longer"
        assert shown.text == "certificate: agrees at entry 7; the ledger is longer by 2 entries"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE entries SET at = at + 1 WHERE number = 3", "mismatch at entry 3"),
        ("UPDATE entries SET series = 'staff' WHERE number = 2", "mismatch at entry 2"),
        ("UPDATE entries SET signature = zeroblob(64) WHERE number = 5", "entry 5 is not signed"),
        ("UPDATE bodies SET content = 'x' WHERE number = 3", "body of entry 3 is"),
        ("UPDATE bodies SET kind = 'x' WHERE number = 3", "body of entry 3 is not what it was"),
        ("DELETE FROM bodies WHERE number = 3", "body of entry 3 is gone"),
        ("INSERT INTO bodies VALUES (1, 'x', x'00', x'00')", "body of entry 1 is not what it was"),
        ("UPDATE charges SET epsilon = 1", "not what the entries charge"),
        ("DELETE FROM charges", "not what the entries charge"),
        ("DELETE FROM entries WHERE number = 4", "entry 4 is missing"),
        ("UPDATE entries SET kind = 'unheard' WHERE number = 4", "mismatch at entry 4"),
        ("CREATE TABLE more (a)", "somebody changed them"),
        ("UPDATE entries SET at = 'then' WHERE number = 4", "entry 4 is damaged"),
    ],
)
def test_what_was_changed_is_named(tmp_path: Path, seen: LedgerEntry, statement: str, words: str) -> None:
    changed(tmp_path / "people.ledger", statement)
    assert words in " | ".join(found(tmp_path / "people.ledger"))


def test_a_dropped_trigger_is_noticed(tmp_path: Path, seen: LedgerEntry) -> None:
    with closing(sqlite3.connect(tmp_path / "people.ledger")) as other, other:
        other.execute("DROP TRIGGER entries_delete")
    assert "somebody changed them" in found(tmp_path / "people.ledger")[0]


def test_a_cut_off_end_shows_against_a_certificate(tmp_path: Path, seen: LedgerEntry) -> None:
    place = tmp_path / "people.ledger"
    changed(place, *(f"DELETE FROM {table} WHERE number > 5" for table in ("entries", "bodies", "charges")))
    assert found(place) == ["the file is not as it was when the ledger was closed last"]
    (tmp_path / "people.ledger.seal").unlink()
    assert found(place) == [], "a chain alone cannot show it"
    (words,) = found(place, seen)
    assert "the ledger is shorter: it ends at entry 5" in words


def test_a_truncated_file_is_refused(tmp_path: Path, seen: LedgerEntry) -> None:
    place = tmp_path / "people.ledger"
    whole = place.read_bytes()
    for size in (0, 50, 4096, len(whole) // 2, len(whole) - 4096, len(whole) - 1):
        place.write_bytes(whole[:size])
        assert found(place, seen), size


def test_a_fork_shows_against_the_certificate_of_the_other(
    tmp_path: Path, ledger: Ledger, folder: MakeFolder, clock: SetClock
) -> None:
    first = published(ledger, folder, tmp_path / "march")
    ledger._book.store.scrub()
    (tmp_path / "copy").mkdir()
    for name in ("people.ledger", "people.ledger.key"):
        shutil.copy(tmp_path / name, tmp_path / "copy" / name)
    theirs = published(ledger, folder, tmp_path / "april")
    with Ledger(tmp_path / "copy/people.ledger", clock=clock) as copy:
        ours = published(copy, folder, tmp_path / "april of the copy")
        assert copy.verify([Witness(first), Witness(ours)])
        shown = copy.verify([Witness(theirs), Witness(first)]).witnesses
    assert [one.standing for one in shown] == ["longer", "rewritten"]
    assert "history was rewritten" in shown[1].text
    assert "from entry 3 on" in shown[1].text, "the earlier certificate agrees at entry 2"


def test_an_owner_who_writes_history_anew_is_seen(tmp_path: Path, seen: LedgerEntry, clock: SetClock) -> None:
    place = tmp_path / "people.ledger"
    place.rename(tmp_path / "old")
    with Ledger.create(place, clock=clock) as made:  # the same key, the same words, another time
        changed_entries = list(made.entries())
    assert changed_entries
    assert "another ledger" in found(place, seen)[0]


def test_an_older_clock_is_noticed(tmp_path: Path, seen: LedgerEntry) -> None:
    place = tmp_path / "people.ledger"
    clock = SetClock()
    clock.now -= timedelta(days=400)
    with Ledger(place, clock=clock) as opened, pytest.raises(BadRequest, match="clock is older"):
        opened.budgets.top_up("survey", epsilon=1)


def test_a_certificate_of_a_cancelled_release_is_told(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    digest = folder(tmp_path / "moved away")
    with ledger.reserve("patients", tmp_path / "march") as reservation:
        seen = reservation.certified
        reservation.prepare(digest)
    witness = Witness(seen, "march", digest)
    assert "does not know that this release was published" in ledger.verify([witness]).witnesses[0].text
    ledger.add(tmp_path / "moved away", "patients")
    assert ledger.verify([witness])


def test_another_certificate_for_the_same_entry_is_told(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    seen = published(ledger, folder, tmp_path / "march")
    assert "another certificate" in ledger.verify([Witness(seen, "march", "ab" * 32)]).witnesses[0].text


# ---- single bytes --------------------------------------------------------------------------------------------------------


def flipped(place: Path, copy: Path, seen: LedgerEntry, at: int, bit: int) -> list[str]:
    """Flip one bit in a copy of a ledger's file and return what is said of it."""
    content = bytearray(place.read_bytes())
    content[at] ^= 1 << bit
    for ending in ("", "-wal", "-shm"):
        copy.with_name(copy.name + ending).unlink(missing_ok=True)
    for ending in (".key", ".seal"):
        shutil.copy(f"{place}{ending}", f"{copy}{ending}")
    copy.write_bytes(content)
    copy.chmod(0o600)
    return found(copy, seen)


def test_a_flipped_byte_is_noticed(tmp_path: Path, seen: LedgerEntry) -> None:
    place, rng = tmp_path / "people.ledger", Random(18)
    content = place.read_bytes()
    used = [at for at, byte in enumerate(content) if byte]
    for at in [rng.choice(used) for _ in range(FLIPS)] + [rng.randrange(len(content)) for _ in range(FLIPS // 2)]:
        assert flipped(place, tmp_path / "copy", seen, at, rng.randrange(8)), at


def test_a_flipped_byte_that_carries_something_is_noticed_by_the_chain(tmp_path: Path, seen: LedgerEntry) -> None:
    """Also where nobody left a digest of the whole file; only a counter of SQLite, its copy and a version carry nothing."""
    place, rng = tmp_path / "people.ledger", Random(81)
    (tmp_path / "people.ledger.seal").write_text('{"size": 0, "head": "", "sha256": ""}')
    used = [at for at, byte in enumerate(place.read_bytes()) if byte and at not in {*range(24, 28), *range(92, 100)}]
    for _ in range(FLIPS):
        assert flipped(place, tmp_path / "copy", seen, rng.choice(used), rng.randrange(8))


def test_a_flipped_byte_of_the_key_is_noticed(tmp_path: Path, seen: LedgerEntry) -> None:
    key = tmp_path / "people.ledger.key"
    text = key.read_text()
    key.write_text(("1" if text[0] == "0" else "0") + text[1:])
    assert found(tmp_path / "people.ledger", seen)
