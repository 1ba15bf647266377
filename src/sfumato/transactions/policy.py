"""What the publisher asks for where data are baskets: who they belong to, which items there are, what may be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from sfumato.catalogue import build
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import Thing
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.hierarchies.taxonomy import Taxonomy
from sfumato.policy import LimitPolicy, Section, SharedPolicy, Spec, SpecOrId, read_in
from sfumato.tables.policy import ColumnPolicy

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
    groups: tuple[tuple[str, ...], ...] = ()
    """Groups of items that may become one: nothing else is made more general, in place of a hierarchy."""
    known: tuple[tuple[str, ...], ...] = ()
    """Sets of items whose parts an adversary may know; any set if not given."""

    @model_validator(mode="after")
    def _one_taxonomy(self) -> Self:
        given = [name for name in ("hierarchy", "fan_out", "groups") if getattr(self, name)]
        if len(given) > 1:
            raise PydanticCustomError("fan_out", "give a hierarchy, fan_out or groups, and not several of them")
        held = [name for one in self.groups for name in one]
        if len(set(held)) < len(held) or any(len(one) < 2 for one in self.groups):
            raise PydanticCustomError("groups", "an item is in one group at most, and a group has two items or more")
        return self


class BasketLimits(LimitPolicy):
    """What the search may not exceed."""

    lose_at_most: float = Field(default=1.0, ge=0.0, le=1.0)
    """Largest share of public item occurrences that may be left out."""

    @field_validator("suppress_at_most")
    @classmethod
    def _no_person(cls, given: float) -> float:
        """Refuse what no algorithm on baskets does."""
        if given:
            raise PydanticCustomError(
                "suppress_at_most", "no basket is left out as a whole: items are, up to lose_at_most"
            )
        return given


class BasketPolicy(SharedPolicy):
    """A policy for baskets."""

    person: str | None = None
    """The column that names whose basket it is; never published."""
    items: ItemPolicy = ItemPolicy()
    """What the items are."""
    columns: dict[str, ColumnPolicy] = Field(default={})
    """What else is known of the persons, by column: quasi-identifiers, the same in all rows of a person."""
    limits: BasketLimits = BasketLimits()
    """What the search may not exceed."""
    algorithm: Spec = Field(default={"id": "mole-suppression"})
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = ("item-ncp", "lost-items", "lost-frequent-itemsets")
    """Metrics to report: ids, or id and parameters."""

    @model_validator(mode="before")
    @classmethod
    def _class_by_class(cls, given: object) -> object:
        """Take the one algorithm that masks columns as well, where there are columns and no algorithm is named."""
        if isinstance(given, Mapping) and given.get("columns") and "algorithm" not in given:
            return {**given, "algorithm": {"id": "class-by-class"}}
        return given

    @field_validator("columns")
    @classmethod
    def _known_columns(cls, given: dict[str, ColumnPolicy]) -> dict[str, ColumnPolicy]:
        """Take quasi-identifiers, and columns that are left out; nothing is promised on others."""
        for name, entry in given.items():
            if entry.role is not Role.QUASI_IDENTIFIER and not entry.role.hidden:
                raise PydanticCustomError(
                    "columns",
                    "{name} is {role}: beside baskets columns are quasi-identifiers, or left out with the role drop",
                    {"name": name, "role": str(entry.role)},
                )
            if name in ("basket", "items", "item"):
                raise PydanticCustomError(
                    "columns", "{name} is a column of the release: call it otherwise", {"name": name}
                )
        return given

    def roles(self) -> dict[str, Role]:
        """Return the roles of the columns beside baskets."""
        return {name: entry.role for name, entry in self.columns.items()}

    def known_columns(self) -> list[str]:
        """Return the quasi-identifiers beside the items."""
        return [name for name, entry in self.columns.items() if entry.role is Role.QUASI_IDENTIFIER]

    def taxonomy(self) -> HierarchyBuilder | None:
        """Return what the taxonomy of items is built by, if there is one."""
        return None if self.items.hierarchy is None else build(self.items.hierarchy, "hierarchy")

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        for column, entry in self.columns.items():
            held = entry.hierarchy
            if held is not None and not (isinstance(held, dict) and held.get("file") is not None):
                yield ("columns", column, "hierarchy"), partial(build, held, "hierarchy")
        given = self.items.hierarchy
        if given is not None and not (isinstance(given, dict) and given.get("file") is not None):
            yield ("items", "hierarchy"), partial(build, given, "hierarchy")

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with its taxonomy files read in, so that it stands on its own."""
        columns = {
            name: entry.model_copy(update={"hierarchy": read_in(entry.hierarchy, base)})
            for name, entry in self.columns.items()
        }
        given = self.items.hierarchy
        tree = build(given, "hierarchy") if isinstance(given, dict) else None
        twice = tree.contradictions(base) if isinstance(tree, Taxonomy) else 0
        if twice:
            # In a table the last row of a value counts; which of two places of an item is meant nobody can tell.
            raise BadRequest(
                f"names {twice:,} item{'s' * (twice > 1)} in two places: each item has one",
                parameter="items.hierarchy",
                where=None if tree is None else tree.file,
            )
        items = self.items.model_copy(update={"hierarchy": read_in(self.items.hierarchy, base)})
        return self.model_copy(update={"columns": columns, "items": items})

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        if len(path) > 1 and path[0] == "columns":
            return list(ColumnPolicy.model_fields)
        inside: dict[str, type[Section]] = {"items": ItemPolicy, "limits": BasketLimits}
        if len(path) > 1 and str(path[0]) in inside:
            return list(inside[str(path[0])].model_fields)
        return super()._known_keys(path)
