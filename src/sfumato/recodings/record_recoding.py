"""What recodings of whole records share: a scale for each column, labels cell by cell, and the numbers metrics read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import Recoding, TableRecoding
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.distinct import finder, found_among
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.kernels.ordering import stable_order
from sfumato.recodings._records import (
    Labels,
    Records,
    Row,
    own_labels,
    pair_counts,
    put_labels,
    refuse_columns,
    unique_sums,
)
from sfumato.recodings.scales import NumberScale, OrderScale, Scale, TreeScale
from sfumato.recodings.tree_recoding import as_tree, tree_state

__all__ = ["RecordRecoding", "cell_stats"]

_PORTION = 1 << 18  # records that are looked for at once


class RecordRecoding(TableRecoding):
    """Cells become labels of their column's scale; which label depends on the record."""

    trees: Mapping[str, Any] | None = param(
        default=None, doc="tree of each column that has one: a Tree, or a nested mapping of value and children"
    )
    ranges: Mapping[str, Any] | None = param(
        default=None, doc="lowest and highest number of each column whose labels are intervals"
    )
    orders: Mapping[str, Any] | None = param(
        default=None, doc="all values, first to last, of each column whose labels are runs first..last"
    )

    def validate(self) -> None:
        """Take trees, ranges and orders in any form they are written in; each column has one of them."""
        self._settle("trees", self._tree)
        self._settle("ranges", self._range)
        self._settle("orders", self._order)
        names = [name for given in (self.trees, self.ranges, self.orders) for name in given or ()]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise BadRequest("has more than one of tree, range and order", parameter=self.id, column=twice[0])
        if not names:
            raise BadRequest("needs trees, ranges or orders", parameter=f"{self.id}.trees")

    def _settle(self, parameter: str, read: Callable[[str, object], object]) -> None:
        given = getattr(self, parameter)
        if given is None:
            return
        if not isinstance(given, Mapping):
            raise BadRequest("must map columns", parameter=f"{self.id}.{parameter}", value=given)
        object.__setattr__(self, parameter, {str(name): read(str(name), entry) for name, entry in given.items()})

    def _tree(self, column: str, given: object) -> Tree:
        try:
            if isinstance(given, (Tree, Mapping, str)):
                return as_tree(given)
        except (TypeError, AttributeError):
            pass
        raise BadRequest("must be a tree", column=column, parameter=f"{self.id}.trees")

    def _range(self, column: str, given: Any) -> tuple[float, float]:
        try:
            low, high = given
            if low <= high:
                return low, high
        except (TypeError, ValueError):
            pass
        raise BadRequest(
            "must be two numbers, the lower one first", column=column, parameter=f"{self.id}.ranges", value=str(given)
        )

    def _order(self, column: str, given: object) -> tuple[str, ...]:
        order = tuple(map(to_text, given)) if isinstance(given, (list, tuple)) else ()
        if not order or len(set(order)) < len(order) or any(".." in text or text == "*" for text in order):
            raise BadRequest(
                "must list different values, none of them * or with .. in it",
                column=column,
                parameter=f"{self.id}.orders",
            )
        return order

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """What labels mean, column by column."""
        return {
            **{name: TreeScale(tree) for name, tree in (self.trees or {}).items()},
            **{name: NumberScale(*ends) for name, ends in (self.ranges or {}).items()},
            **{name: OrderScale(order) for name, order in (self.orders or {}).items()},
        }

    @property
    def recoded(self) -> tuple[str, ...]:
        """The columns this recoding looks at, in order."""
        return tuple(self.scales)

    def spec(self) -> dict[str, Json]:
        """Return id and parameters, ready for JSON: trees with the types of their leaves."""
        out = super().spec()
        if self.trees is not None:
            out["trees"] = {name: tree_state(tree) for name, tree in self.trees.items()}
        return out

    # ---- applying ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def shown(self, records: Records, *, unknown: str = "declared") -> Labels:
        """Return the labels of the recoded columns, record by record; missing values that stay missing have none."""

    def labels(self, rows: Sequence[Row], *, unknown: str = "declared") -> list[Row]:
        """Return the labels of the recoded columns of each row; ``None`` where a missing value stays missing."""
        shown = self.shown(Records.from_rows(self.recoded, rows), unknown=unknown)
        columns = ([None if code < 0 else texts[code] for code in codes.tolist()] for codes, texts in shown.values())
        return list(zip(*columns, strict=True))

    def apply(self, table: Table, *, unknown: str = "declared") -> Table:
        """Return the recoded table; see :class:`TableRecoding`."""
        records = self._records(table, self.recoded)
        return put_labels(table, records, self.shown(records, unknown=unknown))

    def _records(self, table: Table, columns: Sequence[str]) -> Records:
        """Return what is looked at: records that look alike are published alike, so each once."""
        refuse_columns(table, self.recoded, self.id)
        return Records.alike(table, columns)

    def stands_for(self, column: str, label: Hashable, value: Hashable) -> bool:
        scale = self.scales.get(column)
        if scale is None or value is None or label is None:
            return label == value
        text = to_text(label)
        return text in (to_text(value), scale.root) or (scale.knows(text) and scale.holds(text, value))

    def _stats(
        self, table: Table, qid: tuple[str, ...], histograms: Sequence[str], unknown: str, published: Table | None
    ) -> PublishedStats:
        records = self._records(table, [*self.recoded, *qid])
        labels = self.shown(records.only(self.recoded), unknown=unknown)
        published = put_labels(table, records, labels) if published is None else published
        return cell_stats(published, self.scales, records, labels, qid or self.recoded, histograms)

    def _same_scales(self, other: Recoding) -> bool:
        return (
            isinstance(other, type(self))
            and (self.trees or {}) == (other.trees or {})
            and (self.ranges or {}) == (other.ranges or {})
            and (self.orders or {}) == (other.orders or {})
        )


def cell_stats(
    published: Table,
    scales: Mapping[str, Scale],
    records: Records,
    labels: Labels,
    qid: Sequence[str],
    histograms: Sequence[str],
    kept: Bools | None = None,
) -> PublishedStats:
    """Return what metrics read, from raw records and their labels in the columns that have a scale.

    The records are those of the raw table, with the columns of ``qid`` and of the scales; ``kept`` tells which of them are
    published, all if not given.
    """
    groups = published.groups(qid, histograms)
    kept = np.ones(len(records), bool) if kept is None else kept
    sizes, gone = records.sizes, ~kept
    chosen = slice(None) if kept.all() else kept  # nothing is copied where all are published
    attributes, climb = {}, {}
    cover, domain = np.full((len(groups), len(scales)), np.nan), np.zeros(len(scales))
    for at, (name, scale) in enumerate(scales.items()):
        place = records.columns.index(name)
        values, codes = records.values[place], records.codes[:, place]
        lost = np.bincount(codes[gone] + 1, sizes[gone], len(values) + 1)[1:].astype(np.int64)
        shown, texts = labels[name]
        attributes[name] = _attribute(name, scale, values, (codes[chosen], shown[chosen], texts, sizes[chosen]), lost)
        if gone.any():
            climb[name] = sum(
                max(scale.climbs(value, scale.root)[1], 0) * count
                for value, count in zip(values, lost.tolist(), strict=True)
                if count
            )
        domain[at] = len(values) if scale.continuous else scale.domain
        if name in groups.columns:
            cover[:, at] = _cover(scale, groups.keys[groups.columns.index(name)], values)
    group = np.where(kept, _group_of(records, labels, groups), -1)
    raw_sizes, raw_group = _raw_groups(records.only(list(scales)), group)
    return PublishedStats(
        int(sizes.sum()),
        int(sizes[gone].sum()),
        groups,
        attributes,
        climb,
        cover,
        raw_sizes,
        raw_group,
        suppressed_sizes=raw_sizes[raw_group < 0],
        cover_domain=domain,
    )


def _attribute(
    name: str,
    scale: Scale,
    values: Sequence[Hashable],
    kept: tuple[Codes, Codes, Sequence[str | None], Ints],
    lost: Ints,
) -> AttributeStats:
    """Return a column from the codes and labels of the records kept, and the count of each value among the others."""
    codes, shown, texts, sizes = kept
    if scale.continuous and not lost.any() and len(set(texts)) == len(texts):
        return _line(name, scale, *kept)
    counts: dict[tuple[int, str], list[int]] = {}
    pairs, times = pair_counts(codes, shown, len(texts), sizes)
    for (value, label), count in zip(pairs, times.tolist(), strict=True):
        text = None if label < 0 else texts[label]
        if text is not None:
            counts.setdefault((value, text), [0, 0])[0] += count
    for value in np.flatnonzero(lost).tolist():  # what is left out would have been published as it is
        counts.setdefault((value, scale.raw(values[value])), [0, 0])[1] += int(lost[value])
    numbers: dict[str, int] = {}
    label_of = np.array([numbers.setdefault(text, len(numbers)) for _, text in counts], np.int64)
    covered = np.array([scale.covered(text) for text in numbers], np.float64)
    climbs = [scale.climbs(None if value < 0 else values[value], text) for value, text in counts]
    both = np.array(list(counts.values()), np.int64).reshape(-1, 2)
    return AttributeStats(
        name,
        both[:, 0],
        label_of,
        covered[label_of],
        scale.domain,
        np.array([climb for climb, _ in climbs], np.int64),
        np.array([climb for _, climb in climbs], np.int64),
        scale.continuous,
        both[:, 1],
    )


def _line(
    name: str, scale: Scale, codes: Codes, shown: Codes, texts: Sequence[str | None], sizes: Ints
) -> AttributeStats:
    """Return a column of numbers that are all kept: hardly any two pairs of a number and its interval are alike."""
    told = np.array([text is not None for text in texts] + [False], np.bool_)[shown]
    room = len(texts)
    keys, count = unique_sums(codes[told].astype(np.int64) * room + shown[told], sizes[told])
    label = keys % max(room, 1)
    present = np.zeros(room, bool)
    present[label] = True
    used, label = np.flatnonzero(present), (np.cumsum(present) - 1)[label]
    covered = np.array([scale.covered(str(texts[code])) for code in used.tolist()], np.float64)
    levels = np.full(len(keys), -1, np.int64)
    nobody = np.zeros(len(keys), np.int64)
    return AttributeStats(name, count, label, covered[label], scale.domain, levels, levels, True, nobody)


def _cover(scale: Scale, keys: Sequence[Hashable], values: Sequence[Hashable]) -> Floats:
    """Return how many raw values the published value of each group stands for; of numbers, those that occur."""
    keys = CodedKeys.of(keys)
    used = np.unique(keys.codes[keys.codes >= 0])
    texts = [to_text(keys.values[code]) for code in used.tolist()]
    out = np.full(len(keys.values) + 1, np.nan)  # the last entry answers for missing, -1
    if scale.continuous:
        ranks, first, last = scale.runs(texts, values)
        placed = np.sort(ranks[ranks >= 0])
        out[used] = np.searchsorted(placed, last) - np.searchsorted(placed, first)
    else:
        out[used] = [scale.covered(text) for text in texts]
    return out[keys.codes]


def _group_of(records: Records, labels: Labels, groups: GroupStats) -> Ints:
    """Return the group of each record by what is published of it; no two values of a column share a text."""
    keys, shown, places = [CodedKeys.of(held) for held in groups.keys], list[Codes](), list[Codes]()
    for name, held in zip(groups.columns, keys, strict=True):
        codes, texts = labels.get(name) or own_labels(records.only([name]))[name]
        place = {to_text(value): code for code, value in enumerate(held.values)}
        of_text = [-1 if text is None else place.get(text, -2) for text in texts]
        places.append(np.array([*of_text, -1], np.int32))  # the last entry answers for missing, -1
        shown.append(codes)

    def asked(part: slice) -> Codes:
        return np.column_stack([place[codes[part]] for place, codes in zip(places, shown, strict=True)])

    listed, lowest = np.column_stack([held.codes for held in keys]), np.full(len(keys), -2)
    look_for = None if not len(listed) else finder(listed, lowest, np.array([len(held.values) for held in keys]))
    if look_for is None:
        return found_among(listed, asked(slice(None)))
    out = np.empty(len(records), np.int64)
    for start in range(0, len(out), _PORTION):
        part = slice(start, start + _PORTION)
        out[part] = look_for(asked(part))
    return out


def _raw_groups(records: Records, group: Ints) -> tuple[Ints, Ints]:
    """Return the counts of the distinct raw records, parted by the group they are published in, and these groups."""
    first, number = records.distinct
    if len(first) == len(records):  # no two are alike
        order = stable_order(group)
        return records.sizes[order], group[order]
    room = max(len(first), 1)
    found, sizes = unique_sums((group + 1) * room + number, records.sizes)
    return sizes, found // room - 1
