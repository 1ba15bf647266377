"""Classification error: how well a recipient can still predict a column from what was published.

Train on one part of a table, count the errors on the other. Three errors tell what masking cost and what it saved: ``BE``
on the raw table, ``AE`` on the masked one, ``UE`` on the raw one without its quasi-identifiers. ``AE - BE`` is the price of
privacy, ``UE - AE`` what masking is worth over leaving the columns out. Masking removes noise too: ``AE`` may lie below ``BE``.

References: Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", 2007, section V,
doi:10.1109/TKDE.2007.1015; Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 6.7.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from statistics import NormalDist

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Array, Bools, Floats, Ints
from sfumato.utility.classifiers import Classifier, DecisionTree, Judged, NaiveBayes, Scoring
from sfumato.utility.features import KINDS, ColumnKind, Columns, Features, Mask, coded, listed, lower_bound

__all__ = [
    "Classifier",
    "ColumnKind",
    "DecisionTree",
    "ErrorRate",
    "Errors",
    "NaiveBayes",
    "area_under_curve",
    "classification_error",
    "classification_errors",
    "fold_numbers",
    "lower_bound",
    "pooled",
    "repeated_error",
]


@frozen
class ErrorRate:
    """Share of test records predicted wrongly, and what is needed to judge the figure.

    ``repeats`` counts the cross-validations that were averaged (0 for a single split) and ``spread`` is the standard
    deviation between them. ``zero`` is the share that the most frequent class has of the test records, which a rule without any
    column gets right, and ``auc`` the mean over classes of the area under the ROC curve, where the classifier gives scores.

    >>> error = ErrorRate(rate=0.2, n_test=400, classifier="decision tree")
    >>> error.standard_error
    0.02
    """

    rate: float
    n_test: int
    classifier: str
    repeats: int = 0
    spread: float | None = None
    zero: float | None = field(default=None, compare=False)
    auc: float | None = field(default=None, compare=False)

    @property
    def percent(self) -> float:
        """The rate in per cent."""
        return 100 * self.rate

    @property
    def standard_error(self) -> float:
        """Binomial standard error ``sqrt(p (1 - p) / n_test)``; averaging over repeats adds no new records."""
        return math.sqrt(self.rate * (1 - self.rate) / self.n_test)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return Wilson's confidence interval of the rate; unlike the standard error it is not empty at 0 and 1.

        >>> low, high = ErrorRate(rate=0.2, n_test=400, classifier="decision tree").interval()
        >>> round(low, 4), round(high, 4)
        (0.1637, 0.242)
        """
        if not 0 < confidence < 1:
            raise BadRequest("must be > 0 and < 1", parameter="confidence", value=confidence)
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        n, p = self.n_test, self.rate
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        # Rounding must not put the rate itself outside.
        return max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half))


@frozen
class Errors:
    """The three errors of a release."""

    baseline: ErrorRate
    anonymity: ErrorRate
    upper: ErrorRate

    @property
    def cost(self) -> float:
        """``AE - BE``: what masking costs the recipient; may be negative."""
        return self.anonymity.rate - self.baseline.rate

    @property
    def benefit(self) -> float:
        """``UE - AE``: what masked columns are worth over no columns."""
        return self.upper.rate - self.anonymity.rate

    @property
    def relative_accuracy(self) -> float | None:
        """``(a - zero) / (a_raw - zero)``, which share of what raw columns teach is left; ``None`` if they teach nothing.

        ``a`` are the shares that are right on the release and on raw data, ``zero`` is what the zero rule gets right there.
        """
        if self.baseline.zero is None:
            return None
        taught = 1 - self.baseline.rate - self.baseline.zero
        return (1 - self.anonymity.rate - self.baseline.zero) / taught if taught > 0 else None


def area_under_curve(scores: Floats, positive: Bools) -> float:
    """Return the chance that a positive record scores above a negative one, ties counting one half.

    >>> import numpy as np
    >>> scores = np.array([0.9, 0.6, 0.4, 0.8, 0.4, 0.2, 0.1])
    >>> round(area_under_curve(scores, np.arange(7) < 3), 6)
    0.791667
    """
    above = int(positive.sum())
    below = len(positive) - above
    if not above or not below:
        raise BadRequest("needs records of the class and records of others", parameter="positive")
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place.reshape(-1)]  # the mean rank of those that tie
    return float((ranks[positive].sum() - above * (above + 1) / 2) / (above * below))


def classification_error(
    columns: Columns,
    kinds: Mapping[str, ColumnKind],
    *,
    target: str,
    train: int | Array,
    classifier: Classifier | None = None,
    without: Iterable[str] = (),
) -> ErrorRate:
    """Return the error of a classifier trained on one part of the rows and tested on the rest.

    ``BE`` is this error of the raw columns, ``AE`` of the masked ones, ``UE`` of the raw ones ``without`` the
    quasi-identifiers.

    Parameters
    ----------
    columns
        All columns by name, the target among them.
    kinds
        What each column but the target is: ``number``, ``interval`` (labels such as ``[17-39)``) or ``category``.
    target
        The column to predict.
    train
        How many leading rows are the training part, or a mask of them.
    classifier
        :class:`DecisionTree` by default.
    without
        Columns the classifier may not see. If none is left it predicts the most frequent class.

    Raises
    ------
    BadRequest
        If columns, kinds or parts do not fit together, or scikit-learn is not installed.
    """
    features, classes, mask = _checked(columns, kinds, target, train, without)
    chosen: Classifier = classifier if classifier is not None else DecisionTree()
    known = np.unique(classes[mask])
    tested, area = classes[~mask], None
    if features and len(known) > 1 and isinstance(chosen, Scoring):
        judged = chosen.judge(features, classes, mask)
        predicted, area = judged.predicted, _mean_area(judged, tested)
    elif features and len(known) > 1:
        predicted = chosen.predict(features, classes, mask)
    else:  # nothing to learn from, or nothing to tell apart
        predicted = np.full(len(tested), np.bincount(classes[mask]).argmax(), np.int64)
    n_test = len(predicted)
    return ErrorRate(
        rate=int((predicted != tested).sum()) / n_test,
        n_test=n_test,
        classifier=str(chosen),
        zero=int(np.bincount(tested).max()) / n_test,
        auc=area,
    )


def _mean_area(judged: Judged, tested: Ints) -> float | None:
    """Return the mean over the classes that were tested, each against the rest; ``None`` if there is one class only."""
    areas = [
        area_under_curve(judged.scores[:, at], tested == number)
        for at, number in enumerate(judged.known.tolist())
        if 0 < np.count_nonzero(tested == number) < len(tested)
    ]
    return float(np.mean(areas)) if areas else None


def classification_errors(
    raw: Columns,
    masked: Columns,
    *,
    raw_kinds: Mapping[str, ColumnKind],
    masked_kinds: Mapping[str, ColumnKind],
    qid: Sequence[str],
    target: str,
    train: int | Array,
    classifier: Classifier | None = None,
) -> Errors:
    """Return ``BE``, ``AE`` and ``UE`` of a release whose rows are in the order of the raw table.

    The table is masked as a whole and split afterwards, as a recipient of one published file would split it.
    """
    return Errors(
        classification_error(raw, raw_kinds, target=target, train=train, classifier=classifier),
        classification_error(masked, masked_kinds, target=target, train=train, classifier=classifier),
        classification_error(raw, raw_kinds, target=target, train=train, classifier=classifier, without=qid),
    )


def fold_numbers(rows: int, folds: int, rng: np.random.Generator) -> Ints:
    """Return a fold number for each row: folds of equal size up to one row, at random.

    Errors that are compared should be measured on the same folds.
    """
    if not 2 <= folds <= rows:
        raise BadRequest(f"must be from 2 to the {rows} rows", parameter="folds", value=folds)
    return rng.permutation(np.arange(rows, dtype=np.int64) % folds)


def pooled(parts: Sequence[ErrorRate]) -> ErrorRate:
    """Return the error over several test parts together, such as the folds of one cross-validation.

    >>> pooled([ErrorRate(0.5, 2, "tree"), ErrorRate(0.0, 6, "tree")]).rate
    0.125
    """
    records = sum(part.n_test for part in parts)
    wrong = sum(round(part.rate * part.n_test) for part in parts)
    means = [_mean_of([(getattr(part, name), part.n_test) for part in parts]) for name in ("zero", "auc")]
    return ErrorRate(wrong / records, records, parts[0].classifier, zero=means[0], auc=means[1])


def _mean_of(parts: Sequence[tuple[float | None, int]]) -> float | None:
    """Return the mean by numbers of records; ``None`` if no part is known."""
    known = [(value, number) for value, number in parts if value is not None]
    return sum(value * number for value, number in known) / sum(number for _, number in known) if known else None


def repeated_error(
    columns: Columns,
    kinds: Mapping[str, ColumnKind],
    *,
    target: str,
    folds: Sequence[Ints],
    classifier: Classifier | None = None,
    without: Iterable[str] = (),
) -> ErrorRate:
    """Return the mean error of repeated cross-validation; each entry of ``folds`` is one repeat, see :func:`fold_numbers`.

    For small tables, where the error of one split says little.
    """
    if not folds:
        raise BadRequest("needs at least one repeat", parameter="folds", value=0)
    without = tuple(without)
    rates = []
    for numbers in folds:
        parts = [
            classification_error(
                columns, kinds, target=target, train=numbers != fold, classifier=classifier, without=without
            )
            for fold in np.unique(numbers)
        ]
        rates.append(sum(part.rate * part.n_test for part in parts) / len(numbers))
    return ErrorRate(
        rate=float(np.mean(rates)),
        n_test=len(folds[0]),
        classifier=parts[0].classifier,
        repeats=len(folds),
        spread=float(np.std(rates, ddof=1)) if len(rates) > 1 else None,
    )


def _checked(
    columns: Columns,
    kinds: Mapping[str, ColumnKind],
    target: str,
    train: int | Array,
    without: Iterable[str],
) -> tuple[Features, Ints, Mask]:
    left_out = set(without)
    for name, parameter in [(target, "target"), *((name, "without") for name in sorted(left_out))]:
        if name not in columns:
            raise BadRequest("is not a column", parameter=parameter, value=name, available=columns)
    rows = len(columns[target])
    features = []
    for name, values in columns.items():
        if len(values) != rows:
            raise BadRequest(f"has {len(values)} values, the target has {rows}", column=name)
        if name == target or name in left_out:
            continue
        if kinds.get(name) not in KINDS:
            raise BadRequest(
                "needs a kind", column=name, parameter="kinds", value=kinds.get(name, "nothing"), available=KINDS
            )
        features.append((name, kinds[name], listed(values)))
    if isinstance(train, np.ndarray):
        if train.shape != (rows,) or train.dtype != np.bool_:
            raise BadRequest(f"must be a mask of the {rows} rows", parameter="train", value=str(train.shape))
        mask = np.asarray(train, np.bool_)
    else:
        mask = np.arange(rows) < train
    if mask.all() or not mask.any():
        raise BadRequest(
            f"must leave rows on both sides of the {rows}", parameter="train", value=int(mask.sum()) if rows else 0
        )
    return features, coded(listed(columns[target]))[0], mask
