"""Hierarchy builders: how a value becomes more general, as a path of labels from the value itself up to the root."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar

from sfumato.contracts.thing import Thing
from sfumato.data.compressed import Dictionary
from sfumato.data.json import Json
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree

__all__ = ["HierarchyBuilder"]


class HierarchyBuilder(Thing):
    """Builds the tree of a column and finds the path of any later value.

    ``build`` numbers the leaves; ``path`` answers for values that were not there when the tree was built. Both refuse a
    value that has no place, naming every such value at once.
    """

    kind: ClassVar[str] = "hierarchy"
    last_resort: ClassVar[bool] = False
    """Whether it is proposed only where no other builder is."""

    @classmethod
    def proposed(cls, dictionary: Dictionary, kind: ColumnType) -> HierarchyBuilder | None:
        """Return the builder that fits a column nobody wrote a hierarchy for; ``None`` if this is not the one."""
        return None

    def drafted(self) -> dict[str, Json]:
        """Return what the draft of a policy says of this builder: its id and parameters."""
        return self.spec()

    def fitted(self, values: Iterable[Hashable], counts: Iterable[int]) -> HierarchyBuilder:
        """Return the builder with what it must know of a table: how often each value occurs. Most need nothing."""
        return self

    @abstractmethod
    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the labels from the value itself (first) to the root (last); ``KeyError`` if it has no place."""

    @abstractmethod
    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the tree over ``values`` (distinct, in the column's order)."""
