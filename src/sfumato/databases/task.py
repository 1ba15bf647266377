"""What the algorithms on databases take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from sfumato.contracts.model import Model
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.data.tree import Tree
from sfumato.databases.database import Database

__all__ = ["DatabaseTask"]


@frozen(eq=False)
class DatabaseTask:
    """The database, the tree of each quasi-identifier by table and column, what must hold, and what may be lost.

    ``roles`` are those of the columns of each table; keys and references have none. ``lose_at_most`` is the largest share of
    rows, beside those of persons, that may be left out.
    """

    database: Database
    trees: Mapping[tuple[str, str], Tree]
    models: Sequence[Model[Database]]
    roles: Mapping[str, Mapping[str, Role]] = field(default_factory=dict)
    lose_at_most: float = 1.0
