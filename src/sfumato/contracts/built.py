"""A release that was built and not yet judged: the public tables, and beside them what must stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property

from sfumato.contracts.engine import Table
from sfumato.contracts.release import Beside, ReleaseKind
from sfumato.data.frozen import frozen
from sfumato.data.json import Json

__all__ = ["Built", "Linking"]


Linking = Callable[[], Table]
"""Makes the table that ties what is published to the input; few ask for it."""


@frozen(eq=False)
class Built:
    """The public tables by the name of their part, and the kind that can judge them.

    ``links`` ties them to the input and must stay: records by their values (``raw ...``), the group they are in or what is
    published of them, and how many are alike in all of it. Records have no number.
    ``beside`` is what a check needs beside the tables and may be told. ``inside`` is the publisher's own view, for
    requirements that read columns nobody else gets to see.
    """

    kind: ReleaseKind
    tables: Mapping[str, Table]
    linking: Linking | None = None
    beside: Beside = field(default_factory=Beside)
    inside: object | None = None

    @cached_property
    def links(self) -> Table | None:
        """The links, made when somebody asks for them."""
        return None if self.linking is None else self.linking()

    @property
    def main(self) -> Table:
        """The first of the public tables."""
        return self.tables[self.kind.part_names()[0]]

    def guarantee(self) -> dict[str, Json]:
        """Return what the tables bound by their form alone."""
        return self.kind.guarantee(self.tables)
