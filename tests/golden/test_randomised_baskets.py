"""Baskets that clients randomise: transitions of partial supports, and the operator that keeps the most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.transactions.models.rho1_to_rho2 import Rho1ToRho2
from sfumato.transactions.perturbations.select_a_size import SelectASize, best_operator


def test_transitions(golden: Callable[..., Any]) -> None:
    with golden("06-select-a-size-1") as file:
        asked = file.input
        operator = SelectASize(p=asked["p"], rho=asked["rho"])
        assert operator.size == asked["m"]
        file.compare(operator.transition(asked["itemset_size"]).tolist(), "transition_matrix_rows_true_overlap")
        file.compare(operator.retention, "retention_probability_of_an_item_of_t")
        file.compare(operator.rho, "insertion_probability_of_an_item_not_in_t")
        file.compare(round(operator.kept, 12), "expected_kept_items")


def test_best_operator(golden: Callable[..., Any]) -> None:
    with golden("06-select-a-size-2") as file:
        asked = file.input
        model = Rho1ToRho2(rho1=asked["rho1"], rho2=asked["rho2"])
        best = best_operator(asked["m"], asked["rho"], model.calibrate()["gamma"])
        file.compare(model.gamma_limit, "gamma_limit")
        file.compare(list(best.operator.p), "p")
        file.compare(best.objective, "objective")
        file.compare(best.threshold, "threshold_j")
        file.compare(best.operator.amplification, "max_amplification")
        assert model.audit(best.operator.amplification).satisfied
