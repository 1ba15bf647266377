"""Bottom-Up Generalization by rescanning the whole table at every step.

Start from the raw table. At each step try every valid generalization on all records, count all groups anew, and perform the
one with the smallest score, until every QID has its k. Nothing is cached, compressed, pruned or updated in place.

    valid(p)  : every value that occurs below p is a child of p (and there is one)
    I(G)      = Info(R_p) - Σ_c |R_c|/|R_p| Info(R_c)
    P(G)      = average over the QIDs with att(G) of min(A_G, K) - A where A < K, and 0 where A >= K
    IP(G)     = I(G) / P(G), infinite if P(G) = 0; smallest IP, then smallest I, then attribute order, then pre-order

References
----------
K. Wang, P. S. Yu, S. Chakraborty, Bottom-Up Generalization: A Data Mining Solution to Privacy Protection, ICDM 2004.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["NaiveBugResult", "naive_bug"]

Qid = tuple[str, ...]
SCALE = 2**40


@dataclass(frozen=True)
class NaiveBugResult:
    """What a run leaves behind: every step with all its candidates, the shown rows, A by QID after each step."""

    trace: list[dict[str, Any]]
    masked_rows: list[tuple[Any, ...]]
    smallest: list[dict[Qid, int]]


def _nodes(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield tree
    for child in tree.get("children") or ():
        yield from _nodes(child)


def _labels(tree: Mapping[str, Any]) -> set[str]:
    return {node["value"] for node in _nodes(tree)}


def _entropy(classes: Sequence[Any]) -> float:
    counts = Counter(classes)
    return -math.fsum(n / len(classes) * math.log2(n / len(classes)) for _, n in sorted(counts.items()))


def _steps(score: float) -> float:
    return math.floor(score * SCALE + 0.5) if score < math.inf else math.inf


def _smallest(rows: Sequence[tuple[Any, ...]], places: Sequence[int]) -> int:
    return min(Counter(tuple(row[i] for i in places) for row in rows).values())


def naive_bug(
    rows: Sequence[tuple[Any, ...]],
    columns: Sequence[str],
    trees: Mapping[str, Mapping[str, Any]],
    target: str,
    requirement: Sequence[tuple[Qid, int]],
    *,
    score: str = "ilpg",
    limit: int | None = None,
) -> NaiveBugResult:
    """Generalize until every <QID, k> holds; QIDs that repeat count once, with their largest k."""
    asked: dict[frozenset[str], int] = {}
    for qid, k in requirement:
        asked[frozenset(qid)] = max(asked.get(frozenset(qid), 1), k)
    # A QID inside another one with at least its k asks for nothing of its own.
    asked = {q: k for q, k in asked.items() if not any(q < other and k <= asked[other] for other in asked)}
    place = {name: number for number, name in enumerate(columns)}
    shown = [tuple(row) for row in rows]

    def sizes(of: Sequence[tuple[Any, ...]]) -> dict[Qid, int]:
        return {tuple(sorted(qid)): _smallest(of, [place[name] for name in sorted(qid)]) for qid in asked}

    trace: list[dict[str, Any]] = []
    after = [sizes(shown)]
    while any(after[-1][tuple(sorted(qid))] < k for qid, k in asked.items()):
        assert limit is None or len(trace) < limit
        candidates = []
        for name in columns:
            if not any(name in qid for qid in asked):
                continue
            at = place[name]
            for node in _nodes(trees[name]):
                below = {child["value"] for child in node.get("children") or ()}
                beneath = _labels(node) - {node["value"]}
                occurring = {row[at] for row in shown} & beneath
                if not occurring or not occurring <= below:
                    continue
                tried = [row if row[at] not in below else (*row[:at], node["value"], *row[at + 1 :]) for row in shown]
                touched = [row for row in shown if row[at] in below]
                classes = [row[place[target]] for row in touched]
                lost = _entropy(classes) - math.fsum(
                    len(part) / len(touched) * _entropy(part)
                    for part in ([row[place[target]] for row in touched if row[at] == value] for value in occurring)
                )
                cost = max(0.0, lost) if score == "ilpg" else float(len(touched))
                if score == "discernibility-increase":
                    cost = 0.0
                    for qid in asked:
                        if name in qid:
                            spots = [place[other] for other in qid]
                            for of, sign in ((shown, -1), (tried, 1)):
                                counts = Counter(tuple(row[i] for i in spots) for row in of)
                                cost += sign * sum(n * n for n in counts.values())
                gains = []
                now, then = after[-1], sizes(tried)
                for qid, k in asked.items():
                    if name in qid:
                        key = tuple(sorted(qid))
                        gains.append(0 if now[key] >= k else min(then[key], k) - now[key])
                gain = sum(gains) / len(gains)
                value = cost if score == "discernibility-increase" else (cost / gain if gain > 0 else math.inf)
                candidates.append(
                    {
                        "attribute": name,
                        "value": node["value"],
                        "cost": cost,
                        "gain": gain,
                        "score": None if value == math.inf else value,
                        "critical": gain > 0,
                        "rank": (_steps(value), _steps(cost), len(candidates)),
                        "rows": tried,
                    }
                )
        best = min(candidates, key=lambda candidate: candidate["rank"])
        shown = best["rows"]
        after.append(sizes(shown))
        kept = ("attribute", "value", "cost", "gain", "score", "critical")
        trace.append({key: best[key] for key in kept} | {"candidates": [{k: c[k] for k in kept} for c in candidates]})
    return NaiveBugResult(trace, shown, after)
