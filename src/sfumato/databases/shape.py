"""Several tables with keys as a shape of data: the promise is about the persons of one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge, Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.data.tree import Tree
from sfumato.databases.attack import DatabaseKnowledge, DatabaseSeen
from sfumato.databases.database import Database
from sfumato.databases.draft import drafted, profiled, refuse_one_table
from sfumato.databases.pictures import pictures_of
from sfumato.databases.policy import DatabasePolicy
from sfumato.databases.task import DatabaseTask
from sfumato.engines import open_source
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.publishing.certify import certify_outcome

__all__ = ["DatabaseShape", "PreparedDatabase"]


@frozen(eq=False)
class PreparedDatabase:
    """A database whose quasi-identifiers all have a tree."""

    database: Database
    trees: Mapping[tuple[str, str], Tree]
    policy: DatabasePolicy


class DatabaseShape(Shape[Database, PreparedDatabase, DatabaseTask, DatabaseKnowledge]):
    """Several tables: one has a row for each person, the others lead to it by keys.

    Examples
    --------
    >>> import sfumato
    >>> tables = {"people": {"id": [7, 8]}, "visits": {"who": [7, 8], "ward": ["A", "B"]}}
    >>> asked = {"people": {"key": "id"}, "visits": {"references": {"who": "people"}}}
    >>> asked["visits"]["columns"] = {"ward": {"role": "quasi-identifier"}}
    >>> requirements = [{"id": "multir-k-anonymity", "k": 2}]
    >>> policy = {"shape": "database", "person": "people", "tables": asked, "requirements": requirements}
    >>> sorted(sfumato.anonymize(tables, policy).tables["visits"].to_rows())
    [(1, '*'), (2, '*')]
    """

    id: ClassVar[str] = "database"
    policy: ClassVar[type[Asked]] = DatabasePolicy
    knowledge: ClassVar[type[Knowledge]] = DatabaseKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Database:
        """Return the database of a folder, a database file or address, or tables by name."""
        run.stage("reading")
        if isinstance(source, Database):
            return source
        if asked is None:
            raise BadRequest("several tables are opened by a policy that tells their keys", parameter="policy")
        policy = _policy(asked)
        return Database.of(
            {name: _table(source, name, policy, run) for name in policy.tables},
            person=policy.person,
            keys={name: one.key for name, one in policy.tables.items() if one.key is not None},
            references={name: one.references for name, one in policy.tables.items() if one.references},
            known=policy.of_role(Role.QUASI_IDENTIFIER),
        )

    def prepare(self, data: Database, asked: Asked, run: Run) -> PreparedDatabase:
        """Build the trees; refuse what no masking can meet."""
        policy = _policy(asked)
        run.stage("preparing")
        for name, given in policy.tables.items():
            held = data.tables[name]
            for column in given.columns:
                if column == given.key or column in given.references:
                    raise BadRequest(
                        "is a key or a reference: it gets fresh numbers and no role",
                        parameter=f"tables.{name}.columns",
                        value=column,
                    )
                if column not in held.types:
                    raise BadRequest(
                        "is not a column of its table",
                        parameter=f"tables.{name}.columns",
                        value=column,
                        available=held.columns,
                    )
        trees = {}
        for name, columns in data.known.items():
            for column in columns:
                table = data.tables[name]
                if table.missing()[column]:
                    raise BadRequest("has missing values; fill or drop them first", column=f"{name}.{column}")
                dictionary, builder = table.dictionary(column), policy.hierarchy(name, column)
                # A table without rows has no values; its tree needs a leaf all the same, which nothing shows.
                trees[name, column] = (
                    Tree.flat(dictionary.values or (name,), column=column)
                    if builder is None or not table.rows
                    else builder.fitted(dictionary.values, dictionary.counts.tolist()).build(
                        dictionary.values, column=column
                    )
                )
        for model in policy.models():
            reason = model.necessary(data.persons)
            if reason is not None:
                raise Infeasible(reason, measured=data.persons, requirement=model.id)
        return PreparedDatabase(data, trees, policy)

    def task(self, prepared: PreparedDatabase, external: Database | None) -> DatabaseTask:
        """Return the database with what must hold and what may be lost."""
        if external is not None:
            raise Unsupported(
                "persons of a database are compared with each other, not with a population", thing=self.id
            )
        policy = prepared.policy
        roles = {
            name: {column: entry.role for column, entry in table.columns.items()}
            for name, table in policy.tables.items()
        }
        return DatabaseTask(prepared.database, prepared.trees, policy.models(), roles, policy.limits.lose_at_most)

    def release(
        self, prepared: PreparedDatabase, outcome: Outcome, task: DatabaseTask, seed: int, source: object, run: Run
    ) -> Release:
        """Certify the tables."""
        policy = prepared.policy
        return certify_outcome(outcome, policy, policy.search().id, read=task.database.persons)

    def judge(self, data: Database, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge tables as they stand."""
        return [model.judge(data, worst=worst) for model in models]

    def draft(self, source: object, k: int, run: Run) -> str:
        """Propose keys, references, roles and a requirement."""
        return drafted(source, k, run)

    def profile(self, source: object, run: Run) -> Sequence[str]:
        """Say what leads where, and who is alone."""
        return profiled(source, run)

    def pictures(self, published: Published, run: Run) -> Sequence[Picture]:
        """Draw crowds, rows and what is left of columns, from the public tables."""
        seen = published.form.seen(published.tables)
        return pictures_of(seen.database) if isinstance(seen, DatabaseSeen) else ()

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, DatabaseKnowledge]:
        """Return all tables; an adversary knows all quasi-identifiers."""
        return published.form.seen(published.tables), DatabaseKnowledge()

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[DatabaseKnowledge]:
        """Return the one who reads all tables."""
        seen, known = self.see(published, told, learns=False)
        if not isinstance(seen, DatabaseSeen):
            raise BadRequest("is no release of several tables", parameter="release")
        one = Adversary(seen, known)
        return Adversaries([one], [one], [])


def _table(source: object, name: str, policy: DatabasePolicy, run: Run) -> Table:
    """Open one table of a mapping, of a folder (a file called like it), or of a database."""
    types = {column: str(one.type) for column, one in policy.tables[name].columns.items() if one.type is not None}
    # Whoever has no row in a table has an empty bag of them, and that may be everybody; there are always persons.
    given = {**policy.source.model_dump(), "types": types, "may_be_empty": name != policy.person}
    if isinstance(source, Mapping):
        if name not in source:
            raise BadRequest("is not one of the tables", parameter="tables", value=name, available=source)
        held = source[name]
        return held if isinstance(held, Table) else open_source(held, policy.engine, make_options(given), run.memory)
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        found = sorted(path for path in Path(source).iterdir() if path.stem == name and path.is_file())
        if len(found) != 1:
            files = sorted(path.name for path in Path(source).iterdir())
            rule = "has no file in the folder" if not found else "has several files in the folder"
            raise BadRequest(rule, parameter=f"tables.{name}", available=files)
        return open_source(found[0], policy.engine, make_options(given), run.memory)
    if isinstance(source, (str, Path)):
        refuse_one_table(source)
    return open_source(source, policy.engine, make_options({**given, "table": name}), run.memory)


def _policy(asked: Asked) -> DatabasePolicy:
    if not isinstance(asked, DatabasePolicy):
        raise BadRequest("needs a policy of the shape database", parameter="policy")
    return asked
