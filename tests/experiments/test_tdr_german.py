"""The German credit experiment against figure 9(b) of Fung, Wang, Yu 2007; the single split has no bar, see deviations."""

from __future__ import annotations

import pytest

from sfumato.experiments.tdr_german import TdrGerman

pytestmark = pytest.mark.usefixtures("public_data")


def test_split_alone() -> None:
    result = TdrGerman().run(tops=(7,), ks=(20, 1000), repeats=0)
    (curve,) = result.curves
    assert curve.baseline.n_test == 334
    # Asking for groups of all records masks everything, which is the same as leaving the columns out.
    assert curve.points[-1].error.rate == curve.upper.rate
    assert not any("Cross-validated" in line for line in result.setting)


def test_cross_validated_cost_is_below_four_points() -> None:
    result = TdrGerman().run(tops=(7,), ks=(20, 100), repeats=2)
    split, validated = result.curves
    assert (split.baseline.repeats, validated.baseline.repeats, validated.baseline.n_test) == (0, 2, 1000)
    assert validated.baseline.percent == pytest.approx(28.8, abs=2 * 100 * validated.baseline.standard_error)
    assert validated.largest_cost(100) < 4  # type: ignore[operator]
    assert validated.baseline.spread is not None


def test_same_seed_same_errors() -> None:
    first, again, other = (
        TdrGerman().run(tops=(5,), ks=(100,), repeats=1, folds=3, seed=seed).series() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
