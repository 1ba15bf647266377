"""Releases of a series come one after the other; whatever a crash leaves is settled by digests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sfumato.errors import BadRequest
from sfumato.ledger.entry import Body
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.series import Reservation

from .conftest import MakeFolder, SetClock


def left(reservation: Reservation) -> None:
    """Do what the end of a killed process does: its lock is gone, and nothing else happens."""
    reservation._let_go()


def test_only_one_release_of_a_series_is_made_at_a_time(tmp_path: Path, ledger: Ledger, clock: SetClock) -> None:
    with (
        ledger.reserve("patients", tmp_path / "march") as first,
        Ledger(tmp_path / "people.ledger", clock=clock) as other,
    ):
        with pytest.raises(BadRequest, match="being written by somebody else"):
            other.reserve("patients", tmp_path / "april")
        with other.reserve("staff", tmp_path / "staff") as beside:
            assert beside.release == 1
        assert [settled.outcome for settled in other.repair()] == ["under way"]
        first.cancel()
        with pytest.raises(BadRequest, match="closed already"):
            first.cancel()
    assert list(tmp_path.glob(".people.ledger.*")) == []


def test_a_release_that_was_made_to_follow_others_is_refused_if_there_are_more(tmp_path: Path, ledger: Ledger) -> None:
    with pytest.raises(BadRequest, match="has 0 releases by now"):
        ledger.reserve("patients", tmp_path / "march", after=1)
    with ledger.reserve("patients", tmp_path / "march", after=0):
        pass


def test_what_was_only_reserved_is_cancelled(tmp_path: Path, ledger: Ledger) -> None:
    left(ledger.reserve("patients", tmp_path / "march"))
    with pytest.raises(BadRequest, match="verify --repair"):
        ledger.reserve("patients", tmp_path / "march")
    assert len(ledger.verify().open) == 1
    assert [settled.outcome for settled in ledger.repair()] == ["cancelled"]
    assert ledger.repair() == ()
    assert ledger.reserve("patients", tmp_path / "march").release == 1


def test_what_was_prepared_and_has_no_name_is_cancelled(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    reservation = ledger.reserve("patients", tmp_path / "march")
    digest = folder(tmp_path / ".aside")
    reservation.prepare(digest)
    with pytest.raises(BadRequest, match="prepared already"):
        reservation.prepare(digest)
    left(reservation)
    assert [(settled.outcome, settled.ready) for settled in ledger.repair()] == [("cancelled", True)]


def test_a_folder_that_was_moved_before_the_repair_keeps_its_memory(
    tmp_path: Path, ledger: Ledger, folder: MakeFolder
) -> None:
    reservation = ledger.reserve("patients", tmp_path / "march", kind="dynamic")
    reservation.prepare(folder(tmp_path / "moved"), Body("mapping", b"kept"))
    left(reservation)
    ledger.repair()
    ledger.add(tmp_path / "moved", "patients")
    (past,) = ledger.history("patients")
    assert (past.entry, past.place, past.body) == (2, tmp_path / "moved", Body("mapping", b"kept"))


def test_the_kind_of_a_series_stays(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    folder(tmp_path / "old")
    ledger.add(tmp_path / "old", "patients")
    folder(tmp_path / "new", other=True)
    ledger.add(tmp_path / "new", "patients", kind="dynamic")
    for kind in ("", "serial"):
        with pytest.raises(BadRequest, match="of another kind"):
            ledger.reserve("patients", tmp_path / "march", kind=kind)
    with ledger.reserve("patients", tmp_path / "march", kind="dynamic"):
        pass


def test_what_has_its_name_is_committed(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    reservation = ledger.reserve("patients", tmp_path / "march")
    reservation.prepare(folder(tmp_path / "march"), Body("mapping", b"kept"))
    left(reservation)
    with Ledger(tmp_path / "people.ledger") as other:
        assert [settled.outcome for settled in other.repair()] == ["committed"]
        assert [past.body for past in other.history("patients")] == [Body("mapping", b"kept")]
    with pytest.raises(BadRequest, match="closed already"):
        reservation.commit()


def test_a_folder_of_somebody_else_is_not_committed(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    reservation = ledger.reserve("patients", tmp_path / "march")
    reservation.prepare(folder(tmp_path / ".aside"))
    folder(tmp_path / "march", other=True)
    left(reservation)
    assert [settled.outcome for settled in ledger.repair()] == ["cancelled"]


def test_a_folder_that_was_changed_stays_open(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    reservation = ledger.reserve("patients", tmp_path / "march")
    reservation.prepare(folder(tmp_path / "march"))
    (tmp_path / "march/public/data.csv").write_text("age\n21\n")
    left(reservation)
    assert [settled.outcome for settled in ledger.repair()] == ["changed"]
    assert len(ledger.verify().open) == 1


def test_ledger_and_folders_can_be_moved_together(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    reservation = ledger.reserve("patients", tmp_path / "march")
    reservation.prepare(folder(tmp_path / "march"))
    left(reservation)
    ledger.close()
    shutil.copytree(tmp_path, tmp_path / "moved")
    with Ledger(tmp_path / "moved/people.ledger") as moved:
        assert [settled.outcome for settled in moved.repair()] == ["committed"]
        assert moved.history("patients")[0].place == tmp_path / "moved/march"


def test_a_release_is_not_committed_before_it_is_prepared(tmp_path: Path, ledger: Ledger) -> None:
    with ledger.reserve("patients", tmp_path / "march") as reservation, pytest.raises(BadRequest, match="not prepared"):
        reservation.commit()
    assert [entry.kind for entry in ledger.entries()][-1] == "cancelled"


def test_releases_from_before_are_added(tmp_path: Path, ledger: Ledger, folder: MakeFolder) -> None:
    folder(tmp_path / "old")
    ledger.add(tmp_path / "old", "patients")
    (past,) = ledger.history("patients")
    assert (past.release, past.place) == (1, tmp_path / "old")
    with pytest.raises(BadRequest, match="in the ledger already"):
        ledger.add(tmp_path / "old", "patients")
    with pytest.raises(BadRequest, match="not a release folder"):
        ledger.add(tmp_path / "nowhere", "patients")
    (tmp_path / "old/public/schema.json").write_text("{ }")
    with pytest.raises(BadRequest, match="was changed"):
        ledger.add(tmp_path / "old", "others")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\x1b[2J"])
def test_names_of_series_are_names(tmp_path: Path, ledger: Ledger, name: str) -> None:
    with pytest.raises(BadRequest, match="must be a name"):
        ledger.reserve(name, tmp_path / "march")


def test_an_open_reservation_keeps_its_place(tmp_path: Path, ledger: Ledger) -> None:
    with (
        ledger.reserve("patients", tmp_path / "march") as reservation,
        pytest.raises(BadRequest, match="still open"),
    ):
        ledger.erase(reservation.entry.number, "why not")
