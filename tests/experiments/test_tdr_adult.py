"""The Adult experiment against the figures of Fung, Wang, Yu 2007, section V-A, and our own acceptance targets."""

from __future__ import annotations

import pytest

from sfumato.experiments.claims import OWN_TARGET
from sfumato.experiments.result import ExperimentResult
from sfumato.experiments.tdr_adult import TdrAdult

pytestmark = pytest.mark.usefixtures("public_data")


def verdicts(result: ExperimentResult) -> dict[tuple[str, str], bool]:
    return {(claim.figure, claim.what): claim.holds for claim in result.claims}


def test_suppression_top7() -> None:
    result = TdrAdult().run(figures=("5",), tops=(7,), ks=(60, 500))
    (curve,) = result.curves
    assert (curve.baseline.n_test, curve.qid[0]) == (15_060, "capital-gain")
    # Printed: BE 14.7, UE 21.5; our bars: UE within 0.5 points, AE-BE at most 3 points.
    assert curve.baseline.percent == pytest.approx(14.7, abs=0.5)
    assert curve.upper.percent == pytest.approx(21.5, abs=0.5)
    assert curve.largest_cost(1000) <= 3.0  # type: ignore[operator]
    held = verdicts(result)
    assert held["Fig. 5", "nothing left of, Top7, k=500"]
    assert held["Fig. 7", "education-num is cut at 13, Top7, k=60, Fig. 5"]


def test_claims_need_their_curve() -> None:
    result = TdrAdult().run(figures=("6b",), tops=(5,), ks=(500,))
    assert [claim.what for claim in result.claims] == ["longest masking of the table, without reading and writing"]
    assert "AE < BE" not in result.to_text().split("What is known")[0]


def test_a_sample_of_the_figures_says_what_the_whole_says() -> None:
    held = verdicts(TdrAdult().run(figures=("6a", "6b"), tops=(7,), ks=(500,)))
    assert held["Fig. 6(a)", "nothing left of, Top7, k=500"]
    assert not held["Fig. 6(b)", "BE"]


@pytest.mark.nightly
def test_all_figures() -> None:
    result = TdrAdult().run(tops=(5, 7))
    held = verdicts(result)
    assert all(claim.holds for claim in result.claims if claim.figure == OWN_TARGET)
    assert len([claim for claim in result.claims if claim.figure == OWN_TARGET]) == 4
    expected = {
        ("Fig. 5", "UE, Top7"): True,
        ("Fig. 5", "largest AE-BE, Top7, k <= 1000, points"): False,  # 2.76 against < 2.5
        ("Fig. 5", "AE is not monotone in k, Top7: it falls"): True,
        ("Fig. 6(a)", "nothing left of, Top7, k=500"): True,
        ("Fig. 6(a)", "largest AE-BE, Top7, k <= 600, points"): False,  # 2.74 against < 2
        ("Fig. 6(b)", "BE"): False,  # 19.27 against 18.07
        ("Fig. 6(b)", "largest AE-BE, Top7, k <= 1000, points"): True,
        ("Fig. 6(b)", "AE < BE, Top5"): True,
        ("Fig. 6(b)", "AE < BE, Top7"): False,  # up to k=100
    }
    # What fails is written down in the deviations; a claim that starts to hold must be taken out of them.
    assert {key: held[key] for key in expected} == expected
