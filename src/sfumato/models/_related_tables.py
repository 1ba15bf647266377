"""Tables that refer to each other by keys, joined owner by owner without writing the join out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest

__all__ = ["RelatedTables", "Rows"]

Rows: TypeAlias = Sequence[Mapping[str, Hashable]]
Tuple: TypeAlias = tuple[Hashable, ...]


@frozen
class _Key:
    """A foreign key: these columns of the child equal those columns of the parent."""

    parent: str
    own: tuple[str, ...]
    target: tuple[str, ...]


class RelatedTables:
    """A person table and child tables that lead to it by foreign keys, as a tree of tables."""

    def __init__(
        self,
        tables: Mapping[str, Table | Rows],
        person: str,
        owner: str,
        keys: Mapping[str, Mapping[str, str]],
    ) -> None:
        if person not in tables:
            raise BadRequest("is not one of the tables", parameter="person", value=person, available=tables)
        self.person, self.owner = person, owner
        self.columns: dict[str, tuple[str, ...]] = {}
        self.rows: dict[str, list[Tuple]] = {}
        for name, given in tables.items():
            self.columns[name], self.rows[name] = _rows(given)
        self._refuse_bad_owners()
        for name in keys:
            if name not in tables or name == person:
                children = [other for other in tables if other != person]
                raise BadRequest("is not a child table", parameter="keys", value=name, available=children)
        self.keys = {name: self._key(name, keys.get(name)) for name in tables if name != person}
        self._refuse_circles()

    def bags(self, qid: Sequence[str]) -> dict[Hashable, Counter[Tuple]]:
        """Return, for each owner, how often each value on the quasi-identifier occurs in the owner's joined rows."""
        homes = [self._home(name) for name in qid]
        # For each table the counts of what its rows and all below them say, by the key that the parent is asked with.
        below: dict[str, dict[Tuple, Counter[Tuple]]] = {}
        for name in self._children_first():
            key = self.keys[name]
            found = self._tree_values(name, homes, below)
            gathered: dict[Tuple, Counter[Tuple]] = {}
            for link, counts in zip(self._project(name, key.own), found, strict=True):
                gathered.setdefault(link, Counter()).update(counts)
            known = set(self._project(key.parent, key.target))
            lost = sum(link not in known for link in gathered)
            if lost:
                raise BadRequest(
                    f"{lost} foreign key value{'s have' if lost > 1 else ' has'} no row in table {key.parent!r}",
                    parameter="keys",
                    column=f"{name}.{key.own[0]}",
                )
            below[name] = gathered
        owners = (link[0] for link in self._project(self.person, (self.owner,)))
        return dict(zip(owners, self._tree_values(self.person, homes, below), strict=True))

    def _tree_values(
        self, name: str, homes: Sequence[tuple[str, int]], below: Mapping[str, Mapping[Tuple, Counter[Tuple]]]
    ) -> list[Counter[Tuple]]:
        """Return, for each row of a table, the counts of values on QID in the join of the row with all tables below."""
        blank: Tuple = (None,) * len(homes)
        filled = {table: [at for at, (home, _) in enumerate(homes) if home in self._under(table)] for table in below}
        children = [child for child, key in self.keys.items() if key.parent == name]
        links = {child: self._project(name, self.keys[child].target) for child in children}
        out: list[Counter[Tuple]] = []
        for number, row in enumerate(self.rows[name]):
            start = tuple(row[at] if home == name else None for home, at in homes)
            counts = Counter({start: 1})
            for child in children:
                theirs = below[child].get(links[child][number]) or Counter({blank: 1})
                joined: Counter[Tuple] = Counter()
                for mine, times in counts.items():
                    for other, more in theirs.items():
                        joined[_fill(mine, other, filled[child])] += times * more
                counts = joined
            out.append(counts)
        return out

    def _under(self, name: str) -> set[str]:
        found = {name}
        for child, key in self.keys.items():
            if key.parent == name:
                found |= self._under(child)
        return found

    def _children_first(self) -> list[str]:
        return sorted(self.keys, key=self._depth, reverse=True)

    def _depth(self, name: str) -> int:
        return 0 if name == self.person else 1 + self._depth(self.keys[name].parent)

    def _project(self, name: str, columns: Sequence[str]) -> list[Tuple]:
        at = [self.columns[name].index(column) for column in columns]
        return [tuple(row[i] for i in at) for row in self.rows[name]]

    def _home(self, name: str) -> tuple[str, int]:
        """Return the table that holds a column of the quasi-identifier, and the column's place there."""
        holders = [table for table, columns in self.columns.items() if name in columns]
        if len(holders) == 1:
            return holders[0], self.columns[holders[0]].index(name)
        if len(holders) > 1:
            raise BadRequest(
                "is a column of several tables",
                parameter="qid",
                value=name,
                available=[f"{table}.{name}" for table in holders],
            )
        table, _, column = name.partition(".")
        if table in self.columns and column in self.columns[table]:
            return table, self.columns[table].index(column)
        known = [f"{table}.{column}" for table, columns in self.columns.items() for column in columns]
        raise BadRequest("is not a column of the tables", parameter="qid", value=name, available=known)

    def _key(self, name: str, given: Mapping[str, str] | None) -> _Key:
        asked = given if given else {self.owner: f"{self.person}.{self.owner}"}
        parents, targets = [], []
        for own, target in asked.items():
            if own not in self.columns[name]:
                raise BadRequest(
                    f"table {name!r} lacks its foreign key", parameter="keys", value=own, available=self.columns[name]
                )
            parent, _, column = target.partition(".")
            if parent not in self.columns or column not in self.columns[parent]:
                known = [f"{table}.{at}" for table, columns in self.columns.items() for at in columns]
                raise BadRequest("a foreign key leads nowhere", parameter="keys", value=target, available=known)
            parents.append(parent)
            targets.append(column)
        if len(set(parents)) > 1:
            raise BadRequest(f"table {name!r} must refer to one table", parameter="keys", value=parents)
        links = self._project(parents[0], targets)
        if len(set(links)) != len(links):
            raise BadRequest(
                f"table {name!r} refers to columns that are not a key: they repeat",
                parameter="keys",
                value=[f"{parents[0]}.{column}" for column in targets],
            )
        return _Key(parents[0], tuple(asked), tuple(targets))

    def _refuse_bad_owners(self) -> None:
        if self.owner not in self.columns[self.person]:
            raise BadRequest(
                "the person table lacks the owner column",
                parameter="owner",
                value=self.owner,
                available=self.columns[self.person],
            )
        owners = [link[0] for link in self._project(self.person, (self.owner,))]
        lacking = sum(owner is None for owner in owners)
        if lacking:
            raise BadRequest(f"{lacking} rows of the person table have no owner", column=self.owner)
        repeated = len(owners) - len(set(owners))
        if repeated:
            raise BadRequest(f"the person table repeats an owner, in {repeated} rows", column=self.owner)

    def _refuse_circles(self) -> None:
        for name in self.keys:
            seen = [name]
            while seen[-1] != self.person:
                parent = self.keys[seen[-1]].parent
                if parent in seen:
                    raise BadRequest("tables refer to each other in a circle", parameter="keys", value=[*seen, parent])
                seen.append(parent)


def _fill(mine: Tuple, other: Tuple, places: Sequence[int]) -> Tuple:
    out = list(mine)
    for at in places:
        out[at] = other[at]
    return tuple(out)


def _rows(given: Table | Rows) -> tuple[tuple[str, ...], list[Tuple]]:
    if isinstance(given, Table):
        return given.columns, given.to_rows()
    names = tuple(dict.fromkeys(name for row in given for name in row))
    return names, [tuple(row.get(name) for name in names) for row in given]
