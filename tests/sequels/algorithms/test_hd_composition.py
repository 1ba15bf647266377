"""HD-composition over random series: cohorts never meet, and nobody is linked with more than 1/l by all releases together."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible
from sfumato.sequels.algorithms import HDComposition
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import PossibleWorldExclusion
from sfumato.sequels.roles import Roles, cohort_based, role_based
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask
from sfumato.sequels.worlds import carrier_groups

COLUMNS: dict[str, Any] = {"qid": ("Age",), "sensitive": "Disease", "person": "Id"}


def opened(people: dict[str, tuple[int, str]]) -> Any:
    return sfumato.from_rows(["Id", "Age", "Disease"], [[who, *held] for who, held in people.items()])


def linkage(rows: list[list[tuple[Any, int, str]]], value: str) -> dict[Any, Fraction]:
    """Return the share of carrier sets that hold each person, by trying all of them."""
    groups: dict[tuple[int, int], list[tuple[Any, str]]] = {}
    for release, table in enumerate(rows):
        for place, (who, group, held) in enumerate(table):
            groups.setdefault((release, group), []).append((who if who is not None else (release, place), held))
    people = sorted({who for members in groups.values() for who, _ in members}, key=str)
    wanted = [({who for who, _ in members}, sum(held == value for _, held in members)) for members in groups.values()]
    worlds = [
        set(chosen)
        for size in range(len(people) + 1)
        for chosen in combinations(people, size)
        if all(len(members & set(chosen)) == count for members, count in wanted)
    ]
    return {who: Fraction(sum(who in world for world in worlds), len(worlds)) for who in people} if worlds else {}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([2, 3]))
def test_a_series_of_five_links_nobody(seed: int, size: int) -> None:
    rng = random.Random(seed)
    people = {f"p{at}": (rng.randint(20, 60), rng.choice(["Flu", "Cold", "Fever"])) for at in range(10)}
    people |= {f"h{at}": (rng.randint(20, 60), "HIV") for at in range(2)}
    search = HDComposition(permanent=("HIV",), l=size, orphans=rng.choice(["counterfeit", "leave-out"]))
    series: Series | None = None
    for release in range(5):
        try:
            made = search.publish(SeriesTask(opened(people), series, [], **COLUMNS))
        except Infeasible:
            break
        rows = made.copy.to_rows()
        assert made.data.columns == ("group", "Age", "Disease")
        assert len(rows) == len(people) - made.facts.left_out + made.facts.counterfeits
        series = Series.of([made.copy], **COLUMNS) if series is None else series.with_next(made.copy)
        cohorts = made.roles.cohorts("HIV", size)
        newest = [group for group in carrier_groups(series, "HIV", "group") if group.release == release]
        assert cohort_based([g for g in newest if not any(isinstance(who, tuple) for who in g.members)], cohorts)
        assert role_based(newest, cohorts[0], size)
        risk = PossibleWorldExclusion(permanent=("HIV",), l=size, group="group").on(series, SeriesKnowledge(), Run())
        assert risk.highest <= 1 / size
        assert risk.highest <= made.facts.linkage
        read_back = Roles.of(series, ("HIV",))
        assert all(read_back.cohort[who] == made.roles.cohort[who] for who in read_back.cohort)
        if release == 0 and len(rows) <= 12:
            plain = [[(row[-2], row[0], row[2]) for row in table.to_rows()] for table in series.releases]
            shares = linkage(plain, "HIV")
            assert {who: share for who, share in made.worlds["HIV"].linkage.items() if isinstance(who, str)} == {
                who: share for who, share in shares.items() if isinstance(who, str)
            }
        gone = rng.sample(sorted(people), 2)
        people = {who: held for who, held in people.items() if who not in gone}
        people = {who: (age + rng.randint(0, 1), held) for who, (age, held) in people.items()}
        people |= {f"n{release}{at}": (rng.randint(20, 60), rng.choice(["Flu", "Cold"])) for at in range(2)}
        people |= {f"m{release}": (rng.randint(20, 60), "HIV")} if rng.random() < 0.4 else {}


def first(**asked: Any) -> tuple[HDComposition, Series]:
    search = HDComposition(**{"permanent": ("HIV",), "l": 2, **asked})
    people = {"h": (20, "HIV"), "d": (21, "Flu"), "x": (50, "Flu"), "y": (51, "Cold")}
    made = search.publish(SeriesTask(opened(people), None, [], **COLUMNS))
    assert made.roles.cohorts("HIV", 2) == [["h"], ["d"]]
    assert {row[1] for row in made.data.to_rows()} == {"[20-21]", "[50-51]"}
    return search, Series.of([made.copy], **COLUMNS)


@pytest.mark.parametrize(
    ("people", "error", "words"),
    [
        ({"h": (20, "HIV"), "d": (21, "HIV")}, BadRequest, "acquired"),
        ({"h": (20, "Flu"), "d": (21, "Flu")}, BadRequest, "lost"),
        ({"h": (20, "HIV")}, Infeasible, "without a role"),
    ],
)
def test_what_no_grouping_can_protect_is_refused(people: Any, error: type[Exception], words: str) -> None:
    search, series = first()
    with pytest.raises(error, match=words):
        search.publish(SeriesTask(opened(people), series, []))


def test_decoys_whose_holder_left_get_an_invented_row_or_are_left_out() -> None:
    people = {"d": (21, "Flu"), "x": (50, "Flu"), "y": (51, "Cold")}
    search, series = first()
    made = search.publish(SeriesTask(opened(people), series, []))
    assert (made.facts.counterfeits, made.facts.left_out) == (1, 0)
    assert made.worlds["HIV"].linkage["h"] == Fraction(1, 2)
    other, series = first(orphans="leave-out")
    made = other.publish(SeriesTask(opened(people), series, []))
    assert (made.facts.counterfeits, made.facts.left_out) == (0, 1)
    outcome = other.run(SeriesTask(opened(people), series, []), Run())
    assert outcome.built is not None
    assert set(outcome.built.tables) == {"data", "counterfeits"}


def test_searches_that_promise_nothing_are_refused() -> None:
    with pytest.raises(BadRequest, match="at least one value"):
        HDComposition(permanent=(), l=2)
    with pytest.raises(BadRequest, match="must be >= 2"):
        HDComposition(permanent=("HIV",), l=1)
    with pytest.raises(BadRequest, match="which column tells the rows"):
        HDComposition(permanent=("HIV",), l=2).publish(SeriesTask(opened({"h": (1, "HIV")}), None, []))
    one = opened({"h": (1, "HIV"), "d": (2, "Flu")})
    with pytest.raises(BadRequest, match="lacks the column roles"):
        HDComposition(permanent=("HIV",), l=2).publish(SeriesTask(one, Series.of([one], **COLUMNS), []))
