"""A join written out row by row, with nothing but dictionaries and loops: what counting by classes must agree with."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

Row = dict[str, Any]
Above = dict[str, dict[str, list[str]]]

TREES: dict[str, Any] = {
    "A": {"*A": [{"a": ["a1", "a2"]}, {"b": ["b1", {"bb": ["b2", "b3"]}]}, "c"]},
    "B": {"*B": [{"p": ["p1", "p2"]}, "q"]},
}


def paths(nested: Any) -> dict[str, list[str]]:
    """Return every label with itself and those above it."""
    found: dict[str, list[str]] = {}

    def walk(entry: Any, above: list[str]) -> None:
        (label, below), *_ = entry.items() if isinstance(entry, dict) else [(entry, [])]
        found[label] = [label, *above]
        for child in below:
            walk(child, found[label])

    walk(nested, [])
    return found


ABOVE: Above = {name: paths(tree) for name, tree in TREES.items()}


def one_path(name: str, one: Any, other: Any) -> bool:
    """Tell whether two labels lie on one path; missing or suppressed stands for everything."""
    if one is None or other is None:
        return True
    if name not in ABOVE:
        return bool(one == other) or "*" in (one, other)
    return one in ABOVE[name][other] or other in ABOVE[name][one]


def under(name: str, value: Any, label: str) -> bool:
    """Tell whether a value is a label or below it."""
    return value is not None and (label in ABOVE[name][value] if name in ABOVE else value == label)


def joined(
    tables: list[list[Row]], names: list[str], impossible: list[tuple[str, str, str, str]]
) -> list[tuple[int, ...]]:
    """Return the row numbers of every match."""
    found = []
    for rows in product(*(range(len(table)) for table in tables)):
        held = [table[row] for table, row in zip(tables, rows, strict=True)]
        fits = all(
            one_path(name, held[i][name], held[j][name])
            for name in names
            for i in range(len(held))
            for j in range(i)
            if name in held[i] and name in held[j]
        )
        for left, value, right, other in impossible:
            (i, one), (j, two) = ((int(end[1]) - 1, end[3:]) for end in (left, right))
            fits = fits and not (under(one, held[i][one], value) and under(two, held[j][two], other))
        if fits:
            found.append(rows)
    return found


def counted(
    tables: list[list[Row]], matches: list[tuple[int, ...]], x: list[str], y: list[str]
) -> dict[Any, dict[Any, int]]:
    """Return ``{values on X: {values on Y: joined rows}}``; columns are written ``T1.A``."""
    found: dict[Any, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
    for rows in matches:
        cell = {f"T{at + 1}.{name}": value for at, row in enumerate(rows) for name, value in tables[at][row].items()}
        found[tuple(cell[name] for name in x)][tuple(cell[name] for name in y)] += 1
    return found


def levels(groups: dict[Any, dict[Any, int]]) -> tuple[int | None, Fraction | None]:
    """Return A_Y(X) and L_Y(X)."""
    if not groups:
        return None, None
    shares = [Fraction(count, sum(row.values())) for row in groups.values() for count in row.values()]
    return min(map(len, groups.values())), max(shares)


def random_tables(rng: random.Random, releases: int, *, rows: int = 6, gaps: bool = True) -> list[list[Row]]:
    """Return tables that share A and B, each with a column of its own, labels from anywhere in the trees."""
    own = ["y", "c", "d", "e"]

    def cell(name: str) -> Any:
        return None if gaps and rng.random() < 0.1 else rng.choice(sorted(ABOVE[name]))

    return [
        [
            {"A": cell("A"), **({"B": cell("B")} if at != 1 or releases < 3 else {}), own[at]: rng.choice("uvw")}
            for _ in range(rng.randint(1, rows))
        ]
        for at in range(releases)
    ]
