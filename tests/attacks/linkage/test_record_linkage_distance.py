"""Linkage by distance: the worked example, plain enumeration of assignments, and tables that are not paired."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.attacks.linkage._assignment import LARGEST, first_assignment
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, SfumatoError

RAW = [(1, 10), (2, 20), (3, 30)]
NOISY = [(1, 14), (3, 21), (2, 30)]


def linked(published: Any, raw: Any, columns: list[str], **more: Any) -> Any:
    known = {name: more.pop(name) for name in ("qid", "hierarchies") if name in more}
    return sfumato.attack(
        sfumato.from_rows(columns, published),
        {"id": "record-linkage-distance", **more},
        raw=sfumato.from_rows(columns, raw),
        **{"qid": columns, **known},
    )


def test_the_worked_example() -> None:
    found = linked(NOISY, RAW, ["a", "b"])
    assert found.per_victim.tolist() == [1.0, 0.0, 0.5]
    assert (found.risk, found.mean) == (0.5, 0.5)
    found = linked(NOISY, RAW, ["a", "b"], method="one-to-one")
    assert (found.total, found.own) == (pytest.approx(0.575), pytest.approx(0.625))
    assert found.risk == pytest.approx(1 / 3)


def test_keys_pair_rows_in_any_order_and_subsets() -> None:
    raw = [(*row, name) for row, name in zip(RAW, "xyz", strict=True)]
    noisy = [(*row, name) for row, name in zip(NOISY, "xyz", strict=True)]
    for method in ("nearest", "one-to-one"):
        plain = linked(NOISY, RAW, ["a", "b"], method=method)
        turned = linked(noisy[::-1], raw, ["a", "b", "who"], qid=["a", "b"], key="who", method=method)
        assert turned.per_victim.tolist() == plain.per_victim.tolist()[::-1]
        assert plain.warnings
        assert not turned.warnings
    few = linked(noisy[:1], raw, ["a", "b", "who"], qid=["a", "b"], key="who", method="one-to-one")
    assert few.per_victim.tolist() == [1.0]


def test_distances_of_categories_trees_intervals_and_gaps() -> None:
    # The own record differs in one category of two, the other in both.
    assert linked([("m", "x"), ("f", "y")], [("m", "z"), ("f", "y")], ["s", "t"]).own == 0.5
    tree = {
        "value": "*",
        "children": [{"value": "north", "children": ["a", "b"]}, {"value": "south", "children": ["c", "d"]}],
    }
    found = linked([("north",), ("d",), ("d",)], [("a",), ("d",), ("b",)], ["p"], hierarchies={"p": tree})
    assert found.own == 0.5 + 0.0 + 1.0
    assert found.per_victim.tolist() == [0.5, 1.0, 0.0]
    # [10-20) counts as 15; what is missing lies 1 away, but 0 from what is missing, too.
    assert linked([("[10-20)",), ("30",)], [(10,), (30,)], ["n"]).own == 0.25
    assert linked([(None,), (3,), (None,)], [(None,), (3,), (5,)], ["n"]).per_victim.tolist() == [1.0, 1.0, 0.0]


def test_weights_decide() -> None:
    assert linked(NOISY, RAW, ["a", "b"], weights={"a": 0}).risk == 1.0
    assert linked(NOISY, RAW, ["a", "b"], weights={"b": 0}).risk == pytest.approx(1 / 3)


def test_the_first_of_the_cheapest_assignments() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        rows = int(rng.integers(1, 6))
        costs = rng.integers(0, 3, (rows, rows + int(rng.integers(0, 2))))
        ways = itertools.permutations(range(costs.shape[1]), rows)
        best = min(ways, key=lambda way: (sum(costs[at, to] for at, to in enumerate(way)), way))
        assert first_assignment(costs, Run()).tolist() == list(best)


def test_bad_requests_say_what_to_do() -> None:
    with pytest.raises(BadRequest, match="name a key"):
        linked(NOISY[:2], RAW, ["a", "b"])
    for more, word in (
        ({"key": "c"}, "not a column"),
        ({"key": "b", "qid": ["a"]}, "lacks"),
        ({"key": "b"}, "cannot be linked by"),
        ({"weights": {"c": 1}}, "no column to link by"),
        ({"weights": {"a": -1}}, "numbers >= 0"),
        ({"weights": "three"}, "must map"),
        ({"weights": {"a": 0, "b": 0}}, "all be 0"),
        ({"method": "guess"}, "method"),
    ):
        with pytest.raises(SfumatoError, match=word):
            linked(NOISY, RAW, ["a", "b"], **more)
    with pytest.raises(BadRequest, match="once"):
        linked([(1, "x"), (2, "x")], [(1, "x"), (2, "x")], ["a", "who"], qid=["a"], key="who")
    many = [(number,) for number in range(LARGEST + 1)]
    with pytest.raises(BadRequest, match="at most"):
        linked(many, many, ["a"], method="one-to-one")
    assert linked(many, many, ["a"]).risk == 1.0
