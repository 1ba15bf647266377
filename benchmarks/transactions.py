"""Baskets: k^2-verification, cuts, moles and groups on retail, BMS1, BMS2 and T10I4D100K, beside PyFIM and mlxtend.

python benchmarks/transactions.py [DATA ...] [--peers PYTHON] [--million] [--cuts]

``--peers`` is the interpreter of an environment of their own that has PyFIM and perhaps mlxtend; without it only our figures
are printed. Files come from ``SFUMATO_DATA``; where there are none, a shop is invented. Each figure is the least of three runs,
in seconds. Taxonomies have a fan-out of 10 in the order of the items' numbers. Bars: verification within 3 times PyFIM's
frequent sets at a support of 0.1 %, apriori-anonymization (m = 2) within 10 times PyFIM's pairs of any support, nodes of
the peers' cuts, a peak of 400 MB on retail. ``--cuts`` ends after verification and cuts. Twenty items of middling support are
private where (h,k,p)-coherence with h = 0.8 and CAHD (p = 10, as in its paper) ask for some. ``--million`` generates a million
baskets in addition.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from sfumato.contracts.run import Run
from sfumato.datasets import baskets as shop
from sfumato.transactions import Baskets
from sfumato.transactions.algorithms import AprioriAnonymization, Cahd, MoleSuppression
from sfumato.transactions.metric import Masked
from sfumato.transactions.metrics import ItemNCP, LostItems
from sfumato.transactions.models import HKPCoherence, KMAnonymity, PrivacyDegree
from sfumato.transactions.neighbours import neighbour_tree
from sfumato.transactions.task import BasketTask

FILES = {
    "BMS1": "BMS1.dat.gz",
    "BMS2": "BMS2_spmf.txt.gz",
    "retail": "retail.dat.gz",
    "T10I4D100K": "T10I4D100K.dat.gz",
}
SIZES = (5, 10, 25, 50, 100)
PEER_CUTS = {
    ("BMS1", 5): 32,
    ("BMS2", 5): 34,
    ("retail", 50): 80,
}  # nodes that Amnesia leaves of the same taxonomy, m = 2
T = TypeVar("T")

PEERS = """
import json, sys, time
import fim
data = [line.split() for line in open(sys.argv[1])]
least = int(sys.argv[2])
out = {}
def timed(name, call):
    best = 1e9
    for _ in range(3):
        begun = time.perf_counter(); found = len(call()); best = min(best, time.perf_counter() - begun)
    out[name] = [round(best, 3), found]
timed("fim frequent", lambda: fim.fpgrowth(data, supp=-least))
timed("fim pairs", lambda: fim.fpgrowth(data, supp=-1, zmax=2))
import importlib.util
if importlib.util.find_spec("mlxtend"):
    from mlxtend.frequent_patterns import fpgrowth
    from mlxtend.preprocessing import TransactionEncoder
    import pandas as pd
    encoder = TransactionEncoder()
    frame = pd.DataFrame.sparse.from_spmatrix(encoder.fit_transform(data, sparse=True), columns=encoder.columns_)
    begun = time.perf_counter(); found = len(fpgrowth(frame, min_support=least / len(data)))
    out["mlxtend frequent"] = [round(time.perf_counter() - begun, 3), found]
print(json.dumps(out))
"""


def least_of_three(call: Callable[[], T]) -> tuple[float, T]:
    """Return the least of three times, and what was found."""
    best = float("inf")
    for _ in range(3):
        found: T | None = None  # what the last one found is let go first, so that the peak is that of one run
        begun = time.perf_counter()
        found = call()
        best = min(best, time.perf_counter() - begun)
    assert found is not None
    return best, found


def opened(name: str) -> Baskets:
    """Return one of the data sets, or an invented shop in its place."""
    path = Path(os.environ.get("SFUMATO_DATA", "data")) / "transactions" / FILES[name]
    if path.is_file():
        return Baskets.of(path)
    return Baskets.of(shop(20_000).to_polars(), person="customer", item="article")


def peers(interpreter: str, baskets: Baskets, folder: Path) -> dict[str, tuple[float, int]]:
    """Return the times of PyFIM and mlxtend on the same baskets, and how many sets they found."""
    path = folder / "baskets.dat"
    path.write_text("\n".join(" ".join(map(str, sorted(one))) for one in coded(baskets)) + "\n", encoding="utf-8")
    least = max(1, len(baskets) // 1000)
    done = subprocess.run([interpreter, "-c", PEERS, str(path), str(least)], capture_output=True, text=True, check=True)
    found: dict[str, tuple[float, int]] = json.loads(done.stdout)
    return found


def coded(baskets: Baskets) -> list[list[int]]:
    """Return the baskets as lists of codes."""
    return [part.tolist() for part in np.split(baskets.codes, baskets.starts[1:-1])]


def measured(name: str, baskets: Baskets, interpreter: str | None, folder: Path, *, cuts: bool = False) -> None:
    """Print everything on one data set, or verification and cuts alone."""
    print(f"\n{name}: {baskets!r}", flush=True)
    beside = {} if interpreter is None else peers(interpreter, baskets, folder)
    for peer, (seconds, found) in beside.items():
        print(f"  {peer:<32} {seconds:8.3f} s   {found:,} sets")
    judge_time, verdict = least_of_three(lambda: KMAnonymity(k=5, m=2).judge(baskets))
    print(
        f"  {'k^2 verification, k = 5':<32} {judge_time:8.3f} s   {verdict.violating_groups:,} violations"
        f"{ratio(judge_time, beside, 'fim frequent', 3)}",
        flush=True,
    )
    grown = baskets.with_tree(neighbour_tree(baskets.items, 10))
    for k in SIZES:
        task = BasketTask(grown, [KMAnonymity(k=k, m=2)])
        seconds, outcome = least_of_three(lambda task=task: AprioriAnonymization().run(task, Run()))  # type: ignore[misc]
        nodes = f"{len(outcome.facts.cut):,} of {len(grown.items):,} nodes left"
        if (name, k) in PEER_CUTS:
            nodes += f" (a peer leaves {PEER_CUTS[name, k]})"
        ncp = ItemNCP().measure(Masked(grown, outcome.built.masked)).value
        print(
            f"  {f'apriori-anonymization, k = {k}':<32} {seconds:8.3f} s   {nodes}, NCP {ncp:.4f}"
            f"{ratio(seconds, beside, 'fim pairs', 10)}",
            flush=True,
        )
    peak()
    if cuts:
        return
    secret = baskets.flagged(middling(baskets, 20))
    for h, k, p in ((1.0, 5, 1), (1.0, 5, 2), (1.0, 50, 2), (0.8, 50, 2), (0.8, 50, 3)):
        held = secret if h < 1 else baskets
        task = BasketTask(held, [HKPCoherence(h=h, k=k, p=p)])
        begun = time.perf_counter()
        outcome = MoleSuppression().run(task, Run())
        seconds = time.perf_counter() - begun
        lost = LostItems().measure(Masked(held, outcome.built.masked)).value
        print(
            f"  {f'mole-suppression, h {h}, k {k}, p {p}':<32} {seconds:8.3f} s   "
            f"{outcome.facts.violations:,} minimal moles, {lost:.1%} of the occurrences lost",
            flush=True,
        )
    begun = time.perf_counter()
    outcome = Cahd().run(BasketTask(secret, [PrivacyDegree(p=10)]), Run())
    print(
        f"  {'cahd, p = 10':<32} {time.perf_counter() - begun:8.3f} s   {outcome.facts.groups:,} groups, "
        f"{outcome.facts.leftover:,} baskets left over",
        flush=True,
    )
    peak()


def middling(baskets: Baskets, count: int) -> list[str]:
    """Return so many items around those that one basket of five hundred holds: neither everybody's nor a single person's."""
    order = np.argsort(np.abs(baskets.supports - len(baskets) // 500), kind="stable")
    return [baskets.items[code] for code in order[:count].tolist()]


def peak() -> None:
    """Print the most memory that the process has had."""
    print(f"  peak of the process so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB", flush=True)


def ratio(seconds: float, beside: dict[str, tuple[float, int]], peer: str, bar: int) -> str:
    """Say how many times a peer's seconds these are."""
    return "" if peer not in beside else f"   {seconds / beside[peer][0]:.2f} times {peer} (bar {bar})"


def million() -> Baskets:
    """Return a million baskets: ten items on average of ten thousand, few of them common."""
    rng = np.random.default_rng(7)
    lengths = 1 + rng.poisson(9, 1_000_000)
    drawn = (10_000 * rng.random(int(lengths.sum())) ** 3).astype(np.int64)
    from sfumato.transactions.baskets import compressed_rows

    starts, codes = compressed_rows(np.repeat(np.arange(len(lengths)), lengths), drawn, len(lengths), 10_000)
    return Baskets(starts, codes, tuple(f"{code:05}" for code in range(10_000)))


def main() -> None:
    """Run what is asked for."""
    import tempfile

    asking = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asking.add_argument("data", nargs="*", default=list(FILES), choices=[*FILES, []], metavar="DATA")
    asking.add_argument("--peers")
    asking.add_argument("--million", action="store_true")
    asking.add_argument("--cuts", action="store_true", help="verification and cuts alone")
    asked = asking.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.data:
            measured(name, opened(name), asked.peers, Path(folder), cuts=asked.cuts)
        if asked.million:
            measured("a million", million(), None, Path(folder), cuts=asked.cuts)


if __name__ == "__main__":
    main()
