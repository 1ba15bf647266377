"""Boxes of a histogram from declared edges or from hierarchies of intervals, and the box of each record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.contracts.columns import check_columns, numbers_of
from sfumato.contracts.engine import Table
from sfumato.data.text import parse_interval
from sfumato.data.words import counted
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.tables.recode import tree_of

__all__ = ["boxes_of"]

Sides = list[tuple[float, float]]

_RANGE = {"low", "high", "bins"}


def boxes_of(
    table: Table,
    qid: Sequence[str],
    *,
    cuts: Mapping[str, object] | None = None,
    hierarchies: Mapping[str, object] | None = None,
    level: int | Mapping[str, int] = 1,
) -> tuple[Ints, dict[int, Sides]]:
    """Return the number of the box of each record, and the (from, to) of every column for each box that holds a record.

    ``cuts`` gives the edges of a column, as a rising list or as ``low``, ``high`` and ``bins``; an interval holds its lower
    edge, the last one both. ``hierarchies`` gives a hierarchy of intervals instead, cut at a ``level`` (of all columns, or by
    column). Both are declared, so that edges say nothing of single records.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age"], [(3,), (20,), (17,), (40,)])
    >>> numbers, boxes = boxes_of(table, ["Age"], cuts={"Age": [0, 20, 40]})
    >>> numbers.tolist(), boxes
    ([1, 2, 1, 2], {1: [(0.0, 20.0)], 2: [(20.0, 40.0)]})
    """
    check_columns(table, "qid", qid)
    for parameter, given in (("cuts", cuts), ("hierarchies", hierarchies)):
        if given is not None and not isinstance(given, Mapping):
            raise BadRequest("must be given by column", parameter=parameter, available=qid)
        for name in given or ():
            if name not in qid:
                raise BadRequest("is not a column of the boxes", parameter=parameter, value=name, available=qid)
    points = numbers_of(table, qid)
    codes: list[Ints] = []
    sides: list[Sides] = []
    for at, name in enumerate(qid):
        if name in (cuts or {}):
            code, side = _by_edges(name, points[:, at], _edges(name, (cuts or {})[name]))
        elif name in (hierarchies or {}):
            code, side = _by_hierarchy(table, name, points[:, at], (hierarchies or {})[name], _level(level, name, qid))
        else:
            raise BadRequest("has neither cuts nor a hierarchy, and no groups are given", column=name)
        codes.append(code)
        sides.append(side)
    cells, numbers = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    boxes = {
        number + 1: [sides[at][code] for at, code in enumerate(cell)] for number, cell in enumerate(cells.tolist())
    }
    return numbers.reshape(-1).astype(np.int64) + 1, boxes


def _edges(name: str, given: object) -> Floats:
    if isinstance(given, Mapping):
        if set(given) != _RANGE:
            raise BadRequest("a range needs low, high and bins", column=name, parameter="cuts", value=sorted(given))
        if isinstance(given["bins"], bool) or not isinstance(given["bins"], int) or given["bins"] < 1:
            raise BadRequest("needs at least one bin", column=name, parameter="cuts", value=given["bins"])
        ends = _rising(name, [given["low"], given["high"]])
        return np.linspace(ends[0], ends[1], given["bins"] + 1)
    return _rising(name, given)


def _rising(name: str, given: object) -> Floats:
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if len(listed) < 2 or not all(
        isinstance(edge, (int, float)) and not isinstance(edge, bool) and math.isfinite(edge) for edge in listed
    ):
        raise BadRequest("must hold at least two numbers", column=name, parameter="cuts", value=listed)
    edges = np.array(listed, np.float64)
    if not (np.diff(edges) > 0).all():
        raise BadRequest("must rise", column=name, parameter="cuts", value=listed)
    return edges


def _by_edges(name: str, values: Floats, edges: Floats) -> tuple[Ints, Sides]:
    outside = int(((values < edges[0]) | (values > edges[-1])).sum())
    if outside:
        raise BadRequest(
            f"{counted(outside, 'record lies', 'records lie')} outside the edges", column=name, parameter="cuts"
        )
    code = np.minimum(np.searchsorted(edges, values, side="right"), len(edges) - 1) - 1
    return code.astype(np.int64), list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _level(level: int | Mapping[str, int], name: str, qid: Sequence[str]) -> int:
    chosen = level.get(name, 1) if isinstance(level, Mapping) else level
    strange = [other for other in level if other not in qid] if isinstance(level, Mapping) else []
    if strange:
        raise BadRequest("is not a column of the boxes", parameter="level", value=strange[0], available=qid)
    if isinstance(chosen, bool) or not isinstance(chosen, int) or chosen < 1:
        raise BadRequest("must be a whole number >= 1", column=name, parameter="level", value=chosen)
    return chosen


def _by_hierarchy(table: Table, name: str, values: Floats, given: object, level: int) -> tuple[Ints, Sides]:
    known: Any = table.dictionary(name).values
    tree = tree_of(table, name, given)[0]
    recoding = FullDomainGeneralization(tree=tree, level=level)
    labels = recoding.map(known, column=name).labels
    intervals = {label: parse_interval(label) for label in labels}
    open_ended = [label for label, found in intervals.items() if found is None]
    if open_ended:
        raise BadRequest(
            f"{len(open_ended)} of {len(intervals)} labels of level {level} are no intervals with two ends",
            column=name,
            parameter="hierarchies",
            available=[f"levels 1 to {max(tree.height - 1, 1)} of a hierarchy of intervals", "cuts"],
        )
    place = {label: number for number, label in enumerate(intervals)}
    ordered = np.array([float(value) for value in known])
    order = np.argsort(ordered, kind="stable")
    of_value = np.array([place[label] for label in labels], np.int64)[order]
    sides = [(found[0], found[1]) for found in intervals.values() if found is not None]
    return of_value[np.searchsorted(ordered[order], values)], sides
