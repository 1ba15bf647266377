"""Frequency: frequent values stay, rare ones share one label."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import ceil
from typing import ClassVar

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import param
from sfumato.data.compressed import Dictionary
from sfumato.data.json import Json
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies._computed import tree_of_paths

__all__ = ["Frequency"]

_RARE = 100  # a value is rare if it has fewer than one record in so many


class Frequency(HierarchyBuilder):
    """Rare values join under one label.

    With ``c(v)`` records of value v, a value is kept if ``c(v) >= at_least`` and it is among the ``top`` most frequent
    ones (of equal counts, the smaller text first); each bound counts only where it is given. Level 1 shows kept values as
    they are and all others as ``label``; level 2 is the root ``*``. A value that was never counted is rare.

    The counts come from a table: :meth:`from_counts`, or :meth:`fitted` on a builder that has only the bounds. Only the
    counts of kept values are stored, because a rare value in a saved policy would point at a person.

    Examples
    --------
    >>> country = Frequency.from_counts(["France", "Malta", "Spain"], [90, 2, 8], at_least=5)
    >>> country.path("Spain"), country.path("Malta"), country.path("Laos")
    (('Spain', '*'), ('Malta', 'other', '*'), ('Laos', 'other', '*'))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "frequency"
    last_resort: ClassVar[bool] = True

    at_least: int | None = param(default=None, ge=1, doc="records that a value needs in order to stay")
    top: int | None = param(default=None, ge=1, doc="how many of the most frequent values stay")
    label: str = param(default="other", doc="what rare values are called together")
    counts: Mapping[str, int] | None = param(default=None, doc="records of each value; filled from a table")

    @classmethod
    def from_counts(
        cls,
        values: Iterable[Hashable],
        counts: Iterable[int],
        *,
        at_least: int | None = None,
        top: int | None = None,
        label: str = "other",
    ) -> Frequency:
        """Return the builder for values that occur so often."""
        return cls(at_least=at_least, top=top, label=label).fitted(values, counts)

    def fitted(self, values: Iterable[Hashable], counts: Iterable[int]) -> Frequency:
        """Return the same bounds with the counts of a table, of which those of kept values are stored."""
        given = {to_text(value): int(count) for value, count in zip(values, counts, strict=True)}
        kept = replace(self, counts=given)._kept
        return replace(self, counts={name: given[name] for name in given if name in kept})

    @classmethod
    def proposed(cls, dictionary: Dictionary, kind: ColumnType) -> Frequency | None:
        """Propose one label for rare texts, if there are two or more of them and one value is left."""
        if kind != ColumnType.TEXT:
            return None
        offer = cls.flat(dictionary).fitted(dictionary.values, dictionary.counts)
        return offer if 1 <= len(offer._kept) <= len(dictionary) - 2 else None

    @classmethod
    def flat(cls, dictionary: Dictionary) -> Frequency:
        """Return the builder that joins values with fewer than 1 % of the records, under a label that no value has."""
        names = {to_text(value).casefold() for value in dictionary.values}
        label = next(name for name in ("other", "other values", "rare", "rare values") if name not in names)
        return cls(at_least=max(2, ceil(int(dictionary.counts.sum()) / _RARE)), label=label)

    def drafted(self) -> dict[str, Json]:
        """Say the bounds alone: rare values in a draft would point at persons."""
        return replace(self, counts=None).spec()

    def validate(self) -> None:
        """Refuse a builder without a bound, counts that are no counts, and a label that is a value."""
        if self.at_least is None and self.top is None:
            raise BadRequest("needs at_least or top", parameter=self.id)
        if self.label == "*":
            raise BadRequest("must differ from the root", parameter=f"{self.id}.label", value=self.label)
        if self.counts is None:
            return
        if not isinstance(self.counts, Mapping):
            raise BadRequest("must map values to counts", parameter=f"{self.id}.counts", value=self.counts)
        wrong = [name for name, count in self.counts.items() if isinstance(count, bool) or not isinstance(count, int)]
        wrong += [name for name in self.counts if name not in wrong and self.counts[name] < 0]
        if wrong:
            raise BadRequest("must be whole numbers >= 0", parameter=f"{self.id}.counts", value=wrong)
        if self.label in self.counts:
            raise BadRequest("is also a value; choose another", parameter=f"{self.id}.label", value=self.label)

    @cached_property
    def _kept(self) -> frozenset[str]:
        if self.counts is None:
            raise BadRequest("has no counts yet; take them from a table first", parameter=f"{self.id}.counts")
        counts = self.counts
        ranked = sorted(counts, key=lambda name: (-counts[name], name))[: self.top]
        return frozenset(name for name in ranked if self.at_least is None or counts[name] >= self.at_least)

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the value, the common label if it is rare, and the root."""
        name = to_text(value)
        if value is None or name in (self.label, "*"):
            raise KeyError(value)
        return (name, "*") if name in self._kept else (name, self.label, "*")

    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the tree over the values; one that is called like the common label or the root is refused."""
        rule = f"must differ from {self.label!r} and '*'; choose another label"
        return tree_of_paths(self.path, values, column=column, rule=rule)
