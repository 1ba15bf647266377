"""Combinations of published values: the groups that a set of attributes makes, refined one attribute at a time."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram

__all__ = ["coded_keys", "refined", "sensitive_histogram"]

Ints = npt.NDArray[np.int64]


def coded_keys(groups: GroupStats) -> tuple[Ints, list[list[Hashable]]]:
    """Return ``groups x columns`` codes of the published values, and the values that the codes of each column stand for."""
    codes = np.zeros((len(groups), len(groups.columns)), np.int64)
    values: list[list[Hashable]] = []
    for at, keys in enumerate(groups.keys):
        place: dict[Hashable, int] = {}
        codes[:, at] = [place.setdefault(key, len(place)) for key in keys]
        values.append(list(place))
    return codes, values


def refined(ids: Ints, codes: Ints) -> tuple[Ints, int]:
    """Split groups by one more attribute; return the new group numbers, without gaps, and how many there are."""
    width = int(codes.max()) + 1 if len(codes) else 1
    distinct, made = np.unique(ids * width + codes, return_inverse=True)
    return made.reshape(-1).astype(np.int64), len(distinct)


def sensitive_histogram(groups: GroupStats, column: str) -> Histogram:
    """Return the histogram of a sensitive column; a missing sensitive value is refused, because nobody can guess it."""
    if column not in groups.histograms:
        raise BadRequest("the groups lack the histogram of a column", column=column, available=groups.histograms)
    histogram = groups.histograms[column]
    if None in histogram.values and histogram.of(None).any():
        raise BadRequest(
            "holds missing sensitive values; drop these records or give the missing a value of its own",
            column=column,
            value=int(histogram.of(None).sum()),
        )
    return histogram
