"""Measure what a release costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.metric import DataMetric, Measured
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.compressed import Dictionary
from sfumato.errors import BadRequest
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import GroupStats
from sfumato.policy import DEFAULT_METRICS
from sfumato.releases.release import Release
from sfumato.verbs.opening import open_table
from sfumato.verbs.recode import Recoded

__all__ = ["measure", "measure_all", "published_stats"]


def published_stats(
    dictionaries: Mapping[str, Dictionary],
    recodings: Mapping[str, ColumnRecoding],
    groups: GroupStats,
    records: int,
    suppressed: int = 0,
) -> PublishedStats:
    """Return what metrics read, from the raw value counts of the published records and their recodings."""
    attributes = {}
    for name, recoding in recodings.items():
        dictionary = dictionaries[name]
        mapped = recoding.map(dictionary.values, column=name)
        numbers: dict[str, int] = {}
        label = np.array([numbers.setdefault(text, len(numbers)) for text in mapped.labels], np.int64)
        attributes[name] = AttributeStats(
            name,
            dictionary.counts,
            label,
            mapped.covered,
            mapped.domain,
            mapped.climbed,
            mapped.root_climb,
            mapped.continuous,
        )
    return PublishedStats(records, suppressed, groups, attributes)


def measure_all(published: PublishedStats, metrics: Sequence[DataMetric]) -> dict[str, Measured]:
    """Return the value of every metric that applies."""
    return {metric.id: metric.measure(published) for metric in metrics if metric.applies(published) is None}


def measure(raw: Any, release: Recoded | Release, metric: Any = None, *, qid: Sequence[str] | None = None) -> Any:
    """Return what a release of the raw table costs.

    With one metric (an id, a spec, or the metric itself) its value is returned, otherwise a dictionary of the usual ones.
    ``qid`` names the columns whose equal values make a group; all recoded columns if not given.
    """
    if not isinstance(release, (Recoded, Release)):
        raise BadRequest("must come from recode or anonymize, which know how values were masked", parameter="release")
    table = open_table(raw)
    names = list(qid or release.recodings)
    recodings = {name: release.recodings[name] for name in names if name in release.recodings}
    published = published_stats(
        {name: table.dictionary(name) for name in recodings}, recodings, release.table.groups(names), table.rows
    )
    if metric is not None:
        one: DataMetric = metric if isinstance(metric, DataMetric) else build(metric, "metric")
        return one.measure(published)
    return measure_all(published, [build(name, "metric") for name in DEFAULT_METRICS])
