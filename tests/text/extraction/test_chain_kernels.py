"""The chain against all sequences of labels, and against the library that trains it."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from sfumato.kernels.arrays import Floats
from sfumato.text.extraction.chain_kernels import best_labels, label_chances, state_scores


def plain_scores(rows: list[list[int]], weights: Floats) -> Floats:
    return np.array([sum((weights[row] for row in one if row >= 0), np.zeros(weights.shape[1])) for one in rows])


def brute_force(scores: Floats, moves: Floats, first: Floats) -> tuple[list[int], Floats]:
    """Return the best sequence and the probability of each label at each place, by all sequences."""
    length, labels = scores.shape
    chances, best = np.zeros((length, labels)), (-np.inf, [0] * length)
    for sequence in product(range(labels), repeat=length):
        value = first[sequence[0]] + sum(scores[at, label] for at, label in enumerate(sequence))
        value += sum(moves[one, other] for one, other in pairwise(sequence))
        best = max(best, (value, [-label for label in sequence]))
        for at, label in enumerate(sequence):
            chances[at, label] += np.exp(value)
    return [-label for label in best[1]], chances / chances.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_all_sequences(length: int) -> None:
    rng = np.random.default_rng(length)
    for forbid in (False, True):
        scores, moves, first = rng.normal(size=(length, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
        if forbid:
            moves[0, 2], first[2] = -np.inf, -np.inf
        labels, chances = brute_force(scores, moves, first)
        assert best_labels(scores, moves, first).tolist() == labels
        assert np.allclose(label_chances(scores, moves, first), chances)


def test_long_sequences_keep_their_scale() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(3000, 4)) * 30
    chances = label_chances(scores, rng.normal(size=(4, 4)), np.zeros(4))
    assert np.isfinite(chances).all()
    assert np.allclose(chances.sum(axis=1), 1)


def test_scores_add_up() -> None:
    rng = np.random.default_rng(1)
    rows, weights = rng.integers(-1, 6, (20, 4)), rng.normal(size=(6, 3))
    assert np.allclose(state_scores(rows, weights), plain_scores(rows.tolist(), weights))
    assert best_labels(np.zeros((0, 3)), np.zeros((3, 3)), np.zeros(3)).tolist() == []


def test_the_library_says_the_same(tmp_path: object) -> None:
    crfsuite = pytest.importorskip("pycrfsuite")
    rng = np.random.default_rng(2)
    items = [[[str(row) for row in rng.integers(0, 8, 3)] for _ in range(6)] for _ in range(30)]
    trainer = crfsuite.Trainer(verbose=False)
    for one in items:
        trainer.append(one, ["AB"["3" in token] for token in one])
    trainer.set_params({"max_iterations": 10})
    trainer.train(f"{tmp_path}/chain")
    tagger = crfsuite.Tagger()
    tagger.open(f"{tmp_path}/chain")
    info, labels = tagger.info(), tagger.labels()
    weights = np.array([[info.state_features.get((str(row), label), 0.0) for label in labels] for row in range(8)])
    moves = np.array([[info.transitions.get((one, other), 0.0) for other in labels] for one in labels])
    for one in items[:5]:
        # crfsuite takes an attribute that is named twice twice
        scores = plain_scores([[int(row) for row in token] for token in one], weights)
        assert [labels[at] for at in best_labels(scores, moves, np.zeros(2))] == tagger.tag(one)
        ours = label_chances(scores, moves, np.zeros(2))
        theirs = [[tagger.marginal(label, at) for label in labels] for at in range(len(one))]
        assert np.allclose(ours, theirs, atol=1e-6)
