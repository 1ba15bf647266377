"""Differential privacy: exact and sampled audits, noise, composition; the worked value is in the golden tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_mechanisms import epsilon, worst_event
from sfumato.errors import BadRequest, Unsupported
from sfumato.models import DifferentialPrivacy
from sfumato.models._output_distributions import largest_log_ratio
from sfumato.models.differential_privacy import are_neighbours

Exact = Mapping[Any, Fraction]


def shares(parts: list[int]) -> Exact:
    return {f"o{at}": Fraction(part, sum(parts)) for at, part in enumerate(parts)}


def floats(given: Exact) -> dict[Any, float]:
    return {output: float(share) for output, share in given.items()}


PARTS = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)
DISTRIBUTIONS = PARTS.map(shares)
POSITIVE = st.lists(st.integers(1, 5), min_size=3, max_size=3).map(shares)


def response(bit: int, truth: Fraction = Fraction(3, 4)) -> dict[int, Fraction]:
    return {bit: truth, 1 - bit: 1 - truth}


# ---- exact audits --------------------------------------------------------------------------------------------------------


@given(first=DISTRIBUTIONS, second=DISTRIBUTIONS)
def test_single_outputs_are_as_bad_as_any_set_of_them(first: Exact, second: Exact) -> None:
    measured, _ = largest_log_ratio(floats(first), floats(second))
    assert measured == pytest.approx(epsilon(first, second), rel=1e-12)
    assert measured == pytest.approx(worst_event(first, second), rel=1e-12)


@given(tables=st.lists(DISTRIBUTIONS, min_size=2, max_size=4))
def test_audit_finds_the_worst_pair(tables: list[Exact]) -> None:
    mechanism = {at: floats(outputs) for at, outputs in enumerate(tables)}
    pairs = list(combinations(mechanism, 2))
    wanted = max(epsilon(tables[a], tables[b]) for a, b in pairs)
    audit = DifferentialPrivacy(epsilon=1.0).audit(mechanism, pairs)
    assert audit.measured == pytest.approx(wanted, rel=1e-12)
    assert audit.satisfied == (wanted <= 1)
    a, b = audit.witness["tables"]
    p, q = (tables[table].get(audit.witness["output"], Fraction(0)) for table in (a, b))
    assert audit.witness["probabilities"] == (float(p), float(q))
    assert abs(math.log(p / q)) == pytest.approx(wanted) if p and q else wanted in (0, math.inf)
    # The order of a pair does not matter.
    turned = DifferentialPrivacy(epsilon=1.0).audit(mechanism, [(b, a) for a, b in pairs])
    assert turned.measured == audit.measured


def test_what_never_happens_is_left_out_and_what_may_happen_once_is_infinite() -> None:
    model = DifferentialPrivacy(epsilon=100)
    same = model.audit({"a": {0: 1.0, 1: 0.0}, "b": {0: 1.0, 2: 0.0}}, [("a", "b")])
    assert (same.measured, same.satisfied) == (0.0, True)
    leak = model.audit({"a": {0: 1.0}, "b": {0: 0.5, 1: 0.5}}, [("a", "b")])
    assert (leak.measured, leak.satisfied, leak.witness["output"]) == (math.inf, False, 1)


def test_the_threshold_itself_is_safe() -> None:
    mechanism = {0: floats(response(0)), 1: floats(response(1))}
    assert DifferentialPrivacy(epsilon=math.log(3)).audit(mechanism, [(0, 1)])
    assert not DifferentialPrivacy(epsilon=math.log(3) * (1 - 1e-8)).audit(mechanism, [(0, 1)])


@given(first=POSITIVE, second=POSITIVE, lump=st.sets(st.sampled_from(["o0", "o1", "o2"])))
def test_what_is_computed_from_the_output_is_as_private(first: Exact, second: Exact, lump: set[str]) -> None:
    def after(given: Exact) -> dict[Any, float]:
        out: Counter[Any] = Counter()
        for output, share in given.items():
            out["lump" if output in lump else output] += share  # type: ignore[assignment]
        return floats(out)

    model = DifferentialPrivacy(epsilon=1)
    before = model.audit({0: floats(first), 1: floats(second)}, [(0, 1)])
    assert model.audit({0: after(first), 1: after(second)}, [(0, 1)]).measured <= before.measured * (1 + 1e-12)


# ---- neighbours ----------------------------------------------------------------------------------------------------------

TABLES = st.lists(st.sampled_from("abc"), max_size=4)


@given(one=TABLES, other=TABLES)
def test_neighbours_as_the_definitions_say(one: list[str], other: list[str]) -> None:
    def removals(table: list[str]) -> set[tuple[str, ...]]:
        return {tuple(sorted(table[:at] + table[at + 1 :])) for at in range(len(table))}

    a, b = tuple(sorted(one)), tuple(sorted(other))
    assert are_neighbours(one, other) == (a in removals(other) or b in removals(one))
    substituted = {tuple(sorted([*left, new])) for left in removals(one) for new in "abc"} - {a}
    assert are_neighbours(one, other, "substitute") == (b in substituted)


def test_pairs_follow_from_the_adjacency() -> None:
    def says_yes(table: tuple[int, ...]) -> Fraction:
        return Fraction(1 + sum(table), 2 + 2 * len(table))

    tables = [table for size in range(4) for table in product((0, 1), repeat=size)]
    exact = {table: {"yes": says_yes(table), "no": 1 - says_yes(table)} for table in tables}
    found = {}
    for adjacency in ("add-remove", "substitute"):
        pairs = [pair for pair in combinations(tables, 2) if are_neighbours(*pair, adjacency)]
        model = DifferentialPrivacy(epsilon=1, adjacency=adjacency)
        found[adjacency] = model.audit({table: floats(outputs) for table, outputs in exact.items()}).measured
        assert found[adjacency] == pytest.approx(max(epsilon(exact[a], exact[b]) for a, b in pairs))
    # () says yes with 1/2 and (0,) with 1/4; (0,) with 1/4 and (1,) with 1/2; (0, 0, 0) with 1/8 and (0, 0, 1) with 2/8.
    assert found == pytest.approx({"add-remove": math.log(2), "substitute": math.log(2)})


def test_audit_refuses_what_it_cannot_compare() -> None:
    model, fair = DifferentialPrivacy(epsilon=1), {0: 0.5, 1: 0.5}
    for mechanism, pairs, says in [
        ({"a": fair, "b": {0: 0.5}}, [("a", "b")], "add up to 1"),
        ({"a": fair, "b": {0: 1.5, 1: -0.5}}, [("a", "b")], "from 0 to 1"),
        ({"a": fair, "b": {0: "half"}}, [("a", "b")], "from 0 to 1"),
        ({"a": fair, "b": [0.5, 0.5]}, [("a", "b")], "map outputs"),
        ({"a": fair, "b": fair}, [("a", "c")], "tables of the mechanism"),
        ({"a": fair, "b": fair}, [], "no pair"),
        ({"a": fair, "b": fair}, None, "tuples of records"),
        ({(1,): fair, (1, 2, 3): fair}, None, "no pair"),
    ]:
        with pytest.raises(BadRequest, match=says):
            model.audit(mechanism, pairs)  # type: ignore[arg-type]


def test_a_table_cannot_show_it() -> None:
    table = sfumato.from_rows(["a"], [("x",), ("x",)])
    for asked in (DifferentialPrivacy(epsilon=1), {"id": "differential-privacy", "epsilon": 1}):
        with pytest.raises(Unsupported, match="procedure"):
            sfumato.check(table, asked, qid=["a"])


# ---- noise ---------------------------------------------------------------------------------------------------------------


@given(sensitivity=st.floats(0.1, 50), eps=st.floats(0.01, 5))
def test_laplace_noise_of_the_calibrated_scale_is_private(sensitivity: float, eps: float) -> None:
    noise = DifferentialPrivacy(epsilon=eps).calibrate(sensitivity)
    b = noise["scale"]
    assert noise["variance"] == pytest.approx(noise["standard_deviation"] ** 2)
    assert noise["standard_deviation"] == pytest.approx(math.sqrt(2) * sensitivity / eps)
    # Log densities of the answer around neighbouring true values: the largest difference is epsilon.
    x = np.linspace(-3 * sensitivity, 3 * sensitivity, 601)
    apart = np.abs(-np.abs(x) / b + np.abs(x - sensitivity) / b)
    assert apart.max() == pytest.approx(eps)


@pytest.mark.parametrize(
    ("query", "bounds", "add", "swap"),
    [
        ("count", {}, 1, 1),
        ("histogram", {}, 1, 2),
        ("sum", {"low": -5, "high": 20}, 20, 25),
        ("sum", {"low": -30, "high": -10}, 30, 20),
    ],
)
def test_sensitivities(query: str, bounds: dict[str, float], add: float, swap: float) -> None:
    assert DifferentialPrivacy(epsilon=1).sensitivity(query, **bounds) == add
    assert DifferentialPrivacy(epsilon=1, adjacency="substitute").sensitivity(query, **bounds) == swap


@given(table=st.lists(st.integers(0, 2), max_size=4), record=st.integers(0, 2))
def test_a_histogram_changes_by_no_more_than_its_sensitivity(table: list[int], record: int) -> None:
    def change(one: list[int], other: list[int]) -> int:
        return sum(abs(one.count(value) - other.count(value)) for value in range(3))

    assert change(table, [*table, record]) == DifferentialPrivacy(epsilon=1).sensitivity("histogram")
    if table:
        most = DifferentialPrivacy(epsilon=1, adjacency="substitute").sensitivity("histogram")
        assert change(table, [*table[1:], record]) in (0, most)


@pytest.mark.parametrize("wrong", [0, -1, math.inf, math.nan, "one", True])
def test_wrong_sensitivities_are_refused(wrong: Any) -> None:
    with pytest.raises(BadRequest, match="sensitivity"):
        DifferentialPrivacy(epsilon=1).calibrate(wrong)


def test_unknown_queries_and_unbounded_sums_are_refused() -> None:
    model = DifferentialPrivacy(epsilon=1)
    with pytest.raises(BadRequest, match="histogram"):
        model.sensitivity("median")
    for bounds in ({}, {"low": 0}, {"low": 0, "high": math.inf}, {"low": 2, "high": 1}):
        with pytest.raises(BadRequest, match="finite bounds"):
            model.sensitivity("sum", **bounds)  # type: ignore[arg-type]


def test_an_infinite_epsilon_is_refused() -> None:
    with pytest.raises(BadRequest, match="finite"):
        DifferentialPrivacy(epsilon=math.inf)


# ---- composition ---------------------------------------------------------------------------------------------------------


@given(numerators=st.lists(st.integers(5, 9), min_size=1, max_size=3))
def test_epsilons_of_questions_on_the_same_table_add_up(numerators: list[int]) -> None:
    truths = [Fraction(n, 10) for n in numerators]
    both = {
        bit: {
            outputs: float(math.prod(response(bit, truth)[o] for o, truth in zip(outputs, truths, strict=True)))
            for outputs in product((0, 1), repeat=len(truths))
        }
        for bit in (0, 1)
    }
    parts = [
        DifferentialPrivacy(epsilon=max(epsilon(response(0, truth), response(1, truth)), 1e-6)) for truth in truths
    ]
    together = DifferentialPrivacy.in_sequence(parts)
    assert together.audit(both, [(0, 1)]).measured == pytest.approx(
        sum(part.epsilon for part in parts), abs=1e-5 * len(parts)
    )
    assert together.audit(both, [(0, 1)])


def test_disjoint_parts_take_the_largest_epsilon() -> None:
    """Two noisy counts, one per colour; a record more or less changes one of them."""

    def count(number: int, spread: int) -> dict[int, Fraction]:
        weights = {answer: Fraction(1, spread ** abs(answer - number)) for answer in range(3)}
        return {answer: weight / sum(weights.values()) for answer, weight in weights.items()}

    tables = [("r",) * red + ("b",) * blue for red in range(3) for blue in range(3)]
    spreads = {"r": 2, "b": 3}
    alone = {
        colour: max(epsilon(count(n, spread), count(n + 1, spread)) for n in range(2))
        for colour, spread in spreads.items()
    }
    mechanism = {
        table: {
            (x, y): float(count(table.count("r"), 2)[x] * count(table.count("b"), 3)[y])
            for x, y in product(range(3), repeat=2)
        }
        for table in tables
    }
    parts = [DifferentialPrivacy(epsilon=value) for value in alone.values()]
    together = DifferentialPrivacy.in_parallel(parts)
    assert together.epsilon == max(alone.values())
    assert together.audit(mechanism).measured == pytest.approx(together.epsilon)
    # Replacing a red record by a blue one changes both counts: why parts do not compose under substitution.
    swapped = DifferentialPrivacy(epsilon=together.epsilon, adjacency="substitute")
    assert not swapped.audit(mechanism)
    with pytest.raises(Unsupported, match="move from one part"):
        DifferentialPrivacy.in_parallel([swapped, swapped])


def test_composition_refuses_nothing_and_mixtures() -> None:
    mixed = [DifferentialPrivacy(epsilon=1), DifferentialPrivacy(epsilon=1, adjacency="substitute")]
    for parts in ([], mixed):
        for compose in (DifferentialPrivacy.in_sequence, DifferentialPrivacy.in_parallel):
            with pytest.raises(BadRequest, match="same adjacency"):
                compose(parts)


# ---- sampled audits ------------------------------------------------------------------------------------------------------


def randomised(table: list[int], rng: np.random.Generator) -> int:
    return int(table[0] if rng.random() < 0.75 else 1 - table[0])


def test_a_sampled_audit_comes_close_and_accuses_rarely() -> None:
    rng = np.random.default_rng(4)
    model = DifferentialPrivacy(epsilon=math.log(3), adjacency="substitute")
    audits = [model.audit_samples(randomised, [0], [1], rng=rng, runs=2000, confidence=0.9) for _ in range(200)]
    # The true epsilon is met exactly, so an accusation is an error: 10 % of 200 at most, give or take.
    assert sum(not audit.satisfied for audit in audits) <= 30
    assert all(not audit.exact for audit in audits)
    assert float(np.mean([audit.measured for audit in audits])) > 0.85
    close = model.audit_samples(randomised, [0], [1], rng=rng, runs=40_000)
    assert 1.0 < close.measured < 1.15
    assert close.witness["runs"] == 40_000
    shares_seen = sorted(close.witness[name] for name in ("share_of_first", "share_of_second"))
    assert shares_seen == pytest.approx([0.25, 0.75], abs=0.02)


def test_a_leak_is_found_in_either_direction() -> None:
    rng = np.random.default_rng(5)

    def rarely(table: list[int], rng: np.random.Generator) -> str:
        return "leak" if len(table) == 2 and rng.random() < 0.05 else "nothing"

    model = DifferentialPrivacy(epsilon=1)
    for first, second in (([7, 8], [7]), ([7], [7, 8])):
        audit = model.audit_samples(rarely, first, second, rng=rng, runs=4000)
        assert not audit.satisfied
        assert audit.measured > 2


def test_real_outputs_are_cut_into_intervals() -> None:
    rng = np.random.default_rng(6)

    def noisy_count(table: list[int], rng: np.random.Generator) -> float:
        return len(table) + float(rng.laplace(scale=1.0))

    right = DifferentialPrivacy(epsilon=1).audit_samples(noisy_count, [1, 2], [1], rng=rng)
    assert right.satisfied
    assert 0.8 < right.measured <= 1
    # Noise for epsilon 1 cannot pass for 0.5.
    assert not DifferentialPrivacy(epsilon=0.5).audit_samples(noisy_count, [1, 2], [1], rng=rng)


def test_equal_behaviour_shows_nothing() -> None:
    rng = np.random.default_rng(7)
    audit = DifferentialPrivacy(epsilon=0.2).audit_samples(lambda table, rng: int(rng.integers(4)), [1], [], rng=rng)
    assert audit.satisfied
    assert audit.measured < 0.1


def test_the_same_generator_gives_the_same_audit() -> None:
    model = DifferentialPrivacy(epsilon=1, adjacency="substitute")
    one, two = (model.audit_samples(randomised, [0], [1], rng=np.random.default_rng(8), runs=500) for _ in range(2))
    assert one == two


def test_sampled_audits_refuse_bad_requests() -> None:
    model, rng = DifferentialPrivacy(epsilon=1), np.random.default_rng(9)
    with pytest.raises(BadRequest, match="not neighbours"):
        model.audit_samples(randomised, [0], [1], rng=rng)
    for wrong in ({"runs": 3}, {"confidence": 1.0}, {"confidence": 0}):
        with pytest.raises(BadRequest, match=next(iter(wrong))):
            model.audit_samples(randomised, [0], [0, 1], rng=rng, **wrong)  # type: ignore[arg-type]
