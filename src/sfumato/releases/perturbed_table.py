"""Perturbed table: the records, with noise on some columns or values exchanged between records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.columns import check_columns
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import column, columns
from sfumato.data.messages import say
from sfumato.errors import Unsupported
from sfumato.releases.mechanism import MechanismKind

__all__ = ["PerturbedTable"]


class PerturbedTable(MechanismKind):
    """The records, with noise on some columns or values exchanged between records.

    Perturbed values are not true of their records; statistics over many are, within the noise that the stated procedure
    adds. Requirements that read other columns only are counted as in a recoded table; those that read a perturbed column are
    refused, because counts of noisy values say nothing about the values behind them. Where a row stands for several records,
    ``weights`` names the column that says for how many, and sums of it take the place of counts.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> from sfumato.models.k_anonymity import KAnonymity
    >>> table = from_rows(["Job", "Income"], [("Artist", 31.5), ("Artist", 28.1)])
    >>> kind = PerturbedTable(perturbed=("Income",), mechanism="additive-noise", settings={"law": "normal", "scale": 3})
    >>> [bool(verdict) for verdict in kind.verify(table, [KAnonymity(k=2)], ["Job"])]
    [True]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.
    """

    id: ClassVar[str] = "perturbed-table"
    stated: ClassVar[tuple[str, ...]] = (*MechanismKind.stated, "perturbed")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.unperturbed"),
        published="statistics",
        stops=frozenset({"record", "attribute", "table", "probabilistic"}),
        counted_by="rows",
    )

    made_from = "perturbation"

    perturbed: tuple[str, ...] = columns("plain", some=True, doc="the columns whose values were changed at random")
    weights: str | None = column(
        "plain", default=None, doc="column that says how many records a row stands for, if any"
    )

    @classmethod
    def build(
        cls,
        table: Table,
        perturbed: Sequence[str],
        *,
        mechanism: str,
        settings: Mapping[str, object] | None = None,
        weights: str | None = None,
    ) -> Built:
        """Return the release of a table whose named columns were perturbed."""
        kind = cls(perturbed=tuple(perturbed), mechanism=mechanism, settings=dict(settings or {}), weights=weights)
        check_columns(table, "perturbed", kind.perturbed)
        check_columns(table, "weights", () if weights is None else (weights,))
        return Built(kind, {"data": table})

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Count the requirements that read no perturbed column; refuse the others."""
        table = self.tables(parts)["data"]
        check_columns(table, "perturbed", (*self.perturbed, *([] if self.weights is None else [self.weights])))
        exact = tuple(name for name in qids if name not in self.perturbed)
        verdicts = []
        for model in models:
            read = [name for name in (*(model.qid or ()), *model.needs()) if name in self.perturbed]
            if read or not (model.qid or exact):
                raise Unsupported(
                    f"{model.id} reads {', '.join(read) or 'perturbed columns only'}: counts of perturbed values show nothing",
                    thing=model.id,
                    alternatives=["audit the procedure with a model of mechanisms"],
                )
            verdicts.append(model.judge(Publication(table=table, qids=exact, weights=self.weights)))
        return verdicts

    def seen(self, parts: Parts) -> Seen:
        """Return the records; what was changed at random need not be theirs, and a row may stand for several."""
        return replace(
            super().seen(parts), stands_for="records", changed=frozenset(self.perturbed), weights=self.weights
        )

    def unchanged(self, column: str) -> bool:
        return column not in self.perturbed

    def visible(self) -> list[str]:
        return [say("statement.every_unperturbed")]
