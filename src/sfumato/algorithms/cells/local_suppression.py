"""Local suppression: the fewest single cells are emptied until every record may be taken for k, empty cells matching all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import inf
from typing import ClassVar

import numpy as np

from sfumato.algorithms.cells._emptying import Emptied, Puzzle, cheap_cells, least_cost
from sfumato.algorithms.cells._least_cells import least_cells, solvable
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.engine import RowTable
from sfumato.contracts.facts import CellFacts
from sfumato.contracts.model import by_group
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column, columns, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import SUPPRESSED
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.groups.distinct import distinct_rows
from sfumato.groups.wildcards import matching
from sfumato.kernels.arrays import Ints
from sfumato.models.k_anonymity_wildcard import EMPTY, KAnonymityWildcard
from sfumato.recodings.cell_suppression import CellSuppression

__all__ = ["LocalSuppression"]


class LocalSuppression(Algorithm):
    """Empty single cells until every record matches at least k, where an empty cell matches every value.

    The requirement is ``k-anonymity-wildcard``: ``f(r)`` records match ``r``, and ``f(r) >= k`` for all. An emptied cell costs
    what ``importance`` says of its column (1 if nothing; of a list of n columns the first costs n + 1 and the last 2), and the
    sum of costs is made small: cells are chosen where each serves most records that lack a match, then those that are not
    needed are filled again. Up to 40 distinct records (and six columns that differ) the least cost is found and proven by an
    integer program (extra ``exact``); above that the facts of the outcome say how much cheaper another choice can be at
    most, ``gap``. Columns of ``keep`` are never emptied; with ``strata`` every value of that column is solved for itself, so
    that records match others of the same value only. Hierarchies are not used: recode first, if values are to be coarser.

    **The requirement counts what may match, not what is likely.** A record of which everything is empty matches everybody, so
    that k - 1 of these satisfy it for any table; and ``(*, y)`` matches ``(b, y)``, which whoever looks for ``(a, y)`` passes
    over. Facts and a note say for how many records that matters: ``found``, those whose own values fit fewer than k published
    records, and ``alone``, those that one published record alone shows. ``most_per_record`` bounds the cells that are emptied
    in one record, so that none serves everybody. Who needs both numbers at 0 asks for ``k-anonymity`` instead.

    Adversary: knows the quasi-identifier of a person in the table, and that any record with empty cells may be that person's.
    Cost: distinct records times the sets of columns that may be emptied, times k.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "y"), ("b", "y"), ("c", "x")]
    >>> policy = {
    ...     "columns": {"One": {"role": "quasi-identifier"}, "Two": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "k-anonymity-wildcard", "k": 3}],
    ...     "algorithm": LocalSuppression().spec(),
    ...     "output": {"row_order": "keep"},
    ... }
    >>> release = sfumato.anonymize(sfumato.from_rows(["One", "Two"], rows), policy)
    >>> release.table.to_rows()
    [('a', 'x'), ('a', 'x'), ('*', 'y'), ('b', 'y'), ('b', 'y'), ('*', 'x')]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    Templ, Kowarik, Meindl, "Statistical disclosure control for micro-data using the R package sdcMicro", 2015,
    doi:10.18637/jss.v067.i04.
    """

    id: ClassVar[str] = "local-suppression"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="cells",
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="distinct records times the sets of columns that may be emptied, times k",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )

    promises: ClassVar[str] = KAnonymityWildcard.id

    importance: Mapping[str, float] | Sequence[str] | None = param(
        default=None,
        doc="what an emptied cell costs, by column, 1 where nothing is said; or a list of columns, the most important first",
    )
    keep: tuple[str, ...] = columns("quasi-identifier", default=(), doc="columns of which no cell is ever emptied")
    strata: str | None = column("any", default=None, doc="column whose values are solved apart")
    most_per_record: int | None = param(
        default=None, ge=1, doc="largest number of cells that are emptied in one record; any if not given"
    )

    def validate(self) -> None:
        """Refuse costs that are no positive numbers, and lists of anything but columns."""
        given = self.importance
        if isinstance(given, str) or not isinstance(given, Mapping | Sequence | None):
            raise BadRequest(
                "must be costs by column, or a list of columns", parameter=f"{self.id}.importance", value=given
            )
        for name, cost in self._prices().items():
            if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 < cost < inf:
                raise BadRequest(
                    "must be a positive number", parameter=f"{self.id}.importance", column=str(name), value=cost
                )

    def run(self, task: Task, run: Run) -> Outcome:
        """Solve every stratum for itself; the generator is not used."""
        names, k = self._asked(task)
        if task.raw is None:
            raise BadRequest("needs the records themselves to empty single cells", parameter="raw")
        raw = task.raw.as_rows()
        codes = _codes(raw, names)
        costs = self._costs(task, names)
        strata = self._strata(task, raw)
        cells: list[tuple[int, str]] = []
        touched, cost, bound, found, alone = 0, 0.0, 0.0, 0, 0
        for number in range(int(strata.max(initial=-1)) + 1):
            rows = np.flatnonzero(strata == number)
            distinct, place = distinct_rows(codes[rows])
            counts = np.bincount(place, minlength=len(distinct)).astype(np.int64)
            puzzle = Puzzle(distinct, counts, k, costs, min(self.most_per_record or len(names), len(names)))
            self._refuse_impossible(puzzle, names)
            solved = _solved(puzzle, run)
            if solved.chosen is None:
                raise Infeasible(
                    f"{self.promises}: no choice was found that empties at most {puzzle.most} cells of each record; allow more "
                    "in most_per_record, or keep fewer columns",
                    bound=k,
                    requirement=self.promises,
                )
            touched, cost, bound = touched + len(solved.chosen), cost + puzzle.cost(solved.chosen), bound + solved.bound
            placed = _placed(solved.chosen, place)
            cells += [(int(rows[at]), names[column]) for at, column in placed]
            fitting, showing = _seen(codes[rows], placed)
            found, alone = found + int((fitting < k).sum()), alone + int((showing == 1).sum())
        listed = {name: sum(column == name for _, column in cells) for name in names}
        gap = 0.0 if cost <= bound else (cost - bound) / cost
        return Outcome(
            operation=CellSuppression(cells=tuple(sorted(cells)), marker=SUPPRESSED),
            optimal=gap == 0,
            warnings=[say("warning.wildcards", cells=len(cells), records=touched, found=found, k=k, alone=alone)]
            if cells
            else [],
            facts=CellFacts(
                cells=listed, records=touched, cost=cost, bound=min(bound, cost), gap=gap, found=found, alone=alone
            ),
        )

    def _asked(self, task: Task) -> tuple[list[str], int]:
        """Return the columns to look at and k: who matches on all of them also matches on some."""
        for model in task.models:
            if not isinstance(model, KAnonymityWildcard):
                raise Unsupported(
                    f"{self.id} empties cells that match every value and cannot promise {model.id}; what it can promise is "
                    f"the requirement {self.promises}",
                    thing=model.id,
                    alternatives=by_group(["tdr"] if model.traits.closed_under_merge else [], [model]),
                )
        models = [model for model in task.models if isinstance(model, KAnonymityWildcard)]
        known = {name for model in models for name in (model.qid or task.qids)}
        return [name for name in task.qids if name in known], max(model.k for model in models)

    def _prices(self) -> Mapping[str, float]:
        """Return the costs by column; of a list of columns the last costs 2, and every other one more than the next."""
        if isinstance(self.importance, Mapping):
            return self.importance
        return {name: float(at) for at, name in enumerate(reversed(self.importance or ()), 2)}

    def _costs(self, task: Task, names: list[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        for parameter, given in (("importance", self._prices()), ("keep", self.keep)):
            for name in given:
                if name not in task.qids:
                    raise BadRequest(
                        "is not a quasi-identifier",
                        parameter=f"{self.id}.{parameter}",
                        value=name,
                        available=task.qids,
                    )
        costs = self._prices()
        return np.array([inf if name in self.keep else float(costs.get(name, 1.0)) for name in names])

    def _strata(self, task: Task, raw: RowTable) -> Ints:
        if self.strata is None:
            return np.zeros(raw.rows, np.int64)
        if self.strata not in raw.types:
            raise BadRequest(
                "is not a column of the table",
                parameter=f"{self.id}.strata",
                value=self.strata,
                available=raw.columns,
            )
        held = {self.strata: raw.dictionary(self.strata)}
        return distinct_rows(raw.codes([self.strata], held).astype(np.int64))[1]

    def _refuse_impossible(self, puzzle: Puzzle, names: list[str]) -> None:
        """Refuse k above the number of records, and columns to keep that already tell too many records apart."""
        records = int(puzzle.counts.sum())
        if records < puzzle.k:
            where = "" if self.strata is None else f" of one value of {self.strata}"
            raise Infeasible(
                f"{self.promises}: k={puzzle.k} is larger than the number of records{where}, {records}",
                measured=records,
                bound=puzzle.k,
                requirement=self.promises,
            )
        kept = [at for at, cost in enumerate(puzzle.costs) if not np.isfinite(cost)]
        if kept:
            least = int(puzzle.matched(puzzle.codes[:, kept], puzzle.counts).min())
            if least < puzzle.k:
                raise Infeasible(
                    f"{self.promises}: on the columns to keep ({', '.join(names[at] for at in kept)}) a record matches only "
                    f"{least}, whatever else is emptied; keep fewer",
                    measured=least,
                    bound=puzzle.k,
                    requirement=self.promises,
                )


@frozen
class _Solved:
    chosen: list[Emptied] | None
    bound: float


def _solved(puzzle: Puzzle, run: Run) -> _Solved:
    """Return cells to empty and a cost that no choice falls below; without the solver the bound is that of a single cell."""
    if (puzzle.shared >= puzzle.k).all():
        return _Solved([], 0.0)
    chosen = cheap_cells(puzzle, run)
    if find_spec("highspy") is None:
        return _Solved(chosen, min(puzzle.price(mask) for mask in puzzle.masks))
    bound = least_cost(puzzle, run)
    if solvable(puzzle) and (chosen is None or puzzle.cost(chosen) > bound):
        chosen, proven = least_cells(puzzle, chosen, run)
        bound = max(bound, proven)
    return _Solved(chosen, bound)


def _codes(raw: RowTable, names: list[str]) -> Ints:
    """Return the values of every record as numbers; -1 is empty."""
    held = {name: raw.dictionary(name) for name in names}
    codes = raw.codes(names, held).astype(np.int64)
    for at, name in enumerate(names):
        empty = [code for code, value in enumerate(held[name].values) if value in EMPTY]
        codes[np.isin(codes[:, at], empty), at] = -1
    return codes


def _seen(codes: Ints, cells: list[tuple[int, int]]) -> tuple[Ints, Ints]:
    """Return, for each record, how many published ones its own values fit, and how many show all of them."""
    shown = codes.copy()
    for cell in cells:
        shown[cell] = -1
    both, place = distinct_rows(np.concatenate([codes, shown]))
    published = np.bincount(place[len(codes) :], minlength=len(both))
    fitting = np.rint(matching(both, published[:, None].astype(np.float64))[:, 0]).astype(np.int64)
    mine = place[: len(codes)]
    return fitting[mine], published[mine]


def _placed(chosen: list[Emptied], place: Ints) -> list[tuple[int, int]]:
    """Return the emptied cells by row and column: of records that are alike, the first ones are taken."""
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(int(place.max(initial=-1)) + 1))
    used: dict[int, int] = {}
    out = []
    for record, emptied in chosen:
        row = int(order[first[record] + used.get(record, 0)])
        used[record] = used.get(record, 0) + 1
        out += [(row, column) for column in emptied]
    return out
