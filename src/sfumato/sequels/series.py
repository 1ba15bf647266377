"""A series: releases about the same people, oldest first, as whoever kept them all has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Names
from sfumato.contracts.published import Published
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats

__all__ = ["Series"]


@frozen(eq=False)
class Series:
    """Published tables, oldest first, with the columns that an adversary knows and the one that she wants to learn.

    ``trees`` are the hierarchies that the labels of all releases come from. ``person`` is the column that tells which rows are
    of one person: it is there in the holder's copies only, and whoever plays an adversary leaves it out. So are ``batches``,
    the raw records that came with each release. ``parts`` are the tables of releases that are published as several, by name.
    ``kind`` says how releases follow each other, where that is known.
    Releases may have different columns; :meth:`alike` refuses those that must not.

    Examples
    --------
    >>> first = {"Job": ["Artist", "Artist"], "Disease": ["Flu", "HIV"]}
    >>> then = {"Job": ["Dancer", "Dancer", "Writer"], "Disease": ["Flu", "HIV", "Flu"]}
    >>> series = Series.of([first, then], qid=["Job"], sensitive="Disease")
    >>> len(series), series.newest.rows, series.groups(1).as_dict()
    (2, 3, {('Dancer',): 2, ('Writer',): 1})
    """

    releases: tuple[Table, ...]
    qid: Names
    sensitive: str | None = None
    trees: Mapping[str, Tree] = field(default_factory=dict)
    person: str | None = None
    batches: tuple[Table, ...] = ()
    parts: tuple[Mapping[str, Table], ...] = ()
    kind: str | None = None

    @classmethod
    def of(
        cls,
        releases: Sequence[object],
        *,
        qid: Sequence[str],
        sensitive: str | None = None,
        hierarchies: Mapping[str, object] | None = None,
        person: str | None = None,
        batches: Sequence[object] = (),
    ) -> Series:
        """Open whatever holds the releases, frames or files; hierarchies are trees or nested mappings.

        A batch that is ``None`` brought no records.
        """
        tables = tuple(one if isinstance(one, Table) else read(one) for one in releases)
        raw = tuple(
            tables[0].as_rows().take([]) if one is None else one if isinstance(one, Table) else read(one)
            for one in batches
        )
        trees = {
            name: given if isinstance(given, Tree) else Tree.from_nested(given, column=name)
            for name, given in (hierarchies or {}).items()
        }
        return cls(tables, tuple(qid), sensitive, trees, person, raw)

    def __post_init__(self) -> None:
        """Refuse a series without a release, and columns that no release has."""
        if not self.releases:
            raise BadRequest("a series needs at least one release", parameter="releases")
        held = {name for table in self.releases for name in table.types}
        named = [*self.qid, *([self.sensitive] if self.sensitive else []), *([self.person] if self.person else [])]
        for name in named:
            if name not in held:
                raise BadRequest(
                    "is not a column of any release", parameter="series", value=name, available=sorted(held)
                )
        if len(set(named)) < len(named):
            raise BadRequest("names a column twice", parameter="series", value=named)

    def __len__(self) -> int:
        return len(self.releases)

    @property
    def newest(self) -> Table:
        """The last release."""
        return self.releases[-1]

    @property
    def protected(self) -> str:
        """The sensitive column; a series without one is refused."""
        if self.sensitive is None:
            raise BadRequest("say which column is sensitive", parameter="sensitive", available=self.newest.columns)
        return self.sensitive

    def alike(self) -> Series:
        """Return the series; refuse releases that lack a quasi-identifier or the sensitive column."""
        for number, table in enumerate(self.releases, 1):
            lacking = [name for name in (*self.qid, self.protected) if name not in table.types]
            if lacking:
                raise BadRequest(
                    f"release {number} lacks a column that all releases of such a series must have",
                    column=lacking[0],
                    available=table.columns,
                )
        return self

    def with_next(self, table: Table) -> Series:
        """Return the series with one release more."""
        return replace(self, releases=(*self.releases, table))

    def until(self, count: int) -> Series:
        """Return the series as it was when so many releases were out, without columns that came later."""
        out = self.releases[:count]
        held = {name for table in out for name in table.types}
        qid = tuple(name for name in self.qid if name in held)
        return replace(self, releases=out, qid=qid, sensitive=self.sensitive if self.sensitive in held else None)

    def latest(self, count: int) -> Series:
        """Return the last so many releases, or all if there are fewer."""
        return replace(self, releases=self.releases[-count:])

    def groups(self, release: int) -> GroupStats:
        """Return the equivalence classes of a release, the sensitive values counted in each."""
        return self._groups[release]

    @cached_property
    def _groups(self) -> tuple[GroupStats, ...]:
        return tuple(table.groups(self.qid, [self.protected]) for table in self.releases)

    def published(self) -> Published:
        """Return the releases as one thing that can be attacked and judged."""
        from sfumato.sequels.releases.whole_series import WholeSeries  # which holds a series

        form = WholeSeries(series=self)
        return Published(form=form, tables=dict(zip(form.part_names(), self.releases, strict=True)))
