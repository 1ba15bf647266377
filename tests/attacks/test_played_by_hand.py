"""Models whose adversary no attack of the catalogue is: she is played by hand here, on sums, queries, procedures and points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from itertools import combinations, product
from math import dist, exp, inf, log, tanh
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.models import (
    ApproximateDifferentialPrivacy,
    DGammaPrivacy,
    DifferentialPrivacy,
    DistributionalPrivacy,
    ProbabilisticDifferentialPrivacy,
    QuerySizeOverlapControl,
)

from .promises import ENOUGH, SLACK, at_most

# Models whose adversary no attack of the catalogue is; each is played by hand below.
WITHOUT_ATTACK: dict[str, str] = {
    "approximate-differential-privacy": "attacks read one release; the promise compares what two tables may give",
    "c-t-isolation": "attacks look persons up in records; this adversary points at a place among moved points",
    "d-gamma-privacy": "attacks read one release; the promise is about beliefs over all that could have been published",
    "differential-privacy": "attacks read one release; the promise compares what two tables may give",
    "distributional-privacy": "as differential privacy, and no algorithm here promises it: finite procedures are audited",
    "dominance-rule": "attacks look at shares of values; this adversary subtracts contributions from a sum",
    "probabilistic-differential-privacy": "attacks read one release; the promise compares what two tables may give",
    "query-size-overlap-control": "attacks read a release; this adversary asks queries and solves for single records",
}
BY_HAND: set[str] = set()


def by_hand(*names: str) -> Callable[[Any], Any]:
    """Mark a test that plays the adversary of these models."""

    def mark(test: Any) -> Any:
        BY_HAND.update(names)
        return test

    return mark


# ---- sums and queries ----------------------------------------------------------------------------------------------------


@by_hand("dominance-rule")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_contributors_cannot_come_near_another_one(n: int) -> None:
    """n - 1 contributors take their parts off a published sum; what is left exceeds any other part by 1 - k/100 of the sum."""
    rng, shown, hidden = np.random.default_rng(19), 0, 0
    for _ in range(60):
        rows = [(f"c{rng.integers(3)}", int(rng.choice([0, 1, 5, 8, 20, 90]))) for _ in range(int(rng.integers(1, 16)))]
        k = float(rng.uniform(50, 99))
        release = sfumato.tabulate(sfumato.from_rows(["Cell", "Pay"], rows), "Cell", sum="Pay", dominance=(n, k))
        for cell, _, total in release.table.to_rows():
            parts = [pay for name, pay in rows if name == cell]
            left = min(
                sum(parts) - sum(parts[at] for at in allied) - parts[victim]
                for victim in range(len(parts))
                for size in range(min(n, len(parts)))
                for allied in combinations([at for at in range(len(parts)) if at != victim], size)
            )
            safe = at_most((1 - k / 100) * sum(parts), left)
            shown, hidden = shown + (total is not None), hidden + (total is None)
            assert safe == (total is not None)
            assert total in (None, sum(parts))
            (verdict,) = sfumato.check(
                sfumato.from_rows(["Cell", "Pay"], [row for row in rows if row[0] == cell]),
                {"id": "dominance-rule", "n": n, "k": k, "sensitive": "Pay"},
                qid=["Cell"],
            )
            assert verdict.satisfied == safe
    assert min(shown, hidden) >= ENOUGH


def told(queries: Iterable[Iterable[int]], rows: int) -> bool:
    """Tell whether sums over these sets of records give a single record away: it is a combination of the queries."""
    asked = np.zeros((0, rows))
    for query in queries:
        asked = np.vstack([asked, np.isin(np.arange(rows), list(query))])
    return bool(len(asked)) and bool((np.diag(np.linalg.pinv(asked) @ asked) > 1 - 1e-6).any())


@by_hand("query-size-overlap-control")
def test_few_queries_never_give_a_record_away() -> None:
    """Each of s queries takes at most r records off another one of m: a single one is left only if (s - 1) r >= m - 1."""
    rng, tried_sets = np.random.default_rng(20), 0
    for _ in range(40):
        rows, m, r = int(rng.integers(6, 12)), int(rng.integers(2, 6)), int(rng.integers(0, 4))
        log = QuerySizeOverlapControl(m=m, r=r).log(rows)
        for _ in range(60):
            log.ask(rng.permutation(rows)[: rng.integers(0, rows + 1)].tolist())
        answered = [entry.records for entry in log.entries if entry.answered]
        fewest = inf if r == 0 else 1 + (m - 1) / r
        for size in range(1, len(answered) + 1):
            if size >= fewest:
                break
            for chosen in combinations(answered, size):
                tried_sets += 1
                assert not told(chosen, rows)
    assert tried_sets > 200


def test_pairs_of_queries_never_give_a_record_away_and_longer_chains_may() -> None:
    rng = np.random.default_rng(21)
    for _ in range(300):
        rows, m = int(rng.integers(5, 9)), int(rng.integers(2, 4))
        pair = [set(rng.permutation(rows)[: rng.integers(1, rows + 1)].tolist()) for _ in range(2)]
        log = QuerySizeOverlapControl(m=m, r=m - 1).log(rows)
        answered = [log.ask(query) for query in pair]
        if all(answered):
            assert not told(pair, rows)
    chain = [{0, 1}, {1, 2}, {0, 2}]
    log = QuerySizeOverlapControl(m=2, r=1).log(6)
    assert all(log.ask(query) for query in chain)
    assert told(chain, 6)


# ---- procedures ----------------------------------------------------------------------------------------------------------


def laws(rng: np.random.Generator, tables: Iterable[Hashable]) -> dict[Hashable, dict[int, float]]:
    """Return a random finite procedure: for each table the probabilities of four outputs, more or less alike."""
    base, spread = rng.dirichlet(np.full(4, 3.0)), float(rng.uniform(0.02, 0.5))
    out = {}
    for table in tables:
        weights = base * np.exp(rng.uniform(-spread, spread, 4))
        out[table] = dict(enumerate((weights / weights.sum()).tolist()))
    return out


def belief(prior: float, here: float, there: float) -> float:
    """Return the belief in one of two tables after an output with these probabilities on either."""
    return prior * here / (prior * here + (1 - prior) * there)


def moved(prior: float, after: float) -> float:
    """Return how many times the odds of a belief have changed, as a logarithm."""
    return abs(log(after / (1 - after)) - log(prior / (1 - prior)))


@by_hand("differential-privacy", "probabilistic-differential-privacy")
def test_beliefs_about_one_record_move_within_epsilon() -> None:
    """Whatever is believed before: the odds of two neighbouring tables change by e^epsilon at most, but for rare outputs."""
    rng, counted = np.random.default_rng(22), Counter[str]()
    tables = [table for size in range(3) for table in product("ab", repeat=size)]
    neighbours = [(a, b) for a in tables for b in tables if len(b) == len(a) + 1 and not Counter(a) - Counter(b)]
    for _ in range(80):
        law, epsilon, delta = laws(rng, tables), float(rng.uniform(0.1, 1)), float(rng.uniform(0, 0.6))
        surprising: dict[Hashable, set[int]] = {table: set() for table in tables}
        for a, b in neighbours:
            for output in range(4):
                prior = float(rng.uniform(0.01, 0.99))
                if moved(prior, belief(prior, law[a][output], law[b][output])) > epsilon * (1 + SLACK):
                    surprising[a].add(output)
                    surprising[b].add(output)
        plain = DifferentialPrivacy(epsilon=epsilon).audit(law)
        assert plain.satisfied == (not any(surprising.values()))
        rare = ProbabilisticDifferentialPrivacy(epsilon=epsilon, delta=delta, adjacency="add-remove").audit(law)
        chance = max(sum(law[table][output] for output in outputs) for table, outputs in surprising.items())
        assert rare.satisfied == at_most(chance, delta)
        counted.update([f"plain {plain.satisfied}", f"rare {rare.satisfied}"])
    assert min(counted.values()) >= ENOUGH
    assert len(counted) == 4


@by_hand("approximate-differential-privacy")
def test_no_set_of_outputs_tells_two_tables_apart_beyond_epsilon_and_delta() -> None:
    """Whoever decides by any set of outputs: its chance with a person is at most e^epsilon times that without, plus delta."""
    rng, passed, failed = np.random.default_rng(29), 0, 0
    sets = [chosen for size in range(5) for chosen in combinations(range(4), size)]
    for _ in range(60):
        law = laws(rng, ["with", "without"])
        epsilon, delta = float(rng.uniform(0.01, 0.3)), float(rng.uniform(0.001, 0.06))
        pairs = [(law["with"], law["without"]), (law["without"], law["with"])]
        stated = max(sum(max(p[at] - exp(epsilon) * q[at], 0.0) for at in range(4)) for p, q in pairs)
        kept = all(
            at_most(sum(p[at] for at in chosen), exp(epsilon) * sum(q[at] for at in chosen) + delta)
            for p, q in pairs
            for chosen in sets
        )
        assert ApproximateDifferentialPrivacy(epsilon=epsilon, delta=delta).audit(epsilon, stated).satisfied == kept
        passed, failed = passed + kept, failed + (not kept)
    assert min(passed, failed) >= ENOUGH


@by_hand("distributional-privacy")
def test_beliefs_about_two_drawn_tables_move_within_alpha() -> None:
    """Of all pairs of tables at most a share beta is told apart: beliefs of one half rise beyond e^alpha / (1 + e^alpha)."""
    rng, passed, failed = np.random.default_rng(23), 0, 0
    for _ in range(60):
        population, size = ["a", "a", "b", "b", "c"], int(rng.integers(1, 4))
        draws = [tuple(sorted(drawn)) for drawn in combinations(population, size)]
        law = laws(rng, sorted(set(draws)))
        alpha, beta = float(rng.uniform(0.1, 0.7)), float(rng.choice([0.0, 0.1, 0.3]))
        apart = sum(
            any(belief(0.5, law[a][out], law[b][out]) > exp(alpha) / (1 + exp(alpha)) for out in range(4))
            or any(belief(0.5, law[b][out], law[a][out]) > exp(alpha) / (1 + exp(alpha)) for out in range(4))
            for a, b in product(draws, repeat=2)
        )
        model = DistributionalPrivacy(alpha=alpha, beta=beta)
        holds = model.audit(law, population=population, size=size).satisfied
        assert holds == at_most(apart / len(draws) ** 2, beta)
        passed, failed = passed + holds, failed + (not holds)
    assert min(passed, failed) >= ENOUGH


def test_nobody_can_tell_from_noisy_answers_whether_a_record_is_there() -> None:
    """Guess by whether a noisy count exceeds the count without the record: the advantage is tanh(epsilon / 2) at best.

    The noise cannot be seeded. By Hoeffding's inequality the two shares of 3,000 answers are off by more than the margin
    with a probability of at most 1e-9; without noise the advantage would be 1.
    """
    pytest.importorskip("opendp")
    from sfumato.algorithms import LaplaceMechanism
    from sfumato.perturbations.budget import Budget

    epsilon, runs = 0.8, 3000
    rows = [("f",)] * 5 + [("m",)] * 3
    mechanism = LaplaceMechanism(queries=[{"histogram": "sex", "values": ["f", "m"]}])
    with_, without = (sfumato.from_rows(["sex"], held) for held in (rows, rows[1:]))
    guessed = [
        sum(mechanism.noised(exact, table.types, Budget(epsilon))[0].answer > 4 for _ in range(runs)) / runs
        for table in (with_, without)
        for exact in [[query.exact(table) for query in mechanism.asked()]]
    ]
    margin = 2 * (log(4e9) / (2 * runs)) ** 0.5
    advantage = guessed[0] - guessed[1]
    assert advantage <= tanh(epsilon / 2) + margin < 1
    assert advantage > 0  # it is an attack


def test_rare_outputs_alone_tell_synthetic_tables_apart() -> None:
    """Seeded: of 300 releases at most delta and four standard deviations point to a table or its neighbour beyond epsilon."""
    rows, epsilon, delta, runs = [("a",), *[("b",)] * 7], 0.6, 0.15, 300
    policy = {
        "columns": {"x": {"role": "quasi-identifier"}},
        "requirements": [{"id": "probabilistic-differential-privacy", "epsilon": epsilon, "delta": delta}],
        "algorithm": {"id": "probabilistic-dp-synthesis", "domains": {"x": ["a", "b", "c"]}, "records": 6},
    }
    table, counts, telling = sfumato.from_rows(["x"], rows), Counter(row[0] for row in rows), 0
    for seed in range(runs):
        release = sfumato.anonymize(table, {**policy, "seed": seed})
        prior = release.certificate["release"]["parameters"]["settings"]["prior"]
        drawn = Counter(row[0] for row in release.table.to_rows())
        # A record moves from one value to another: the ratio of two Dirichlet-multinomial laws.
        ratios = [
            (counts[one] + prior + drawn[one] - 1) / (counts[one] + prior - 1)
            * (counts[other] + prior) / (counts[other] + prior + drawn[other])
            for one, other in product("abc", repeat=2)
            if one != other and counts[one]
        ]  # fmt: skip
        telling += any(abs(log(ratio)) > epsilon * (1 + SLACK) for ratio in ratios)
    assert 0 < telling / runs <= delta + 4 * (delta * (1 - delta) / runs) ** 0.5


@by_hand("d-gamma-privacy")
def test_published_records_are_not_believed_beyond_gamma() -> None:
    """Seeded: worlds are drawn from the priors and published; how often a published record is true is the belief in it.

    Shares may exceed the bounds by four standard deviations.
    """
    d, gamma, rng = 0.1, 0.4, np.random.default_rng(24)
    domain = list(product(range(8), "abcd"))
    chances = {record: 1.0 if record == domain[0] else d if at % 2 else d / 3 for at, record in enumerate(domain)}
    policy = {
        "columns": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}},
        "requirements": [{"id": "d-gamma-privacy", "d": d, "gamma": gamma}],
        "algorithm": {"id": "alpha-beta", "domains": {"x": {"low": 0, "high": 7}, "y": list("abcd")}},
    }
    seen: Counter[tuple[float, bool]] = Counter()
    true: Counter[tuple[float, bool]] = Counter()
    for seed in range(250):
        world = [record for record in domain if rng.random() < chances[record]]
        release = sfumato.anonymize(sfumato.from_rows(["x", "y"], world), {**policy, "seed": seed})
        shown = set(release.table.to_rows())
        for record in domain[1:]:
            seen[chances[record], record in shown] += 1
            true[chances[record], record in shown] += record in world
    settings = release.certificate["release"]["parameters"]["settings"]
    assert DGammaPrivacy(d=d, gamma=gamma).audit(settings["alpha"], settings["beta"])
    for prior in (d, d / 3):
        (after, number), (gone, rest) = (
            (true[prior, shown] / seen[prior, shown], seen[prior, shown]) for shown in (True, False)
        )
        assert after <= gamma + 4 * (gamma * (1 - gamma) / number) ** 0.5
        assert after > prior  # it is an attack
        assert gone >= prior * d / gamma - 4 * (prior * (1 - prior) / rest) ** 0.5


# ---- points --------------------------------------------------------------------------------------------------------------

Point = tuple[float, ...]


def isolated(guess: Point, victim: Point, points: list[Point], c: float, t: int) -> bool:
    reach = c * dist(guess, victim) * (1 + SLACK)
    return sum(dist(guess, point) <= reach for point in points) < t


def rise(points: list[Point], shown: list[Point], known: int, c: float, t: int) -> float:
    """Return by how many of the victims, of whom one coordinate is known, the release raises the isolated ones, as a share."""
    middle = [sum(column) / len(points) for column in zip(*points, strict=True)]
    more = 0
    for victim in points:
        near = min(shown, key=lambda place: abs(place[known] - victim[known]))
        blind = tuple(victim[at] if at == known else mean for at, mean in enumerate(middle))
        more += isolated(near, victim, points, c, t) - isolated(blind, victim, points, c, t)
    return more / len(points)


@by_hand("c-t-isolation")
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("algorithm", ["density-perturbation", "cross-training-sanitization", "recursive-histogram"])
def test_moved_points_isolate_nobody_else(algorithm: str, whole: bool) -> None:
    """What is published counts: whole numbers are rounded and ranges kept after points have moved."""
    rng, made = np.random.default_rng(25), 0
    for seed in range(40):
        held = rng.integers(0, 7, (int(rng.integers(6, 22)), 2)) + (0 if whole else rng.random((1, 2)))
        points = [tuple(row) for row in (held if whole else held + rng.random(held.shape)).tolist()]
        c, t, allowed = float(rng.choice([1.5, 3.0])), int(rng.integers(1, 4)), float(rng.choice([0.0, 0.1]))
        ranged = {"range": [0, 10]} if seed % 2 else {}
        policy = {
            "columns": {name: {"role": "quasi-identifier", **ranged} for name in ("x", "y")},
            "requirements": [{"id": "c-t-isolation", "c": c, "t": t}],
            "algorithm": {"id": algorithm, "rise": allowed}
            | ({} if algorithm == "recursive-histogram" else {"distance": "euclidean"}),
            "seed": seed,
        }
        try:
            release = sfumato.anonymize(sfumato.from_rows(["x", "y"], points), policy)
        except sfumato.Infeasible:
            continue
        made += 1
        shown, unit = [tuple(map(float, row)) for row in release.table.to_rows()], (1.0, 1.0)
        if algorithm == "recursive-histogram":
            # Boxes are published; distances are taken in shares of the ranges.
            shown = [((row[0] + row[1]) / 2, (row[2] + row[3]) / 2) for row in shown]
            unit = (10.0, 10.0) if ranged else tuple(np.ptp(np.array(points), axis=0).tolist())
        before, after = (
            [tuple(a / b for a, b in zip(row, unit, strict=True)) for row in part] for part in (points, shown)
        )
        assert max(rise(before, after, known, c, t) for known in (0, 1)) <= allowed + SLACK
    assert made >= ENOUGH
