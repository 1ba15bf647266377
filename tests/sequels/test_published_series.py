"""A policy with a kind of series: releases one after the other, each checked beside all before it by holder and stranger."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

import sfumato
from nursery import ran
from sequels.published_series import ROWS, Publisher, Row
from sfumato.errors import BadRequest, Contradiction, Unsupported
from sfumato.ledger.series import Reservation
from sfumato.policy import SharedPolicy
from sfumato.sequels.policy import SeriesPolicy


def test_three_releases_of_a_growing_table(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "continuous", {"requirements": [{"id": "bcf-anonymity", "k": 3}]})
    one, two, three = (publisher.publish(ROWS[:count]) for count in (24, 36, 48))
    assert sfumato.verify(one)
    assert [sfumato.verify(folder).certificate.requirements[0].recounted for folder in (one, two)] == ["plain", "plain"]
    told = sfumato.verify(three, earlier=[two / "public", one / "public"])
    assert told
    assert not told.left
    assert told.certificate.ledger is not None
    assert (told.certificate.ledger.kind, told.certificate.ledger.release) == ("continuous", 3)
    assert len(told.certificate.ledger.earlier or ()) == 2
    (verdict,) = told.verdict
    assert verdict.strongest is not None
    assert verdict.strongest >= 3


def test_what_is_not_at_hand_is_named(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "continuous")
    _one, two, three = (publisher.publish(ROWS[:count]) for count in (24, 36, 48))
    alone = sfumato.verify(three)
    assert not alone
    assert [left.name for left in alone.left] == ["bcf-anonymity"]
    assert "releases 1, 2" in alone.left[0].why
    assert "release 1 " in sfumato.verify(three, earlier=[two]).left[0].why
    with pytest.raises(BadRequest, match="names before it"):
        sfumato.verify(two, earlier=[three])
    with pytest.raises(BadRequest, match="not a release folder"):
        sfumato.verify(two, earlier=[tmp_path])


def test_nothing_raw_of_persons_is_kept(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "continuous")
    folder = publisher.publish(ROWS)
    with sfumato.Ledger(publisher.ledger) as ledger:
        body = ledger.history("patients")[0].body
    assert body is not None
    held = b"".join(path.read_bytes() for path in [*folder.rglob("*"), publisher.ledger] if path.is_file())
    for who, *_ in ROWS:
        assert f'"{who}"'.encode() not in held
        assert f",{who},".encode() not in held
    assert json.loads(body.content.partition(b"\n")[0])["person"] == "id"


@pytest.mark.parametrize("kind", ["continuous", "dynamic", "serial", "sequential"])
def test_the_same_input_gives_the_same_bytes(tmp_path: Path, kind: str) -> None:
    """In two houses, whose ledgers have other keys and so other names of persons."""
    first, then = ROWS[:24], ROWS if kind == "continuous" else ROWS[5:40]
    if kind == "serial":
        then = [(who, place, age, "Flu" if ill == "Cold" else ill) for who, place, age, ill in ROWS[8:]]
    files = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        publisher = Publisher(tmp_path / name, kind)
        folders = (
            new_columns(publisher) if kind == "sequential" else [publisher.publish(rows) for rows in (first, then)]
        )
        files.append(
            {
                f"{folder.name}/{path.name}": path.read_bytes()
                for folder in folders
                for path in (folder / "public").iterdir()
                if path.name not in ("certificate.json", "report.html")  # these name the ledger
            }
        )
    assert len(files[0]) >= 4
    assert files[0] == files[1]


@pytest.mark.parametrize("form", ["xlsx", "parquet", "arrow", "jsonl", "sqlite"])
def test_a_release_with_invented_rows_in_every_format(tmp_path: Path, form: str) -> None:
    """The first release has no invented row, so that one of its files is empty; the second has some."""
    publisher = Publisher(tmp_path, "dynamic", {"output": {"format": form}})
    made = [publisher.publish(rows) for rows in (ROWS[:24], ROWS[5:24])]
    counts = [sfumato.verify(folder).certificate.release.files[1].rows for folder in made]
    assert counts[0] == 0 < counts[1]
    assert sfumato.verify(made[1], earlier=made[:1])
    assert len([*(made[1] / "public").glob(f"*.{form}")]) == 2


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS[2:], "2 records that were published are not in the data any more"),
        ([("p0", "UK", 20, "HIV"), *ROWS[1:]], "1 person has other values"),
        ([("p0", "Chile", 20, "Flu"), *ROWS[1:]], "1 person has other values"),
        ([*ROWS, ROWS[0]], "1 person has several records"),
    ],
)
def test_what_does_not_happen_in_a_growing_table(tmp_path: Path, rows: list, said: str) -> None:
    publisher = Publisher(tmp_path, "continuous")
    publisher.publish(ROWS)
    with pytest.raises(BadRequest, match=said):
        publisher.made(rows)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"person": None}, "person: is required in a continuous series"),
        ({"person": "name"}, "is not a column"),
        ({"person": "place"}, "must have the role identifier"),
        ({"ledger": None}, "ledger: is required"),
        ({"limits": {"suppress_at_most": 0.1}}, "suppress_at_most must be 0"),
        ({"requirements": [{"id": "bcf-anonymity", "k": 2, "targets": "actual"}]}, "only their holder can tell"),
        ({"series": {"name": "patients", "kind": "dynamic"}}, "another kind"),
    ],
)
def test_policies_that_no_series_has(tmp_path: Path, change: dict[str, object], said: str) -> None:
    publisher = Publisher(tmp_path, "continuous")
    publisher.publish(ROWS)
    with pytest.raises((BadRequest, Unsupported), match=said):
        publisher.made(ROWS, **change)


@pytest.mark.parametrize(
    ("column", "entry", "said"),
    [
        ("id", {"role": "identifier", "pseudonym": True}, "no pseudonym goes out twice"),
        ("age", {"role": "plain"}, "whoever compares releases follows records by it"),
        ("age", {"role": "sensitive"}, "exactly one sensitive column"),
        ("age", {"role": "quasi-identifier"}, "is not published as it was before"),
        ("age", {"role": "drop"}, "is not published as it was before"),
    ],
)
def test_columns_that_no_series_has(tmp_path: Path, column: str, entry: dict[str, object], said: str) -> None:
    publisher = Publisher(tmp_path, "continuous")
    publisher.publish(ROWS)
    columns = publisher.policy["columns"]
    assert isinstance(columns, dict)
    with pytest.raises(BadRequest, match=said):
        publisher.made(ROWS, columns={**columns, column: entry})


def test_a_release_that_was_made_too_early_is_made_again(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "continuous")
    early = publisher.made(ROWS)
    publisher.publish(ROWS[:24])
    with pytest.raises(BadRequest, match="make it again"):
        sfumato.publish(early, tmp_path / "late")
    assert not (tmp_path / "late").exists()
    with sfumato.Ledger(publisher.ledger) as ledger:
        assert len(ledger.history("patients")) == 1


def test_a_release_that_was_erased_from_memory_stops_the_series(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "continuous")
    publisher.publish(ROWS[:24])
    with sfumato.Ledger(publisher.ledger) as ledger:
        ledger.erase(ledger.history("patients")[0].private, "asked for")
    with pytest.raises(BadRequest, match="release 1 cannot be compared with"):
        publisher.made(ROWS)


def test_a_plain_table_is_not_recorded_in_a_series_of_some_kind(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "continuous")
    plain = {
        "shape": "table",
        "columns": {"age": {"role": "quasi-identifier"}, "disease": {"role": "sensitive"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "ledger": str(publisher.ledger),
        "series": {"name": "patients", "kind": "continuous"},
    }
    table = sfumato.from_rows(["age", "disease"], [row[2:] for row in ROWS])
    with pytest.raises(Unsupported, match="no check for series of the kind continuous"):
        sfumato.publish(sfumato.anonymize(table, plain), tmp_path / "plain")


def test_a_changed_earlier_release_is_noticed(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "continuous")
    one, two = (publisher.publish(ROWS[:count]) for count in (24, 48))
    data = one / "public" / "data.csv"
    data.write_bytes(data.read_bytes().replace(b"HIV", b"Flu", 1))
    with pytest.raises((BadRequest, Contradiction)):
        sfumato.verify(two, earlier=[one])


def test_requirements_of_tables_hold_as_well(tmp_path: Path) -> None:
    asked = [{"id": "bcf-anonymity", "k": 2}, {"id": "l-diversity-distinct", "l": 2, "sensitive": "disease"}]
    publisher = Publisher(tmp_path, "continuous", {"requirements": asked})
    one, two = (publisher.publish(ROWS[:count]) for count in (24, 48))
    assert [verdict.model for verdict in sfumato.verify(two, earlier=[one]).verdict] == [
        "bcf-anonymity",
        "l-diversity-distinct",
    ]


def test_newcomers_wait_until_they_can_go(tmp_path: Path) -> None:
    asked = [{"id": "l-diversity-distinct", "l": 3, "sensitive": "disease"}]
    publisher = Publisher(tmp_path, "continuous", {"requirements": asked, "algorithm": {"id": "byun-incremental"}})
    publisher.publish(ROWS[:24])
    waiting = publisher.made(ROWS[:26])
    assert waiting.table.rows == 24
    assert any("2 records wait" in text for text in waiting.warnings)
    folder = publisher.publish(ROWS[:26])
    assert sfumato.verify(folder)
    assert publisher.made(ROWS[:30]).table.rows == 30


# ---- records come and go -------------------------------------------------------------------------------------------------


def changing(rows: list[Row]) -> list[Row]:
    return [(who, place, age, "Cold" if ill == "Flu" else ill) for who, place, age, ill in rows]


@pytest.mark.parametrize("kind", ["dynamic", "serial"])
def test_releases_of_a_table_that_records_join_and_leave(tmp_path: Path, kind: str) -> None:
    publisher = Publisher(tmp_path, kind)
    folders = [publisher.publish(rows) for rows in (ROWS[:30], ROWS[6:40], ROWS[10:])]
    for folder in folders:
        told = sfumato.verify(folder)
        assert told
        assert not told.left
        assert "persons stood among the same kind of others" in str(told.certificate.statement)
    with sfumato.Ledger(publisher.ledger) as ledger:
        assert [past.kind for past in ledger.history("patients")] == [kind] * 3
    audit = json.loads((folders[-1] / "private" / "audit.json").read_text())
    tried = {one["attack"]: one["after"]["highest"] for one in audit["tried"]}
    if kind == "dynamic":
        assert tried["republication-attack"] <= 1 / 2


def test_values_change_in_a_serial_series_only(tmp_path: Path) -> None:
    rows = changing(ROWS)
    for kind in ("dynamic", "serial"):
        (tmp_path / kind).mkdir()
        publisher = Publisher(tmp_path / kind, kind)
        publisher.publish(ROWS)
        if kind == "serial":
            assert sfumato.verify(publisher.publish(rows))
        else:
            with pytest.raises(BadRequest, match=r"16 persons have other values.*serial"):
                publisher.made(rows)


def test_whoever_comes_back_is_refused_unless_that_is_asked_for(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "dynamic")
    for rows in (ROWS, ROWS[6:]):
        publisher.publish(rows)
    with pytest.raises(BadRequest, match="6 persons were away"):
        publisher.made(ROWS)
    back = {
        "requirements": [{"id": "m-invariance", "m": 2, "returning": "same-signature"}],
        "algorithm": {"id": "m-invariance-anonymize", "returning": "restore"},
    }
    assert sfumato.verify(publisher.publish(ROWS, **back))


def test_the_algorithm_reads_what_the_requirement_says(tmp_path: Path) -> None:
    policy = Publisher(tmp_path, "serial").made(ROWS).private.policy
    assert isinstance(policy, SeriesPolicy)
    assert policy.algorithm == {"id": "hd-composition", "permanent": ["HIV"], "l": 2}
    again = SharedPolicy.of(policy.document())
    assert again == policy
    assert again.digest() == policy.digest()


# ---- new columns ---------------------------------------------------------------------------------------------------------


PEOPLE = [
    (f"p{at}", "MF"[at % 2], ("Lawyer", "Cook")[at % 3 > 0], f"Z{at % 5 % 3}", ("HIV", "Flu")[at % 4 > 0])
    for at in range(80)
]


def sequential(publisher: Publisher, columns: dict[str, object], names: list[int], asked: dict[str, object]) -> Path:
    every = ["id", "sex", "job", "zip", "test"]
    rows = [tuple(row[at] for at in names) for row in PEOPLE]
    policy = {
        "ledger": str(publisher.ledger),
        "series": {"name": "people", "kind": "sequential"},
        "person": "id",
        "columns": {"id": {"role": "identifier"}, **columns},
        "requirements": [asked],
    }
    made = sfumato.anonymize(sfumato.from_rows([every[at] for at in names], rows), policy)
    publisher.count += 1
    return sfumato.publish(made, publisher.folder / f"r{publisher.count}")


JOB = {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"Any": ["Lawyer", "Cook"]}}}
NEW: dict[str, object] = {"sex": {"role": "plain"}, "job": JOB, "test": {"role": "sensitive"}}


def new_columns(publisher: Publisher) -> list[Path]:
    """Publish two releases, the second with columns that the first has not."""
    old: dict[str, object] = {"sex": {"role": "plain"}, "zip": {"role": "quasi-identifier"}}
    asked: dict[str, object] = {"id": "xy-privacy-join", "h": 0.55, "values": ["HIV"]}
    return [
        sequential(publisher, old, [0, 1, 3], {"id": "k-anonymity", "k": 2}),
        sequential(publisher, NEW, [0, 1, 2, 4], asked),
    ]


def test_a_release_with_new_columns_is_judged_on_the_join(tmp_path: Path) -> None:
    publisher = Publisher(tmp_path, "sequential")
    one, two = new_columns(publisher)
    assert sfumato.verify(one)
    told = sfumato.verify(two, earlier=[one])
    assert told
    (verdict,) = told.verdict
    assert verdict.parameters["x"] == ["zip", "job"]
    assert not sfumato.verify(two)
    with pytest.raises(BadRequest, match="requirement on the join"):
        sequential(publisher, NEW, [0, 1, 2, 4], {"id": "k-anonymity", "k": 2})


# ---- a crash between the folder and the ledger ---------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False])
def test_a_crash_is_settled_and_the_series_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """Die after the release has its name and before the ledger says so, or after it is prepared and before it has its name."""
    publisher = Publisher(tmp_path, "dynamic")
    publisher.publish(ROWS[:30])

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        # Whoever is killed settles nothing on the way out.
        patch.setattr(Reservation, "__exit__", lambda self, *error: self._end())
        patch.setattr(Reservation, "commit", die) if named else patch.setattr(Path, "rename", die)
        with pytest.raises(KeyboardInterrupt):
            publisher.publish(ROWS[6:40])
    assert (tmp_path / "r2").exists() is named
    with sfumato.Ledger(publisher.ledger) as ledger:
        (settled,) = ledger.repair()
        assert settled.outcome == ("committed" if named else "cancelled")
        assert len(ledger.history("patients")) == 1 + named
    assert sfumato.verify(publisher.publish(ROWS[6:] if named else ROWS[6:40]))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("point", ["Path.rename", "Reservation.commit"])
def test_a_process_that_is_killed_is_settled_and_the_series_goes_on(tmp_path: Path, point: str) -> None:
    publisher, named = Publisher(tmp_path, "dynamic"), point == "Reservation.commit"
    publisher.publish(ROWS[:30])
    work = [
        "import os, signal, sys",
        "from pathlib import Path",
        "from sequels.published_series import ROWS, Publisher",
        "from sfumato.ledger.series import Reservation",
        f"{point} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)",
        "Publisher(Path(sys.argv[1]), 'dynamic', count=1).publish(ROWS[6:40])",
    ]
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    done = ran("\n".join(work), str(tmp_path), env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (tmp_path / "r2").exists() is named
    with sfumato.Ledger(publisher.ledger) as ledger:
        assert [one.outcome for one in ledger.repair()] == ["committed" if named else "cancelled"]
        assert len(ledger.history("patients")) == 1 + named
    publisher.count = 2
    assert sfumato.verify(publisher.publish(ROWS[6:] if named else ROWS[6:40]))
