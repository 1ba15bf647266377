"""A publication as a privacy model sees it: groups of published records, and what else the publisher brings to the check.

Most models read group statistics only. Some look at several sets of attributes, at an external table under the same
recoding, at the trees of columns, or at single records; a publication offers all of these under one name. It may also be
nothing but explicit groups.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import from_text, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.groups.weighted import weighted_groups
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Publication"]


@frozen(eq=False)
class Publication:
    """Published records with their quasi-identifiers, or explicit groups.

    ``external`` is a population table that was recoded like the published one. ``trees`` holds the hierarchies of columns
    whose distances or guarding nodes a model needs. ``raw`` is the table before masking, for models of an adversary's prior.
    ``weights`` names a column of positive numbers: how many persons of the population a record stands for. Group sizes and
    histograms are then sums of weights; the external table keeps counting records. ``reference`` counts the values (as texts)
    of columns in the table before records were left out, ``records`` says how many there were then: models that compare groups
    with the whole table use both instead of what is published. ``cells`` is what only the publisher has of columns whose cells
    have a shape of their own: the view that the shape's requirements judge. ``external_weights`` names a column of the external
    table that says how many persons each of its records stands for. ``lost`` says for the published values of each
    group, as texts, what share of a record's bits they leave open.
    """

    table: Table | None = None
    qids: tuple[str, ...] = ()
    explicit: GroupStats | None = None
    external: Table | None = None
    trees: Mapping[str, Tree] = field(default_factory=dict)
    raw: Table | None = None
    weights: str | None = None
    reference: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    records: int | None = None
    cells: Mapping[str, object] = field(default_factory=dict)
    lost: Mapping[tuple[str, ...], float] = field(default_factory=dict)
    external_weights: str | None = None

    def groups(self, columns: Sequence[str] | None = None, histograms: Sequence[str] = ()) -> GroupStats:
        """Return the groups on some columns (all quasi-identifiers if not given), with histograms of others."""
        if self.explicit is not None:
            if self.weights is not None:
                raise BadRequest("explicit groups are counted already; weights need records", parameter="weights")
            lacking = [name for name in histograms if name not in self.explicit.histograms]
            if lacking:
                raise BadRequest(
                    "explicit groups lack the histogram of a column",
                    column=lacking[0],
                    available=self.explicit.histograms,
                )
            return self.explicit
        names, counted = self._known(columns), list(dict.fromkeys(histograms))
        if self.weights is not None:
            return weighted_groups(self._table(), names, counted, self._weights([*names, *counted]))
        return self._compared(self._table().groups(names, counted))

    def _compared(self, groups: GroupStats) -> GroupStats:
        """Let groups be compared with the table before records were left out."""
        histograms, whole = dict(groups.histograms), dict(groups.whole)
        for name, histogram in groups.histograms.items():
            if name not in self.reference:
                continue
            kind = self._table().types[name]
            counts = {from_text(text, kind): count for text, count in self.reference[name].items()}
            # What is published was there before, also where nobody told of it: missing values have no text.
            shown = np.bincount(histogram.code, histogram.count, len(histogram.values)).astype(np.int64).tolist()
            least = zip(histogram.values, shown, strict=True)
            counts.update({value: max(counts.get(value, 0), count) for value, count in least})
            values = tuple(sorted(counts, key=lambda value: (value is not None, value)))
            place = np.array([values.index(value) for value in histogram.values], np.int64)
            histograms[name] = replace(histogram, values=values, code=place[histogram.code])
            whole[name] = np.array([counts[value] for value in values], np.int64)
        return replace(groups, histograms=histograms, whole=whole, table_records=self.records)

    def external_groups(self, columns: Sequence[str] | None = None) -> GroupStats:
        """Return the groups of the external table on the same columns; refuse if there is none."""
        if self.external is None:
            raise BadRequest("needs an external table that was recoded like the published one", parameter="external")
        names = self._known(columns)
        for name in names:
            if name not in self.external.types:
                raise BadRequest(
                    "the external table lacks a quasi-identifier", column=name, available=self.external.columns
                )
        if self.external_weights is not None:
            return weighted_groups(self.external, names, [], self.external_weights)
        return self.external.groups(names)

    def lost_of(self, groups: GroupStats) -> Floats:
        """Return the share of a record's bits that each group leaves open; refuse if the publisher did not tell."""
        try:
            return np.array([self.lost[tuple(map(to_text, key))] for key in zip(*groups.keys, strict=True)], np.float64)
        except KeyError:
            raise BadRequest(
                "needs to know what the published values stand for; whoever has the hierarchies searches with it",
                parameter="hierarchies",
            ) from None

    def column(self, name: str) -> list[Hashable]:
        """Return the values of one column, record by record."""
        table = self._table()
        if name not in table.types:
            raise BadRequest("is not a column of the table", column=name, value=name, available=table.columns)
        return [row[0] for row in table.select([name]).to_rows()]

    def group_of_record(self, columns: Sequence[str] | None = None) -> Ints:
        """Return the number of the group that each record belongs to, as :meth:`groups` numbers them."""
        names = self._known(columns)
        number = {key: group for group, key in enumerate(zip(*self.groups(names).keys, strict=True))}
        rows = self._table().select(list(names)).to_rows()
        return np.array([number[row] for row in rows], np.int64)

    def tree(self, column: str) -> Tree:
        """Return the tree of a column; refuse if the publisher gave none."""
        if column not in self.trees:
            raise BadRequest("needs a hierarchy of the column", column=column, available=self.trees)
        return self.trees[column]

    def _weights(self, used: Sequence[str]) -> str:
        """Return the column of weights; refuse one that cannot be summed or that the model looks at."""
        name, table = str(self.weights), self._table()
        if name not in table.types:
            raise BadRequest("is not a column of the table", parameter="weights", value=name, available=table.columns)
        if name in used:
            raise BadRequest("is also a column that the model looks at", parameter="weights", value=name)
        if not table.types[name].numeric:
            raise BadRequest("weights must be numbers", column=name, value=str(table.types[name]))
        return name

    def _known(self, columns: Sequence[str] | None) -> tuple[str, ...]:
        names = tuple(columns) if columns is not None else self.qids
        if not names:
            raise BadRequest(
                "needs the columns an adversary may know", parameter="qid", available=self._table().columns
            )
        for name in names:
            if name not in self._table().types:
                raise BadRequest(
                    "is not a column of the table", parameter="qid", value=name, available=self._table().columns
                )
        return names

    def _table(self) -> Table:
        if self.table is None:
            raise BadRequest("needs records, not only groups", parameter="table")
        return self.table
