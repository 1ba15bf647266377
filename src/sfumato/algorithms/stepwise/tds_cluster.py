"""Top-Down Refinement for cluster analysis: clusters of the raw records take the place of the class."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from datetime import date
from itertools import count
from typing import ClassVar, Literal

import numpy as np

from sfumato.algorithms.stepwise.tdr import TDR
from sfumato.contracts.algorithm import AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.searches.clusters import bisecting_k_means, coordinates, k_means, one_hot, standardized

__all__ = ["TdsCluster"]

_CLUSTERERS = {"k-means": k_means, "bisecting-k-means": bisecting_k_means}


class TdsCluster(TDR):
    """Top-Down Refinement for cluster analysis: clusters of the raw records take the place of the class.

    A table for cluster analysis has no class to keep. So the raw records are clustered first, on the quasi-identifiers, and
    the number of its cluster becomes the class of a record; then Top-Down Refinement masks the table so that this class can
    still be told. The labels are not published. What the recipient's clusters have in common with those of the raw table is
    measured afterwards, by ``sfumato.cluster_utility``.

    Numbers and dates are scaled to mean 0 and variance 1, every other value is a coordinate of its own. A target column, if the
    policy has one, is published but not looked at. ``release.private.facts`` tells the sizes of the raw clusters
    (``cluster_sizes``). Choose ``clusters`` and publish once: one version for each number of clusters would let a reader
    compare them.

    Adversary: that of the requirements. Cost: that of ``tdr``, and of clustering the distinct records.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import education_work
    >>> data = education_work()
    >>> asked = {"requirements": [{"id": "k-anonymity", "k": 4}], "algorithm": TdsCluster(clusters=3).spec()}
    >>> release = sfumato.anonymize(sfumato.from_dataset(data), sfumato.Policy.for_dataset(data, **asked))
    >>> release.verdict.satisfied, sum(release.private.facts["cluster_sizes"])
    (True, 34)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 7.2.
    Fung, Wang, Wang, Hung, "Privacy-preserving data publishing for cluster analysis", Data & Knowledge Engineering, 2009.
    """

    id: ClassVar[str] = "tds-cluster"
    traits: ClassVar[AlgorithmTraits] = replace(
        TDR.traits,
        deterministic=False,
        cost="linear in the number of records for each level of each column, and clustering of the distinct records",
    )

    clusters: int = param(default=5, ge=2, doc="how many clusters the raw records are put into")
    clusterer: Literal["k-means", "bisecting-k-means"] = param(
        default="bisecting-k-means",
        choices=("k-means", "bisecting-k-means"),
        doc="how: bisecting-k-means depends less on its start; take k-means if the recipient does",
    )

    def run(self, task: Task, run: Run) -> Outcome:
        """Cluster the distinct records, then refine for the clusters; starts of the clustering come from the generator."""
        table = task.table
        if self.clusters > table.records:
            raise BadRequest(
                f"must be at most the number of records, {table.records}",
                parameter=f"{self.id}.clusters",
                value=self.clusters,
            )
        labels = _CLUSTERERS[self.clusterer](_points(table), table.weights, self.clusters, run.rng, run)
        sizes = np.bincount(labels, weights=table.weights).astype(np.int64)
        name = _free_name(table)
        outcome = super().run(replace(task, table=_labelled(table, name, labels, sizes), target=name), run)
        warnings = []
        if len(sizes) < self.clusters:
            warnings.append(say("warning.few_clusters", found=len(sizes), asked=self.clusters))
        if task.target is not None:
            warnings.append(say("warning.target_unused", target=repr(task.target)))
        assert isinstance(outcome.facts, StepFacts)
        facts = replace(outcome.facts, cluster_sizes=sorted(sizes.tolist(), reverse=True))
        return replace(outcome, warnings=warnings, facts=facts)


def _points(table: CompressedTable) -> Floats:
    parts = []
    for at, name in enumerate(table.columns):
        codes = table.codes[:, at].astype(np.int64)
        numbers = _numbers(table.dictionaries[name].values)
        parts.append(one_hot(codes, table.weights) if numbers is None else standardized(numbers[codes], table.weights))
    return coordinates(parts)


def _numbers(values: tuple[Hashable, ...]) -> Floats | None:
    """Return numbers and dates as numbers; ``None`` for everything else."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return np.array(values, np.float64)
    if all(isinstance(value, date) for value in values):
        return np.array([value.toordinal() for value in values], np.float64)  # type: ignore[attr-defined]
    return None


def _free_name(table: CompressedTable) -> str:
    taken = {*table.columns, *table.extra}
    return next(name for number in count() if (name := f"cluster{number or ''}") not in taken)


def _labelled(table: CompressedTable, name: str, labels: Ints, sizes: Ints) -> CompressedTable:
    """Return the table with the cluster of each row as one more column that is counted."""
    extra = table.extra_codes if table.extra else np.empty((len(table), 0), np.int32)
    return replace(
        table,
        extra=(*table.extra, name),
        extra_codes=np.column_stack([extra, labels.astype(np.int32)]),
        dictionaries={**table.dictionaries, name: Dictionary(name, tuple(range(len(sizes))), sizes)},
    )
