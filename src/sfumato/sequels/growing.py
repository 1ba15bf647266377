"""A growing table as its holder has it: every raw record by the batch it came with, and its class in each release."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.distinct import distinct_rows, found_among
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Ints
from sfumato.sequels.classes import Classes, SeriesClasses, shown_above
from sfumato.sequels.series import Series

__all__ = ["Growing"]

Cut = Sequence[int] | Ints


@frozen(eq=False)
class Growing:
    """Raw records of all batches, each distinct row once, and how many of them came with each batch.

    ``table`` counts all records by quasi-identifiers and, as extra columns, the sensitive one first; ``came`` is rows x
    batches. ``earlier`` are the releases so far, with a tree for every column, or ``None`` before the first.
    """

    qid: tuple[str, ...]
    sensitive: str
    trees: tuple[Tree, ...]
    table: CompressedTable
    came: Ints
    earlier: SeriesClasses | None
    types: Mapping[str, ColumnType]

    @classmethod
    def of(
        cls,
        batches: Sequence[Table],
        earlier: Series | None,
        *,
        qid: Sequence[str],
        sensitive: str,
        trees: Mapping[str, Tree],
        extra: Sequence[str] = (),
    ) -> Growing:
        """Count the records of all batches, the last of which is new, and compare those before with what was published.

        Refused: another number of batches than of releases and one, releases that are no cuts, records that a release does not
        cover as it was published.
        """
        published = 0 if earlier is None else len(earlier)
        if len(batches) != published + 1:
            raise BadRequest(
                f"{published} releases need the raw records of as many batches, and those that are new",
                parameter="history",
                value=len(batches) - 1,
            )
        names = list(dict.fromkeys([*qid, sensitive, *extra]))
        known = {name: _united(name, batches) for name in names}
        parts = [one.compress(list(qid), names[len(qid) :], known) for one in batches if one.rows]
        numbers = [at for at, one in enumerate(batches) if one.rows]
        codes = np.concatenate([np.hstack([part.codes, part.extra_codes]) for part in parts])
        rows, place = distinct_rows(codes)
        batch = np.repeat(numbers, [len(part) for part in parts])
        weight = np.concatenate([part.weights for part in parts])
        came = np.zeros((len(rows), len(batches)), np.int64)
        np.add.at(came, (place, batch), weight)
        width = len(qid)
        table = CompressedTable(
            tuple(qid),
            np.ascontiguousarray(rows[:, :width]),
            came.sum(axis=1),
            known,
            tuple(names[width:]),
            np.ascontiguousarray(rows[:, width:]),
        )
        own = tuple(trees[name] if name in trees else Tree.flat(known[name].values, column=name) for name in qid)
        whole = None
        if earlier is not None:
            held = replace(earlier, trees=dict(zip(qid, own, strict=True)), batches=tuple(batches))
            whole = SeriesClasses.of(held)
            whole.refuse_uncut()
        made = cls(tuple(qid), sensitive, own, table, came, whole, batches[-1].types)
        for number in range(published):
            made._refuse_unpublished(number)
        return made

    # ---- raw rows ------------------------------------------------------------------------------------------------------

    @cached_property
    def leaves(self) -> Codes:
        """The leaf of each row in each column, as a node."""
        out = np.empty_like(self.table.codes)
        for at, (name, tree) in enumerate(zip(self.qid, self.trees, strict=True)):
            numbers = tree.encode(self.table.dictionaries[name].values, column=name)
            out[:, at] = tree.leaf_nodes[numbers][self.table.codes[:, at]]
        return out

    @property
    def value(self) -> Ints:
        """The sensitive value of each row, as a code of its dictionary."""
        return self.table.extra_codes[:, 0].astype(np.int64)

    def shown(self, cuts: Sequence[Cut]) -> Codes:
        """Return the nodes that cuts, one for each column, show of each row."""
        return np.column_stack(
            [
                shown_above(tree, np.asarray(cut, np.int64))[self.leaves[:, at]]
                for at, (tree, cut) in enumerate(zip(self.trees, cuts, strict=True))
            ]
        )

    # ---- releases ------------------------------------------------------------------------------------------------------

    @cached_property
    def class_of_row(self) -> tuple[Ints, ...]:
        """The class of each row in each earlier release; -1 where no class covers it."""
        if self.earlier is None:
            return ()
        return tuple(
            found_among(nodes, self.shown(cuts))
            for nodes, cuts in zip(self.earlier.nodes, self.earlier.cuts, strict=True)
        )

    @cached_property
    def histograms(self) -> tuple[Histogram, ...]:
        """The groups of each earlier release, by codes of the sensitive dictionary."""
        values = self.table.dictionaries[self.sensitive].values
        place = {value: code for code, value in enumerate(values)}
        out = []
        for one in () if self.earlier is None else self.earlier.releases:
            code = np.array([place.get(value, -1) for value in one.histogram.values], np.int64)
            held = code[one.histogram.code] if len(code) else one.histogram.code
            lacking = int(one.histogram.count[held < 0].sum())
            if lacking:
                raise BadRequest(
                    f"{lacking:,} published records have a sensitive value that no raw record has",
                    parameter="history",
                    column=self.sensitive,
                )
            out.append(Histogram.from_pairs(len(one), values, one.histogram.group(), held, one.histogram.count))
        return tuple(out)

    def _refuse_unpublished(self, number: int) -> None:
        """Refuse raw records that a release does not show as it was published."""
        held = self.histograms[number]
        before = self.came[:, : number + 1].sum(axis=1)
        rows = np.flatnonzero(before)
        seen = self.class_of_row[number][rows]
        lost = int(before[rows[seen < 0]].sum())
        rows, seen = rows[seen >= 0], seen[seen >= 0]
        again = Histogram.from_pairs(len(held.start) - 1, held.values, seen, self.value[rows], before[rows])
        width = max(len(held.values), 1)
        keys = [one.group() * width + one.code for one in (held, again)]
        distinct, at = np.unique(np.concatenate(keys), return_inverse=True)
        differ = np.bincount(at, np.concatenate([held.count, -again.count]), len(distinct))
        wrong = lost + int(np.abs(differ).sum())
        if wrong:
            raise BadRequest(
                f"the raw records so far are not those of release {number + 1}: {wrong:,} differ in what is published of them",
                parameter="history",
            )

    def classes(self, cuts: Sequence[Cut]) -> Classes:
        """Return the classes of all records by cuts, one for each column."""
        nodes, number = distinct_rows(self.shown(cuts))
        values = self.table.dictionaries[self.sensitive].values
        histogram = Histogram.from_pairs(len(nodes), values, number, self.value, self.table.weights)
        keys = tuple(CodedKeys(tree.labels, nodes[:, at]) for at, tree in enumerate(self.trees))
        groups = GroupStats(self.qid, keys, histogram.totals(), {self.sensitive: histogram})
        return Classes(groups, histogram)

    def with_next(self, cuts: Sequence[Cut]) -> SeriesClasses:
        """Return the classes of the series with a next release that shows all records by cuts."""
        added = self.classes(cuts)
        if self.earlier is None:
            raise BadRequest("there is no release before", parameter="earlier")
        coded = [
            Classes(one.groups, histogram)
            for one, histogram in zip(self.earlier.releases, self.histograms, strict=True)
        ]
        return replace(self.earlier, releases=(*coded, added))


def _united(name: str, batches: Sequence[Table]) -> Dictionary:
    """Return the values of a column in all batches, in their order."""
    for number, table in enumerate(batches, 1):
        if name not in table.types:
            raise BadRequest(f"batch {number} lacks a column of the series", column=name, available=table.columns)
    kinds = {str(table.types[name]) for table in batches if table.rows}
    if len(kinds) > 1:
        raise BadRequest("batches of a series have different types in one column", column=name, value=sorted(kinds))
    counts: dict[Hashable, int] = {}
    for table in batches:
        held = table.dictionary(name)
        for value, count in zip(held.values, held.counts.tolist(), strict=True):
            counts[value] = counts.get(value, 0) + count
    values = tuple(sorted(counts))  # type: ignore[type-var]
    return Dictionary(name, values, np.array([counts[value] for value in values], np.int64))
