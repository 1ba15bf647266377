"""How well a column can still be predicted from a release: errors on raw data, on the release, without masked columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.tables.pair import Pair, open_pair, prepared
from sfumato.tables.policy import Policy
from sfumato.tables.prediction import UtilityResult, named, prediction
from sfumato.tables.trials import Design, in_order
from sfumato.utility.classification import ErrorRate
from sfumato.utility.classifiers import Classifier
from sfumato.verbs.anonymize import anonymize

__all__ = ["UtilityCurve", "classification_utility", "utility_against_k"]


@frozen
class UtilityCurve:
    """The errors of releases of one table for rising k."""

    points: tuple[tuple[int, UtilityResult], ...]

    def document(self) -> dict[str, object]:
        """Return every point in a form that JSON takes."""
        return {"points": [{"k": k, **result.document()} for k, result in self.points]}


def classification_utility(
    raw: object,
    release: object,
    *,
    target: str | None = None,
    classifiers: str | Classifier | Sequence[str | Classifier] = "decision-tree",
    protocol: Literal["split", "given", "folds"] = "split",
    folds: int = 10,
    masking: Literal["learned", "published"] = "learned",
    train: int | None = None,
    test: object = None,
    qid: Sequence[str] | None = None,
    policy: Policy | Mapping[str, object] | str | Path | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    run: Run | None = None,
    progress: Progress | None = None,
) -> UtilityResult:
    """Return how well a column is predicted from raw data, from a release, and without the masked columns.

    Parameters
    ----------
    raw
        The raw table: a path, a frame, a table.
    release
        What ``anonymize``, ``recode``, ``apply`` or ``perturb`` gave, a release folder, or any released table.
    target
        The column to predict; the target of the policy if not given.
    classifiers
        Names among ``decision-tree``, ``naive-bayes``, ``logistic-regression``, ``random-forest``, ``gradient-boosting``, or
        objects with a method ``predict``.
    protocol
        ``split``: two thirds of the records, drawn at random, are the training part. ``given``: the ``train`` first records
        are, or all of them, and ``test`` is another raw table, masked as the release was. ``folds``: cross-validation.
    folds, masking
        How many folds; and whether the masking is ``learned`` anew on each training part and applied to the test part, which
        needs the policy, or is that of the ``published`` table.
    qid
        The masked columns; those of the policy, or those whose values changed, if not given.
    policy
        The policy of the release; a release folder has its own.
    seed
        Seed of the split, the folds and the classifiers.
    confidence
        Of the intervals in the result.

    Examples
    --------
    >>> import sfumato
    >>> raw = {"age": [20 + i % 40 for i in range(300)], "rich": ["ny"[i % 40 > 19] for i in range(300)]}
    >>> decades = {"id": "discretization", "edges": (20, 30, 40, 50, 60)}
    >>> result = sfumato.classification_utility(raw, sfumato.recode(raw, {"age": decades}), target="rich")
    >>> errors = result["decision-tree"]
    >>> errors.baseline.rate, errors.anonymity.rate, errors.upper.rate > 0.3
    (0.0, 0.0, True)
    """
    design = Design(protocol, folds, masking, train, test, seed, anonymize)
    chosen = named(classifiers)
    run = Run.of(run, progress)
    run.stage("reading")
    pair = open_pair(raw, release, qid=qid, policy=policy, run=run)
    return prediction(pair, _target(pair, target), chosen, design, confidence, run)


def utility_against_k(
    raw: object,
    policy: Policy | Mapping[str, object] | str | Path,
    ks: Sequence[int],
    *,
    target: str | None = None,
    classifiers: str | Classifier | Sequence[str | Classifier] = "decision-tree",
    protocol: Literal["split", "given", "folds"] = "split",
    folds: int = 10,
    masking: Literal["learned", "published"] = "learned",
    train: int | None = None,
    test: object = None,
    seed: int = 0,
    confidence: float = 0.95,
    run: Run | None = None,
    progress: Progress | None = None,
) -> UtilityCurve:
    """Return the errors of releases that differ in k alone: every requirement of the policy that has a ``k`` gets each in turn.

    The other parameters are those of :func:`classification_utility`; raw data is measured once.
    """
    asked = Policy.of(policy)
    wrong = [k for k in ks if isinstance(k, bool) or not isinstance(k, int) or k < 1]
    if wrong or not ks:
        raise BadRequest("must be whole numbers >= 1", parameter="ks", value=wrong)
    asked.with_k(min(ks))  # refused before anything is read
    design, chosen, run = (
        Design(protocol, folds, masking, train, test, seed, anonymize),
        named(classifiers),
        Run.of(run, progress),
    )
    run.stage("reading")
    table = prepared(raw, asked, run)
    known: dict[str, tuple[ErrorRate, ErrorRate]] = {}
    points = []
    run.stage("errors against k", len(set(ks)))
    for done, k in enumerate(sorted(set(ks))):
        run.tick(done, f"k={k}")
        pair = open_pair(table, anonymize(table, in_order(table, asked).with_k(k), run=run.part()))
        points.append((k, prediction(pair, _target(pair, target), chosen, design, confidence, run.part(), known)))
    run.tick(len(points))
    return UtilityCurve(tuple(points))


def _target(pair: Pair, given: str | None) -> str:
    if given is not None:
        return given
    known = pair.policy.of_role(Role.TARGET) if pair.policy is not None else ()
    if not known:
        raise BadRequest("name the column to predict", parameter="target", available=pair.shared)
    return known[0]
