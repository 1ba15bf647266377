"""LKC-privacy: an adversary who knows at most L values finds at least K records and no sensitive value too likely."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.model import Model, ModelTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import Value, checked_histogram
from sfumato.models.value_combinations import coded_keys, distinct_keys, groups_of, refined

__all__ = ["Exposure", "LKCPrivacy", "subsets", "sufficient_subsets"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Exposure:
    """The rarest combination of values and the surest conclusion from one; ``None`` for an empty table."""

    smallest: int | None
    confidence: float | None


@dataclass(frozen=True, kw_only=True)
class LKCPrivacy(Model):
    """Any combination of at most L quasi-identifier values fits K records or more, and gives no sensitive value away.

    For every set of at most L attributes of QID and every combination ``q`` of their values that occurs: ``|T[q]| >= K``,
    and ``|T[q and s]| / |T[q]| <= C`` for every sensitive value ``s`` in ``values``. L beyond the number of attributes acts
    as that number. Without a sensitive column, or with no values, only K counts.

    Records that match ``q`` are divided among the values of any further attribute, so a smallest count and a largest share
    are found on sets of exactly L attributes; only these are counted. The argument needs a value in every cell: with
    ``cells="absent"`` (a missing cell cannot be known, as in set-valued data) all sizes up to L are counted.

    Adversary: knows at most L quasi-identifier values of a person in the table.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms({"Artist": {"HIV": 3, "Flu": 1}, "Lawyer": {"Flu": 3}}, column="Disease")
    >>> model = LKCPrivacy(L=1, K=3, C=0.5, sensitive="Disease", values=("HIV",))
    >>> model.exposure(groups)
    Exposure(smallest=3, confidence=0.75)
    >>> verdict = model.check(groups)
    >>> verdict.satisfied, verdict.violations[0].group, verdict.violations[0].witness["value"]
    (False, ('Artist',), 'HIV')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.2.6 and 6.2.
    Mohammed, Fung, Hung, Lee, "Anonymizing healthcare data: a case study on the blood transfusion service", 2009,
    doi:10.1145/1557019.1557157.
    """

    id: ClassVar[str] = "lkc-privacy"
    traits: ClassVar[ModelTraits] = ModelTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="S",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = (
        "knows at most L quasi-identifier values of a person who is in the table and looks for that person's record or "
        "sensitive value"
    )
    level: ClassVar[str] = "K"

    L: int = param(ge=1, doc="largest number of quasi-identifier values that the adversary knows")
    K: int = param(ge=1, doc="smallest number of records that must fit what the adversary knows")
    C: float = param(gt=0, le=1, default=1.0, doc="largest share of one sensitive value among these records")
    sensitive: str | None = column(
        "sensitive", default=None, doc="column with the values to protect; none: K alone counts"
    )
    values: tuple[Value, ...] | None = param(default=None, doc="sensitive values to protect; all if not given")
    missing: str = param(
        default="refuse",
        choices=("refuse", "count"),
        doc="what to do with missing sensitive values: refuse the table, or count missing as a value of its own",
    )
    cells: str = param(
        default="value",
        choices=("value", "absent"),
        doc="a missing quasi-identifier is a value of its own, or absent, so that nobody can know it",
    )

    def validate(self) -> None:
        """Refuse sensitive values without the column they come from."""
        super().validate()
        if self.values is not None and self.sensitive is None:
            raise BadRequest("needs the sensitive column of the values", parameter=f"{self.id}.sensitive")

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column, if there is one."""
        return () if self.sensitive is None else (self.sensitive,)

    def necessary(self, records: int) -> str | None:
        """A table of fewer than K records has no combination of K records."""
        return f"K={self.K} is larger than the number of records, {records}" if records < self.K else None

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge all combinations of at most L quasi-identifiers."""
        return self.check(groups_of(self, publication, self.needs()), worst=worst)

    def exposure(self, groups: GroupStats) -> Exposure:
        """Return the smallest count and the largest confidence over all combinations of at most L values."""
        found = [(part.size.min().item(), float(part.confidence.max())) for part in self._counted(groups)]
        if not found:
            return Exposure(None, None)
        return Exposure(min(size for size, _ in found), max(confidence for _, confidence in found))

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge groups on the columns that their keys name; each violation is one combination of values."""
        bound = at_most(float(self.C))
        smallest: int | None = None
        broken = 0
        touched = np.zeros(len(groups), bool)
        found: list[tuple[tuple[float, float], Violation]] = []
        for part in self._counted(groups):
            least = part.size.min().item()
            smallest = least if smallest is None else min(smallest, least)
            bad = np.flatnonzero((part.size < self.K) | ~bound.holds(part.confidence))
            if not len(bad):
                continue
            broken += len(bad)
            hit = np.zeros(len(part.size), bool)
            hit[bad] = True
            touched[part.rows[hit[part.ids]]] = True
            order = np.lexsort((-part.confidence[bad], np.minimum(part.size[bad], self.K)))
            found += [self._violation(part, int(at)) for at in bad[order][:worst]]
            found = sorted(found, key=lambda entry: entry[0])[:worst]
        return self.verdict(
            qid=groups.columns,
            satisfied=broken == 0,
            strongest=smallest,
            bound=f">= {self.K} records" + (f" and confidence <= {self.C:g}" if self._confidence_counts() else ""),
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violations=[violation for _, violation in found],
            violating_groups=broken,
            violating_records=groups.sizes[touched].sum().item(),
        )

    def _confidence_counts(self) -> bool:
        return self.sensitive is not None and self.values != () and self.C < 1

    def _violation(self, part: _Counted, at: int) -> tuple[tuple[float, float], Violation]:
        size, confidence = part.size[at].item(), float(part.confidence[at])
        rare = size < self.K
        witness: dict[str, Any] = {"columns": part.columns, "records": size, "record_link_probability": 1 / size}
        if self.sensitive is not None:
            witness |= {"value": part.surest(at), "confidence": confidence}
        violation = Violation(part.key(at), size, size if rare else confidence, witness)
        return (min(size, self.K), -confidence), violation

    def _counted(self, groups: GroupStats) -> Iterator[_Counted]:
        if not len(groups):
            return
        codes, values = coded_keys(groups)
        secret = _Secret.of(groups, self.sensitive, self.values, self.missing)
        present = np.ones(codes.shape, bool)
        columns = list(range(codes.shape[1]))
        if self.cells == "absent":
            for at, known in enumerate(values):
                if None in known:
                    present[:, at] = codes[:, at] != known.index(None)
        else:
            # A column with one value divides nothing, so sets that hold it say no more than the sets without it.
            columns = [at for at in columns if len(values[at]) > 1] or columns[:1]
        most = min(self.L, len(columns))
        least = most if present.all() else 1
        start = np.arange(len(groups), dtype=np.int64)
        stack: list[tuple[tuple[int, ...], Ints, Ints]] = [((), start, np.zeros(len(groups), np.int64))]
        while stack:
            chosen, rows, ids = stack.pop()
            for at in columns:
                if chosen and at <= chosen[-1]:
                    continue
                if len(chosen) + sum(other >= at for other in columns) < least:
                    break
                keep = present[rows, at]
                left = rows[keep]
                if not len(left):
                    continue
                made, count = refined(ids[keep], codes[left, at])
                grown = (*chosen, at)
                if len(grown) >= least:
                    yield _Counted.of(groups, grown, left, made, count, secret)
                if len(grown) < most:
                    stack.append((grown, left, made))


@dataclass(frozen=True, eq=False)
class _Secret:
    """The entries of the sensitive histogram that count: group, value, records."""

    values: Sequence[Hashable]
    group: Ints
    code: Ints
    count: Ints

    @classmethod
    def of(cls, groups: GroupStats, sensitive: str | None, values: Sequence[Hashable] | None, missing: str) -> _Secret:
        empty = np.empty(0, np.int64)
        if sensitive is None or values == ():
            return cls((), empty, empty, empty)
        histogram = checked_histogram(groups, sensitive, missing)
        wanted = np.array([values is None or value in values for value in histogram.values], bool)
        keep = wanted[histogram.code]
        return cls(histogram.values, histogram.group()[keep], histogram.code[keep], histogram.count[keep])


@dataclass(frozen=True, eq=False)
class _Counted:
    """One set of attributes: its combinations of values, how many records fit each, and the surest sensitive value."""

    groups: GroupStats
    chosen: tuple[int, ...]
    rows: Ints
    ids: Ints
    size: Ints
    confidence: Floats
    entries: Mapping[str, Ints]
    values: Sequence[Hashable]

    @classmethod
    def of(
        cls, groups: GroupStats, chosen: tuple[int, ...], rows: Ints, ids: Ints, count: int, secret: _Secret
    ) -> _Counted:
        size = np.bincount(ids, weights=groups.sizes[rows], minlength=count).astype(groups.sizes.dtype)
        place = np.full(len(groups), -1, np.int64)
        place[rows] = ids
        where = place[secret.group]
        keep = where >= 0
        width = max(len(secret.values), 1)
        pair, at = distinct_keys(where[keep] * width + secret.code[keep])
        matching: Any = np.bincount(at, weights=secret.count[keep], minlength=len(pair))
        confidence = np.zeros(count)
        np.maximum.at(confidence, pair // width, matching / size[pair // width])
        entries = {"combination": pair // width, "code": pair % width, "count": matching}
        return cls(groups, chosen, rows, ids, size, confidence, entries, secret.values)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.groups.columns[at] for at in self.chosen)

    def key(self, combination: int) -> tuple[Hashable, ...]:
        row = int(self.rows[np.flatnonzero(self.ids == combination)[0]])
        return tuple(self.groups.keys[at][row] for at in self.chosen)

    def surest(self, combination: int) -> Hashable:
        here = np.flatnonzero(self.entries["combination"] == combination)
        if not len(here):
            return None
        return self.values[int(self.entries["code"][here[np.argmax(self.entries["count"][here])]])]


def subsets(qid: Sequence[str], L: int) -> list[tuple[str, ...]]:
    """Return every set of 1 to L quasi-identifiers, small ones first.

    >>> subsets(["Job", "Sex"], 5)
    [('Job',), ('Sex',), ('Job', 'Sex')]
    """
    return [chosen for size in range(1, min(L, len(qid)) + 1) for chosen in combinations(qid, size)]


def sufficient_subsets(qid: Sequence[str], L: int) -> list[tuple[str, ...]]:
    """Return the sets that decide for all smaller ones where every cell has a value: those of exactly min(L, all)."""
    return list(combinations(qid, min(L, len(qid))))
