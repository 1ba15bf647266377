"""Records that nobody has seen whole: where they can lie, given the written rows of views and their queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from sfumato.recounts import Groups, Key
from sfumato.views.recounts._query import Query
from sfumato.views.recounts._region import Region, Test, Value, read

__all__ = ["PlainView", "State", "read_views", "witnesses"]

State = Mapping[str, Region]
"""What is left to each column of a record."""


@dataclass(frozen=True, eq=False)
class PlainView:
    """The distinct rows of a view in columns that matter elsewhere, and the tests that its records pass."""

    columns: tuple[str, ...]
    rows: Sequence[Key]
    where: Sequence[tuple[str, Test]]
    _found: dict[tuple[str, ...], dict[tuple[Value, ...], list[Key]]] = field(default_factory=dict)

    @property
    def reads(self) -> set[str]:
        return {*self.columns, *(name for name, _ in self.where)}

    def shown(self, state: State, row: Key) -> State | None:
        """Return where a record lies that this view shows as a row; nothing if there is none."""
        own = [
            (name, Test("is", (read(text, state[name].kind),))) for name, text in zip(self.columns, row, strict=True)
        ]
        return _tested(state, [*own, *self.where])

    def places(self, state: State) -> Iterator[State | None]:
        """Yield where a record can lie further: shown as some row, or left out because a comparison fails."""
        lists = {name: state[name].listed() for name in self.columns}
        fixed = {name: next(iter(held)) for name, held in lists.items() if held is not None and len(held) == 1}
        names = tuple(fixed)
        if names not in self._found:
            index = self._found.setdefault(names, {})
            places = [self.columns.index(name) for name in names]
            for row in self.rows:
                key = tuple(read(row[place], state[name].kind) for place, name in zip(places, names, strict=True))
                index.setdefault(key, []).append(row)
        for row in self._found[names].get(tuple(fixed.values()), ()):
            yield self.shown(state, row)
        for name, test in self.where:
            yield _tested(state, [(name, Test(test.sign, test.constants, holds=False))])


def _tested(state: State, tests: Sequence[tuple[str, Test]]) -> State | None:
    """Return what tests leave; nothing if some column has no value any more."""
    found = dict(state)
    for name, test in tests:
        found[name] = found[name].with_test(test)
    return None if any(found[name].listed() == set() for name, _ in tests) else found


def witnesses(state: State | None, others: Sequence[PlainView]) -> Iterator[State]:
    """Yield every place of a record that has some state, in one row of each further view or outside of it."""
    if state is None:
        return
    if not others:
        yield state
        return
    for further in others[0].places(state):
        yield from witnesses(further, others[1:])


def read_views(groups: Groups, asked: AbstractSet[str]) -> tuple[list[PlainView], State]:
    """Return the views, and what is known of a column before any view is looked at: its type, and whether it has gaps.

    Columns that one view alone shows, and nobody ``asked`` for, decide nothing.
    """
    queries = [Query.read(str(key[1])) for key in groups]
    types = {str(name): str(kind) for key in groups for name, kind in zip(key[2::2], key[3::2], strict=True)}
    gaps = {
        name
        for query, rows in zip(queries, groups.values(), strict=True)
        for at, name in enumerate(query.columns)
        if any(row[at] is None for row in rows)
    }
    every = {*asked, *(name for query in queries for name in query.reads)}
    begun = {name: Region(types.get(name, ""), name in gaps) for name in every}
    views = []
    for query, rows in zip(queries, groups.values(), strict=True):
        others = {*asked, *(name for one in queries if one is not query for name in one.reads)}
        kept = [at for at, name in enumerate(query.columns) if name in others]
        where = [
            (one.column, Test(one.sign, tuple(read(text, types.get(one.column, "")) for text in one.constants)))
            for one in query.where
        ]
        columns = tuple(query.columns[at] for at in kept)
        views.append(PlainView(columns, list(dict.fromkeys(tuple(row[at] for at in kept) for row in rows)), where))
    return views, begun
