"""Invented networks: three ways to be linked, the same for the same seed."""

from __future__ import annotations

from collections import Counter

import pytest

from sfumato.datasets import network
from sfumato.errors import BadRequest


@pytest.mark.parametrize("model", ["preferential", "rmat", "communities"])
@pytest.mark.parametrize("persons", [5, 40, 300])
def test_pairs_are_different_persons_and_no_pair_is_there_twice(model: str, persons: int) -> None:
    rows = network(persons, seed=3, model=model).to_rows()
    assert rows == network(persons, seed=3, model=model).to_rows()
    assert len({frozenset(row) for row in rows}) == len(rows)
    assert all(one != other for one, other in rows)
    assert len({name for row in rows for name in row}) <= persons
    if persons == 300:
        assert rows != network(persons, seed=4, model=model).to_rows()
        degrees = Counter(name for row in rows for name in row)
        assert 4 < sum(degrees.values()) / persons <= 6.1
        # Few know many where links attract links; nobody stands out by far where groups were drawn evenly.
        assert (max(degrees.values()) > 25) == (model != "communities")


def test_another_model_is_refused() -> None:
    with pytest.raises(BadRequest, match="not a model of networks"):
        network(50, model="small world")
