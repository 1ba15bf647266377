"""Functional dependencies that recipients know, and the worlds that are left when they must hold."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.itemsets import optimal_hitting_set
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.views.view_set import ViewSet

if TYPE_CHECKING:
    from highspy import Highs

__all__ = ["Dependency", "Worlds", "dependencies_of"]

MOST_KINDS = 5_000
"""Kinds of records that a search for a world decides on; more have no exact answer here."""
MOST_STEPS = 200_000
"""Steps after which worlds are no longer counted."""


@frozen
class Dependency:
    """Rows that agree on the determinant agree on the determined column."""

    determinant: tuple[str, ...]
    determined: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it speaks of."""
        return (*self.determinant, self.determined)


def dependencies_of(texts: Sequence[str], parameter: str) -> tuple[Dependency, ...]:
    """Read dependencies such as ``Name -> Disease`` or ``Zip, Street -> City``.

    >>> dependencies_of(["Zip, Street -> City"], "")
    (Dependency(determinant=('Zip', 'Street'), determined='City'),)
    """
    found = []
    for text in texts:
        left, arrow, right = (one.strip() for one in text.partition("->"))
        names = tuple(one.strip() for one in left.split(","))
        if not arrow or not right or not all(names) or right in names:
            raise BadRequest("must read like Name -> Disease", parameter=parameter, value=text)
        found.append(Dependency(names, right))
    return tuple(found)


@frozen(eq=False)
class Worlds:
    """All tables that give the answers of a view set and keep the dependencies, as choices among kinds of records.

    A *kind* is a box of the record space in which every column that a dependency, the identifier or the sensitive column names
    has one value; a value that stays open is ``None``. A world uses some kinds: each fact is witnessed by one of them at least,
    and no two used ones contradict a dependency.
    """

    views: ViewSet
    dependencies: tuple[Dependency, ...]
    identifier: str
    sensitive: str

    def __post_init__(self) -> None:
        """Refuse dependencies on columns that nobody knows of, and such as the table itself breaks."""
        source, known = self.views.source, {*self.views.types, *self.views.columns}
        for one in self.dependencies:
            for name in one.columns:
                if name not in known:
                    raise BadRequest("is not a column", parameter="dependencies", value=name, available=sorted(known))
            if source is not None and source.distinct(one.determinant) < source.distinct(one.columns):
                raise BadRequest(
                    "does not hold in the table",
                    parameter="dependencies",
                    value=f"{', '.join(one.determinant)} -> {one.determined}",
                )

    @cached_property
    def binding(self) -> tuple[Dependency, ...]:
        """The dependencies that say anything: an endless column that no view looks at can be filled so that its own holds."""
        named = {name for one in self.dependencies for name in one.columns}
        seen = {*self.views.columns, *(name for name in named if self.views.whole(name).values() is not None)}
        free = [one for one in self.dependencies if not set(one.columns) <= seen]
        for one in free:
            others = [other for other in self.dependencies if other is not one]
            unseen = [name for name in one.columns if name not in seen]
            if any(name in other.columns for other in others for name in unseen):
                raise Unsupported(
                    "two dependencies meet in a column that no view looks at: the exact answer is unknown",
                    thing="fd-view-kanon-check",
                    alternatives=["mode: conservative"],
                )
        return tuple(one for one in self.dependencies if one not in free)

    @cached_property
    def kinds(self) -> Sequence[tuple[tuple[int, ...], Mapping[str, Hashable]]]:
        """The facts that each kind witnesses, -1 for none, and its values."""
        bound = dict.fromkeys(name for one in self.binding for name in one.columns)
        return list(self._expanded([*bound], [self.identifier, self.sensitive]))

    def _expanded(
        self, bound: Sequence[str], open_: Sequence[str]
    ) -> Iterator[tuple[tuple[int, ...], Mapping[str, Hashable]]]:
        names, made = [*bound, *(name for name in open_ if name not in bound)], 0
        for sets, box in self.views.boxes:
            listed: list[Sequence[Hashable]] = []
            for name in names:
                values = (box.get(name) or self.views.whole(name)).values()
                if values is None and name in bound:
                    raise Unsupported(
                        f"{name} stays open and a dependency names it: the exact answer is unknown without its domain",
                        thing="fd-view-kanon-check",
                        alternatives=["domains", "mode: conservative"],
                    )
                listed.append((None,) if values is None else values)
            made += prod(map(len, listed))
            if made > MOST_KINDS:
                raise Unsupported(
                    f"more than {MOST_KINDS:,} kinds of records are possible: too many for the exact answer",
                    thing="fd-view-kanon-check",
                    alternatives=["mode: conservative"],
                )
            for values in product(*listed):
                yield sets, dict(zip(names, values, strict=True))

    def _groups(
        self, kinds: Sequence[tuple[tuple[int, ...], Mapping[str, Hashable]]]
    ) -> list[dict[Hashable, list[int]]]:
        """Return kinds that agree on a determinant, by what they say of the determined column."""
        found: dict[Hashable, dict[Hashable, list[int]]] = {}
        for number, one in enumerate(self.binding):
            for at, (_, values) in enumerate(kinds):
                key = (number, *(values[name] for name in one.determinant))
                found.setdefault(key, {}).setdefault(values[one.determined], []).append(at)
        return [sides for sides in found.values() if len(sides) > 1]

    @cached_property
    def _facts(self) -> list[list[int]]:
        """The kinds that witness each fact of each view."""
        found: dict[tuple[int, int], list[int]] = {}
        for at, (sets, _) in enumerate(self.kinds):
            for view, fact in enumerate(sets):
                if fact >= 0:
                    found.setdefault((view, fact), []).append(at)
        return list(found.values())

    def count(self) -> int | None:
        """Return how many worlds there are; ``None`` where there is no end of them, or too many to be counted."""
        columns = dict.fromkeys([*self.views.columns, *(name for one in self.binding for name in one.columns)])
        try:
            kinds = list(self._expanded([*columns], []))
        except Unsupported:
            return None
        witnesses: dict[tuple[int, int], int] = {}
        for sets, _ in kinds:
            for key in enumerate(sets):
                if key[1] >= 0:
                    witnesses[key] = witnesses.get(key, 0) + 1
        against: list[set[int]] = [set() for _ in kinds]
        for sides in self._groups(kinds):
            for side in sides.values():
                rest = {at for other in sides.values() if other is not side for at in other}
                for at in side:
                    against[at] |= rest
        return _counted(kinds, witnesses, against)

    # ---- covers ------------------------------------------------------------------------------------------------------

    @cached_property
    def identifiers(self) -> list[Hashable]:
        """Everybody who may be in the table."""
        return list(
            dict.fromkeys(values[self.identifier] for _, values in self.kinds if values[self.identifier] is not None)
        )

    def cover(self, name: Hashable, run: Run) -> tuple[Hashable, ...] | None:
        """Return the smallest cover of an identifier; ``None`` if she has none.

        The pairs of an identifier in each possible world are a set that every cover hits. So: hit the sets that are known with
        as few values as possible, look for a world that avoids these, take its pairs to the sets, and so on; without such a
        world the values are a cover, and none is smaller.
        """
        solver, pairs = self._program
        mine = {value: at for (who, value), at in pairs.items() if who == name and value is not None}
        known: list[tuple[Hashable, ...]] = []
        chosen: tuple[Hashable, ...] = ()
        values = list(mine)
        while True:
            run.checkpoint()
            for value, at in mine.items():
                solver.changeColCost(at, 1.0)
                solver.changeColBounds(at, 0.0, 0.0 if value in chosen else 1.0)
            solver.run()
            status = solver.getModelStatus().name
            used = np.asarray(solver.getSolution().col_value) if status == "kOptimal" else None
            for at in mine.values():
                solver.changeColCost(at, 0.0)
                solver.changeColBounds(at, 0.0, 1.0)
            if status == "kInfeasible":
                if not chosen:
                    raise BadRequest("no table with these dependencies has these views", parameter="dependencies")
                return chosen
            if used is None:
                raise Unsupported("the solver found no answer in time", thing="fd-view-kanon-check")
            found = tuple(value for value, at in mine.items() if used[at] > 0.5)
            if not found:
                return None
            known.append(found)
            family = [np.array([[values.index(value) for value in one]], np.int32) for one in known]
            chosen = tuple(values[at] for at in optimal_hitting_set(family, np.ones(len(values))))

    @cached_property
    def _program(self) -> tuple[Highs, Mapping[tuple[Hashable, Hashable], int]]:
        """Return the program of all worlds: one variable for each kind, each pair, and each side of a dependency."""
        solver = exact_solver("fd-view-kanon-check", "the exact answer")
        solver.setOptionValue("time_limit", 60.0)
        import highspy

        count = len(self.kinds)
        pairs: dict[tuple[Hashable, Hashable], int] = {}
        rows: list[tuple[float, float, list[int], list[float]]] = []
        endless = float(highspy.kHighsInf)
        rows += [(1.0, endless, inside, [1.0] * len(inside)) for inside in self._facts]
        for at, (_, values) in enumerate(self.kinds):
            pair = values[self.identifier], values[self.sensitive]
            if pair[0] is not None:
                place = pairs.setdefault(pair, count + len(pairs))
                rows.append((-endless, 0.0, [at, place], [1.0, -1.0]))
        width = count + len(pairs)
        for sides in self._groups(self.kinds):
            places = list(range(width, width + len(sides)))
            width += len(sides)
            rows.append((-endless, 1.0, places, [1.0] * len(places)))
            for place, inside in zip(places, sides.values(), strict=True):
                rows += [(-endless, 0.0, [at, place], [1.0, -1.0]) for at in inside]
        columns = np.arange(width, dtype=np.int32)
        solver.addVars(width, np.zeros(width), np.ones(width))
        solver.changeColsIntegrality(width, columns, np.array([highspy.HighsVarType.kInteger] * width))
        for low, high, inside, weights in rows:
            solver.addRow(low, high, len(inside), np.array(inside, np.int32), np.array(weights))
        return solver, pairs


def _counted(
    kinds: Sequence[tuple[tuple[int, ...], Mapping[str, Hashable]]],
    left: dict[tuple[int, int], int],
    against: Sequence[set[int]],
) -> int | None:
    """Return how many choices of kinds witness every fact and hold no two that contradict each other."""
    steps, found = 0, 0
    # A stack of (how many kinds are decided, those that are used); nothing is undone, so that depth costs no recursion.
    stack: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    facts = [[key for key in enumerate(sets) if key[1] >= 0] for sets, _ in kinds]
    last = {key: at for at, keys in enumerate(facts) for key in keys}
    while stack:
        steps += 1
        if steps > MOST_STEPS:
            return None
        at, used = stack.pop()
        if at == len(kinds):
            found += 1
            continue
        if not against[at] & used:
            stack.append((at + 1, used | {at}))
        # It may stay unused unless it is the last witness of a fact that no used kind shows.
        needed = [key for key in facts[at] if last[key] == at and not any(key in facts[one] for one in used)]
        if not needed:
            stack.append((at + 1, used))
    return found
