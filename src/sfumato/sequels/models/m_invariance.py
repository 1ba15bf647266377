"""m-invariance: whoever stays in a series stays among the same m sensitive values."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Model, ModelTraits, Verdict, Violation, at_least
from sfumato.contracts.thing import column, param
from sfumato.data.messages import say
from sfumato.data.words import counted
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Ints
from sfumato.sequels.series import Series
from sfumato.sequels.signatures import Hosts, Signatures

__all__ = ["MInvariance"]


class MInvariance(Model[Series]):
    """Every group has m records or more, all with different sensitive values, and hosts of a person have one signature.

    For releases ``R_1 .. R_p`` of a table that records join and leave: (1) each group is *m-unique*,
    at least m rows and all with different sensitive values; (2) for each record that lives from ``R_x`` to ``R_y`` the groups
    that host it have equal *signatures*, the set of their sensitive values. Then intersecting everything that is published
    leaves the signature, so that nobody's value is known with more than 1/m. Counterfeits count as rows like any other.

    A person who was away and came back is outside the model: with ``returning="refuse"`` such a series is refused, with
    ``"same-signature"`` she must come back to her old signature. ``group`` names a column that numbers the groups, where two
    boxes may be alike; without it rows that look alike are a group. Values must not change: see ``hd-composition``.

    Adversary: has every release, knows the quasi-identifiers of a person and in which releases she is, and intersects.

    Examples
    --------
    >>> first = {"Id": [1, 2], "Age": ["[20-30]", "[20-30]"], "Disease": ["Flu", "HIV"]}
    >>> then = {"Id": [1, None], "Age": ["[20-40]", "[20-40]"], "Disease": ["Flu", "HIV"]}
    >>> series = Series.of([first, then], qid=["Age"], sensitive="Disease", person="Id")
    >>> MInvariance(m=2).judge(series).satisfied
    True

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", 2007,
    doi:10.1145/1247480.1247556.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.3.2.
    """

    id: ClassVar[str] = "m-invariance"
    aliases: ClassVar[tuple[str, ...]] = ("m-invariance-check",)
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="record")
    adversary: ClassVar[str] = say("adversary.m-invariance")
    level: ClassVar[str] = "m"

    m: int = param(ge=2, doc="fewest records of a group, all with different sensitive values that stay the same")
    returning: str = param(
        default="refuse",
        choices=("refuse", "same-signature"),
        doc="what to do with persons who were away for a release",
    )
    group: str | None = column(
        "any", doc="column that numbers the groups; rows that look alike if not given", default=None
    )

    def judge(self, view: Series, *, worst: int = 10) -> Verdict:
        """Judge every release, and every stay of a person against the one before."""
        found = Signatures(view, self.group)
        self.refuse_returned(found)
        return self.judge_signatures(found, view, first=0, worst=worst)

    def judge_next(self, view: Series, *, worst: int = 10) -> Verdict:
        """Judge the newest release of a series that was m-invariant before it: its own groups, and the stays since the last."""
        recent = view.latest(2)
        return self.judge_signatures(Signatures(recent, self.group), recent, first=len(recent) - 1, worst=worst)

    def refuse_returned(self, found: Signatures) -> None:
        """Refuse persons who came back, unless they are to find their old signature."""
        returned = found.returned()
        if returned and self.returning == "refuse":
            raise BadRequest(
                f"broken lifespan: {counted(len(returned), 'person was', 'persons were')} away for a release and came back",
                parameter=f"{self.id}.returning",
                value=self.returning,
                available=["same-signature"],
            )

    def judge_signatures(self, found: Signatures, view: Series, *, first: int, worst: int) -> Verdict:
        """Judge groups from a release on, and all stays."""
        broken: list[Violation] = []
        groups, records, bad_groups, bad_records = 0, 0, 0, 0
        least: int | None = None
        unique = True
        for number, hosts in list(enumerate(found.releases, 1))[first:]:
            holds = self.m_unique(hosts)
            distinct = self._distinct(hosts)
            groups, records = groups + len(holds), records + int(hosts.sizes.sum())
            bad_groups, bad_records = bad_groups + int((~holds).sum()), bad_records + int(hosts.sizes[~holds].sum())
            least = min(
                [*([] if least is None else [least]), *([int(distinct.min())] if len(distinct) else [])], default=None
            )
            unique &= bool((distinct == hosts.sizes).all())
            broken += [
                Violation((f"R{number}", *(keys[at] for keys in hosts.labels)), int(hosts.sizes[at]), int(distinct[at]))
                for at in np.flatnonzero(~holds)[:worst].tolist()
            ]
        changed = found.changed()
        # Who it is stays here; which signatures changed, and when, is published already.
        broken += [
            Violation((f"R{one.release}",), 1, len(set(one.before) & set(one.after)), {"release": one.release})
            for one in changed[:worst]
        ]
        return self.verdict(
            qid=view.qid,
            satisfied=not bad_groups and not changed,
            strongest=None if changed or not unique else least,
            groups=groups,
            records=records,
            bound=str(at_least(self.m)),
            violations=broken[:worst],
            violating_groups=bad_groups,
            violating_records=bad_records + len(changed),
        )

    def m_unique(self, hosts: Hosts) -> Bools:
        """Tell which groups have m rows or more, no two of which have the same sensitive value."""
        distinct = self._distinct(hosts)
        return np.asarray((distinct == hosts.sizes) & at_least(self.m).holds(distinct))

    @staticmethod
    def _distinct(hosts: Hosts) -> Ints:
        pairs = np.unique(np.column_stack([hosts.group_of_row(), hosts.value]), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(hosts.signature)).astype(np.int64)
