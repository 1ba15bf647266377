"""Game-theoretic release: the example of spec 09, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.published import PublishedStats
from sfumato.groups.stats import GroupStats
from sfumato.metrics import PublisherPayout
from sfumato.models import NoAttack, Profitability

GAME: dict[str, float] = {"gain": 60, "cost": 25}
PAYS: dict[str, float] = {"benefit": 100, "loss": 300, **GAME}
DOMAIN = np.array([4.0, 2.0])
COVER = np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]])
GROUPS = GroupStats.from_sizes([3, 2, 1])


def test_the_worked_example() -> None:
    published = PublishedStats(6, 0, GROUPS, group_cover=COVER, cover_domain=DOMAIN)
    metric = PublisherPayout(**PAYS)
    assert metric.payouts(published) == pytest.approx([100, 100 / 3 - 150, -200])
    assert NoAttack(**GAME).least_size() == 3
    alone = replace(published, suppressed=3, groups=GROUPS.taken(np.array([0])), group_cover=COVER[:1])
    assert (metric.measure(alone).value, metric.measure(alone).highest) == (300, 600)
    known = replace(GROUPS, lost=np.array([0, 2 / 3, 0]))
    verdict = Profitability(**PAYS).check(known)
    assert [found.group for found in verdict.violations] == [(2,), (1,)]
    assert Profitability(**PAYS).check(known.taken(np.array([0])))


@pytest.mark.parametrize(
    ("gain", "cost", "ours", "arx"), [(60, 25, 3, 3), (60, 20, 3, 4), (1.1, 0.1, 11, 12), (0, 0, 1, 1), (0.3, 7, 1, 1)]
)
def test_where_nothing_is_gained_nobody_attacks(gain: float, cost: float, ours: int, arx: int) -> None:
    assert NoAttack(gain=gain, cost=cost).least_size() == ours
    assert NoAttack(gain=gain, cost=cost, as_arx=True).least_size() == arx


def test_a_journalist_counts_people() -> None:
    sample, everybody = from_rows(["q"], [("a",), ("b",), ("b",)]), from_rows(["q"], [("a",)] * 3 + [("b",)] * 2)
    model = NoAttack(**GAME, attacker="journalist")
    (verdict,) = sfumato.check(sample, model, qid=["q"], external=everybody)
    assert [(found.group, found.measured) for found in verdict.violations] == [(("b",), 2)]
    with pytest.raises(BadRequest, match="external"):
        sfumato.check(sample, model, qid=["q"])
    with pytest.raises(Unsupported, match="optimal"):
        model.check(GROUPS)
    estimated = NoAttack(**GAME, attacker="journalist", population=12).check(GROUPS)
    assert [found.measured for found in estimated.violations] == [2]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"benefit": 0}, "benefit"),
        ({"loss": -1}, "loss"),
        ({"gain": -1}, "gain"),
        ({"cost": -0.5}, "cost"),
        ({"population": 10}, "population"),
        ({"attacker": "marketer"}, "attacker"),
        ({"qid": ()}, "qid"),
    ],
)
def test_refusals(wrong: Mapping[str, Any], named: str) -> None:
    with pytest.raises(BadRequest) as refused:
        Profitability(**{**PAYS, **wrong})
    assert refused.value.parameter == f"profitability.{named}"
    with pytest.raises(BadRequest, match="costs nothing"):
        NoAttack(gain=1, cost=0)
