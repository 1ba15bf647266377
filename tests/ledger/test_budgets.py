"""Budgets are whole numbers, charged once per key, and never overspent, whatever is asked in whatever order."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import BadRequest, Infeasible
from sfumato.ledger.budgets import Cost
from sfumato.ledger.ledger import Ledger

from .conftest import SetClock


def test_ten_times_a_tenth_is_one(ledger: Ledger) -> None:
    ledger.budgets.allot("survey", epsilon=1.0)
    for number in range(10):
        ledger.budgets.charge("survey", epsilon=0.1, key=f"question {number}")
    left = ledger.budgets.quote("survey", epsilon=0.1)
    assert (left.left, left.allowed, left.times) == (Cost(0), False, 0)


def test_a_refusal_names_spent_asked_left_and_how_many_more(ledger: Ledger) -> None:
    ledger.budgets.allot("survey", epsilon=1, delta=1e-6)
    ledger.budgets.charge("survey", epsilon=0.75, delta=4e-7, key="first")
    with pytest.raises(Infeasible) as refused:
        ledger.budgets.charge("survey", epsilon=0.5, delta=1e-7, key="second")
    assert str(refused.value) == (
        "the privacy budget is exhausted: budget survey: 0.75 (delta 4e-07) of 1 (delta 1e-06) spent, "
        "0.5 (delta 1e-07) asked, 0.25 (delta 6e-07) left, enough for 0 such questions"
    )
    assert ledger.budgets.quote("survey", epsilon=0.1, delta=3e-7).times == 2
    assert ledger.budgets.quote("survey", epsilon=0.1, delta=3e-7).allowed
    assert ledger.size == 3, "asking costs nothing, and a refusal is no entry"


def test_what_a_library_returns_is_rounded_up(ledger: Ledger) -> None:
    ledger.budgets.allot("survey", epsilon=1)
    with pytest.raises(Infeasible):
        ledger.budgets.charge("survey", epsilon=1.0000000093, key="a sum of floats")
    assert Cost.of(Fraction(1, 3), Fraction(1, 3)) == Cost(333_334, 333_333_334)


def test_a_key_is_charged_once(ledger: Ledger) -> None:
    ledger.budgets.allot("survey", epsilon=1)
    first = ledger.budgets.charge("survey", epsilon=0.6, key="q")
    assert ledger.budgets.charge("survey", epsilon=0.6, key="q") == first
    with pytest.raises(BadRequest, match="another question"):
        ledger.budgets.charge("survey", epsilon=0.5, key="q")
    with pytest.raises(BadRequest, match="must not be empty"):
        ledger.budgets.charge("survey", epsilon=0.5, key="")


def test_a_refund_gives_back_once_and_closes_the_key(ledger: Ledger) -> None:
    ledger.budgets.allot("survey", epsilon=1)
    ledger.budgets.charge("survey", epsilon=0.6, key="q")
    ledger.budgets.refund("q", "the answer was never given")
    assert ledger.budgets.quote("survey", epsilon=1).allowed
    with pytest.raises(BadRequest, match="refunded already"):
        ledger.budgets.refund("q", "once more")
    with pytest.raises(BadRequest, match="under another key"):
        ledger.budgets.charge("survey", epsilon=0.6, key="q")
    with pytest.raises(BadRequest, match="nothing was charged"):
        ledger.budgets.refund("p", "why")
    assert ledger.verify()


def test_a_question_charges_all_its_budgets_or_none(ledger: Ledger) -> None:
    ledger.budgets.allot("all", epsilon=1)
    ledger.budgets.allot("analyst", epsilon=0.5)
    ledger.budgets.charge(["all", "analyst"], epsilon=0.4, key="q1")
    with pytest.raises(Infeasible, match="budget analyst"):
        ledger.budgets.charge(["all", "analyst"], epsilon=0.4, key="q2")
    assert ledger.budgets.quote("all", epsilon=0).spent == Cost(400_000)
    assert ledger.budgets.names == ("all", "analyst")


def test_a_window_forgets(ledger: Ledger, clock: SetClock) -> None:
    ledger.budgets.allot("monthly", epsilon=1, window=timedelta(days=30))
    ledger.budgets.charge("monthly", epsilon=1, key="january")
    with pytest.raises(Infeasible):
        ledger.budgets.charge("monthly", epsilon=0.1, key="too soon")
    clock.now += timedelta(days=30)
    ledger.budgets.charge("monthly", epsilon=1, key="february")


def test_a_top_up_adds(ledger: Ledger) -> None:
    ledger.budgets.allot("survey", epsilon=1)
    ledger.budgets.top_up("survey", epsilon=0.5, delta=1e-9)
    assert ledger.budgets.quote("survey", epsilon=1.5, delta=1e-9).allowed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda b: b.allot("survey", epsilon=1), "exists already"),
        (lambda b: b.allot(" ", epsilon=1), "must have a name"),
        (lambda b: b.allot("x", epsilon=1, window=timedelta(0)), "longer than nothing"),
        (lambda b: b.top_up("x", epsilon=1), "is not a budget"),
        (lambda b: b.quote("x", epsilon=1), "is not a budget"),
        (lambda b: b.charge("x", epsilon=1, key="q"), "is not a budget"),
        (lambda b: b.charge([], epsilon=1, key="q"), "one budget or several"),
        (lambda b: b.charge(["survey", "survey"], epsilon=1, key="q"), "one budget or several"),
        (lambda b: b.charge("survey", epsilon=-1, key="q"), "must be >= 0"),
        (lambda b: b.charge("survey", epsilon=float("nan"), key="q"), "finite"),
        (lambda b: b.charge("survey", epsilon=float("inf"), key="q"), "finite"),
        (lambda b: b.allot("x", epsilon=1e300), "any budget can hold"),
        (lambda b: b.refund("q", ""), "in words"),
    ],
)
def test_what_is_refused(ledger: Ledger, call: object, words: str) -> None:
    ledger.budgets.allot("survey", epsilon=1)
    with pytest.raises(BadRequest, match=words):
        call(ledger.budgets)  # type: ignore[operator]
    assert ledger.size == 2


# ---- against a twin ------------------------------------------------------------------------------------------------------

NAMES = ("all", "week")
WEEK = timedelta(days=7)


class Twin:
    """Budgets as a list of what happened, summed anew each time, in fractions."""

    def __init__(self) -> None:
        self.limits: dict[str, Fraction] = {}
        self.charges: dict[str, tuple[tuple[str, ...], Fraction, object, bool]] = {}

    def spent(self, name: str, now: object) -> Fraction:
        return sum(
            (
                cost
                for names, cost, at, back in self.charges.values()
                if name in names and not back and (name == "all" or now - at < WEEK)  # type: ignore[operator]
            ),
            Fraction(0),
        )

    def charge(self, names: tuple[str, ...], cost: Fraction, key: str, now: object) -> bool:
        if key in self.charges:
            before, paid, _, back = self.charges[key]
            return (before, paid) == (names, cost) and not back
        if any(self.spent(name, now) + cost > self.limits[name] for name in names):
            return False
        self.charges[key] = (names, cost, now, False)
        return True

    def refund(self, key: str) -> bool:
        if key not in self.charges or self.charges[key][3]:
            return False
        names, cost, at, _ = self.charges[key]
        self.charges[key] = (names, cost, at, True)
        return True


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("charge"),
            st.sampled_from([("all",), ("week",), ("all", "week")]),
            st.integers(0, 600_000),
            st.integers(0, 9),
        ),
        st.tuples(st.just("refund"), st.integers(0, 9)),
        st.tuples(st.just("top up"), st.sampled_from(NAMES), st.integers(1, 300_000)),
        st.tuples(st.just("wait"), st.integers(0, 5 * 24)),
    ),
    max_size=25,
)


@contextmanager
def fresh(clock: SetClock) -> Iterator[Ledger]:
    with (
        tempfile.TemporaryDirectory() as held,
        Ledger.create(Path(held) / "l", signature="hmac-sha256", clock=clock) as made,
    ):
        yield made


@settings(max_examples=40)
@given(steps=STEPS)
def test_budgets_are_never_overspent(steps: list[tuple[object, ...]]) -> None:
    clock, twin = SetClock(), Twin()
    with fresh(clock) as ledger:
        budgets = ledger.budgets
        budgets.allot("all", epsilon=2)
        budgets.allot("week", epsilon=1, window=WEEK)
        twin.limits = {"all": Fraction(2), "week": Fraction(1)}
        for kind, *given_ in steps:
            try:
                if kind == "charge":
                    names, micro, key = given_
                    cost = Fraction(micro, 10**6)  # type: ignore[arg-type]
                    allowed = twin.charge(names, cost, f"q{key}", clock.now)  # type: ignore[arg-type]
                    budgets.charge(names, epsilon=cost, key=f"q{key}")  # type: ignore[arg-type]
                elif kind == "refund":
                    allowed = twin.refund(f"q{given_[0]}")
                    budgets.refund(f"q{given_[0]}", "no answer")
                elif kind == "top up":
                    name, micro = given_
                    allowed = True
                    twin.limits[name] += Fraction(micro, 10**6)  # type: ignore[arg-type, index]
                    budgets.top_up(name, epsilon=Fraction(micro, 10**6))  # type: ignore[arg-type]
                else:
                    allowed, clock.now = True, clock.now + timedelta(hours=given_[0])  # type: ignore[arg-type]
                done = True
            except (Infeasible, BadRequest):
                done = False
            assert done == allowed, kind
            for name in NAMES:
                told = budgets.quote(name, epsilon=Fraction(1, 10))
                assert Fraction(told.spent.epsilon, 10**6) == twin.spent(name, clock.now)
                assert told.spent.within(told.limit)
        assert ledger.verify()
