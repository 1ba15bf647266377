"""Mondrian: against anonypy 0.2.1 on Adult, against one np.lexsort on a million rows, and its memory on ten million.

Adult, 8 quasi-identifiers, k = 5, strict. anonypy runs in an environment of its own, in the same run, and is given the table
in memory; its time is that of its partition and of the rows it builds from it. Ours is the same work: codes, cuts, and the
published rows. Two settings: ``ordered``, where every column is a range of codes for both, and ``categories``, where anonypy
halves lists of values and we cut along the usual taxonomies. The groups of both are judged by the same yardstick: a cell costs
the share of its axis that its group spans, ``(max - min) / (whole max - min)`` in the first setting, the share of the leaves
below the lowest common node in the second (0 for a single value); NCP is the sum over all cells, DM that of the squared group
sizes. The bars are on ``threshold: any``. ``lists`` is the share of values that occur in a group: what anonypy publishes.

A million rows of 5 numbers and 3 categories, k = 10: compress, cut and name the boxes, against one ``np.lexsort`` of the coded
matrix. Ten million rows of the same: the peak of the resident memory against 4 x the coded table + 500 MB.

    python benchmarks/mondrian.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from measured import in_own_process, peak_megabytes, shared_data

PEER = "anonypy==0.2.1"
QID = ("age", "workclass", "education", "marital-status", "relationship", "race", "sex", "native-country")
SENSITIVE = "occupation"
K = 5
SIZES = (1_000_000, 10_000_000)
DOMAINS = (74, 1000, 100, 5000, 400, 16, 14, 41)  # five numbers, then three categories
LARGE_K = 10
REPEATS = 3
FASTER, LEXSORTS = 200, 3.0


# ---- Adult ---------------------------------------------------------------------------------------------------------------


def peer(source: str, setting: str, out: str) -> None:
    """Print anonypy's time and save the group of each record; runs with the peer's interpreter."""
    import pandas as pd
    from anonypy import Preserver
    from anonypy.anonypy import anonymize

    frame = pd.read_csv(source)
    for name in (*QID[1:], SENSITIVE):
        frame[name] = frame[name].astype("category")
        if setting == "ordered" and name != SENSITIVE:
            frame[name] = frame[name].cat.codes.astype(int)
    began = time.perf_counter()
    partitions = Preserver(frame, list(QID), SENSITIVE).modrian.partition(K)
    anonymize(frame, partitions, list(QID), SENSITIVE)
    took = time.perf_counter() - began
    group = np.empty(len(frame), np.int64)
    for number, part in enumerate(partitions):
        group[np.asarray(part)] = number
    np.save(out, group)
    print(json.dumps({"total": took}))


def complete_peer() -> None:
    """Install what anonypy needs and does not declare."""
    from peers import peer_python

    python = str(peer_python(PEER))
    if subprocess.run([python, "-c", "import pandas"], capture_output=True).returncode:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "pandas"], check=True, stderr=subprocess.DEVNULL)


def adult_policy(setting: str, threshold: str) -> dict[str, Any]:
    """Return the policy of an Adult run."""
    from sfumato.datasets import adult_taxonomies

    trees = adult_taxonomies() if setting == "categories" else {}
    return {
        "columns": {
            **{
                name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": trees[name]}}
                if name in trees
                else {"role": "quasi-identifier"}
                for name in QID
            },
            SENSITIVE: {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": K}],
        "algorithm": {"id": "mondrian", "threshold": threshold},
        "metrics": ["normalized-certainty-penalty", "discernibility"],
        "output": {"row_order": "keep"},
    }


def ours(source: str, setting: str, threshold: str, out: str) -> None:
    """Print the time of the search and the published rows, and of the whole verified thread; save the groups."""
    import sfumato
    from sfumato.contracts.run import Run
    from sfumato.tables.policy import Policy
    from sfumato.tables.prepare import prepare

    policy = Policy.of(adult_policy(setting, threshold))
    times, whole = [], []
    for _ in range(REPEATS + 1):  # the first run loads the compiled kernels
        table = sfumato.read(source)
        prepared = prepare(table, policy)
        began = time.perf_counter()
        task = prepared.task()
        outcome = policy.search().run(task, Run.seeded(0))
        assert outcome.operation is not None
        outcome.operation.apply(prepared.table)
        times.append(time.perf_counter() - began)
        table = sfumato.read(source)
        began = time.perf_counter()
        release = sfumato.anonymize(table, policy)
        whole.append(time.perf_counter() - began)
    shown = [row[: len(QID)] for row in release.table.to_rows()]
    numbers: dict[Any, int] = {}
    np.save(out, np.array([numbers.setdefault(row, len(numbers)) for row in shown]))
    print(json.dumps({"total": min(times[1:]), "whole": min(whole[1:]), "peak": peak_megabytes()}))


class Yardstick:
    """Judges groups of the Adult table, whoever made them."""

    def __init__(self, frame: Any) -> None:
        from sfumato.data.tree import Tree
        from sfumato.datasets import adult_taxonomies

        self.trees = {name: Tree.from_nested(nested) for name, nested in adult_taxonomies().items()}
        self.codes, self.sizes, self.leaves = [], [], []
        for name in QID:
            values, codes = np.unique(frame[name].to_numpy(), return_inverse=True)
            spread = values.tolist() if name == "age" else list(range(len(values)))
            self.codes.append(np.array(spread)[codes])
            self.sizes.append(spread[-1] - spread[0])
            tree = self.trees.get(name)
            self.leaves.append(
                codes if tree is None else np.array([tree.leaf_number[v] for v in values.tolist()])[codes]
            )

    def judge(self, group: np.ndarray[Any, Any], setting: str) -> dict[str, float]:
        """Return the number of groups, NCP, NCP by lists, and DM."""
        order = np.argsort(group, kind="stable")
        first = np.flatnonzero(np.append(True, np.diff(group[order]) > 0))
        sizes = np.diff(np.append(first, len(group)))
        ncp = lists = 0.0
        for at, name in enumerate(QID):
            codes = self.codes[at][order]
            low, high = np.minimum.reduceat(codes, first), np.maximum.reduceat(codes, first)
            span = (high - low) / self.sizes[at]
            held = span
            tree = self.trees.get(name)
            if tree is not None:
                pairs = np.unique(np.repeat(np.arange(len(first)), sizes) * 1000 + codes) // 1000
                count = np.bincount(pairs, minlength=len(first))
                held = np.where(count > 1, count / (self.sizes[at] + 1), 0.0)
            if tree is not None and setting == "categories":
                leaves = self.leaves[at][order]
                ends = zip(np.minimum.reduceat(leaves, first), np.maximum.reduceat(leaves, first), strict=True)
                covers = [_cover(tree, int(low), int(high)) for low, high in ends]
                span = np.where(high > low, np.array(covers) / len(tree.leaves), 0.0)
            ncp, lists = ncp + float(span @ sizes), lists + float(held @ sizes)
        return {"groups": len(first), "ncp": ncp, "lists": lists, "dm": float((sizes.astype(np.int64) ** 2).sum())}


def _cover(tree: Any, low: int, high: int) -> int:
    node = int(tree.leaf_nodes[low])
    while tree.leaf_last[node] <= high:
        node = int(tree.parent[node])
    return int(tree.leaf_count[node])


def adult_runs() -> None:
    """Print both settings: anonypy, and ours with both thresholds."""
    from peers import in_peer

    from sfumato.datasets import adult

    complete_peer()
    frame = adult(missing="drop").select([*QID, SENSITIVE]).to_polars()
    yardstick = Yardstick(frame)
    with tempfile.TemporaryDirectory() as folder:
        source, groups = str(Path(folder) / "adult.csv"), str(Path(folder) / "groups.npy")
        frame.write_csv(source)
        for setting in ("ordered", "categories"):
            print(f"Adult, {len(frame):,} records, {len(QID)} quasi-identifiers, k = {K}, {setting}")
            theirs = in_peer(PEER, __file__, "peer", source, setting, groups)
            theirs |= yardstick.judge(np.load(groups), setting)
            _print_run(PEER, theirs)
            for threshold in ("median", "any"):
                mine = in_own_process(__file__, "ours", source, setting, threshold, groups)
                mine |= yardstick.judge(np.load(groups), setting)
                _print_run(f"sfumato, {threshold}", mine)
            ratio = theirs["total"] / mine["total"]
            better = mine["ncp"] <= theirs["ncp"] and mine["dm"] <= theirs["dm"]
            print(f"  read, search, verify, measure: {mine['whole']:.3f} s; peak {mine['peak']:.0f} MB")
            print(f"  ratio anonypy / ours: {ratio:.0f} (bar {FASTER}) {'ok' if ratio >= FASTER else 'MISSED'}")
            print(f"  NCP and DM equal or lower: {'ok' if better else 'MISSED'}")


def _print_run(name: str, run: dict[str, Any]) -> None:
    costs = f"NCP {run['ncp']:>9,.0f}  lists {run['lists']:>9,.0f}  DM {run['dm']:>9,.0f}"
    print(f"  {name:<16} {run['total']:>8.3f} s  {run['groups']:>6,} groups  {costs}")


# ---- many rows -----------------------------------------------------------------------------------------------------------


def drawn(rows: int) -> np.ndarray[Any, Any]:
    """Return codes of random rows, half of the columns even and half skewed."""
    rng = np.random.default_rng(0)
    codes = np.empty((rows, len(DOMAINS)), np.int32)
    for at, size in enumerate(DOMAINS):
        if at % 2:
            codes[:, at] = np.minimum(rng.geometric(3 / size, rows) - 1, size - 1)
        else:
            codes[:, at] = rng.integers(0, size, rows, dtype=np.int32)
    return codes


def large(rows: int) -> None:
    """Print the times of one lexsort, of compressing and of the search, and the peak memory before and after."""
    from sfumato.algorithms.boxes.mondrian import Mondrian
    from sfumato.contracts.algorithm import Attribute, Task
    from sfumato.contracts.run import Run
    from sfumato.data.compressed import CompressedTable, Dictionary
    from sfumato.data.schema import ColumnType
    from sfumato.data.tree import Tree
    from sfumato.engines.packing import distinct_rows
    from sfumato.models.k_anonymity import KAnonymity

    attributes, values = [], []
    for at, size in enumerate(DOMAINS):
        name = f"a{at}"
        if at < 5:
            attributes.append(Attribute(name, "interval", ColumnType.INTEGER))
            values.append(tuple(range(size)))
        else:
            texts = [f"v{i:02d}" for i in range(size)]
            tree = Tree.from_paths([(text, f"g{i // 4}", "*") for i, text in enumerate(texts)], texts)
            attributes.append(Attribute(name, "taxonomy", ColumnType.TEXT, tree))
            values.append(tuple(texts))
    names = tuple(attribute.name for attribute in attributes)

    def compressed(codes: np.ndarray[Any, Any]) -> CompressedTable:
        known = {
            name: Dictionary(name, values[at], np.bincount(codes[:, at], minlength=DOMAINS[at]))
            for at, name in enumerate(names)
        }
        found, weights = distinct_rows([codes[:, at] for at in range(len(names))], list(DOMAINS), len(codes))
        return CompressedTable(names, np.ascontiguousarray(np.stack(found, axis=1)), weights, known)

    def search(table: CompressedTable) -> Any:
        task = Task(table, attributes, [KAnonymity(k=LARGE_K)])
        return Mondrian().run(task, Run.seeded(0))

    search(compressed(drawn(1000)))  # loads the compiled kernels
    codes = drawn(rows)
    size = codes.nbytes / 2**20
    sorting = 0.0
    if rows == SIZES[0]:
        began = time.perf_counter()
        np.lexsort(codes.T[::-1])
        sorting = time.perf_counter() - began
    began = time.perf_counter()
    table = compressed(codes)
    compressing = time.perf_counter() - began
    packed = peak_megabytes()
    del codes
    began = time.perf_counter()
    outcome = search(table)
    print(
        json.dumps(
            {
                "lexsort": sorting,
                "compress": compressing,
                "search": time.perf_counter() - began,
                "groups": outcome.facts["groups"],
                "table": size,
                "packed": packed,
                "peak": peak_megabytes(),
            }
        )
    )


def main() -> None:
    """Print ours, the peer's, the ratio, and the memory."""
    shared_data()
    adult_runs()
    for rows in SIZES:
        runs = [in_own_process(__file__, "large", str(rows)) for _ in range(REPEATS if rows == SIZES[0] else 1)]
        best = min(runs, key=lambda run: run["compress"] + run["search"])
        total = best["compress"] + best["search"]
        print(f"{rows:,} rows, k = {LARGE_K}: {best['groups']:,} groups")
        print(f"  compress {best['compress']:.2f} s, search {best['search']:.2f} s")
        if rows == SIZES[0]:
            sorting = min(run["lexsort"] for run in runs)
            verdict = "ok" if total <= LEXSORTS * sorting else "MISSED"
            print(f"  one lexsort {sorting:.2f} s; ratio {total / sorting:.2f} (bar {LEXSORTS:g}) {verdict}")
        bound = 4 * best["table"] + 500
        print(
            f"  peak {best['peak']:.0f} MB ({best['packed']:.0f} MB before the search), bound {bound:.0f} MB "
            f"{'ok' if best['peak'] <= bound else 'MISSED'}"
        )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["peer", source, setting, out]:
            peer(source, setting, out)
        case ["ours", source, setting, threshold, out]:
            ours(source, setting, threshold, out)
        case ["large", rows]:
            large(int(rows))
        case _:
            main()
