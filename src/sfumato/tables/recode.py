"""Recodings of columns and of whole records, applied to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.engine import Table
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.tree import Tree
from sfumato.policy import Policy
from sfumato.publishing.release import Judgement

__all__ = ["Applied", "Recoded", "recode_table", "tree_of"]


@dataclass(frozen=True, eq=False)
class Recoded:
    """A recoded table with the recodings that made it, and how many values each placed by its rule for new ones.

    ``operation`` is the recoding of whole records, where it was one.
    """

    table: Table
    recodings: Mapping[str, ColumnRecoding]
    outside: Mapping[str, int]
    operation: TableRecoding | None = None

    @property
    def public(self) -> Any:
        """The rows as the frame type that came in."""
        return self.table.to_native()

    @property
    def mixed_granularity(self) -> bool:
        """Whether a value and a more general one that covers it may stand side by side in a column."""
        made = [*self.recodings.values(), *([] if self.operation is None else [self.operation])]
        return any(recoding.mixed_granularity for recoding in made)


def tree_of(table: Table, name: str, given: Any) -> tuple[Tree, HierarchyBuilder | None]:
    """Return the tree of a column from a tree, a builder, the spec of a builder, or a nested mapping."""
    if isinstance(given, Tree):
        return given, None
    if not isinstance(given, HierarchyBuilder):
        given = build(
            given if isinstance(given, Mapping) and "id" in given else {"id": "taxonomy", "tree": given}, "hierarchy"
        )
    return given.build(table.dictionary(name).values, column=name), given


def recode_table(table: Table, recodings: Mapping[str, ColumnRecoding], *, unknown: str = "declared") -> Recoded:
    """Map every value of every recoded column; columns that stay as they are keep their type."""
    mappings = {}
    outside = {}
    for name, recoding in recodings.items():
        dictionary = table.dictionary(name)
        mapped = recoding.map(dictionary.values, column=name, unknown=unknown)
        count = int(dictionary.counts[list(mapped.outside)].sum()) if mapped.outside else 0
        if count:
            outside[name] = count
        if not recoding.identity or count:
            mappings[name] = dict(zip(dictionary.values, mapped.labels, strict=True))
    return Recoded(table.recode(mappings) if mappings else table, recodings, outside)


@dataclass(frozen=True, eq=False)
class Applied:
    """A table recoded as another one was: the rows, a verdict of its own, and how many values were new.

    ``operations`` recoded whole records after the columns, in their order; ``left_out`` of the records are not in the table
    because the release leaves out groups like theirs. ``unknown`` was the rule for values without a place, ``policy`` is the
    one of the release.
    """

    table: Table
    recodings: Mapping[str, ColumnRecoding]
    verdict: Judgement
    outside: Mapping[str, int]
    operations: Sequence[TableRecoding] = ()
    left_out: int = 0
    unknown: str = "declared"
    policy: Policy | None = None

    @property
    def public(self) -> Any:
        """The rows as the frame type that came in."""
        return self.table.to_native()
