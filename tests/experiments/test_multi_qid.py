"""Several quasi-identifiers against their union: requirements as the paper draws them, both ways met, honest verdicts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.experiments.multi_qid import MultiQid, random_requirement
from sfumato.experiments.result import ExperimentResult

NAMES = tuple("abcdefghijklmn")


def test_requirements_are_drawn_as_the_paper_says() -> None:
    rng = np.random.default_rng(0)
    drawn = [random_requirement(NAMES, rng) for _ in range(400)]
    assert {len(qids[0]) for qids in drawn} == set(range(2, 10))
    assert {len(qids) for qids in drawn} <= set(range(1, 8))
    assert sum(3 <= len(qids) <= 7 for qids in drawn) > 390  # repeated ones are dropped now and then
    for qids in drawn:
        assert len(set(qids)) == len(qids)
        assert len({len(qid) for qid in qids}) == 1
        assert all(len(set(qid)) == len(qid) and set(qid) <= set(NAMES) for qid in qids)


@pytest.mark.parametrize("option", [{"requirements": 0}, {"k": 0}, {"min_leaf": 0}, {"seed": -1}])
def test_refusals(option: dict[str, int]) -> None:
    with pytest.raises(BadRequest) as refused:
        MultiQid().run(**option)
    assert refused.value.parameter == f"multi-qid.{next(iter(option))}"


@pytest.mark.usefixtures("public_data")
def test_quick_run(tmp_path: Path, quick: Callable[[str], ExperimentResult]) -> None:
    result = quick("multi-qid")
    assert len(result.series()) == 2
    for row in result.series():
        several, union, saved = float(row[4]), float(row[5]), float(row[6])
        assert saved == pytest.approx(union - several, abs=0.011)
        assert 14 < several < 25
        assert row[-1] == "15060"
    better = sum(float(row[6]) > 0 for row in result.series())
    assert result.claims[0].measured.startswith(f"{better} of 2")
    folder = result.save(tmp_path / "out")
    root = ElementTree.parse(folder / "plot.svg").getroot()
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 4
    assert (folder / "errors.csv").read_text().splitlines()[0].startswith("requirement,QIDs")
    assert "saved" in result.to_text()


@pytest.mark.usefixtures("public_data")
@pytest.mark.parametrize("count", [6, pytest.param(30, marks=pytest.mark.nightly)])
def test_most_requirements_favour_several(count: int) -> None:
    result = MultiQid().run(requirements=count)
    assert [claim.holds for claim in result.claims] == [True, True]
