"""Problems of the naive lattice as tasks of the library, without an engine between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from oracles.naive_lattice import Problem
from sfumato.algorithms.lattice._search import LatticeSearch
from sfumato.catalogue import build
from sfumato.contracts.algorithm import Attribute, Outcome, Task
from sfumato.contracts.run import Run
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree

__all__ = ["close", "run", "search_of", "task_of"]


def task_of(problem: Problem) -> Task:
    """Return the task that asks for the same."""
    names, records = problem.columns, problem.records
    dictionaries = {}
    for at, name in enumerate(names):
        counts = Counter(record[at] for record in records)
        values = tuple(sorted(counts))
        dictionaries[name] = Dictionary(name, values, np.array([counts[value] for value in values], np.int64))
    place = [{value: code for code, value in enumerate(dictionaries[name].values)} for name in names]
    coded = Counter(tuple(known[value] for known, value in zip(place, record, strict=True)) for record in records)
    rows = sorted(coded)
    codes = np.array(rows, np.int32)
    wide = len(problem.names)
    table = CompressedTable(
        problem.names,
        codes[:, :wide],
        np.array([coded[row] for row in rows], np.int64),
        dictionaries,
        ("s", "class"),
        codes[:, wide:],
    )
    attributes = [
        Attribute(name, "suppress", ColumnType.TEXT)
        if bare
        else Attribute(name, "taxonomy", ColumnType.TEXT, Tree.from_nested(tree))
        for name, tree, bare in zip(problem.names, problem.trees, problem.bare, strict=True)
    ]
    models = [build(dict(spec), "model") for spec in problem.requirements]
    return Task(table, attributes, models, target="class", suppress_at_most=problem.limit, sensitive=("s",))


def search_of(problem: Problem, metric: Mapping[str, Any] | str) -> LatticeSearch:
    """Return a fresh search."""
    return LatticeSearch(task_of(problem), build(metric if isinstance(metric, str) else dict(metric), "metric"))


def run(problem: Problem, algorithm: Mapping[str, Any], *, seed: int = 0) -> Outcome:
    """Return what an algorithm makes of a problem."""
    found: Outcome = build(dict(algorithm), "algorithm").run(task_of(problem), Run.seeded(seed))
    return found


def close(one: float, other: float) -> bool:
    """Tell whether two costs are the same up to rounding."""
    return bool(abs(one - other) <= 1e-9 * max(abs(one), abs(other), 1.0)) or one == other
