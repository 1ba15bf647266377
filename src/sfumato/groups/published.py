"""Published statistics: what a release looks like from afar, group by group and attribute by attribute.

Metrics read these. Each attribute lists its distinct (raw value -> published value) pairs with their record counts and
what the published value covers, so that no metric needs rows, labels or trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sfumato.groups.stats import GroupStats

__all__ = ["AttributeStats", "PublishedStats"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AttributeStats:
    """One attribute of a release, over its distinct (raw, published) pairs among the records kept.

    ``count``: records. ``label``: number of the published value. ``covered``: raw domain values that the published value may
    stand for, of ``domain`` in all; for intervals of a number without a hierarchy both are widths. ``climbed``: levels between
    raw and published value, and ``root_climb`` from the raw value to the root; -1 where the attribute has no levels.
    """

    name: str
    count: Ints
    label: Ints
    covered: Floats
    domain: float
    climbed: Ints
    root_climb: Ints
    continuous: bool = False


@dataclass(frozen=True, eq=False)
class PublishedStats:
    """A release in numbers: its groups, its attributes, and the records that were suppressed.

    ``records`` counts the raw table; ``suppressed`` of them are not in any group. ``suppressed_climb`` is the number of
    levels that the suppressed records would climb to the root, per attribute. ``group_cover`` (groups x attributes) says how
    much of each attribute's domain the published value of a group covers. ``raw_sizes`` and ``raw_group`` list the distinct
    raw records with their counts and the group each ended up in, -1 if suppressed. ``target`` names the class column whose
    histogram the groups carry, if any.
    """

    records: int
    suppressed: int
    groups: GroupStats
    attributes: Mapping[str, AttributeStats] = field(default_factory=dict)
    suppressed_climb: Mapping[str, int] = field(default_factory=dict)
    group_cover: Floats | None = None
    raw_sizes: Ints | None = None
    raw_group: Ints | None = None
    target: str | None = None
