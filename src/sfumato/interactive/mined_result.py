"""A mined result beside the records of persons: what is public of them, what is secret, and what it says of each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["MinedResult"]


@dataclass(frozen=True, eq=False)
class MinedResult:
    """Codes of persons: equal ``public`` codes look alike, ``secret`` is to be learnt, ``told`` is what the result says.

    ``known`` flags persons whose secret is known anyway.
    """

    public: Ints
    secret: Ints
    told: Ints
    known: Bools

    @classmethod
    def of(
        cls,
        public: Sequence[Hashable],
        secret: Sequence[Hashable],
        told: Sequence[Hashable],
        known: Sequence[bool] | None = None,
    ) -> MinedResult:
        """Return what values stand for; all have one entry for each person."""
        flags = np.zeros(len(secret), np.bool_) if known is None else np.asarray(known, np.bool_)
        if not len(secret) or {len(public), len(told), len(flags)} != {len(secret)}:
            raise BadRequest("must have one entry for each of at least one person", parameter="result")
        return cls(_coded(public), _coded(secret), _coded(told), flags)


def _coded(values: Sequence[Hashable]) -> Ints:
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(value, len(places)) for value in values], np.int64)
