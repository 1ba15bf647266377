"""A search that sees a sample, where no memory holds the distinct rows: what it found is judged, and mended, on all rows.

A release from a sample is never less private, only less fine: groups that fail on all rows are left out within the limit of the
policy, and where that is not enough whole columns are masked, one by one, until it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sfumato.contracts.algorithm import Outcome, Task, suppression_budget
from sfumato.contracts.model import GroupModel
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import Infeasible, Unsupported
from sfumato.groups.cells import Cells
from sfumato.kernels.arrays import Bools
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.recodings.ordered_partition import OrderedPartition
from sfumato.recodings.sibling_generalization import SiblingGeneralization
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.recodings.value_suppression import ValueSuppression
from sfumato.tables.prepare import Prepared
from sfumato.tables.recode import recode_table

__all__ = ["repaired", "sampled"]

_ROUNDS = 20


def sampled(prepared: Prepared) -> Prepared:
    """Return what a search sees of a table: about as many records as the policy says, drawn alike on every engine."""
    asked = prepared.policy.search_on
    assert asked is not None
    unfit = [model.id for model in prepared.models if not isinstance(model, GroupModel) or model.counts_people]
    if prepared.whole is not None or unfit:
        raise Unsupported(
            "a search on a sample judges groups of what is published, and nothing else",
            thing=(unfit or ["search_on"])[0],
        )
    share = asked.sample / max(prepared.table.rows, 1)
    table = prepared.table.sample(share, secret=f"search_on {asked.seed}")
    table.foresee([name for name in prepared.policy.counted() if name in table.types])
    return replace(prepared, table=table)


def repaired(prepared: Prepared, outcome: Outcome, task: Task) -> Outcome:
    """Return what was found on a sample so that it holds on all rows."""
    if outcome.operation is not None or outcome.built is not None or not outcome.recodings:
        raise Unsupported(
            f"{prepared.policy.search().id} decides about the rows that it sees; search_on needs one that recodes columns",
            thing=prepared.policy.search().id,
            alternatives=["tdr", "optimal", "incognito", "bottom-up-generalization"],
        )
    limits, recodings = prepared.policy.limits, dict(outcome.recodings)
    budget = suppression_budget(limits.suppress_at_most, prepared.table.rows)
    budget = budget if prepared.policy.search().traits.suppresses_records else 0
    cells, coarser = _cells(prepared, recodings), list[str]()
    while (failing := _failing(prepared, cells, prepared.names)) is None or _records(cells, failing) > budget:
        left = [name for name in prepared.names if name in recodings and name not in coarser]
        if not left:
            raise Infeasible(
                "holds neither on all rows nor when every column is masked as a whole", requirement="search_on"
            )
        merged = {
            name: _failing(prepared, cells, [n for n in prepared.names if n not in (*coarser, name)]) for name in left
        }
        best = min(left, key=lambda name: _cost(cells, merged[name]))
        coarser.append(best)
        recodings[best] = _as_a_whole(recodings[best])
        cells = _cells(prepared, recodings)
    suppressed = _groups(cells, failing, len(prepared.names))
    told = say(
        "warning.searched_sample",
        sampled=task.table.records,
        records=prepared.table.rows,
        coarser=", ".join(coarser) or "-",
        groups=len(suppressed),
    )
    return replace(
        outcome, recodings=recodings, suppressed=suppressed, warnings=[*outcome.warnings, told], optimal=False
    )


def _cells(prepared: Prepared, recodings: dict[str, ColumnRecoding]) -> Cells:
    """Count all rows as they would be published, with what requirements read."""
    needed = [name for name in prepared.policy.counted() if name not in prepared.names]
    return recode_table(prepared.table, recodings).table.counts([*prepared.names, *needed])


def _failing(prepared: Prepared, cells: Cells, shown: Sequence[str]) -> Bools | None:
    """Tell which cells lie in a group that fails, where only some quasi-identifiers differ; nothing if no end is in sight.

    What is left out may change what the others are compared with, so that they are asked again.
    """
    gone = np.zeros(len(cells), bool)
    for _ in range(_ROUNDS):
        left = np.flatnonzero(~gone)
        if not len(left):
            return gone
        kept = Cells(cells.columns, tuple(held.take(left) for held in cells.keys), cells.sizes[left])
        bad = np.zeros(len(left), bool)
        for model in prepared.models:
            assert isinstance(model, GroupModel)
            names = [name for name in model.qid or prepared.names if name in shown]
            groups = (
                kept.rolled_up([*names, *model.needs()]).groups(len(names))
                if names
                else kept.rolled_up(model.needs()).groups(0)
            )
            safe = model.bound().holds(model.measure(groups))
            bad |= ~safe[_group_of(kept, names)]
        if not bad.any():
            return gone
        gone[left[bad]] = True
    return None


def _group_of(cells: Cells, names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the group of each cell, numbered as :meth:`Cells.rolled_up` orders them."""
    if not names:
        return np.zeros(len(cells), np.int64)
    codes = np.column_stack([cells.keys[cells.columns.index(name)].codes for name in names])
    return np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)


def _records(cells: Cells, failing: Bools) -> int:
    return int(cells.sizes[failing].sum())


def _cost(cells: Cells, failing: Bools | None) -> int:
    return int(cells.sizes.sum()) + 1 if failing is None else _records(cells, failing)


def _groups(cells: Cells, failing: Bools, columns: int) -> list[tuple[str, ...]]:
    """Return the published values of groups that are left out, in order."""
    keys = [list(held.take(np.flatnonzero(failing))) for held in cells.keys[:columns]]
    return sorted({tuple(to_text(value) for value in key) for key in zip(*keys, strict=True)})


def _as_a_whole(recoding: ColumnRecoding) -> ColumnRecoding:
    """Return a recoding that tells nothing of its column."""
    match recoding:
        case FullDomainGeneralization():
            return replace(recoding, level=recoding.tree.height)
        case SubtreeGeneralization():
            return replace(recoding, cut=(recoding.tree.labels[0],))
        case SiblingGeneralization():
            return replace(recoding, nodes=(recoding.tree.labels[0],))
        case Discretization():
            return replace(recoding, edges=(recoding.edges[0], recoding.edges[-1]))
        case OrderedPartition():
            return replace(recoding, starts=())
        case ValueSuppression():
            return replace(recoding, suppressed=None, disclosed=())
    raise Unsupported(f"{recoding.id} has no coarsest form that all rows could take", thing=recoding.id)
