"""Sampled table: recoded records of a random sample, of which only large groups are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.releases.mechanism import MechanismKind

__all__ = ["SampledTable"]


class SampledTable(MechanismKind):
    """Recoded records of a random sample, of which only groups of at least k equal rows are there.

    Every row is true of a record. What protects is that nobody knows who was sampled, and that small groups are not there; the
    release states both with its parameters. A reader can count the groups and nothing else about privacy.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> kind = SampledTable(mechanism="safepub", settings={"beta": 0.1}, k=3)
    >>> kind.verify(from_rows(["Sex"], [("f",)] * 3), [], [])
    []
    >>> kind.statement().parameters
    {'beta': 0.1}

    References
    ----------
    Bild, Kuhn, Prasser, "SafePub: a truthful data anonymization algorithm with strong privacy guarantees", 2018,
    doi:10.1515/popets-2018-0004.
    """

    id: ClassVar[str] = "sampled-table"
    stated: ClassVar[tuple[str, ...]] = (*MechanismKind.stated, "k")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=False,
        verifiable=say("verifiable.sampled"),
        published="statistics",
        searched=True,
        counted_by="rows",
    )

    k: int = param(ge=1, doc="fewest rows that look alike")

    @classmethod
    def build(cls, table: Table, *, k: int, mechanism: str, settings: Mapping[str, object] | None = None) -> Built:
        """Return the release of sampled and recoded records; refuse small groups."""
        kind = cls(mechanism=mechanism, settings=dict(settings or {}), k=k)
        kind.verify(table, [], [])
        return Built(kind, {"data": table})

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Count the groups of equal rows; refuse requirements, as nobody knows who was sampled."""
        self.refuse_models(models)
        table = self.tables(parts)["data"]
        small = int((table.groups(table.columns).sizes < self.k).sum())
        if small:
            raise BadRequest(f"holds {small} groups of fewer than {self.k} equal rows", parameter=self.id)
        return []

    def unchanged(self, column: str) -> bool:
        return False

    def visible(self) -> list[str]:
        return [say("statement.large_groups")]
