"""The attacks that users of scikit-mobility know, against plain code: every set of points, every person, one by one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.trajectories import Trajectories
from sfumato.trajectories.attack import TrajectoryKnowledge
from sfumato.trajectories.attacks._knowledge_kernels import fitting_counts, only_ones
from sfumato.trajectories.attacks._mobility import MobilityAttack
from sfumato.trajectories.attacks.home_work_attack import HomeWorkAttack
from sfumato.trajectories.attacks.location_attack import LocationAttack
from sfumato.trajectories.attacks.location_frequency_attack import LocationFrequencyAttack
from sfumato.trajectories.attacks.location_probability_attack import LocationProbabilityAttack
from sfumato.trajectories.attacks.location_proportion_attack import LocationProportionAttack
from sfumato.trajectories.attacks.location_sequence_attack import LocationSequenceAttack
from sfumato.trajectories.attacks.location_time_attack import LocationTimeAttack
from sfumato.trajectories.attacks.unicity_curve import UnicityCurve
from sfumato.trajectories.attacks.unique_location_attack import UniqueLocationAttack

Trace = Sequence[tuple[str, datetime]]
Known = tuple[object, ...]
NOTHING = TrajectoryKnowledge()
MONDAY = datetime(2026, 11, 16)


def traces(rng: np.random.Generator, persons: int, places: str = "abcd") -> list[list[tuple[str, datetime]]]:
    """Return short traces through few places, some of nobody."""
    out = []
    for _ in range(persons):
        minutes = sorted(rng.choice(180, size=int(rng.integers(0, 6)), replace=False).tolist())
        out.append([(str(rng.choice(list(places))), MONDAY + timedelta(minutes=minute)) for minute in minutes])
    return out


def within(known: Fraction, other: Fraction, tolerance: Fraction) -> bool:
    return known * (1 - tolerance) <= other <= known * (1 + tolerance)


def subsequence(known: Sequence[object], trace: Sequence[object]) -> bool:
    rest = iter(trace)
    return all(one in rest for one in known)


def contained(known: Known, held: Sequence[object]) -> bool:
    return not Counter(known) - Counter(held)


def places_of(trace: Trace) -> list[str]:
    return [place for place, _ in trace]


def hours_of(trace: Trace) -> list[tuple[str, int]]:
    return [(place, time.hour) for place, time in trace]


def home_work(trace: Trace) -> list[str]:
    counts = Counter(places_of(trace))
    return sorted(sorted(counts, key=lambda place: (-counts[place], place))[:2])


TOLERANCE = Fraction(1, 4)


def frequency_fits(known: Known, trace: Trace, own: Trace) -> bool:
    mine, other = Counter(places_of(own)), Counter(places_of(trace))
    return all(
        place in other and within(Fraction(mine[str(place)]), Fraction(other[str(place)]), TOLERANCE) for place in known
    )


def probability_fits(known: Known, trace: Trace, own: Trace) -> bool:
    mine, other = Counter(places_of(own)), Counter(places_of(trace))
    return all(
        place in other
        and within(Fraction(mine[str(place)], len(own)), Fraction(other[str(place)], len(trace)), TOLERANCE)
        for place in known
    )


def proportion_fits(known: Known, trace: Trace, own: Trace) -> bool:
    mine, other = Counter(places_of(own)), Counter(places_of(trace))
    if not all(place in other for place in known):
        return False
    most = max((mine[str(place)] for place in known), default=1)
    others = max((other[str(place)] for place in known), default=1)
    return all(
        within(Fraction(mine[str(place)], most), Fraction(other[str(place)], others), TOLERANCE) for place in known
    )


def distinct(trace: Trace) -> list[str]:
    return sorted(set(places_of(trace)))


TWINS: dict[str, tuple[MobilityAttack, Callable[[Trace], Sequence[object]], Callable[[Known, Trace, Trace], bool]]] = {
    "location": (LocationAttack(), places_of, lambda known, trace, own: contained(known, places_of(trace))),
    "sequence": (LocationSequenceAttack(), places_of, lambda known, trace, own: subsequence(known, places_of(trace))),
    "time": (LocationTimeAttack(), hours_of, lambda known, trace, own: contained(known, hours_of(trace))),
    "unique": (UniqueLocationAttack(), distinct, lambda known, trace, own: set(known) <= set(places_of(trace))),
    "frequency": (LocationFrequencyAttack(tolerance=0.25), distinct, frequency_fits),
    "probability": (LocationProbabilityAttack(tolerance=0.25), distinct, probability_fits),
    "proportion": (LocationProportionAttack(tolerance=0.25), distinct, proportion_fits),
    "home and work": (HomeWorkAttack(), home_work, lambda known, trace, own: set(known) <= set(home_work(trace))),
}


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("power", [1, 2, 3])
def test_the_risk_of_the_brute_force_twin(name: str, power: int) -> None:
    attack, items, fits = TWINS[name]
    power = 2 if name == "home and work" else power
    for seed in range(6):
        people = traces(np.random.default_rng(seed), 14, "abcd" if seed % 2 else "abcdefgh")
        paths = Trajectories.of(people)
        found = attack.on(paths, TrajectoryKnowledge(power=power), Run()).per_victim
        for own, risk in zip(people, found.tolist(), strict=True):
            held = items(own)
            sets = combinations(held, min(power, len(held)))
            fewest = min(sum(fits(tuple(known), trace, own) for trace in people) for known in sets)
            assert risk == pytest.approx(1 / fewest), name


def test_kernels_say_what_plain_code_says() -> None:
    rng = np.random.default_rng(3)
    values = np.sort(rng.integers(1, 6, (12, 1)), axis=0).astype(float)
    values = np.column_stack((values, rng.integers(1, 6, 12)))
    starts, counts = np.array([0, 12]), rng.integers(1, 4, 12)
    fits = [
        [all(abs(b - a) <= 0.3 * a + 1e-12 for a, b in zip(one, two, strict=True)) for two in values] for one in values
    ]
    assert fitting_counts(starts, values, counts, 0.3).tolist() == [int(counts[row].sum()) for row in np.array(fits)]
    people = [sorted(rng.choice(8, size=3, replace=False).tolist()) for _ in range(9)]
    codes = np.array([code for one in people for code in one])
    holders = [[at for at, one in enumerate(people) if code in one] for code in range(8)]
    holder_starts = np.concatenate(([0], np.cumsum([len(one) for one in holders])))
    known = np.array([[one[0], one[2], -1] for one in people])
    alone = [sum({one[0], one[2]} <= set(other) for other in people) == 1 for one in people]
    flat = np.array([at for one in holders for at in one])
    assert only_ones(np.arange(0, 28, 3), codes, holder_starts, flat, np.arange(9), known).tolist() == alone


def test_unicity_grows_with_points_and_falls_with_coarser_ones() -> None:
    rng = np.random.default_rng(5)
    people = [
        [
            (*(rng.random(2) * 2000), MONDAY + timedelta(minutes=int(at)))
            for at in np.sort(rng.choice(600, 8, replace=False))
        ]
        for _ in range(60)
    ]
    paths = Trajectories.of(people, unit="metres", grid=100)
    attack = UnicityCurve(points=3, cells=(100.0, 1000.0), bins=("10min", "5h"))
    found = attack.on(paths, NOTHING, Run(rng=np.random.default_rng(1)))
    curve = found.details["curve"]
    assert isinstance(curve, tuple)
    shares = {(one.cell, one.bin, one.points): one.alone for one in curve}
    assert len(shares) == 12
    assert shares[100.0, "10min", 3] >= shares[100.0, "10min", 1]
    assert shares[100.0, "10min", 3] > shares[1000.0, "5h", 3]
    assert found.mean == shares[100.0, "10min", 3]


def test_whoever_has_all_points_of_a_twin_is_not_alone() -> None:
    paths = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("c", 1)], []])
    found = UnicityCurve(points=2).on(paths, NOTHING, Run(rng=np.random.default_rng(1)))
    assert sorted(found.per_victim.tolist()) == [0, 0, 0, 1]


def test_the_example_of_scikit_mobility() -> None:
    source = Path(os.environ.get("SFUMATO_DATA", "")) / "trajectories/privacy_toy.csv"
    if not source.exists():
        pytest.skip("needs the shared data")
    paths = Trajectories.of(str(source), person="uid", x="lng", y="lat", time="datetime")
    risk = LocationAttack(power=2).on(paths, NOTHING, Run()).per_victim
    assert [round(one, 4) for one in risk.tolist()] == [0.3333, 0.5, 0.3333, 0.3333, 0.25, 0.25, 0.5]


def test_too_many_sets_are_refused() -> None:
    long = [("a", at) for at in range(2000)]
    with pytest.raises(BadRequest, match="too many"):
        LocationAttack(power=5).on(Trajectories.of([long]), NOTHING, Run())
