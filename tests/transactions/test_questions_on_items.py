"""Questions on sets of items, answered from what is published, and a sweep over k and m."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.transactions import Baskets
from sfumato.transactions.evidence import item_questions, share_holding

TREE = {"ALL": [{"A": ["a1", "a2"]}, {"B": ["b1", "b2", "b3"]}]}


def test_a_node_stands_for_each_item_below_it_alike() -> None:
    shown = Baskets.of([["A", "b1"], ["a1"], ["B"], []])
    shown = type(shown)(shown.starts, shown.codes, shown.items, tree=Tree.from_nested(TREE))
    assert share_holding(shown, "a1").tolist() == [0.5, 1.0, 0.0, 0.0]
    assert share_holding(shown, "b1").tolist() == [1.0, 0.0, pytest.approx(1 / 3), 0.0]


def test_baskets_as_they_are_answer_without_error_and_empty_ones_with_nothing() -> None:
    rng = np.random.default_rng(1)
    baskets = Baskets.of([{name for name in "abcdef" if rng.random() < 0.4} for _ in range(60)])
    assert item_questions(baskets, baskets)["median"] == 0.0
    emptied = item_questions(baskets, baskets.without("abcdef"))
    assert emptied["median"] == 1.0
    assert emptied["above"] == 1.0


def test_a_sweep_over_k_and_m_shows_what_each_costs() -> None:
    rng = np.random.default_rng(2)
    baskets = [{name for name in "abcdefgh" if rng.random() < 0.35} | {"z"} for _ in range(120)]
    asked = {
        "shape": "transactions",
        "items": {"fan_out": 3},
        "requirements": [{"id": "km-anonymity", "k": 2, "m": 1}],
        "algorithm": {"id": "apriori-anonymization"},
    }
    found = sfumato.compare(baskets, asked, algorithms=["apriori-anonymization"], ks=[3, 12], ms=[1, 2])
    assert [(row.k, row.m) for row in found] == [(3, 1), (12, 1), (3, 2), (12, 2)]
    assert all(row.loss is not None and row.queries is not None and row.risk <= 1 / row.k for row in found)
    losses = {(row.k, row.m): row.loss for row in found}
    assert losses[3, 1] <= losses[3, 2]
    assert losses[3, 2] <= losses[12, 2]
    assert all(row.best for row in found)
    assert "k = 12, m = 2" in found.picture()


def test_levels_that_no_requirement_has_are_refused() -> None:
    asked = {"shape": "transactions", "requirements": [{"id": "hkp-coherence", "h": 1, "k": 2, "p": 1}]}
    with pytest.raises(BadRequest, match="no requirement has an m to be varied"):
        sfumato.compare([{"a"}], asked, ms=[2])
    with pytest.raises(BadRequest, match="whole numbers"):
        sfumato.compare([{"a"}], asked, ms=[0])
