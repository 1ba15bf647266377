"""The classifiers that are trained on raw and on released data: a tree, naive Bayes, a logistic regression, two ensembles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Array, Floats, Ints
from sfumato.utility.features import Features, Mask, as_codes, as_matrix, sklearn

__all__ = [
    "CLASSIFIERS",
    "Classifier",
    "DecisionTree",
    "GradientBoosting",
    "Judged",
    "LogisticRegression",
    "NaiveBayes",
    "RandomForest",
    "Scoring",
    "classifier_of",
]

Classes = Ints


class Classifier(Protocol):
    """Learns from the training rows and predicts the others; its text names it with all its settings."""

    def predict(self, features: Features, target: Classes, train: Mask) -> Classes:
        """Return the predicted class number of every row outside the training part."""


@frozen(eq=False)
class Judged:
    """What a classifier says of the test records: the class of each and, class by class, how much speaks for it.

    ``scores`` has a column for each of ``known``, the classes of the training part.
    """

    predicted: Classes
    scores: Floats
    known: Classes


class Scoring(ABC):
    """A classifier that also scores classes: what it predicts is part of how it judges."""

    @abstractmethod
    def judge(self, features: Features, target: Classes, train: Mask) -> Judged:
        """Return the predicted class of every row outside the training part, and its scores."""

    def predict(self, features: Features, target: Classes, train: Mask) -> Classes:
        """Return the predicted class number of every row outside the training part."""
        return self.judge(features, target, train).predicted


@frozen
class DecisionTree(Scoring):
    """A binary tree that splits by entropy and keeps ``min_leaf`` records in each leaf.

    Categories become one yes-or-no column for each value of the training part, an interval becomes its lower bound.
    """

    min_leaf: int = 50
    seed: int = 0

    def __str__(self) -> str:
        return say("classifier.tree", min_leaf=self.min_leaf, seed=self.seed)

    def judge(self, features: Features, target: Classes, train: Mask) -> Judged:
        """Return the predicted class of every row outside the training part, and its scores."""
        tree = sklearn("tree").DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=self.min_leaf, random_state=self.seed
        )
        return _fitted(tree, as_matrix(features, train), target, train)


@frozen
class NaiveBayes(Scoring):
    """Counts each value of each column for each class, with Laplace smoothing.

    Categories and intervals are values as they stand; other numbers fall into ``bins`` classes of about equal size, cut at
    the quantiles of the training part.
    """

    bins: int = 10

    def __str__(self) -> str:
        return say("classifier.bayes", bins=self.bins)

    def judge(self, features: Features, target: Classes, train: Mask) -> Judged:
        """Return the predicted class of every row outside the training part, and its scores."""
        coded = [as_codes(name, kind, values, train, self.bins) for name, kind, values in features]
        matrix = np.column_stack([codes for codes, _ in coded])
        bayes = sklearn("naive_bayes").CategoricalNB(min_categories=[size for _, size in coded])
        return _fitted(bayes, matrix, target, train)


@frozen
class LogisticRegression(Scoring):
    """A linear model of the log odds, with a quadratic penalty; columns are scaled to mean 0 and variance 1 before.

    The scale is that of the training part. Columns become numbers as for the decision tree.
    """

    penalty: float = 1.0

    def __str__(self) -> str:
        return say("classifier.regression", penalty=self.penalty)

    def judge(self, features: Features, target: Classes, train: Mask) -> Judged:
        """Return the predicted class of every row outside the training part, and its scores."""
        matrix = as_matrix(features, train).astype(np.float64)
        spread = matrix[train].std(axis=0)
        matrix = (matrix - matrix[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        model = sklearn("linear_model").LogisticRegression(C=1 / self.penalty, max_iter=1000)
        return _fitted(model, matrix, target, train)


@frozen
class RandomForest(Scoring):
    """Trees grown on random samples of records and columns, which vote."""

    trees: int = 100
    min_leaf: int = 5
    seed: int = 0

    def __str__(self) -> str:
        return say("classifier.forest", trees=self.trees, min_leaf=self.min_leaf, seed=self.seed)

    def judge(self, features: Features, target: Classes, train: Mask) -> Judged:
        """Return the predicted class of every row outside the training part, and its scores."""
        forest = sklearn("ensemble").RandomForestClassifier(
            n_estimators=self.trees, min_samples_leaf=self.min_leaf, random_state=self.seed
        )
        return _fitted(forest, as_matrix(features, train), target, train)


@frozen
class GradientBoosting(Scoring):
    """Small trees added one after the other, each on the errors of those before it; numbers fall into bins first."""

    rounds: int = 100
    seed: int = 0

    def __str__(self) -> str:
        return say("classifier.boosting", rounds=self.rounds, seed=self.seed)

    def judge(self, features: Features, target: Classes, train: Mask) -> Judged:
        """Return the predicted class of every row outside the training part, and its scores."""
        # Early stopping would set records aside at random; a fixed number of rounds uses them all.
        model = sklearn("ensemble").HistGradientBoostingClassifier(
            max_iter=self.rounds, early_stopping=False, random_state=self.seed
        )
        from threadpoolctl import threadpool_limits  # comes with scikit-learn

        # Its threads wait for each other after every column: on a busy machine more than one make it many times slower.
        with threadpool_limits(limits=1, user_api="openmp"):
            return _fitted(model, as_matrix(features, train), target, train)


class _Learner(Protocol):
    def fit(self, rows: Array, target: Classes) -> object: ...

    def predict(self, rows: Array) -> npt.ArrayLike: ...

    def predict_proba(self, rows: Array) -> npt.ArrayLike: ...


def _fitted(model: _Learner, matrix: Array, target: Classes, train: Mask) -> Judged:
    model.fit(matrix[train], target[train])
    tested = matrix[~train]
    scores = np.asarray(model.predict_proba(tested), np.float64)
    return Judged(np.asarray(model.predict(tested), np.int64), scores, np.unique(target[train]))


#: Names of classifiers; each is made from a seed and the number of training records.
CLASSIFIERS: Mapping[str, Callable[[int, int], Classifier]] = {
    # 50 records in a leaf give the errors that papers print for Adult, 20 those for tables of a few hundred records.
    "decision-tree": lambda seed, records: DecisionTree(min_leaf=min(50, max(5, records // 25)), seed=seed),
    "naive-bayes": lambda seed, records: NaiveBayes(),
    "logistic-regression": lambda seed, records: LogisticRegression(),
    "random-forest": lambda seed, records: RandomForest(seed=seed),
    "gradient-boosting": lambda seed, records: GradientBoosting(seed=seed),
}


def classifier_of(given: str | Classifier, *, seed: int = 0, records: int = 0) -> Classifier:
    """Return a classifier from its name, with settings that fit the number of training records; others pass unchanged.

    >>> str(classifier_of("decision-tree", records=1000))
    'decision tree (entropy, at least 40 records in a leaf, seed 0)'
    """
    if not isinstance(given, str):
        if not callable(getattr(given, "predict", None)):
            raise BadRequest(
                "must be a name or have a method predict",
                parameter="classifiers",
                value=type(given).__name__,
                available=CLASSIFIERS,
            )
        return given
    if given not in CLASSIFIERS:
        raise BadRequest("is not a classifier", parameter="classifiers", value=given, available=CLASSIFIERS)
    return CLASSIFIERS[given](seed, records)
