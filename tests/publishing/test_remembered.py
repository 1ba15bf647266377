"""A published release is reserved, carries size and head of the ledger, and is committed; a failure leaves nothing open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import sfumato
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.ledger.entry import Body
from sfumato.ledger.series import Past
from sfumato.tables.policy import Policy

ROWS = [(20 + i % 7, ("flu", "ulcer")[i % 2]) for i in range(60)]
POLICY = {
    "columns": {"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}},
    "requirements": [{"id": "k-anonymity", "k": 3}],
}


def release(**more: object) -> sfumato.Release:
    return sfumato.anonymize(sfumato.from_rows(["age", "illness"], ROWS), {**POLICY, **more})


class Guard:
    """Admits two releases and no more; remembers how many it saw."""

    def __init__(self) -> None:
        self.seen: list[list[Past]] = []

    def admit(self, earlier: Sequence[Past], release: sfumato.Release) -> Body | None:
        self.seen.append(list(earlier))
        if len(earlier) == 2:
            raise Infeasible("two releases are enough")
        return Body("rows", str(release.table.rows).encode())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    sfumato.Ledger.create(tmp_path / "people.ledger").close()
    return tmp_path / "people.ledger"


def test_a_release_is_remembered(tmp_path: Path, place: Path) -> None:
    for name in ("march", "april"):
        sfumato.publish(release(), tmp_path / name, ledger=place, series="patients")
    told = [sfumato.verify(tmp_path / name) for name in ("march", "april")]
    assert all(told)
    assert [
        (one.certificate.ledger.series, one.certificate.ledger.release) for one in told if one.certificate.ledger
    ] == [
        ("patients", 1),
        ("patients", 2),
    ]
    with sfumato.Ledger(place) as ledger:
        assert ledger.verify([one.certificate for one in told])
        assert [past.place for past in ledger.history("patients")] == [tmp_path / "march", tmp_path / "april"]
    assert "ledger" in told[0].claims


def test_without_a_ledger_nothing_is_said_of_one(tmp_path: Path) -> None:
    sfumato.publish(release(), tmp_path / "out")
    assert "ledger" not in sfumato.verify(tmp_path / "out").certificate


def test_a_guard_sees_the_earlier_ones_and_may_refuse(tmp_path: Path, place: Path) -> None:
    guard = Guard()
    asked = {"shape": "table", "ledger": str(place), "series": {"name": "patients", "kind": "dynamic"}}
    with pytest.raises(Unsupported, match="no check for series of the kind dynamic"):
        sfumato.publish(release(**asked), tmp_path / "unguarded")
    for name in ("march", "april"):
        sfumato.publish(release(**asked), tmp_path / name, guard=guard)
    with pytest.raises(Infeasible, match="enough"):
        sfumato.publish(release(**asked), tmp_path / "may", guard=guard)
    assert [len(earlier) for earlier in guard.seen] == [0, 1, 2]
    assert not (tmp_path / "may").exists()
    with sfumato.Ledger(place) as ledger:
        assert [past.body for past in ledger.history("patients")] == [Body("rows", b"60")] * 2
        assert [entry.kind for entry in ledger.entries()][-2:] == ["reserved", "cancelled"]
        assert ledger.verify()
        with pytest.raises(BadRequest, match="of another kind"):
            ledger.reserve("patients", tmp_path / "june", kind="serial")


def test_what_fails_while_it_is_written_is_cancelled(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sfumato.verbs.publish.report_page", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sfumato.publish(release(), tmp_path / "out", ledger=place, series="patients")
    with sfumato.Ledger(place) as ledger:
        assert not ledger.verify().open
        assert ledger.history("patients") == ()


def test_what_fails_after_the_name_is_given_is_committed(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.ledger.series.Reservation.commit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sfumato.publish(release(), tmp_path / "out", ledger=place, series="patients")
    with sfumato.Ledger(place) as ledger:
        assert [past.place for past in ledger.history("patients")] == [tmp_path / "out"]


def test_ledger_and_series_belong_together(tmp_path: Path, place: Path) -> None:
    with pytest.raises(BadRequest, match="series: is required"):
        sfumato.publish(release(), tmp_path / "out", ledger=place)
    with pytest.raises(BadRequest, match="ledger: is required"):
        sfumato.publish(release(), tmp_path / "out", series="patients")


def test_a_policy_names_its_ledger_from_beside_it(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "ledger: people.ledger\nseries: {name: patients}\ncolumns: {age: {role: quasi-identifier}}\n"
        "requirements: [{id: k-anonymity, k: 2}]\n"
    )
    assert Policy.load(tmp_path / "policy.yaml").ledger == str(tmp_path / "people.ledger")
    plain = Policy.of(POLICY)
    assert Policy.of({**POLICY, "ledger": "here"}).digest() == plain.digest(), "a place is no part of what was asked"
    assert Policy.of({**POLICY, "series": {"name": "patients"}}).digest() != plain.digest()
    with pytest.raises(BadRequest, match="must not hold a password") as refused:
        Policy.of({**POLICY, "ledger": "postgresql://me:secret@host/db"})
    assert "secret" not in str(refused.value)
    with pytest.raises(BadRequest, match="series"):
        Policy.of({**POLICY, "series": {"name": "patients", "kind": "weekly"}})
