"""The natural join of coded rows: by sorting, without a pair that does not match."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.region import in_order
from sfumato.errors import Unsupported
from sfumato.groups.cells import Cells
from sfumato.groups.distinct import distinct_rows, found_among
from sfumato.kernels.arrays import Ints

__all__ = ["Facts", "coded_facts", "natural_join", "numbered", "shared_values"]


@frozen(eq=False)
class Facts:
    """The distinct rows of a view, as codes of values that all views share."""

    columns: tuple[str, ...]
    codes: Ints

    def of(self, names: Sequence[str]) -> Ints:
        """Return the codes of some columns, rows x columns."""
        return self.codes[:, [self.columns.index(name) for name in names]]


def shared_values(cells: Sequence[Cells]) -> Mapping[str, tuple[Hashable, ...]]:
    """Return for each column the values of all views, in order; a missing value comes first."""
    found: dict[str, tuple[Hashable, ...]] = {}
    for one in cells:
        for name, held in zip(one.columns, one.keys, strict=True):
            own = ((None,) if len(held.codes) and held.codes.min() < 0 else ()) + tuple(held.values)
            if name not in found or own != found[name]:
                found[name] = own if name not in found else in_order({*found[name], *own})
    return found


def coded_facts(cells: Cells, values: Mapping[str, tuple[Hashable, ...]]) -> Facts:
    """Return counted rows as codes of shared values."""
    columns: list[Ints] = []
    for name, held in zip(cells.columns, cells.keys, strict=True):
        every = values[name]
        if every[-len(held.values) :] == tuple(held.values) and len(every) - len(held.values) <= 1:
            columns.append(held.codes.astype(np.int64) + (len(every) - len(held.values)))
            continue
        place = {value: at for at, value in enumerate(every)}
        known = np.array([*(place[value] for value in held.values), place.get(None, -1)], np.int64)
        columns.append(known[held.codes])
    return Facts(cells.columns, np.column_stack(columns) if columns else np.zeros((len(cells), 0), np.int64))


def numbered(codes: Ints) -> tuple[Ints, Ints]:
    """Return the distinct rows, and the number of each row among them; rows without columns are all alike."""
    if codes.shape[1]:
        return distinct_rows(codes)
    return np.zeros((min(len(codes), 1), 0), np.int64), np.zeros(len(codes), np.int64)


def natural_join(facts: Sequence[Facts], most: int) -> tuple[tuple[str, ...], Ints, list[Ints]]:
    """Return the natural join of all views, and for each of its rows the number of the fact of every view."""
    columns, rows = facts[0].columns, facts[0].codes
    numbers = [np.arange(len(rows))]
    for one in facts[1:]:
        shared = [name for name in columns if name in one.columns]
        own = rows[:, [columns.index(name) for name in shared]]
        keys, at = numbered(one.of(shared))
        order = np.argsort(at, kind="stable")
        first = np.searchsorted(at[order], np.arange(len(keys) + 1))
        key = found_among(keys, own) if shared else np.zeros(len(rows), np.int64)
        inside = np.flatnonzero(key >= 0) if len(keys) else np.zeros(0, np.int64)
        many = np.diff(first)[key[inside]] if len(keys) else np.zeros(0, np.int64)
        if many.sum() > most:
            raise Unsupported(
                f"the join of the views has more than {most:,} rows: too many to be looked at",
                thing="view-set",
            )
        left = np.repeat(inside, many)
        ends = np.cumsum(many)
        right = order[np.repeat(first[key[inside]] - (ends - many), many) + np.arange(len(left))]
        fresh = [name for name in one.columns if name not in columns]
        rows = np.column_stack([rows[left], one.of(fresh)[right]]) if fresh else rows[left]
        columns = (*columns, *fresh)
        numbers = [*(number[left] for number in numbers), right]
    return columns, rows, numbers
