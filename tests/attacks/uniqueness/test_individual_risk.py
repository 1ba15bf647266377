"""Risks from sampling weights against the series that defines them, for every share that can be sampled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_risk import expected_inverse, household_risk
from sfumato.attacks import IndividualRisk
from sfumato.attacks.uniqueness.individual_risk import IndividualRisks, approximate_risk, exact_risk

# A record: a job, a weight, a household or none.
RECORDS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2, 5, 20]), st.sampled_from(["h1", "h2", "h3", None])),
    min_size=1,
    max_size=20,
)


def risk(f: int, weight_sum: float) -> float:
    return float(exact_risk(np.array([f]), np.array([weight_sum]))[0])


@pytest.mark.parametrize("f", [1, 2, 3, 4, 7, 15, 38, 39, 40, 41, 80])
@pytest.mark.parametrize("p", [0.02, 0.1, 0.3, 0.49, 0.499999, 0.5, 0.500001, 0.7, 0.9, 0.999, 1.0])
def test_against_the_series(f: int, p: float) -> None:
    assert risk(f, f / p) == pytest.approx(expected_inverse(f, f / p), rel=1e-8)


@pytest.mark.parametrize("f", [1, 2, 3, 10, 39, 40, 1000, 10**6])
def test_no_digits_are_lost_at_the_ends(f: int) -> None:
    """Near a full count the risk is 1 / f, and for tiny shares p / (f - 1) less a little; exact values to 1e-12."""
    special: Any = pytest.importorskip("scipy.integrate")
    for p in (1 - 1e-15, 1 - 1e-12, 1 - 1e-6):
        q = 1 - p
        # The first terms of the series in q, which is small.
        wanted = p / f * (1 + q / (f + 1) + 2 * q**2 / ((f + 1) * (f + 2)))
        assert risk(f, f / p) == pytest.approx(wanted, rel=1e-12)
    for p in (1e-9, 1e-4, 0.2, 0.45):
        # r = p * integral of v^(f - 1) / (p + q v); by v = e^-t it has no edge for large f.
        upper = 60.0 / f if f > 1 else 60.0
        got, _ = special.quad(
            lambda t, p=p: np.exp(-f * t) / (p + (1 - p) * np.exp(-t)), 0, upper, limit=500, epsabs=0, epsrel=1e-10
        )
        assert risk(f, f / p) == pytest.approx(p * got, rel=1e-7)


@given(f=st.integers(1, 300), first=st.floats(1, 1e6), second=st.floats(1, 1e6))
def test_the_more_persons_the_lower_the_risk(f: int, first: float, second: float) -> None:
    low, high = sorted((first, second))
    some, more = risk(f, f * low), risk(f, f * high)
    assert 0 < more <= some * (1 + 1e-12) <= (1 + 1e-12) / f
    assert some >= 1 / (f * low) * (1 - 1e-9)  # one over a mean is at most the mean of one over
    quick = float(approximate_risk(np.array([f]), np.array([f * low]))[0])
    assert quick >= some * (1 - 1e-12)
    if f < 3:
        assert quick == some


def test_many_groups_at_once_are_as_one_by_one() -> None:
    rng = np.random.default_rng(8)
    f = rng.integers(1, 60, 400)
    weights = f * np.where(rng.random(400) < 0.2, 1.0, rng.uniform(1, 30, 400))
    together = exact_risk(f, weights)
    assert together.tolist() == pytest.approx(
        [risk(int(a), float(b)) for a, b in zip(f, weights, strict=True)], rel=1e-14
    )


@given(records=RECORDS, approximate=st.booleans())
def test_a_table_with_weights_and_households(records: list[tuple[str, int, str | None]], approximate: bool) -> None:
    table = sfumato.from_rows(["Job", "Weight", "Home"], records)
    found = sfumato.attack(
        table, IndividualRisk(weight="Weight", household="Home", approximate=approximate), qid=["Job"]
    )
    assert isinstance(found, IndividualRisks)
    own = {}
    for job in {job for job, _, _ in records}:
        weights = [weight for other, weight, _ in records if other == job]
        f, total = len(weights), float(sum(weights))
        exact = expected_inverse(f, total)
        own[job] = f / total / (f - 1 + f / total) if approximate and f >= 3 else exact
        one = found.group((job,))
        assert (one.f, one.weight_sum, one.p) == (f, total, f / total)
        assert one.risk_exact == pytest.approx(exact, rel=1e-8)
    each = [own[job] for job, _, _ in records]
    assert found.expected_reidentifications == pytest.approx(sum(each), rel=1e-8)
    assert found.global_risk == pytest.approx(sum(each) / len(records), rel=1e-8)
    homes = {home: [own[job] for job, _, other in records if other == home] for _, _, home in records if home}
    assert found.household_risk == pytest.approx({home: household_risk(risks) for home, risks in homes.items()})
    wanted = [household_risk(homes[home]) if home else own[job] for job, _, home in records]
    assert sorted(np.repeat(found.per_victim, found.counts).tolist()) == pytest.approx(sorted(wanted), rel=1e-8)
    assert found.victims == len(records)


@given(records=RECORDS)
def test_without_weights_it_is_one_over_the_group(records: list[tuple[str, int, str | None]]) -> None:
    table = sfumato.from_rows(["Job", "Weight", "Home"], records)
    found: Any = sfumato.attack(table, "individual-risk", qid=["Job"])
    jobs = [job for job, _, _ in records]
    assert sorted(np.repeat(found.per_victim, found.counts).tolist()) == pytest.approx(
        sorted(1 / jobs.count(job) for job in jobs)
    )
    assert found.details["persons_stood_for"] == len(records)


def test_weights_that_are_not_whole() -> None:
    found: Any = IndividualRisk().of_groups({"k": [0.5, 1.5], "ten": [0.1] * 9 + [9.1]})
    assert found.group("k").risk_exact == 0.5  # two records for two persons
    assert found.group("ten").risk_exact == pytest.approx(0.1)
    table = sfumato.from_rows(["Job", "Weight"], [("a", 2.5), ("a", 2.25)])
    tried: Any = sfumato.attack(table, IndividualRisk(weight="Weight"), qid=["Job"])
    assert tried.highest == pytest.approx(expected_inverse(2, 4.75))


def test_somebody_who_is_found_for_certain_gives_the_household_away() -> None:
    found = IndividualRisk().of_groups({"k": [1], "l": [50, 50]}, {"h": ["k", "l"], "i": []})
    assert dict(found.household_risk) == {"h": 1.0, "i": 0.0}
    table = sfumato.from_rows(["Job", "W", "Home"], [("a", 1, "h"), ("b", 50, "h")])
    tried: Any = sfumato.attack(table, IndividualRisk(weight="W", household="Home"), qid=["Job"])
    assert tried.per_victim.tolist() == [1.0, 1.0]
    assert "household" in tried.reading


@pytest.mark.parametrize(
    ("more", "parameter", "column"),
    [
        ({"weight": "Shoe"}, "individual-risk.weight", None),
        ({"household": "Shoe"}, "individual-risk.household", None),
        ({"weight": "Job"}, "individual-risk.weight", None),
        ({"weight": "Home"}, "individual-risk.weight", None),
        ({"weight": "Few"}, "individual-risk.weight", None),
        ({"household": "Job"}, "individual-risk.household", None),
        ({"weight": "Weight", "household": "Weight"}, "individual-risk.household", None),
        ({"weight": "None"}, None, "None"),
        ({"weight": "Zero"}, None, "Zero"),
    ],
)
def test_bad_requests(more: dict[str, Any], parameter: str | None, column: str | None) -> None:
    table = sfumato.from_rows(
        ["Job", "Weight", "Home", "Few", "None", "Zero"], [("a", 2, "h", 0.5, 3, 4), ("a", 3, "h", 0.9, None, 0)]
    )
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(table, {"id": "individual-risk", **more}, qid=["Job"])
    assert (caught.value.parameter, caught.value.column) == (parameter, column)


def test_bad_groups() -> None:
    attack = IndividualRisk()
    for given_groups, households, parameter in (
        ({"k": []}, None, "groups"),
        ({"k": [-1]}, None, "groups"),
        ({"k": [0.2, 0.3]}, None, "groups"),
        ({"k": [2]}, {"h": ["l"]}, "households"),
    ):
        with pytest.raises(sfumato.BadRequest) as caught:
            attack.of_groups(given_groups, households)  # type: ignore[arg-type]
        assert caught.value.parameter == parameter
    with pytest.raises(sfumato.BadRequest) as caught:
        attack.of_groups({"k": [2]}).group("l")
    assert caught.value.parameter == "label"


def test_missing_keys_match_everything_where_that_is_asked() -> None:
    rows = [("a", "x"), ("a", "x"), (None, "y"), ("b", "y"), ("b", "y"), (None, "x")]
    table = sfumato.from_rows(["P", "Q", "w"], [(*row, 4.0) for row in rows])
    found = sfumato.attack(table, {"id": "individual-risk", "missing": "wildcard", "weight": "w"}, qid=["P", "Q"])
    assert set(found.f.tolist()) == {3}
    assert set(found.weight_sum.tolist()) == {12.0}
    assert (found.details["records"], found.details["persons_stood_for"]) == (6, 24.0)
    assert found.expected_reidentifications == pytest.approx(6 * found.risk[0])
    for empty in ("*", "?"):  # as local suppression publishes it, and as a missing value is published
        shown = [(*(empty if cell is None else cell for cell in row), 4.0) for row in rows]
        emptied = sfumato.from_rows(["P", "Q", "w"], shown)
        told = sfumato.attack(emptied, {"id": "individual-risk", "missing": "wildcard", "weight": "w"}, qid=["P", "Q"])
        assert told.mean == pytest.approx(found.mean)
    plain = sfumato.attack(table, {"id": "individual-risk", "weight": "w"}, qid=["P", "Q"])
    assert sorted(plain.f.tolist()) == [1, 1, 2, 2]


def test_wildcards_equal_plain_matching() -> None:
    rng = np.random.default_rng(3)
    rows = [tuple(None if cell == 3 else "xyz"[cell] for cell in row) for row in rng.integers(0, 4, (30, 3))]
    table = sfumato.from_rows(["P", "Q", "R"], rows)
    found = sfumato.attack(table, {"id": "individual-risk", "missing": "wildcard"}, qid=["P", "Q", "R"])
    for label, f in zip(found.labels, found.f.tolist(), strict=True):
        alike = [
            row for row in rows if all(None in pair or pair[0] == pair[1] for pair in zip(row, label, strict=True))
        ]
        assert f == len(alike)
