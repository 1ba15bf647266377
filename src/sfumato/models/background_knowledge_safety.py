"""(c,k)-safety: k implications about anybody in the table do not make any sensitive value as likely as c."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import TableModel, TableTraits, Verdict, Violation
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models._knowledge_allocation import certain_below, least_products
from sfumato.models._value_combinations import groups_of, whole_persons
from sfumato.models.sensitive_model import checked_histogram

__all__ = ["BackgroundKnowledgeSafety"]


class BackgroundKnowledgeSafety(TableModel):
    """Whoever knows k implications between persons' values still learns no value with probability c.

    Worlds: all assignments of each group's sensitive values to its members, equally likely. A unit of knowledge is an
    implication ``(A1 and ...) -> (B1 or ...)`` over atoms "person p has value s". The maximum disclosure is the largest
    ``P(A | k units)`` over atoms ``A`` and units that some world fulfils. The table is (c,k)-safe iff it is less than c.

    The worst units share their consequent, ``A1 -> A, ..., Ak -> A``, so the maximum is that of
    ``P(A) / (P(A) + P(not A, not A1, ..., not Ak))``. In a group of ``n`` with counts ``f1 >= f2 >= ...`` the least chance
    ``N(m)`` that ``m`` negated atoms hold is the minimum, over ``m = k0 + k1 + ...`` in falling order, of the product of
    ``(n - i - f1 - ... - f_ki) / (n - i)``: person ``i`` is denied her ``k_i`` most frequent values. A dynamic program hands
    the atoms out to the groups.

    A disclosure that rounding cannot tell from c counts as reaching it.

    Adversary: knows the groups, who is in which, and k implications between the sensitive values of persons.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Flu": 2, "Cold": 1, "HIV": 1, "Gout": 1}], column="Disease")
    >>> verdict = BackgroundKnowledgeSafety(c=0.8, k=2, sensitive="Disease").check(groups)
    >>> verdict.satisfied, round(verdict.strongest, 12)
    (False, 0.8)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.1.
    Martin, Kifer, Machanavajjhala, Gehrke, Halpern, "Worst-case background knowledge for privacy-preserving data
    publishing", 2007, doi:10.1109/ICDE.2007.367858.
    """

    id: ClassVar[str] = "background-knowledge-safety"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="worlds",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.background-knowledge-safety")
    level: ClassVar[str] = "maximum disclosure"

    c: float = param(gt=0, le=1, doc="probability that no sensitive value of any person may reach")
    k: int = param(ge=0, doc="number of implications that the adversary knows")
    sensitive: str = column("sensitive", doc="column with the values to protect")
    missing: str = param(
        default="refuse",
        choices=("refuse", "count"),
        doc="what to do with missing sensitive values: refuse the table, or count missing as a value of its own",
    )

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column."""
        return (self.sensitive,)

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge all groups together."""
        return self.check(groups_of(self, publication, self.needs()), worst=worst)

    def disclosure(self, groups: GroupStats) -> Floats:
        """Return the maximum disclosure of a person in each group, with knowledge about all groups."""
        histogram = checked_histogram(groups, self.sensitive, self.missing)
        whole_persons(groups, self.id)
        if not len(groups):
            return np.empty(0)
        sizes = histogram.totals()
        # As many atoms as some group has values deny a person everything: more knowledge adds nothing to certainty.
        k = min(self.k, int(histogram.distinct().min()))
        denied = _least_denials(sizes, _largest_sums(histogram, k + 1))
        elsewhere = least_products(denied[:, : k + 1, np.newaxis])[:, :, 0]
        # Of k atoms m lie in the own group, next to the one that is to be disclosed.
        refuted = (denied[:, 1:] * elsewhere[:, ::-1]).min(axis=1)
        share = histogram.largest() / sizes
        out: Floats = share / (share + refuted)
        return out

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge groups; each violation is a group whose members may be disclosed."""
        values = self.disclosure(groups)
        broken = np.flatnonzero(~certain_below(values, self.c))
        shown = broken[np.argsort(-values[broken], kind="stable")][:worst]
        return self.verdict(
            qid=groups.columns,
            satisfied=len(broken) == 0,
            strongest=float(values.max()) if len(values) else None,
            bound=f"< {self.c:g}",
            groups=len(groups),
            records=int(groups.sizes.sum()),
            violations=[
                Violation(groups.key(int(at)), int(groups.sizes[at]), float(values[at]), self._witness(groups, int(at)))
                for at in shown
            ],
            violating_groups=len(broken),
            violating_records=int(groups.sizes[broken].sum()),
        )

    def _witness(self, groups: GroupStats, group: int) -> dict[str, object]:
        row = groups.histograms[self.sensitive].row(group)
        value = max(row, key=lambda name: row[name])
        return {"value": value, "share": row[value] / int(groups.sizes[group]), "implications": self.k}


def _largest_sums(histogram: Histogram, most: int) -> Ints:
    """Return ``groups x (most + 1)``: the records that hold one of the 0, 1, ..., most frequent values."""
    group = histogram.group()
    order = np.lexsort((-histogram.count, group))
    rank = np.arange(len(order)) - histogram.start[group]
    top = np.zeros((len(histogram.start) - 1, most + 1), np.int64)
    inside = rank < most
    top[group[inside], rank[inside] + 1] = histogram.count[order][inside]
    return np.cumsum(top, axis=1)


def _least_denials(sizes: Ints, sums: Ints) -> Floats:
    """Return ``groups x (most + 1)``: the least chance that 0, 1, ... negated atoms of a group all hold."""
    most = sums.shape[1] - 1
    # best[m, p]: m atoms for the persons from i on, none denied more than p values; filled from the last person back.
    # Without a person left no atom can be placed, and placing fewer is the best there is.
    best = np.ones((most + 1, most + 1, len(sizes)))
    for person in range(most - 1, -1, -1):
        there = sizes > person
        grown = np.ones_like(best)
        for atoms in range(1, most + 1):
            for part in range(1, most + 1):
                grown[atoms, part] = grown[atoms, part - 1]
                if part <= atoms:
                    free = np.maximum(sizes - person - sums[:, part], 0) / np.maximum(sizes - person, 1)
                    denied = np.where(there, free * best[atoms - part, part], 1.0)
                    grown[atoms, part] = np.minimum(grown[atoms, part], denied)
        best = grown
    return np.minimum.accumulate(best[:, most].T, axis=1)
