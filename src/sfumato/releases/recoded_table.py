"""Recoded table: the records themselves, with quasi-identifiers generalized, cut into intervals or suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.data.messages import say

__all__ = ["RecodedTable"]


class RecodedTable(ReleaseKind):
    """The records themselves, with quasi-identifiers generalized, cut into intervals or suppressed.

    Every published value is true of its record, only less exact. The check groups the published rows by the text of their
    quasi-identifiers, with the engine's own group-by, and asks each requirement about the groups.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> from sfumato.models.k_anonymity import KAnonymity
    >>> table = from_rows(["Job"], [("Artist",), ("Artist",)])
    >>> [bool(verdict) for verdict in RecodedTable().verify(table, [KAnonymity(k=2)], ["Job"])]
    [True]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "recoded-table"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=False,
        verifiable=say("verifiable.rows_alone"),
        searched=True,
        counted_by="labels",
    )
    by_column: ClassVar[bool] = True

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        view = Publication(
            table=self.tables(parts)["data"],
            qids=tuple(qids),
            external=beside.external,
            reference=beside.reference,
            records=beside.records,
            lost=beside.lost,
            external_weights=beside.external_weights,
        )
        return [model.judge(view) for model in models]

    def seen(self, parts: Parts) -> Seen:
        """Return the records; one table alone has no other parts."""
        return replace(found, parts={}) if len((found := super().seen(parts)).parts) == 1 else found

    def truth(self) -> str:
        return say("truth.recoded")

    def statement(self) -> Statement:
        return Statement(
            checked=[say("statement.every_anew")],
            not_checkable=[
                say("statement.true_of_record"),
                say("statement.none_added"),
            ],
        )
