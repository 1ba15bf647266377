"""Confidence bounding: whoever is in a group, one sensitive value can be inferred with confidence at most h."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.model import Bound, Numbers, TableTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, Value

__all__ = ["ConfidenceBounding", "templates"]


class ConfidenceBounding(SensitiveModel):
    """In every group one sensitive value has a share of at most h.

    A privacy template ``<QID -> s, h>`` names the quasi-identifier an adversary may know, a sensitive value and the largest
    confidence allowed. ``conf(qid -> s)`` is the share of ``s`` among the records with ``qid``, ``Conf(QID -> s)`` the largest
    over all groups; the template holds iff ``Conf <= h``. A value that does not occur has confidence 0. Several templates,
    each with its own QID, value and h, are several requirements (:func:`templates`). Also called l+-diversity.

    Adversary: knows the quasi-identifier of a person who is in the table and infers the value from its share.

    Notes
    -----
    Each value may have its own bound, which (c,l)-diversity cannot say; unlike it, nothing is promised against an adversary
    who can exclude other values.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], column="Disease")
    >>> verdict = ConfidenceBounding(sensitive="Disease", value="HIV", h=0.1).check(groups)
    >>> verdict.satisfied, verdict.strongest
    (False, 0.75)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.2.
    Wang, Fung, Yu, "Handicapping attacker's confidence: an alternative to k-anonymization", 2007.
    """

    id: ClassVar[str] = "confidence-bounding"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="value",
    )
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"HIV": 9}, {"Flu": 10}], column="Disease"),
            [0, 0],
        )
    }
    adversary: ClassVar[str] = say("adversary.confidence-bounding")
    level: ClassVar[str] = "smallest h"
    named: ClassVar[tuple[str, ...]] = ("value",)

    value: Value = param(doc="sensitive value whose confidence is bounded")
    h: float = param(ge=0, le=1, doc="largest confidence with which the value may be inferred")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the share of the value in each group."""
        return self.histogram(groups).of(self.value) / groups.sizes

    def bound(self) -> Bound:
        """Confidence must not exceed h."""
        return at_most(self.h)

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the value and the confidence in it."""
        count = int(self.histogram(groups).of(self.value)[group])
        return {"value": self.value, "count": count, "confidence": count / int(groups.sizes[group])}


def templates(
    sensitive: str, given: Iterable[tuple[Sequence[str] | None, Value, float]], *, missing: str = "refuse"
) -> list[ConfidenceBounding]:
    """Return one requirement for each privacy template ``(QID, value, h)`` on a sensitive column; all must hold.

    >>> [template.h for template in templates("Disease", [(["Job", "Sex"], "HIV", 0.1), (["Sex"], "Flu", 0.5)])]
    [0.1, 0.5]
    """
    return [
        ConfidenceBounding(
            qid=None if qid is None else tuple(qid), sensitive=sensitive, value=value, h=h, missing=missing
        )
        for qid, value, h in given
    ]
