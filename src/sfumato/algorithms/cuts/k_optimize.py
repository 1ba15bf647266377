"""K-Optimize: the best partition of ordered columns into runs, proven best, or the best found with its gap."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sfumato.algorithms.cuts._branch_and_bound import Best, Clock, Explored, Stopped, explore
from sfumato.algorithms.cuts._ordered_columns import OrderedColumn, ordered_columns
from sfumato.algorithms.cuts._split_enumeration import SplitEnumeration
from sfumato.algorithms.cuts._split_space import Solution, SplitSpace, ThinRule
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import CutFacts
from sfumato.contracts.model import GroupModel
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Infeasible, Unsupported

__all__ = ["KOptimize"]

Ints = npt.NDArray[np.int64]


class KOptimize(Algorithm):
    """The cheapest way to cut ordered columns into runs so that every record is in a group of k or left out.

    Every column has an order: numbers by size, categories as ``orders`` tells or as the leaves of their tree. A set of *split
    values* says where new runs begin. Groups of fewer than k records are left out, up to the policy's
    ``limits.suppress_at_most`` (the published algorithm knows no limit: 1.0). The cost is

    - ``discernibility``: a kept record costs the size of its group, a record left out the size of the table, or
    - ``classification-metric``: a record costs 1 if it is left out or not of its group's most frequent class.

    All sets of splits are enumerated, the most promising part first, with lower bounds on everything that could still come:
    splits only shrink groups, so a record in a group below k stays left out, and a kept one never shares its group with fewer
    than k, nor with fewer than all splits together would leave. Splits that cannot help are dropped for the whole part. The
    column with the most splits is not enumerated: beside given splits of the others its best runs are a cheapest chain.

    The search can stop at any time. The private facts then enclose the optimum: ``cost`` is what the release costs (whole
    units, the classification metric times the records), ``lower_bound`` what no set of splits can undercut, ``gap`` the share
    of the cost between them, 0 if proven. ``nodes`` counts parts opened, ``splits`` gives the first value of every run after
    the first by column, ``left_out`` counts records, ``search_space`` sets of splits; ``optima`` lists all best sets if asked.

    Requirements: k-anonymity, also several with their own quasi-identifiers; a requirement on some of the columns is met
    without leaving records out. Cost: exponential in the number of values in the worst case.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import education_work
    >>> data = education_work()
    >>> release = sfumato.anonymize(
    ...     sfumato.from_dataset(data),
    ...     sfumato.Policy.for_dataset(
    ...         data, requirements=[{"id": "k-anonymity", "k": 4}], algorithm={"id": "k-optimize"}
    ...     ),
    ... )
    >>> release.certificate["algorithm"]["optimal"], release.private.facts["cost"], release.private.facts["gap"]
    (True, 174, 0.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.1.3.
    Bayardo, Agrawal, "Data privacy through optimal k-anonymization", 2005, doi:10.1109/ICDE.2005.42.
    """

    id: ClassVar[str] = "k-optimize"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="ordered partition",
        release="recoded-table",
        optimal=True,
        deterministic=False,
        truthful=True,
        anytime=True,
        model_needs=("closed_under_merge", "violations_shrink_under_merge", "by_size_alone"),
        numeric_without_hierarchy=True,
        suppresses_records=True,
        cost="exponential in the number of distinct values in the worst case, linear in the records for each part",
        works_on="counts",
        most_rows=None,
    )

    metric: Literal["discernibility", "classification-metric"] = param(
        default="discernibility",
        choices=("discernibility", "classification-metric"),
        doc="what is made as small as can be",
    )
    orders: Mapping[str, Sequence[Hashable]] | None = param(
        default=None, doc="values of categorical columns from first to last, by column; needed where there is no tree"
    )
    max_splits: int | None = param(
        default=None, ge=1, doc="cut a number at no more than this many values; the rest are not tried, with a warning"
    )
    rounds: int = param(default=500, ge=0, doc="how often to look for a good solution at random before the enumeration")
    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best found")
    node_limit: int | None = param(default=None, ge=0, doc="stop after opening this many parts of the search space")
    list_optima: bool = param(default=False, doc="whether to list every best set of splits; slower, for small tables")

    def validate(self) -> None:
        """Refuse orders that are not lists by column."""
        for name, order in _entries(self.orders, f"{self.id}.orders"):
            if isinstance(order, str) or not isinstance(order, Sequence):
                raise BadRequest("must be a list of values", column=name, parameter=f"{self.id}.orders")

    def run(self, task: Task, run: Run) -> Outcome:
        """Find the cheapest set of splits; the generator only helps to begin with a good one."""
        k, rules = _requirement(task)
        if task.table.records < k:
            raise Infeasible(
                f"a group needs {k} records, the table has only {task.table.records}",
                measured=task.table.records,
                bound=k,
            )
        columns = ordered_columns(task, self.orders or {}, self.max_splits, parameter=self.id)
        space = self._space(task, columns, k, rules)
        # A chain shows one of its best ways only.
        enumeration = SplitEnumeration(space, chains=not self.list_optima)
        nothing: Solution = ()
        best = Best(space.cost(nothing), nothing, ties=self.list_optima, tied=[nothing])
        clock = Clock(run.within(self.deadline), self.node_limit)
        try:
            enumeration.start(best, clock, run.rng, min(self.rounds, 4 * len(space)))
        except Stopped:
            found = Explored(min(space.floor, best.cost), 0, clock.reason)
        else:
            found = explore(enumeration, enumeration.everything(), space.floor, best, clock)
        return self._outcome(task, columns, space, best, found)

    def _space(self, task: Task, columns: Sequence[OrderedColumn], k: int, rules: Sequence[ThinRule]) -> SplitSpace:
        """Return the table as positions in the orders, each distinct row once."""
        table = task.table
        places = [column.place[table.codes[:, index]] for index, column in enumerate(columns)]
        if self.metric == "classification-metric":
            if task.target is None:
                raise BadRequest(
                    "needs a column with the role target",
                    parameter=f"{self.id}.metric",
                    value=self.metric,
                    available=["discernibility"],
                )
            places.append(table.extra_codes[:, table.extra.index(task.target)])
        rows, inverse = np.unique(np.stack(places, axis=1), axis=0, return_inverse=True)
        weights = np.bincount(inverse.ravel(), weights=table.weights).astype(np.int64)
        return SplitSpace(
            np.ascontiguousarray(rows[:, : len(columns)], np.int32),
            weights,
            [len(column.values) for column in columns],
            k=k,
            budget=task.budget,
            kinds=rows[:, -1].astype(np.int64) if self.metric == "classification-metric" else None,
            rules=rules,
            allowed=[column.allowed for column in columns],
        )

    def _outcome(
        self, task: Task, columns: Sequence[OrderedColumn], space: SplitSpace, best: Best[Solution], found: Explored
    ) -> Outcome:
        cost, bound = int(best.cost), int(found.lower_bound)
        proven = found.stopped is None or bound >= cost
        coarsened = [column.name for column in columns if column.coarsened]
        warnings = []
        if coarsened:
            warnings.append(say("warning.some_splits", names=", ".join(coarsened)))
        gap = 0.0 if proven else (cost - bound) / cost
        if not proven:
            warnings.append(say("warning.costs_unproven", metric=self.metric, cost=cost, bound=bound, gap=gap))
        if self.list_optima and found.stopped is not None:
            warnings.append(say("warning.splits_lacking"))
        starts = _starts(space, best.solution, len(columns))
        recodings = {column.name: column.recoding(starts[index]) for index, column in enumerate(columns)}
        return Outcome(
            recodings=recodings,
            suppressed=_left_out(task, columns, recodings, space.k),
            optimal=proven and not coarsened,
            warnings=warnings,
            stopped=found.stopped if self.list_optima or not proven else None,
            facts=CutFacts(
                cost=cost,
                lower_bound=cost if proven else bound,
                gap=gap,
                nodes=found.nodes,
                splits=_named(columns, starts),
                left_out=space.left_out(best.solution),
                search_space=2 ** len(space),
                optima=[_named(columns, _starts(space, tied, len(columns))) for tied in sorted(best.tied)]
                if self.list_optima
                else None,
            ),
        )


def _entries(orders: Mapping[str, object] | None, parameter: str) -> list[tuple[str, object]]:
    if orders is not None and not isinstance(orders, Mapping):
        raise BadRequest("must give a list of values for each column", parameter=parameter, value=orders)
    return list((orders or {}).items())


def _requirement(task: Task) -> tuple[int, list[ThinRule]]:
    """Return the k of all quasi-identifiers together, and requirements on some of them."""
    k = 1
    rules: list[ThinRule] = []
    for model in task.models:
        if not isinstance(model, GroupModel) or not model.traits.by_size_alone:
            raise Unsupported(f"k-optimize cannot promise {model.id}", thing=model.id, alternatives=["k-anonymity"])
        columns = tuple(sorted(task.qids.index(name) for name in (model.qid or task.qids)))
        if len(columns) == len(task.qids):
            k = max(k, model.least_size())
        else:
            rules.append(ThinRule(columns, model.least_size()))
    if rules and task.budget > 0:
        raise Unsupported(
            "k-optimize meets requirements on some of the quasi-identifiers without leaving records out; "
            "limits.suppress_at_most must be 0",
            thing="k-optimize",
        )
    return k, rules


def _starts(space: SplitSpace, solution: Solution, columns: int) -> list[list[int]]:
    """Return the positions at which runs begin, by column."""
    out: list[list[int]] = [[] for _ in range(columns)]
    for split in solution:
        out[int(space.column[split])].append(int(space.position[split]))
    return out


def _named(columns: Sequence[OrderedColumn], starts: Sequence[Sequence[int]]) -> dict[str, list[str]]:
    """Return the first values of all runs but the first, by column, without columns that are not cut."""
    return {
        column.name: [to_text(column.values[position]) for position in part]
        for column, part in zip(columns, starts, strict=True)
        if part
    }


def _left_out(
    task: Task, columns: Sequence[OrderedColumn], recodings: Mapping[str, ColumnRecoding], k: int
) -> list[tuple[str, ...]]:
    """Return the published values of the groups of fewer than k records."""
    table = task.table
    labels = [recodings[column.name].map(table.dictionaries[column.name].values).labels for column in columns]
    sizes: dict[tuple[str, ...], int] = {}
    for row, weight in zip(table.codes.tolist(), table.weights.tolist(), strict=True):
        key = tuple(shown[code] for shown, code in zip(labels, row, strict=True))
        sizes[key] = sizes.get(key, 0) + weight
    return sorted(key for key, size in sizes.items() if size < k)
