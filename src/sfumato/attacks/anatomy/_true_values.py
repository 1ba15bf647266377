"""The true sensitive values of records whose quasi-identifiers are exact, from the table before masking."""

from __future__ import annotations

import numpy as np

from sfumato.attacks._partitions import Partition, numbered
from sfumato.attacks._shared_codes import codes_in, codes_of_values
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.groups.stats import Histogram
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Truths", "truths_of"]


@frozen(eq=False)
class Truths:
    """How many raw records of each kind (combination of quasi-identifiers) have each value, as codes of the partition."""

    kind: Ints
    code: Ints
    count: Ints
    rows: Ints

    def sure(self) -> Ints:
        """Return the code of the value that all raw records of a kind have, -1 where they differ or there is none."""
        out = np.full(len(self.rows), -1, np.int64)
        alone = self.count == self.rows[self.kind]
        out[self.kind[alone]] = self.code[alone]
        return out

    def of_kinds(self, kind: Ints, code: Ints, values: int) -> Floats:
        """Return the share of the raw records of a kind that have a value, for many pairs of them."""
        keys, wanted = self.kind * values + self.code, kind * values + code
        if not len(keys):
            return np.zeros(len(kind))
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        share = self.count[place] / np.maximum(self.rows[kind], 1)
        return np.where(keys[place] == wanted, share, 0.0)


def truths_of(partition: Partition, knowledge: TableKnowledge) -> Truths | None:
    """Return what the raw table, or else the owners' table, says of the records; ``None`` without either."""
    table = knowledge.raw if knowledge.raw is not None else knowledge.owners
    if table is None:
        return None
    part = "raw" if knowledge.raw is not None else "owners"
    for name in (*partition.columns, knowledge.secret):
        if name not in table.types:
            raise BadRequest("lacks a column of the release", parameter=part, value=name, available=table.columns)
    return _truths(partition, table, knowledge.secret)


def _truths(partition: Partition, table: Table, sensitive: str) -> Truths:
    groups = table.groups(partition.columns, [sensitive])
    first, _ = partition.kinds
    codes = np.column_stack(
        [codes_in(keys, values) for keys, values in zip(groups.keys, partition.values, strict=True)]
    ).reshape(len(groups), len(partition.columns))
    # Kinds of both tables are numbered together; those of the partition come first.
    _, number = numbered(np.concatenate([partition.codes[first], np.maximum(codes, -1)]))
    kind_of = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
    kind_of[number[: len(first)]] = np.arange(len(first))
    kind = np.where((codes >= -1).all(axis=1), kind_of[number[len(first) :]], -1)
    rows = np.zeros(len(first), np.int64)
    np.add.at(rows, kind[kind >= 0], groups.sizes[kind >= 0])
    histogram = groups.histograms[sensitive]
    known = codes_of_values(histogram.values, partition.histogram.values)
    entry_kind, code = kind[histogram.group()], known[histogram.code]
    kept = (entry_kind >= 0) & (code >= 0)
    merged = Histogram.from_pairs(
        len(first), partition.histogram.values, entry_kind[kept], code[kept], histogram.count[kept]
    )
    return Truths(merged.group(), merged.code, merged.count, rows)
