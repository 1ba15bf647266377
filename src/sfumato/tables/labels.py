"""What the published values of a column stand for: read from the recoding that made them, or from the values themselves.

A published value is a node of the column's tree, an interval of numbers, a raw value, or ``*`` for anything. Where every raw
value lies under one published value only, the column was recoded as a whole and its labels tell what became of each value.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.contracts.recoding import Mapped
from sfumato.data.compressed import Dictionary
from sfumato.data.frozen import frozen
from sfumato.data.text import SUPPRESSED, number_array, parse_interval, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Labels", "labels_of_recoding", "read_labels"]


@frozen(eq=False)
class Labels:
    """The published values of one column and what each stands for.

    By label: ``covered`` of ``domain`` (raw values, or widths if ``continuous``), ``values`` of ``value_domain`` (always raw
    values, of numbers those that occur), ``depth`` in the tree (-1 without levels) and ``reach``, the positions of the raw
    values it may stand for. By raw value: ``root_climb``, and ``of_value``, the number of its label or -1 if no label stands
    for it; ``None`` if several labels stand for one value.
    """

    texts: tuple[str, ...]
    covered: Floats
    domain: float
    values: Floats
    value_domain: float
    depth: Ints
    reach: tuple[Ints, ...]
    root_climb: Ints
    of_value: Ints | None
    continuous: bool = False

    def number(self, texts: Sequence[str]) -> Ints:
        """Return the number of each text among the labels, -1 if it is none of them."""
        place = {text: number for number, text in enumerate(self.texts)}
        return np.array([place.get(text, -1) for text in texts], np.int64)


def labels_of_recoding(mapped: Mapped, dictionary: Dictionary) -> Labels:
    """Return the labels that a recoding gives to the values of a column."""
    numbers: dict[str, int] = {}
    label = np.array([numbers.setdefault(text, len(numbers)) for text in mapped.labels], np.int64)
    first = np.full(len(numbers), -1, np.int64)
    first[label[::-1]] = np.arange(len(label) - 1, -1, -1)
    held = np.bincount(label, minlength=len(numbers)).astype(np.float64)
    order, ends = np.argsort(label, kind="stable"), np.cumsum(held[:-1]).astype(np.int64)
    return Labels(
        texts=tuple(numbers),
        covered=mapped.covered[first],
        domain=mapped.domain,
        values=held if mapped.continuous else mapped.covered[first],
        value_domain=float(len(dictionary)) if mapped.continuous else mapped.domain,
        depth=np.where(mapped.climbed < 0, -1, mapped.root_climb - mapped.climbed)[first],
        reach=tuple(np.split(order, ends)),
        root_climb=mapped.root_climb,
        of_value=label,
        continuous=mapped.continuous,
    )


def read_labels(column: str, dictionary: Dictionary, published: Dictionary, tree: Tree | None = None) -> Labels:
    """Return what the values of a published column stand for, given the raw column's values and its tree, if any.

    A published value that is no node, no interval of numbers, no raw value and not ``*`` is refused by name.
    """
    texts = tuple(to_text(value) for value in published.values)
    if tree is not None:
        return _nodes(column, dictionary, texts, tree)
    intervals = [parse_interval(text) for text in texts]
    if any(intervals) and all(_is_number(value) for value in dictionary.values):
        return _intervals(column, dictionary, texts)
    return _values(column, dictionary, texts, published.counts)


def _nodes(column: str, dictionary: Dictionary, texts: tuple[str, ...], tree: Tree) -> Labels:
    found = [tree.node_of.get(text, 0 if text == SUPPRESSED else -1) for text in texts]
    _refuse_strange(column, texts, [node < 0 for node in found], "no node of the hierarchy", tree.labels)
    nodes = np.array(found, np.int64)
    leaf = tree.encode(dictionary.values, column=column)
    order = np.argsort(leaf, kind="stable")
    low, high = (np.searchsorted(leaf[order], edge[nodes]) for edge in (tree.leaf_first, tree.leaf_last))
    reach = tuple(order[start:stop] for start, stop in zip(low, high, strict=True))
    covered = tree.leaf_count[nodes].astype(np.float64)
    return Labels(
        texts=texts,
        covered=covered,
        domain=float(len(tree.leaves)),
        values=covered,
        value_domain=float(len(tree.leaves)),
        depth=tree.depth[nodes].astype(np.int64),
        reach=reach,
        root_climb=tree.depth[tree.leaf_nodes[leaf]].astype(np.int64),
        of_value=_only_label(reach, len(dictionary)),
    )


def _intervals(column: str, dictionary: Dictionary, texts: tuple[str, ...]) -> Labels:
    numbers = number_array(dictionary.values)
    place = dict(zip(map(to_text, dictionary.values), numbers.tolist(), strict=True))
    bounds: list[tuple[float, float, bool] | None] = []
    for text in texts:
        single = place.get(text)
        bounds.append(parse_interval(text) if single is None else (single, single, True))
    _refuse_strange(
        column,
        texts,
        [bound is None and text != SUPPRESSED for bound, text in zip(bounds, texts, strict=True)],
        "no interval, no raw value and not '*'",
    )
    known = [bound for bound in bounds if bound is not None]
    low = min(numbers.min(), *(bound[0] for bound in known))
    high = max(numbers.max(), *(bound[1] for bound in known))
    reach, width = [], []
    for start, stop, closed in (bound or (low, high, True) for bound in bounds):
        reach.append(np.flatnonzero((numbers >= start) & ((numbers < stop) | (closed & (numbers == stop)))))
        width.append(stop - start)
    return Labels(
        texts=texts,
        covered=np.array(width, np.float64),
        domain=float(high - low),
        values=np.array([max(len(held), 1) for held in reach], np.float64),
        value_domain=float(len(dictionary)),
        depth=np.full(len(texts), -1, np.int64),
        reach=tuple(reach),
        root_climb=np.full(len(dictionary), -1, np.int64),
        of_value=_only_label(reach, len(dictionary)),
        continuous=True,
    )


def _values(column: str, dictionary: Dictionary, texts: tuple[str, ...], counts: Ints) -> Labels:
    place = {to_text(value): position for position, value in enumerate(dictionary.values)}
    strange = [text not in place and text != SUPPRESSED for text in texts]
    _refuse_strange(column, texts, strange, "no raw value of the column and not '*', and there is no hierarchy")
    at = [place.get(text, -1) for text in texts]
    own = [position for position in at if position >= 0]
    hidden = np.setdiff1d(np.arange(len(dictionary)), own)
    # A value that is published as itself in all its records is never behind the star; otherwise it may be.
    in_full = all(dictionary.counts[p] == count for p, count in zip(at, counts.tolist(), strict=True) if p >= 0)
    behind = hidden if in_full and len(hidden) else np.arange(len(dictionary))
    reach = [np.array([position], np.int64) if position >= 0 else behind for position in at]
    covered = np.array([len(held) for held in reach], np.float64)
    return Labels(
        texts=texts,
        covered=covered,
        domain=float(len(dictionary)),
        values=covered,
        value_domain=float(len(dictionary)),
        depth=np.array([int(position >= 0) for position in at], np.int64),
        reach=tuple(reach),
        root_climb=np.ones(len(dictionary), np.int64),
        of_value=_only_label(reach, len(dictionary)),
    )


def _only_label(reach: Sequence[Ints], values: int) -> Ints | None:
    label, times = np.full(values, -1, np.int64), np.zeros(values, np.int64)
    for number, held in enumerate(reach):
        label[held] = number
        times[held] += 1
    return None if (times > 1).any() else label


def _refuse_strange(
    column: str, texts: Sequence[str], strange: Sequence[bool], rule: str, available: Sequence[str] | None = None
) -> None:
    wrong = [text for text, bad in zip(texts, strange, strict=True) if bad]
    if wrong:
        many = "values are" if len(wrong) > 1 else "value is"
        raise BadRequest(f"{len(wrong)} published {many} {rule}", column=column, value=wrong, available=available)


def _is_number(value: Hashable) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
