"""Verdicts: who is right within which tolerance."""

from __future__ import annotations

import pytest

from sfumato.experiments.claims import OWN_TARGET, bound_claim, error_claim, fact_claim, points_claim
from sfumato.utility.classification import ErrorRate


@pytest.mark.parametrize(
    "rate, n_test, holds, word",
    [
        (0.1476, 15060, True, "reproduced within 0.5 points"),
        (0.1476 + 0.012, 15060, False, "not reproduced"),
        (0.1476 + 0.012, 200, True, "two standard errors"),
    ],
)
def test_errors(rate: float, n_test: int, holds: bool, word: str) -> None:
    claim = error_claim("Fig. 5", "BE", 14.7, ErrorRate(rate, n_test, "tree"))
    assert claim.holds is holds
    assert word in claim.verdict
    assert claim.difference == pytest.approx(100 * rate - 14.7)


@pytest.mark.parametrize(
    "measured, strict, holds", [(2.5, False, True), (2.5, True, False), (2.4, True, True), (2.6, False, False)]
)
def test_bounds(measured: float, strict: bool, holds: bool) -> None:
    claim = bound_claim("Fig. 5", "AE-BE", 2.5, measured, strict=strict)
    assert claim.holds is holds
    assert claim.verdict.startswith("reproduced" if holds else "not reproduced: off by")


def test_own_targets_are_met_not_reproduced() -> None:
    assert bound_claim(OWN_TARGET, "UE-AE", 3.0, 3.5, at_least=True).verdict == "met"
    assert bound_claim(OWN_TARGET, "UE-AE", 3.0, 2.5, at_least=True).verdict == "missed: off by 0.50"


def test_differences_of_errors() -> None:
    assert points_claim("Fig. 6(a)", "AE-BE", 2.0, 2.3).holds
    assert not points_claim("Fig. 6(a)", "AE-BE", 2.0, 2.74).holds


def test_facts_have_no_difference() -> None:
    claim = fact_claim("Fig. 7", "is cut at", "13", ["[1-13)", "[13-16]"], True)
    assert claim.cells == ("Fig. 7", "is cut at", "13", "[1-13), [13-16]", "", "reproduced")
    assert fact_claim("Fig. 7", "falls", "yes", [], False).measured == "none"
