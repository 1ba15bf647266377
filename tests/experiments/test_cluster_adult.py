"""Clusters of Adult before and after masking: settings, means, verdicts, and that labels of the raw clusters help."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from sfumato.errors import BadRequest
from sfumato.experiments.cluster_adult import ClusterAdult, _rank_correlation


@pytest.mark.parametrize(
    "option", [{"clusters": (1,)}, {"clusters": ()}, {"seeds": ()}, {"seeds": (-1,)}, {"ks": (0,)}, {"records": 5}]
)
def test_refusals(option: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as refused:
        ClusterAdult().run(**option)  # type: ignore[arg-type]
    assert refused.value.parameter == f"cluster-adult.{next(iter(option))}"


def test_rank_correlation() -> None:
    assert _rank_correlation([(1, 5.0), (2, 6.0), (3, 9.0)]) == pytest.approx(1)
    assert _rank_correlation([(1, 9.0), (2, 6.0), (3, 5.0)]) == pytest.approx(-1)
    assert _rank_correlation([(1, 1.0), (1, 2.0), (2, 1.0), (2, 2.0)]) == pytest.approx(0)
    assert _rank_correlation([(1, 1.0), (2, 1.0)]) == 0


@pytest.mark.usefixtures("public_data")
def test_quick_run(tmp_path: Path) -> None:
    result = ClusterAdult().run(records=3000, clusters=(3,), ks=(50,), tops=(5, 7), seeds=(0, 1))
    rows = {row[2]: row for row in result.series()}
    assert set(rows) == {"Top5", "Top7", "Top7 in three"}
    for row in result.series():
        assert all(0 < float(cell) <= 1 for cell in row[3:])
    held = {claim.what: claim.holds for claim in result.claims}
    assert held["guided search keeps more than unguided, mean F"]
    guided, unguided = (sum(float(rows[qid][at]) for qid in ("Top5", "Top7")) / 2 for at in (3, 4))
    gain = result.claims[0].measured
    assert float(gain) == pytest.approx(guided - unguided, abs=2e-4)
    assert not any("falls with k" in what for what in held)  # one k shows no fall
    folder = result.save(tmp_path / "out")
    titles = {text.text for text in ElementTree.parse(folder / "plot.svg").iter("{http://www.w3.org/2000/svg}text")}
    assert {"Top7, guided", "Top7, unguided"} <= titles


def test_what_does_not_agree_is_said() -> None:
    assert ClusterAdult.deviations
    assert all(sentence.endswith(".") for sentence in ClusterAdult.deviations)
