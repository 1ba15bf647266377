"""Privacy loss of a mining result: how much more often the best guess of a secret is right once the result is released."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits, ReleaseMetric
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["MinedResult", "MiningResultPrivacyLoss"]


@frozen(eq=False)
class MinedResult:
    """Codes of persons: equal ``public`` codes look alike, ``secret`` is to be learnt, ``told`` is what the result says.

    ``known`` flags persons whose secret is known anyway.
    """

    public: Ints
    secret: Ints
    told: Ints
    known: Bools

    @classmethod
    def of(
        cls,
        public: Sequence[Hashable],
        secret: Sequence[Hashable],
        told: Sequence[Hashable],
        known: Sequence[bool] | None = None,
    ) -> MinedResult:
        """Return what values stand for; all have one entry for each person."""
        flags = np.zeros(len(secret), np.bool_) if known is None else np.asarray(known, np.bool_)
        if not len(secret) or {len(public), len(told), len(flags)} != {len(secret)}:
            raise BadRequest("must have one entry for each of at least one person", parameter="result")
        return cls(_coded(public), _coded(secret), _coded(told), flags)


class MiningResultPrivacyLoss(ReleaseMetric[MinedResult]):
    """By how much the error of the best predictor of a sensitive value falls when a mining result is released.

    Three errors: ``public``, guessing from public attributes alone; ``result``, also from what the released classifier or rules
    say of the person, which may draw on attributes that are not public; ``known``, also with the secrets of some persons known,
    the error being that over all others. The value is ``public - result``. Without ``folds`` the predictor is the best there
    is on these very records, ``1 - sum over groups of max count / n``: exact, and too sure of itself where groups are small.
    With ``folds`` it learns the most frequent value of each group (of the whole, where a group is new) from the other parts.

    Examples
    --------
    >>> found = MinedResult.of(["a", "a", "a", "a"], ["x", "x", "y", "y"], [0, 0, 0, 1])
    >>> loss = MiningResultPrivacyLoss().measure(found)
    >>> loss.value, dict(loss.by_attribute)
    (0.25, {'public': 0.5, 'result': 0.25, 'known': 0.25})

    References
    ----------
    Kantarcioglu, Jin, Clifton, "When do data mining results violate privacy?", 2004, doi:10.1145/1014052.1014126.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.2.
    """

    id: ClassVar[str] = "mining-result-privacy-loss"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    folds: int = param(
        default=0, ge=0, doc="parts of a cross-validation; 0 asks for the best predictor of these records"
    )

    def measure(self, published: MinedResult) -> Measured:
        """Return the loss, and the three errors."""
        nobody = np.zeros(len(published.secret), np.bool_)
        both = published.public * (int(published.told.max()) + 1) + published.told
        errors = {
            "public": self._error(published.public, published.secret, nobody),
            "result": self._error(both, published.secret, nobody),
            "known": self._error(both, published.secret, published.known),
        }
        lost = errors["public"] - errors["result"]
        return Measured(self.id, lost, errors, lowest=0.0, highest=1.0, denominator=len(published.secret))

    def _error(self, groups: Ints, secret: Ints, known: Bools) -> float:
        """Return the share of wrong guesses about those whose secret is not known."""
        asked = ~known
        if not asked.any():
            return 0.0
        if self.folds < 2:
            return 1 - _most_frequent(groups[asked], secret[asked]) / int(asked.sum())
        part, wrong = np.arange(len(groups)) % self.folds, 0
        for one in range(self.folds):
            learnt, tried = (part != one) | known, (part == one) & asked
            guesses, usual = _learnt(groups[learnt], secret[learnt])
            pairs = zip(groups[tried].tolist(), secret[tried].tolist(), strict=True)
            wrong += sum(guesses.get(group, usual) != value for group, value in pairs)
        return wrong / int(asked.sum())


def _counts(groups: Ints, secret: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the pairs of group and secret that occur, and how often."""
    span = int(secret.max(initial=0)) + 1
    pairs, counts = np.unique(groups * span + secret, return_counts=True)
    return pairs // span, pairs % span, counts


def _most_frequent(groups: Ints, secret: Ints) -> int:
    """Return how many records carry the most frequent secret of their group."""
    group, _, counts = _counts(groups, secret)
    order = np.lexsort((-counts, group))
    first = np.ones(len(order), np.bool_)
    first[1:] = np.diff(group[order]) > 0
    return int(counts[order][first].sum())


def _learnt(groups: Ints, secret: Ints) -> tuple[dict[int, int], int]:
    """Return the most frequent secret of each group, the smallest code of several, and that of the whole."""
    if not len(groups):
        return {}, -1
    group, value, counts = _counts(groups, secret)
    order = np.lexsort((-value, counts, group))  # the last entry of a group wins
    usual = int(np.bincount(secret).argmax())
    return dict(zip(group[order].tolist(), value[order].tolist(), strict=True)), usual


def _coded(values: Sequence[Hashable]) -> Ints:
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(value, len(places)) for value in values], np.int64)
