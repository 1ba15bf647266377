"""How columns were distributed before records were left out, as far as a certificate may tell it.

Requirements that compare groups with the whole table are judged against this. A value that only left-out records hold would
name what these persons have; such values are told together, or not at all where a requirement cannot place their sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel
from sfumato.contracts.publication import Publication
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible
from sfumato.tables.prepare import Prepared

__all__ = ["POOLED", "told_models", "told_reference"]

Reference = Mapping[str, Mapping[str, int]]

Nested = dict[str, Any]

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


def told_models(prepared: Prepared, tables: Mapping[str, Table], left_out: int) -> list[TableModel]:
    """Return the requirements as a certificate tells them: no tree of theirs holds a value that only left-out records have."""
    if not left_out:
        return [*prepared.asked]
    trees = {
        name: _told_tree(tree, _counts(table, name), name)
        for table in tables.values()
        for name, tree in prepared.trees.items()
        if name in table.types
    }
    pairs = zip(prepared.policy.models(), prepared.asked, strict=True)
    # A tree that the policy gives a model is its publisher's; one that was lent is made of the values of the column.
    return [own.with_trees(trees) if own.with_trees(prepared.trees) != own else asked for own, asked in pairs]


def _told_tree(tree: Tree, held: Mapping[str, int], column: str) -> Tree:
    shown = _shown(tree.to_nested(), held)
    return tree if shown is None else Tree.from_nested(shown, column=column)


def _shown(node: Nested, held: Mapping[str, int]) -> Nested | None:
    """Return the part of a tree above values that are held, every node of it as high as it was.

    Distances are differences of heights: where the highest child is gone, another one is repeated until it is as high.
    """
    below = node.get("children", ())
    if not below:
        return node if str(node["value"]) in held else None
    kept = [part for part in (_shown(child, held) for child in below) if part is not None]
    if not kept:
        return None
    while max(map(_height, kept)) < _height(node) - 1:
        kept[0] = {"value": kept[0]["value"], "children": [kept[0]]}
    return {**node, "children": kept}


def _height(node: Nested) -> int:
    return max((_height(child) + 1 for child in node.get("children", ())), default=0)


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
