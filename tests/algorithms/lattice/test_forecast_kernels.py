"""Kernels that say which node to count next against loops over all nodes."""

from __future__ import annotations

from itertools import product
from math import exp, inf
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms.lattice._forecast import log_odds
from sfumato.algorithms.lattice._forecast_kernels import apart, best_guess, count_below, expected


class Drawn:
    """A small lattice whose nodes are open or settled, with random guesses."""

    def __init__(self, seed: int, columns: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.shape = tuple(int(count) for count in self.rng.integers(1, 5, columns))
        self.strides = np.array([int(np.prod(self.shape[i + 1 :])) for i in range(columns)], np.int64)
        self.nodes = list(product(*(range(count) for count in self.shape)))
        self.numbers = self.random()
        self.numbers[self.rng.random(len(self.nodes)) < 0.4] = inf
        self.weights = np.where(self.numbers < inf, self.random(), 0.0)
        self.step = self.rng.integers(0, 3, len(self.nodes))

    def random(self) -> Any:
        return self.rng.random(len(self.nodes))

    def below(self, step: int, place: int) -> float:
        """Add up the weights of the nodes of a step that lie at or below a place."""
        high = self.nodes[place]
        return sum(
            float(self.weights[at])
            for at, node in enumerate(self.nodes)
            if self.step[at] == step and all(a <= b for a, b in zip(node, high, strict=True))
        )


DRAWN = st.builds(Drawn, st.integers(0, 9999), st.integers(1, 4))


@given(DRAWN)
@settings(max_examples=50, deadline=None)
def test_weights_of_nodes_below_are_added_up_by_step(drawn: Drawn) -> None:
    found = count_below(drawn.weights, drawn.step, 3, drawn.strides, np.array(drawn.shape, np.int64))
    wanted = [[drawn.below(step, place) for step in range(3)] for place in range(len(drawn.nodes))]
    assert np.allclose(found, wanted, rtol=1e-5)


@given(DRAWN, st.integers(0, 3))
@settings(max_examples=50, deadline=None)
def test_a_node_settles_those_below_it_that_it_leaves_out_enough_for(drawn: Drawn, over: int) -> None:
    guess, odds = 4 * drawn.random() - 2, np.array([-1.0, 0.0, 1.0])
    counted, known = drawn.random() < 0.2, drawn.random() < 0.3
    below = count_below(drawn.weights, drawn.step, 3, drawn.strides, np.array(drawn.shape, np.int64))
    found = expected(drawn.weights, below, guess, odds, 0.5, counted, known, over)
    for place in range(len(drawn.nodes)):
        steps = range(3) if not known[place] else range(over)
        likely = [min(max(0.5 + (guess[place] - odds[step]) / 2, 0), 1) for step in range(3)]
        gain = sum(drawn.below(step, place) * likely[step] for step in steps)
        gain = max(gain, drawn.weights[place])
        assert np.isclose(found[place], 0 if counted[place] else gain, rtol=1e-5)


@given(DRAWN, st.floats(0.2, 3))
@settings(max_examples=50, deadline=None)
def test_the_best_guess_is_open_allowed_and_cheapest(drawn: Drawn, best: float) -> None:
    guess, base, rate = 4 * drawn.random() - 2, drawn.random(), drawn.random() / 100
    costs = base + rate * 100 / (1 + np.array([exp(-odds) for odds in guess]))
    costs[(drawn.numbers == inf) | (guess > 1) | (costs >= best)] = inf
    wanted = int(costs.argmin()) if costs.min() < inf else -1
    assert best_guess(drawn.numbers, guess, base, rate, 100.0, 1.0, best) == wanted


@given(DRAWN, st.integers(1, 6))
@settings(max_examples=50, deadline=None)
def test_chosen_nodes_share_little(drawn: Drawn, most: int) -> None:
    gains = drawn.random()
    places = np.flatnonzero(gains > 0.2)
    wanted: list[int] = []
    while len(wanted) < most:
        own = {}
        for place in places.tolist():
            meets = [
                np.minimum(drawn.nodes[place], drawn.nodes[chosen]) @ drawn.strides if place != chosen else None
                for chosen in wanted
            ]
            if None not in meets:
                own[place] = gains[place] - max((gains[int(meet)] for meet in meets if meet is not None), default=0.0)
        best = max(own, key=own.__getitem__, default=None)
        if best is None or own[best] <= 0 or (wanted and 2 * own[best] < gains[wanted[0]]):
            break
        wanted.append(best)
    assert apart(gains, drawn.numbers, places, drawn.strides, most).tolist() == wanted


def test_log_odds_stay_finite() -> None:
    assert log_odds(0, 100) == log_odds(0.5, 100)
    assert log_odds(100, 100) == log_odds(99.5, 100)
    assert np.isclose(log_odds(0, 100), -log_odds(100, 100))
    assert log_odds(75, 100) > log_odds(50, 100) == 0
