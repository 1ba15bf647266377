"""Columns as orders of values: where each may be cut, and the recoding that a choice of cuts amounts to."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import cast

import numpy as np

from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.compressed import Dictionary
from sfumato.data.frozen import frozen
from sfumato.data.text import SUPPRESSED, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Ints
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.ordered_partition import OrderedPartition

__all__ = ["OrderedColumn", "ordered_columns"]


@frozen(eq=False)
class OrderedColumn:
    """One quasi-identifier with an order.

    ``domain`` is the whole order, ``values`` the values that occur, in order, and ``place[code]`` the position of a dictionary
    code among them. ``allowed`` lists the positions at which a run may begin; ``coarsened`` says whether some were left out.
    """

    attribute: Attribute
    domain: tuple[Hashable, ...]
    values: tuple[Hashable, ...]
    place: Codes
    allowed: tuple[int, ...]
    coarsened: bool

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.attribute.name

    def recoding(self, starts: Sequence[int]) -> ColumnRecoding:
        """Return the recoding whose runs begin at these positions, and at the first."""
        if self.attribute.kind == "interval":
            numbers = cast("tuple[float, ...]", self.values)
            low, high = self.attribute.range or (numbers[0], numbers[-1])
            return Discretization(edges=(low, *(numbers[at] for at in starts), high), closed=numbers[-1] == high)
        return OrderedPartition(domain=self.domain, starts=tuple(to_text(self.values[at]) for at in starts))


def ordered_columns(
    task: Task, orders: Mapping[str, Sequence[Hashable]], max_splits: int | None, *, parameter: str
) -> list[OrderedColumn]:
    """Return every quasi-identifier as an order of values: numbers by size, categories as told or as leaves of their tree.

    ``max_splits`` keeps so many of the positions at which a number may be cut, those nearest to equal shares of the records.
    A category without tree and order is refused.
    """
    for name in orders:
        if name not in task.qids:
            raise BadRequest(
                "is not a quasi-identifier", parameter=f"{parameter}.orders", value=name, available=task.qids
            )
    return [
        _ordered(attribute, task.table.dictionaries[attribute.name], orders.get(attribute.name), max_splits, parameter)
        for attribute in task.attributes
    ]


def _ordered(
    attribute: Attribute,
    dictionary: Dictionary,
    order: Sequence[Hashable] | None,
    max_splits: int | None,
    parameter: str,
) -> OrderedColumn:
    values = dictionary.values
    if attribute.kind == "interval":
        if order is not None:
            raise BadRequest(
                "numbers are ordered by size; an order is for categories",
                column=attribute.name,
                parameter=f"{parameter}.orders",
            )
        # Dictionaries hold numbers by size.
        places = np.arange(len(values), dtype=np.int32)
        allowed, coarsened = _coarser(dictionary.counts, max_splits)
        return OrderedColumn(attribute, values, values, places, allowed, coarsened)
    domain = _domain(attribute, values, order, parameter)
    rank = {value: number for number, value in enumerate(domain)}
    by_rank = sorted(range(len(values)), key=lambda code: rank[values[code]])
    places = np.empty(len(values), np.int32)
    places[by_rank] = np.arange(len(values))
    return OrderedColumn(
        attribute, domain, tuple(values[code] for code in by_rank), places, tuple(range(1, len(values))), False
    )


def _domain(
    attribute: Attribute, values: Sequence[Hashable], order: Sequence[Hashable] | None, parameter: str
) -> tuple[Hashable, ...]:
    """Return the order of a category; refuse one that is not told, lacks a value or could be misread when published."""
    name = attribute.name
    if order is not None:
        domain = _told(name, values, order, parameter)
    elif attribute.tree is not None:
        domain = attribute.tree.leaves
    else:
        raise BadRequest(
            "has no order: give it a hierarchy, or its values from first to last in orders",
            column=name,
            parameter=f"{parameter}.orders",
        )
    texts = [to_text(value) for value in domain]
    known = set(texts)
    if SUPPRESSED in known:
        raise BadRequest(f"holds the value {SUPPRESSED!r}, which stands for all values", column=name)
    for text in texts:
        first, dots, last = text.partition("..")
        if dots and first in known and last in known:
            raise BadRequest("holds a value that reads like a run of two others", column=name)
    return domain


def _told(name: str, values: Sequence[Hashable], order: Sequence[Hashable], parameter: str) -> tuple[Hashable, ...]:
    """Return the told order with the column's own values in it; they are matched by their text."""
    texts = [to_text(value) for value in order]
    if len(set(texts)) != len(texts):
        raise BadRequest("lists a value twice", column=name, parameter=f"{parameter}.orders")
    own = {to_text(value): value for value in values}
    missing = [text for text in own if text not in set(texts)]
    if missing:
        raise BadRequest(
            f"leaves out {len(missing)} value{'s' if len(missing) > 1 else ''} of the column",
            column=name,
            parameter=f"{parameter}.orders",
            value=missing,
        )
    return tuple(own.get(text, value) for text, value in zip(texts, order, strict=True))


def _coarser(counts: Ints, max_splits: int | None) -> tuple[tuple[int, ...], bool]:
    """Return the positions at which numbers may be cut: all, or those nearest to equal shares of the records."""
    every = len(counts) - 1
    if max_splits is None or every <= max_splits:
        return tuple(range(1, len(counts))), False
    before = np.cumsum(counts)[:-1]  # records below position 1, 2, ...
    wanted = counts.sum() * np.arange(1, max_splits + 1) / (max_splits + 1)
    nearest = np.abs(before[None, :] - wanted[:, None]).argmin(axis=1) + 1
    return tuple(np.unique(nearest).tolist()), True
