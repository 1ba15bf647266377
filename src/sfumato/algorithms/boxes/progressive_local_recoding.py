"""Progressive local recoding: groups are specialized step by step, and records that would not be safe are handed back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.algorithms.boxes._box_penalties import refuse_weights
from sfumato.algorithms.boxes._cell_groups import DistinctRecords, Effort, published_cells
from sfumato.algorithms.boxes._median_partition import counted_rows
from sfumato.algorithms.boxes._progressive_groups import ShareLimits, merge_unsafe, specialized
from sfumato.contracts.algorithm import ROWS_COMPARED, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.searches.part_requirements import PartRequirements, by_parts

__all__ = ["ProgressiveLocalRecoding"]


class ProgressiveLocalRecoding(Algorithm):
    """Groups are specialized step by step under (alpha,k)-anonymity, and records that would not be safe are handed back.

    A group is *safe* if it has k records and no sensitive value a share above alpha in it.

    - *Top-down*: all records start as one group. A group is specialized in one column: it falls into the children of the lowest
      node that covers it, or into the values up to the median and above. Children that are safe stand; the others are handed
      back together, with the parent's value. If these are not safe, single records follow them: from the largest child, and of
      the sensitive value that is rarest among those handed back, as long as the child stays safe. If that does not help, the
      attempt is cancelled. Of all columns the one is taken after which the records climb the fewest levels in total (minimal
      distortion, MD); of equal ones the one with the least penalty (NCP), then the first. Parts are specialized on until no
      single attempt succeeds.
    - *Bottom-up*: every distinct record is a group. The first that is not safe is merged, until it is, with the one whose union
      with it costs least by NCP, summed over records. All pairs of distinct records are looked at.

    Every group is published as the smallest box around it: ``[low-high]``, the lowest common node, or ``first..last``.
    Boxes may overlap and equal values may be published in different ways. Requirements: (alpha,k)-anonymity on one
    sensitive column, also several of them, k-anonymity, and LKC-privacy by the condition on groups that it follows from. An
    alpha below the share of a value in the table is refused with that share.

    Adversary: that of (alpha,k)-anonymity. Facts of an outcome: ``groups``, ``smallest_group``, ``largest_group``, ``ncp``
    (weighted, all records), ``dm`` (discernibility); top-down ``steps``, ``attempts``, ``cancelled``; bottom-up ``merges``.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(31, "flu"), (35, "hiv"), (42, "flu"), (47, "flu"), (52, "hiv"), (58, "flu")]
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}, "Illness": {"role": "sensitive"}},
    ...     "requirements": [
    ...         {"id": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "sensitive": "Illness", "values": ["hiv"]}
    ...     ],
    ...     "algorithm": ProgressiveLocalRecoding().spec(),
    ... }
    >>> release = sfumato.anonymize(sfumato.from_rows(["Age", "Illness"], rows), policy)
    >>> sorted(release.table.groups(["Age"]).as_dict().items())
    [(('[31-42]',), 3), (('[47-58]',), 3)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, table 5.2 and section 5.2.3.
    Wong, Li, Fu, Wang, "(alpha, k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing", 2006,
    doi:10.1145/1150402.1150499.
    """

    id: ClassVar[str] = "progressive-local-recoding"
    meets_every_limit: ClassVar[bool] = True
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="cells",
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        model_needs=("closed_under_merge",),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="top-down: records times quasi-identifiers squared times levels; bottom-up: distinct records squared",
        works_on="rows",
        most_rows=ROWS_COMPARED,
    )

    direction: str = param(
        default="top-down",
        choices=("top-down", "bottom-up"),
        doc="whether the table is specialized or single records are merged",
    )
    weights: Mapping[str, float] | None = param(
        default=None, doc="weight of each quasi-identifier in distortion and penalty, above 0; 1 where not given"
    )

    def validate(self) -> None:
        """Refuse weights that are no numbers above 0."""
        refuse_weights(f"{self.id}.weights", self.weights)

    def run(self, task: Task, run: Run) -> Outcome:
        """Group the records; the generator is not used."""
        models = by_parts(task.models, task.qids, thing=self.id, merged=True)
        limits = ShareLimits.of(models, task.table.dictionaries, self.id)
        PartRequirements.of(task.models, task.qids, counted_rows(task), thing=self.id, merged=True).refuse_hopeless()
        rows = DistinctRecords.of(task, self.weights, self.id, extra=limits.column)
        if self.direction == "top-down":
            made, effort = specialized(rows, limits, self.weights, run)
            return published_cells(rows, *made, effort)
        state = merge_unsafe(rows, limits, run)
        return published_cells(rows, *state.of_records(), Effort(merges=state.merges))
