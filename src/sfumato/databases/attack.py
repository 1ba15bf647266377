"""Attacks on databases: what an adversary has who reads all tables, and what she knows of a person."""

from __future__ import annotations

from abc import abstractmethod

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, Seen
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.databases.database import Database
from sfumato.errors import BadRequest

__all__ = ["DatabaseAttack", "DatabaseKnowledge", "DatabaseSeen"]


@frozen(eq=False, kw_only=True)
class DatabaseSeen(Seen):
    """How an adversary reads a database: all its tables; as one table she has that of persons."""

    database: Database


@frozen(kw_only=True, eq=False)
class DatabaseKnowledge(Knowledge):
    """What an adversary of a database may know: all quasi-identifiers of a person."""


class DatabaseAttack(Attack[DatabaseKnowledge]):
    """An attack on several tables."""

    @abstractmethod
    def on(self, database: Database, knowledge: DatabaseKnowledge, run: Run) -> Risk:
        """Return the risk that the tables leave to the persons in them."""

    def run(self, seen: Seen, knowledge: DatabaseKnowledge, run: Run) -> Risk:
        """Try it on the tables that are seen; a single table is refused."""
        if not isinstance(seen, DatabaseSeen):
            raise BadRequest(
                f"{self.id} reads several tables: give a release of the shape database", parameter="release"
            )
        return self.on(seen.database, knowledge, run)
