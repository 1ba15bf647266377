"""Predicting a column from a raw table and from its release: errors on both, and without the masked columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.tables.pair import Pair, Side
from sfumato.tables.trials import Design, Mask, Trial
from sfumato.utility.classification import ErrorRate, Errors, classification_error, pooled
from sfumato.utility.classifiers import CLASSIFIERS, Classifier, classifier_of

__all__ = ["ClassifierErrors", "UtilityResult", "named", "prediction"]

Named = tuple[tuple[str, str | Classifier], ...]


@frozen
class ClassifierErrors:
    """The three errors with one classifier; its ``name`` and its text with all settings."""

    name: str
    settings: str
    errors: Errors


@frozen
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
                    "relative_accuracy": entry.errors.relative_accuracy,
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
            "zero_rule": error.zero,
            "auc": error.auc,
        }


def named(given: Any) -> Named:
    """Return classifiers with their names; refuse what is none."""
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if not listed:
        raise BadRequest("needs at least one", parameter="classifiers", available=CLASSIFIERS)
    out: dict[str, str | Classifier] = {}
    for entry in listed:
        classifier_of(entry)
        out[entry if isinstance(entry, str) else str(entry)] = entry
    return tuple(out.items())


def prediction(
    pair: Pair,
    target: str,
    classifiers: Named,
    design: Design,
    confidence: float,
    run: Run,
    known: dict[str, tuple[ErrorRate, ErrorRate]] | None = None,
) -> UtilityResult:
    """Return the errors; what is ``known`` of the raw side is not measured again."""
    _refuse_target(pair, target)
    known = {} if known is None else known
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
        notes.append(say("warning.sides_differ"))
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
