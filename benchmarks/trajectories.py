"""Paths: LKC-privacy of passengers in the setting of the book, beside PyFIM in the same run.

python benchmarks/trajectories.py [--peers PYTHON] [--persons N] [--lengths L ...] [--least K ...]

``--peers`` is the interpreter of an environment of its own that has PyFIM; without it only our figures are printed. 100,000
passengers are generated, 24 places by 24 hours, 8 points a path on average; one of ten values of a column is sensitive.
Each figure is the least of three runs, in seconds of the processor, so that whoever else uses it does not count. Bars: minimal
violating sequences within 3 times PyFIM's frequent sets of the same support and length, check and suppression together within
10 times.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from sfumato.contracts.run import Run
from sfumato.groups.stats import CodedKeys
from sfumato.itemsets.violations import levels
from sfumato.trajectories import Trajectories
from sfumato.trajectories.algorithms import TrajectoryAnonymizer
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.metrics import LostPoints, MaximalFrequentSequences
from sfumato.trajectories.models import LKCPrivacy
from sfumato.trajectories.task import TrajectoryTask

T = TypeVar("T")
PLACES = HOURS = 24

PEER = """
import json, sys, time
import fim
data = [line.split() for line in open(sys.argv[1])]
out = {}
for asked in sys.argv[2:]:
    least, longest = map(int, asked.split(","))
    best = 1e9
    for _ in range(3):
        begun = time.process_time()
        found = len(fim.fpgrowth(data, supp=-least, zmax=longest))
        best = min(best, time.process_time() - begun)
    out[asked] = [round(best, 3), found]
print(json.dumps(out))
"""


def passengers(persons: int, seed: int = 7) -> Trajectories:
    """Return paths of passengers: some places and hours are busy, who was at a place goes on to one nearby."""
    rng = np.random.default_rng(seed)
    lengths = np.clip(rng.poisson(8, persons), 1, HOURS)
    busy = 1 + np.exp(-((np.arange(HOURS) - 8) ** 2) / 8) * 4 + np.exp(-((np.arange(HOURS) - 17) ** 2) / 8) * 4
    keys = rng.gumbel(size=(persons, HOURS)) + np.log(busy)
    ranks = np.argsort(np.argsort(-keys, axis=1), axis=1)
    taken = ranks < lengths[:, None]
    owners, times = np.nonzero(taken)
    home = np.minimum((PLACES * rng.random(persons) ** 1.5).astype(np.int64), PLACES - 1)
    steps = rng.geometric(0.35, len(owners)) - 1
    places = (home[owners] + np.where(rng.random(len(owners)) < 0.5, steps, -steps)) % PLACES
    starts = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=persons))))
    values = [f"value {at}" for at in range(10)]
    column = CodedKeys(values, rng.integers(0, 10, persons).astype(np.int32))
    names = tuple(f"S{at:02}" for at in range(PLACES))
    return Trajectories(
        starts,
        places.astype(np.int32),
        times.astype(np.int32),
        names,
        tuple(range(HOURS)),
        columns={"diagnosis": column},
    )


def least_of_three(call: Callable[[], T]) -> tuple[float, T]:
    """Return the least of three times, and what was found."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        found = call()
        best = min(best, time.process_time() - begun)
    return best, found


def peer(interpreter: str, paths: Trajectories, asked: list[str]) -> dict[str, tuple[float, int]]:
    """Return the times of PyFIM on the same paths, and how many sets it found."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "paths.dat"
        rows = [" ".join(map(str, part.tolist())) for part in np.split(paths.codes, paths.starts[1:-1])]
        file.write_text("\n".join(rows) + "\n", encoding="utf-8")
        done = subprocess.run([interpreter, "-c", PEER, str(file), *asked], capture_output=True, text=True, check=True)
    found: dict[str, tuple[float, int]] = json.loads(done.stdout)
    return found


def mined(paths: Trajectories, model: LKCPrivacy) -> int:
    """Return how many minimal violating sequences there are."""
    return sum(len(level.members(level.violating)) for level in levels(model.database(paths), model.rule(), model.L))


def lkc(paths: Trajectories, interpreter: str | None, lengths: Sequence[int], supports: Sequence[int]) -> None:
    """Print check, minimal violations and suppression for every L and K."""
    asked = [(length, least) for length in lengths for least in supports]
    beside = {} if interpreter is None else peer(interpreter, paths, [f"{least},{length}" for length, least in asked])
    for length, least in asked:
        model = LKCPrivacy(L=length, K=least, C=0.2, sensitive="diagnosis", values=("value 0",))
        seconds, count = least_of_three(lambda model=model: mined(paths, model))  # type: ignore[misc]
        both, outcome = least_of_three(lambda model=model: checked_and_masked(paths, model))  # type: ignore[misc]
        masked = Masked(paths, outcome.built.masked)
        lost, broken = (one.measure(masked).value for one in (LostPoints(), MaximalFrequentSequences(support=0.01)))
        known = beside.get(f"{least},{length}")
        said = "" if known is None else f"   PyFIM {known[0]:.3f} s, {known[1]:,} sets: {seconds / known[0]:.2f} times"
        also = "" if known is None else f", {both / known[0]:.2f} times"
        print(
            f"  L = {length}, K = {least}: {count:,} minimal violating sequences in {seconds:.3f} s{said} (bar 3)\n"
            f"    check and suppression {both:.3f} s{also} (bar 10); "
            f"{lost:.1%} of the points and {broken:.1%} of the frequent sequences lost",
            flush=True,
        )


def checked_and_masked(paths: Trajectories, model: LKCPrivacy) -> object:
    """Judge the paths and suppress pairs."""
    model.judge(paths)
    return TrajectoryAnonymizer(support=0.01).run(TrajectoryTask(paths, [model], sensitive=("diagnosis",)), Run())


def main() -> None:
    """Run what is asked for."""
    asking = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asking.add_argument("--peers")
    asking.add_argument("--persons", type=int, default=100_000)
    asking.add_argument("--lengths", type=int, nargs="+", default=(2, 3))
    asking.add_argument("--least", type=int, nargs="+", default=(10, 20, 30, 40, 50))
    asked = asking.parse_args()
    paths = passengers(asked.persons)
    print(f"{paths!r}, {len(paths.pairs)} pairs", flush=True)
    lkc(paths, asked.peers, asked.lengths, asked.least)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"load {os.getloadavg()[0]:.1f}; peak of the process: {peak} MB")


if __name__ == "__main__":
    main()
