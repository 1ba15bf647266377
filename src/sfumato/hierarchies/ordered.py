"""Ordered categories: neighbours in an order join into groups."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import param
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies.declared import DeclaredTree

__all__ = ["Ordered"]


class Ordered(HierarchyBuilder):
    """Categories with an order become runs of neighbours.

    ``order`` lists the domain v_1 < v_2 < ... < v_n. A group is a run v_i, ..., v_j. Groups come either from sizes or
    from names, one entry per level above the values; above the last level stands the root ``*``:

    ``group_sizes`` (2, 3)
        2 neighbours join at level 1, 3 of those groups at level 2; a group is called ``first..last``, one that was left
        alone keeps its value. A level that holds one group only is the root itself.
    ``levels`` [{low: [a, b], high: [c, d]}, ...]
        groups by name; members are values, or names of groups one level below.

    Values are matched by their text. The domain is the whole order, whether its values occur in the data or not.

    Examples
    --------
    >>> grade = Ordered(order=("A", "B", "C", "D", "E"), group_sizes=(2,))
    >>> grade.path("C"), grade.path("E")
    (('C', 'C..D', '*'), ('E', '*'))
    >>> Ordered(order=("A", "B", "C"), levels=({"pass": ["A", "B"], "fail": ["C"]},)).path("B")
    ('B', 'pass', '*')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "ordered"

    order: tuple[str | int | float, ...] = param(doc="all values from first to last")
    group_sizes: tuple[int, ...] | None = param(default=None, doc="how many neighbours join at each level")
    levels: tuple[Mapping[str, object], ...] | None = param(
        default=None, doc="named groups of each level: name to list of values or of group names one level below"
    )

    def validate(self) -> None:
        """Refuse repeated values, and groups that are no runs, leave values out or do not nest."""
        if (self.group_sizes is None) == (self.levels is None):
            raise BadRequest("needs exactly one of group_sizes and levels", parameter=self.id)
        if not self._names:
            raise BadRequest("must list at least one value", parameter=f"{self.id}.order")
        seen: set[str] = set()
        twice = [name for name in self._names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
        if twice:
            raise BadRequest("lists a value twice", parameter=f"{self.id}.order", value=twice)
        _ = self._declared

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(to_text(value) for value in self.order)

    @cached_property
    def _declared(self) -> DeclaredTree:
        levels = self._joined() if self.levels is None else self._named()
        paths: list[list[str]] = [[name] for name in self._names]
        for level in levels:
            for label, first, last in level:
                for position in range(first, last):
                    paths[position].append(label)
        for path in paths:
            path.append("*")
        parameter = f"{self.id}.{'group_sizes' if self.levels is None else 'levels'}"
        try:
            return DeclaredTree(Tree.from_paths(paths))
        except BadRequest as error:
            raise BadRequest(error.rule, parameter=parameter, value=error.value) from None

    def _joined(self) -> list[list[tuple[str, int, int]]]:
        sizes = self.group_sizes or ()
        if not sizes or any(size < 2 for size in sizes):
            raise BadRequest("must join at least 2 neighbours each", parameter=f"{self.id}.group_sizes", value=sizes)
        levels: list[list[tuple[str, int, int]]] = []
        count, total, width = len(self._names), len(self._names), 1
        for size in sizes:
            if count == 1:
                rule = f"joins more often than {total} values allow"
                raise BadRequest(rule, parameter=f"{self.id}.group_sizes", value=sizes)
            width *= size
            count = -(-total // width)
            if count > 1:
                runs = [(first, min(first + width, total)) for first in range(0, total, width)]
                levels.append([(self._run(first, last), first, last) for first, last in runs])
        return levels

    def _run(self, first: int, last: int) -> str:
        return self._names[first] if last - first == 1 else f"{self._names[first]}..{self._names[last - 1]}"

    def _named(self) -> list[list[tuple[str, int, int]]]:
        below: dict[str, tuple[int, int]] = {name: (i, i + 1) for i, name in enumerate(self._names)}
        levels: list[list[tuple[str, int, int]]] = []
        for number, groups in enumerate(self.levels or (), 1):
            where = f"{self.id}.levels[{number}]"
            if not isinstance(groups, Mapping):
                raise BadRequest("must map group names to lists of values", parameter=where, value=groups)
            runs: dict[str, tuple[int, int]] = {}
            for name, members in groups.items():
                runs[str(name)] = self._members(f"{where}.{name}", members, below)
            self._refuse_broken_level(where, runs, list(below.values()))
            levels.append([(name, first, last) for name, (first, last) in sorted(runs.items(), key=lambda run: run[1])])
            # The next level may name these groups or the values themselves; a group hides a value of its name.
            below = {name: (i, i + 1) for i, name in enumerate(self._names)} | runs
        return levels

    def _members(self, where: str, members: object, below: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
        if not isinstance(members, (list, tuple)) or not members:
            raise BadRequest("must be a list of values", parameter=where, value=members)
        names = [to_text(member) for member in members]
        unknown = [name for name in names if name not in below]
        if unknown:
            raise BadRequest(
                "holds what is neither a value nor a group below", parameter=where, value=unknown, available=below
            )
        runs = sorted(below[name] for name in names)
        if any(a[1] != b[0] for a, b in pairwise(runs)):
            raise BadRequest("must join neighbours of the order, each once", parameter=where, value=names)
        return runs[0][0], runs[-1][1]

    def _refuse_broken_level(
        self, where: str, runs: Mapping[str, tuple[int, int]], below: Sequence[tuple[int, int]]
    ) -> None:
        hits = [0] * len(self._names)
        for first, last in runs.values():
            for position in range(first, last):
                hits[position] += 1
        left_out = [name for name, hit in zip(self._names, hits, strict=True) if not hit]
        if left_out:
            raise BadRequest("leaves values without a group", parameter=where, value=left_out)
        doubled = [name for name, hit in zip(self._names, hits, strict=True) if hit > 1]
        if doubled:
            raise BadRequest("puts values into two groups", parameter=where, value=doubled)
        for name, (first, last) in runs.items():
            if any(a < first < b or a < last < b for a, b in below):
                raise BadRequest("cuts a group of the level below", parameter=where, value=name)

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the value, its group at each level, and the root."""
        return self._declared.path(value)

    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the tree over the whole order; values outside it are refused all at once, with their nearest."""
        return self._declared.build(values, column=column)
