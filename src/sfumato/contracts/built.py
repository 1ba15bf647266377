"""A release that was built and not yet judged: the public tables, and beside them what must stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import Beside, ReleaseKind
from sfumato.data.json import Json

__all__ = ["Built", "Links"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Links:
    """What ties published rows to the input and must stay: the group of each record, the record behind each row.

    ``rows`` maps a part (or a part and a column, where columns were moved apart) to the positions of its rows in the input.
    """

    groups: Ints | None = None
    rows: Mapping[str, Ints] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, eq=False)
class Built:
    """The public tables by the name of their part, and the kind that can judge them; ``private`` ties them to the input.

    ``beside`` is what a check needs beside the tables and may be told. ``inside`` is the publisher's own view, for
    requirements that read columns nobody else gets to see.
    """

    kind: ReleaseKind
    tables: Mapping[str, Table]
    private: Links = field(default_factory=Links)
    beside: Beside = field(default_factory=Beside)
    inside: Publication | None = None

    @property
    def main(self) -> Table:
        """The first of the public tables."""
        return self.tables[self.kind.part_names()[0]]

    def guarantee(self) -> dict[str, Json]:
        """Return what the tables bound by their form alone."""
        return self.kind.guarantee(self.tables)
