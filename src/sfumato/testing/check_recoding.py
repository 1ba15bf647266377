"""What every operation on a table promises: labels that stand for their values, states that are saved and applied again."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.thing import Thing
from sfumato.data.text import parse_interval, to_text
from sfumato.errors import BadRequest
from sfumato.recodings.saved import load_recodings, save_recodings
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["check_operation", "check_recoding", "values_of"]


class _Unseen:
    """A value of a type no column has."""


def values_of(recoding: ColumnRecoding, rng: np.random.Generator) -> list[Hashable]:
    """Return values that a recoding has a place for, from what it knows: leaves, edges, lists of values."""
    for name in ("tree", "edges", "domain", "suppressed", "disclosed"):
        known = getattr(recoding, name, None)
        if known is None:
            continue
        if name == "tree":
            return list(known.leaves)
        if name == "edges":
            return [float(known[0]), *rng.uniform(known[0], known[-1], 20).tolist()]
        return list(known)
    raise AssertionError(f"{recoding.id}: give the values to check it on")


def check_recoding(
    recoding: ColumnRecoding, rng: np.random.Generator, *, values: Sequence[Hashable] | None = None
) -> None:
    """Check a column recoding on values it has a place for.

    One published label per value, whatever the order of the values; what a label covers depends on the label alone and
    lies inside the domain; climbs stay below the root; the identity publishes texts of the values themselves; a number
    lies in its interval; the saved state gives the same labels; values without a place are refused when asked to.
    """
    check_thing(recoding)
    known = list(values if values is not None else values_of(recoding, rng))
    with generators_untouched(recoding):
        mapped = recoding.map(known)
        promise(len(mapped.labels) == len(known), recoding, "map gives one label per value")
        promise(set(mapped.labels) <= set(recoding.published()), recoding, "every label is a published one")
        promise(not mapped.outside, recoding, "known values are not outside")
        turn = rng.permutation(len(known)).tolist()
        turned = recoding.map([known[i] for i in turn])
        promise(turned.labels == tuple(mapped.labels[i] for i in turn), recoding, "the order of values does not matter")
        covers: dict[str, float] = {}
        for label, covered in zip(mapped.labels, mapped.covered.tolist(), strict=True):
            promise(covers.setdefault(label, covered) == covered, recoding, "what a label covers depends on it alone")
            promise(0 <= covered <= mapped.domain, recoding, "a label covers a part of the domain")
        levels = mapped.climbed >= 0
        promise((mapped.climbed[levels] <= mapped.root_climb[levels]).all(), recoding, "no value climbs above the root")
        if recoding.identity:
            promise(
                mapped.labels == tuple(map(to_text, known)), recoding, "the identity publishes the values themselves"
            )
        for value, label in zip(known, mapped.labels, strict=True):
            _check_inside(recoding, value, label)
        _check_saved(recoding, known)
        _check_unknown(recoding)


def _check_inside(recoding: ColumnRecoding, value: Hashable, label: str) -> None:
    interval = parse_interval(label)
    if interval is not None and isinstance(value, (int, float)):
        low, high, closed = interval
        promise(low <= value < high or (closed and value == high), recoding, f"{value} lies in {label}")


def _check_saved(recoding: ColumnRecoding, known: Sequence[Hashable]) -> None:
    from sfumato.hierarchies.declared import type_of

    kind = type_of(known)
    saved = json.loads(json.dumps(save_recodings({"c": recoding}, {"c": kind})))
    recodings, types = load_recodings(saved)
    promise(types == {"c": kind}, recoding, "the type of the column is saved")
    promise(
        recodings["c"].map(known).labels == recoding.map(known).labels,
        recoding,
        "the saved state gives the same labels",
    )
    again = json.loads(json.dumps(save_recodings(recodings, types)))
    promise(again == saved, recoding, "saving twice gives the same document")


def _check_unknown(recoding: ColumnRecoding) -> None:
    try:
        mapped = recoding.map([_Unseen()], column="c", unknown="refuse")
    except BadRequest as error:
        promise(error.column == "c", recoding, "a value without a place is refused by column")
    else:
        promise(not mapped.outside, recoding, "a value without a place is refused when asked to")


def check_operation(operation: Any, table: Table) -> None:
    """Check an operation on whole tables: it has ``apply``, keeps the columns, invents no row and spares its input."""
    promise(isinstance(operation, Thing), type(operation), "an operation is a thing")
    check_thing(operation)
    check_json(operation)
    rows = table.to_rows()
    with generators_untouched(operation):
        first, second = operation.apply(table), operation.apply(table)
    promise(table.to_rows() == rows, operation, "the table that came in is not changed")
    promise(first.columns == table.columns, operation, "the columns stay")
    promise(first.to_rows() == second.to_rows(), operation, "the same table gives the same rows")
    promise(first.rows <= table.rows, operation, "no row is invented")
    if not getattr(operation, "truthful", True):
        return
    left = list(rows)
    for row in first.to_rows():
        match = next((old for old in left if _comes_from(operation, table.columns, row, old)), None)
        promise(match is not None, operation, "every row comes from a row of the input")
        if match is not None:
            left.remove(match)


def _comes_from(operation: object, columns: Sequence[str], row: Sequence[object], old: Sequence[object]) -> bool:
    """Tell whether every published value is the raw one, a marker, or a label that the operation says covers it."""
    marker = getattr(operation, "marker", None)
    covers = getattr(operation, "stands_for", lambda column, label, value: False)
    return all(
        new in (was, to_text(was)) or new == marker or covers(name, new, was)
        for name, new, was in zip(columns, row, old, strict=True)
    )
