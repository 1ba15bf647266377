"""Recodings of columns and of whole records, applied to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Self

from sfumato.catalogue import build
from sfumato.contracts.engine import Table
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.published import Judgement, Kept, Published
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.policy import Policy

__all__ = ["Applied", "Recoded", "recode_table", "tree_of"]


@frozen(eq=False, kw_only=True, repr=False)
class _Masked(Published):
    """A table that was recoded, with what recoded it, and how many values each recoding placed by its rule for new ones."""

    outside: Mapping[str, int] = field(default_factory=dict)

    @property
    def public(self) -> Any:
        """The rows as the frame type that came in."""
        return self.table.to_native()

    @classmethod
    def of(
        cls,
        table: Table,
        recodings: Mapping[str, ColumnRecoding],
        operations: Sequence[TableRecoding] = (),
        **told: Any,
    ) -> Self:
        """Return a table under these recodings of columns, and of whole records after them."""
        kept = Kept(recodings=recodings, operations=operations)
        return cls(form=RecodedTable(), tables={"data": table}, private=kept, **told)


@frozen(eq=False, kw_only=True, repr=False)
class Recoded(_Masked):
    """A table under recodings that were decided by hand."""

    @property
    def operation(self) -> TableRecoding | None:
        """The recoding of whole records, where it was one."""
        return next(iter(self.private.operations), None)

    @property
    def mixed_granularity(self) -> bool:
        """Whether a value and a more general one that covers it may stand side by side in a column."""
        made = [*self.recodings.values(), *self.private.operations]
        return any(recoding.mixed_granularity for recoding in made)


@frozen(eq=False, kw_only=True, repr=False)
class Applied(_Masked):
    """A table recoded as another one was, with a verdict of its own.

    ``left_out`` of the records are not in the table because the release leaves out groups like theirs. ``unknown`` was the
    rule for values without a place, ``policy`` is the one of the release.
    """

    verdict: Judgement
    left_out: int = 0
    unknown: str = "declared"
    policy: Policy | None = None

    @property
    def operations(self) -> Sequence[TableRecoding]:
        """What recoded whole records after the columns, in order."""
        return self.private.operations


def tree_of(table: Table, name: str, given: object) -> tuple[Tree, HierarchyBuilder | None]:
    """Return the tree of a column from a tree, a builder, the spec of a builder, or a nested mapping."""
    if isinstance(given, Tree):
        return given, None
    spec = given if isinstance(given, Mapping) and "id" in given else {"id": "taxonomy", "tree": given}
    builder: HierarchyBuilder = given if isinstance(given, HierarchyBuilder) else build(spec, "hierarchy")
    return builder.build(table.dictionary(name).values, column=name), builder


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
    return Recoded.of(table.recode(mappings) if mappings else table, recodings, outside=outside)
