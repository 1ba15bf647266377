"""The comparison with the genetic algorithm, small: protocol, claims, text and plot. The full run takes many minutes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sfumato.datasets import adult
from sfumato.errors import BadRequest
from sfumato.experiments.claims import OWN_TARGET
from sfumato.experiments.ga_comparison import GaComparison
from sfumato.experiments.result import ExperimentResult

QUICK = {"rows": 2000, "folds": 2, "ks": (10, 200), "evaluations": 150, "population": 30}


@pytest.fixture(scope="module")
def result(public_data: Path) -> ExperimentResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SFUMATO_DATA", str(public_data))
        return GaComparison().run(**QUICK)


def test_every_record_is_tested_once_in_every_way(result: ExperimentResult) -> None:
    assert [curve.figure for curve in result.curves] == ["TDR", "TDR leaving out", "genetic CM", "genetic LM"]
    for curve in result.curves:
        assert [point.k for point in curve.points] == [10, 200]
        assert [point.error.n_test for point in curve.points] == [2000, 2000]
        assert len(curve.qid) == 8
        assert curve.baseline == result.curves[0].baseline


def test_without_any_column_the_most_frequent_class_is_predicted(result: ExperimentResult) -> None:
    classes = Counter(adult("train").part(0, 2000).values("class"))
    assert result.curves[0].upper.rate == 1 - max(classes.values()) / 2000
    assert result.curves[0].baseline.rate < result.curves[0].upper.rate


def test_claims_name_time_and_error(result: ExperimentResult) -> None:
    claims = {(claim.figure, claim.what): claim for claim in result.claims}
    ratio = claims[OWN_TARGET, "least search time, genetic over TDR"]
    _, tdr, *genetic = result.curves
    least = min(
        slow.seconds / quick.seconds for curve in genetic for slow, quick in zip(curve.points, tdr.points, strict=True)
    )
    assert ratio.measured == f"{least:.2f}"
    gap = claims[OWN_TARGET, "AE of TDR leaving out minus genetic CM, mean over k, points"]
    pairs = zip(tdr.points, genetic[0].points, strict=True)
    mean = sum(a.error.percent - b.error.percent for a, b in pairs) / 2
    assert gap.difference == pytest.approx(mean)
    assert gap.holds == (mean <= 0)
    assert ("book 6.6", "BE") in claims


def test_text_and_plot(result: ExperimentResult, tmp_path: Path) -> None:
    text = result.to_text()
    assert "Seconds of search, mean over folds, TDR" in text
    assert "Records left out of training, genetic LM" in text
    assert "8 columns" in text
    result.save(tmp_path / "out")
    titles = {t.text for t in ElementTree.parse(tmp_path / "out" / "plot.svg").iter("{http://www.w3.org/2000/svg}text")}
    assert {"Fig. 10", "BE", "AE TDR", "AE TDR leaving out", "AE genetic CM", "AE genetic LM"} <= titles


def test_same_seed_same_errors(public_data: Path) -> None:
    small = {**QUICK, "rows": 600, "ks": (5,), "evaluations": 40, "min_leaf": 5}
    first, again, other = (GaComparison().run(**small, seed=seed).series() for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("option", [{"ks": ()}, {"ks": (0,)}, {"folds": 1}, {"evaluations": 0}, {"rows": 10}])
def test_refuses_wrong_options(option: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as refused:
        GaComparison().run(**option)
    assert refused.value.parameter == f"ga-comparison.{next(iter(option))}"
