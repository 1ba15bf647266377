"""What models against record linkage promise, tried by the attacks that measure it: what passes the check keeps the bound."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.models import KAnonymity, KMap, KMapEstimated, PopulationUniqueness

JOBS = {"Any": [{"Office": ["Clerk", "Lawyer"]}, {"Outside": ["Baker", "Pilot", "Farmer"]}]}
LEAVES = ("Clerk", "Lawyer", "Baker", "Pilot", "Farmer")
UP = {**dict.fromkeys(LEAVES[:2], "Office"), **dict.fromkeys(LEAVES[2:], "Outside")}
# A person: a job, an age, and whether the person is in the table.
PEOPLE = st.lists(
    st.tuples(st.sampled_from(LEAVES), st.integers(20, 39), st.booleans()), min_size=1, max_size=40
).filter(lambda people: any(sampled for *_, sampled in people))
SLACK = 1 + 1e-12


def masked(job: str, age: int, level: int) -> tuple[str, str]:
    """Return what is published of a person: the coarser the higher the level."""
    width = (1, 5, 10, 20)[level]
    shown = job if level < 2 else UP[job] if level == 2 else "Any"
    return shown, str(
        age
    ) if level == 0 else f"[{20 + (age - 20) // width * width}-{20 + (age - 20) // width * width + width})"


def tables(people: list[tuple[str, int, bool]], level: int) -> tuple[Any, Any, Any]:
    """Return the published table, the population recoded like it, and the population as it is."""
    columns = ["Job", "Age"]
    return (
        sfumato.from_rows(columns, [masked(job, age, level) for job, age, sampled in people if sampled]),
        sfumato.from_rows(columns, [masked(job, age, level) for job, age, _ in people]),
        sfumato.from_rows(columns, [(job, age) for job, age, _ in people]),
    )


@given(people=PEOPLE, level=st.integers(0, 3), k=st.integers(1, 6))
def test_k_anonymity_bounds_the_prosecutor(people: list[tuple[str, int, bool]], level: int, k: int) -> None:
    table, _, _ = tables(people, level)
    found: Any = sfumato.attack(table, "attacker-risk", qid=["Job", "Age"])
    holds = bool(sfumato.check(table, KAnonymity(k=k), qid=["Job", "Age"]))
    assert holds == (found.prosecutor.max <= 1 / k * SLACK)
    assert found.highest == found.prosecutor.max


@given(people=PEOPLE, level=st.integers(0, 3), k=st.integers(1, 6))
def test_k_map_bounds_the_journalist(people: list[tuple[str, int, bool]], level: int, k: int) -> None:
    """The model counts recoded persons, the attack looks raw persons up under the published labels."""
    table, recoded, population = tables(people, level)
    found: Any = sfumato.attack(
        table, "attacker-risk", qid=["Job", "Age"], external=population, hierarchies={"Job": JOBS}
    )
    assert not found.warnings
    holds = bool(sfumato.check(table, KMap(k=k), qid=["Job", "Age"], external=recoded))
    assert holds == (found.journalist.max <= 1 / k * SLACK)
    assert found.journalist.max <= found.prosecutor.max
    assert found.marketer.average <= found.journalist.average <= found.journalist.max * SLACK


@pytest.mark.parametrize("algorithm", ["mondrian", "tdr", "datafly"])
@pytest.mark.parametrize("k", [2, 5])
def test_releases_keep_the_prosecutor_below(algorithm: str, k: int) -> None:
    rng = np.random.default_rng(k)
    rows = [
        (rng.choice(LEAVES).item(), int(rng.integers(20, 40)), rng.choice(["yes", "no"]).item()) for _ in range(120)
    ]
    ages = {"id": "intervals", "edges": [20, 25, 30, 35, 40]} if algorithm == "datafly" else None
    policy = {
        "columns": {
            "Job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOBS}},
            "Age": {"role": "quasi-identifier", **({"hierarchy": ages} if ages else {})},
            "Class": {"role": "target"},
        },
        "requirements": [{"id": "k-anonymity", "k": k}],
        "algorithm": {"id": algorithm},
    }
    table = sfumato.from_rows(["Job", "Age", "Class"], rows)
    release = sfumato.anonymize(table, policy)
    people = sfumato.from_rows(["Job", "Age"], [row[:2] for row in rows])
    found: Any = sfumato.attack(release, "attacker-risk", external=people)
    assert 0 < found.prosecutor.max <= 1 / k
    assert found.journalist.max <= 1 / k
    assert not found.warnings
    for attack in ("uniqueness", "individual-risk"):
        assert sfumato.attack(release, attack).highest <= (0 if attack == "uniqueness" else 1 / k)


@pytest.mark.parametrize("law", ["zero-truncated-poisson", "poisson"])
@pytest.mark.parametrize("significance", [0.01, 0.05, 0.2])
def test_estimated_k_map_is_rarely_wrong(law: str, significance: float) -> None:
    """A population group of fewer than k persons reaches the required size with at most the accepted probability.

    The probability is that of drawing without replacement, counted exactly; with the truncated law it is the one among groups
    that are seen at all.
    """
    told = 0
    for population, sample in ((400, 40), (400, 200), (1000, 50), (300, 270)):
        for k in (2, 3, 5, 10, 20):
            model = KMapEstimated(k=k, population=population, sample=sample, significance=significance, law=law)
            required = model.required().required
            for size in range(1, k):
                ways = [comb(size, x) * comb(population - size, sample - x) for x in range(size + 1)]
                seen = sum(ways[1:]) if law == "zero-truncated-poisson" else sum(ways)
                assert sum(ways[required:]) / seen <= significance
                told += required < k
    assert told > 20  # a required size of k would be trivially safe


def test_estimated_k_map_keeps_most_journalists_below() -> None:
    """The worst population, all groups one person short of k: of the groups seen few reach the required size."""
    k, groups, significance = 6, 4000, 0.05
    rng = np.random.default_rng(5)
    person = np.repeat(np.arange(groups), k - 1)
    sampled = rng.permutation(person)[: len(person) // 5]
    model = KMapEstimated(k=k, population=len(person), sample=len(sampled), significance=significance)
    table = sfumato.from_rows(["q"], [(int(one),) for one in sampled])
    found: Any = sfumato.attack(
        table, "attacker-risk", qid=["q"], external=sfumato.from_rows(["q"], [(int(one),) for one in person])
    )
    assert found.journalist.max == 1 / (k - 1)
    reached = np.count_nonzero(found.sample >= model.required().required)
    assert 1 < model.required().required < k
    assert 0 < reached / len(found.sample) <= significance
    assert not sfumato.check(table, model, qid=["q"])


@settings(max_examples=60)
@given(
    people=PEOPLE,
    level=st.integers(0, 3),
    factor=st.integers(1, 30),
    threshold=st.sampled_from([0.0, 0.02, 0.1, 0.3]),
    estimator=st.sampled_from(["dankar", "zayatz", "pitman", "snb"]),
)
def test_population_uniqueness_bounds_the_estimate(
    people: list[tuple[str, int, bool]], level: int, factor: int, threshold: float, estimator: str
) -> None:
    table, _, _ = tables(people, level)
    asked = {"population": table.rows * factor, "estimator": estimator}
    found: Any = sfumato.attack(table, {"id": "uniqueness", **asked}, qid=["Job", "Age"])
    if sfumato.check(table, PopulationUniqueness(threshold=threshold, **asked), qid=["Job", "Age"]):
        assert found.estimate.share <= threshold * (1 + 1e-9)
        # The expected number of records that are alone in the sample and in the population is n times the share, at most.
        assert found.mean <= threshold * (1 + 1e-9)
