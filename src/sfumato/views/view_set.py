"""A view set: the queries that recipients know, and what each of them was answered."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from sfumato.contracts.engine import Table
from sfumato.contracts.published import Published
from sfumato.data.frozen import frozen
from sfumato.data.region import ANYTHING, Region
from sfumato.data.schema import ColumnType
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.views.cells import Box, Cell, RecordSets, boxes_of, joined
from sfumato.views.version import Version
from sfumato.views.view import View

__all__ = ["ViewSet"]


@frozen(eq=False, repr=False)
class ViewSet:
    """Selections and projections of one table, and their answers: all that colluding recipients have.

    Every check reads an answer as the *set* of its rows; only the join of bags (``view-join-attack``) counts how often a row is
    there. A *possible world* is any table that gives these answers. ``domains`` lists all values that a column can have, where
    everybody knows them; ``gaps`` are columns in which a value may be missing. ``source`` is the table behind it, which the
    holder alone has. ``versions`` are answers in which a column was perturbed for recipients of some trust.

    Examples
    --------
    >>> table = {"Name": ["Ann", "Bob"], "Job": ["Cook", "Nurse"], "Age": [40, 50], "Disease": ["Flu", "HIV"]}
    >>> views = ViewSet.of(table, [View.of("V1", ["Name"], "Age > 45"), View.of("V2", ["Disease"], "Age < 55")])
    >>> len(views), views.facts("V1"), views.facts("V2")
    (2, (('Bob',),), (('Flu',), ('HIV',)))
    >>> [cell.words() for cell in views.witnesses("V1", ("Bob",))][0]
    {'Age': '45<Age<55', 'Name': 'Bob', 'Disease': 'Flu'}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.2.
    """

    views: tuple[View, ...]
    answers: tuple[Table, ...]
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    domains: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)
    gaps: frozenset[str] = frozenset()
    source: Table | None = None
    versions: tuple[Version, ...] = ()

    @classmethod
    def of(
        cls,
        table: object,
        views: Sequence[View],
        *,
        answers: Sequence[object] | None = None,
        domains: Mapping[str, Sequence[Hashable]] | None = None,
    ) -> ViewSet:
        """Ask a table; answers that were given before are compared with what it says, and refused where they differ."""
        source = table if isinstance(table, Table) else read(table)
        typed = tuple(view.typed(source.types) for view in views)
        found = tuple(view.answer(source) for view in typed)
        gaps = frozenset(name for name, count in source.missing().items() if count)
        listed = {name: tuple(values) for name, values in (domains or {}).items()}
        made = cls(typed, found, source.types, listed, gaps, source)
        if answers is not None:
            given = tuple(one if isinstance(one, Table) else read(one) for one in answers)
            replace(made, answers=given).refuse_untrue(source)
        return made

    @classmethod
    def of_answers(
        cls,
        answers: Mapping[str, object],
        views: Sequence[View] | None = None,
        *,
        domains: Mapping[str, Sequence[Hashable]] | None = None,
        types: Mapping[str, ColumnType] | None = None,
        versions: Sequence[Version] = (),
    ) -> ViewSet:
        """Return answers as recipients have them; without queries each shows its columns of every row."""
        tables = {name: one if isinstance(one, Table) else read(one) for name, one in answers.items()}
        known: dict[str, ColumnType] = dict(types or {})
        for table in tables.values():
            known.update(table.types)
        if views is None:
            views = [View(name, table.columns) for name, table in tables.items()]
        asked = [view.name for view in views]
        if asked != list(tables):
            raise BadRequest("must be the views that were answered", parameter="views", value=asked, available=tables)
        for view in views:
            if view.columns != tables[view.name].columns:
                raise BadRequest(
                    "the answer must have the columns of its view",
                    parameter=f"views.{view.name}",
                    value=tables[view.name].columns,
                    available=view.columns,
                )
        made = tuple(
            replace(
                view, where=tuple(one.typed(known[one.column]) if one.column in known else one for one in view.where)
            )
            for view in views
        )
        gaps = frozenset(name for table in tables.values() for name, count in table.missing().items() if count)
        listed = {name: tuple(values) for name, values in (domains or {}).items()}
        return cls(made, tuple(tables.values()), known, listed, gaps, versions=tuple(versions))

    def __post_init__(self) -> None:
        """Refuse two views of one name."""
        names = [view.name for view in self.views]
        if len(set(names)) < len(names):
            raise BadRequest("names a view twice", parameter="views", value=names)

    def __len__(self) -> int:
        return len(self.views)

    def __repr__(self) -> str:  # answers may be of persons
        return f"ViewSet({'; '.join(map(str, self.views))})"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that any view looks at."""
        return tuple(dict.fromkeys(name for view in self.views for name in view.reads))

    @property
    def projections(self) -> bool:
        """Whether every view shows columns of all rows."""
        return not any(view.where for view in self.views)

    def place(self, name: str) -> int:
        """Return the number of a view; refuse one that is not there."""
        names = [view.name for view in self.views]
        if name not in names:
            raise BadRequest("is not a view", parameter="views", value=name, available=names)
        return names.index(name)

    def facts(self, name: str) -> tuple[tuple[Hashable, ...], ...]:
        """Return the answer of a view as a set: its distinct rows, in the order of their values."""
        at = self.place(name)
        return tuple(zip(*self.answers[at].counts(self.views[at].columns).keys, strict=True))

    def with_view(self, view: View) -> ViewSet:
        """Return the set with one view more; the table behind it must be at hand."""
        if self.source is None:
            raise BadRequest("only whoever has the table can answer another view", parameter="views")
        return ViewSet.of(self.source, [*self.views, view], domains=self.domains)

    def refuse_untrue(self, table: Table) -> None:
        """Refuse answers that are not those of a table, as sets."""
        for view, answer in zip(self.views, self.answers, strict=True):
            true = view.answer(table)
            same = true.columns == answer.columns and set(zip(*true.counts(view.columns).keys, strict=True)) == set(
                zip(*answer.counts(view.columns).keys, strict=True)
            )
            if not same:
                raise BadRequest("the answer is not what the table says", parameter=f"views.{view.name}")

    def without_idle_conditions(self) -> ViewSet:
        """Return the views without conditions that every row of the table meets, where it is at hand.

        A world in which somebody fails ``bmi >= 0`` is possible by the letter, and believed by nobody.
        """
        if self.source is None:
            return self
        rows = self.source.rows
        asked = zip(self.views, self.answers, strict=True)
        return replace(
            self, views=tuple(replace(view, where=()) if answer.rows == rows else view for view, answer in asked)
        )

    # ---- the record space --------------------------------------------------------------------------------------------

    def whole(self, column: str) -> Region:
        """Return all that a column may hold, whether a view looks at it or not."""
        gap = [None] if column in self.gaps else []
        if column in self.domains:
            return Region.of([*self.domains[column], *gap])
        if self.types.get(column) is ColumnType.BOOLEAN:
            return Region.of([False, True, *gap])
        return Region(missing=True) if gap else ANYTHING

    @cached_property
    def wholes(self) -> Mapping[str, Region]:
        """All that columns may hold which views look at, where that is less than anything."""
        every = {name: self.whole(name) for name in self.columns}
        return {name: region for name, region in every.items() if region is not ANYTHING}

    @cached_property
    def record_sets(self) -> tuple[RecordSets, ...]:
        """How each view cuts the record space."""
        return tuple(
            RecordSets(view.name, view.columns, self.facts(view.name), view.regions(self.types), self.wholes)
            for view in self.views
        )

    @cached_property
    def boxes(self) -> Sequence[tuple[tuple[int, ...], Box]]:
        """Every box that records can lie in, with the number of the fact of each view."""
        return boxes_of(self.record_sets)

    def cells(self, names: Sequence[str] | None = None, *, empty: bool = False) -> list[Cell]:
        """Return the cells of all views, or of some of them in the order named; with the empty ones if asked for.

        This is the matrix of Figure 8.2 of the book.
        """
        if names is None:
            return joined(self.record_sets, self.boxes, empty=empty)
        chosen = [self.record_sets[self.place(name)] for name in names]
        return joined(chosen, boxes_of(chosen), empty=empty)

    def witnesses(self, name: str, fact: Sequence[Hashable]) -> list[Cell]:
        """Return the cells in which a record can lie that a view shows as this fact."""
        at, facts = self.place(name), self.facts(name)
        if tuple(fact) not in facts:
            raise BadRequest("is not a row of the view", parameter=name, values=[tuple(fact)])
        number = facts.index(tuple(fact))
        return joined(self.record_sets, [box for box in self.boxes if box[0][at] == number], empty=False)

    def published(self) -> Published:
        """Return the answers as one thing that can be attacked and judged."""
        from sfumato.views.releases.view_set import ViewSetRelease  # which holds a view set

        form = ViewSetRelease.of(self)
        return Published(form=form, tables=dict(zip(form.part_names(), self.answers, strict=True)))
