"""Band matrix: baskets in an order in which those that share items are near each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.recodings._band_kernels import cuthill_mckee, shared_degrees

__all__ = ["Band", "BandMatrix", "BandOrder", "bandwidth"]

_EXACT_WORK = 4_000_000_000  # pairs of baskets that share an item, looked at once for each item


@frozen
class Band:
    """How far ones lie from the diagonal of a matrix: above it, below it."""

    upper: int
    lower: int

    @property
    def bandwidth(self) -> int:
        """``upper + lower + 1``."""
        return self.upper + self.lower + 1


@frozen(eq=False)
class BandOrder:
    """Places of baskets and names of public items in the order of the band, and the band before and after."""

    rows: Ints
    columns: tuple[str, ...]
    before: Band
    after: Band


def bandwidth(rows: Sequence[Collection[str]], columns: Sequence[str]) -> Band:
    """Return the band of baskets and items in a given order; items that are no columns are left aside.

    >>> bandwidth([{"wine"}, {"wine", "beer"}], ["beer", "wine"])
    Band(upper=1, lower=1)
    """
    place = {name: at for at, name in enumerate(columns)}
    if len(place) < len(columns):
        raise BadRequest("must name every item once", parameter="columns")
    off = [place[name] - at for at, row in enumerate(rows) for name in row if name in place]
    return Band(max([0, *off]), max([0, *(-one for one in off)]))


class BandMatrix(Thing):
    """Baskets in an order in which those that share public items are near each other.

    In the 0/1 matrix of baskets (i) by public items (j) let U be the largest ``j - i`` and L the largest ``i - j`` over its
    ones; the bandwidth ``U + L + 1`` is to be small, which is NP-complete. Rows are put in the reverse order of Cuthill and
    McKee on the graph of baskets that share an item: breadth first from a basket of least degree, neighbours by rising
    degree, ties in the order of the input, part by part, all reversed. The graph is never formed: the search goes from
    baskets to items and back. Columns go by the mean place of their ones, then their first, then their name. Where counting
    who shares an item with whom would take billions of looks, the sum of supports stands for the degree.

    Examples
    --------
    >>> baskets = Baskets.of([{"wine", "meat"}, {"cream"}, {"meat"}, {"cream", "fruit"}])
    >>> order = BandMatrix().order(baskets)
    >>> order.rows.tolist(), order.columns, order.before.bandwidth, order.after.bandwidth
    ([3, 1, 2, 0], ('fruit', 'cream', 'meat', 'wine'), 7, 3)

    References
    ----------
    Cuthill, McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969, doi:10.1145/800195.805928.
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", 2008, doi:10.1109/ICDE.2008.4497480.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.3.1. The header of its
    Table 13.2 is that of Table 13.3.
    """

    id: ClassVar[str] = "band-matrix"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    def order(self, baskets: Baskets) -> BandOrder:
        """Return baskets and public items in the order of the band."""
        public = baskets.without(baskets.private)
        rows = self.rows(public)
        place = np.empty(len(rows), np.int64)
        place[rows] = np.arange(len(rows))
        at = place[public.owners]
        mean = np.bincount(public.codes, at, len(public.items)) / np.maximum(public.supports, 1)
        first = np.full(len(public.items), len(rows), np.int64)
        np.minimum.at(first, public.codes, at)
        columns = np.lexsort((np.arange(len(public.items)), first, mean))
        column = np.empty(len(columns), np.int64)
        column[columns] = np.arange(len(columns))
        before = _band(public.codes - public.owners)
        names = tuple(public.items[one] for one in columns.tolist())
        return BandOrder(rows, names, before, _band(column[public.codes] - at))

    def rows(self, public: Baskets) -> Ints:
        """Return the places of baskets, all of whose items count, in reverse Cuthill-McKee order."""
        tids = public.owners[np.argsort(public.codes, kind="stable")]
        tid_starts = np.concatenate([[0], np.cumsum(public.supports)])
        arrays = (public.starts, public.codes, tid_starts, tids)
        if int((public.supports**2).sum()) <= _EXACT_WORK:
            degrees = shared_degrees(*arrays)
        else:
            sums = np.bincount(public.owners, (public.supports - 1)[public.codes], len(public))
            degrees = np.minimum(sums, len(public)).astype(np.int64)
        order: Ints = cuthill_mckee(*arrays, degrees)
        return order[::-1].copy()


def _band(off: Ints) -> Band:
    return Band(max(0, int(off.max(initial=0))), max(0, int((-off).max(initial=0))))
