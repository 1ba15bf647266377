"""Greedy local recoding: groups of k near records, merged bottom-up or found top-down, each published as its own box."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.algorithms.boxes._box_penalties import refuse_weights
from sfumato.algorithms.boxes._cell_groups import CellGroups, DistinctRecords, Effort, published_cells
from sfumato.algorithms.boxes._greedy_groups import halve, merge_up, repair
from sfumato.contracts.algorithm import ROWS_MERGED, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.searches.grouping import group_size

__all__ = ["LocalRecodingGreedy"]


class LocalRecodingGreedy(Algorithm):
    """Groups of k near records, merged bottom-up or found top-down, are published each as the smallest box around it.

    What counts is the normalized certainty penalty (NCP): a record of a group costs the weighted sum, over columns, of the
    share of the domain that the group's box covers: ``(high - low) / range`` of numbers, ``leaves below the lowest common
    node / leaves`` with a hierarchy, ``length of the run / values`` of other values in their order; a single value costs 0.
    A group costs what its records do.

    - *Bottom-up*: every distinct record is a group at first. The first group of fewer than k records is merged with the one
      whose union with it costs least, until it has k; then the next. (Merging every small group once in a round, as the
      paper does, gives groups of 1, 2, 4, 8, ... records, which is far more than k needs.) A group that reaches ``2 k`` is
      cut into parts of k: a part starts at one end of the group's costliest pair of records and takes in what extends its
      box least.
    - *Top-down*: from a random record the farthest one is looked for, three times over; the last two start two halves, and the
      other records join, in random order, the half whose cost grows less. Parts of more than k are halved on. Then a group of
      fewer than k borrows the nearest records of a group that keeps k, or is merged with the one whose union costs least,
      whichever raises the cost less; a group of ``2 k`` or more is cut as above.

    Every group ends with k to ``2 k - 1`` records, or holds equal records only. Groups are published as ``[low-high]``, the
    lowest common node, or ``first..last``. Boxes may overlap and equal values may be published in different ways.
    Requirements are those that the number of records decides; those on some of the quasi-identifiers hold, too. Ties go to
    the group that was there first, and to the record that comes first in the order of values.

    Adversary: that of k-anonymity. Facts of an outcome: ``groups``, ``smallest_group``, ``largest_group``, ``ncp``
    (weighted, all records), ``dm`` (discernibility), ``merges``, ``cuts``, ``loans``. Cost: bottom-up looks for the
    cheapest union in a tree of groups, so that ten times as many distinct records take some thirty times as long (30,000
    with six columns some seconds, 300,000 two minutes); top-down looks at each one once for every halving, and at all pairs of
    groups in the end (30,000 take as long, ten times as many up to a hundred times).

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Age", "Pay"], [(31, 10), (35, 12), (42, 30), (47, 11), (52, 35), (58, 33)])
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}, "Pay": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 2}],
    ...     "algorithm": LocalRecodingGreedy(direction="bottom-up").spec(),
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> sorted(set(release.table.to_rows()))
    [('[31-47]', '[10-12]'), ('[42-58]', '[30-35]')]
    >>> sorted(release.private.facts.items())[:3]
    [('cuts', 0), ('dm', 18), ('groups', 2)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, table 5.1 and section 5.1.2.6.
    Xu, Wang, Pei, Wang, Shi, Fu, "Utility-based anonymization using local recoding", 2006, doi:10.1145/1150402.1150504.
    """

    id: ClassVar[str] = "local-recoding-greedy"
    meets_every_limit: ClassVar[bool] = True
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="cells",
        release="recoded-table",
        optimal=False,
        deterministic=False,
        truthful=True,
        anytime=False,
        model_needs=("by_size_alone",),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="bottom-up: about the power 1.5 of distinct records; top-down: records times halvings, and groups squared",
        works_on="rows",
        most_rows=ROWS_MERGED,
    )

    direction: str = param(
        default="bottom-up",
        choices=("bottom-up", "top-down"),
        doc="whether groups are merged from single records or found by halving the table",
    )
    weights: Mapping[str, float] | None = param(
        default=None, doc="weight of each quasi-identifier in the cost, above 0; 1 where not given"
    )

    def validate(self) -> None:
        """Refuse weights that are no numbers above 0."""
        refuse_weights(f"{self.id}.weights", self.weights)

    def run(self, task: Task, run: Run) -> Outcome:
        """Group the records; the generator is used top-down only."""
        k = group_size(task, self.id, ["mondrian", "progressive-local-recoding"])
        rows = DistinctRecords.of(task, self.weights, self.id)
        rows.refuse_few(k, task.models[0].id if task.models else None)
        if self.direction == "bottom-up":
            state = merge_up(rows, k, run)
        else:
            state = CellGroups(rows, halve(rows, k, run.rng, run))
            repair(state, k, run)
        effort = Effort(merges=state.merges, cuts=state.cuts, loans=state.loans)
        return published_cells(rows, *state.of_records(), effort)
