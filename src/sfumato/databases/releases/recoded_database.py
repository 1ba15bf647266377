"""Recoded tables with keys: one part for each table, rows of persons under fresh numbers that agree in all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.databases.attack import DatabaseSeen
from sfumato.databases.database import Database

__all__ = ["RecodedDatabase"]


class RecodedDatabase(ReleaseKind):
    """Several tables whose rows lead to persons by keys: values are made more general, some rows are left out.

    Keys are fresh numbers in random order, the same for a row wherever something refers to it, so that tables can be joined as
    before and nobody's old key is told.

    Adversary: reads all tables, and knows quasi-identifiers of a person in any of them.

    Examples
    --------
    >>> kind = RecodedDatabase(
    ...     person="people", keys=(("people", "id"),), references=(("visits", "who", "people"),), known=(("visits", "ward"),)
    ... )
    >>> from sfumato.engines import read
    >>> parts = {"people": read({"id": [1, 2]}), "visits": read({"who": [2, 1], "ward": ["A", "A"]})}
    >>> kind.part_names(), kind.database(parts).forms().tolist()
    (('people', 'visits'), [0, 0])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.4.
    """

    id: ClassVar[str] = "recoded-database"
    shape: ClassVar[str] = "database"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=True,
        verifiable=say("verifiable.rows_alone"),
        stops=frozenset({"record"}),
        searched=True,
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.owner_form"), say("noun.owner_forms"))

    person: str = param(doc="the table that has a row for each person")
    keys: tuple[tuple[str, str], ...] = param(doc="tables with the column that others refer to")
    references: tuple[tuple[str, str, str], ...] = param(
        default=(), doc="tables, the column that refers, and the table it leads to"
    )
    known: tuple[tuple[str, str], ...] = param(default=(), doc="tables and their quasi-identifiers, one column each")
    secret: tuple[tuple[str, str], ...] = param(default=(), doc="tables and their sensitive columns")

    def part_names(self) -> tuple[str, ...]:
        return (self.person, *(name for name, _, _ in self.references))

    def roles(self) -> Mapping[str, Role]:
        found = {column: Role.PLAIN for _, column in self.keys} | {
            column: Role.PLAIN for _, column, _ in self.references
        }
        found |= {column: Role.SENSITIVE for _, column in self.secret}
        return found | {column: Role.QUASI_IDENTIFIER for _, column in self.known}

    def database(self, parts: Parts) -> Database:
        """Return the published tables as a database; refuse tables that do not fit together."""
        known: dict[str, list[str]] = {}
        for name, column in self.known:
            known.setdefault(name, []).append(column)
        return Database.of(
            self.tables(parts),
            person=self.person,
            keys=dict(self.keys),
            references={name: {column: parent} for name, column, parent in self.references},
            known=known,
        )

    def verify(
        self, parts: Parts, models: Sequence[Model[Database]], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        database = self.database(parts)
        return [model.judge(database) for model in models]

    def seen(self, parts: Parts) -> Seen:
        tables = self.tables(parts)
        counted = {
            (name, column)
            for name, column in self.keys
            if {str(value) for value in tables[name].dictionary(column).values}
            == {str(at) for at in range(1, tables[name].rows + 1)}
        }
        led = {
            (name, column) for name, column, parent in self.references if (parent, dict(self.keys)[parent]) in counted
        }
        return DatabaseSeen(
            tables[self.person],
            tables,
            roles=self.roles(),
            database=self.database(parts),
            counted_off=frozenset(counted | led),
        )

    def statement(self) -> Statement:
        return Statement(checked=[say("statement.every_anew")], not_checkable=[say("statement.rows_left_out")])

    def operation(self, column: str) -> str:
        return "cell-generalization" if column in {one for _, one in self.known} else "none"
