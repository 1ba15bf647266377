"""Records by what they hold: those that are alike in every column that is read are one combination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.contracts.columns import refuse_inexact
from sfumato.contracts.engine import Engine, Table
from sfumato.data.compressed import CompressedTable
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Codes, Floats

__all__ = ["Alike"]


@frozen(eq=False)
class Alike:
    """Records one after the other, each by the combination of values that it has.

    ``held`` are the combinations, column by column, and ``of_record`` says which of them each record has. Records that an
    engine counted stand in the order of their values, alike ones side by side: they are the same whatever the engine, and of
    the order in which they came nothing is left.
    """

    held: Mapping[str, CodedKeys]
    of_record: Codes
    types: Mapping[str, ColumnType]
    home: str | Engine

    @classmethod
    def counted(cls, table: Table, names: Sequence[str], cells: CompressedTable | None = None) -> Alike:
        """Return the records of a table in the order of their values in some columns.

        ``cells`` are the distinct rows of a search; where these are what would be counted nobody counts again.
        """
        types = {name: table.types[name] for name in names}
        if cells is None or (*cells.columns, *cells.extra) != tuple(names) or cells.records != table.rows:
            found = table.counts(names)
            held, sizes = dict(zip(names, found.keys, strict=True)), found.sizes
        else:
            codes = [*cells.codes.T, *cells.extra_codes.T]
            held = {
                name: CodedKeys(cells.dictionaries[name].values, one) for name, one in zip(names, codes, strict=True)
            }
            sizes = cells.weights
        return cls(held, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), types, table.home)

    @classmethod
    def placed(cls, table: Table, names: Sequence[str]) -> Alike:
        """Return the records of a table where they stand."""
        codes = table.as_rows().codes(names)
        held = {name: CodedKeys(table.dictionary(name).values, codes[:, at]) for at, name in enumerate(names)}
        types = {name: table.types[name] for name in names}
        return cls(held, np.arange(len(codes), dtype=np.int32), types, table.home)

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(self.types)

    def __len__(self) -> int:
        return len(self.of_record)

    def codes(self, name: str) -> Codes:
        """Return which of the values of a column each record has; -1 where it is missing."""
        return self.held[name].codes[self.of_record]

    def shown(self, names: Sequence[str], order: Codes) -> dict[str, CodedKeys]:
        """Return some columns of the records in this order."""
        place = self.of_record[order]
        return {name: self.held[name].take(place) for name in names}

    def numbers(self, name: str) -> Floats:
        """Return the values of a column as numbers, in their order; refuse a column that has others, or missing ones."""
        held = self.held[name]
        if not self.types[name].numeric:
            raise BadRequest("must hold numbers", column=name, value=str(self.types[name]))
        missing = int(np.count_nonzero(self.codes(name) < 0))
        if missing:
            raise BadRequest(f"has {missing:,} missing values", column=name)
        refuse_inexact(name, (*held.values[:1], *held.values[-1:]))
        return np.array(held.values, np.float64)
