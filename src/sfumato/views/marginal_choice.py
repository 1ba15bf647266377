"""Which marginals to publish beside a base table: the next one that tells most of the table and still keeps the promise."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.groups.distinct import found_among
from sfumato.kernels.arrays import Ints
from sfumato.views.label_refinement import Covers, placed
from sfumato.views.marginal import Marginal, MarginalQuery, marginal
from sfumato.views.marginal_set import MarginalSet
from sfumato.views.max_entropy import divergence
from sfumato.views.models.marginal_privacy_check import MarginalPrivacyCheck

__all__ = ["Choice", "chosen_marginals", "proposed_marginals"]

MOST_VALUES = 20
BINS = 8


@frozen
class Choice:
    """One step: the marginal that was taken, and the divergence of the table from what is published before and after it."""

    marginal: str
    before: float
    after: float


def proposed_marginals(
    table: Table,
    known: Sequence[str],
    sensitive: str,
    *,
    most: int = 2,
    labels: Mapping[str, Mapping[Hashable, str]] | None = None,
) -> list[MarginalQuery]:
    """Return candidates: every one or two quasi-identifiers, alone and with the sensitive column; long numbers in bins.

    ``labels`` are more general values of columns, which take the place of their own and of bins.
    """
    bins: dict[str, tuple[float, ...]] = {}
    general = labels or {}
    for name in known:
        if name in general:
            continue
        values = table.dictionary(name).values
        if table.types[name].numeric and len(values) > MOST_VALUES:
            numbers = np.array(values, np.float64)
            last = numbers[-1] + 1 if table.types[name] is ColumnType.INTEGER else np.nextafter(numbers[-1], np.inf)
            edges = np.linspace(numbers[0], last, BINS + 1)
            if table.types[name] is ColumnType.INTEGER:
                edges = np.unique(np.round(edges))
            bins[name] = tuple(edges.tolist())
    groups = [chosen for size in range(1, most + 1) for chosen in combinations(known, size)]
    return [
        MarginalQuery(
            columns,
            bins={name: bins[name] for name in columns if name in bins},
            labels={name: general[name] for name in columns if name in general},
            empty=False,
        )
        for columns in (*groups, *((*group, sensitive) for group in groups))
    ]


def chosen_marginals(
    table: Table,
    base: Table,
    candidates: Sequence[MarginalQuery],
    model: MarginalPrivacyCheck,
    *,
    sensitive: str,
    covers: Covers | None = None,
    most: int | None = None,
    real: bool = False,
    run: Run | None = None,
) -> tuple[list[Choice], dict[str, Marginal]]:
    """Choose marginals greedily: each time the safe one after which the divergence is smallest, until none helps.

    ``KL(table || maximum entropy)`` is taken over the finest values of all candidates without a cell of fewer than k persons,
    so that steps can be compared
    (Kifer, Gehrke 2006, section 3.2). A marginal is safe if the requirement holds for it together with the base and all that
    were chosen before: for every class that the publications leave possible, as anybody can verify, or with ``real`` for those
    of real records alone.
    """
    going = run or Run()
    every_one = {query.title: marginal(table, query) for query in candidates}
    # A cell of fewer than k persons is never safe; without such marginals finest values are fewer, and classes, too.
    counted = {title: one for title, one in every_one.items() if model.k is None or one.least(sensitive) >= model.k}
    columns = {name for query in candidates for name in query.columns}
    shown = [name for name in base.columns if name in columns or name == sensitive]
    if sensitive not in shown:
        raise BadRequest(
            "is not a column of the base table", parameter="beside", value=sensitive, available=base.columns
        )
    tables = {name: one.table() for name, one in counted.items()}
    every = MarginalSet.of(base, tables, sensitive=sensitive, covers=covers or {}, columns=shown)
    rows, values, weights = _records(table, every, covers or {})
    held = np.unique(rows, axis=0)

    def published(names: Sequence[str]) -> MarginalSet:
        kept = tuple(one for one in every.publications if one.name == "base" or one.name in names)
        return replace(every, publications=kept, held=held if real else None)

    def told(names: Sequence[str]) -> float:
        asked = published(names).stranger()
        counts = np.zeros((len(asked.classes), len(every.atoms[sensitive])), np.int64)
        np.add.at(counts, (found_among(asked.classes, rows), values), weights)
        return divergence(asked, counts, going)

    alone = model.judge(published([]))
    if not alone.satisfied:
        raise BadRequest(
            f"the base table itself does not keep the requirement: {alone.violating_groups:,} of its groups break "
            f"{alone.bound}; ask for less (k, l), or make it with a requirement on its sensitive column",
            parameter="beside",
        )
    taken: list[str] = []
    steps: list[Choice] = []
    now = told([])
    left = list(counted)
    while left and (most is None or len(taken) < most):
        best: tuple[float, str] | None = None
        for name in list(left):
            going.checkpoint()
            if not model.judge(published([*taken, name])).satisfied:
                left.remove(name)  # more publications never make it safe again
                continue
            after = told([*taken, name])
            if best is None or after < best[0] - 1e-12:
                best = after, name
        if best is None or now - best[0] < 1e-9:
            break
        steps.append(Choice(best[1], now, best[0]))
        taken.append(best[1])
        left.remove(best[1])
        now = best[0]
    return steps, {name: counted[name] for name in taken}


def _records(table: Table, every: MarginalSet, covers: Covers) -> tuple[Ints, Ints, Ints]:
    """Return the distinct records as codes of the finest values, with their sensitive codes and numbers."""
    names = (*every.columns, every.sensitive)
    cells = table.counts(names)
    columns = [
        placed(held.values, every.atoms[name], name, covers.get(name))[held.codes]
        for name, held in zip(names, cells.keys, strict=True)
    ]
    return np.column_stack(columns[:-1]).astype(np.int64), columns[-1], cells.sizes
