"""mu-Argus in plain Python: every combination is counted again from all records at every step.

Records are lists of labels; ``None`` is a suppressed cell. A tree is ``{"value": ..., "children": [...]}``; a column without
one is never generalized.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

Record = list[Any]
Combination = tuple[tuple[int, Any], ...]
Requirement = Sequence[tuple[Sequence[int], int, int]]


@dataclass
class NaiveResult:
    """The published records, the steps taken, and how many cells are suppressed."""

    rows: list[Record]
    steps: list[tuple[str, str]] = field(default_factory=list)
    suppressed: int = 0


def preorder(tree: Mapping[str, Any]) -> list[str]:
    """Return the labels of a tree, a node before its children."""
    return [tree["value"], *(label for child in tree.get("children", []) for label in preorder(child))]


def parents(tree: Mapping[str, Any]) -> dict[str, str]:
    """Return the parent of each label but the root."""
    out = {}
    for child in tree.get("children", []):
        out[child["value"]] = tree["value"]
        out |= parents(child)
    return out


def below(tree: Mapping[str, Any], label: str) -> set[str]:
    """Return the labels strictly below a label."""
    up = parents(tree)
    return {other for other in up if label in _path(up, other)}


def _path(up: Mapping[str, str], label: str) -> list[str]:
    out = []
    while label in up:
        label = up[label]
        out.append(label)
    return out


def of_record(record: Record, requirement: Requirement) -> Iterator[tuple[Combination, int]]:
    """Yield every combination of a record that must be frequent, and how frequent."""
    wanted: dict[tuple[int, ...], int] = {}
    for qid, k, size in requirement:
        for count in range(1, size + 1):
            for chosen in combinations(sorted(qid), count):
                wanted[chosen] = max(wanted.get(chosen, 1), k)
    for chosen, k in wanted.items():
        if all(record[at] is not None for at in chosen):
            yield tuple((at, record[at]) for at in chosen), k


def unsafe(rows: Sequence[Record], requirement: Requirement) -> set[Combination]:
    """Return the combinations that too few records share."""
    counts: Counter[Combination] = Counter()
    least: dict[Combination, int] = {}
    for record in rows:
        for combination, k in of_record(record, requirement):
            counts[combination] += 1
            least[combination] = k
    return {combination for combination, count in counts.items() if count < least[combination]}


def naive_mu_argus(
    raw: Sequence[Sequence[Any]],
    trees: Sequence[Mapping[str, Any] | None],
    requirement: Requirement,
    switch_fraction: float = 0.1,
) -> NaiveResult:
    """Generalize, then suppress, until no combination is unsafe."""
    result = NaiveResult([list(record) for record in raw])
    rows = result.rows
    while True:
        bad = unsafe(rows, requirement)
        if not bad:
            return result
        holding = [
            [combination for combination, _ in of_record(record, requirement) if combination in bad] for record in rows
        ]
        touched = sum(bool(found) for found in holding)
        if touched > switch_fraction * len(rows) and _generalize(result, trees, bad):
            continue
        for record, found in zip(rows, holding, strict=True):
            left = list(found)
            while left:
                load = Counter(at for combination in left for at, _ in combination)
                chosen = min(load, key=lambda at: (-load[at], at))
                record[chosen] = None
                result.suppressed += 1
                left = [combination for combination in left if all(at != chosen for at, _ in combination)]
        result.steps.append(("suppress", ""))


def _generalize(result: NaiveResult, trees: Sequence[Mapping[str, Any] | None], bad: set[Combination]) -> bool:
    columns = Counter(at for combination in bad for at, _ in combination)
    shown = {at: {record[at] for record in result.rows} - {None} for at in columns}
    able = [at for at in columns if trees[at] is not None and shown[at] - {trees[at]["value"]}]  # type: ignore[index]
    if not able:
        return False
    column = min(able, key=lambda at: (-columns[at], at))
    tree = trees[column]
    assert tree is not None
    order, up = preorder(tree), parents(tree)
    values = Counter(value for combination in bad for at, value in combination if at == column)
    held = Counter(record[column] for record in result.rows)

    def worth(parent: str) -> tuple[int, int]:
        under = below(tree, parent)
        levels = sum(n * _path(up, label).index(parent) + n for label, n in held.items() if label in under)
        ratio = sum(n for label, n in values.items() if label in under) / levels
        return -math.floor(ratio * 2**40 + 0.5), order.index(parent)

    parent = min({up[value] for value in values}, key=worth)
    gone = below(tree, parent)
    for record in result.rows:
        if record[column] in gone:
            record[column] = parent
    result.steps.append(("generalize", parent))
    return True
