"""The classifier attack: what a released classifier tells of the sensitive value of whoever it can be applied to."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import ClassVar

import numpy as np

from sfumato.attacks._matching import look_up_one
from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say

__all__ = ["ClassifierAttack", "ClassifierFinding", "ClassifierRule"]


@frozen
class ClassifierRule:
    """Records that look like ``qid`` are said to carry ``predict``: ``support`` of ``records`` do."""

    qid: tuple[Hashable, ...]
    predict: Hashable
    support: int
    records: int

    @property
    def confidence(self) -> float:
        """The share of the records of the rule that carry what it predicts."""
        return self.support / self.records


@frozen(kw_only=True, eq=False)
class ClassifierFinding(Risk):
    """The rules, and how much better one guesses with them; rules and :meth:`of` are for the steward's eyes.

    ``suppressed`` are the rules above the bound; without them ``accuracy_kept`` is what one reaches, those records being
    guessed as everybody is.
    """

    seen: Seen
    knowledge: TableKnowledge
    rules: tuple[ClassifierRule, ...]
    suppressed: tuple[ClassifierRule, ...]
    prior_accuracy: float
    accuracy: float
    accuracy_kept: float

    @property
    def accuracy_gain(self) -> float:
        """How much more often a guess is right with the rules than without."""
        return self.accuracy - self.prior_accuracy

    @property
    def kept(self) -> tuple[ClassifierRule, ...]:
        """The rules that may be released."""
        return tuple(rule for rule in self.rules if rule not in self.suppressed)

    def of(self, victim: Mapping[str, Hashable]) -> ClassifierRule | None:
        """Return the surest rule that covers a victim, given by her values before masking; ``None`` if none does."""
        covering = [self.rules[group] for group in look_up_one(self.seen, self.knowledge, victim).tolist()]
        return max(covering, key=lambda rule: rule.confidence, default=None)


class ClassifierAttack(TableAttack):
    """Apply a classifier that was learnt from a table, and released, to persons of whom the quasi-identifiers are known.

    Each group of equal quasi-identifiers gives one rule: its most frequent sensitive value (the first of several), with the
    support ``max_s c(s)`` and the confidence ``max_s c(s) / n``. The accuracy of the rules is the share of all records that
    they place rightly; without them the best guess is the most frequent value of the table. The difference is what the
    classifier gives away. Rules above ``max_confidence`` are named, and what is left without them is told. A table that
    satisfies ``confidence-bounding`` gives no such rule; k-anonymity alone does not help.

    A point value of a victim matches an interval that contains it.

    Adversary: knows the quasi-identifiers of a person and has the released classifier.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("[30-35)", "Flu"), ("[30-35)", "HIV"), ("[30-35)", "HIV"), ("[35-40)", "Flu"), ("[35-40)", "Flu")]
    >>> table = sfumato.from_rows(["Age", "Disease"], rows)
    >>> found = sfumato.attack(table, ClassifierAttack(max_confidence=0.7), qid=["Age"], sensitive="Disease")
    >>> found.prior_accuracy, found.accuracy, [rule.qid for rule in found.suppressed]
    (0.6, 0.8, [('[35-40)',)])
    >>> found.of({"Age": 33}).predict
    'HIV'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.2.
    """

    id: ClassVar[str] = "classifier-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="the quasi-identifiers of a person, and a classifier that was learnt from the published table",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.classifier-attack")

    max_confidence: float = param(default=0.7, gt=0, le=1, doc="largest confidence of a rule that may be released")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> ClassifierFinding:
        """Return the confidence of the rule of every group, for all of its records."""
        self.refuse_unfit(seen, knowledge)
        groups = seen.groups(knowledge)
        histogram = groups.histograms[knowledge.secret]
        sizes, best, whole = histogram.totals(), histogram.largest(), histogram.per_value()
        records = int(sizes.sum())
        rules = []
        for group in range(len(groups)):
            counts = histogram.row(group)
            predict = max(counts, key=counts.__getitem__)
            rules.append(ClassifierRule(groups.key(group), predict, counts[predict], int(sizes[group])))
        bad = np.array([rule.confidence > self.max_confidence for rule in rules], np.bool_)
        usual = int(whole.argmax()) if len(whole) else 0
        guessed = int(histogram.taken(np.flatnonzero(bad)).per_value()[usual]) if bad.any() else 0
        confidence = np.asarray(best / sizes, np.float64)
        highest, mean = spread(confidence, sizes)
        prior, accuracy, kept = (
            float(found / records) if records else 0.0
            for found in (whole.max(initial=0), best.sum(), best[~bad].sum() + guessed)
        )
        details = {
            "records": records,
            "rules": len(rules),
            "rules_above": int(bad.sum()),
            "max_confidence": self.max_confidence,
            "prior_accuracy": prior,
            "accuracy": accuracy,
            "accuracy_gain": accuracy - prior,
            "accuracy_kept": kept,
        }
        return ClassifierFinding(
            attack=self.id,
            per_victim=confidence,
            counts=sizes,
            highest=highest,
            mean=mean,
            reading=say(
                "reading.classifier_attack",
                rules=len(rules),
                accuracy=accuracy,
                prior=prior,
                records=records,
                highest=highest,
                above=int(bad.sum()),
                threshold=self.max_confidence,
            ),
            details=details,
            seen=seen,
            knowledge=knowledge,
            rules=tuple(rules),
            suppressed=tuple(rule for rule, over in zip(rules, bad.tolist(), strict=True) if over),
            prior_accuracy=prior,
            accuracy=accuracy,
            accuracy_kept=kept,
        )
