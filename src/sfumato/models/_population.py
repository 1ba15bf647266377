"""Groups of a table beside the groups of the population it was taken from: what the models with an external table share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sfumato.contracts.publication import Publication
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Ints

__all__ = ["COUNTING_PEOPLE", "paired_sizes", "people_alike", "refuse_unasked", "with_people"]

COUNTING_PEOPLE = ("optimal", "mondrian", "tdr")
"""Searches that count the people of a population beside the records."""


def refuse_unasked(thing: str, attacker: str, population: int | None) -> None:
    """Refuse the size of a population that nobody asks for: a prosecutor counts records of the table."""
    if population is not None and attacker != "journalist":
        raise BadRequest(
            "is asked by a journalist; a prosecutor counts records of the table",
            parameter=f"{thing}.population",
            value=population,
        )


def with_people(publication: Publication, qid: Sequence[str] | None, histograms: Sequence[str] = ()) -> GroupStats:
    """Return the published groups, each with the number of people of the external table who look like it."""
    published = publication.groups(qid, histograms)
    return replace(published, people=paired_sizes(published, publication.external_groups(qid))[0])


def people_alike(
    groups: GroupStats, population: int | None, *, thing: str, able: Sequence[str] = COUNTING_PEOPLE
) -> Ints:
    """Return how many people look like each group: as counted, or of N people ``floor(c N / n)`` for c of n records."""
    if population is not None:
        counted = np.floor(groups.sizes * (population / groups.records) + 1e-9).astype(np.int64)
        return np.asarray(np.maximum(counted, 1))
    if groups.people is None:
        raise Unsupported(
            f"{thing} counts people of a population, which this search does not", thing=thing, alternatives=able
        )
    return groups.people


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
