"""Groups of a table beside the groups of the population it was taken from: what the models with an external table share."""

from __future__ import annotations

import numpy as np

from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Ints

__all__ = ["paired_sizes"]


def paired_sizes(published: GroupStats, population: GroupStats) -> tuple[Ints, Ints]:
    """Return the population size of each published group, and the published size of each population group.

    A published group that the population lacks, or holds fewer times, proves that the table is not part of it, or was not
    recoded in the same way, and is refused. The refusal counts such groups and does not name them: they are people.
    """
    if published.columns != population.columns:
        raise BadRequest(
            "the population must be grouped by the same columns",
            parameter="external",
            value=population.columns,
            available=published.columns,
        )
    place = {key: group for group, key in enumerate(zip(*population.keys, strict=True))}
    at = np.array([place.get(key, -1) for key in zip(*published.keys, strict=True)], np.int64)
    sizes = np.zeros(len(published), population.sizes.dtype)
    sizes[at >= 0] = population.sizes[at[at >= 0]]
    lost = int(np.count_nonzero(published.sizes > sizes))
    if lost:
        raise BadRequest(
            f"{lost} of {len(published)} published groups have more records than the external table has: the published "
            "table must be part of it and both must be recoded in the same way",
            parameter="external",
        )
    inside = np.zeros(len(population), published.sizes.dtype)
    inside[at] = published.sizes
    return sizes, inside
