"""Cross attack: the earlier release tells which records of the later one cannot be a victim's who was there before."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.sequels.attacks._correspondence_attack import CorrespondenceAttack, correspondence_traits
from sfumato.sequels.correspondence import Correspondence

__all__ = ["CAttack"]


class CAttack(CorrespondenceAttack):
    """Crack records of the later release by an earlier one, for a victim who is in both.

    Of the records g2 of one sensitive value in the victim's class qid2 at most ``min(|g1|, |g2|)`` have a partner in her class
    qid1: ``crack(g2) = |g2| - min(|g1|, |g2|)``, ``C(qid2)`` is the largest sum over values for a comparable qid1, and
    ``CA = min over qid2 of |qid2| - C(qid2)``, over classes that somebody of before can be in. It equals FA.

    Adversary: has all releases, knows a victim's quasi-identifier and that the victim was there from the beginning.

    Examples
    --------
    >>> from sfumato.contracts.run import Run
    >>> from sfumato.sequels import Series
    >>> from sfumato.sequels.attack import SeriesKnowledge
    >>> before = {"Place": ["Europe"] * 3, "Disease": ["Flu", "Flu", "HIV"]}
    >>> after = {"Place": ["UK", "UK", "France", "France", "France"], "Disease": ["Flu", "HIV", "Flu", "HIV", "HIV"]}
    >>> series = Series.of([before, after], qid=["Place"], sensitive="Disease",
    ...                    hierarchies={"Place": {"Europe": ["UK", "France"]}})
    >>> found = CAttack().on(series, SeriesKnowledge(), Run())
    >>> found.details.attacked, found.details.cracked, found.details.anonymity
    (5, 3, 2)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.2.3.
    Fung, Wang, Fu, Pei, "Anonymity for continuous data publishing", 2008, doi:10.1145/1353343.1353378.
    """

    id: ClassVar[str] = "c-attack"
    about: ClassVar[tuple[str, ...]] = ("continuous",)
    traits: ClassVar[AttackTraits] = correspondence_traits(
        "all releases, the quasi-identifiers of a victim, and that the victim was there from the beginning"
    )
    adversary: ClassVar[str] = say("adversary.c-attack")
    title: ClassVar[str] = "cross attack"
    sentence: ClassVar[str] = "cross"

    def attacked(self, earlier: int, later: int, pair: Correspondence) -> tuple[int, Ints]:
        """Return the later release and ``|qid2| - C(qid2)`` of its classes."""
        return later, pair.cross
