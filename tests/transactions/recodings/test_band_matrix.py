"""The band order is a permutation, and that of Cuthill and McKee on the graph of baskets that share an item."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.transactions import Baskets
from sfumato.transactions.recodings import band_matrix
from sfumato.transactions.recodings._band_kernels import cuthill_mckee, shared_degrees
from sfumato.transactions.recodings.band_matrix import BandMatrix, bandwidth

sets = st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=4), max_size=14)


def plain_order(baskets: list[frozenset[str]]) -> list[int]:
    """Return the reverse Cuthill-McKee order by forming the whole graph."""
    n = len(baskets)
    near = [[b for b in range(n) if b != a and baskets[a] & baskets[b]] for a in range(n)]
    order: list[int] = []
    for first in sorted(range(n), key=lambda a: (len(near[a]), a)):
        if first in order:
            continue
        order.append(first)
        head = order.index(first)
        while head < len(order):
            order += sorted((b for b in near[order[head]] if b not in order), key=lambda b: (len(near[b]), b))
            head += 1
    return order[::-1]


@given(baskets=sets)
def test_the_order_is_that_of_the_whole_graph(baskets: list[frozenset[str]]) -> None:
    found = BandMatrix().order(Baskets.of(baskets))
    assert found.rows.tolist() == plain_order(baskets)
    assert found.after == bandwidth([baskets[at] for at in found.rows], found.columns)
    assert found.before == bandwidth(baskets, sorted(set().union(*baskets)))


@given(baskets=sets)
def test_kernels_and_their_plain_twins(baskets: list[frozenset[str]]) -> None:
    data = Baskets.of(baskets)
    tids = data.owners[np.argsort(data.codes, kind="stable")]
    arrays = (data.starts, data.codes, np.concatenate([[0], np.cumsum(data.supports)]), tids)
    degrees = shared_degrees(*arrays)
    near = [sum(a != b and bool(baskets[a] & baskets[b]) for b in range(len(baskets))) for a in range(len(baskets))]
    assert degrees.tolist() == near == shared_degrees.py_func(*arrays).tolist()
    compiled = cuthill_mckee(*arrays, degrees)
    assert compiled.tolist() == cuthill_mckee.py_func(*arrays, degrees).tolist()


def test_large_data_take_sums_of_supports_for_degrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(band_matrix, "_EXACT_WORK", 0)
    found = BandMatrix().order(Baskets.of([{"a", "b"}, {"b", "c"}, {"c", "d"}]))
    assert sorted(found.rows.tolist()) == [0, 1, 2]


def test_columns_are_named_once() -> None:
    with pytest.raises(BadRequest, match="once"):
        bandwidth([{"a"}], ["a", "a"])
