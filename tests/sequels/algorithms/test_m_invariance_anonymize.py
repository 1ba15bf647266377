"""Counterfeited generalization: series of random comings and goings stay m-invariant, with few invented rows."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_m_invariance import fewest_counterfeits, invariant
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import KAnonymity
from sfumato.sequels.algorithms import MInvarianceAnonymize
from sfumato.sequels.algorithms._halving_kernels import halve
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import CriticalAbsence, RepublicationAttack
from sfumato.sequels.models import MInvariance
from sfumato.sequels.releases import CounterfeitedTable
from sfumato.sequels.series import Series
from sfumato.sequels.signatures import Signatures, covers
from sfumato.sequels.task import SeriesTask

COLUMNS: dict[str, Any] = {"qid": ("Age", "Job"), "sensitive": "Disease", "person": "Id"}
TREES = {"Job": {"ANY": [{"Art": ["Dancer", "Writer"]}, "Cook"]}}


def opened(people: dict[int, tuple[int, str, str]]) -> Any:
    return sfumato.from_rows(["Id", "Age", "Job", "Disease"], [[who, *held] for who, held in people.items()])


def person(rng: random.Random, values: str) -> tuple[int, str, str]:
    return rng.randint(20, 60), rng.choice(["Dancer", "Writer", "Cook"]), rng.choice(values)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([2, 3]))
def test_a_series_of_five_stays_invariant(seed: int, m: int) -> None:
    rng = random.Random(seed)
    values = "abcdef"[: rng.randint(m, 6)]
    people = {who: person(rng, values) for who in range(rng.randint(2, 12))}
    people |= {100 + at: (30, "Cook", value) for at, value in enumerate(values)}
    model, search = MInvariance(m=m, group="group"), MInvarianceAnonymize()
    series: Series | None = None
    for release in range(5):
        made = search.publish(SeriesTask(opened(people), series, [model], **COLUMNS))
        rows = made.copy.to_rows()
        assert made.data.columns == ("group", "Age", "Job", "Disease")
        assert len(rows) == len(people) + made.facts.counterfeits
        assert sum(row[1] for row in made.counterfeits.to_rows()) == made.facts.counterfeits
        real = {row[-1]: row for row in rows if row[-1] is not None}
        assert real.keys() == people.keys()
        assert all(covers(real[who][1], held[0]) and real[who][3] == held[2] for who, held in people.items())
        if series is None:
            counts = [sum(held[2] == value for held in people.values()) for value in values]
            assert made.facts.completed or max(counts) * m <= sum(counts)
            assert (made.facts.counterfeits > 0) == (max(counts) * m > sum(counts))
        elif len(people) < 7:
            before = Signatures(series, "group")
            last = {who: frozenset(found) for who, found in before.candidates().items()}
            least = fewest_counterfeits([(held[2], last.get(who)) for who, held in people.items()], m)
            assert made.facts.counterfeits >= least
        series = Series.of([made.copy], **COLUMNS) if series is None else series.with_next(made.copy)
        plain = [[(row[-1], row[0], row[3]) for row in table.to_rows()] for table in series.releases]
        assert invariant(plain, m)
        assert model.judge(series).satisfied
        assert model.judge_next(series).satisfied
        risk = RepublicationAttack(least=m, group="group").on(series, SeriesKnowledge(), Run())
        assert risk.highest <= 1 / m
        assert not CriticalAbsence(group="group").on(series, SeriesKnowledge(), Run()).absences
        gone = rng.sample(sorted(people), rng.randint(0, len(people) // 2))
        people = {who: held for who, held in people.items() if who not in gone}
        people |= {1000 * (release + 1) + at: person(rng, values) for at in range(rng.randint(1, 6))}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_the_verdict_is_the_definition_read_aloud(seed: int) -> None:
    rng = random.Random(seed)
    releases = []
    for _ in range(rng.randint(1, 3)):
        here = rng.sample(range(6), rng.randint(2, 6))
        releases.append(
            [
                (who if rng.random() < 0.9 else None, rng.randint(0, 1), "abc"[(who + (rng.random() < 0.1)) % 3])
                for who in here
            ]
        )
    tables = [sfumato.from_rows(["Id", "Box", "Disease"], [list(row) for row in rows]) for rows in releases]
    if any(all(row[0] is None for row in rows) for rows in releases):
        return
    series = Series.of(tables, qid=["Box"], sensitive="Disease", person="Id")
    model = MInvariance(m=2, returning="same-signature")
    assert model.judge(series).satisfied == invariant(releases, 2)
    away = any(
        rows[0] < at < rows[-1]
        for who in range(6)
        if (rows := [at for at, table in enumerate(releases) if any(row[0] == who for row in table)])
        for at in range(len(releases))
        if at not in rows
    )
    if away:
        with pytest.raises(BadRequest, match="broken lifespan"):
            MInvariance(m=2).judge(series)


def naive_halves(lists: list[list[int]], places: list[list[float]]) -> list[list[int]]:
    """Return the groups of a bucket: sort, halve along the axis of the smaller perimeters, and again."""
    count = len(lists[0])
    if count == 1:
        return [[one[0] for one in lists]]

    def perimeter(part: list[list[int]]) -> float:
        real = [places[at] for one in part for at in one if at >= 0]
        return (
            sum(max(place[axis] for place in real) - min(place[axis] for place in real) for axis in range(2))
            if real
            else 0.0
        )

    best: tuple[float, list[list[int]]] | None = None
    for axis in range(2):
        ordered = [sorted(one, key=lambda at: places[at][axis] if at >= 0 else float("inf")) for one in lists]
        cost = perimeter([one[: count // 2] for one in ordered]) + perimeter([one[count // 2 :] for one in ordered])
        if best is None or cost < best[0] - 1e-12:
            best = cost, ordered
    assert best is not None
    halves = [[one[: count // 2] for one in best[1]], [one[count // 2 :] for one in best[1]]]
    return [group for half in halves for group in naive_halves(half, places)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_buckets_are_halved_as_plain_sorting_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds, count = int(rng.integers(2, 4)), int(rng.integers(1, 9))
    places = rng.integers(0, 5, (kinds * count, 2)) / 4
    lists = np.arange(kinds * count).reshape(kinds, count)
    lists[1:][rng.random((kinds - 1, count)) < 0.2] = -1
    made = lists.copy()
    halve(made, places)
    assert made.T.tolist() == naive_halves(lists.tolist(), places.tolist())


def first() -> Series:
    made = MInvarianceAnonymize().publish(
        SeriesTask(opened({1: (20, "Cook", "a"), 2: (30, "Cook", "b")}), None, [MInvariance(m=2)], **COLUMNS)
    )
    return Series.of([made.copy], hierarchies=TREES, **COLUMNS)


def test_boxes_follow_trees_and_single_records_are_widened() -> None:
    made = MInvarianceAnonymize().publish(
        SeriesTask(opened({1: (20, "Dancer", "a"), 3: (30, "Writer", "b")}), first(), [MInvariance(m=2)])
    )
    assert {row[1:3] for row in made.data.to_rows()} == {("[20-30]", "Art")}
    alone = MInvarianceAnonymize().publish(
        SeriesTask(
            opened({1: (20, "Dancer", "a"), 9: (30, "Writer", "c"), 8: (35, "Cook", "d")}), first(), [MInvariance(m=2)]
        )
    )
    assert ("[20-30]", "Art") in {row[1:3] for row in alone.data.to_rows()}


@pytest.mark.parametrize(
    ("people", "models", "error", "words"),
    [
        ({1: (20, "Cook", "b")}, [MInvariance(m=2)], BadRequest, "another sensitive value"),
        ({}, [MInvariance(m=2)], BadRequest, "no record"),
        ({1: (20, "Cook", "a")}, [MInvariance(m=3)], Infeasible, "as many different"),
        ({1: (20, "Cook", "a")}, [KAnonymity(k=2)], Unsupported, "one requirement"),
        ({1: (20, "Mime", "a")}, [MInvariance(m=2)], BadRequest, "no leaf"),
    ],
)
def test_bad_tasks_are_refused(people: Any, models: Any, error: type[Exception], words: str) -> None:
    batch = opened(people or {1: (20, "Cook", "a")})
    batch = batch if people else batch.take([])
    with pytest.raises(error, match=words):
        MInvarianceAnonymize().publish(SeriesTask(batch, first(), models))


def test_a_stranger_sees_that_groups_are_unique_and_no_more() -> None:
    made = MInvarianceAnonymize().publish(
        SeriesTask(opened({1: (20, "Cook", "a"), 2: (30, "Cook", "b")}), None, [MInvariance(m=2)], **COLUMNS)
    )
    kind, parts = CounterfeitedTable(sensitive="Disease"), {"data": made.data, "counterfeits": made.counterfeits}
    model = MInvariance(m=2, group="group")
    (verdict,) = kind.verify(parts, [model], ["Age", "Job"])
    assert (verdict.satisfied, verdict.strongest) == (True, 2)
    assert not kind.verify(parts, [MInvariance(m=3)], ["Age", "Job"])[0].satisfied
    with pytest.raises(BadRequest, match="rows of one person"):
        model.judge(Series.of([made.data, made.data], qid=["Age", "Job"], sensitive="Disease"))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1, "x", "a"], [1, "x", "b"]], "several rows of 1 persons"),
        ([[1, "x", None], [2, "x", "b"]], "without a sensitive value"),
    ],
)
def test_copies_that_cannot_be_read_are_refused(rows: Any, words: str) -> None:
    table = sfumato.from_rows(["Id", "Box", "Disease"], rows)
    with pytest.raises(BadRequest, match=words):
        Signatures(Series.of([table], qid=["Box"], sensitive="Disease", person="Id"))


def test_who_returns_is_refused_or_finds_the_old_signature() -> None:
    series = first()
    model = MInvariance(m=2, group="group", returning="same-signature")
    away = MInvarianceAnonymize().publish(
        SeriesTask(opened({2: (30, "Cook", "b"), 3: (31, "Cook", "a")}), series, [model])
    )
    series = series.with_next(away.copy)
    task = SeriesTask(opened({1: (20, "Cook", "a"), 2: (30, "Cook", "b")}), series, [model])
    with pytest.raises(BadRequest, match="comes back"):
        MInvarianceAnonymize().publish(task)
    back = MInvarianceAnonymize(returning="restore").publish(task)
    assert model.judge(series.with_next(back.copy)).satisfied
    with pytest.raises(BadRequest, match="which column tells the rows"):
        MInvarianceAnonymize().publish(SeriesTask(task.batch, None, [model]))
    outcome = MInvarianceAnonymize(returning="restore").run(task, Run())
    assert outcome.built is not None
    assert outcome.built.links is not None
    assert set(outcome.built.tables) == {"data", "counterfeits"}
