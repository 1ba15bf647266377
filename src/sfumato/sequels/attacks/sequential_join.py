"""Join all releases and infer: what releases with different columns tell together that none tells alone."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import columns, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.sequels.attack import SeriesAttack, SeriesKnowledge
from sfumato.sequels.join import SequentialJoin, largest_share
from sfumato.sequels.series import Series

__all__ = ["JoinAttack", "JoinDetails"]


@frozen(eq=False)
class JoinDetails(Details):
    """Counts of a join: its rows, the values on X, how many of them leave one value on Y, and the worst of them."""

    joined_rows: int
    known_values: int
    certain: int
    fewest: int | None
    smallest: int | None
    linkability: Fraction | None


class JoinAttack(SeriesAttack):
    """Match records of all releases by their common columns and infer a sensitive value from its share among the matches.

    Two releases that are each harmless can identify together: their join has a sharper quasi-identifier. The belief in ``y`` of
    whoever has ``x`` is ``l_y(x) = a(x, y) / a(x)``, counted in joined rows (most of which are matches of different persons, so
    that a belief can fall as well). The risk of a value on X is the largest of these beliefs.

    Adversary: has every release, the hierarchies, and the values on X of a person.

    Examples
    --------
    >>> first = {"Job": ["Banker", "Banker", "Clerk", "Driver"], "Disease": ["Cancer", "Cancer", "HIV", "Cancer"]}
    >>> then = {"Name": ["Alice", "Alice", "Bob", "Bob"], "Job": ["Banker", "Banker", "Clerk", "Driver"]}
    >>> series = Series.of([first, then], qid=["Name"], sensitive="Disease")
    >>> risk = JoinAttack().on(series, SeriesKnowledge(), Run())
    >>> risk.highest, risk.mean, risk.details["certain"]
    (1.0, 0.75, 1)

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", 2006, doi:10.1145/1150402.1150449.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 9.1.2.3, example 9.1.
    """

    id: ClassVar[str] = "sequential-join"
    about: ClassVar[tuple[str, ...]] = ("sequential",)
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record", "attribute"}),
        knowledge="every release of the series, the hierarchies, and a person's values in the known columns",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.xy-privacy-join")

    join: tuple[str, ...] | None = columns(
        "any",
        doc="attributes by which records match; all common ones that are no bare numbers if not given",
        default=None,
    )
    inconsistent: tuple[tuple[str, str, str, str], ...] = param(
        default=(),
        doc="pairs that nobody has, such as T1.Sex, Male, T2.Condition, Pregnant; so have none of the values below",
    )

    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Risk:
        """Count the join, some values on X at a time; each value on X is a victim."""
        join = SequentialJoin.of_series(series, join=self.join, inconsistent=self.inconsistent)
        learnt = knowledge.learn or (series.protected,)
        x, y = join.expanded(knowledge.known or series.qid), join.columns(learnt, parameter="sensitive")
        if not x:
            raise BadRequest(f"{self.id} needs the columns that an adversary knows", parameter="qid")
        beliefs, fewest, smallest, top = [np.empty(0)], [], [], []
        for groups in join.pieces(x, y):
            run.checkpoint()
            if len(groups):
                (histogram,) = groups.histograms.values()
                beliefs.append(histogram.largest() / groups.sizes)
                fewest.append(int(histogram.distinct().min()))
                smallest.append(int(groups.sizes.min()))
                top.append((int(groups.sizes.sum()), largest_share(groups.sizes, histogram)))
        per_victim = np.concatenate(beliefs)
        highest, mean = spread(per_victim)
        details = JoinDetails(
            joined_rows=sum(rows for rows, _ in top),
            known_values=len(per_victim),
            certain=int((per_victim == 1).sum()),
            fewest=min(fewest, default=None),
            smallest=min(smallest, default=None),
            linkability=max((share for _, share in top), default=None),
        )
        told = {"rows": details.joined_rows, "known": details.known_values, "certain": details.certain}
        reading = say("reading.sequential_join", highest=highest, mean=mean, **told)
        return Risk(attack=self.id, per_victim=per_victim, highest=highest, mean=mean, reading=reading, details=details)
