"""δ-presence: shares of a public table, counted one by one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.models import DeltaPresence

# A person of the public table: what the quasi-identifier shows, and whether the person is in the private one.
PEOPLE = st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=24).filter(
    lambda people: any(private for _, private in people)
)
RANGES = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda pair: (min(pair) / 4, max(pair) / 4))


def tables(people: list[tuple[str, bool]], merge: dict[str, str] | None = None) -> tuple[Any, Any]:
    shown = [(merge[q] if merge else q, private) for q, private in people]
    return from_rows(["q"], [(q,) for q, private in shown if private]), from_rows(["q"], [(q,) for q, _ in shown])


def judged(people: list[tuple[str, bool]], model: DeltaPresence, merge: dict[str, str] | None = None) -> Any:
    private, public = tables(people, merge)
    (verdict,) = sfumato.check(private, model, qid=["q"], external=public, worst=10)
    return verdict


@given(people=PEOPLE, limits=RANGES)
def test_counts_like_anybody_would(people: list[tuple[str, bool]], limits: tuple[float, float]) -> None:
    model = DeltaPresence(delta_min=limits[0], delta_max=limits[1])
    everybody = Counter(q for q, _ in people)
    inside = Counter(q for q, private in people if private)
    wanted = {q: Fraction(inside[q], everybody[q]) for q in everybody}
    bad = {q for q, share in wanted.items() if not limits[0] <= share <= limits[1]}
    verdict = judged(people, model)
    assert verdict.satisfied == (not bad)
    assert {found.group[0] for found in verdict.violations} == bad
    assert (verdict.records, verdict.groups) == (len(people), len(everybody))
    assert verdict.violating_records == sum(everybody[q] for q in bad)
    assert verdict.strongest == float(max(wanted.values()))
    for found in verdict.violations:
        q = found.group[0]
        assert found.witness == {
            "published": inside[q],
            "population": everybody[q],
            "presence_probability": float(wanted[q]),
        }
    private, public = tables(people)
    presence = model.presence(private.groups(["q"]), public.groups(["q"]))
    assert presence == {(q,): float(share) for q, share in wanted.items()}


@given(people=PEOPLE, limits=RANGES, targets=st.lists(st.sampled_from("xyz"), min_size=4, max_size=4))
def test_merging_keeps_it(people: list[tuple[str, bool]], limits: tuple[float, float], targets: list[str]) -> None:
    model = DeltaPresence(delta_min=limits[0], delta_max=limits[1])
    if judged(people, model):
        assert judged(people, model, dict(zip("abcd", targets, strict=True)))


def test_merging_may_add_violating_records() -> None:
    # Two people at 1 drag eight at 3/4 over 3/4; the others keep the whole in the range.
    people = [("a", True)] * 2 + [("b", True)] * 6 + [("b", False)] * 2 + [("c", False)] * 8 + [("c", True)] * 8
    model = DeltaPresence(delta_min=0.25, delta_max=0.75)
    before = judged(people, model)
    after = judged(people, model, {"a": "b", "b": "b", "c": "c", "d": "d"})
    assert (before.violating_records, after.violating_records) == (2, 10)


@given(people=PEOPLE)
def test_it_bounds_linkage(people: list[tuple[str, bool]]) -> None:
    """The chance of linking a record is at most delta_max over the group's private records."""
    private, public = tables(people)
    verdict = judged(people, DeltaPresence(delta_min=0, delta_max=1))
    inside, everybody = private.groups(["q"]).as_dict(), public.groups(["q"]).as_dict()
    for key, size in inside.items():
        assert 1 / everybody[key] <= verdict.strongest / size + 1e-12


def test_groups_without_a_private_record_count() -> None:
    people = [("a", True), ("a", False), ("b", False)]
    assert not judged(people, DeltaPresence(delta_min=0.1, delta_max=0.5))
    assert judged(people, DeltaPresence(delta_min=0, delta_max=0.5))


def test_refused_tables() -> None:
    model = DeltaPresence(delta_min=0, delta_max=1)
    private = from_rows(["q"], [("a",), ("a",)])
    with pytest.raises(BadRequest, match="external"):
        sfumato.check(private, model, qid=["q"])
    for public in ([("a",)], [("b",), ("b",), ("b",)]):
        with pytest.raises(BadRequest, match="must be part of it") as refused:
            sfumato.check(private, model, qid=["q"], external=from_rows(["q"], public))
        assert refused.value.parameter == "external"
    with pytest.raises(BadRequest, match="lacks a quasi-identifier"):
        sfumato.check(private, model, qid=["q"], external=from_rows(["p"], [("a",)]))
    with pytest.raises(BadRequest, match="same columns"):
        model.check(private.groups(["q"]), from_rows(["p"], [("a",)]).groups(["p"]))


def test_nobody_at_all() -> None:
    nobody = from_rows(["q"], [("a",)]).drop_groups(["q"], [("a",)])
    (verdict,) = sfumato.check(nobody, DeltaPresence(delta_min=0.5, delta_max=0.5), qid=["q"], external=nobody)
    assert (verdict.satisfied, verdict.strongest) == (True, None)


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"delta_min": -0.1}, "delta_min"),
        ({"delta_max": 1.1}, "delta_max"),
        ({"delta_min": 0.6, "delta_max": 0.5}, "delta_min"),
    ],
)
def test_refusals(wrong: dict[str, float], parameter: str) -> None:
    with pytest.raises(BadRequest) as refused:
        DeltaPresence(**{"delta_min": 0, "delta_max": 1, **wrong})
    assert refused.value.parameter == f"delta-presence.{parameter}"


def test_spec_survives() -> None:
    model = DeltaPresence(delta_min=0.25, delta_max=0.5, qid=("q",))
    assert DeltaPresence.from_spec(model.spec()) == model
    assert model.traits.prevents == frozenset({"table"})
    assert np.isclose(DeltaPresence.from_spec(model.spec()).delta_max, 0.5)
