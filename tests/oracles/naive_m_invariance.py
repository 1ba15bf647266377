"""m-invariance in plain words: the definition read aloud, and the fewest counterfeits found by trying every grouping."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

Row = tuple[Any, Any, Any]  # person (None: a counterfeit), group, value


def invariant(releases: list[list[Row]], m: int) -> bool:
    """Tell whether every group is m-unique and every person keeps her signature."""
    hosted: dict[Any, set[frozenset[Any]]] = defaultdict(set)
    for rows in releases:
        groups: dict[Any, list[Any]] = defaultdict(list)
        for _, group, value in rows:
            groups[group].append(value)
        if any(len(values) < m or len(set(values)) < len(values) for values in groups.values()):
            return False
        for person, group, _ in rows:
            if person is not None:
                hosted[person].add(frozenset(groups[group]))
    return all(len(signatures) == 1 for signatures in hosted.values())


def fewest_counterfeits(records: list[tuple[Any, frozenset[Any] | None]], m: int) -> int:
    """Return the fewest counterfeits for records given as (value, signature that must be kept or nothing)."""
    best = m * len(records)

    def cost(groups: list[list[int]]) -> int:
        total = 0
        for group in groups:
            fixed = {records[at][1] for at in group} - {None}
            total += len(next(iter(fixed)) or ()) - len(group) if fixed else max(m - len(group), 0)
        return total

    def fits(group: list[int], at: int) -> bool:
        value, signature = records[at]
        values = {records[other][0] for other in group}
        fixed = {records[other][1] for other in group} - {None} | ({signature} - {None})
        allowed = next(iter(fixed)) if fixed else None
        return value not in values and len(fixed) < 2 and (allowed is None or values | {value} <= allowed)

    def place(at: int, groups: list[list[int]]) -> None:
        nonlocal best
        if at == len(records):
            best = min(best, cost(groups))
            return
        for group in groups:
            if fits(group, at):
                group.append(at)
                place(at + 1, groups)
                group.pop()
        groups.append([at])
        place(at + 1, groups)
        groups.pop()

    place(0, [])
    return best
