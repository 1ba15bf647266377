"""HD-composition over random series: cohorts never meet, and nobody is linked with more than 1/l by all releases together."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible
from sfumato.sequels.algorithms import HDComposition
from sfumato.sequels.algorithms._blocks import merged_blocks
from sfumato.sequels.algorithms._teams import Present, team_groups
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import PossibleWorldExclusion
from sfumato.sequels.models import HDComposition as Required
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
        assert all(made.roles.held["HIV"][who] == role for who, role in read_back.held["HIV"].items())
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
    made = search.publish(SeriesTask(opened(people), None, [], **COLUMNS), Run.seeded(11))
    assert made.roles.cohorts("HIV", 2) == [["h"], ["d"]]
    assert {row[1] for row in made.data.to_rows()} == {"[20-21]", "[50-51]"}
    return search, Series.of([made.copy], **COLUMNS)


@pytest.mark.parametrize(
    ("people", "error", "words"),
    [
        ({"h": (20, "HIV"), "d": (21, "HIV")}, Infeasible, "without a role"),
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


def test_a_decoy_who_acquires_the_value_becomes_a_second_holder() -> None:
    search, series = first()
    people = {"h": (20, "HIV"), "d": (21, "HIV"), "x": (50, "Flu"), "y": (51, "Cold")}
    with pytest.raises(Infeasible, match="no group"):  # x and y were seen without it
        search.publish(SeriesTask(opened(people), series, []))
    made = search.publish(SeriesTask(opened({**people, "a": (70, "Flu"), "b": (71, "Cold")}), series, []))
    assert [set(one) for one in made.roles.cohorts("HIV", 2)] == [{"h", "d"}, {"a", "b"}]
    assert made.facts.left_out == 0
    after = series.with_next(made.copy)
    half = dict.fromkeys("hdab", Fraction(1, 2))
    assert made.worlds["HIV"].linkage == {**half, "x": 0, "y": 0}, "in two worlds either h or d had it first"
    assert Roles.of(after.until(1), ("HIV",)).cohorts("HIV", 2) == [["h"], ["d"]], "old groups keep her old role"
    assert set(Roles.of(after, ("HIV",)).cohorts("HIV", 2)[0]) == {"h", "d"}


def test_teams_that_share_a_person_are_one_group() -> None:
    search, series = first(permanent=("HIV", "Cancer"))
    people = {"h": (20, "HIV"), "d": (21, "Cancer"), "x": (50, "Flu"), "y": (51, "Cold"), "z": (52, "Flu")}
    made = search.publish(SeriesTask(opened(people), series, []))
    (group,) = [g for g in carrier_groups(series.with_next(made.copy), "Cancer", "group") if g.count]
    assert {"h", "d"} < set(group.members)
    assert (len(group.members), made.facts.left_out) == (3, 0)
    assert made.roles.cohorts("HIV", 2) == [["h"], ["d"]]
    assert made.roles.cohorts("Cancer", 2)[0] == ["d"]


def test_of_two_decoys_who_acquire_one_value_the_one_between_is_left_out() -> None:
    roles = Roles()
    for cohort, who in enumerate(["h", "c", "d"]):
        roles.take(who, "HIV", cohort, "h")
    persons = ["h", "c", "d", *(f"x{at}" for at in range(5))]
    values = ["HIV", "Cancer", "Cancer", *["Flu"] * 5]
    numbers = {who: at for at, who in enumerate(persons)}
    present = Present(numbers, values, np.zeros(len(persons), np.int64), lambda _: 0, lambda free: free[0])
    groups, after = team_groups(present, roles, ["HIV", "Cancer"], 3, counterfeit=True)
    assert [({persons[at] for at in group.records}, group.values) for group in groups] == [
        ({"h", "x0", "d", "x1", "x2"}, ("HIV", "Cancer"))
    ]
    assert after.cohorts("HIV", 3) == [["h"], ["c", "x0"], ["d"]]
    assert after.cohorts("Cancer", 3) == [["d"], ["x1"], ["x2"]]
    assert roles.cohorts("Cancer", 3) == [[], [], []], "roles of an attempt are its own"


def test_who_serves_for_another_value_serves_where_nobody_else_is_left() -> None:
    people = {"h": (20, "HIV"), "d": (21, "Flu"), "c": (22, "Cancer")}
    made = HDComposition(permanent=("HIV", "Cancer"), l=2).publish(SeriesTask(opened(people), None, [], **COLUMNS))
    assert len({row[0] for row in made.data.to_rows()}) == 1, "one group for both values"
    assert made.roles.cohorts("HIV", 2) == [["h"], ["d"]]
    assert [len(one) for one in made.roles.cohorts("Cancer", 2)] == [1, 1]
    assert made.facts.linkage == pytest.approx(1 / 3)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9))
def test_two_values_that_persons_acquire_by_all_worlds(seed: int) -> None:
    rng = random.Random(seed)
    values = ("HIV", "Cancer")
    people = {f"p{at}": (rng.randint(20, 60), rng.choice(["Flu", "Cold", "Fever"])) for at in range(7)}
    people |= {"h": (30, "HIV"), **({"c": (31, "Cancer")} if rng.random() < 0.5 else {})}
    search = HDComposition(permanent=values, l=2, orphans=rng.choice(["counterfeit", "leave-out"]))
    series: Series | None = None
    for release in range(3):
        try:
            made = search.publish(SeriesTask(opened(people), series, [], **COLUMNS))
        except Infeasible:
            break
        series = Series.of([made.copy], **COLUMNS) if series is None else series.with_next(made.copy)
        plain = [[(row[-2], row[0], row[2]) for row in table.to_rows()] for table in series.releases]
        for value in values:
            cohorts, every = made.roles.cohorts(value, 2), carrier_groups(series, value, "group")
            newest = [group for group in every if group.release == release]
            real = [group for group in newest if not any(isinstance(who, tuple) for who in group.members)]
            assert cohort_based(real, cohorts)
            assert all(
                group.count == 1 for group in newest if {*group.members} & {who for one in cohorts for who in one}
            )
            found = made.worlds[value].linkage
            assert all(share <= Fraction(1, 2) for who, share in found.items() if isinstance(who, str))
            # Where some set of carriers fits all releases from the beginning, it is counted by trying all of them.
            tried = linkage(plain, value) if len(found) <= 13 else {}
            named = {who: share for who, share in tried.items() if isinstance(who, str)}
            assert named in ({}, {who: share for who, share in found.items() if isinstance(who, str)})
        chosen = rng.choice(sorted(people))
        if people[chosen][1] not in values:
            people[chosen] = (people[chosen][0], rng.choice(values))
        gone = rng.choice(sorted(people))
        people = {who: held for who, held in people.items() if who != gone} | {
            f"n{release}": (rng.randint(20, 60), "Flu")
        }


def test_worlds_that_are_too_many_are_left_out_or_estimated() -> None:
    people = {"h": (20, "HIV"), "d": (21, "Flu"), "x": (50, "Flu"), "y": (51, "Cold")}
    search, series = first(orphans="leave-out")
    task = SeriesTask(opened({**people, "d": (70, "Flu"), "a": (21, "Flu")}), series, [])
    small = HDComposition(permanent=("HIV",), l=2, states=1)
    assert small.publish(task).facts.linkage == 0.5, "the same team is counted at once"
    task = SeriesTask(opened({"h": (20, "HIV"), "a": (21, "Flu"), "b": (22, "Cold"), "x": (50, "Flu")}), series, [])
    made = small.publish(task)
    assert (made.facts.left_out, made.facts.linkage) == (2, 0.5), "a new team is too much for one state"
    exact = search.publish(task)
    assert exact.facts.left_out == 0
    series = series.with_next(exact.copy)
    with pytest.raises(Infeasible, match="worlds of 3 persons are too many"):
        small.publish(SeriesTask(opened(people), series, []))
    asked: dict[str, Any] = {"permanent": ("HIV",), "l": 2, "group": "group", "states": 1}
    assert Required(**asked).judge(series).strongest == 1.0
    estimated = Required(**asked, samples=400).judge(series)
    assert estimated == Required(**asked, samples=400).judge(series), "whoever judges draws the same samples"
    assert estimated.strongest == pytest.approx(0.5, abs=0.1)


def test_places_do_not_tell_around_whom_decoys_were_gathered() -> None:
    """Who reads a group and knows everybody's age guesses the holder with 1/l, whichever rule she tries."""
    search, rng = HDComposition(permanent=("HIV",), l=3), np.random.default_rng(7)
    middle = nearest = single = 0
    trials = 300
    for _ in range(trials):
        ages = rng.choice(np.arange(18, 90), 30, replace=False).tolist()
        people = {f"p{at}": (age, "HIV" if at == 0 else ("Flu", "Cold", "Gout")[at % 3]) for at, age in enumerate(ages)}
        made = search.publish(SeriesTask(opened(people), None, [], **COLUMNS), Run(rng=rng))
        team = [who for cohort in made.roles.cohorts("HIV", 3) for who in cohort]
        place = {who: people[who][0] for who in people}
        middle += sorted(team, key=place.__getitem__)[1] == "p0"
        gathered = [
            who
            for who in team
            if set(sorted(people, key=lambda one, who=who: abs(place[one] - place[who]))[:3]) == set(team)
        ]
        single += len(gathered) == 1
        nearest += gathered == ["p0"]
    assert middle / trials < 1 / 3 + 3 * (2 / 9 / trials) ** 0.5
    assert nearest <= single / 3 + 3 * (max(single, 1) * 2 / 9) ** 0.5


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9))
def test_blocks_are_joined_until_each_has_whom_it_needs(pairs: list[tuple[int, int]]) -> None:
    needed, there = [need for need, _ in pairs], [free for _, free in pairs]
    whole = merged_blocks(needed, there)
    assert whole == sorted(whole)
    for block in set(whole):
        inside = [at for at, one in enumerate(whole) if one == block]
        assert sum(needed[at] for at in inside) <= sum(there[at] for at in inside) or len(set(whole)) == 1
