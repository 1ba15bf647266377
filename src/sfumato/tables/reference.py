"""How columns were distributed before records were left out, as far as a certificate may tell it.

Requirements that compare groups with the whole table are judged against this. A value that only left-out records hold would
name what these persons have; such values are told together, or not at all where a requirement cannot place their sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel
from sfumato.contracts.publication import Publication
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Infeasible
from sfumato.tables.prepare import Prepared

__all__ = ["POOLED", "told_reference"]

Reference = Mapping[str, Mapping[str, int]]

POOLED = "(values that no published record holds)"


def told_reference(prepared: Prepared, public: Table) -> tuple[Reference, list[str]]:
    """Return the counts that the certificate tells, where records were left out, and what the publisher should know of them."""
    if public.rows == prepared.table.rows:
        return {}, []
    models = [model for model in prepared.models if model.traits.evaluation == "group+table" and not model.private()]
    names = sorted({name for model in models for name in model.needs()})
    whole = {name: _counts(prepared.table, name) for name in names}
    hidden = {name: [text for text in whole[name] if text not in _counts(public, name)] for name in names}
    if not any(hidden.values()):
        return whole, []
    pooled, dropped = ({name: _told(whole[name], hidden[name], pool) for name in names} for pool in (True, False))
    fits = {name: prepared.table.types[name] is ColumnType.TEXT for name in names}
    for told in ({name: (pooled if fits[name] else dropped)[name] for name in names}, dropped):
        if _holds(prepared, public, models, told):
            return told, [
                say("warning.pooled_reference", count=len(hidden[name]), name=name)
                if POOLED in told[name]
                else say("warning.dropped_reference", count=len(hidden[name]), name=name)
                for name in names
                if hidden[name]
            ]
    raise Infeasible(
        "groups are close enough to the whole table, but not to what may be told of it: some values are held by records only "
        "that are left out; let fewer records be left out (limits.suppress_at_most)",
        requirement=models[0].id,
    )


def _counts(table: Table, name: str) -> dict[str, int]:
    held = table.dictionary(name)
    return {to_text(value): int(count) for value, count in zip(held.values, held.counts, strict=True)}


def _told(whole: Mapping[str, int], hidden: Sequence[str], pool: bool) -> dict[str, int]:
    told = {text: count for text, count in whole.items() if text not in hidden}
    return {**told, POOLED: sum(whole[text] for text in hidden)} if pool and hidden else told


def _holds(prepared: Prepared, public: Table, models: Sequence[TableModel], told: Reference) -> bool:
    """Tell whether the requirements hold against what is told; a sum has no place in an order or a tree."""
    view = Publication(
        table=public, qids=prepared.names, trees=prepared.trees, reference=told, records=prepared.table.rows
    )
    try:
        return all(model.judge(view).satisfied for model in models)
    except BadRequest:
        return False
