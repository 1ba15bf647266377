"""(c, t)-isolation: counting in closed balls, with and without a k-d tree, and the audit of a release."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_mechanisms import isolates
from sfumato.errors import BadRequest, Unsupported
from sfumato.models import CTIsolation, c_t_isolation
from sfumato.models.c_t_isolation import average_guesses, nearest_guesses

PLACES = st.tuples(st.integers(0, 4), st.integers(0, 4))
POINTS = st.lists(PLACES, min_size=1, max_size=9)


@pytest.fixture(params=["tree", "no tree"])
def _library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run with and without the library for k-d trees."""
    if request.param == "tree":
        pytest.importorskip("scipy")
        return

    def absent(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(c_t_isolation, "import_module", absent)


@pytest.mark.usefixtures("_library")
class TestCounting:
    """What must be the same with and without a k-d tree."""

    def test_like_counting_by_hand(self) -> None:
        @given(points=POINTS, guess=PLACES, c=st.sampled_from([1, 1.5, 2, 3]), t=st.integers(1, 5))
        def holds(points: list[tuple[int, int]], guess: tuple[int, int], c: float, t: int) -> None:
            model = CTIsolation(c=c, t=t)
            wanted = [isolates(points, guess, victim, Fraction(c), t) for victim in range(len(points))]
            assert model.isolated(points, [guess] * len(points)).tolist() == wanted
            assert [model.isolation(points, guess, victim).isolates for victim in range(len(points))] == wanted

        holds()

    def test_nearest_published_point_is_the_first_of_the_nearest(self) -> None:
        @given(points=POINTS, released=POINTS, known=st.sampled_from([[0], [1], [0, 1]]))
        def holds(points: list[tuple[int, int]], released: list[tuple[int, int]], known: list[int]) -> None:
            wanted = [
                list(min(released, key=lambda shown: sum((shown[at] - point[at]) ** 2 for at in known)))
                for point in points
            ]
            assert nearest_guesses(points, released, known).tolist() == wanted

        holds()

    def test_many_points(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(c_t_isolation, "CELLS", 1000)
        rng = np.random.default_rng(1)
        points = rng.integers(0, 12, (300, 3))
        guesses = points + rng.integers(-2, 3, points.shape)
        model = CTIsolation(c=2, t=4)
        wanted = [
            isolates(points.tolist(), guess, victim, Fraction(2), 4) for victim, guess in enumerate(guesses.tolist())
        ]
        assert 0 < sum(wanted) < 300
        assert model.isolated(points, guesses).tolist() == wanted


@given(points=POINTS, guess=PLACES, t=st.integers(1, 5))
def test_smaller_balls_and_larger_crowds_isolate_more(
    points: list[tuple[int, int]], guess: tuple[int, int], t: int
) -> None:
    for victim in range(len(points)):
        if CTIsolation(c=2, t=t).isolation(points, guess, victim).isolates:
            assert CTIsolation(c=1, t=t).isolation(points, guess, victim).isolates
            assert CTIsolation(c=2, t=t + 1).isolation(points, guess, victim).isolates


def test_copies_of_the_victim_hide_it_from_an_exact_guess() -> None:
    points = [[1.5, 2], [1.5, 2], [9, 9]]
    seen = CTIsolation(c=5, t=2).isolation(points, [1.5, 2], 0)
    assert (seen.distance, seen.points_in_ball, seen.isolates) == (0.0, 2, False)
    assert CTIsolation(c=5, t=2).isolated(points, points).tolist() == [False, False, True]
    # The victim itself is always in the ball.
    assert not CTIsolation(c=1, t=1).isolated(points, [[7, 0.1]] * 3).any()


# ---- audits --------------------------------------------------------------------------------------------------------------

CROWDS = [[x, 10 * x + y] for x in range(4) for y in range(5)]


def test_the_raw_table_isolates_more_than_its_averages() -> None:
    model = CTIsolation(c=2, t=2)
    rng = np.random.default_rng(3)
    points = np.column_stack([np.arange(40), rng.permutation(1000)[:40]])
    raw = model.audit(points, released=points, known=[0])
    assert not raw.satisfied
    assert (raw.witness["share_with"], raw.witness["isolated_with"]) == (1.0, 40)
    assert raw.measured == 1 - raw.witness["share_without"]
    flat = model.audit(points, released=[points.mean(axis=0)], known=[0])
    assert flat.satisfied
    assert flat.witness["victims"] == 40


def test_shares_are_those_of_the_guesses() -> None:
    model = CTIsolation(c=2, t=4)
    known = [0]
    released = [[x, 10 * x + 2] for x in range(4)]
    audit = model.audit(CROWDS, released=released, known=known)
    after = model.isolated(CROWDS, nearest_guesses(CROWDS, released, known))
    without = model.isolated(CROWDS, average_guesses(CROWDS, known))
    assert audit.witness["isolated_with"] == after.sum()
    assert audit.witness["isolated_without"] == without.sum()
    assert audit.witness["newly_isolated"] == (after & ~without).sum()
    assert audit.measured == pytest.approx(after.mean() - without.mean())
    given_both = model.audit(
        CROWDS, guesses=nearest_guesses(CROWDS, released, known), guesses_without=average_guesses(CROWDS, known)
    )
    assert given_both.witness == audit.witness


def test_standardised_coordinates_do_not_depend_on_the_unit() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(60, 3))
    points[:, 2] = 7.0
    released = np.round(points)
    model = CTIsolation(c=2, t=3)
    metres = model.audit(points, released=released, known=[0], standardise=True)
    scale = np.array([1.0, 4096.0, 1.0])
    assert model.audit(points * scale, released=released * scale, known=[0], standardise=True).witness == metres.witness
    plain = [model.audit(points * s, released=released * s, known=[0]).witness for s in (1.0, scale)]
    assert plain[0] != plain[1]


def test_tables_are_taken_by_their_columns() -> None:
    rows = [(f"r{at}", float(x), y) for at, (x, y) in enumerate(CROWDS)]
    table = sfumato.from_rows(["name", "x", "y"], rows)
    released = sfumato.from_rows(["y", "x"], [(10 * x + 2, x) for x in range(4)])
    model = CTIsolation(c=2, t=4)
    audit = model.audit(table, released=released, known=["x"], columns=["x", "y"])
    assert audit == model.audit(CROWDS, released=[[x, 10 * x + 2] for x in range(4)], known=[0])


def test_nothing_to_calibrate() -> None:
    with pytest.raises(Unsupported, match="calibrate"):
        CTIsolation(c=1, t=2).calibrate(1.0)


MODEL = CTIsolation(c=1, t=2)
TEXTS = sfumato.from_rows(["x", "y"], [(1, "a"), (2, "b")])
GAPS = sfumato.from_rows(["x", "y"], [(1, 2), (None, 3)])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: MODEL.audit(CROWDS), "give a release"),
        (lambda: MODEL.audit(CROWDS, released=CROWDS), "knows"),
        (lambda: MODEL.audit(CROWDS, released=CROWDS, known=[]), "knows"),
        (lambda: MODEL.audit(CROWDS, released=CROWDS, known=[2]), "not a coordinate"),
        (lambda: MODEL.audit(CROWDS, released=[[1, 2, 3]], known=[0]), "2 coordinates"),
        (lambda: MODEL.audit(CROWDS, guesses=CROWDS[1:], known=[0]), "one guess for each victim"),
        (lambda: MODEL.audit(TEXTS, released=TEXTS, known=["x"]), "column of numbers"),
        (lambda: MODEL.audit(GAPS, released=GAPS, known=["x"]), "missing"),
        (lambda: MODEL.audit(TEXTS, released=TEXTS, known=["x"], columns=["x", "z"]), "not a column"),
        (lambda: MODEL.isolation([["a", "b"]], [1, 2], 0), "rows of numbers"),
        (lambda: MODEL.isolation([[1, 2], [1]], [1, 2], 0), "rows of numbers"),
        (lambda: MODEL.isolation([], [1, 2], 0), "at least one row"),
        (lambda: MODEL.isolation([[1, float("nan")]], [1, 2], 0), "missing or infinite"),
        (lambda: MODEL.isolation(CROWDS, [1], 0), "2 coordinates"),
        (lambda: MODEL.isolation(CROWDS, [1, 2], 20), "row number"),
        (lambda: MODEL.isolated(CROWDS, [[1, 2]], [-1]), "row numbers"),
        (lambda: CTIsolation(c=0.5, t=2), ">= 1"),
        (lambda: CTIsolation(c=1, t=0), ">= 1"),
    ],
)
def test_bad_requests_are_refused(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        call()


def test_importing_the_model_does_not_load_the_tree_library() -> None:
    code = "import sys, sfumato.models.c_t_isolation; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
