"""Forward attack: the later release tells which records of the earlier one cannot be a victim's."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.sequels.attacks._correspondence_attack import CorrespondenceAttack, correspondence_traits
from sfumato.sequels.correspondence import Correspondence

__all__ = ["FAttack"]


class FAttack(CorrespondenceAttack):
    """Crack records of the earlier release by a later one: its class must hold the victim's record again.

    A victim of before who matches the classes qid1 and qid2 has her record in both. Of the records g1 of one sensitive value in
    qid1 at most ``min(|g1|, |g2|)`` have a partner in g2, the rest is not hers: ``crack(g1) = |g1| - min(|g1|, |g2|)``, and
    ``F(qid1)`` is the largest sum over values for a comparable qid2. ``FA = min over qid1 of |qid1| - F(qid1)``.

    Adversary: has all releases, knows a victim's quasi-identifier and that the victim was there from the beginning.

    Examples
    --------
    >>> from sfumato.contracts.run import Run
    >>> from sfumato.sequels import Series
    >>> from sfumato.sequels.attack import SeriesKnowledge
    >>> before = {"Place": ["Europe"] * 3, "Disease": ["Flu", "Flu", "HIV"]}
    >>> after = {"Place": ["UK", "UK", "France", "France", "France"], "Disease": ["Flu", "HIV", "Flu", "Flu", "HIV"]}
    >>> series = Series.of([before, after], qid=["Place"], sensitive="Disease",
    ...                    hierarchies={"Place": {"Europe": ["UK", "France"]}})
    >>> found = FAttack().on(series, SeriesKnowledge(), Run())
    >>> found.details.alone, found.details.anonymity, found.highest
    (3, 2, 0.5)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.2.3.
    Fung, Wang, Fu, Pei, "Anonymity for continuous data publishing", 2008, doi:10.1145/1353343.1353378.
    """

    id: ClassVar[str] = "f-attack"
    about: ClassVar[tuple[str, ...]] = ("continuous",)
    traits: ClassVar[AttackTraits] = correspondence_traits(
        "all releases, the quasi-identifiers of a victim, and that the victim was there from the beginning"
    )
    adversary: ClassVar[str] = say("adversary.f-attack")
    title: ClassVar[str] = "forward attack"
    sentence: ClassVar[str] = "forward"

    def attacked(self, earlier: int, later: int, pair: Correspondence) -> tuple[int, Ints]:
        """Return the earlier release and ``|qid1| - F(qid1)`` of its classes."""
        return earlier, pair.forward
