"""Privacy degree: in groups of baskets, no basket can be tied to a private item with more than 1/p."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from sfumato.contracts.model import Verdict, Violation
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import Infeasible
from sfumato.transactions.basket_groups import BasketGroups, GroupedModel
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.traits import BasketTraits

__all__ = ["PrivacyDegree"]


class PrivacyDegree(GroupedModel):
    """In every published group of baskets, each private item is in at most one basket of p.

    Baskets are published in disjoint groups: the public items of each basket, and how many baskets f of the group have each
    private item. The degree of a group is ``|G| / max f``, that of a release the smallest; whoever knows all public items of a
    basket ties a private item to it with at most ``1 / degree``. A partition with degree p exists iff every private item s has
    ``support(s) p <= |D|``. Baskets that are in no groups are groups of one.

    It does not stop record linkage, since public items are exact; rules that lead to private items are not true any more
    and never exceed 1/p; what public items have to do with each other is intact.

    Adversary: knows every public item of a basket and that its person is in the release.

    Examples
    --------
    >>> baskets = Baskets.of([{"wine", "x"}, {"wine"}, {"beer"}], private=["x"])
    >>> PrivacyDegree(p=2).judge(BasketGroups.of(baskets, [[0, 1], [2]])).strongest
    2.0
    >>> PrivacyDegree(p=2).judge(baskets).satisfied
    False

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", 2008, doi:10.1109/ICDE.2008.4497480.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.3.
    """

    id: ClassVar[str] = "privacy-degree"
    traits: ClassVar[BasketTraits] = BasketTraits(
        prevents=frozenset({"attribute"}),
        evaluation="record",
        knows="unbounded",
        truthful=False,
        inferences=False,
        itemset_utility=True,
    )
    adversary: ClassVar[str] = say("adversary.privacy-degree")
    level: ClassVar[str] = "degree"

    p: int = param(ge=2, doc="a private item is in at most one basket of so many in each group")

    def judge(self, view: Baskets | BasketGroups, *, worst: int = 10) -> Verdict:
        """Judge groups of baskets; baskets without groups are each on their own."""
        groups = BasketGroups.of(view, [[at] for at in range(len(view))]) if isinstance(view, Baskets) else view
        sizes = groups.sizes.tolist()
        broken = [(degree, at) for at, degree in enumerate(groups.degrees) if degree is not None and degree < self.p]
        return self.verdict(
            satisfied=not broken,
            strongest=None if groups.degree is None else float(groups.degree),
            groups=len(groups),
            records=sum(sizes),
            bound=f">= {self.p}",
            violations=[Violation((at,), sizes[at], float(degree)) for degree, at in sorted(broken)[:worst]],
            violating_groups=len(broken),
            violating_records=sum(sizes[at] for _, at in broken),
        )

    def refuse_infeasible(self, baskets: Baskets) -> None:
        """Refuse baskets of which no partition has the degree, and say how many items are too frequent."""
        supports = baskets.supports[baskets.is_private]
        frequent = int((supports * self.p > len(baskets)).sum())
        if frequent:
            raise Infeasible(
                f"no groups of degree {self.p} exist: {frequent} private items are in more than one basket of {self.p}",
                measured=float(Fraction(len(baskets), int(supports.max()))),
                bound=self.p,
                requirement=self.id,
            )
