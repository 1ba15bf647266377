"""Population-relatedness: every record of each release matches one of each other, so that refining a release can be judged."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.model import Model, ModelTraits, Verdict, Violation
from sfumato.contracts.thing import columns, param
from sfumato.data.messages import say
from sfumato.sequels.join import SequentialJoin
from sfumato.sequels.series import Series

__all__ = ["SeqMonotonicity"]


class SeqMonotonicity(Model[Series]):
    """Every record of each release matches a record of each other: the releases are *population-related*.

    It holds for projections of one table, and generalizing keeps it. If it holds and every join attribute is in X,
    (X,Y)-privacy on the join is anti-monotone: refining the newest release on X never raises ``A_Y(X)`` and, with Y inside one
    release, never lowers ``L_Y(X)``, so that a release exists if and only if the most general one is safe. A record without a
    match breaks it: ``A_Y(X)`` can rise when the match of a record is refined away. A join attribute outside X breaks it even
    for projections of one table, which the published lemmas (9.1, 9.2) leave out.

    Measured is the number of records that match nobody. ``x`` is only told about: :meth:`anti_monotone` says whether pruning on
    it is a theorem.

    Adversary: has every release, the hierarchies, and the values on X of a person.

    Examples
    --------
    >>> first = {"D": ["d3", "d3", "d1"], "Y": ["y3", "y2", "y1"]}
    >>> then = {"C": ["c1", "c2"], "D": ["d3", "d2"]}
    >>> tree = {"D": {"ANY": [{"d": ["d1", "d2"]}, "d3"]}}
    >>> SeqMonotonicity().judge(Series.of([first, then], qid=["C", "D"], hierarchies=tree)).strongest
    2
    >>> then["D"] = ["d3", "d"]
    >>> series = Series.of([first, then], qid=["C", "D"], hierarchies=tree)
    >>> SeqMonotonicity().judge(series).satisfied, SeqMonotonicity(x=("C",)).anti_monotone(series)
    (True, False)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 9.2.
    """

    id: ClassVar[str] = "seq-monotonicity"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset(), evaluation="external")
    adversary: ClassVar[str] = say("adversary.xy-privacy-join")
    level: ClassVar[str] = "records without a match"

    x: tuple[str, ...] | None = columns(
        "any",
        doc="columns of the join that are known (X), such as T1.Job; the quasi-identifiers if not given",
        default=None,
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

    def opened(self, series: Series) -> SequentialJoin:
        """Return the join of a series."""
        return SequentialJoin.of_series(series, join=self.join, inconsistent=self.inconsistent)

    def anti_monotone(self, series: Series) -> bool:
        """Tell whether refining the newest release on X can only make the series less safe: related, and all joins in X."""
        join = self.opened(series)
        return not join.free(join.expanded(self.x if self.x is not None else series.qid)) and not any(join.dangling())

    def judge(self, view: Series, *, worst: int = 10) -> Verdict:
        """Count the records of each release that match nobody of another."""
        alone = self.opened(view).dangling()
        found = [Violation((f"T{at + 1}",), count, count) for at, count in enumerate(alone) if count]
        return self.verdict(
            satisfied=not found,
            strongest=sum(alone),
            groups=len(view),
            records=sum(table.rows for table in view.releases),
            bound="<= 0",
            violations=found[:worst],
            violating_groups=len(found),
            violating_records=sum(alone),
        )
