"""What models promise, tried by the attacks they are made against: a table that passes the check never yields more.

Where a model bounds exactly what an attack measures, the attack must also exceed the bound wherever the check fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.attacks.linkage.attack_probabilistic import BeliefChange
from sfumato.attacks.linkage.attack_proximity import Proximity
from sfumato.attacks.linkage.attack_skewness import Skewness
from sfumato.groups.stats import GroupStats
from sfumato.models import Profitability

QID = ["Zip", "Sex"]
DISEASES = ["Flu", "Ulcer", "Gout", "HIV"]
TABLES = 120
SLACK = 1e-9


@dataclass(frozen=True)
class Drawn:
    """A random release, and the population it was drawn from, recoded alike."""

    table: Any
    population: Any
    groups: GroupStats

    @property
    def values(self) -> list[Any]:
        return [value for value in self.groups.histograms["Disease"].values if value is not None]

    def found(self, attack: Any, sensitive: str = "Disease", **more: Any) -> Any:
        return sfumato.attack(self.table, attack, qid=QID, sensitive=sensitive, **more)


def draw(rng: np.random.Generator) -> Drawn:
    zips, sexes = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    weights = rng.dirichlet(np.full(len(DISEASES), rng.choice([0.4, 1.0, 5.0])))
    # With a number of records of each value in each group that is nearly the same, strict requirements hold now and then.
    rows = [
        (f"z{zip_}", f"s{sex}", DISEASES[value], int(rng.choice([rng.integers(0, 100), 10 * rng.integers(0, 10)])))
        for zip_ in range(zips)
        for sex in range(sexes)
        for value in range(len(DISEASES))
        for _ in range(max(0, round(10 * weights[value]) + int(rng.integers(-1, 2))))
    ]
    rows = rows or [("z0", "s0", "Flu", 1)]
    others = [rows[at][:2] for at in rng.integers(0, len(rows), int(rng.integers(0, 60)))]
    others += [("z0", "s9")] if rng.random() < 0.2 else []
    table = sfumato.from_rows([*QID, "Disease", "Salary"], rows)
    population = sfumato.from_rows(QID, [*(row[:2] for row in rows), *others])
    return Drawn(table, population, table.groups(QID, ["Disease", "Salary"]))


@pytest.fixture(scope="module")
def tables() -> list[Drawn]:
    rng = np.random.default_rng(7)
    return [draw(rng) for _ in range(TABLES)]


Spec = dict[str, Any]


@dataclass(frozen=True)
class Promise:
    """A model with parameters to draw, and what must be true of the attack; ``exact`` if the check must say the same."""

    specs: Callable[[np.random.Generator, Drawn], Spec | list[Spec]]
    kept: Callable[[Drawn, Any], bool]
    exact: bool = False


def at_most(found: float, bound: float) -> bool:
    return bool(found <= bound * (1 + SLACK) + SLACK * SLACK)


def confidence(drawn: Drawn) -> float:
    return float(drawn.found("attack-attribute-linkage").highest)


def changed(drawn: Drawn) -> BeliefChange:
    found = drawn.found("attack-probabilistic")
    assert isinstance(found, BeliefChange)
    return found


def skewed(drawn: Drawn) -> Skewness:
    found = drawn.found("attack-skewness")
    assert isinstance(found, Skewness)
    return found


def near(drawn: Drawn, **parameters: Any) -> Proximity:
    found = drawn.found({"id": "attack-proximity", **parameters}, "Salary")
    assert isinstance(found, Proximity)
    return found


def of_disease(name: str, **parameters: Callable[[np.random.Generator], Any]) -> Callable[..., Spec]:
    def drawn_spec(rng: np.random.Generator, _: Drawn) -> Spec:
        return {"id": name, "sensitive": "Disease", **{key: drawn(rng) for key, drawn in parameters.items()}}

    return drawn_spec


def of_salary(name: str, **parameters: Callable[[np.random.Generator], Any]) -> Callable[..., Spec]:
    def drawn_spec(rng: np.random.Generator, drawn: Drawn) -> Spec:
        return {**of_disease(name, **parameters)(rng, drawn), "sensitive": "Salary"}

    return drawn_spec


def whole(low: int, high: int) -> Callable[[np.random.Generator], int]:
    return lambda rng: int(rng.integers(low, high + 1))


def between(low: float, high: float) -> Callable[[np.random.Generator], float]:
    return lambda rng: float(rng.uniform(low, high))


def linked_alike(drawn: Drawn, spec: Spec) -> bool:
    """Every person of the release matches at least k records, and of these no more than the allowed share tells a value."""
    found = drawn.found("attack-record-linkage", external=drawn.table.select(QID))
    return at_most(found.highest, 1 / spec["k"])


def chances(drawn: Drawn) -> Any:
    """Return the chance of pointing at the right record, of every person of the release."""
    return drawn.found("attack-record-linkage", external=drawn.table.select(QID)).per_victim


def every_entropy_fits(drawn: Drawn, spec: Spec) -> bool:
    """The entropy of m values with a largest share c is at most h(c) + (1 - c) log(m - 1): c cannot be too close to 1."""
    found = drawn.found("attack-attribute-linkage")
    for share, distinct in zip(found.per_victim, drawn.groups.histograms["Disease"].distinct(), strict=True):
        rest = 1 - share
        most = 0.0 if rest <= 0 else -share * log(share) - rest * log(rest) + rest * log(distinct - 1)
        if not at_most(log(spec["l"]), most):
            return False
    return spec["l"] == 1 or bool(found.highest < 1)


def some_remain(drawn: Drawn, least: int) -> bool:
    """In each group at least so many records do not carry the most frequent value."""
    found = drawn.found("attack-attribute-linkage")
    return all(np.round((1 - found.per_victim) * found.counts) >= least)


def few_near(drawn: Drawn, spec: Spec) -> bool:
    """An interval of width epsilon lies within epsilon of its lowest value; two of them make one of twice the width."""
    epsilon, m = spec["epsilon"], spec["m"]
    once, twice = near(drawn, width=epsilon), near(drawn, width=2 * epsilon)
    around = (
        value
        for at in range(len(drawn.groups))
        for value in drawn.groups.histograms["Salary"].row(at)
        if not at_most(near(drawn, interval=(value - epsilon, value + epsilon)).per_victim[at], 1 / m)
    )
    return at_most(once.highest, 1 / m) and at_most(twice.highest, 2 / m) and next(around, None) is None


def spread_wide(drawn: Drawn, spec: Spec) -> bool:
    """k different values leave k - 1 records beside the most frequent one, and no interval below e holds all."""
    exact = near(drawn, width=0)
    assert exact.counts is not None
    left = np.round((1 - exact.per_victim) * exact.counts)
    shorter = near(drawn, width=spec["e"] * 0.999)
    return bool((left >= spec["k"] - 1).all()) and (spec["e"] == 0 or shorter.highest < 1)


PROMISES: dict[str, Promise] = {
    "k-anonymity": Promise(
        lambda rng, _: {"id": "k-anonymity", "k": int(rng.integers(1, 15))}, linked_alike, exact=True
    ),
    "l-diversity-frequency": Promise(
        of_disease("l-diversity-frequency", l=between(1, 4)),
        lambda drawn, spec: at_most(confidence(drawn), 1 / spec["l"]),
        exact=True,
    ),
    "alpha-k-anonymity": Promise(
        of_disease("alpha-k-anonymity", alpha=between(0.2, 1), k=whole(1, 15)),
        lambda drawn, spec: at_most(confidence(drawn), spec["alpha"]) and linked_alike(drawn, spec),
        exact=True,
    ),
    "confidence-bounding": Promise(
        lambda rng, drawn: [
            {"id": "confidence-bounding", "sensitive": "Disease", "value": value, "h": h}
            for h in [float(rng.uniform(0.2, 1))]
            for value in drawn.values
        ],
        lambda drawn, specs: at_most(confidence(drawn), specs[0]["h"]),
        exact=True,
    ),
    "lkc-privacy": Promise(
        of_disease("lkc-privacy", L=lambda _: len(QID), K=whole(1, 15), C=between(0.2, 1)),
        lambda drawn, spec: at_most(confidence(drawn), spec["C"]) and linked_alike(drawn, {"k": spec["K"]}),
        exact=True,
    ),
    "l-diversity-distinct": Promise(
        of_disease("l-diversity-distinct", l=whole(1, 4)), lambda drawn, spec: some_remain(drawn, spec["l"] - 1)
    ),
    "l-diversity-entropy": Promise(of_disease("l-diversity-entropy", l=between(1, 4)), every_entropy_fits),
    "l-diversity-recursive": Promise(
        of_disease("l-diversity-recursive", c=between(0.5, 6), l=whole(2, 4)),
        lambda drawn, spec: confidence(drawn) < spec["c"] / (1 + spec["c"]),
    ),
    "t-closeness": Promise(
        lambda rng, _: {
            "id": "t-closeness",
            "sensitive": "Disease",
            "ground_distance": "equal",
            "t": float(rng.uniform(0, 0.4)),
        },
        # The distance is the total variation, and no single belief changes more.
        lambda drawn, spec: (
            at_most(changed(drawn).highest, spec["t"])
            and at_most(skewed(drawn).highest, spec["t"])
            and at_most(changed(drawn).details["largest_difference"], spec["t"])
        ),
        exact=True,
    ),
    "basic-beta-likeness": Promise(
        of_disease("basic-beta-likeness", beta=between(0.05, 2)),
        lambda drawn, spec: (
            at_most(skewed(drawn).details["largest_ratio"], 1 + spec["beta"])
            and at_most(changed(drawn).details["largest_ratio"], 1 + spec["beta"])
        ),
        exact=True,
    ),
    "enhanced-beta-likeness": Promise(
        of_disease("enhanced-beta-likeness", beta=between(0.05, 2)),
        lambda drawn, spec: (
            at_most(skewed(drawn).details["largest_ratio"], 1 + spec["beta"])
            and (len(drawn.values) == 1 or confidence(drawn) < 1)
        ),
    ),
    "delta-disclosure": Promise(
        of_disease("delta-disclosure", delta=between(0.1, 2)),
        lambda drawn, spec: (
            changed(drawn).details["largest_ratio"] < 2 ** spec["delta"] * (1 + SLACK)
            and skewed(drawn).ratio.min() > 2 ** -spec["delta"] * (1 - SLACK)
        ),
        exact=True,
    ),
    "k-e-anonymity": Promise(of_salary("k-e-anonymity", k=whole(1, 8), e=whole(0, 80)), spread_wide),
    "epsilon-m-anonymity": Promise(of_salary("epsilon-m-anonymity", epsilon=whole(0, 20), m=whole(1, 4)), few_near),
    "delta-presence": Promise(
        lambda rng, _: {
            "id": "delta-presence",
            "delta_min": float(rng.uniform(0, 0.5)),
            "delta_max": float(rng.uniform(0.5, 1)),
        },
        lambda drawn, spec: (
            at_most(
                (found := drawn.found("attack-table-linkage", external=drawn.population)).highest, spec["delta_max"]
            )
            and at_most(spec["delta_min"], found.per_victim.min())
        ),
        exact=True,
    ),
    "no-attack": Promise(
        lambda rng, _: {"id": "no-attack", "gain": int(rng.integers(0, 30)), "cost": int(rng.integers(1, 4))},
        lambda drawn, spec: at_most(spec["gain"] * chances(drawn).max(), spec["cost"]),
        exact=True,
    ),
    "average-risk": Promise(
        lambda rng, _: {"id": "average-risk", "threshold": float(rng.uniform(0.02, 0.4))},
        lambda drawn, spec: at_most(chances(drawn).mean(), spec["threshold"]),
        exact=True,
    ),
    # Who holds the population looks for a published record among its persons, not for a person among the records.
    "k-map": Promise(
        lambda rng, _: {"id": "k-map", "k": int(rng.integers(1, 25))},
        lambda drawn, spec: at_most(
            sfumato.attack(
                drawn.population, "attack-record-linkage", external=drawn.table.select(QID), qid=QID
            ).highest,
            1 / spec["k"],
        ),
        exact=True,
    ),
}
ENOUGH = 30  # tables that must pass, and for exact promises also tables that must not


def test_what_is_published_pays_although_whoever_gains_attacks(tables: list[Drawn]) -> None:
    told: set[bool] = set()
    for drawn in tables:
        model = Profitability(benefit=100, loss=1000, gain=60, cost=5)
        verdict = model.check(replace(drawn.groups, lost=np.zeros(len(drawn.groups))))
        chance = chances(drawn)
        assert bool(verdict) == bool((100 - 1000 * chance * (60 * chance > 5) > 0).all())
        told.add(bool(verdict))
    assert told == {True, False}


def test_few_are_found_for_sure_where_few_are_alone(tables: list[Drawn]) -> None:
    told: set[bool] = set()
    for drawn in tables[:40]:
        known = [*QID, "Salary"]
        holds = bool(sfumato.check(drawn.table, {"id": "sample-uniqueness", "threshold": 0.8}, qid=known))
        found = sfumato.attack(drawn.table, "attack-record-linkage", external=drawn.table.select(known), qid=known)
        assert holds == at_most((found.per_victim == 1).mean(), 0.8)
        told.add(holds)
    assert told == {True, False}


@pytest.mark.parametrize("name", PROMISES)
def test_promise(name: str, tables: list[Drawn]) -> None:
    promise, rng = PROMISES[name], np.random.default_rng(11)
    passed = failed = 0
    for drawn in tables:
        for _ in range(2):
            spec = promise.specs(rng, drawn)
            holds = bool(sfumato.check(drawn.table, spec, qid=QID, external=drawn.population))
            passed, failed = passed + holds, failed + (not holds)
            if holds or promise.exact:
                assert promise.kept(drawn, spec) == holds, spec
    assert passed >= ENOUGH
    assert failed >= ENOUGH


LEVELS: list[tuple[Spec, Callable[[Drawn], float]]] = [
    (
        {"id": "k-anonymity", "k": 1},
        lambda drawn: 1 / drawn.found("attack-record-linkage", external=drawn.table.select(QID)).highest,
    ),
    ({"id": "l-diversity-frequency", "l": 1, "sensitive": "Disease"}, lambda drawn: 1 / confidence(drawn)),
    ({"id": "alpha-k-anonymity", "alpha": 1, "k": 1, "sensitive": "Disease"}, confidence),
    (
        {"id": "t-closeness", "t": 1, "sensitive": "Disease", "ground_distance": "equal"},
        lambda drawn: changed(drawn).highest,
    ),
    (
        {"id": "basic-beta-likeness", "beta": 1, "sensitive": "Disease"},
        lambda drawn: skewed(drawn).details["largest_ratio"] - 1,
    ),
    (
        {"id": "delta-presence", "delta_min": 0, "delta_max": 1},
        lambda drawn: drawn.found("attack-table-linkage", external=drawn.population).highest,
    ),
]


@pytest.mark.parametrize(("spec", "level"), LEVELS, ids=[spec["id"] for spec, _ in LEVELS])
def test_the_strongest_level_is_what_the_attack_finds(
    spec: Spec, level: Callable[[Drawn], float], tables: list[Drawn]
) -> None:
    for drawn in tables:
        (verdict,) = sfumato.check(drawn.table, spec, qid=QID, external=drawn.population)
        assert verdict.strongest == pytest.approx(level(drawn), abs=1e-9)


def test_entropy_and_distinct_values_do_not_bound_confidence_by_one_over_l(tables: list[Drawn]) -> None:
    seen = 0
    for drawn in tables:
        for spec in ({"id": "l-diversity-distinct", "l": 2}, {"id": "l-diversity-entropy", "l": 2}):
            holds = bool(sfumato.check(drawn.table, {**spec, "sensitive": "Disease"}, qid=QID))
            seen += holds and confidence(drawn) > 0.5
    assert seen


ALGORITHMS = ["mondrian", "tdr", "datafly", "optimal"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_releases_keep_their_promise_towards_whoever_holds_the_raw_table(algorithm: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(6):
        k, alpha, count = int(rng.integers(2, 6)), float(rng.uniform(0.6, 0.9)), int(rng.integers(30, 60))
        rows = [
            (int(rng.integers(20, 60)), rng.choice(["a", "b", "c"]).item(), rng.choice(DISEASES).item(), int(rng.integers(2)))
            for _ in range(count)
        ]  # fmt: skip
        raw = sfumato.from_rows(["Age", "Town", "Disease", "Class"], rows)
        policy = {
            "columns": {
                "Age": {
                    "role": "quasi-identifier",
                    "hierarchy": {"id": "intervals", "lower": 20, "width": 5, "fan_out": [2, 2, 2]},
                },
                "Town": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"*": ["a", "b", "c"]}}},
                "Disease": {"role": "sensitive"},
                "Class": {"role": "target"},
            },
            "requirements": [{"id": "alpha-k-anonymity", "k": k, "alpha": alpha, "sensitive": "Disease"}],
            "algorithm": {"id": algorithm},
        }
        release = sfumato.anonymize(raw, policy)
        people = raw.select(["Age", "Town"])
        linked = sfumato.attack(release, "attack-record-linkage", external=people)
        assert 0 < linked.highest <= 1 / k
        guessed = sfumato.attack(release, "attack-attribute-linkage")
        assert guessed.highest <= alpha * (1 + SLACK)
        # Whoever looks a person up by her raw values is no surer.
        for age, town, *_ in rows[:5]:
            guess = guessed.of({"Age": age, "Town": town})  # type: ignore[attr-defined]
            assert guess.group_size == 0 or (
                guess.group_size >= k and guess.best_guess_confidence <= alpha * (1 + SLACK)
            )
        present = sfumato.attack(release, "attack-table-linkage", external=people)
        assert present.warnings == ()
