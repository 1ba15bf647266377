"""k-anonymity of a view set, recounted: the values that every witness of some written row leaves to a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.recounts import Groups, Key, Level
from sfumato.views.recounts._query import Query
from sfumato.views.recounts._region import Region, Test, Value, read

__all__ = ["level"]

State = Mapping[str, Region]
"""What is left to each column of a record."""


def level(groups: Groups, *, k: int, identifier: str, sensitive: str) -> Level:
    """Judge the smallest cover of everybody: of each row, if all places where its record can lie name the same person."""
    views, begun = _views(groups, identifier, sensitive)
    best: dict[Value, int] = {}
    for view in views:
        others = [one for one in views if one is not view]
        # Who a row names decides nothing else where no other view looks at names: rows that are alike but for it share a cover.
        apart = identifier in view.columns and not any(identifier in one.reads for one in others)
        kept: dict[Key, int | None] = {}
        for row in view.rows:
            named = row[view.columns.index(identifier)] if apart else None
            key = tuple(text for name, text in zip(view.columns, row, strict=True) if not apart or name != identifier)
            owner: Value = read(named, begun[identifier].kind)
            if key not in kept:
                found = _cover(view.shown(begun, row), others, identifier, sensitive)
                kept[key] = None if found is None else found[1]
                owner = None if found is None else found[0]
            size = kept[key]
            if size is not None:
                best[owner] = min(size, best.get(owner, size))
    broken = sum(size < k for size in best.values())
    return Level(min(best.values(), default=None), broken, not broken)


@dataclass(frozen=True, eq=False)
class _View:
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


def _cover(state: State | None, others: Sequence[_View], identifier: str, sensitive: str) -> tuple[Value, int] | None:
    """Return whom all witnesses of a row are about, and how many values they leave; nothing if there is no end of either."""
    owner: Value = None
    values: set[Value] = set()
    for witness in _witnesses(state, others):
        named, inside = witness[identifier].listed(), witness[sensitive].listed()
        if named is None or len(named) != 1 or inside is None or (owner is not None and named != {owner}):
            return None
        (owner,) = named
        values |= inside
    return None if owner is None else (owner, len(values))


def _witnesses(state: State | None, others: Sequence[_View]) -> Iterator[State]:
    if state is None:
        return
    if not others:
        yield state
        return
    for further in others[0].places(state):
        yield from _witnesses(further, others[1:])


def _views(groups: Groups, identifier: str, sensitive: str) -> tuple[list[_View], State]:
    """Return the views, and what is known of a column before any view is looked at: its type, and whether it has gaps."""
    queries = [Query.read(str(key[1])) for key in groups]
    types = {str(name): str(kind) for key in groups for name, kind in zip(key[2::2], key[3::2], strict=True)}
    gaps = {
        name
        for query, rows in zip(queries, groups.values(), strict=True)
        for at, name in enumerate(query.columns)
        if any(row[at] is None for row in rows)
    }
    every = {identifier, sensitive, *(name for query in queries for name in query.reads)}
    begun = {name: Region(types.get(name, ""), name in gaps) for name in every}
    views = []
    for query, rows in zip(queries, groups.values(), strict=True):
        others = {identifier, sensitive, *(name for one in queries if one is not query for name in one.reads)}
        kept = [at for at, name in enumerate(query.columns) if name in others]
        where = [
            (one.column, Test(one.sign, tuple(read(text, types.get(one.column, "")) for text in one.constants)))
            for one in query.where
        ]
        columns = tuple(query.columns[at] for at in kept)
        views.append(_View(columns, list(dict.fromkeys(tuple(row[at] for at in kept) for row in rows)), where))
    return views, begun
