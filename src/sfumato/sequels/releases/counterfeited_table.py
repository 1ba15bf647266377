"""Counterfeited table: generalized records and invented ones beside them, and how many of each group are invented."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import column
from sfumato.data.messages import say
from sfumato.sequels.series import Series

__all__ = ["CounterfeitedTable"]


class CounterfeitedTable(ReleaseKind):
    """Records with generalized quasi-identifiers, invented rows that look like them, and the number of these by group.

    The part ``data`` has the quasi-identifiers, the sensitive column and the number of a group for each row; ``counterfeits``
    has the groups with invented rows and how many there are, so that counts can be corrected. Nobody sees which rows they are.

    Adversary: has every release of the series; one release alone shows that each group is m-unique.

    Examples
    --------
    >>> CounterfeitedTable(sensitive="Disease").part_names()
    ('data', 'counterfeits')

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", 2007,
    doi:10.1145/1247480.1247556.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.3.2.
    """

    id: ClassVar[str] = "counterfeited-table"
    shape: ClassVar[str] = "series"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=True,
        verifiable=say("verifiable.rows_alone"),
        stops=frozenset({"record", "attribute"}),
        searched=True,
        counted_by="labels",
    )

    sensitive: str = column("sensitive", doc="the sensitive column")

    def part_names(self) -> tuple[str, ...]:
        return ("data", "counterfeits")

    def verify(
        self, parts: Parts, models: Sequence[Model[Series]], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge one release as a series of one; stays of persons are seen by its holder alone."""
        table = self.tables(parts)["data"]
        return [model.judge(Series.of([table], qid=qids, sensitive=self.sensitive)) for model in models]

    def operation(self, column: str) -> str:
        return "none" if column in (self.sensitive, "group", "counterfeits") else "multidimensional-generalization"

    def statement(self) -> Statement:
        return Statement(
            checked=[say("statement.every_anew")],
            not_checkable=[say("statement.counterfeits")],
        )
