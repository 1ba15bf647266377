"""(X,Y)-privacy on the join: what several releases with different columns tell together of Y from X."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Model, ModelTraits, Verdict, Violation
from sfumato.contracts.thing import columns, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.sequels.join import JoinColumn, SequentialJoin
from sfumato.sequels.series import Series

__all__ = ["JoinQuestion", "XYPrivacyJoin"]

Value = str | int | float | bool


@frozen(eq=False)
class JoinQuestion:
    """A requirement put to one series: the join, and X and Y as columns of it.

    ``added`` are columns that were taken into X beside those asked for: copies of common columns in other releases, and join
    attributes. ``free`` are join attributes outside X: while there are any, refining a release can make the series safer, so
    that "no finer release is safe" and "none is safe at all" are not theorems.
    """

    join: SequentialJoin
    x: tuple[JoinColumn, ...]
    y: tuple[JoinColumn, ...]
    added: tuple[JoinColumn, ...]
    free: tuple[str, ...]


class XYPrivacyJoin(Model[Series]):
    """On the join of all releases every value on X goes with k values on Y, and tells none of them with confidence above h.

    With ``a(x)`` the joined rows that have ``x`` on X and ``a(x, y)`` those of them that have ``y`` on Y: ``a_Y(x)`` is the
    number of different ``y`` with ``a(x, y) > 0`` and ``A_Y(X)`` the smallest over all ``x`` that occur; ``l_y(x) =
    a(x, y) / a(x)``, and ``L_Y(X)`` is the largest over all ``x`` and all protected ``y``. *(X,Y)-anonymity* asks for
    ``A_Y(X) >= k``, *(X,Y)-linkability* for ``L_Y(X) <= h``; give either or both. ``anonymity_counts="records"`` lets k count
    ``a(x)``, joined rows, instead. Shares are compared with h as they are, without slack. An empty join satisfies everything.

    Columns are written ``T1.Job``, or ``Job`` for that of every release which has it. A common column in X is taken from every
    release. Values on different columns, or with bounds of their own, are several requirements. If X lies in X' and Y' in Y, as
    sets of columns, the requirement on (X', Y') implies that on (X, Y); fewer protected *values* are a weaker requirement.

    Put every join attribute into X (``include_join``) where that is possible: only then a release that is refused can never be
    mended by refining it.

    Adversary: has every release, the hierarchies, and the values on X of a person; joins them and infers the value on Y.

    Examples
    --------
    >>> first = {"Job": ["Banker", "Banker", "Clerk", "Driver"], "Disease": ["Cancer", "Cancer", "HIV", "Cancer"]}
    >>> then = {"Name": ["Alice", "Alice", "Bob", "Bob"], "Job": ["Banker", "Banker", "Clerk", "Driver"]}
    >>> series = Series.of([first, then], qid=["Name"], sensitive="Disease")
    >>> verdict = XYPrivacyJoin(h=0.9).judge(series)
    >>> verdict.satisfied, verdict.strongest, verdict.violating_groups
    (False, 1.0, 1)

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", 2006, doi:10.1145/1150402.1150449.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 9.1.2.1.
    """

    id: ClassVar[str] = "xy-privacy-join"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"record", "attribute"}), evaluation="external")
    adversary: ClassVar[str] = say("adversary.xy-privacy-join")
    level: ClassVar[str] = "smallest h at this k (largest k without h)"

    k: int | None = param(default=None, ge=1, doc="fewest values on Y for each value on X; no bound if not given")
    h: float | None = param(default=None, gt=0, le=1, doc="largest confidence in a value on Y; no bound if not given")
    x: tuple[str, ...] | None = columns(
        "any",
        doc="columns of the join that are known (X), such as T1.Job; the quasi-identifiers if not given",
        default=None,
    )
    y: tuple[str, ...] | None = columns(
        "any", doc="columns of the join to be protected (Y); the sensitive column if not given", default=None
    )
    values: tuple[Value | tuple[Value, ...], ...] | None = param(
        default=None, doc="values on Y to protect, all if not given; with several columns in Y, one list per value"
    )
    anonymity_counts: str = param(
        default="distinct_y",
        choices=("records", "distinct_y"),
        doc="whether k counts different values on Y or joined rows",
    )
    join: tuple[str, ...] | None = columns(
        "any",
        doc="attributes by which records match; all common ones that are no bare numbers if not given",
        default=None,
    )
    inconsistent: tuple[tuple[str, str, str, str], ...] = param(
        default=(),
        doc="pairs that nobody has, such as T1.Sex, Male, T2.Condition, Pregnant; so have none of the values below",
    )
    include_join: bool = param(default=False, doc="whether every join attribute is taken into X")

    def validate(self) -> None:
        """Refuse a requirement without k and h, and empty lists."""
        if self.k is None and self.h is None:
            raise BadRequest("needs k, h or both", parameter=f"{self.id}.k")
        for name, given in (("x", self.x), ("y", self.y), ("values", self.values)):
            if given is not None and not given:
                raise BadRequest("must not be empty", parameter=f"{self.id}.{name}")
        if self.h is None and self.values is not None:
            raise BadRequest("values are protected by h, which is not given", parameter=f"{self.id}.values")

    def asked(self, series: Series) -> JoinQuestion:
        """Return the requirement as it reads on a series; X and Y that overlap are refused."""
        join = SequentialJoin.of_series(series, join=self.join, inconsistent=self.inconsistent)
        y = join.columns(self.y if self.y is not None else (series.protected,), parameter=f"{self.id}.y")
        given = join.columns(self.x if self.x is not None else series.qid, parameter=f"{self.id}.x")
        free = join.free(given)
        x = join.expanded([*map(str, given), *(free if self.include_join else ())])
        shared = [str(one) for one in y if one in x]
        if shared:
            raise BadRequest("X and Y must not share a column", parameter=f"{self.id}.y", value=shared[0])
        for value in self.values or ():
            if (len(value) if isinstance(value, tuple) else 1) != len(y):
                raise BadRequest(
                    "values need one part for each column of Y", parameter=f"{self.id}.values", available=y
                )
        return JoinQuestion(join, x, y, tuple(one for one in x if one not in given), join.free(x))

    def share_bound(self) -> Bound:
        """Shares are whole numbers divided once, so that one which equals h is the same number: nothing is forgiven."""
        return Bound(1.0 if self.h is None else self.h, "at_most", exact=True)

    def count_bound(self) -> Bound:
        """Each value on X needs k values on Y, or k joined rows."""
        return Bound(self.k or 1, "at_least", exact=True)

    def protects(self, value: Hashable) -> bool:
        """Tell whether a value on Y is protected by h."""
        return self.values is None or value in self.values

    def measured(self, groups: GroupStats) -> tuple[Floats, Ints]:
        """Return of each value on X the largest share of a protected value on Y, and what k counts."""
        (histogram,) = groups.histograms.values()
        kept = np.array([self.protects(value) for value in histogram.values], bool)
        counts = np.where(kept[histogram.code], histogram.count, 0)
        largest = np.maximum.reduceat(counts, histogram.start[:-1]) if len(groups) else counts
        return largest / groups.sizes, groups.sizes if self.anonymity_counts == "records" else histogram.distinct()

    def holds(self, shares: Floats, counts: Ints) -> Bools:
        """Tell of each value on X whether both bounds hold."""
        return np.asarray(self.share_bound().holds(shares) & self.count_bound().holds(counts))

    def judge(self, view: Series, *, worst: int = 10) -> Verdict:
        """Judge the join of all releases, some values on X at a time."""
        question = self.asked(view)
        found: list[Violation] = []
        met, rows, broken, touched = 0, 0, 0, 0
        top, least = 0.0, None
        for groups in question.join.pieces(question.x, question.y):
            if not len(groups):
                continue
            shares, counts = self.measured(groups)
            bad = np.flatnonzero(~self.holds(shares, counts))
            met, rows = met + len(groups), rows + int(groups.sizes.sum())
            broken, touched = broken + len(bad), touched + int(groups.sizes[bad].sum())
            top = max(top, float(shares.max()))
            least = int(counts.min()) if least is None else min(least, int(counts.min()))
            shown = bad[np.argsort(counts[bad] if self.h is None else -shares[bad], kind="stable")][:worst]
            found += [self._violation(groups, int(at), float(shares[at]), int(counts[at])) for at in shown]
        found.sort(key=lambda one: one.measured if self.h is None else -one.measured)
        short = least is not None and not bool(self.count_bound().holds(np.array([least]))[0])
        return self.verdict(
            qid=tuple(map(str, question.x)),
            satisfied=broken == 0,
            strongest=None if met == 0 or (short and self.h is not None) else least if self.h is None else top,
            groups=met,
            records=rows,
            bound=self._bound(),
            violations=found[:worst],
            violating_groups=broken,
            violating_records=touched,
        )

    def _violation(self, groups: GroupStats, at: int, share: float, count: int) -> Violation:
        told: dict[str, object] = {"joined_rows": int(groups.sizes[at]), "counted": count, "confidence": share}
        return Violation(groups.key(at), int(groups.sizes[at]), count if self.h is None else share, told)

    def _bound(self) -> str:
        if self.h is None:
            return str(self.count_bound())
        if self.k is None:
            return say("bound.share", bound=str(self.share_bound()))
        by_records = self.anonymity_counts == "records"
        return say(
            "bound.share_and_records" if by_records else "bound.share_and_values",
            bound=str(self.share_bound()),
            k=self.k,
        )
