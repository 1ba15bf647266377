"""Distorted table: general quasi-identifiers, and a sensitive column in which some values were replaced by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.columns import check_columns, without_missing
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import TableModel, Verdict, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import column, columns, param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.releases.mechanism import MechanismKind

__all__ = ["DistortedTable"]

BELIEF = "m-confidentiality"


class DistortedTable(MechanismKind):
    """Records with general quasi-identifiers, and a sensitive column in which some values were replaced by others.

    Quasi-identifiers were masked without a look at the sensitive column; then values of it were replaced until every group met
    the requirements. Which values those are is not told: **in a row the sensitive value may be nobody's**. Requirements are
    counted in the published rows, sensitive column and all: what an adversary believes of a person is its share in the
    group, and because no world would have led to other groups, m-confidentiality is a bound on that share too.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> from sfumato.models import FrequencyLDiversity
    >>> table = from_rows(["Age", "Disease"], [("[20-30)", "Flu"), ("[20-30)", "HIV")])
    >>> kind = DistortedTable(qid=("Age",), sensitive="Disease", mechanism="mask", settings={"l": 2})
    >>> [bool(verdict) for verdict in kind.verify(table, [FrequencyLDiversity(l=2, sensitive="Disease")], ["Age"])]
    [True]
    >>> kind.guarantee(table)
    {'max_link_probability': 0.5, 'l': 2}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.5.1.
    """

    id: ClassVar[str] = "distorted-table"
    stated: ClassVar[tuple[str, ...]] = (*MechanismKind.stated, "operations")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=True,
        verifiable=say("verifiable.rows_alone"),
        published="statistics",
        stops=frozenset({"record", "attribute", "table", "probabilistic"}),
        searched=True,
    )

    qid: tuple[str, ...] = columns(
        "quasi-identifier", doc="columns that were masked without a look at the sensitive one"
    )
    sensitive: str = column("sensitive", doc="column in which values were replaced")
    operations: Mapping[str, str] = param(
        default=None, doc="how each quasi-identifier was masked, by the operation's id"
    )

    def validate(self) -> None:
        """Refuse columns that are given twice, and operations on other columns."""
        super().validate()
        if not self.qid or self.sensitive in self.qid or len(set(self.qid)) < len(self.qid):
            raise BadRequest("must name different columns, not the sensitive one", parameter=f"{self.id}.qid")
        given = self.operations if self.operations is not None else {}
        if not isinstance(given, Mapping) or not set(given) <= set(self.qid):
            raise BadRequest("must map quasi-identifiers to operations", parameter=f"{self.id}.operations")
        object.__setattr__(self, "operations", dict(given))

    @classmethod
    def build(
        cls,
        table: Table,
        qid: Sequence[str],
        sensitive: str,
        *,
        mechanism: str,
        settings: Mapping[str, object] | None = None,
        operations: Mapping[str, str] | None = None,
    ) -> Built:
        """Return the release of a table whose sensitive column was distorted."""
        check_columns(table, "qid", qid)
        check_columns(table, "sensitive", [sensitive])
        kind = cls(
            qid=tuple(qid),
            sensitive=sensitive,
            mechanism=mechanism,
            settings=dict(settings or {}),
            operations=dict(operations or {}),
        )
        return Built(kind, {"data": table})

    def groups(self, parts: Parts) -> GroupStats:
        """Return the published groups, with the sensitive column counted."""
        table = self.tables(parts)["data"]
        for name in (*self.qid, self.sensitive):
            if name not in table.types:
                raise BadRequest("is not in the published table", parameter=self.id, column=name)
        return table.groups(self.qid, [self.sensitive])

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        publication = Publication(table=self.tables(parts)["data"], qids=tuple(qids) or self.qid)
        return [_confident(model, publication) if model.id == BELIEF else model.judge(publication) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the largest share of a sensitive value in a group, and the l it corresponds to."""
        groups = self.groups(parts)
        largest = groups.histograms[self.sensitive].largest()
        return {
            "max_link_probability": float((largest / groups.sizes).max(initial=0.0)),
            "l": int((groups.sizes // largest).min(initial=groups.sizes.sum())),
        }

    def operation(self, column: str) -> str:
        return self.mechanism if column == self.sensitive else self.operations.get(column, "none")

    def seen(self, parts: Parts) -> Seen:
        """Return the records: whoever knows that groups were made without a look at the values believes in their shares."""
        return replace(super().seen(parts), stands_for="records")

    def visible(self) -> list[str]:
        return [say("statement.every_replaced")]

    def statement(self) -> Statement:
        said = super().statement()
        hidden = [
            say("statement.whose_values", column=self.sensitive),
            say("statement.blind_groups"),
        ]
        return replace(said, not_checkable=[*hidden, *said.not_checkable])


def _confident(model: Any, publication: Publication) -> Verdict:
    """Judge by the shares in the published groups: whoever knows that groups ignore the values has nothing else."""
    groups = publication.groups(model.qid, [model.sensitive])
    if publication.table is not None and model.missing == "refuse":
        without_missing(publication.table, [model.sensitive])
    histogram = groups.histograms[model.sensitive]
    sets = model.sets or [(value,) for value in histogram.values]
    shares = np.zeros(len(groups))
    for chosen in sets:
        counts = sum((histogram.of(value) for value in dict.fromkeys(chosen)), np.zeros(len(groups), np.int64))
        shares = np.maximum(shares, counts / groups.sizes)
    broken = ~at_most(1 / model.m).holds(shares)
    highest = float(shares.max(initial=0.0))
    verdict: Verdict = model.verdict(
        qid=groups.columns,
        satisfied=not broken.any(),
        strongest=1 / highest if highest else None,
        bound=say("bound.credibility", m=model.m),
        groups=len(groups),
        records=int(groups.sizes.sum()),
        violating_groups=int(broken.sum()),
        violating_records=int(groups.sizes[broken].sum()),
    )
    return verdict
