"""k-anonymity with wildcards: every record may be taken for at least k - 1 others, empty cells matching every value."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Numbers, TableModel, TableTraits, Verdict, Violation, at_least
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.text import MISSING_LABEL, SUPPRESSED
from sfumato.groups.stats import GroupStats
from sfumato.groups.wildcards import matching, wildcard_codes

__all__ = ["EMPTY", "KAnonymityWildcard"]

EMPTY = (None, MISSING_LABEL, SUPPRESSED)
"""What an empty cell holds: nothing, or what is published of nothing."""


class KAnonymityWildcard(TableModel):
    """Every record matches at least k - 1 others, where an empty cell matches every value, on either side.

    Two records match if they are equal in every attribute of QID in which neither cell is empty: suppressed (``*``), missing,
    or published as missing (``?``). Let ``f(r)`` be the number of records that match ``r``, itself included. The requirement
    holds iff ``f(r) >= k`` for every record. Matching is not transitive, so there are no groups that could be merged or left
    out one by one: searches that need groups refuse it, ``local-suppression`` meets it. Emptying further cells never breaks it.

    It is weaker than ``k-anonymity``, which counts ``*`` as a symbol like others. k - 1 records of which every cell is empty
    match everybody, and the requirement holds of any table then: whoever finds exactly one record that shows all she knows may
    well think that it is the right one. And who looks for ``(a, y)`` passes over ``(b, y)``, though it matches the record
    ``(*, y)`` that she is looking for. So nothing is promised to a person: what is counted is published records that do not
    contradict each other. This is how sdcMicro counts after local suppression.

    Adversary: knows the quasi-identifier of a person in the table, and that any record with empty cells may be that person's.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> from sfumato.contracts.publication import Publication
    >>> table = from_rows(["Job", "Sex"], [("Artist", "F"), ("*", "F"), ("Lawyer", "F"), ("Lawyer", "M")])
    >>> verdict = KAnonymityWildcard(k=2).judge(Publication(table=table, qids=("Job", "Sex")))
    >>> verdict.satisfied, verdict.strongest, verdict.violations[0].group
    (False, 1, ('Lawyer', 'M'))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.1.
    Templ, Kowarik, Meindl, "Statistical disclosure control for micro-data using the R package sdcMicro", 2015,
    doi:10.18637/jss.v067.i04.
    """

    id: ClassVar[str] = "k-anonymity-wildcard"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="record",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
    )
    adversary: ClassVar[str] = say("adversary.k-anonymity-wildcard")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of records that must match, the record itself included")

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge every record by how many match it on the quasi-identifier."""
        return self.check(publication.groups(self.qid), worst=worst)

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge records that look alike together."""
        shared, bound = self.matches(groups), at_least(self.k)
        broken = np.flatnonzero(~bound.holds(shared))
        shown = broken[np.argsort(shared[broken], kind="stable")][:worst]
        return self.verdict(
            qid=groups.columns,
            satisfied=len(broken) == 0,
            strongest=bound.worst(shared),
            bound=str(bound),
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violating_groups=len(broken),
            violating_records=groups.sizes[broken].sum().item(),
            violations=[
                Violation(
                    groups.key(int(at)),
                    groups.sizes[at].item(),
                    shared[at].item(),
                    {"record_link_probability": 1 / shared[at].item()},
                )
                for at in shown
            ],
        )

    def matches(self, groups: GroupStats) -> Numbers:
        """Return how many records match those of each group."""
        if not len(groups):
            return np.empty(0, groups.sizes.dtype)
        found = matching(wildcard_codes(groups, EMPTY), groups.sizes[:, None].astype(np.float64))[:, 0]
        return found if groups.sizes.dtype.kind == "f" else np.rint(found).astype(np.int64)
