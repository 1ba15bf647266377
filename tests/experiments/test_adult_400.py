"""The experiment with owners who ask, on 400 records of Adult: what is claimed, what is drawn, what must hold."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.experiments.adult_400 import DISEASES, EDUCATION, MARITAL, Adult400, _drawn


def test_declares_itself() -> None:
    assert Adult400.id == "adult-400"
    assert all(sentence.endswith(".") for sentence in Adult400.deviations)
    assert Adult400.from_spec(Adult400(seeds=2).spec()) == Adult400(seeds=2)


@pytest.mark.parametrize("option", [{"shares": ()}, {"shares": (1.5,)}, {"ks": (0,)}, {"ls": ()}, {"seeds": 0}])
def test_refuses_wrong_options(option: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        Adult400().run(**option)
    assert refused.value.parameter == f"adult-400.{next(iter(option))}"


def test_draws() -> None:
    assert sum(share for share, _ in DISEASES.values()) == pytest.approx(1)
    diseases, numbers = _drawn(3, 4000)
    for disease, (share, _) in DISEASES.items():
        assert diseases.count(disease) / 4000 == pytest.approx(share, abs=0.03)
    again, same = _drawn(3, 4000)
    assert diseases == again
    assert (numbers == same).all()
    assert Tree.from_nested(EDUCATION).height == 3
    assert Tree.from_nested(MARITAL).height == 2


@pytest.mark.usefixtures("public_data")
def test_result() -> None:
    result = Adult400().run(seeds=1, shares=(0.2, 0.05), ks=(5,), ls=(2,))
    rows = {row[0]: row for row in result.series()}
    assert set(rows) >= {"20% ask, th_disc 0.2", "5% ask, th_disc 0.2", "5-anonymity", "2-diversity, 5 % left out"}
    distortion = {name: float(row[2]) for name, row in rows.items() if row[2]}
    # Fewer who ask cost less, and both cost less than masking everybody.
    assert distortion["5% ask, th_disc 0.2"] < distortion["20% ask, th_disc 0.2"] < distortion["5-anonymity"]
    held = {claim.what: claim.holds for claim in result.claims}
    assert held["distortion is lower, 5% ask, th_disc 0.2"]
    assert held["distortion over the least of k-anonymity without suppression"]
    assert "<svg" in result.to_svg()
