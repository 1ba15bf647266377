"""Moving objects: never walk alone, the eight attacks by visits, the city and GeoLife, in seconds and peak memory.

python benchmarks/moving_objects.py [city] [attacks] [walks] [geolife]

Bars: all eight attacks on 100,000 persons with 8 points each, h = 2, within a minute (scikit-mobility needs 293 s for one
attack on 50 persons); never walk alone on 10,000 objects at 100 times within 2 minutes and 2 GB. GeoLife is the sample in
``SFUMATO_DATA``, cut to daily paths: its two users make all days, so that days are correlated and no number about
persons follows from them.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sfumato.contracts.run import Run
from sfumato.datasets import city
from sfumato.trajectories import Trajectories
from sfumato.trajectories.algorithms.never_walk_alone import NeverWalkAlone
from sfumato.trajectories.attack import TrajectoryKnowledge
from sfumato.trajectories.attacks.home_work_attack import HomeWorkAttack
from sfumato.trajectories.attacks.location_attack import LocationAttack
from sfumato.trajectories.attacks.location_frequency_attack import LocationFrequencyAttack
from sfumato.trajectories.attacks.location_probability_attack import LocationProbabilityAttack
from sfumato.trajectories.attacks.location_proportion_attack import LocationProportionAttack
from sfumato.trajectories.attacks.location_sequence_attack import LocationSequenceAttack
from sfumato.trajectories.attacks.location_time_attack import LocationTimeAttack
from sfumato.trajectories.attacks.unicity_curve import UnicityCurve
from sfumato.trajectories.attacks.unique_location_attack import UniqueLocationAttack
from sfumato.trajectories.models.k_delta_anonymity import KDeltaAnonymity
from sfumato.trajectories.task import TrajectoryTask

ATTACKS = (
    LocationAttack(),
    LocationSequenceAttack(),
    LocationTimeAttack(),
    UniqueLocationAttack(),
    LocationFrequencyAttack(tolerance=0.1),
    LocationProbabilityAttack(tolerance=0.1),
    LocationProportionAttack(tolerance=0.1),
    HomeWorkAttack(),
)


def timed(name: str, call: Callable[[], object]) -> object:
    """Run it once, and print how long it took and the peak so far."""
    begun = time.perf_counter()
    found = call()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:40} {time.perf_counter() - begun:8.2f} s   peak {peak:7.0f} MB", flush=True)
    return found


def passengers(persons: int, points: int) -> Trajectories:
    """Return paths of so many points in the places and hours of the city's crowds."""
    rng = np.random.default_rng(1)
    town = city(20_000, seed=1)
    pool = np.array([(ord(str(name)[0]) * 10 + int(str(name)[1:])) % 24 for name in town.values("station")])
    places = rng.choice(pool, (persons, points))
    hours = np.sort(rng.permuted(np.tile(np.arange(24), (persons, 1)), axis=1)[:, :points], axis=1)
    return Trajectories(
        np.arange(0, persons * points + 1, points),
        places.ravel().astype(np.int32),
        hours.ravel().astype(np.int32),
        tuple(f"{at:02}" for at in range(24)),
        tuple(range(24)),
    )


def walks(objects: int, times: int) -> Trajectories:
    """Return walks through a city of 20 km, all over the same time."""
    rng = np.random.default_rng(2)
    homes = rng.normal(0, 4000, (objects, 1, 2))
    points = (homes + rng.normal(0, 60, (objects, times, 2)).cumsum(axis=1)).reshape(-1, 2)
    return Trajectories(
        np.arange(0, objects * times + 1, times),
        np.zeros(objects * times, np.int32),
        np.tile(np.arange(times, dtype=np.int32), objects),
        ("city",),
        tuple(range(times)),
        x=points[:, 0].copy(),
        y=points[:, 1].copy(),
        unit="metres",
    )


def walked(paths: Trajectories, k: int, delta: float, step: str | float | None = None, pi: int = 1) -> None:
    """Publish moved paths, and say what became of them."""
    task = TrajectoryTask(paths, [KDeltaAnonymity(k=k, delta=delta)], suppress_at_most=1.0)  # type: ignore[list-item]
    outcome = timed(
        f"never walk alone, k={k}, delta={delta:g}, {len(paths):,} paths",
        lambda: NeverWalkAlone(step=step, pi=pi).run(task, Run(rng=np.random.default_rng(1))),
    )
    print("   ", "; ".join(outcome.facts.words()))  # type: ignore[attr-defined]


def geolife() -> Trajectories:
    """Return the daily paths of two users; a day is an object here, and days of one user are alike."""
    import polars as pl

    source = Path(os.environ["SFUMATO_DATA"]) / "trajectories/geolife_sample.txt.gz"
    rows = pl.read_csv(source, schema_overrides={"uid": pl.String}).with_columns(pl.col("datetime").str.to_datetime())
    stamp = pl.datetime(2008, 1, 1) + pl.duration(
        seconds=(pl.col("datetime") - pl.col("datetime").dt.truncate("1d")).dt.total_seconds()
    )
    rows = rows.with_columns(day=pl.col("uid") + " " + pl.col("datetime").dt.date().cast(pl.String), at=stamp)
    return Trajectories.of(
        rows,
        person="day",
        x="lng",
        y="lat",
        time="at",
        grid="250m",
        repair={"two-places": "first", "unsorted": "sort"},
    )


def main(wanted: set[str]) -> None:
    """Print what was asked for, or everything."""
    every = not wanted
    if every or "city" in wanted:
        timed("city of 1,000,000 persons, a day", lambda: city(1_000_000))
    if every or "attacks" in wanted:
        paths, nothing = passengers(100_000, 8), TrajectoryKnowledge(power=2)
        LocationFrequencyAttack().on(passengers(100, 8), nothing, Run())  # which compiles
        begun = time.perf_counter()
        for attack in ATTACKS:
            timed(attack.id, lambda attack=attack: attack.on(paths, nothing, Run()))  # type: ignore[misc]
        print(f"all eight: {time.perf_counter() - begun:.1f} s")
        timed("unicity curve to 4 points", lambda: UnicityCurve().on(paths, nothing, Run(rng=np.random.default_rng(1))))
    if every or "walks" in wanted:
        paths = walks(10_000, 100)
        for k, delta in ((2, 200.0), (10, 200.0), (10, 1000.0)):
            walked(paths, k, delta)
    if every or "geolife" in wanted:
        days = timed("GeoLife, two users, by day", geolife)
        assert isinstance(days, Trajectories)
        print(f"    {len(days)} days, which are no persons: days of one user are correlated")
        timed(
            "unicity of days",
            lambda: UnicityCurve(cells=(250.0, 1000.0), bins=("1h",)).on(days, TrajectoryKnowledge(), Run()),
        )
        walked(days, 2, 500.0, step="5min", pi=36)


if __name__ == "__main__":
    main(set(sys.argv[1:]))
