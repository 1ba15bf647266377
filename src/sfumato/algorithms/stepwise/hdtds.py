"""High-Dimensional Top-Down Specialization: LKC-privacy for tables with many quasi-identifiers."""

from __future__ import annotations

from typing import ClassVar, Literal

from sfumato.algorithms.stepwise._algorithm import RefiningAlgorithm, refining_traits
from sfumato.algorithms.stepwise._lkc_refinement import DISCERNIBILITY, ColumnDiscernibility, LKCRefinery
from sfumato.catalogue import build
from sfumato.contracts.algorithm import AlgorithmTraits, Task
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest

__all__ = ["HDTDS"]

# Scores that the recipient's need goes with; the first of each is its default.
SCORES = {"classification": ("infogain", "igpl"), "general": DISCERNIBILITY}


class HDTDS(RefiningAlgorithm):
    """Specialize the most general table step by step while every combination of at most L values stays safe.

    A specialization ``v -> child(v)`` is *valid* if afterwards every combination of at most L values that contains one of the
    children fits K records or more and gives no protected value away with more than confidence C. It is Top-Down Refinement
    without suppression, without the test whether a step is beneficial, and with this validity. Only columns that are
    specialized already can be part of a combination that matters, so only sets of these are counted. Requirements that are
    decided group by group, such as k-anonymity, may be added.

    Two needs of the recipient. *Classification*: ``infogain``, the gain of information about the target, or ``igpl``, the gain
    divided by one plus the loss of anonymity, averaged over the sets of L columns that contain the one refined. *General*
    analysis without a target: the groups on all quasi-identifiers that carry ``v``,

    - ``dm-reduction``: sum of |G|^2 now minus the sum after the step, which is greedy descent of discernibility (default);
    - ``dm-current``: the sum now, as the book's formula reads; ``dm-children``: the sum after, as its example computes.

    For general analysis intervals are cut where their records part most evenly. Adversary: that of the requirements.

    Cost: linear in the records for each level of each column and each set of L specialized columns; sets are counted together
    where that is cheaper. ``igpl`` counts every candidate after every step, the other scores only the one to be taken.

    The trace says after each step, under ``exposure``, the smallest combination and the largest confidence so far (``None`` if
    C does not bind), the same as ``facts["exposure"]`` at the end; ``loss`` is ``None`` unless the score asked for it. With the
    general scores each candidate has ``dm_current``, ``dm_children`` and ``dm_reduction``.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import education_work
    >>> data = education_work()
    >>> policy = sfumato.Policy.for_dataset(
    ...     data, requirements=[{"id": "lkc-privacy", "L": 2, "K": 4}], algorithm={"id": "hdtds"}
    ... )
    >>> release = sfumato.anonymize(sfumato.from_dataset(data), policy)
    >>> release.verdict.satisfied, release.private.facts["exposure"][0]["smallest"]
    (True, 4)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 6.3, algorithm 6.3.1.
    Mohammed, Fung, Hung, Lee, "Anonymizing healthcare data: a case study on the blood transfusion service", 2009,
    doi:10.1145/1557019.1557157.
    """

    id: ClassVar[str] = "hdtds"
    traits: ClassVar[AlgorithmTraits] = refining_traits(
        cost="linear in the number of records for each level of each column and each set of L specialized columns"
    )

    need: Literal["auto", "classification", "general"] = param(
        default="auto",
        choices=("auto", "classification", "general"),
        doc="what the recipient will do: predict the target, or anything; auto: predict it if there is one",
    )
    score: Literal["auto", "infogain", "igpl", "dm-reduction", "dm-current", "dm-children"] = param(
        default="auto",
        choices=("auto", "infogain", "igpl", *DISCERNIBILITY),
        doc="how a step is valued; auto: infogain for classification, dm-reduction for general analysis",
    )
    split_point: Literal["value", "midpoint"] = param(
        default="value", choices=("value", "midpoint"), doc="whether intervals are cut at a value or between two"
    )

    def validate(self) -> None:
        """Refuse a score that does not serve the need."""
        if self.need != "auto" and self.score != "auto" and self.score not in SCORES[self.need]:
            raise BadRequest(
                f"does not serve the need {self.need!r}",
                parameter=f"{self.id}.score",
                value=self.score,
                available=["auto", *SCORES[self.need]],
            )

    def chosen_score(self, target: str | None) -> str:
        """Return the score to use."""
        if self.score != "auto":
            score: str = self.score
        elif self.need == "auto":
            score = SCORES["general" if target is None else "classification"][0]
        else:
            score = SCORES[self.need][0]
        if target is None and score in SCORES["classification"]:
            raise BadRequest(
                f"{score} needs a column with the role target",
                parameter=f"{self.id}.{'need' if self.score == 'auto' else 'score'}",
                available=["auto", *(["general"] if self.score == "auto" else SCORES["general"])],
            )
        return score

    def start(self, task: Task) -> LKCRefinery:
        """Return the search in its most general state; refuse columns that only suppression could mask."""
        bare = [attribute.name for attribute in task.attributes if attribute.kind == "suppress"]
        if bare:
            raise BadRequest("needs a hierarchy: hdtds does not suppress values (tdr does)", column=bare[0])
        score = self.chosen_score(task.target)
        return LKCRefinery(
            task,
            ColumnDiscernibility() if score in DISCERNIBILITY else build(score, "metric"),
            score=score,
            weigh_loss=score == "igpl",
            midpoint=self.split_point == "midpoint",
            keep_dead=self.trace == "full",
        )
