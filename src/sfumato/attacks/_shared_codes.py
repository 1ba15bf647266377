"""Values of one table as codes of another: what two tables call the same is the same."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.data.text import to_text
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Ints

__all__ = ["UNKNOWN", "codes_in", "codes_of_values"]

UNKNOWN = -2  # a value that the other table does not have; -1 is a missing one


def codes_of_values(values: Sequence[Hashable], other: Sequence[Hashable]) -> Ints:
    """Return where each value stands among the other ones, by its text; missing among them is a value like any other.

    >>> codes_of_values(["b", 7, None], ["a", "b", "7"]).tolist()
    [1, 2, -2]
    """
    place = {_text(value): code for code, value in enumerate(other)}
    return np.array([place.get(_text(value), UNKNOWN) for value in values], np.int64)


def codes_in(keys: Sequence[Hashable], other: Sequence[Hashable]) -> Ints:
    """Return the codes of keys in another dictionary; a missing key stays missing, -1."""
    if not isinstance(keys, CodedKeys):
        held = list(keys)
        return np.where([key is None for key in held], -1, codes_of_values(held, other)).astype(np.int64)
    known = np.append(codes_of_values(keys.values, other), -1)
    return known[keys.codes]


def _text(value: Hashable) -> str | None:
    return None if value is None else to_text(value)
