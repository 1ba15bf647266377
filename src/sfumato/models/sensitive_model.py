"""What models of one sensitive column share: the column, the rule for its missing values, and counting in groups."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from math import ceil, isfinite
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from sfumato.contracts.model import RELATIVE_SLACK, GroupModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Bools, Floats, Ints

__all__ = [
    "Counterexamples",
    "SensitiveModel",
    "Value",
    "checked_histogram",
    "chosen",
    "each",
    "fewest_records",
    "largest_of",
    "leveled",
    "share_or_shortfall",
]

# A value of a sensitive column as a policy can write it.
Value: TypeAlias = str | bool | int | float | date

# Trait that a model denies -> a partition and the merge that shows it.
Counterexamples: TypeAlias = Mapping[str, tuple[GroupStats, Sequence[int]]]


class SensitiveModel(GroupModel):
    """A requirement on the distribution of one sensitive column inside each group."""

    named: ClassVar[tuple[str, ...]] = ()
    """Parameters that name values of the sensitive column."""

    sensitive: str = column("sensitive", doc="column whose value must not be learnt about a person")
    missing: str = param(
        default="refuse",
        choices=("refuse", "count"),
        doc="what to do with missing sensitive values: refuse the table, or count missing as a value of its own",
    )

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column."""
        return (self.sensitive,)

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with the values of :attr:`named` as the sensitive column holds them."""
        return replace(self, **{name: each(getattr(self, name), partial(held, self.sensitive)) for name in self.named})

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the groups on the quasi-identifier; refuse one that holds the sensitive column."""
        if self.qid is None and self.sensitive in publication.qids:
            raise BadRequest(
                "is the sensitive column of the model and cannot be part of the quasi-identifier",
                parameter=f"{self.id}.sensitive",
                value=self.sensitive,
                available=publication.qids,
            )
        return super().judge(publication, worst=worst)

    def histogram(self, groups: GroupStats) -> Histogram:
        """Return the counts of the sensitive values in each group."""
        return checked_histogram(groups, self.sensitive, self.missing)


def each(values: Any, held: Callable[[Any], Any]) -> Any:
    """Return a value, or values in tuples, each as it is held; nothing stays nothing."""
    if isinstance(values, tuple):
        return tuple(each(value, held) for value in values)
    return None if values is None else held(values)


def checked_histogram(groups: GroupStats, name: str, missing: str) -> Histogram:
    """Return the histogram of a column; refuse groups without it, and missing values unless they count as a value."""
    if name not in groups.histograms:
        raise BadRequest("the groups lack the histogram of a column", column=name, available=groups.histograms)
    histogram = groups.histograms[name]
    if missing == "refuse" and any(_lacks(value) for value in histogram.values):
        raise BadRequest(
            "has missing values; count them as a value of their own or leave the records out",
            column=name,
            parameter="missing",
            available=["count"],
        )
    return histogram


def _lacks(value: Hashable) -> bool:
    return value is None or (isinstance(value, tuple) and None in value)


def chosen(histogram: Histogram, values: Collection[Hashable]) -> Bools:
    """Tell for each stored entry of the histogram whether its value is one of ``values``."""
    wanted = frozenset(values)
    by_code = np.array([value in wanted for value in histogram.values], np.bool_)
    return by_code[histogram.code] if len(by_code) else np.empty(0, np.bool_)


def largest_of(histogram: Histogram, values: Collection[Hashable] | None) -> Ints:
    """Return the count of the most frequent value of each group, among all values or the given ones; 0 without any."""
    if values is None:
        return histogram.largest()
    if len(histogram.start) < 2:
        return np.empty(0, np.int64)
    return np.maximum.reduceat(np.where(chosen(histogram, values), histogram.count, 0), histogram.start[:-1])


def share_or_shortfall(share: Floats, counted: Ints, least: int) -> Floats:
    """Return the share where enough was counted, else 1 + the part that is lacking: beyond any bound on a share."""
    return np.where(counted >= least, share, 1.0 + np.maximum(least - counted, 0) / least)


def fewest_records(level: float) -> int:
    """Return the smallest group size that reaches a real level of at most the size, with the slack of the comparison."""
    return max(1, ceil(level * (1 - RELATIVE_SLACK)))


def leveled(verdict: Verdict, *, highest: float = float("inf"), bound: str | None = None) -> Verdict:
    """Return the verdict without a strongest level where the measured one is infinite or above the highest there is."""
    level = verdict.strongest
    none = level is not None and (not isfinite(level) or level > highest)
    return replace(verdict, strongest=None if none else level, bound=verdict.bound if bound is None else bound)
