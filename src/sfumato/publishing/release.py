"""What a run of ``anonymize`` gives: a public part that may leave the house, and a private part that must stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.contracts.built import PrivatePart
from sfumato.contracts.engine import Table
from sfumato.contracts.metric import Measured
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.schema import ColumnType, Role

__all__ = ["Judgement", "Private", "Release"]


@dataclass(frozen=True)
class Judgement:
    """The verdicts of all requirements; true if every one is satisfied."""

    verdicts: tuple[Verdict, ...]

    @property
    def satisfied(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.satisfied for verdict in self.verdicts)

    def __bool__(self) -> bool:
        return self.satisfied

    def __iter__(self) -> Any:
        return iter(self.verdicts)


@dataclass(frozen=True, eq=False)
class Private:
    """What must stay: the policy with its seed, the trace of the search, the recoding, where the rows came from.

    ``operations`` recode whole records, after the columns and in their order. ``types`` are those of the masked columns before
    masking. ``external`` is a population table recoded like the published one. ``links`` says which record stands behind which
    published row, where rows were moved. ``models`` are the requirements of a release that was not made from a policy alone.
    ``raw`` is the table before masking, as long as the release is in memory: it is compared with and never written.
    """

    policy: Any
    recodings: Mapping[str, ColumnRecoding]
    operations: Sequence[TableRecoding] = ()
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    trace: Sequence[Mapping[str, Any]] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    stopped: str | None = None
    source: str | None = None
    links: PrivatePart | None = None
    external: Table | None = None
    models: Sequence[Model] = ()
    raw: Table | None = None

    def requirements(self) -> list[Model]:
        """Return the requirements: those it was made with, or those of the policy."""
        return list(self.models) if self.models or self.policy is None else self.policy.models()


@dataclass(frozen=True, eq=False)
class Release:
    """A verified release in memory.

    ``public`` is the frame to publish, in the type that came in; where there are several tables, a dictionary of them.
    ``verdict`` was made by the checker on the published rows, not by the search. ``private`` stays. ``parts`` holds the
    public tables of kinds that have more to say than one recoded table; ``table`` is the main one of them.
    """

    table: Table
    kind: str
    roles: Mapping[str, Role]
    verdict: Judgement
    measured: Mapping[str, Measured]
    counts: Mapping[str, int]
    certificate: Mapping[str, Any]
    private: Private
    warnings: Sequence[str] = ()
    parts: Mapping[str, Table] = field(default_factory=dict)

    @property
    def tables(self) -> Mapping[str, Table]:
        """The public tables by the name of their part."""
        return self.parts or {"data": self.table}

    @property
    def public(self) -> Any:
        """The published rows as the frame type that came in."""
        if len(self.tables) > 1:
            return {name: table.to_native() for name, table in self.tables.items()}
        return self.table.to_native()

    @property
    def recodings(self) -> Mapping[str, ColumnRecoding]:
        """The learned mapping of each column."""
        return self.private.recodings
