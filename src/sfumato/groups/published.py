"""Published statistics: what a release looks like from afar, group by group and attribute by attribute.

Metrics read these. Each attribute lists its distinct (raw value -> published value) pairs with their record counts and
what the published value covers, so that no metric needs rows, labels or trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sfumato.data.frozen import frozen
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["AttributeStats", "PublishedStats"]


@frozen(eq=False)
class AttributeStats:
    """One attribute of a release, over its distinct (raw, published) pairs.

    ``count``: records kept. ``label``: number of the published value. ``covered``: raw domain values that the published value
    may stand for, of ``domain`` in all; for intervals of a number without a hierarchy both are widths. ``climbed``: levels
    between raw and published value, and ``root_climb`` from the raw value to the root; -1 where the attribute has no levels.
    ``suppressed``: records of each pair that were left out, where that is known. ``paired`` is false if only the published
    values and their counts are known: the pairs then have the right sums, but need not be those of the records.
    """

    name: str
    count: Ints
    label: Ints
    covered: Floats
    domain: float
    climbed: Ints
    root_climb: Ints
    continuous: bool = False
    suppressed: Ints | None = None
    paired: bool = True


@frozen(eq=False)
class PublishedStats:
    """A release in numbers: its groups, its attributes, and the records that were suppressed.

    ``records`` counts the raw table; ``suppressed`` of them are not in any group. ``suppressed_climb`` is the number of
    levels that the suppressed records would climb to the root, per attribute; ``suppressed_sizes`` are the sizes of the groups
    they would be in. ``group_cover`` (groups x attributes) says how many raw values the published value of a group may stand
    for, and ``cover_domain`` (attributes) how many there are; of a number without a hierarchy the values that occur are
    counted. ``raw_sizes`` and ``raw_group`` list the distinct raw records with their counts and the group each ended up in, -1
    if suppressed. ``target`` names the class column whose histogram the groups carry, if any. ``added`` counts the rows of each
    group that stand for nobody. What is ``None`` is not known. Where records carry sampling weights, each counts so many times.
    """

    records: float
    suppressed: float
    groups: GroupStats
    attributes: Mapping[str, AttributeStats] = field(default_factory=dict)
    suppressed_climb: Mapping[str, float] = field(default_factory=dict)
    group_cover: Floats | None = None
    raw_sizes: Ints | None = None
    raw_group: Ints | None = None
    target: str | None = None
    suppressed_sizes: Ints | None = None
    cover_domain: Floats | None = None
    added: Ints | None = None
