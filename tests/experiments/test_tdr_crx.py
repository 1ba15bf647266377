"""The crx experiment against figure 9(a) of Fung, Wang, Yu 2007."""

from __future__ import annotations

import pytest

from sfumato.experiments.tdr_crx import TdrCrx

pytestmark = pytest.mark.usefixtures("public_data")


def test_top7_holds_to_300_and_collapses_after() -> None:
    result = TdrCrx().run(tops=(5, 7), ks=(20, 300, 400))
    held = {claim.what: claim.holds for claim in result.claims}
    assert held == {
        "BE": True,
        "UE, Top7": True,
        "largest AE-BE, Top7, k <= 300, points": True,
        "AE rises sharply above k=300, Top7": True,
        "Top5, Top7 alike, k <= 300": True,
        "AE < BE for some k, Top7": False,
    }
    (_, top7) = result.curves
    assert (top7.baseline.n_test, len(top7.qid)) == (188, 7)
    assert top7.largest_cost(300) < 4  # type: ignore[operator]
    assert top7.points[-1].error.rate == top7.upper.rate


@pytest.mark.parametrize("min_leaf", [5, 10, 20, 50])
def test_the_claim_does_not_hang_on_the_leaf_size(min_leaf: int) -> None:
    (curve,) = TdrCrx().run(tops=(7,), ks=(20, 100, 300), min_leaf=min_leaf).curves
    assert curve.largest_cost(300) < 4  # type: ignore[operator]


def test_another_classifier_is_measured_but_not_compared() -> None:
    result = TdrCrx().run(classifier="naive-bayes", tops=(7,), ks=(20,))
    assert result.claims == ()
    assert result.curves[0].baseline.classifier.startswith("naive Bayes")
