"""HD-composition as a requirement: all releases together link nobody to a permanent value with more than 1/l."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Model, ModelTraits, Verdict, Violation, at_most
from sfumato.contracts.thing import column, param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.sequels.series import Series
from sfumato.sequels.signatures import Signatures
from sfumato.sequels.worlds import Value, judged_worlds

__all__ = ["HDComposition"]


class HDComposition(Model[Series]):
    """Whoever keeps all releases links nobody to a value that nobody loses with more than 1/l.

    A world is a set of carriers of the value with as many of them in every published group as rows there show it; the linkage
    of a person is the share of worlds, all alike, in which she is one. The model asks that no linkage is above ``1/l``, for
    each permanent value, over everything that was published (``possible-world-exclusion`` counts the same). Parts that are too
    large to be counted are sampled ``samples`` times, and the upper end of a person's interval at 95 per cent is her linkage:
    an estimate, and no proof. Without samples these persons count as linked with certainty. Values may change from release to
    release, permanent ones may come and never go. Of one release without persons, a stranger sees the share of the value in
    each group, and that is judged.

    Adversary: has every release, and for each of them a list of everybody with the quasi-identifiers of that time.

    Examples
    --------
    >>> first = {"Id": [1, 2], "Age": ["[20-30]", "[20-30]"], "Disease": ["HIV", "Flu"]}
    >>> ages = ["[20-25]", "[20-25]", "[26-40]", "[26-40]"]
    >>> then = {"Id": [1, 3, 2, 4], "Age": ages, "Disease": ["HIV", "Flu", "Flu", "Flu"]}
    >>> series = Series.of([first, then], qid=["Age"], sensitive="Disease", person="Id")
    >>> model = HDComposition(permanent=("HIV",), l=2)
    >>> model.judge(series.until(1)).satisfied, model.judge(series).strongest
    (True, 1.0)

    References
    ----------
    Bu, Fu, Wong, Chen, Li, "Privacy preserving serial data publishing by role composition", 2008,
    doi:10.14778/1453856.1453948.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.4.
    """

    id: ClassVar[str] = "hd-composition"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="worlds")
    adversary: ClassVar[str] = say("adversary.possible-world-exclusion")
    level: ClassVar[str] = "largest linkage"

    permanent: tuple[Value, ...] = param(doc="values that nobody loses")
    l: int = param(ge=2, doc="nobody may be linked to a permanent value with more than 1/l")
    group: str | None = column(
        "any", doc="column that numbers the groups; rows that look alike if not given", default=None
    )
    states: int = param(default=200_000, ge=1, doc="states at once beyond which worlds are not counted")
    samples: int = param(
        default=0, ge=0, doc="how often worlds are sampled that are too many; 0 takes them for certain"
    )

    def validate(self) -> None:
        """Refuse a requirement without a permanent value."""
        if not self.permanent:
            raise BadRequest("must name at least one value", parameter=f"{self.id}.permanent")

    def judge(self, view: Series, *, worst: int = 10) -> Verdict:
        """Count the worlds of every permanent value; whose linkage is too high is counted and not told."""
        found = Signatures(view, self.group)
        known = view.person is not None
        shares = [share for value in self.permanent for share in (self._linked if known else self._shares)(view, value)]
        limit = Fraction(1, self.l)
        bad = sorted((share for share in shares if share > limit), reverse=True)
        return self.verdict(
            qid=view.qid,
            satisfied=not bad,
            strongest=float(max(shares, default=Fraction(0))),
            groups=sum(len(hosts.signature) for hosts in found.releases),
            records=sum(int(hosts.sizes.sum()) for hosts in found.releases),
            bound=str(at_most(1 / self.l)),
            violations=[Violation((), 1, float(share)) for share in bad[:worst]],
            violating_groups=len(bad),
            violating_records=len(bad),
        )

    def _linked(self, view: Series, value: Value) -> list[Fraction]:
        """Return the linkage of every person."""
        found = judged_worlds(view, value, self.group, self.states, self.samples)
        if not found.count:
            raise BadRequest(
                "no set of carriers fits all releases: a value is not permanent", parameter=f"{self.id}.permanent"
            )
        return list(found.upper().values())

    def _shares(self, view: Series, value: Value) -> list[Fraction]:
        """Return the share of a value in every group."""
        found = Signatures(view, self.group)
        code = found.values.index(value) if value in found.values else -1
        return [
            Fraction(int(np.count_nonzero(hosts.value[start:end] == code)), int(end - start))
            for hosts in found.releases
            for start, end in zip(hosts.start[:-1], hosts.start[1:], strict=True)
        ]
