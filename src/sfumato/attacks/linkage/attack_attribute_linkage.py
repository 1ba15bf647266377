"""Attribute linkage: how sure one can be of a person's sensitive value from the records that look like hers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage._candidates import candidates
from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say

__all__ = ["AttackAttributeLinkage", "AttributeLinkage", "Guess"]


@frozen
class Guess:
    """What can be inferred about one victim: the records that cover her, and the share of each value; for the steward's eyes.

    ``best_guess`` is the most frequent value, the first one of several; ``None`` if no record covers the victim.
    """

    group_size: int
    posterior: Mapping[Hashable, float]

    @property
    def best_guess(self) -> Hashable:
        """The most frequent value."""
        return max(self.posterior, key=lambda value: self.posterior[value], default=None)

    @property
    def best_guess_confidence(self) -> float:
        """The share of the most frequent value; 0 if no record covers the victim."""
        return max(self.posterior.values(), default=0.0)


@frozen(kw_only=True, eq=False)
class AttributeLinkage(Risk):
    """The confidence of the best guess for every record, group by group; :meth:`of` is for the steward's eyes."""

    seen: Seen
    knowledge: TableKnowledge

    def of(self, victim: Mapping[str, Hashable]) -> Guess:
        """Return what can be inferred about a victim with these quasi-identifiers, given as they were before masking."""
        found = candidates(self.seen, self.knowledge, victim)
        return Guess(found.size, found.shares)


class AttackAttributeLinkage(TableAttack):
    """Guess a person's sensitive value from the published records that look like hers.

    Of the ``n`` records of a group ``c(s)`` carry the sensitive value ``s``. Whoever knows that a person is in the group
    believes in ``s`` with probability ``c(s) / n``, and her best guess has the confidence ``max_s c(s) / n``. That is the risk
    of each record of the group, whether the guess is right or wrong: acting on a wrong one harms as well.

    A victim is looked up by her values before masking; where labels overlap and several groups cover her, their records
    are taken together. The risk of a record is that of its own group. A missing sensitive value counts as a value.

    Adversary: knows the quasi-identifiers of a person and that she is in the published table.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("[30-35)", "Flu"), ("[30-35)", "HIV"), ("[30-35)", "HIV"), ("[30-35)", "HIV"), ("[35-40)", "HIV")]
    >>> table = sfumato.from_rows(["Age", "Disease"], rows)
    >>> found = sfumato.attack(table, AttackAttributeLinkage(threshold=0.8), qid=["Age"], sensitive="Disease")
    >>> found.details["homogeneous_records"], found.details["records_above_threshold"]
    (1, 1)
    >>> emily = found.of({"Age": 30})
    >>> emily.group_size, emily.best_guess, emily.best_guess_confidence
    (4, 'HIV', 0.75)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.
    """

    id: ClassVar[str] = "attack-attribute-linkage"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="the quasi-identifiers of a person who is in the published table, and what labels stand for",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.attack-attribute-linkage")

    threshold: float = param(default=0.5, ge=0, le=1, doc="confidence above which a record is counted as exposed")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> AttributeLinkage:
        """Return the confidence of the best guess, for all records of each group."""
        self.refuse_unfit(seen, knowledge)
        groups = seen.groups(knowledge)
        histogram = groups.histograms[knowledge.secret]
        sizes, alone = histogram.totals(), histogram.distinct() == 1
        confidence = np.asarray(histogram.largest() / sizes, np.float64)
        highest, mean = spread(confidence, sizes)
        records, above = int(sizes.sum()), int(sizes[confidence > self.threshold].sum())
        details = {
            "records": records,
            "groups": len(groups),
            "values": int(np.count_nonzero(histogram.per_value())),
            "homogeneous_groups": int(np.count_nonzero(alone)),
            "homogeneous_records": int(sizes[alone].sum()),
            "threshold": self.threshold,
            "records_above_threshold": above,
            "share_above_threshold": above / records if records else 0.0,
            "highest_confidence": highest,
            "mean_confidence": mean,
        }
        return AttributeLinkage(
            attack=self.id,
            per_victim=confidence,
            counts=sizes,
            highest=highest,
            mean=mean,
            reading=_reading(details),
            details=details,
            seen=seen,
            knowledge=knowledge,
        )


def _reading(details: Mapping[str, float]) -> str:
    return say(
        "reading.attribute_linkage",
        records=details["records"],
        homogeneous=details["homogeneous_records"],
        highest=details["highest_confidence"],
        mean=details["mean_confidence"],
        threshold=details["threshold"],
        above=details["records_above_threshold"],
    )
