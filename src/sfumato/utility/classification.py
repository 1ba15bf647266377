"""Classification error: how well a recipient can still predict a column from what was published.

Train on one part of a table, count the errors on the other. Three errors tell what masking cost and what it saved: ``BE``
on the raw table, ``AE`` on the masked one, ``UE`` on the raw one without its quasi-identifiers. ``AE - BE`` is the price of
privacy, ``UE - AE`` what masking is worth over leaving the columns out. Masking removes noise too: ``AE`` may lie below ``BE``.

References: Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", 2007, section V,
doi:10.1109/TKDE.2007.1015; Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 6.7.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sfumato.errors import BadRequest

__all__ = [
    "Classifier",
    "ColumnKind",
    "DecisionTree",
    "ErrorRate",
    "Errors",
    "NaiveBayes",
    "classification_error",
    "classification_errors",
    "fold_numbers",
    "lower_bound",
    "repeated_error",
]

ColumnKind = Literal["number", "interval", "category"]
KINDS: tuple[ColumnKind, ...] = ("number", "interval", "category")
Columns: TypeAlias = "Mapping[str, Sequence[Any] | npt.NDArray[Any]]"
Mask = npt.NDArray[np.bool_]
Features = Sequence[tuple[str, ColumnKind, list[Any]]]

_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_INTERVAL = re.compile(rf"[\[(]({_NUMBER})(?:-|\.\.)({_NUMBER})[\])]", re.IGNORECASE)


@dataclass(frozen=True)
class ErrorRate:
    """Share of test records predicted wrongly, and what is needed to judge the figure.

    ``repeats`` counts the cross-validations that were averaged (0 for a single split) and ``spread`` is the standard
    deviation between them.

    >>> error = ErrorRate(rate=0.2, n_test=400, classifier="decision tree")
    >>> error.standard_error
    0.02
    """

    rate: float
    n_test: int
    classifier: str
    repeats: int = 0
    spread: float | None = None

    @property
    def percent(self) -> float:
        """The rate in per cent."""
        return 100 * self.rate

    @property
    def standard_error(self) -> float:
        """Binomial standard error ``sqrt(p (1 - p) / n_test)``; averaging over repeats adds no new records."""
        return math.sqrt(self.rate * (1 - self.rate) / self.n_test)


@dataclass(frozen=True)
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


class Classifier(Protocol):
    """Learns from the training rows and predicts the others; its text names it with all its settings."""

    def predict(self, features: Features, target: npt.NDArray[np.int64], train: Mask) -> npt.NDArray[np.int64]:
        """Return the predicted class number of every row outside the training part."""


@dataclass(frozen=True)
class DecisionTree:
    """A binary tree that splits by entropy and keeps ``min_leaf`` records in each leaf.

    Categories become one yes-or-no column for each value of the training part, an interval becomes its lower bound.
    """

    min_leaf: int = 50
    seed: int = 0

    def __str__(self) -> str:
        return f"decision tree (entropy, at least {self.min_leaf} records in a leaf, seed {self.seed})"

    def predict(self, features: Features, target: npt.NDArray[np.int64], train: Mask) -> npt.NDArray[np.int64]:
        """Return the predicted class number of every row outside the training part."""
        tree = _sklearn("tree").DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=self.min_leaf, random_state=self.seed
        )
        matrix = np.column_stack([_as_numbers(name, kind, values, train) for name, kind, values in features])
        tree.fit(matrix[train], target[train])
        return np.asarray(tree.predict(matrix[~train]), np.int64)


@dataclass(frozen=True)
class NaiveBayes:
    """Counts each value of each column for each class, with Laplace smoothing.

    Categories and intervals are values as they stand; other numbers fall into ``bins`` classes of about equal size, cut at
    the quantiles of the training part.
    """

    bins: int = 10

    def __str__(self) -> str:
        return f"naive Bayes (categories, numbers in {self.bins} training quantiles)"

    def predict(self, features: Features, target: npt.NDArray[np.int64], train: Mask) -> npt.NDArray[np.int64]:
        """Return the predicted class number of every row outside the training part."""
        coded = [_as_codes(name, kind, values, train, self.bins) for name, kind, values in features]
        matrix = np.column_stack([codes for codes, _ in coded])
        bayes = _sklearn("naive_bayes").CategoricalNB(min_categories=[size for _, size in coded])
        bayes.fit(matrix[train], target[train])
        return np.asarray(bayes.predict(matrix[~train]), np.int64)


def classification_error(
    columns: Columns,
    kinds: Mapping[str, ColumnKind],
    *,
    target: str,
    train: int | npt.NDArray[Any],
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
    if features:
        predicted = chosen.predict(features, classes, mask)
    else:
        predicted = np.full(int((~mask).sum()), np.bincount(classes[mask]).argmax(), np.int64)
    n_test = len(predicted)
    return ErrorRate(rate=int((predicted != classes[~mask]).sum()) / n_test, n_test=n_test, classifier=str(chosen))


def classification_errors(
    raw: Columns,
    masked: Columns,
    *,
    raw_kinds: Mapping[str, ColumnKind],
    masked_kinds: Mapping[str, ColumnKind],
    qid: Sequence[str],
    target: str,
    train: int | npt.NDArray[Any],
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


def fold_numbers(rows: int, folds: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a fold number for each row: folds of equal size up to one row, at random.

    Errors that are compared should be measured on the same folds.
    """
    if not 2 <= folds <= rows:
        raise BadRequest(f"must be from 2 to the {rows} rows", parameter="folds", value=folds)
    return rng.permutation(np.arange(rows, dtype=np.int64) % folds)


def repeated_error(
    columns: Columns,
    kinds: Mapping[str, ColumnKind],
    *,
    target: str,
    folds: Sequence[npt.NDArray[np.int64]],
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


def lower_bound(label: str, *, column: str = "") -> float:
    """Return the lower bound of an interval label.

    >>> lower_bound("[17-39)"), lower_bound("[-5..3)"), lower_bound("[1e-05-0.5]")
    (17.0, -5.0, 1e-05)
    """
    match = _INTERVAL.fullmatch(str(label))
    if match is None:
        raise BadRequest("is not an interval such as [17-39)", column=column or None, value=str(label))
    return float(match.group(1))


def _checked(
    columns: Columns,
    kinds: Mapping[str, ColumnKind],
    target: str,
    train: int | npt.NDArray[Any],
    without: Iterable[str],
) -> tuple[Features, npt.NDArray[np.int64], Mask]:
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
        features.append((name, kinds[name], _listed(values)))
    if isinstance(train, np.ndarray):
        if train.shape != (rows,) or train.dtype != np.bool_:
            raise BadRequest(f"must be a mask of the {rows} rows", parameter="train", value=str(train.shape))
        mask = train
    else:
        mask = np.arange(rows) < train
    if mask.all() or not mask.any():
        raise BadRequest(
            f"must leave rows on both sides of the {rows}", parameter="train", value=int(mask.sum()) if rows else 0
        )
    return features, _codes(_listed(columns[target]))[0], mask


def _listed(values: Sequence[Any] | npt.NDArray[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _codes(values: list[Any]) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Number the values in an order that depends on nothing but themselves."""
    domain = sorted(Counter(values), key=lambda value: (type(value).__name__, str(value)))
    position = {value: number for number, value in enumerate(domain)}
    return np.fromiter((position[value] for value in values), np.int64, len(values)), domain


def _floats(name: str, values: list[Any]) -> npt.NDArray[np.float64]:
    try:
        numbers = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise BadRequest("holds values that are not numbers", column=name, parameter="kinds", value="number") from None
    if np.isnan(numbers).any():
        raise BadRequest("has missing values; drop those records first", column=name)
    return numbers


def _lower_bounds(name: str, values: list[Any]) -> npt.NDArray[np.float64]:
    bounds = {label: lower_bound(label, column=name) for label in Counter(values)}
    return np.fromiter((bounds[label] for label in values), np.float64, len(values))


def _as_numbers(name: str, kind: ColumnKind, values: list[Any], train: Mask) -> npt.NDArray[np.float32]:
    # The tree works in single precision, so nothing is lost by building its matrix in it.
    if kind == "number":
        return _floats(name, values).astype(np.float32)[:, None]
    if kind == "interval":
        return _lower_bounds(name, values).astype(np.float32)[:, None]
    codes, domain = _codes(values)
    # Values that only the test part holds give the tree nothing to learn: they are "no" everywhere.
    hot = np.zeros((len(values), len(domain)), np.float32)
    hot[np.arange(len(values)), codes] = 1
    return hot[:, np.bincount(codes[train], minlength=len(domain)) > 0]


def _as_codes(
    name: str, kind: ColumnKind, values: list[Any], train: Mask, bins: int
) -> tuple[npt.NDArray[np.int64], int]:
    """Return a code for each row and the number of codes; the domain is that of the whole published file."""
    if kind != "number":
        codes, domain = _codes(values)
        return codes, len(domain)
    numbers = _floats(name, values)
    edges = np.unique(np.quantile(numbers[train], np.linspace(0, 1, bins + 1)[1:-1]))
    return np.searchsorted(edges, numbers, side="right").astype(np.int64), len(edges) + 1


def _sklearn(module: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise BadRequest(
            "needs scikit-learn, which is not installed: pip install sfumato[experiments]", parameter="classifier"
        ) from None
