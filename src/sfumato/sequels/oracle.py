"""The exact answer to all correspondence attacks at once: whole numbers of persons that fit every release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import Histogram
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.kernels.arrays import Bools, Ints
from sfumato.sequels.classes import SeriesClasses
from sfumato.sequels.correspondence import Targets
from sfumato.sequels.targets import Attacked, TargetClasses, target_classes

if TYPE_CHECKING:
    from highspy import Highs

__all__ = ["FEW_UNKNOWNS", "MOST_UNKNOWNS", "exact", "fits"]

MOST_UNKNOWNS = 20_000
"""Unknown numbers of persons, over all values; a larger series has no exact answer here."""

FEW_UNKNOWNS = 2_000
"""As many as take some seconds: so small a series is answered exactly without being asked to."""


def fits(whole: SeriesClasses) -> bool:
    """Tell whether a series is small enough for an exact answer within seconds."""
    try:
        return sum(len(one) for one in _unknowns(whole, target_classes(whole))) <= FEW_UNKNOWNS
    except Unsupported:
        return False


def exact(whole: SeriesClasses, run: Run, *, targets: Targets = "published") -> tuple[Attacked, ...]:
    """Return what is left of each group of each target whatever is concluded from all releases.

    Let ``n[x, t, s]`` be the number of persons who came with release x, are in the classes t ever since, and have the value s.
    For every release i and each of its groups (q, s) the numbers with ``x <= i`` and q among their classes add up to the size
    of the group; whatever whole numbers do so are a possible world, and there is no other. Of the records of value s,
    ``N(s) = max n[x, t, s]`` can be those of a target (x, t), and ``|g| - N(s)`` are cracked in each of her groups g. Values do
    not touch each other, so that ``sum over s of N(s)`` records can be hers in one world. Holds for any recoding whose classes
    do not overlap and for any number of releases. Ends with :class:`~sfumato.errors.Cancelled` if the run is to end.

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 10.2.3 and 10.2.6; the program is
    ours.
    """
    every = target_classes(whole)
    asked = every if targets == "published" else target_classes(whole, targets=targets)
    unknowns = list(_unknowns(whole, every))
    if sum(map(len, unknowns)) > MOST_UNKNOWNS:
        raise Unsupported(
            f"more than {MOST_UNKNOWNS:,} numbers of persons are unknown: too many for the exact answer",
            thing="bcf-oracle",
            alternatives=["bcf-anonymity with attacks: pairwise"],
        )
    most: list[dict[tuple[int, int], int]] = [{} for _ in every]
    run.progress.stage("possible worlds", float(sum(map(len, unknowns))))
    solved = 0
    for value, unknown in enumerate(unknowns):
        for part in _parts(whole, every, unknown, value):
            for (since, target), found in part.solutions(run):
                most[since][target, value] = found
                solved += 1
                run.tick(solved)
    return tuple(
        Attacked(mine, _left(whole, mine, all_, most[mine.since]), "exact")
        for mine, all_ in zip(asked, every, strict=True)
    )


def _left(
    whole: SeriesClasses, asked: TargetClasses, every: TargetClasses, most: dict[tuple[int, int], int]
) -> Histogram:
    """Return the histogram of the targets that are asked about."""
    number = {tuple(row): at for at, row in enumerate(every.members.tolist())}
    place = [number[tuple(row)] for row in asked.members.tolist()] if asked is not every else range(len(every))
    wanted = {target: at for at, target in enumerate(place)}
    entries = [(wanted[target], value, count) for (target, value), count in most.items() if target in wanted]
    group, code, count = np.array(entries, np.int64).reshape(-1, 3).T
    return Histogram.from_pairs(len(asked), whole.releases[0].histogram.values, group, code, count)


# ---- programs ----------------------------------------------------------------------------------------------------------------


@frozen(eq=False)
class _Program:
    """Unknowns that share groups with each other, of one value: who each is, the groups it counts in, and their sizes."""

    unknown: list[tuple[int, int]]
    rows: list[list[int]]
    sizes: list[int]

    def solutions(self, run: Run) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield the most that each unknown can be."""
        if len(self.unknown) == 1 and len(set(self.sizes)) == 1:
            yield self.unknown[0], self.sizes[0]
            return
        relaxed, whole = self._solver(integer=False), None
        for at, who in enumerate(self.unknown):
            run.checkpoint()
            found, is_whole = _maximum(relaxed, at)
            # A corner of the relaxed program bounds the number from above; if it is whole, it is the answer.
            if not is_whole:
                whole = self._solver(integer=True) if whole is None else whole
                found, _ = _maximum(whole, at)
            yield who, round(found)

    def _solver(self, *, integer: bool) -> Highs:
        solver = exact_solver("bcf-oracle", "the exact answer")
        import highspy

        columns = np.arange(len(self.unknown), dtype=np.int32)
        highest = [float(min(self.sizes[row] for row in rows)) for rows in self.rows]
        solver.addVars(len(columns), np.zeros(len(columns)), np.array(highest))
        if integer:
            kinds = np.array([highspy.HighsVarType.kInteger] * len(columns))
            solver.changeColsIntegrality(len(columns), columns, kinds)
        else:
            solver.setOptionValue("solver", "simplex")
            solver.setOptionValue("presolve", "off")  # the next objective begins where the last one ended
        members: list[list[int]] = [[] for _ in self.sizes]
        for at, rows in enumerate(self.rows):
            for row in rows:
                members[row].append(at)
        for size, inside in zip(self.sizes, members, strict=True):
            solver.addRow(float(size), float(size), len(inside), np.array(inside, np.int32), np.ones(len(inside)))
        return solver


def _maximum(solver: Highs, at: int) -> tuple[float, bool]:
    """Return the most that one unknown can be, and whether all are whole then; refuse if there is no world at all."""
    solver.changeColCost(at, -1.0)
    solver.run()
    if solver.getModelStatus().name != "kOptimal":
        raise BadRequest("releases are not those of one growing table: no world fits them all", parameter="series")
    found, values = -float(solver.getObjectiveValue()), np.asarray(solver.getSolution().col_value)
    solver.changeColCost(at, 0.0)
    return found, bool((np.abs(values - np.round(values)) < 1e-6).all())


def _unknowns(whole: SeriesClasses, every: tuple[TargetClasses, ...]) -> Iterator[list[tuple[int, int]]]:
    """Yield for each value the targets all of whose groups hold it."""
    for value in range(len(whole.releases[0].histogram.values)):
        held = [_held(one.histogram, value) > 0 for one in whole.releases]
        yield [
            (classes.since, target) for classes in every for target in np.flatnonzero(_all_hold(classes, held)).tolist()
        ]


def _all_hold(classes: TargetClasses, held: list[Bools]) -> Bools:
    inside = np.ones(len(classes), bool)
    for at in range(classes.members.shape[1]):
        inside &= held[classes.since + at][classes.members[:, at]]
    return inside


def _held(histogram: Histogram, code: int) -> Ints:
    """Return how often a value occurs in each class."""
    entries = np.flatnonzero(histogram.code == code)
    out = np.zeros(len(histogram.start) - 1, np.int64)
    out[histogram.group()[entries]] = histogram.count[entries]
    return out


def _parts(
    whole: SeriesClasses, every: tuple[TargetClasses, ...], unknown: list[tuple[int, int]], value: int
) -> Iterator[_Program]:
    """Yield the unknowns of a value in programs that share no group; refuse groups that nobody can be in."""
    sizes = [_held(one.histogram, value) for one in whole.releases]
    groups: dict[tuple[int, int], int] = {}
    rows = []
    for since, target in unknown:
        members = every[since].members[target].tolist()
        rows.append([groups.setdefault((since + at, number), len(groups)) for at, number in enumerate(members)])
    if len(groups) < sum(int(np.count_nonzero(one)) for one in sizes):
        raise BadRequest("releases are not those of one growing table: no world fits them all", parameter="series")
    parent = list(range(len(groups)))
    for first, *others in rows:
        for other in others:
            parent[_root(parent, other)] = _root(parent, first)
    parts: dict[int, list[int]] = {}
    for at, mine in enumerate(rows):
        parts.setdefault(_root(parent, mine[0]), []).append(at)
    listed = list(groups)
    for inside in parts.values():
        used = sorted({row for at in inside for row in rows[at]})
        number = {row: at for at, row in enumerate(used)}
        yield _Program(
            [unknown[at] for at in inside],
            [[number[row] for row in rows[at]] for at in inside],
            [int(sizes[listed[row][0]][listed[row][1]]) for row in used],
        )


def _root(parent: list[int], at: int) -> int:
    while parent[at] != at:
        parent[at] = parent[parent[at]]
        at = parent[at]
    return at
