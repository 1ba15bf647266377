"""Top-Down Refinement by rescanning the whole table at every step.

Start from the most masked table. At each step try every refinement on the whole table, keep those after which every QID
still has its k, and perform the one with the best score. Nothing is cached, compressed or updated in place.

    I(R)         = -Σ_c p_c log2 p_c
    InfoGain(v)  = I(R_v) - Σ_children |R_c|/|R_v| I(R_c)
    AnonyLoss(v) = average over the QIDs with att(v) of A(QID) - A_v(QID),  A = size of the smallest group
    Score(v)     = InfoGain(v) / (AnonyLoss(v) + 1), or InfoGain(v) alone

References
----------
B. C. M. Fung, K. Wang, P. S. Yu, Anonymizing Classification Data for Privacy Preservation, IEEE TKDE 19(5), 2007.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

__all__ = ["NaiveAttribute", "NaiveResult", "naive_tdr", "reduce_requirement"]

SUPPRESSED = "*"
SCORE_SCALE = 2**40
SPLIT_TIE = 1e-12

Qid = tuple[str, ...]
Requirement = list[tuple[Qid, int]]


@dataclass(frozen=True)
class NaiveAttribute:
    """How one column is masked; ``tree`` belongs to a taxonomy, ``range`` (optional) to an interval."""

    name: str
    kind: Literal["taxonomy", "interval", "suppress"]
    tree: Mapping[str, Any] | None = None
    range: tuple[float, float] | None = None


@dataclass(frozen=True)
class NaiveResult:
    """What a run leaves behind; ``rejected_at_end`` holds every candidate of the final state, valid or not."""

    trace: list[dict[str, Any]]
    solution: dict[str, dict[str, list[Any]]]
    masked_rows: list[tuple[Any, ...]]
    final_a: dict[Qid, int]
    rejected_at_end: list[dict[str, Any]]


# ---- the state of one attribute: a label for every value, and the refinements that are possible from here ----------------


@dataclass(frozen=True)
class _Refinement:
    value: Any  # what the trace calls it
    parent: str  # the label whose records are touched
    after: _Cut | _Intervals | _Suppression
    split_at: Any = None


@dataclass(frozen=True)
class _Cut:
    tree: Mapping[str, Any]
    nodes: frozenset[str]

    def label(self, value: Any) -> str:
        on_cut = [node["value"] for node in _path(self.tree, value) if node["value"] in self.nodes]
        assert len(on_cut) == 1, "a cut has exactly one node on every path"
        return str(on_cut[0])

    def refinements(self, values: Sequence[Any], classes: Sequence[Any]) -> Iterator[_Refinement]:
        carried = {self.label(value) for value in values}
        for node in _preorder(self.tree):
            name, children = node["value"], node.get("children")
            if name in self.nodes and name in carried and children:
                nodes = (self.nodes - {name}) | {child["value"] for child in children}
                yield _Refinement(name, name, _Cut(self.tree, nodes))

    def solution(self) -> dict[str, list[Any]]:
        return {"cut": [node["value"] for node in _preorder(self.tree) if node["value"] in self.nodes]}


@dataclass(frozen=True)
class _Intervals:
    edges: tuple[Any, ...]  # lo, split points, hi
    closed: bool  # whether the last interval contains hi

    def labels(self) -> list[str]:
        pairs = list(zip(self.edges, self.edges[1:], strict=False))
        ends = [")"] * (len(pairs) - 1) + ["]" if self.closed else ")"]
        return [f"[{_text(lo)}-{_text(hi)}{end}" for (lo, hi), end in zip(pairs, ends, strict=True)]

    def label(self, value: Any) -> str:
        return self.labels()[sum(1 for split in self.edges[1:-1] if split <= value)]

    def refinements(self, values: Sequence[Any], classes: Sequence[Any]) -> Iterator[_Refinement]:
        for label in self.labels():
            inside = [(value, cls) for value, cls in zip(values, classes, strict=True) if self.label(value) == label]
            splits = sorted({value for value, _ in inside})[1:]
            if splits:
                gains = {
                    split: _gain([[c for v, c in inside if v < split], [c for v, c in inside if v >= split]])
                    for split in splits
                }
                split = min(p for p in splits if gains[p] >= max(gains.values()) - SPLIT_TIE)
                edges = tuple(sorted({*self.edges[1:-1], split}))
                after = _Intervals((self.edges[0], *edges, self.edges[-1]), self.closed)
                yield _Refinement(label, label, after, split)

    def solution(self) -> dict[str, list[Any]]:
        return {"intervals": self.labels()}


@dataclass(frozen=True)
class _Suppression:
    domain: tuple[Any, ...]  # values that occur, in their own order
    disclosed: tuple[Any, ...]  # in the order of disclosure

    def label(self, value: Any) -> str:
        return _text(value) if value in self.disclosed else SUPPRESSED

    def hidden(self) -> list[Any]:
        return [value for value in self.domain if value not in self.disclosed]

    def refinements(self, values: Sequence[Any], classes: Sequence[Any]) -> Iterator[_Refinement]:
        for value in self.hidden():
            yield _Refinement(value, SUPPRESSED, _Suppression(self.domain, (*self.disclosed, value)))

    def solution(self) -> dict[str, list[Any]]:
        return {"suppressed": self.hidden(), "disclosed": list(self.disclosed)}


_State = _Cut | _Intervals | _Suppression


def _start(attribute: NaiveAttribute, values: Sequence[Any]) -> _State:
    if attribute.kind == "taxonomy":
        assert attribute.tree is not None
        names = Counter(node["value"] for node in _preorder(attribute.tree))
        if max(names.values()) > 1:
            raise ValueError(f"{attribute.name}: duplicate node name in the taxonomy")
        return _Cut(attribute.tree, frozenset({attribute.tree["value"]}))
    if attribute.kind == "interval":
        lo, hi = attribute.range if attribute.range is not None else (min(values), max(values))
        if min(values) < lo or max(values) > hi:
            raise ValueError(f"{attribute.name}: value outside the range")
        return _Intervals((lo, hi), closed=max(values) == hi)
    if SUPPRESSED in values:
        raise ValueError(f"{attribute.name}: the suppressed symbol occurs as a value")
    return _Suppression(tuple(sorted(set(values))), ())


def _preorder(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node.get("children") or ():
        yield from _preorder(child)


def _path(node: Mapping[str, Any], leaf: Any) -> list[Mapping[str, Any]]:
    """Return the nodes from the root to the leaf."""
    path = _search(node, leaf)
    if path is None:
        raise ValueError("value is not a leaf of its taxonomy")
    return path


def _search(node: Mapping[str, Any], leaf: Any) -> list[Mapping[str, Any]] | None:
    if not node.get("children"):
        return [node] if node["value"] == leaf else None
    below = (_search(child, leaf) for child in node["children"])
    return next(([node, *path] for path in below if path is not None), None)


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(int(value)) if value == int(value) else repr(float(value))
    return str(value)


# ---- the numbers ---------------------------------------------------------------------------------------------------------


def _entropy(classes: Sequence[Any]) -> float:
    counts = Counter(classes)
    shares = [counts[cls] / len(classes) for cls in sorted(counts)]
    return -math.fsum(share * math.log2(share) for share in shares)


def _gain(children: Sequence[Sequence[Any]]) -> float:
    parent = [cls for child in children for cls in child]
    parts = [-len(child) / len(parent) * _entropy(child) for child in children]
    return max(0.0, math.fsum([_entropy(parent), *parts]))


def _smallest(masked: Mapping[str, Sequence[str]], requirement: Requirement) -> dict[Qid, int]:
    """Return A(QID), the size of the smallest group that occurs, for each QID."""
    return {qid: min(Counter(zip(*(masked[name] for name in qid), strict=True)).values()) for qid, _ in requirement}


def reduce_requirement(requirement: Requirement) -> Requirement:
    """Drop <Q_j, k_j> if some <Q_i, k_i> has Q_j ⊆ Q_i and k_j <= k_i; of equal pairs the first stays."""
    return [
        (qid, k)
        for j, (qid, k) in enumerate(requirement)
        if not any(
            set(qid) <= set(other) and k <= other_k and (i < j or set(qid) != set(other) or k != other_k)
            for i, (other, other_k) in enumerate(requirement)
            if i != j
        )
    ]


# ---- the run -------------------------------------------------------------------------------------------------------------


def naive_tdr(
    rows: list[tuple[Any, ...]],
    columns: list[str],
    attributes: list[NaiveAttribute],
    target: str | None,
    requirement: Requirement,
    score: Literal["igpl", "infogain"] = "igpl",
    require_beneficial: bool = True,
    max_refinements: int | None = None,
) -> NaiveResult:
    """Refine the most masked table until no candidate is left.

    Attributes outside every QID are passed through. Without a target every gain is 0 and nothing is beneficial.
    Equal scores (compared in steps of 2^-40) go to the first attribute as given, then to the first position inside it.

    Raises
    ------
    ValueError
        If even the most masked table misses the requirement, or the input contradicts itself.
    """
    requirement = reduce_requirement(requirement)
    in_qids = {name for qid, _ in requirement for name in qid}
    if score not in ("igpl", "infogain"):
        raise ValueError("score is igpl or infogain")
    if any(k < 1 or not qid for qid, k in requirement) or not requirement:
        raise ValueError("a requirement needs a QID and a k of at least 1")
    if not in_qids <= {attribute.name for attribute in attributes} or target in in_qids:
        raise ValueError("a QID names an attribute that cannot be masked")
    if len(rows) < max(k for _, k in requirement):
        raise ValueError("fewer records than k")

    raw = {name: [row[position] for row in rows] for position, name in enumerate(columns)}
    classes = raw[target] if target is not None else [None] * len(rows)
    states = {a.name: _start(a, raw[a.name]) for a in attributes if a.name in in_qids}

    trace: list[dict[str, Any]] = []
    while True:
        masked = {name: [state.label(value) for value in raw[name]] for name, state in states.items()}
        now = _smallest(masked, requirement)
        found: list[tuple[dict[str, Any], _Refinement, dict[Qid, int]]] = []
        for name, state in states.items():
            for step in state.refinements(raw[name], classes):
                column = [step.after.label(value) for value in raw[name]]
                after = _smallest({**masked, name: column}, requirement)
                touched = [row for row, label in enumerate(masked[name]) if label == step.parent]
                children: dict[str, list[Any]] = {}
                for row in touched:
                    children.setdefault(column[row], []).append(classes[row])
                gain = _gain(list(children.values()))
                losses = [now[qid] - after[qid] for qid, _ in requirement if name in qid]
                loss = float(Fraction(sum(losses), len(losses)))
                entry = {
                    "attribute": name,
                    "value": step.value,
                    "gain": gain,
                    "loss": loss,
                    "score": gain / (loss + 1) if score == "igpl" else gain,
                    "valid": all(after[qid] >= k for qid, k in requirement),
                    "beneficial": len({classes[row] for row in touched}) > 1,
                }
                found.append((entry, step, after))

        allowed = [c for c in found if c[0]["valid"] and (c[0]["beneficial"] or not require_beneficial)]
        if not allowed or (max_refinements is not None and len(trace) >= max_refinements):
            break
        # max returns the first of equals, and candidates stand in tie order
        best, step, after = max(allowed, key=lambda c: math.floor(c[0]["score"] * SCORE_SCALE + 0.5))
        states[best["attribute"]] = step.after
        entry = {key: best[key] for key in ("attribute", "value", "gain", "loss", "score")}
        entry["a_after"] = after
        if step.split_at is not None:
            entry["split_at"] = step.split_at
        entry["candidates"] = [candidate for candidate, _, _ in found]
        trace.append(entry)

    return NaiveResult(
        trace=trace,
        solution={name: state.solution() for name, state in states.items()},
        masked_rows=[
            tuple(masked[name][row] if name in masked else raw[name][row] for name in columns)
            for row in range(len(rows))
        ],
        final_a=now,
        rejected_at_end=[candidate for candidate, _, _ in found],
    )
