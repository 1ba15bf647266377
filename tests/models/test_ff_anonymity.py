"""Free-form anonymity: agreement with trying every set of observable values, its traits, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_worlds import free_form
from sfumato import BadRequest, GroupStats
from sfumato.contracts.publication import Publication
from sfumato.models import FFAnonymity

NAMES = ["A", "B", "C", "D"]
SECRET = (("A", "x", 0.5), ("B", "x", 0.5), ("B", "y", 0.75))
HIDDEN = {(NAMES.index(name), value) for name, value, _ in SECRET}
CELL = st.sampled_from(["x", "y", "z"])
RECORDS = st.lists(st.tuples(CELL, CELL, CELL, st.sampled_from(["p", "q"])), min_size=1, max_size=12)


def published(rows: list[tuple[Any, ...]]) -> Publication:
    return Publication(table=sfumato.from_rows(NAMES, rows))


@given(RECORDS, st.sampled_from([None, 1, 2, 3, 9]))
def test_finds_the_surest_attack(rows: list[tuple[Any, ...]], most: int | None) -> None:
    attacks = FFAnonymity(sensitive=SECRET, max_x=most).attacks(published(rows))
    for attack, (name, value, _) in zip(attacks, SECRET, strict=True):
        at = NAMES.index(name)
        assert attack.probability == pytest.approx(float(free_form(rows, at, value, HIDDEN, most)[0]))
        if attack.probability:
            assert most is None or len(attack.given) <= most
            given_at = {NAMES.index(column): known for column, known in attack.given.items()}
            assert at not in given_at
            assert not HIDDEN & set(given_at.items())
            matching = [row for row in rows if all(row[i] == known for i, known in given_at.items())]
            assert attack.records == len(matching)
            assert attack.probability == pytest.approx(sum(row[at] == value for row in matching) / len(matching))


@settings(max_examples=40)
@given(RECORDS)
def test_the_verdict_follows_from_the_attacks(rows: list[tuple[Any, ...]]) -> None:
    model = FFAnonymity(sensitive=SECRET)
    attacks, verdict = model.attacks(published(rows)), model.judge(published(rows))
    assert verdict.satisfied == all(attack.probability <= attack.threshold + 1e-9 for attack in attacks)
    assert verdict.strongest == max(attack.probability for attack in attacks)
    assert verdict.violating_groups == sum(attack.probability > attack.threshold + 1e-9 for attack in attacks)
    touched = [
        row
        for row in rows
        if any(
            free_form([other for other in rows if _alike(row, other, kept)], at, value, set(), 0)[0] > limit
            for name, value, limit in SECRET
            for at in [NAMES.index(name)]
            for kept in _observable_sets(row, at)
        )
    ]
    # The records of the largest sets are counted; those of a smaller set that they imply may be more.
    assert verdict.violating_records <= len(touched)
    assert (verdict.violating_records == 0) == verdict.satisfied == (not touched)


def _observable_sets(row: tuple[Any, ...], at: int) -> list[list[int]]:
    usable = [i for i in range(len(row)) if i != at and (i, row[i]) not in HIDDEN]
    return [[i for bit, i in enumerate(usable) if mask >> bit & 1] for mask in range(1 << len(usable))]


def _alike(row: tuple[Any, ...], other: tuple[Any, ...], kept: list[int]) -> bool:
    return all(row[i] == other[i] for i in kept)


@given(RECORDS, st.sampled_from(["C", "D"]))
def test_merging_observable_values_keeps_it(rows: list[tuple[Any, ...]], column: str) -> None:
    model = FFAnonymity(sensitive=SECRET)
    at = NAMES.index(column)
    merged = [tuple("other" if i == at and v in "xyp" else v for i, v in enumerate(row)) for row in rows]
    if model.judge(published(rows)):
        assert model.judge(published(merged))


def test_a_smaller_set_may_be_the_breach() -> None:
    """Nobody can add the income to the job, because low is sensitive: the job alone gives HIV away."""
    rows = [("Clerk", "HIV", "low"), ("Clerk", "HIV", "low"), ("Pilot", "HIV", "high"), ("Pilot", "Flu", "high")]
    table = sfumato.from_rows(["Job", "Disease", "Income"], rows)
    model = FFAnonymity(sensitive=(("Disease", "HIV", 0.9), ("Income", "low", 1.0)))
    (verdict,) = sfumato.check(table, model)
    (violation,) = verdict.violations
    assert violation.witness == {"given": {"Job": "Clerk"}, "column": "Disease", "value": "HIV", "threshold": 0.9}
    assert (violation.group, violation.size, violation.measured) == (("Clerk",), 2, 1.0)


def test_merging_may_add_violating_records() -> None:
    """The stored counter-example to violations_shrink_under_merge."""
    model = FFAnonymity(sensitive=(("S", "HIV", 0.5),))
    before = [("a", "HIV")] + [("b", "HIV")] * 5 + [("b", "Flu")] * 5
    after = [("ab", value) for _, value in before]
    counts = [
        sfumato.check(sfumato.from_rows(["A", "S"], rows), model).verdicts[0].violating_records
        for rows in (before, after)
    ]
    assert counts == [1, 11]
    assert not FFAnonymity.traits.violations_shrink_under_merge


def test_named_quasi_identifiers_limit_what_is_known() -> None:
    table = sfumato.from_rows(["Name", "Job", "S"], [("u", "a", "HIV"), ("v", "a", "Flu")])
    model = FFAnonymity(sensitive=(("S", "HIV", 0.5),))
    assert not sfumato.check(table, model)
    assert sfumato.check(table, model, qid=["Job"])
    assert sfumato.check(table, FFAnonymity(sensitive=(("S", "HIV", 0.5),), qid=("Job",)))


def test_explicit_groups_need_the_sensitive_columns() -> None:
    with pytest.raises(BadRequest, match="not among the attributes"):
        sfumato.check(GroupStats.from_sizes([1]), FFAnonymity(sensitive=(("S", "HIV", 0.5),)))


def test_values_that_do_not_occur_are_safe() -> None:
    model = FFAnonymity(sensitive=(("A", "nowhere", 0.0),))
    assert model.judge(published([("x", "x", "x", "p")]))


@pytest.mark.parametrize(
    "asked, name",
    [
        ({"sensitive": []}, "sensitive"),
        ({"sensitive": [["A", "x", 1.5]]}, "sensitive"),
        ({"sensitive": [["A", "x", 0.5], ["A", "x", 0.6]]}, "sensitive"),
        ({"sensitive": [["A", "x"]]}, "sensitive"),
        ({"sensitive": [["A", "x", 0.5]], "qid": ["A"]}, "qid"),
    ],
)
def test_bad_parameters(asked: dict[str, Any], name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        FFAnonymity.from_spec(asked)
    assert caught.value.parameter == f"ff-anonymity.{name}"


def test_json() -> None:
    model = FFAnonymity(sensitive=(("A", 3, 0.5), ("B", "x", 1.0)), max_x=2)
    assert FFAnonymity.from_spec(model.spec()) == model
