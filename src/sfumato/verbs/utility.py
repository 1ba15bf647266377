"""How well a column can still be predicted from a release: errors on raw data, on the release, without masked columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.policy import Policy
from sfumato.tables.pair import Pair, Side, open_pair, prepared
from sfumato.utility.classification import ErrorRate, Errors, classification_error, pooled
from sfumato.utility.classifiers import CLASSIFIERS, Classifier, classifier_of
from sfumato.verbs._trials import Design, Mask, Trial, in_order
from sfumato.verbs.anonymize import anonymize

__all__ = ["ClassifierErrors", "UtilityCurve", "UtilityResult", "classification_utility", "utility_against_k"]

Named = tuple[tuple[str, str | Classifier], ...]


@dataclass(frozen=True)
class ClassifierErrors:
    """The three errors with one classifier; its ``name`` and its text with all settings."""

    name: str
    settings: str
    errors: Errors


@dataclass(frozen=True)
class UtilityResult:
    """What a release is worth to somebody who wants to predict a column.

    ``BE`` is the error on raw data, ``AE`` on the release, ``UE`` on raw data without the masked columns. ``AE - BE`` is the
    price of masking and ``UE - AE`` what masked columns are worth over none. Masking removes noise too, so ``AE`` may be the
    smaller one.
    """

    target: str
    protocol: str
    qid: tuple[str, ...]
    seed: int
    confidence: float
    aligned: bool
    classifiers: tuple[ClassifierErrors, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Errors:
        for entry in self.classifiers:
            if entry.name == name:
                return entry.errors
        raise BadRequest(
            "was not trained", parameter="classifier", value=name, available=[entry.name for entry in self.classifiers]
        )

    def document(self) -> dict[str, object]:
        """Return everything in a form that JSON takes; rates are shares, not per cent."""
        return {
            "target": self.target,
            "protocol": self.protocol,
            "quasi_identifiers": list(self.qid),
            "seed": self.seed,
            "confidence": self.confidence,
            "same_records_on_both_sides": self.aligned,
            "classifiers": [
                {
                    "name": entry.name,
                    "settings": entry.settings,
                    "BE": self._rate(entry.errors.baseline),
                    "AE": self._rate(entry.errors.anonymity),
                    "UE": self._rate(entry.errors.upper),
                    "AE-BE": entry.errors.cost,
                    "UE-AE": entry.errors.benefit,
                }
                for entry in self.classifiers
            ],
            "notes": list(self.notes),
        }

    def _rate(self, error: ErrorRate) -> dict[str, object]:
        low, high = error.interval(self.confidence)
        return {
            "rate": error.rate,
            "low": low,
            "high": high,
            "standard_error": error.standard_error,
            "n_test": error.n_test,
        }


@dataclass(frozen=True)
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
    design = Design(protocol, folds, masking, train, test, seed)
    named = _named(classifiers)
    run = Run.of(run, progress)
    run.stage("reading")
    pair = open_pair(raw, release, qid=qid, policy=policy)
    return _measured(pair, _target(pair, target), named, design, confidence, run, {})


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
    if not any("k" in spec for spec in asked.requirements):
        raise BadRequest(
            "no requirement has a k to be varied",
            parameter="policy",
            available=[str(spec["id"]) for spec in asked.requirements],
        )
    design, named, run = Design(protocol, folds, masking, train, test, seed), _named(classifiers), Run.of(run, progress)
    run.stage("reading")
    table = prepared(raw, asked)
    known: dict[str, tuple[ErrorRate, ErrorRate]] = {}
    points = []
    run.stage("errors against k", len(set(ks)))
    for done, k in enumerate(sorted(set(ks))):
        run.tick(done, f"k={k}")
        pair = open_pair(table, anonymize(table, _with_k(table, asked, k), run=run.part()))
        points.append((k, _measured(pair, _target(pair, target), named, design, confidence, run.part(), known)))
    run.tick(len(points))
    return UtilityCurve(tuple(points))


def _measured(
    pair: Pair,
    target: str,
    classifiers: Named,
    design: Design,
    confidence: float,
    run: Run,
    known: dict[str, tuple[ErrorRate, ErrorRate]],
) -> UtilityResult:
    """Return the errors; what is ``known`` of the raw side is not measured again."""
    _refuse_target(pair, target)
    parts: dict[str, list[tuple[ErrorRate | None, ErrorRate, ErrorRate | None]]] = {}
    settings: dict[str, str] = {}
    run.stage("training", design.trials)
    for number, trial in enumerate(design.of(pair)):
        run.tick(number)
        for name, given in classifiers:
            chosen = classifier_of(given, seed=design.seed, records=int(trial.masked_train.sum()))
            settings[name] = str(chosen)
            parts.setdefault(name, []).append(_errors(trial, chosen, target, pair.qid, name in known))
    run.tick(design.trials)
    found = []
    for name, measured in parts.items():
        if name not in known:
            known[name] = (
                pooled([part[0] for part in measured if part[0] is not None]),
                pooled([part[2] for part in measured if part[2] is not None]),
            )
        baseline, upper = known[name]
        masked = pooled([part[1] for part in measured])
        found.append(ClassifierErrors(name, settings[name], Errors(baseline, masked, upper)))
    notes = list(pair.notes)
    if not pair.aligned and not design.learned:
        notes.append(
            "the rows of the release cannot be matched with the raw ones, so the two sides have different test records"
        )
    return UtilityResult(
        target, design.text(), pair.qid, design.seed, confidence, pair.aligned, tuple(found), tuple(notes)
    )


def _errors(
    trial: Trial, classifier: Classifier, target: str, qid: Sequence[str], known: bool
) -> tuple[ErrorRate | None, ErrorRate, ErrorRate | None]:
    def error(side: Side, train: Mask, without: Sequence[str] = ()) -> ErrorRate:
        return classification_error(
            side.columns, side.kinds, target=target, train=train, classifier=classifier, without=without
        )

    masked = error(trial.masked, trial.masked_train)
    if known:
        return None, masked, None
    return error(trial.raw, trial.raw_train), masked, error(trial.raw, trial.raw_train, qid)


def _refuse_target(pair: Pair, target: str) -> None:
    for table, where in ((pair.raw, "raw table"), (pair.released, "release")):
        if target not in table.types:
            raise BadRequest(
                f"is not a column of the {where}", parameter="target", value=target, available=table.columns
            )
        found = table.dictionary(target)
        if found.missing:
            raise BadRequest("has missing values; drop those records first", column=target, parameter="target")
        if len(found) < 2:
            raise BadRequest("holds one class only; there is nothing to predict", column=target, parameter="target")
        if len(found) * 2 > table.rows:
            raise BadRequest(
                f"holds {len(found):,} different values in {table.rows:,} records: these are no classes",
                column=target,
                parameter="target",
            )
    if target in pair.qid:
        raise BadRequest("was masked itself", parameter="target", value=target)
    if not pair.qid:
        raise BadRequest(
            "no column of the release differs from the raw table; name the masked columns",
            parameter="qid",
            available=pair.shared,
        )


def _target(pair: Pair, given: str | None) -> str:
    if given is not None:
        return given
    known = pair.policy.of_role(Role.TARGET) if pair.policy is not None else ()
    if not known:
        raise BadRequest("name the column to predict", parameter="target", available=pair.shared)
    return known[0]


def _named(given: Any) -> Named:
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if not listed:
        raise BadRequest("needs at least one", parameter="classifiers", available=CLASSIFIERS)
    out: dict[str, str | Classifier] = {}
    for entry in listed:
        classifier_of(entry)
        out[entry if isinstance(entry, str) else str(entry)] = entry
    return tuple(out.items())


def _with_k(table: Table, policy: Policy, k: int) -> Policy:
    requirements = tuple({**spec, "k": k} if "k" in spec else spec for spec in policy.requirements)
    return in_order(table, policy).model_copy(update={"requirements": requirements})
