"""mu-Argus: generalizes and suppresses cells until combinations of up to three values are frequent enough."""

from __future__ import annotations

from math import floor
from typing import ClassVar

import numpy as np

from sfumato.algorithms.lattice._combinations import NOTHING, Combinations, sets_up_to
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Attribute, Outcome, Task
from sfumato.contracts.facts import CombinationFacts
from sfumato.contracts.model import TableModel, by_group
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.contracts.trace import CombinationStep
from sfumato.data.messages import say
from sfumato.data.text import SUPPRESSED, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.groups.distinct import distinct_rows, places
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.models.k_combinations import KCombinations
from sfumato.recodings.cell_suppression import CellSuppression
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.recodings.value_suppression import ValueSuppression

__all__ = ["MuArgus"]


class MuArgus(Algorithm):
    """Generalize and suppress cells until every combination of up to three published values is shared by k records.

    A combination of up to ``size`` values is *unsafe* if fewer than k records share it; suppressed cells match nothing. While
    more than ``switch_fraction`` of the records hold an unsafe combination, the column in most unsafe combinations is
    generalized: one of its unsafe values becomes its parent in the tree, with everything below that parent, and of these
    steps the one is taken that touches most unsafe combinations for each level that a record climbs. After that single cells
    are suppressed: in each record the value in most of its unsafe combinations, until none is left. Suppressing lowers the
    counts of other combinations, so both are repeated until all are safe. Ties go to the first column, then to the first node
    of the tree.

    **The result is not k-anonymous.** Combinations of more than ``size`` values are never counted: every record may be unique
    on all quasi-identifiers together. The requirement is therefore ``k-combinations``; others are refused. The release
    warns and says how small the smallest full group is. The facts of the outcome hold ``suppressed_cells``,
    ``generalizations``, ``unsafe_records`` (before the first step) and ``smallest_group`` (on all quasi-identifiers,
    ``*`` being a symbol like others).

    Adversary: knows at most ``size`` quasi-identifier values of a person. Cost: distinct records times sets of up to ``size``
    columns, for each step those that hold a changed column.

    Examples
    --------
    >>> import sfumato
    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> rows = [("Engineer", "M"), ("Lawyer", "M"), ("Dancer", "F"), ("Dancer", "F"), ("Writer", "M")]
    >>> policy = {
    ...     "columns": {
    ...         "Job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": job}},
    ...         "Sex": {"role": "quasi-identifier"},
    ...     },
    ...     "requirements": [{"id": "k-combinations", "k": 2}],
    ...     "algorithm": MuArgus(switch_fraction=0.4).spec(),
    ... }
    >>> release = sfumato.anonymize(sfumato.from_rows(["Job", "Sex"], rows), policy)
    >>> release.table.to_rows()
    [('*', 'M'), ('Dancer', 'F'), ('Dancer', 'F'), ('Professional', 'M'), ('Professional', 'M')]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.2.1.
    Hundepool, Willenborg, "mu- and tau-Argus: software for statistical disclosure control", 1996.
    """

    id: ClassVar[str] = "mu-argus"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="cut",
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=False,
        suppresses_records=False,
        cost="distinct records times the sets of up to three columns, for each step",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )

    promises: ClassVar[str] = "k-combinations"

    max_combination: int = param(
        default=3, ge=1, doc="largest size of a combination that is counted; a requirement with a larger one is refused"
    )
    switch_fraction: float = param(
        default=0.10,
        ge=0,
        le=1,
        doc="share of records with an unsafe combination above which values are generalized, not cells suppressed",
    )

    def run(self, task: Task, run: Run) -> Outcome:
        """Generalize, then suppress, until every combination is safe; the generator is not used."""
        least = self._least(task)
        columns = [_Column(task, attribute) for attribute in task.attributes]
        distinct, row = distinct_rows(task.table.codes)
        weights = np.bincount(row, weights=task.table.weights).astype(np.int64)
        shown = np.stack([column.slots[distinct[:, at]] for at, column in enumerate(columns)], axis=1)
        state = Combinations(shown, weights, least, run.checkpoint)
        before = state.unsafe_records
        trace: list[CombinationStep] = []
        while state.unsafe_combinations:
            records, combinations = state.unsafe_records, state.unsafe_combinations
            run.tick(len(trace), f"{combinations:,} unsafe combinations")
            name = value = cells = None
            if records > self.switch_fraction * task.table.records:
                name, value = _generalize(state, columns, distinct)
            if value is None:
                gone = state.suppress()
                cells = {column.name: int(n) for column, n in zip(columns, gone, strict=True) if n}
            trace.append(
                CombinationStep(
                    step="suppress" if value is None else "generalize",
                    attribute=name,
                    value=value,
                    cells=cells,
                    unsafe_records=records,
                    unsafe_combinations=combinations,
                )
            )
        hidden = state.shown == NOTHING
        hidden &= np.stack([column.slots[distinct[:, at]] for at, column in enumerate(columns)], axis=1) != NOTHING
        return Outcome(
            recodings={column.name: column.recoding() for column in columns},
            operation=_cell_suppression(task, distinct, hidden),
            trace=trace,
            warnings=self._warnings(task, state),
            facts=CombinationFacts(
                unsafe_records=before,
                generalizations=sum(entry.step == "generalize" for entry in trace),
                suppressed_cells=int(weights @ hidden.sum(axis=1)),
                smallest_group=_smallest(state),
            ),
        )

    def _least(self, task: Task) -> dict[tuple[int, ...], int]:
        """Return how many records must share the combinations of each set of columns."""
        names = list(task.qids)
        least: dict[tuple[int, ...], int] = {}
        for model in task.models:
            k, size = self._promised(model)
            if task.table.records < k:
                raise Infeasible(
                    f"{model.id}: k={k} is larger than the number of records, {task.table.records}; no value could be "
                    "published",
                    measured=task.table.records,
                    bound=k,
                    requirement=model.id,
                )
            for chosen in sets_up_to(sorted(names.index(name) for name in (model.qid or names)), size):
                least[chosen] = max(least.get(chosen, 1), k)
        return least

    def _promised(self, model: TableModel) -> tuple[int, int]:
        if not isinstance(model, KCombinations):
            raise Unsupported(
                f"{self.id} counts combinations of a few values only and cannot promise {model.id}; what it can promise is "
                f"the requirement {self.promises}",
                thing=model.id,
                alternatives=by_group(["tdr"] if model.traits.closed_under_merge else [], [model]),
            )
        if model.size > self.max_combination:
            raise BadRequest(
                f"must be at most max_combination of {self.id}, {self.max_combination}",
                parameter=f"{model.id}.size",
                value=model.size,
            )
        return model.k, model.size

    def _warnings(self, task: Task, state: Combinations) -> list[str]:
        size = max((len(chosen) for chosen in state.sets), default=0)
        smallest = _smallest(state)
        if size >= len(task.qids) and not (state.shown == NOTHING).any():
            return []
        return [say("warning.few_columns", algorithm=self.id, size=size, columns=len(task.qids), smallest=smallest)]


class _Column:
    """One column: the slot of each code (a tree node, or the code itself), and the current cut."""

    def __init__(self, task: Task, attribute: Attribute) -> None:
        self.attribute = attribute
        self.name = attribute.name
        self.values = task.table.dictionaries[attribute.name].values
        self.tree: Tree | None = attribute.tree
        if attribute.kind == "interval":
            raise BadRequest("needs a hierarchy: mu-argus does not cut numbers into intervals", column=self.name)
        if any(to_text(value) == SUPPRESSED for value in self.values):
            raise BadRequest(f"holds the value {SUPPRESSED!r}, which stands for suppressed cells", column=self.name)
        if self.tree is None:
            self.slots = np.arange(len(self.values), dtype=np.int64)
        else:
            self.leaf = self.tree.encode(self.values, column=self.name)
            self.slots = self.tree.leaf_nodes[self.leaf].astype(np.int64)
            self.cut = set(self.tree.leaf_nodes.tolist())

    def generalizable(self) -> bool:
        """Tell whether anything can become more general."""
        return self.tree is not None and self.cut != {0}

    def cheapest(self, unsafe: Ints, records: Ints) -> int:
        """Return the node above an unsafe value that breaks most unsafe combinations for each level that a record climbs."""
        assert self.tree is not None
        tree = self.tree
        cut = [node for node in sorted(self.cut) if node < len(unsafe)]
        best, chosen = -1, 0
        for parent in sorted({int(tree.parent[node]) for node in cut if unsafe[node]}):
            below = [node for node in cut if tree.leaf_first[parent] <= tree.leaf_first[node] < tree.leaf_last[parent]]
            levels = sum(int(records[node]) * int(tree.depth[node] - tree.depth[parent]) for node in below)
            score = floor(sum(int(unsafe[node]) for node in below) / levels * 2**40 + 0.5)
            if score > best:
                best, chosen = score, parent
        return chosen

    def climb(self, parent: int) -> None:
        """Replace everything below a node by the node."""
        assert self.tree is not None
        first, last = self.tree.leaf_first, self.tree.leaf_last
        inside = {node for node in self.cut if first[parent] <= first[node] and last[node] <= last[parent]}
        self.cut = (self.cut - inside) | {parent}

    def recoding(self) -> ColumnRecoding:
        """Return the cut, or that values stay as they are."""
        if self.tree is None:
            return ValueSuppression(suppressed=(), domain=tuple(self.values))
        cut = tuple(self.tree.labels[node] for node in sorted(self.cut))
        return SubtreeGeneralization(tree=self.tree, hierarchy=self.attribute.builder, cut=cut)


def _generalize(state: Combinations, columns: list[_Column], distinct: Codes) -> tuple[str | None, str | None]:
    """Generalize the column in most unsafe combinations; return it and what it shows now, or nothing if nothing can be."""
    loads = state.of_columns()
    able = [at for at, column in enumerate(columns) if column.generalizable() and loads[at] > 0]
    if not able:
        return None, None
    at = max(able, key=lambda index: (loads[index], -index))
    column = columns[at]
    tree = column.tree
    assert tree is not None
    parent = column.cheapest(state.of_slots(at), state.records_of(at))
    column.climb(parent)
    leaf = column.leaf[distinct[:, at]]
    rows = (leaf >= tree.leaf_first[parent]) & (leaf < tree.leaf_last[parent])
    state.show(at, rows, parent)
    return column.name, tree.labels[parent]


def _cell_suppression(task: Task, distinct: Codes, hidden: Bools) -> TableRecoding | None:
    """Return the suppressed cells by the row numbers of the table, or ``None`` if there are none."""
    if not hidden.any():
        return None
    if task.raw is None:
        raise BadRequest("needs the records themselves to suppress single cells", parameter="raw")
    rows = places(distinct, task.raw.as_rows().codes(task.qids, task.table.dictionaries))
    record, column = np.nonzero(hidden[rows])
    names = task.qids
    cells = tuple((row, names[at]) for row, at in zip(record.tolist(), column.tolist(), strict=True))
    return CellSuppression(cells=cells, marker=SUPPRESSED)


def _smallest(state: Combinations) -> int:
    """Return the size of the smallest group on all quasi-identifiers."""
    _, group = distinct_rows(state.shown)
    return int(np.bincount(group, weights=state.weights).min())
