"""Trees that were written down: their leaves are texts, a column holds numbers, truth values or dates.

A taxonomy file says ``17``, the column says the integer 17. A declared tree reads its leaf labels as values of the
column's type where they are values of that type, and keeps the others as text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from math import isfinite

from sfumato.data.schema import ColumnType
from sfumato.data.text import parse_interval, to_text, type_of_value
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest

__all__ = ["DeclaredTree", "type_of"]


def type_of(values: Iterable[Hashable]) -> ColumnType:
    """Return the type that the values share; whole and broken numbers make numbers, anything else mixed is text.

    >>> type_of([17, 18]).value, type_of([17, 18.5]).value, type_of([17, "?"]).value
    ('integer', 'number', 'text')
    """
    found = {type_of_value(value) for value in values}
    if found == {ColumnType.INTEGER, ColumnType.NUMBER}:
        return ColumnType.NUMBER
    return found.pop() if len(found) == 1 else ColumnType.TEXT


def _whole(label: str) -> Hashable:
    # 01305 is a code, not the number 1305: only the text that the number itself has is taken for it.
    return int(label) if str(int(label)) == label else label


def _number(label: str) -> Hashable:
    return float(label) if isfinite(float(label)) else label


def _day(label: str) -> Hashable:
    return date.fromisoformat(label) if date.fromisoformat(label).isoformat() == label else label


_READERS: Mapping[ColumnType, Callable[[str], Hashable]] = {
    ColumnType.INTEGER: _whole,
    ColumnType.NUMBER: _number,
    ColumnType.BOOLEAN: lambda label: {"true": True, "false": False}.get(label.lower(), label),
    ColumnType.DATE: _day,
    ColumnType.DATETIME: datetime.fromisoformat,
    ColumnType.TEXT: lambda label: label,
}


def _read(label: str, kind: ColumnType) -> Hashable:
    try:
        return _READERS[kind](label)
    except ValueError:
        return label


class DeclaredTree:
    """A tree with leaves in text, offered with leaves in the type of whatever column asks.

    >>> ages = DeclaredTree(Tree.from_nested({"*": [{"young": ["17", "18"]}, "old"]}))
    >>> ages.build([18]).leaves, ages.path(18)
    ((17, 18, 'old'), ('18', 'young', '*'))
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._typed: dict[ColumnType, Tree] = {}

    def _as(self, kind: ColumnType, column: str = "") -> Tree:
        if kind not in self._typed:
            tree = replace(self.tree, leaves=tuple(_read(str(leaf), kind) for leaf in self.tree.leaves))
            # Of leaves with equal values the look-up keeps the last.
            lost = [i for i, leaf in enumerate(tree.leaves) if tree.leaf_number[leaf] != i]
            if lost:
                pair = [str(self.tree.leaves[i]) for i in (lost[0], tree.leaf_number[tree.leaves[lost[0]]])]
                raise BadRequest("two leaves of the hierarchy name one value", column=column or None, value=pair)
            self._typed[kind] = tree
        return self._typed[kind]

    def _leaf_holding(self, tree: Tree, value: Hashable) -> int | None:
        """Return the leaf that is an interval around a number, for trees whose leaves are intervals."""
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return None
        for number, leaf in enumerate(tree.leaves):
            interval = parse_interval(str(leaf))
            if interval is not None:
                low, high, closed = interval
                if low <= value < high or (closed and value == high):
                    return number
        return None

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the labels from the value up to the root; ``KeyError`` if it has no leaf.

        A number may stand below a leaf that is an interval around it.
        """
        tree = self._as(type_of_value(value))
        leaf = tree.leaf_number.get(value)
        labels = []
        if leaf is None:
            leaf = self._leaf_holding(tree, value)
            if leaf is None:
                raise KeyError(value)
            labels.append(to_text(value))
        return (*labels, *(tree.labels[node] for node in self._climb(tree, leaf)))

    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the whole tree, leaves typed like ``values``; values without a leaf are refused all at once.

        Numbers whose leaf is an interval hang below it.
        """
        tree = self._as(type_of(values), column)
        unknown = [value for value in values if value not in tree.leaf_number]
        below = {value: self._leaf_holding(tree, value) for value in unknown}
        outside = [value for value in unknown if below[value] is None]
        if outside:
            raise tree.unknown(outside, column=column)
        if not unknown:
            return tree
        paths: list[Sequence[str]] = []
        leaves: list[Hashable] = []
        for number, leaf in enumerate(tree.leaves):
            inside = [value for value in unknown if below[value] == number]
            climb = [tree.labels[node] for node in self._climb(tree, number)]
            paths += [[to_text(value), *climb] for value in inside] or [climb]
            leaves += inside or [leaf]
        return Tree.from_paths(paths, leaves, column=column)

    def _climb(self, tree: Tree, leaf: int) -> Iterator[int]:
        node = int(tree.leaf_nodes[leaf])
        while node >= 0:
            yield from [node] * int(tree.span[node])
            node = int(tree.parent[node])
