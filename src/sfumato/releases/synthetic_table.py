"""Synthetic table: rows drawn from a model of the records; none of them is a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.releases.mechanism import MechanismKind, plain_mapping, refuse_outside

__all__ = ["SyntheticTable"]


class SyntheticTable(MechanismKind):
    """Rows drawn from a model of the records; none of them is a record.

    What protects is the procedure that fitted the model and drew from it. The release states it with its parameters; a reader
    can check that values lie in the declared domains and nothing about privacy.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> drawn = from_rows(["Age"], [(31,), (37,)])
    >>> made = SyntheticTable.build(drawn, mechanism="condensation", settings={"k": 5})
    >>> made.kind.statement().parameters
    {'k': 5}
    >>> SyntheticTable(mechanism="condensation", domains={"Age": {"range": [0, 120]}}).verify(drawn, [], [])
    []

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.3.
    """

    id: ClassVar[str] = "synthetic-table"
    stated: ClassVar[tuple[str, ...]] = (*MechanismKind.stated, "domains")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.domains"),
        published="statistics",
        stops=frozenset(),
        counted_by="rows",
    )

    made_from = "perturbation"

    domains: Mapping[str, Any] = param(
        default=None, doc="publicly known domains by column: {range: [low, high]} or {values: [...]}"
    )

    def validate(self) -> None:
        """Refuse domains that are not of the two forms."""
        super().validate()
        if self.domains is None:
            object.__setattr__(self, "domains", {})
        plain_mapping(self, "domains", self.domains)
        for domain in self.domains.values():
            form = isinstance(domain, Mapping) and len(domain) == 1 and next(iter(domain))
            ranged = form == "range" and isinstance(domain["range"], (list, tuple)) and len(domain["range"]) == 2
            listed = form == "values" and isinstance(domain["values"], (list, tuple))
            if not (ranged or listed):
                raise BadRequest(
                    "must be {range: [low, high]} or {values: [...]}", parameter=f"{self.id}.domains", value=domain
                )

    @classmethod
    def build(
        cls,
        table: Table,
        *,
        mechanism: str,
        settings: Mapping[str, object] | None = None,
        domains: Mapping[str, object] | None = None,
        source: Table | None = None,
    ) -> Built:
        """Return the release of a drawn table; ``source``, the input, must have the same columns and types."""
        kind = cls(mechanism=mechanism, settings=dict(settings or {}), domains=dict(domains or {}))
        if source is not None:
            for name, found in table.types.items():
                if source.types.get(name) is not found:
                    raise BadRequest("is not a column of the input with this type", column=name, value=str(found))
        kind.verify(table, [], [])
        return Built(kind, {"data": table})

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Check the declared domains; refuse requirements, which no drawn row can show."""
        self.refuse_models(models)
        refuse_outside(self.tables(parts)["data"], self.domains)
        return []

    def unchanged(self, column: str) -> bool:
        return False

    def visible(self) -> list[str]:
        return [say("statement.in_domains")] if self.domains else [say("statement.form_alone")]
