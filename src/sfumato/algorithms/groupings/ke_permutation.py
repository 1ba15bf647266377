"""(k,e)-permutation: the optimal grouping of a sensitive number, shuffled inside groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

import numpy as np

from sfumato.algorithms.groupings._value_runs import Runs, optimal_runs
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.alike import Alike
from sfumato.contracts.facts import GroupFacts
from sfumato.contracts.model import RELATIVE_SLACK, TableModel, by_group
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.kernels.arrays import Floats, Ints
from sfumato.kernels.ordering import stable_order
from sfumato.models.k_e_anonymity import KEAnonymity
from sfumato.releases.permuted_table import PermutedTable
from sfumato.searches.grouping import left_out, records_of, sensitive_column

__all__ = ["KEPermutation"]


class KEPermutation(Algorithm):
    """The grouping of a sensitive number with the least error under (k,e)-anonymity, shuffled inside groups.

    Every group holds at least k different values that span at least e. The error of a group is its range, and
    ``error="sum"`` finds the partition with the smallest sum of ranges among all partitions: groups that overlap can be
    merged without raising the sum, so one into runs of the sorted values x is best, ``D[j] = min D[i] + x_j - x_{i+1}``
    over the i that are far enough away. These form a prefix that only grows with j, so a running minimum finds it.
    ``error="max"`` minimizes the largest range instead, and then the sum, among partitions into runs; partitions of
    interleaved groups may do better. Of equally good partitions the one with most groups is taken. No partition exists
    iff the whole column has fewer than k values or a range below e.

    The release is a ``permuted-table``: exact quasi-identifiers, the sensitive number shuffled inside each group, and
    exact count, sum, minimum and maximum of every group. Quasi-identifiers are true of their record, the number beside
    them is only true of the group: at record level the release is not truthful. Aggregates over whole groups are exact,
    others have bounds (:mod:`sfumato.utility.aggregates`). Record linkage is not prevented. Plain columns and the target
    are not published.

    The requirement is ``k-e-anonymity`` on one column; several take the largest k and e, others are refused. The facts hold
    ``error_sum``, ``error_max`` and ``groups``.

    Adversary: finds the record of a person by exact quasi-identifiers and looks for the number. Who knows the seed can undo
    the shuffle: it stays private, and is fresh if the policy names none. Cost: sorting, then linear.

    Draws go over the records in the order of their values, as an engine counts them. Alike records are interchangeable, so the
    release is the same wherever they lie and in whatever order they came; some tens of bytes for each record are held.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(age, salary) for age, salary in enumerate([30, 32, 35, 40, 41, 50, 52, 60, 75])]
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}, "Salary": {"role": "sensitive"}},
    ...     "requirements": [{"id": "k-e-anonymity", "k": 2, "e": 5, "sensitive": "Salary"}],
    ...     "algorithm": KEPermutation().spec(),
    ...     "seed": 7,
    ... }
    >>> release = sfumato.anonymize(sfumato.from_rows(["Age", "Salary"], rows), policy)
    >>> release.private.facts["error_sum"], sorted(row[3:] for row in release.tables["aggregates"].to_rows())
    (32.0, [(30, 35), (40, 52), (60, 75)])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.2 and 5.2.5.
    Zhang, Koudas, Srivastava, Yu, "Aggregate query answering on anonymized tables", 2007, doi:10.1109/ICDE.2007.367857.
    """

    id: ClassVar[str] = "ke-permutation"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="none",
        release="permuted-table",
        optimal=True,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="sorting the records, then linear",
        works_on="groups",
        most_rows=ROWS_IN_MEMORY,
    )

    promises: ClassVar[Mapping[str, object]] = {"id": "k-e-anonymity", "k": 2, "e": 3, "sensitive": "number"}

    error: str = param(default="sum", choices=("sum", "max"), doc="minimize the sum of the ranges or the largest range")

    def run(self, task: Task, run: Run) -> Outcome:
        """Cut the sorted values into groups and build the release."""
        raw = records_of(task, self.id)
        asked = [self._promised(model) for model in task.models]
        name = sensitive_column(task, self.id)
        k, e = max(model.k for model in asked), max(model.e for model in asked)
        records = Alike.counted(raw, [*task.qids, name], task.table)
        runs, groups = self._grouped(records, name, k, e, run.rng)
        warnings = left_out(task, self.id, (*task.qids, name))
        warnings.append(say("warning.shuffled", name=name))
        return Outcome(
            built=PermutedTable.build(records, groups, task.qids, name, run.rng),
            optimal=self.error == "sum",
            warnings=warnings,
            facts=GroupFacts(error_sum=runs.error_sum, error_max=runs.error_max, groups=len(runs.starts)),
        )

    def _grouped(self, records: Alike, name: str, k: int, e: float, rng: np.random.Generator) -> tuple[Runs, Ints]:
        """Return the runs of sorted values, and the number of each record's group."""
        numbers, codes = records.numbers(name), records.codes(name)
        if not np.isfinite(numbers).all():
            raise BadRequest("holds infinite values", column=name)
        # Which of equal values stand on this side of a cut is drawn, and no matter of the order of records.
        order = rng.permutation(np.arange(len(codes), dtype=np.int32))
        order = order[stable_order(codes[order])]
        ordered = numbers[codes[order]]
        runs = optimal_runs(ordered, k, e, self.error, RELATIVE_SLACK)
        if runs is None:
            self._refuse(name, k, e, ordered)
        assert runs is not None
        groups = np.empty(len(codes), np.int64)
        groups[order] = (rng.permutation(len(runs.starts)) + 1)[runs.numbers(len(codes))]
        return runs, groups

    def _promised(self, model: TableModel) -> KEAnonymity:
        if model.id != KEAnonymity.id:
            raise Unsupported(
                f"{self.id} groups a sensitive number by its values and cannot promise {model.id}; what it can promise is "
                f"{KEAnonymity.id}",
                thing=model.id,
                alternatives=by_group(["tdr"] if model.traits.closed_under_merge else [], [model]),
            )
        return cast(KEAnonymity, model)

    def _refuse(self, name: str, k: int, e: float, ordered: Floats) -> None:
        values, spread = len(np.unique(ordered)), float(ordered[-1] - ordered[0])
        few = values < k
        raise Infeasible(
            f"{name!r} has {values:,} different values over a range of {spread:g}; k={k} and e={e:g} cannot be met by any "
            "grouping",
            measured=values if few else spread,
            bound=k if few else e,
            requirement=KEAnonymity.id,
        )
