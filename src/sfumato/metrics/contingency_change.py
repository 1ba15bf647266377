"""Contingency change: how far shares of values that occur together differ between a raw table and its release."""

from __future__ import annotations

from itertools import combinations
from math import prod, sqrt
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import ComparedMetric, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.groups.compared import ComparedTables, SpreadColumn
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["ContingencyChange", "ContingencyChanges", "CrossedColumns"]

MOST_CELLS = 4_000_000  # cells of a cross; wider ones are left out


@frozen
class CrossedColumns:
    """One cross of columns: half the sum of absolute differences of shares, and Cramér's V of two columns on both sides."""

    columns: tuple[str, ...]
    change: float
    v_before: float | None = None
    v_after: float | None = None


@frozen
class ContingencyChanges(Measured):
    """The mean over all crosses, and each of them; ``skipped`` columns or crosses have too many values."""

    crosses: tuple[CrossedColumns, ...] = ()
    skipped: tuple[str, ...] = ()


class ContingencyChange(ComparedMetric):
    """How far shares of values that occur together differ between a raw table and its release.

    For every set of at most ``size`` columns ``1/2 sum |p - q|`` over the cells of their cross, from 0 (the same table) to
    1; for two columns also Cramér's ``V = sqrt(phi^2 / (min(rows, columns) - 1))`` before and after. A published value is
    spread evenly over the raw values that it covers, one that covers none is a value of its own. The value is the mean over
    the sets.

    Examples
    --------
    >>> import sfumato
    >>> raw = sfumato.from_rows(["sex", "job"], [("m", "x"), ("m", "x"), ("f", "y"), ("f", "y")])
    >>> moved = sfumato.from_rows(["sex", "job"], [("m", "x"), ("m", "y"), ("f", "x"), ("f", "y")])
    >>> found = sfumato.measure(raw, moved, ContingencyChange(), qid=["sex", "job"])
    >>> found.crosses[2]
    CrossedColumns(columns=('sex', 'job'), change=0.5, v_before=1.0, v_after=0.0)
    >>> round(found.value, 6)
    0.166667

    References
    ----------
    Hundepool et al., *Statistical Disclosure Control*, 2012.
    Cramér, *Mathematical Methods of Statistics*, 1946, chapter 21.
    """

    id: ClassVar[str] = "contingency-change"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    size: int = param(default=2, ge=1, le=3, doc="how many columns are crossed at most")

    def applies(self, published: ComparedTables) -> str | None:
        """Need columns whose values can be crossed."""
        return None if published.categories else say("needs.crossed_columns")

    def measure(self, published: ComparedTables) -> ContingencyChanges:
        """Return the change of every cross."""
        crosses, skipped = [], list(published.skipped)
        for size in range(1, self.size + 1):
            for names in combinations(published.categories, size):
                columns = [published.categories[name] for name in names]
                if max(prod(one.spread.shape[side] for one in columns) for side in (0, 1)) > MOST_CELLS:
                    skipped.append(" x ".join(names))
                    continue
                before, after = _before(columns), _after(columns)
                both = (_cramer(before), _cramer(after)) if size == 2 else (None, None)
                crosses.append(CrossedColumns(names, float(np.abs(before - after).sum()) / 2, *both))
        by_cross = {" x ".join(one.columns): one.change for one in crosses}
        mean = sum(by_cross.values()) / max(len(by_cross), 1)
        return ContingencyChanges(self.id, mean, by_cross, 0.0, 1.0, None, None, tuple(crosses), tuple(skipped))


def _counted(codes: list[Ints], shape: tuple[int, ...]) -> Floats:
    """Return the share of each cell."""
    flat = np.ravel_multi_index(tuple(codes), shape)
    return np.bincount(flat, minlength=prod(shape)).reshape(shape) / max(len(flat), 1)


def _before(columns: list[SpreadColumn]) -> Floats:
    return _counted([one.before for one in columns], tuple(one.spread.shape[1] for one in columns))


def _after(columns: list[SpreadColumn]) -> Floats:
    shares = _counted([one.after for one in columns], tuple(one.spread.shape[0] for one in columns))
    for one in columns:  # each turn spreads the first axis and puts it last, so that all are in place at the end
        shares = np.tensordot(shares, one.spread, axes=(0, 0))
    return shares


def _cramer(shares: Floats) -> float:
    """Return Cramér's V of a table of shares; 0 where a column has one value only."""
    shares = shares[shares.sum(axis=1) > 0][:, shares.sum(axis=0) > 0]
    least = min(shares.shape) - 1
    if least < 1:
        return 0.0
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    return sqrt(float(((shares - expected) ** 2 / expected).sum()) / least)
