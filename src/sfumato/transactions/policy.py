"""What the publisher asks for where data are baskets: who they belong to, which items there are, what may be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from sfumato.catalogue import build
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import Thing
from sfumato.policy import LimitPolicy, Section, SharedPolicy, Spec, SpecOrId

__all__ = ["BasketLimits", "BasketPolicy", "ItemPolicy"]


class ItemPolicy(Section):
    """What the items are."""

    column: str | None = None
    """The column that holds the items: one in each row, or lists; a text file of baskets has none."""
    private: tuple[str, ...] = ()
    """Items that nobody should learn; all others are public."""
    public: tuple[str, ...] | None = None
    """All public items, where it matters that none was forgotten."""
    hierarchy: SpecOrId | None = None
    """How items become more general: the id of a hierarchy and its parameters."""
    fan_out: int | None = Field(default=None, ge=2)
    """Make a taxonomy of so many neighbours in the order of names or numbers, where nobody knows a better one."""

    @model_validator(mode="after")
    def _one_taxonomy(self) -> Self:
        if self.fan_out is not None and self.hierarchy is not None:
            raise PydanticCustomError("fan_out", "give a hierarchy or fan_out, not both")
        return self


class BasketLimits(LimitPolicy):
    """What the search may not exceed."""

    lose_at_most: float = Field(default=1.0, ge=0.0, le=1.0)
    """Largest share of public item occurrences that may be left out."""


class BasketPolicy(SharedPolicy):
    """A policy for baskets."""

    person: str | None = None
    """The column that names whose basket it is; never published."""
    items: ItemPolicy = ItemPolicy()
    """What the items are."""
    limits: BasketLimits = BasketLimits()
    """What the search may not exceed."""
    algorithm: Spec = Field(default={"id": "mole-suppression"})
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = ("item-ncp", "lost-items", "lost-frequent-itemsets")
    """Metrics to report: ids, or id and parameters."""

    def taxonomy(self) -> HierarchyBuilder | None:
        """Return what the taxonomy of items is built by, if there is one."""
        return None if self.items.hierarchy is None else build(self.items.hierarchy, "hierarchy")

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        given = self.items.hierarchy
        if given is not None and not (isinstance(given, dict) and given.get("file") is not None):
            yield ("items", "hierarchy"), partial(build, given, "hierarchy")

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with its taxonomy file read in, so that it stands on its own."""
        given = self.items.hierarchy
        if not (isinstance(given, dict) and given.get("file") is not None):
            return self
        builder = build(given, "hierarchy").resolved(base)
        return self.model_copy(update={"items": self.items.model_copy(update={"hierarchy": builder.spec()})})

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        inside: dict[str, type[Section]] = {"items": ItemPolicy, "limits": BasketLimits}
        if len(path) > 1 and str(path[0]) in inside:
            return list(inside[str(path[0])].model_fields)
        return super()._known_keys(path)
