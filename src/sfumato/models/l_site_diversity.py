"""l-site diversity: every group holds records of several sites, so that none can be traced to one."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.thing import column
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.models.l_diversity_distinct import DistinctLDiversity
from sfumato.models.l_diversity_entropy import EntropyLDiversity
from sfumato.models.l_diversity_recursive import RecursiveLDiversity
from sfumato.models.sensitive_model import Counterexamples

__all__ = ["EntropyLSiteDiversity", "LSiteDiversity", "RecursiveLSiteDiversity"]

_LESS_DIVERSE: Counterexamples = {
    "violations_shrink_under_merge": (
        GroupStats.from_histograms([{"north": 30}, {"north": 5, "west": 5}], column="site"),
        [0, 0],
    )
}


class LSiteDiversity(DistinctLDiversity):
    """Every group holds records of at least l different sites.

    With ``s(g)`` the number of sites that have a record in group ``g``, the requirement is ``s(g) >= l`` for every group. It is
    l-diversity of the column that names the site: merging groups never lowers it, splitting never raises it, and it implies
    that groups have l records. With k-anonymity of the joint table, no site has to be k-anonymous alone. The column of the
    site is read by the check alone: it has the role private and is never published.

    Adversary: knows the quasi-identifier of a person in the joint table and wants to learn which site the person is known to.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"north": 2, "west": 1}, {"south": 2}], column="site")
    >>> verdict = LSiteDiversity(l=2, sensitive="site").check(groups)
    >>> verdict.satisfied, verdict.strongest
    (False, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 12.2.
    Jurczyk, Xiong, "Distributed anonymization: achieving privacy for both data subjects and data providers", 2009,
    doi:10.1007/978-3-642-03007-9_13.
    """

    id: ClassVar[str] = "l-site-diversity"
    adversary: ClassVar[str] = say("adversary.l-site-diversity")

    sensitive: str = column("private", doc="column that names the site of a record")

    def private(self) -> tuple[str, ...]:
        """Return the column of the site: whoever sees it knows what the model hides."""
        return (self.sensitive,)


class EntropyLSiteDiversity(EntropyLDiversity):
    """In every group the entropy of the site is at least log(l).

    The measured value of a group is ``exp(entropy)`` of the site, the number of sites with equally many records that would be
    as uncertain. Stronger than :class:`LSiteDiversity`: a site with most records of a group is a likely origin.

    Adversary: knows the quasi-identifier of a person in the joint table and wants to learn which site the person is known to.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"north": 2, "west": 1}, {"south": 2, "west": 2}], column="site")
    >>> verdict = EntropyLSiteDiversity(l=1.8, sensitive="site").check(groups)
    >>> verdict.satisfied, round(verdict.strongest, 4)
    (True, 1.8899)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.2.1 and 12.2.
    """

    id: ClassVar[str] = "l-site-diversity-entropy"
    counterexamples: ClassVar[Counterexamples] = _LESS_DIVERSE
    adversary: ClassVar[str] = say("adversary.l-site-diversity")

    sensitive: str = column("private", doc="column that names the site of a record")

    def private(self) -> tuple[str, ...]:
        """Return the column of the site."""
        return (self.sensitive,)


class RecursiveLSiteDiversity(RecursiveLDiversity):
    """In every group the site with most records is outweighed by the rare ones, as in recursive (c,l)-diversity.

    With ``r_1 >= r_2 >= ... >= r_m`` the records of each site in a group: ``r_1 < c (r_l + ... + r_m)``.

    Adversary: knows the quasi-identifier of a person in the joint table and wants to learn which site the person is known to.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"north": 3, "west": 1}, {"south": 2, "west": 2}], column="site")
    >>> verdict = RecursiveLSiteDiversity(c=3, l=2, sensitive="site").check(groups)
    >>> verdict.satisfied, verdict.strongest
    (False, 3.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.2.1 and 12.2.
    """

    id: ClassVar[str] = "l-site-diversity-recursive"
    counterexamples: ClassVar[Counterexamples] = _LESS_DIVERSE
    adversary: ClassVar[str] = say("adversary.l-site-diversity")

    sensitive: str = column("private", doc="column that names the site of a record")

    def private(self) -> tuple[str, ...]:
        """Return the column of the site."""
        return (self.sensitive,)
