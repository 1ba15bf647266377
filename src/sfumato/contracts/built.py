"""A release that was built and not yet judged: the public tables in one object, what must stay in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.release import ReleaseKind

__all__ = ["Built", "PrivatePart", "PublicPart"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PublicPart:
    """What may leave the house: the tables by the name of their part, and the kind that can verify them."""

    kind: ReleaseKind
    tables: Mapping[str, Table]

    def guarantee(self) -> dict[str, Any]:
        """Return what the tables bound by their form alone."""
        return self.kind.guarantee(self.tables)


@dataclass(frozen=True, eq=False)
class PrivatePart:
    """What must stay: the group of each record of the input, and which record stands behind each published row.

    ``rows`` maps a part (or a part and a column, where columns were moved apart) to the positions of its rows in the input.
    """

    groups: Ints | None = None
    rows: Mapping[str, Ints] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Built:
    """The two halves of a release; :func:`~sfumato.publishing.certify.certified` judges and certifies the public one."""

    public: PublicPart
    private: PrivatePart

    @property
    def kind(self) -> ReleaseKind:
        """The kind of the release, with its parameters."""
        return self.public.kind

    @property
    def tables(self) -> Mapping[str, Table]:
        """The public tables."""
        return self.public.tables
