"""What masking baskets costs: the quick run ends with claims, values and a picture; what makes no sense is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sfumato.catalogue import build
from sfumato.errors import BadRequest
from sfumato.experiments.basket_utility import _best_cut, _cuts_by_cost
from sfumato.experiments.result import ExperimentResult
from sfumato.transactions import Baskets
from sfumato.transactions.metric import Masked
from sfumato.transactions.metrics import ItemNCP


def test_the_quick_run(quick: Callable[[str], ExperimentResult]) -> None:
    result = quick("basket-utility")
    assert all(claim.holds for claim in result.claims)
    assert {row[1] for row in result.series()} == {
        "top-down partitioning",
        "best global cut",
        "suppression",
        "generalization",
    }


def test_all_cuts_are_tried_and_cost_what_the_metric_says() -> None:
    held = Baskets.of([{"a", "c"}, {"b", "c"}, {"a"}, {"b"}], tree={"*": [{"A": ["a", "b"]}, {"C": ["c", "d"]}]})
    cuts = _cuts_by_cost(held)
    assert len(cuts) == 5
    assert all(cost == pytest.approx(ItemNCP().measure(Masked(held, held.cut(shown))).value) for cost, shown in cuts)
    assert _best_cut(held, cuts, 2) == pytest.approx(4 / 6 * 0.5)


def test_falling_numbers_are_refused() -> None:
    with pytest.raises(BadRequest, match="rising"):
        build({"id": "basket-utility", "ks": [5, 2]}, "experiment")
