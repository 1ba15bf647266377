"""A table as a plain value: columns of Python lists or numpy arrays, with roles and trees, before any engine sees it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.errors import BadRequest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Column", "Dataset", "Nested"]

Column: TypeAlias = "Sequence[Hashable] | npt.NDArray[np.generic]"
Nested: TypeAlias = Mapping[str, Json]
_Fact = TypeVar("_Fact")


@frozen(eq=False)
class Dataset:
    """A named table with what is known about its columns.

    Missing values are ``None``. A taxonomy is a nested mapping ``{label: [child, ...]}`` whose leaves are plain labels;
    :meth:`sfumato.data.tree.Tree.from_nested` reads it. ``ranges`` gives the range of a number column where its source
    prints one, ``aliases`` the other name a column has there. ``train`` is how many leading rows are the training part
    of a table that its source has split.

    >>> table = Dataset("pets", {"kind": ["cat", "dog"], "age": [3, None]})
    >>> len(table), table.columns, table.to_rows()
    (2, ('kind', 'age'), [('cat', 3), ('dog', None)])
    """

    name: str
    data: Mapping[str, Column]
    roles: Mapping[str, Role] = field(default_factory=dict)
    taxonomies: Mapping[str, Nested] = field(default_factory=dict)
    source: str = ""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    train: int | None = None

    def __post_init__(self) -> None:
        lengths = {column: len(values) for column, values in self.data.items()}
        if len(set(lengths.values())) > 1:
            raise BadRequest(
                f"dataset {self.name!r} has columns of different length",
                value=[f"{column} ({length})" for column, length in lengths.items()],
            )
        for what in ("roles", "taxonomies", "ranges", "aliases"):
            for column in getattr(self, what):
                self._require(column, what)

    def _require(self, column: str, parameter: str) -> None:
        if column not in self.data:
            raise BadRequest("names no column of the dataset", parameter=parameter, value=column, available=self.data)

    def __len__(self) -> int:
        return len(next(iter(self.data.values()), ()))

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {len(self)} rows, columns {', '.join(self.columns)})"

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(self.data)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self)

    def of(self, role: Role) -> tuple[str, ...]:
        """Return the columns that have this role, in table order."""
        return tuple(column for column in self.data if self.roles.get(column) == role)

    def values(self, column: str) -> list[Hashable]:
        """Return the values of a column as Python objects."""
        self._require(column, "column")
        values = self.data[column]
        return values.tolist() if isinstance(values, np.ndarray) else list(values)

    def to_rows(self) -> list[tuple[Hashable, ...]]:
        """Return all rows as tuples."""
        return list(zip(*(self.values(column) for column in self.data), strict=True))

    def select(self, columns: Iterable[str]) -> Dataset:
        """Keep these columns, in this order."""
        kept = list(columns)
        for column in kept:
            self._require(column, "columns")

        def only(facts: Mapping[str, _Fact]) -> dict[str, _Fact]:
            return {column: facts[column] for column in kept if column in facts}

        return replace(
            self,
            data=only(self.data),
            roles=only(self.roles),
            taxonomies=only(self.taxonomies),
            ranges=only(self.ranges),
            aliases=only(self.aliases),
        )

    def part(self, start: int, stop: int) -> Dataset:
        """Return the rows ``start`` to ``stop - 1``; the part knows of no training rows of its own."""
        return replace(self, data={column: values[start:stop] for column, values in self.data.items()}, train=None)

    def split(self) -> tuple[Dataset, Dataset]:
        """Return the training and the test part as the source split them."""
        if self.train is None:
            raise BadRequest(f"dataset {self.name!r} has no training and test part", parameter="split")
        return self.part(0, self.train), self.part(self.train, len(self))

    def to_polars(self) -> pl.DataFrame:
        """Return a Polars frame; texts, numbers and dates keep their types."""
        import polars as pl

        def series(column: str, values: Column) -> pl.Series:
            # Object arrays hold shared texts; as a list they are read at once, as objects they would stay opaque.
            if isinstance(values, np.ndarray) and values.dtype == object:
                return pl.Series(column, values.tolist(), strict=True)
            return pl.Series(column, values)

        return pl.DataFrame([series(column, values) for column, values in self.data.items()])

    def write_csv(self, path: str | Path) -> Path:
        """Write a comma separated file with header and return its path; missing values become empty cells."""
        target = Path(path)
        self.to_polars().write_csv(target)
        return target
