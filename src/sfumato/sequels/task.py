"""What an algorithm takes that makes the next release of a series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Names
from sfumato.contracts.model import Requirement
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.sequels.series import Series

__all__ = ["SeriesTask"]


@frozen(eq=False)
class SeriesTask:
    """The releases so far, the records to publish next, and what the series must keep.

    ``earlier`` are the holder's copies: where persons return, with the column that names them. ``None`` before the first
    release. ``batch`` are the raw records of the next one, columns as in ``earlier``; ``history`` those of the releases before,
    for series that publish everything again. ``qid``, ``sensitive``, ``person`` and ``trees`` are those of ``earlier`` if not
    given; before the first release somebody says them. Columns that come new with the batch are named by requirements.
    """

    batch: Table
    earlier: Series | None
    models: Sequence[Requirement]
    history: Sequence[Table] = ()
    target: str | None = None
    qid: Names = ()
    sensitive: str | None = None
    trees: Mapping[str, Tree] = field(default_factory=dict)
    person: str | None = None

    def __post_init__(self) -> None:
        """Take from the series what was not said; a next release about other columns is refused."""
        if self.earlier is None:
            return
        for name in ("qid", "sensitive", "person"):
            said, held = getattr(self, name), getattr(self.earlier, name)
            if said and said != held:
                raise BadRequest("differs from that of the series", parameter=name, value=said, available=held)
            object.__setattr__(self, name, held)
        object.__setattr__(self, "trees", {**self.earlier.trees, **self.trees})

    @property
    def protected(self) -> str:
        """The sensitive column; a task without one is refused."""
        if self.sensitive is None:
            raise BadRequest("say which column is sensitive", parameter="sensitive", available=self.batch.columns)
        return self.sensitive

    def after(self, table: Table) -> Series:
        """Return the series with a table as its next release, or as its first."""
        if self.earlier is not None:
            return replace(self.earlier, releases=(*self.earlier.releases, table), trees=self.trees)
        return Series((table,), self.qid, self.sensitive, self.trees, self.person)
