"""A raw table and its release as metrics compare them: numbers record by record, categories with what labels stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.data.compressed import Dictionary
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.compared import ComparedTables, SpreadColumn
from sfumato.kernels.arrays import Floats
from sfumato.tables.labels import read_labels
from sfumato.tables.pair import Pair
from sfumato.tables.recode import tree_of
from sfumato.utility.features import floats, middle

__all__ = ["compared_tables", "numbers_of"]

MOST_VALUES = 1_000  # of a column that is crossed


def compared_tables(
    pair: Pair, names: Sequence[str] | None = None, hierarchies: Mapping[str, object] | None = None
) -> ComparedTables:
    """Return some columns of both tables, all that both have if none are named; hierarchies tell what labels stand for."""
    trees = {name: tree_of(pair.raw, name, given)[0] for name, given in (hierarchies or {}).items()}
    chosen = tuple(names) if names is not None else pair.shared
    for name in chosen:
        if name not in pair.shared:
            raise BadRequest("is not a column of both tables", parameter="qid", value=name, available=pair.shared)
    numbers, before, after = [], [], []
    categories: dict[str, SpreadColumn] = {}
    skipped = []
    for name in chosen:
        sides = numbers_of(pair, name)
        if sides is not None:
            numbers.append(name)
            before.append(sides[0])
            after.append(sides[1])
        if max(len(pair.raw.dictionary(name)), len(pair.released.dictionary(name))) > MOST_VALUES:
            skipped.append(name)
        else:
            categories[name] = _spread(pair, name, trees.get(name) or _tree(pair, name))
    empty = np.empty((0, 0))
    return ComparedTables(
        tuple(numbers),
        np.column_stack(before) if before else empty,
        np.column_stack(after) if after else empty,
        pair.aligned or _in_order(pair),
        categories,
        tuple(skipped),
    )


def numbers_of(pair: Pair, name: str) -> tuple[Floats, Floats] | None:
    """Return a column of numbers on both sides, intervals by their middle; nothing if one side holds something else."""
    if not pair.raw.types[name].numeric:
        return None
    out = []
    for table in (pair.raw, pair.released):
        side = pair.side(table, [name])
        kind, values = side.kinds[name], side.columns[name]
        if kind == "category":
            return None
        if kind == "number":
            out.append(floats(name, values))
        else:
            points = {value: middle(str(value), column=name) for value in dict.fromkeys(values)}
            out.append(np.array([points[value] for value in values], np.float64))
    return out[0], out[1]


def _in_order(pair: Pair) -> bool:
    """Tell whether bare tables are taken for rows of the same records: as many, and no column that says otherwise."""
    bare = pair.policy is None and pair.masking is None
    return bare and pair.raw.rows == pair.released.rows and set(pair.shared) <= set(pair.qid)


def _spread(pair: Pair, name: str, tree: Tree | None) -> SpreadColumn:
    """Return a column with what its labels stand for; what is missing is a value of its own, the last of both sides."""
    values, labels = pair.raw.dictionary(name), pair.released.dictionary(name)
    reach = _reach(name, values, labels, tree)
    strange = [at for at, held in enumerate(reach) if not len(held)]
    width = len(values) + len(strange) + 1
    spread = np.zeros((len(labels) + 1, width))
    for at, held in enumerate(reach):
        if len(held):
            spread[at, held] = 1 / len(held)
    spread[strange, len(values) + np.arange(len(strange))] = 1.0
    spread[-1, -1] = 1.0
    before = pair.raw.as_rows().codes([name])[:, 0].astype(np.int64)
    after = pair.released.as_rows().codes([name])[:, 0].astype(np.int64)
    return SpreadColumn(np.where(before < 0, width - 1, before), np.where(after < 0, len(labels), after), spread)


def _reach(name: str, values: Dictionary, labels: Dictionary, tree: Tree | None) -> list[Sequence[int]]:
    """Return the raw values that each label covers, none for a label that covers none."""
    place = {to_text(value): at for at, value in enumerate(values.values)}
    if all(to_text(label) in place for label in labels.values):
        return [[place[to_text(label)]] for label in labels.values]
    try:
        return [held.tolist() for held in read_labels(name, values, labels, tree).reach]
    except BadRequest:  # values that were changed at random: those that are no raw values are new ones
        return [[place[text]] if (text := to_text(label)) in place else [] for label in labels.values]


def _tree(pair: Pair, name: str) -> Tree | None:
    recoding = None if pair.masking is None else pair.masking.recodings.get(name)
    tree = getattr(recoding, "tree", None)
    if isinstance(tree, Tree):
        return tree
    builder = None if pair.policy is None or name not in pair.policy.columns else pair.policy.hierarchy(name)
    return None if builder is None else builder.build(pair.raw.dictionary(name).values, column=name)
