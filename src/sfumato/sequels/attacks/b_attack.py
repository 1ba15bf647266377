"""Backward attack: the earlier release tells which records of the later one cannot be a newcomer's."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.sequels.attacks._correspondence_attack import CorrespondenceAttack, correspondence_traits
from sfumato.sequels.correspondence import Correspondence

__all__ = ["BAttack"]


class BAttack(CorrespondenceAttack):
    """Crack records of the later release that must be of people of before, for a victim who is a newcomer.

    Let G1 be the records of the earlier release that are comparable with a group g2 of the later one and have its sensitive
    value, and G2 the records of the later release comparable with some of G1. Every one of G1 is found again in G2, of which
    ``|G2| - |g2|`` lie outside the group: ``crack(g2) = max(0, |G1| - (|G2| - |g2|))``, 0 if G1 is empty. ``B(qid2)`` is the
    sum over values, and ``BA = min over qid2 of |qid2| - B(qid2)``. Without newcomers there is nobody to attack.

    Adversary: has all releases, knows a victim's quasi-identifier and with which release the victim came.

    Examples
    --------
    >>> from sfumato.contracts.run import Run
    >>> from sfumato.sequels import Series
    >>> from sfumato.sequels.attack import SeriesKnowledge
    >>> before = {"Place": ["Europe"] * 3, "Disease": ["Flu", "Flu", "HIV"]}
    >>> after = {"Place": ["UK", "UK", "France", "France", "France"], "Disease": ["Flu", "Flu", "Flu", "HIV", "HIV"]}
    >>> series = Series.of([before, after], qid=["Place"], sensitive="Disease",
    ...                    hierarchies={"Place": {"Europe": ["UK", "France"]}})
    >>> found = BAttack().on(series, SeriesKnowledge(), Run())
    >>> found.details.anonymity, found.highest  # one of the two in the UK came before
    (1, 1.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.2.3.
    Fung, Wang, Fu, Pei, "Anonymity for continuous data publishing", 2008, doi:10.1145/1353343.1353378.
    """

    id: ClassVar[str] = "b-attack"
    about: ClassVar[tuple[str, ...]] = ("continuous",)
    traits: ClassVar[AttackTraits] = correspondence_traits(
        "all releases, the quasi-identifiers of a victim, and with which release the victim came"
    )
    adversary: ClassVar[str] = say("adversary.b-attack")
    title: ClassVar[str] = "backward attack"
    sentence: ClassVar[str] = "backward"

    def attacked(self, earlier: int, later: int, pair: Correspondence) -> tuple[int, Ints]:
        """Return the later release and ``|qid2| - B(qid2)`` of its classes."""
        return later, pair.backward
