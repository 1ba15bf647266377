"""What is wrong with paths or their policy is said in one line, or mended and counted where the policy wants it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.trajectories import Trajectories
from sfumato.trajectories.models import LKCPrivacy
from sfumato.trajectories.recodings import RFIDPreprocessing
from sfumato.trajectories.releases import RecodedTrajectories

PATHS = [[("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("a", 1), ("c", 2)]]
POLICY = {"shape": "trajectories", "requirements": [{"id": "lkc-privacy", "L": 2, "K": 2}]}
COLUMNS = {"person": "card", "place": {"column": "station"}, "time": {"column": "t"}}
FLAT = {"person": "card", "place": {"x": "lon", "y": "lat", "grid": "1km"}, "time": {"column": "t"}}


def _asked(**keys: object) -> dict[str, object]:
    return {**POLICY, **keys}


def _rows(*rows: tuple[object, ...]) -> dict[str, list[object]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(("card", "station", "t"))}


def _flat(*rows: tuple[object, ...]) -> dict[str, list[object]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(("card", "lon", "lat", "t"))}


GOOD = (("p", "a", 1), ("p", "b", 2), ("q", "a", 1), ("q", "b", 2))
TWO_PLACES = _rows(*GOOD, ("q", "c", 2))
UNSORTED = _rows(("p", "b", 2), ("p", "a", 1), ("q", "a", 1), ("q", "b", 2))
NO_POINTS = _rows(*GOOD, ("r", None, None))
INCOMPLETE = _rows(*GOOD, ("p", "c", None))
ZONES = _rows(
    ("p", "a", "2026-03-29T01:30:00+01:00"),
    ("p", "b", "2026-03-29T03:30:00+02:00"),
    ("q", "a", "2026-03-29T00:30:00+00:00"),
    ("q", "b", "2026-03-29T01:30:00+00:00"),
)
BERLIN = (("p", 13.37, 52.51, 1), ("p", 13.40, 52.52, 2), ("q", 13.37, 52.51, 1), ("q", 13.40, 52.52, 2))
BEIJING_SWAPPED = _flat(("p", 39.9, 116.4, 1), ("p", 116.4, 39.9, 2), ("q", 116.4, 39.9, 1), ("q", 116.4, 39.9, 2))
NOWHERE = _flat(*BERLIN, ("p", 500.0, 52.0, 3))


@pytest.mark.parametrize(
    ("data", "keys", "repair", "published"),
    [
        (TWO_PLACES, COLUMNS, {"two-places": "first"}, 4),
        (TWO_PLACES, COLUMNS, {"two-places": "last"}, 2),
        (UNSORTED, COLUMNS, {"unsorted": "sort"}, 4),
        (NO_POINTS, COLUMNS, {"no-points": "keep"}, 4),
        (NO_POINTS, COLUMNS, {"no-points": "drop"}, 4),
        (INCOMPLETE, COLUMNS, {"incomplete": "drop"}, 4),
        (ZONES, COLUMNS, {"time-zones": "utc"}, 4),
        (BEIJING_SWAPPED, FLAT, {"swapped": "swap"}, 4),
        (NOWHERE, FLAT, {"out-of-range": "drop"}, 4),
        ({**_rows(*GOOD), "job": ["x", "y", "z", "z"]}, {**COLUMNS, "columns": {"job": {}}}, {"varying": "first"}, 4),
    ],
)
def test_a_mistake_is_refused_or_mended_and_counted(
    data: dict[str, list[object]], keys: dict[str, object], repair: dict[str, str], published: int
) -> None:
    with pytest.raises(BadRequest) as caught:
        sfumato.anonymize(data, _asked(**keys))
    (name,) = repair
    assert f"repair.{name}" in str(caught.value)
    assert "\n" not in str(caught.value)
    release = sfumato.anonymize(data, _asked(**keys, repair=repair))
    assert release.tables["points"].rows == published
    assert any(name in warning for warning in release.warnings)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LKCPrivacy(L=2, K=2, C=50), "must be > 0 and <= 1"),
        (lambda: LKCPrivacy(L=0, K=2), "must be >= 1"),
        (lambda: LKCPrivacy(L=2, K=2, values=("x",)), "needs the sensitive column"),
        (lambda: Trajectories.of([[("a", 1), ("b", 1)]]), "two places at one time"),
        (lambda: Trajectories.of([[("a", 1, 2, 3)]]), "a point must be"),
        (lambda: Trajectories.of([["ab"]]), "a point must be"),
        (lambda: Trajectories.of(7), "must be paths"),
        (lambda: Trajectories.of([[("a", "noon")]]), "must be numbers, days"),
        (lambda: Trajectories.of([[("a", 1)], [("a", datetime(2026, 1, 1))]]), "numbers or dates, not both"),
        (lambda: Trajectories.of(PATHS, columns={"job": ["x"]}), "one value for each person"),
        (lambda: Trajectories.of(PATHS, bin="1h"), "times are numbers"),
        (lambda: Trajectories.of(PATHS, bin="soon"), "must be a length of time"),
        (lambda: Trajectories.of(PATHS, repair={"typos": "mend"}), "is not a repair"),
        (lambda: Trajectories.of(PATHS, repair={"unsorted": "shuffle"}), "no way to mend it"),
        (lambda: Trajectories.of(_rows(*GOOD), person="card", place="stop", time="t"), "is not a column"),
        (lambda: Trajectories.of(_rows(*GOOD), person="card", place="station"), "say which column it is"),
        (lambda: Trajectories.of(_rows((None, "a", 1)), person="card", place="station", time="t"), "whose they are"),
        (lambda: sfumato.anonymize(PATHS, _asked(place={"column": "a", "x": "b", "y": "c"})), "or x and y"),
        (lambda: sfumato.anonymize(PATHS, _asked(place={"x": "b"})), "both x and y"),
        (lambda: sfumato.anonymize(PATHS, _asked(place={"column": "a", "grid": "1km"})), "grid needs x and y"),
        (lambda: sfumato.anonymize(PATHS, _asked(place={"x": "a", "y": "b", "grid": "wide"})), "must be a width"),
        (lambda: sfumato.anonymize(PATHS, _asked(time={"column": "t", "bin": "0h"})), "must be a length of time"),
        (lambda: sfumato.anonymize(PATHS, _asked(repair={"typos": "mend"})), "is not a repair"),
        (lambda: sfumato.anonymize(PATHS, _asked(columns={"job": {"role": "identifier"}})), "sensitive, plain"),
        (lambda: sfumato.anonymize(PATHS, _asked(columns={"place": {}})), "column place of their own"),
        (lambda: sfumato.anonymize(PATHS, _asked(columns={"job": {"role": "sensitive"}})), "not a column of persons"),
        (lambda: sfumato.anonymize(PATHS, _asked(requirements=[{"id": "k-anonymity", "k": 2}])), "trajectories"),
        (lambda: sfumato.anonymize([], POLICY), "has no person"),
        (lambda: sfumato.anonymize([[], []], POLICY), "has no point"),
        (lambda: RFIDPreprocessing().load([("a", 1)]), "(tag, place, time)"),
        (lambda: RFIDPreprocessing().load([("e", "a", 1)], persons={"f": {"job": "x"}}), "nothing is told of 1 tags"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line(make: Callable[[], object], said: str) -> None:
    with pytest.raises(BadRequest) as caught:
        make()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (_asked(requirements=[{"id": "lkc-privacy", "L": 1, "K": 4}]), "larger than the number of persons"),
        (_asked(limits={"lose_at_most": 0.1}), "more than the limit"),
        (
            _asked(
                requirements=[{"id": "lkc-privacy", "L": 2, "K": 2, "knowledge": "location"}],
                algorithm="local-pair-suppression",
            ),
            "knows pairs",
        ),
        (_asked(requirements=[{"id": "path-k-anonymity", "k": 2}]), "sequences of few pairs"),
        (_asked(algorithm="path-suppression"), "works for path-k-anonymity"),
    ],
)
def test_what_cannot_be_met_is_said(asked: dict[str, object], said: str) -> None:
    with pytest.raises((Infeasible, Unsupported)) as caught:
        sfumato.anonymize(PATHS, asked)
    assert said in str(caught.value)


def test_who_knows_nothing_may_know_too_much() -> None:
    paths = Trajectories.of(PATHS, columns={"ill": ["x", "x", "y"]})
    asked = _asked(requirements=[{"id": "lkc-privacy", "L": 1, "K": 2, "C": 0.5, "sensitive": "ill"}])
    with pytest.raises(Infeasible, match="whoever knows nothing"):
        sfumato.anonymize(paths, asked)


def test_columns_named_the_wrong_way_round_are_seen() -> None:
    keys = {**FLAT, "place": {"x": "lat", "y": "lon", "grid": "1km"}}
    with pytest.raises(BadRequest, match="swapped"):
        sfumato.anonymize(_flat(*BERLIN), _asked(**keys))
    right = sfumato.anonymize(_flat(*BERLIN), _asked(**FLAT))
    mended = sfumato.anonymize(_flat(*BERLIN), _asked(**keys, repair={"swapped": "swap"}))
    assert mended.tables["points"].to_rows() == right.tables["points"].to_rows()


def test_cells_are_as_wide_as_they_are_called() -> None:
    metres = 6_371_008.8 * 3.141592653589793 / 180
    for north in (0.0, 60.0):
        points = [(at * 100 / metres / (0.5 if north else 1), north, at) for at in range(100)]  # 100 m apart
        paths = Trajectories.of([points], grid="1km")
        assert len(paths.names) in (10, 11)
    plain = Trajectories.of([[(at * 100.0, 5.0, at) for at in range(100)]], grid=1000, unit="metres")
    assert plain.names == tuple(f"0 {at}" for at in range(10))
    assert plain.centres is not None
    assert plain.centres[0].tolist() == [500.0, 500.0]


def test_times_become_bins_of_one_zone() -> None:
    zone = timezone(timedelta(hours=1))
    paths = Trajectories.of(
        [[("a", datetime(2026, 1, 1, 8, 5)), ("a", datetime(2026, 1, 1, 8, 50)), ("b", datetime(2026, 1, 1, 9, 1))]],
        bin="1h",
    )
    assert paths.moments == (datetime(2026, 1, 1, 8), datetime(2026, 1, 1, 9))
    assert paths.repeated == 1
    aware = Trajectories.of([[("a", datetime(2026, 1, 1, 8, tzinfo=zone))]])
    assert aware.moments == (datetime(2026, 1, 1, 8),)


def test_times_of_other_zones_are_counted_against_most_of_them() -> None:
    odd = _rows(("a", "a", "2026-03-29T01:30+05:00"), *(("p", "a", f"2026-03-29T0{at}:30+00:00") for at in range(5)))
    with pytest.raises(BadRequest, match="1 time is in another zone than most"):
        sfumato.anonymize(odd, _asked(**COLUMNS))


def test_cells_of_h3_need_its_library() -> None:
    if importlib.util.find_spec("h3") is None:
        with pytest.raises(Unsupported, match="sfumato"):
            Trajectories.of([[(13.4, 52.5, 1)]], h3=8)
        return
    paths = Trajectories.of([[(13.4, 52.5, 1), (13.4001, 52.5, 2)], [(2.35, 48.86, 1)]], h3=8)
    assert len(paths.names) == 2


def test_tables_that_do_not_fit_together_are_refused() -> None:
    kind = RecodedTrajectories()
    parts = kind.parts_of(Trajectories.of(PATHS))
    persons, points = parts["persons"].to_rows(), parts["points"].to_rows()
    made = sfumato.from_rows

    def refused(said: str, persons: list[tuple[object, ...]], points: list[tuple[object, ...]]) -> None:
        tables = {
            "persons": made(("person", "points"), persons),
            "points": made(("person", "place", "time"), points),
        }
        with pytest.raises(BadRequest, match=said):
            kind.trajectories_of(tables)

    refused("listed twice", [*persons, persons[0]], points)
    refused("not listed", persons, [*points, (9, "a", 1)])
    refused("two places at one time", persons, [*points, (1, "z", 1)])
    refused("as many points", persons, points[:-1])


def test_a_wrong_policy_ends_with_two_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("card,station,t\np,a,1\np,b,1\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(
        "shape: trajectories\nperson: card\nplace: {column: station}\ntime: {column: t}\n"
        "requirements: [{id: lkc-privacy, L: 2, K: 2}]\n",
        encoding="utf-8",
    )
    done = sfumato_in(tmp_path, "anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out")
    assert done.returncode == 2
    assert "two places at one time" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_release_of_which_little_is_left_says_so() -> None:
    paths = [[("a", 1), (f"b{at}", 2), (f"c{at}", 3)] for at in range(6)]
    policy = {"shape": "trajectories", "requirements": [{"id": "lkc-privacy", "L": 1, "K": 2}]}
    assert any("lost-points" in text for text in sfumato.anonymize(paths, policy).little_left)
    kept = [[("a", 1), ("b", 2)]] * 4
    assert sfumato.anonymize(kept, policy).little_left == ()


def test_a_percentage_is_refused_with_the_share_it_stands_for_or_read_as_it() -> None:
    rows = {"who": [1, 2, 3, 4], "where": list("aaaa"), "at": [1, 1, 1, 1], "ill": list("xyzx")}
    policy = {
        "shape": "trajectories",
        "person": "who",
        "place": {"column": "where"},
        "time": {"column": "at"},
        "columns": {"ill": {"role": "sensitive"}},
    }
    for given in (50, "50%"):
        asked = [{"id": "lkc-privacy", "L": 1, "K": 2, "C": given, "sensitive": "ill"}]
        with pytest.raises(BadRequest, match=r"a share, 0\.5, not 50"):
            sfumato.anonymize(rows, {**policy, "requirements": asked})
        release = sfumato.anonymize(rows, {**policy, "requirements": asked, "repair": {"percent": "share"}})
        assert any("percent" in str(one) for one in release.warnings)
        assert release.certificate.requirements[0].parameters["C"] == 0.5
