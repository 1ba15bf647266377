"""Demographic counts: regions join until enough people live in every one that is published."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import param
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies.declared import DeclaredTree
from sfumato.hierarchies.taxonomy import Taxonomy, level_rows

__all__ = ["DemographicCounts"]


class DemographicCounts(HierarchyBuilder):
    """Regions join until every one that is published has at least so many people, by counts that you give.

    A region of the ``tree`` has as many people as its leaves together. Level 0 are the leaves. Level 1 is the finest cut of the
    tree in which every region has ``at_least`` people: a region is split into its parts only if each part has enough, because
    everybody would know of a part that is left over that it is none of the others. The levels above are those of the tree.
    With ``levels: {at_least: 1}`` of the column no smaller region is ever published.

    The counts are those of the population, a census say, and not of your table; every leaf needs one. They are given as
    ``counts``, or in a ``file``: a level table (the value, its parent, ..., the root; separated by ``;`` or ``,``, no header)
    with the count as its last column.

    Examples
    --------
    >>> north = {"*": [{"12*": ["120", "121"]}, {"34*": ["340", "341"]}]}
    >>> counts = {"120": 40, "121": 25, "340": 900, "341": 700}
    >>> region = DemographicCounts(tree=north, counts=counts, at_least=50)
    >>> region.path("120"), region.path("340")
    (('120', '12*', '12*', '*'), ('340', '34*', '*'))
    >>> region.people("12*")
    65

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "demographic-counts"

    tree: Mapping[str, object] | None = param(default=None, doc="nested tree of regions and their parts")
    counts: Mapping[str, int] | None = param(default=None, doc="people in each region that has no parts")
    file: str | None = param(
        default=None, doc="level table of the regions, with the count of people as its last column"
    )
    at_least: int = param(ge=1, doc="people that a region needs to be published")

    def validate(self) -> None:
        """Refuse none or both sources, counts that are no counts, and a country that is too small."""
        if (self.file is None) == (self.tree is None) or (self.tree is None) != (self.counts is None):
            raise BadRequest("needs either tree and counts, or a file", parameter=self.id)
        for name, given in (("tree", self.tree), ("counts", self.counts)):
            if given is not None and not isinstance(given, Mapping):
                raise BadRequest(
                    "must be a mapping by region", parameter=f"{self.id}.{name}", value=type(given).__name__
                )
        if self.file is None:
            _ = self._declared

    def resolved(self, base: Path) -> DemographicCounts:
        """Return the builder with its file read, so that it can be saved on its own; paths start at ``base``."""
        if self.file is None:
            return self
        path, where = base / self.file, f"{self.id}.file"
        try:
            rows = level_rows(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise BadRequest(f"cannot be read ({error.strerror})", parameter=where, value=str(path)) from None
        except UnicodeDecodeError:
            raise BadRequest("is not UTF-8 text", parameter=where, value=str(path)) from None
        counts: dict[str, int] = {}
        for at, row in enumerate(rows, 1):
            if len(row) < 3 or not row[-1].strip().isdecimal():
                raise BadRequest(
                    "needs a region, a root and a whole number in every row", parameter=where, where=f"row {at}"
                )
            if row[0] in counts:
                raise BadRequest("names a region twice", parameter=where, value=row[0], where=f"row {at}")
            counts[row[0]] = int(row[-1])
        nested = Taxonomy(levels=tuple(row[:-1] for row in rows))._declared.tree.to_nested()
        return DemographicCounts(tree=nested, counts=counts, at_least=self.at_least)

    def fitted(self, values: Iterable[Hashable], counts: Iterable[int]) -> DemographicCounts:
        """Return the builder as it is; refuse a table with more records of a region than people live there."""
        full = [
            value
            for value, records in zip(values, counts, strict=True)
            if value is not None and records > self._people.get(str(value), records)
        ]
        if full:
            raise BadRequest(
                f"{len(full):,} of its regions have fewer people than the table has records; counts are of persons, and "
                "a record is one",
                parameter=f"{self.id}.counts",
            )
        return self

    def people(self, label: str) -> int:
        """Return how many people live in a region, or in all its parts together."""
        if label not in self._people:
            raise BadRequest("is no region of the tree", parameter="label", value=label)
        return self._people[label]

    @cached_property
    def _regions(self) -> Tree:
        if self.tree is None:
            return self.resolved(Path())._regions
        return Taxonomy(tree=self.tree)._declared.tree

    @cached_property
    def _people(self) -> dict[str, int]:
        if self.counts is None:
            return self.resolved(Path())._people
        tree, given = self._regions, {str(name): count for name, count in self.counts.items()}
        wrong = [
            name for name, count in given.items() if isinstance(count, bool) or not isinstance(count, int) or count < 0
        ]
        if wrong:
            raise BadRequest("must be whole numbers >= 0", parameter=f"{self.id}.counts", value=wrong)
        leaves = [str(leaf) for leaf in tree.leaves]
        lacking = [leaf for leaf in leaves if leaf not in given]
        if lacking:
            raise BadRequest("lacks the people of a region", parameter=f"{self.id}.counts", value=lacking)
        strange = sorted(set(given) - set(leaves))
        if strange:
            raise BadRequest(
                "names what is no region without parts", parameter=f"{self.id}.counts", value=strange, available=leaves
            )
        return {
            label: sum(given[leaf] for leaf in leaves[int(tree.leaf_first[node]) : int(tree.leaf_last[node])])
            for node, label in enumerate(tree.labels)
        }

    @cached_property
    def _declared(self) -> DeclaredTree:
        """The tree whose level 1 is the finest cut of regions with enough people."""
        tree, people = self._regions, self._people
        if people[tree.labels[0]] < self.at_least:
            raise BadRequest(
                f"all regions together have {people[tree.labels[0]]:,} people",
                parameter=f"{self.id}.at_least",
                value=self.at_least,
            )
        small = {label for label, count in people.items() if count < self.at_least}
        parts: dict[int, list[int]] = {parent: [] for parent in range(len(tree))}
        for node in range(1, len(tree)):
            parts[int(tree.parent[node])].append(node)
        whole = {tree.labels[node] for node, held in parts.items() if any(tree.labels[one] in small for one in held)}
        rows = []
        for path in tree.to_levels():
            cut = max((at for at, label in enumerate(path) if label in whole), default=0)
            rows.append((path[0], *(path[max(at, cut)] for at in range(len(path)))))
        joined = Tree.from_paths(rows)
        if not whole:
            # Every region has enough people: it stands for itself on level 1 too, which paths of labels alone cannot say.
            span = joined.span.copy()
            span[joined.leaf_nodes] += 1
            joined = replace(joined, span=span)
        return DeclaredTree(joined)

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the region, the smallest one around it with enough people, and so on up to the root."""
        return self._declared.path(value)

    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the whole tree; values without a leaf are refused all at once, with their nearest leaves."""
        return self._declared.build(values, column=column)
