"""How much of the cluster structure of a raw table is left in a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.tables.pair import Pair, open_pair
from sfumato.tables.perturb import PerturbedResult
from sfumato.tables.policy import Policy
from sfumato.utility.clustering import Clusterer, FMeasure, MatchPoint, cluster_labels, f_measure, match_point

__all__ = ["ClusterUtility", "cluster_utility"]

ROBUST = "bisecting-k-means"


@frozen(eq=False)
class ClusterUtility:
    """How alike the clusters of a release are to those of the raw table: 1 if they are the same.

    ``orientation`` is ``recipient`` if both tables were clustered by the recipient's method, else ``structure``.
    """

    clusters: int
    orientation: str
    before: str
    after: str
    columns: tuple[str, ...]
    seed: int
    f_measure: FMeasure
    match_point: MatchPoint
    sizes_before: tuple[int, ...]
    sizes_after: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def document(self) -> dict[str, object]:
        """Return everything in a form that JSON takes."""
        return {
            "clusters": self.clusters,
            "orientation": self.orientation,
            "clusterer_of_raw": self.before,
            "clusterer_of_release": self.after,
            "columns": list(self.columns),
            "seed": self.seed,
            "f_measure": self.f_measure.overall,
            "match_point": self.match_point.value,
            "sizes_before": list(self.sizes_before),
            "sizes_after": list(self.sizes_after),
            "notes": list(self.notes),
        }


def cluster_utility(
    raw: object,
    release: object,
    *,
    clusters: int,
    clusterer: Clusterer | str | None = None,
    recipient: Clusterer | str | None = None,
    columns: Sequence[str] | None = None,
    policy: Policy | Mapping[str, object] | str | Path | None = None,
    aligned: bool = False,
    seed: int = 0,
    run: Run | None = None,
) -> ClusterUtility:
    """Cluster the raw table and a release of it, and compare the two partitions of the records.

    Parameters
    ----------
    raw, release
        As for :func:`classification_utility`. Their rows must be brought into the same order, which the recoding of the
        release does, or a column that was not masked shows.
    clusters
        How many clusters, on both sides.
    clusterer
        How the raw table is clustered: ``k-means``, ``bisecting-k-means``, ``agglomerative``, or an object with a method
        ``fit_predict``. By default that of the recipient, or ``bisecting-k-means``, which depends least on its start.
    recipient
        How the release is clustered, if the recipient's way is known; otherwise as the raw table.
    columns
        Columns of the raw table that matter for the clusters; all that are published, without the target, if not given.
    policy
        The policy of the release; a release folder has its own.
    aligned
        Whether you vouch that the rows of the release are in the order of the raw ones.
    seed
        Seed of the starts.

    Examples
    --------
    >>> import sfumato
    >>> raw = {"age": [20, 21, 22, 60, 61, 62], "pay": [10, 11, 12, 30, 31, 32]}
    >>> halves = {"id": "discretization", "edges": (20, 40, 70)}
    >>> found = sfumato.cluster_utility(raw, sfumato.recode(raw, {"age": halves}), clusters=2)
    >>> found.f_measure.overall, found.match_point.value
    (1.0, 1.0)
    """
    run = Run.of(run)
    run.stage("reading")
    pair = open_pair(raw, release, policy=policy, aligned=aligned, run=run)
    if not pair.aligned:
        raise BadRequest(
            "its rows cannot be matched with the raw ones: give a release with its recoding, or say that they are in order",
            parameter="release",
        )
    before, after = _columns(pair, release, columns)
    first = clusterer if clusterer is not None else recipient if recipient is not None else ROBUST
    second = recipient if recipient is not None else first
    sides = pair.side(pair.raw, before), pair.side(pair.released, after)
    run.stage("clustering", len(sides))
    labels = []
    for done, (side, way) in enumerate(zip(sides, (first, second), strict=True)):
        run.tick(done)
        labels.append(cluster_labels(side.columns, side.kinds, clusters, clusterer=way, seed=seed))
    found = [len(np.unique(part)) for part in labels]
    notes = list(pair.notes)
    if first is not second and first != second:
        notes.append(
            "the two tables are clustered in different ways; the structure may not be found again for that reason"
        )
    for count, what in zip(found, ("raw table", "release"), strict=True):
        if count < clusters:
            notes.append(f"the {what} has too few different records for {clusters} clusters; {count} were found")
    return ClusterUtility(
        clusters=clusters,
        orientation="structure" if recipient is None else "recipient",
        before=_text(first),
        after=_text(second),
        columns=tuple(before),
        seed=seed,
        f_measure=f_measure(labels[0], labels[1]),
        match_point=match_point(labels[0], labels[1]),
        sizes_before=tuple(np.bincount(labels[0]).tolist()),
        sizes_after=tuple(np.bincount(labels[1]).tolist()),
        notes=tuple(notes),
    )


def _columns(pair: Pair, release: object, given: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Return the columns to look at on each side; mixtures that replaced columns stand for these."""
    secret = set(pair.policy.pseudonyms()) if pair.policy is not None else set()
    new = [name for name in pair.released.columns if name not in pair.raw.types and name not in secret]
    replaced: set[str] = set()
    if isinstance(release, PerturbedResult):
        replaced = {name for step in release.steps for name in step.dropped}
    elif new and given is None:
        raise BadRequest(
            f"the release has columns of its own ({', '.join(new)}); name those of the raw table to compare them with",
            parameter="columns",
            available=pair.raw.columns,
        )
    if given is None:
        target = pair.policy.of_role(Role.TARGET) if pair.policy is not None else ()
        before = [
            name
            for name in pair.raw.columns
            if (name in pair.released.types or name in replaced) and name not in target and name not in secret
        ]
    else:
        for name in given:
            if name not in pair.raw.types:
                raise BadRequest(
                    "is not a column of the raw table", parameter="columns", value=name, available=pair.raw.columns
                )
        before = list(given)
    after = [name for name in pair.released.columns if name in before or name in new]
    if not before or not after:
        raise BadRequest("leaves nothing to compare", parameter="columns", value=list(given or ()))
    return before, after


def _text(clusterer: object) -> str:
    return clusterer if isinstance(clusterer, str) else type(clusterer).__name__
