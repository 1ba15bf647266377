"""LKC-privacy: an adversary who knows at most L values finds at least K records and no sensitive value too likely."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.contracts.model import GroupModel, TableModel, TableTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools
from sfumato.models._combination_counts import CombinationCounts, Counted, Secret
from sfumato.models._value_combinations import coded_keys, distinct_keys, groups_of
from sfumato.models.alpha_k_anonymity import AlphaKAnonymity
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.sensitive_model import Value, checked_histogram, each

__all__ = ["Exposure", "LKCPrivacy", "subsets", "sufficient_subsets"]


@frozen
class Exposure:
    """The rarest combination of values and the surest conclusion from one; ``None`` for an empty table."""

    smallest: int | None
    confidence: float | None


class LKCPrivacy(TableModel):
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
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="subsets",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.lkc-privacy")
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

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with the values it protects as their column holds them."""
        sensitive = self.sensitive
        return self if sensitive is None else replace(self, values=each(self.values, partial(held, sensitive)))

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column, if there is one."""
        return () if self.sensitive is None else (self.sensitive,)

    def necessary(self, records: int) -> str | None:
        """A table of fewer than K records has no combination of K records."""
        return f"K={self.K} is larger than the number of records, {records}" if records < self.K else None

    def on_subsets(self, names: Sequence[str]) -> Sequence[GroupModel] | None:
        """Return the condition on every set of L columns; with absent cells smaller sets do not follow from them."""
        known = [name for name in names if name in (self.qid or names)]
        alone = self.in_each_group()
        return None if self.cells == "absent" else [replace(alone, qid=s) for s in sufficient_subsets(known, self.L)]

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge all combinations of at most L quasi-identifiers."""
        return self.check(groups_of(self, publication, self.needs()), worst=worst)

    def exposure(self, groups: GroupStats) -> Exposure:
        """Return the smallest count and the largest confidence over all combinations of at most L values."""
        counts = self._counts(groups)[0]
        found = [(part.size.min().item(), float((part.matching / part.size).max())) for part in counts]
        if not found:
            return Exposure(None, None)
        return Exposure(min(size for size, _ in found), max(confidence for _, confidence in found))

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge groups on the columns that their keys name; each violation is one combination of values."""
        counts, values = self._counts(groups)
        smallest: int | None = None
        broken, touched, found = 0, np.zeros(len(groups), bool), list[Violation]()
        if not self._confidence_counts():
            # Sizes alone decide; who has which sensitive value is of interest only where some combination is too rare.
            sizes = replace(counts, secret=Secret.none())
            smallest = min((part.size.min().item() for part in sizes), default=None)
        if self._confidence_counts() or (smallest is not None and smallest < self.K):
            smallest, broken, touched, found = self._broken(counts, groups, values, worst)
            if broken and counts.least > 1:
                # Sets of L columns decide; what is broken is told of smaller ones as well, which say it in fewer values.
                _, broken, touched, found = self._broken(replace(counts, least=1), groups, values, worst)
        return self.verdict(
            qid=groups.columns,
            satisfied=broken == 0,
            strongest=smallest,
            bound=say("bound.records_and_confidence", k=self.K, most=self.C)
            if self._confidence_counts()
            else say("bound.records", k=self.K),
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violations=found,
            violating_groups=broken,
            violating_records=groups.sizes[touched].sum().item(),
        )

    def _broken(
        self, counts: CombinationCounts, groups: GroupStats, values: Sequence[Sequence[Hashable]], worst: int
    ) -> tuple[int | None, int, Bools, list[Violation]]:
        """Return the smallest count, the number of broken combinations, the groups that fit one, and the worst of them."""
        bound = at_most(float(self.C))
        smallest: int | None = None
        broken = 0
        touched = np.zeros(len(groups), bool)
        found: list[tuple[tuple[float, float, tuple[tuple[int, ...], int], int], Violation]] = []
        for part in counts:
            least = part.size.min().item()
            smallest = least if smallest is None else min(smallest, least)
            confidence = part.matching / part.size
            bad = np.flatnonzero((part.size < self.K) | ~bound.holds(confidence))
            if not len(bad):
                continue
            broken += len(bad)
            left = np.flatnonzero(~touched)
            touched[left[part.fitting(bad, left)]] = True
            order = np.lexsort((-confidence[bad], np.minimum(part.size[bad], self.K)))
            for place, at in enumerate(bad[order][:worst].tolist()):
                rank = (min(part.size[at].item(), self.K), -float(confidence[at]), _turn(part.chosen), place)
                if len(found) == worst and rank > found[-1][0]:
                    break
                found.append((rank, self._violation(groups, values, counts.secret.values, part, at)))
                found = sorted(found, key=lambda entry: entry[0])[:worst]
        return smallest, broken, touched, [violation for _, violation in found]

    def in_each_group(self) -> GroupModel:
        """Ask that every group has K records and no protected value a share above C in it.

        Whatever an adversary knows, the records that match are then a union of such groups. That is more than the model asks
        for, but combinations of few values lie across groups and cannot be checked in one.
        """
        if self.sensitive is None or not self._confidence_counts():
            return KAnonymity(k=self.K)
        return AlphaKAnonymity(
            alpha=self.C, k=self.K, sensitive=self.sensitive, values=self.values, missing=self.missing
        )

    def _confidence_counts(self) -> bool:
        return self.sensitive is not None and self.values != () and self.C < 1

    def _violation(
        self,
        groups: GroupStats,
        values: Sequence[Sequence[Hashable]],
        secrets: Sequence[Hashable],
        part: Counted,
        at: int,
    ) -> Violation:
        size, confidence = part.size[at].item(), float(part.matching[at] / part.size[at])
        witness: dict[str, object] = {
            "columns": tuple(groups.columns[column] for column in part.chosen),
            "records": size,
            "record_link_probability": 1 / size,
        }
        if self.sensitive is not None:
            surest = part.surest(at)
            witness |= {"value": None if surest < 0 else secrets[surest], "confidence": confidence}
        key = tuple(values[column][code] for column, code in zip(part.chosen, part.codes_of(at), strict=True))
        return Violation(key, size, size if size < self.K else confidence, witness)

    def _counts(self, groups: GroupStats) -> tuple[CombinationCounts, list[list[Hashable]]]:
        """Return the combinations that must be counted, and the values behind their codes."""
        codes, values = coded_keys(groups)
        columns = list(range(codes.shape[1]))
        if self.cells == "absent":
            for at, known in enumerate(values):
                if None in known:
                    # What nobody can know comes last, where it is easily left out.
                    lacking = known.index(None)
                    values[at] = [*known[:lacking], *known[lacking + 1 :]]
                    codes[:, at] = np.where(
                        codes[:, at] == lacking, len(values[at]), codes[:, at] - (codes[:, at] > lacking)
                    )
        else:
            # A column with one value divides nothing, so sets that hold it say no more than the sets without it.
            columns = [at for at in columns if len(values[at]) > 1] or columns[:1]
        widths = tuple(map(len, values))
        most = min(self.L, len(columns))
        whole = all((codes[:, at] < widths[at]).all() for at in columns)
        secret = _secret(groups, self.sensitive, self.values, self.missing) if len(groups) else Secret.none()
        return (
            CombinationCounts(codes, widths, groups.sizes, secret, tuple(columns), most if whole else 1, most),
            values,
        )


def _turn(chosen: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return when a set has its turn among combinations that are equally bad: late columns first, then the last one up."""
    return tuple(-at for at in chosen[:-1]), chosen[-1]


def _secret(groups: GroupStats, sensitive: str | None, values: Sequence[Hashable] | None, missing: str) -> Secret:
    if sensitive is None or values == ():
        return Secret.none()
    histogram = checked_histogram(groups, sensitive, missing)
    wanted = np.array([values is None or value in values for value in histogram.values], bool)
    keep = wanted[histogram.code]
    held, code = distinct_keys(histogram.code[keep])
    return Secret([histogram.values[at] for at in held], histogram.group()[keep], code, histogram.count[keep])


def subsets(qid: Sequence[str], L: int) -> list[tuple[str, ...]]:
    """Return every set of 1 to L quasi-identifiers, small ones first.

    >>> subsets(["Job", "Sex"], 5)
    [('Job',), ('Sex',), ('Job', 'Sex')]
    """
    return [chosen for size in range(1, min(L, len(qid)) + 1) for chosen in combinations(qid, size)]


def sufficient_subsets(qid: Sequence[str], L: int) -> list[tuple[str, ...]]:
    """Return the sets that decide for all smaller ones where every cell has a value: those of exactly min(L, all)."""
    return list(combinations(qid, min(L, len(qid))))
