"""High-Dimensional Top-Down Specialization by rescanning the whole table at every step.

Start from the most general table. At each step try every specialization on the whole table, keep those after which every
combination of 1 to L values, on every set of columns, is safe, and perform the one with the best score.

    valid        iff |T[q]| >= K and |T[q and s]| / |T[q]| <= C for every set of 1..L columns, occurring q and protected s
    infogain(v)  = I(R_v) - Σ_children |R_c|/|R_v| I(R_c)
    igpl(v)      = infogain(v) / (1 + mean over requirements of the mean over sets of L columns with att(v) of A - A_v)
    dm-current   = Σ |G|² over the groups on all columns that carry v;  dm-children the same after the step
    dm-reduction = dm-current - dm-children
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from oracles.naive_tdr import SCORE_SCALE, NaiveAttribute, _gain, _Intervals, _Refinement, _start

__all__ = ["NaiveLKC", "naive_exposure", "naive_hdtds"]


@dataclass(frozen=True)
class NaiveLKC:
    """One requirement; ``values`` None protects every value of the sensitive column."""

    qid: tuple[str, ...]
    L: int
    K: int
    C: float = 1.0
    sensitive: str | None = None
    values: tuple[Any, ...] | None = None


def naive_exposure(
    masked: Mapping[str, Sequence[Any]], raw: Mapping[str, Sequence[Any]], asked: NaiveLKC
) -> tuple[int, float]:
    """Return the smallest combination of 1..L values and the largest confidence, over all sets of columns."""
    smallest, surest = math.inf, Fraction(0)
    for size in range(1, min(asked.L, len(asked.qid)) + 1):
        for columns in combinations(asked.qid, size):
            keys = list(zip(*(masked[name] for name in columns), strict=True))
            counts = Counter(keys)
            smallest = min(smallest, *counts.values())
            if asked.sensitive is not None:
                secret = raw[asked.sensitive]
                for (key, value), held in Counter(zip(keys, secret, strict=True)).items():
                    if asked.values is None or value in asked.values:
                        surest = max(surest, Fraction(held, counts[key]))
    return int(smallest), float(surest)


def _safe(exposure: tuple[int, float], asked: NaiveLKC) -> bool:
    return exposure[0] >= asked.K and exposure[1] <= asked.C * (1 + 1e-9)


def _even_splits(state: _Intervals, values: Sequence[Any]) -> Iterator[_Refinement]:
    """Cut each interval where it parts most evenly; the smallest such value wins."""
    for label in state.labels():
        inside = [value for value in values if state.label(value) == label]
        splits = sorted(set(inside))[1:]
        if splits:
            squares = {p: sum(v < p for v in inside) ** 2 + sum(v >= p for v in inside) ** 2 for p in splits}
            split = min(p for p in splits if squares[p] == min(squares.values()))
            inner = tuple(sorted({*state.edges[1:-1], split}))
            yield _Refinement(label, label, _Intervals((state.edges[0], *inner, state.edges[-1]), state.closed), split)


def _loss(name: str, before: Mapping[str, Any], after: Mapping[str, Any], requirements: Sequence[NaiveLKC]) -> float:
    shares = []
    for asked in requirements:
        if name not in asked.qid:
            continue
        sets = [s for s in combinations(asked.qid, min(asked.L, len(asked.qid))) if name in s]
        drops = [
            min(Counter(zip(*(before[c] for c in s), strict=True)).values())
            - min(Counter(zip(*(after[c] for c in s), strict=True)).values())
            for s in sets
        ]
        shares.append(Fraction(sum(drops), len(drops)))
    return float(sum(shares) / len(shares))


def naive_hdtds(
    rows: Sequence[tuple[Any, ...]],
    columns: Sequence[str],
    attributes: Sequence[NaiveAttribute],
    target: str | None,
    requirements: Sequence[NaiveLKC],
    score: str = "infogain",
    max_refinements: int | None = None,
) -> dict[str, Any]:
    """Return trace, masked rows, exposure and the candidates left; ``attributes`` are all quasi-identifiers.

    Raises
    ------
    ValueError
        If even the most general table is not safe.
    """
    raw = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
    classes = raw[target] if target is not None else [None] * len(rows)
    states = {attribute.name: _start(attribute, raw[attribute.name]) for attribute in attributes}
    asked_for = {name for asked in requirements for name in asked.qid}

    def masked_by(all_states: Mapping[str, Any]) -> dict[str, list[str]]:
        return {name: [state.label(value) for value in raw[name]] for name, state in all_states.items()}

    if not all(_safe(naive_exposure(masked_by(states), raw, asked), asked) for asked in requirements):
        raise ValueError("the most general table is not safe")
    trace: list[dict[str, Any]] = []
    while True:
        masked = masked_by(states)
        found = []
        for name, state in states.items():
            if name not in asked_for:
                continue
            even = isinstance(state, _Intervals) and score.startswith("dm")
            steps = _even_splits(state, raw[name]) if even else state.refinements(raw[name], classes)  # type: ignore[arg-type]
            for step in steps:
                after = {**masked, name: [step.after.label(value) for value in raw[name]]}
                touched = [row for row, label in enumerate(masked[name]) if label == step.parent]
                parts: dict[str, list[Any]] = {}
                for row in touched:
                    parts.setdefault(after[name][row], []).append(classes[row])
                entry: dict[str, Any] = {
                    "attribute": name,
                    "value": step.value,
                    "split_at": step.split_at,
                    "valid": all(_safe(naive_exposure(after, raw, asked), asked) for asked in requirements),
                }
                current, children = (
                    sum(size**2 for size in Counter(tuple(table[c][row] for c in states) for row in touched).values())
                    for table in (masked, after)
                )
                gain = _gain(list(parts.values()))
                if score == "igpl":
                    entry["loss"] = _loss(name, masked, after, requirements)
                entry["score"] = {
                    "infogain": gain,
                    "igpl": gain / (entry.get("loss", 0) + 1),
                    "dm-current": current,
                    "dm-children": children,
                    "dm-reduction": current - children,
                }[score]
                found.append((entry, step))
        allowed = [candidate for candidate in found if candidate[0]["valid"]]
        if not allowed or (max_refinements is not None and len(trace) >= max_refinements):
            break
        scale = 1 if score.startswith("dm") else SCORE_SCALE
        best, chosen = max(allowed, key=lambda candidate: math.floor(candidate[0]["score"] * scale + 0.5))
        states[best["attribute"]] = chosen.after
        exposure = [naive_exposure(masked_by(states), raw, asked) for asked in requirements]
        trace.append({**best, "candidates": [entry for entry, _ in found], "exposure": exposure})
    return {
        "trace": trace,
        "masked_rows": [
            tuple(masked[name][row] if name in masked else raw[name][row] for name in columns)
            for row in range(len(rows))
        ],
        "exposure": [naive_exposure(masked, raw, asked) for asked in requirements],
        "left": [entry for entry, _ in found],
    }
