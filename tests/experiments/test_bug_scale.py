"""The scale experiment of Wang, Yu, Chakraborty 2004: tables of the right shape, both searches alike, no bar on time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.experiments.bug_scale import BugScale, coded_adult, enlarged, run_coded


def test_declares_itself() -> None:
    assert BugScale.__module__ == "sfumato.experiments.bug_scale"
    assert BugScale.id == "bug-scale"
    assert "doi:10.1109/ICDM.2004.10110" in (BugScale.__doc__ or "")
    assert all(sentence.endswith(".") for sentence in BugScale.deviations)
    assert BugScale.from_spec(BugScale(ks=(2, 3)).spec()) == BugScale(ks=(2, 3))


@pytest.mark.parametrize("option", [{"ks": (0,)}, {"sigmas": (0,)}, {"rhos": (8,)}, {"rho": 0}, {"k": 0}])
def test_refuses_wrong_options(option: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as refused:
        BugScale().run(**option)  # type: ignore[arg-type]
    assert refused.value.parameter == f"bug-scale.{next(iter(option))}"


def test_refuses_nothing_at_all() -> None:
    with pytest.raises(BadRequest):
        BugScale().run(ks=(), sigmas=(), rhos=())


@pytest.mark.usefixtures("public_data")
def test_enlarged_table() -> None:
    once = coded_adult()
    twice = enlarged(once, sigma=2, rho=3, seed=1)
    assert len(once.codes) == 45_222
    assert (twice.codes[:45_222] == once.codes).all()
    assert (twice.codes[45_222:, -1] == once.codes[:, -1]).all()
    changed = (twice.codes[45_222:, :-1] != once.codes[:, :-1]).sum(axis=1)
    assert changed.max() == 3
    run = run_coded(twice, k=50)
    assert run.vids == len(np.unique(twice.codes[:, :-1], axis=0))
    assert run.smallest >= 50


@pytest.mark.usefixtures("public_data")
def test_result(tmp_path: Path) -> None:
    result = BugScale().run(ks=(10, 50), sigmas=(1, 2), rhos=(3,), k=50, sigma=2)
    claims = {claim.what: claim.holds for claim in result.claims}
    assert claims["pruning changes no step"]
    assert claims["longest search of all"]
    assert len(result.series()) == 5
    assert [row[4] for row in result.series()] == ["90,444", "90,444", "45,222", "90,444", "90,444"]
    assert result.to_svg().count("Time against") == 3
    assert "Times in seconds" in (result.save(tmp_path / "out") / "summary.txt").read_text(encoding="utf-8")
