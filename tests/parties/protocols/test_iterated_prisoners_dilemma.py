"""Games of contributing and not."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.parties.protocols import (
    CommunicationCost,
    IteratedPrisonersDilemma,
    QidReachability,
    RationalParticipation,
)


def test_whoever_forgives_always_contributes_always() -> None:
    game = IteratedPrisonersDilemma(generosity=1)
    assert game.play("gtft", "all-d", rounds=3).moves == ("CD", "CD", "CD")
    assert IteratedPrisonersDilemma(generosity=0).play("gtft", "all-d", rounds=3).moves == ("CD", "DD", "DD")


def test_generous_players_find_back_and_strict_ones_do_not() -> None:
    game, rng = IteratedPrisonersDilemma(generosity=0.3), np.random.default_rng(0)
    assert game.play("gtft", "gtft", rounds=100, rng=rng).payoffs == (500, 500)
    picture = game.picture(rounds=100, rng=rng)
    assert all(0 <= value <= 1 for row in picture.values for value in row if value is not None)


def test_other_payoffs_have_other_equilibria() -> None:
    assert IteratedPrisonersDilemma(cc=(5, 5), cd=(0, 3), dc=(3, 0), dd=(2, 2)).equilibria() == ["CC", "DD"]


@pytest.mark.parametrize("rounds", [-1, 10**7])
def test_rounds_that_cannot_be_played_are_refused(rounds: int) -> None:
    with pytest.raises(BadRequest):
        IteratedPrisonersDilemma().play("tft", "tft", rounds=rounds)


def test_chance_needs_a_generator() -> None:
    with pytest.raises(BadRequest, match="generator"):
        IteratedPrisonersDilemma().play("gtft", "tft", rounds=1)


def test_numbers_that_mean_nothing_are_refused() -> None:
    for wrong in (lambda: CommunicationCost().messages(1, 1), lambda: CommunicationCost().instruction_bytes(-1, 2)):
        with pytest.raises(BadRequest):
            wrong()
    with pytest.raises(BadRequest):
        RationalParticipation().of({"alone": (1.0, 0.0)})
    with pytest.raises(BadRequest):
        RationalParticipation().acts_as({})
    with pytest.raises(BadRequest, match="no holder"):
        QidReachability().of({"a": "A"}, [["b"]])
    nothing = RationalParticipation().of({"a": (0.0, 0.0), "b": (0.0, 0.0)})
    assert nothing["a"].share == nothing["a"].gap == 0
