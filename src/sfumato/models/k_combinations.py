"""k-combinations: every combination of a few published values is shared by at least k records."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import TableModel, TableTraits, Verdict, Violation
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.text import SUPPRESSED
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Ints
from sfumato.models._value_combinations import coded_keys, refined

__all__ = ["KCombinations"]


class KCombinations(TableModel):
    """Every combination of up to ``size`` published quasi-identifier values is shared by at least k records.

    For every set of 1 to ``size`` attributes of QID and every combination ``q`` of their published values that occurs,
    ``|T[q]| >= k``. A suppressed cell tells nothing and matches nothing: a combination that holds ``*`` is not counted. A
    missing value is a value of its own.

    It is weaker than k-anonymity where QID has more than ``size`` attributes: all combinations of three values may be frequent
    and every record unique. It differs from LKC-privacy without a sensitive column in the suppressed cells alone. A coarser
    recoding of a whole column keeps it; suppressing further cells may break it, because the other values of these records
    lose a match.

    Known limit: it hides the persons whose records show the known values. Who has a value that hardly any record shows must be
    behind one of the suppressed cells, and if these are few, is found.

    Adversary: knows at most ``size`` quasi-identifier values of a person in the table and looks for that person's record.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> from sfumato.contracts.publication import Publication
    >>> table = from_rows(["Job", "Sex"], [("Artist", "F"), ("Artist", "*"), ("Artist", "F"), ("*", "F")])
    >>> verdict = KCombinations(k=3, size=2).judge(Publication(table=table, qids=("Job", "Sex")))
    >>> verdict.satisfied, verdict.strongest, verdict.violations[0].group
    (False, 2, ('Artist', 'F'))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.2.1.
    Hundepool, Willenborg, "mu- and tau-Argus: software for statistical disclosure control", 1996.
    """

    id: ClassVar[str] = "k-combinations"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="subsets",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
    )
    adversary: ClassVar[str] = say("adversary.k-combinations")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of records that must share a combination of values")
    size: int = param(default=3, ge=1, doc="largest number of attributes that are combined")

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge all combinations of at most ``size`` published values."""
        return self.check(publication.groups(self.qid), worst=worst)

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge groups on the columns that their keys name; each violation is one combination of values."""
        smallest: int | float | None = None
        broken = 0
        touched = np.zeros(len(groups), bool)
        found: list[Violation] = []
        for chosen, rows, ids, count in self._combinations(groups):
            shared = np.bincount(ids, weights=groups.sizes[rows], minlength=count).astype(groups.sizes.dtype)
            least = shared.min().item()
            smallest = least if smallest is None else min(smallest, least)
            bad = np.flatnonzero(shared < self.k)
            if not len(bad):
                continue
            broken += len(bad)
            touched[rows[(shared < self.k)[ids]]] = True
            order = bad[np.argsort(shared[bad], kind="stable")][:worst]
            found += [self._violation(groups, chosen, rows, ids, int(at), shared[at].item()) for at in order]
            found = sorted(found, key=lambda violation: violation.measured)[:worst]
        return self.verdict(
            qid=groups.columns,
            satisfied=broken == 0,
            strongest=smallest,
            bound=say("bound.any_values", k=self.k, size=self.size),
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violations=found,
            violating_groups=broken,
            violating_records=groups.sizes[touched].sum().item(),
        )

    def _combinations(self, groups: GroupStats) -> Iterator[tuple[tuple[int, ...], Ints, Ints, int]]:
        """Yield every set of columns with the groups that show a value in all of them, and their combination's number."""
        if not len(groups):
            return
        codes, values = coded_keys(groups)
        shows = np.ones(codes.shape, bool)
        for at, known in enumerate(values):
            if SUPPRESSED in known:
                shows[:, at] = codes[:, at] != known.index(SUPPRESSED)
        everybody = np.arange(len(groups), dtype=np.int64)
        stack: list[tuple[tuple[int, ...], Ints, Ints]] = [((), everybody, np.zeros(len(groups), np.int64))]
        while stack:
            chosen, rows, ids = stack.pop()
            for at in range(chosen[-1] + 1 if chosen else 0, codes.shape[1]):
                keep = shows[rows, at]
                left = rows[keep]
                if not len(left):
                    continue
                made, count = refined(ids[keep], codes[left, at])
                grown = (*chosen, at)
                yield grown, left, made, count
                if len(grown) < self.size:
                    stack.append((grown, left, made))

    def _violation(
        self, groups: GroupStats, chosen: tuple[int, ...], rows: Ints, ids: Ints, at: int, shared: int
    ) -> Violation:
        first = int(rows[np.flatnonzero(ids == at)[0]])
        values: tuple[Hashable, ...] = tuple(groups.keys[column][first] for column in chosen)
        witness: dict[str, object] = {
            "columns": tuple(groups.columns[column] for column in chosen),
            "records": shared,
            "record_link_probability": 1 / shared,
        }
        return Violation(values, shared, shared, witness)
