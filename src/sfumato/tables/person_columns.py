"""Columns of persons beside their baskets or paths: read once for each person, and masked as a table is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.contracts.algorithm import Outcome, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.recodings import CellGeneralization
from sfumato.searches.box_space import BoxSpace
from sfumato.tables.person_classes import PersonClasses
from sfumato.tables.policy import ColumnPolicy, Policy
from sfumato.tables.prepare import Prepared
from sfumato.tables.shape import TableShape

__all__ = ["PersonColumns", "once_for_each"]


@frozen(eq=False)
class PersonColumns:
    """What is known of persons beside their items or points, one row for each in order, and how it may be masked."""

    table: Table
    asked: Mapping[str, ColumnPolicy]
    seed: int = 0

    def masked(self, algorithm: Mapping[str, object], persons: int, run: Run) -> Release:
        """Return the columns masked by an algorithm of tables: at least so many persons share all of them; rows keep order."""
        prepared, task = self._prepared(algorithm, persons, run)
        outcome = prepared.policy.search().run(task, run)
        if outcome.built is not None or prepared.dropped:
            raise Unsupported(
                "columns of persons are made more general here, and nobody is left out for a missing value",
                thing=str(algorithm["id"]),
                alternatives=["mondrian", "tdr", "optimal"],
            )
        return TableShape().release(prepared, outcome, task, self.seed, self.table, run)

    def classes(self, members: list[Ints], algorithm: Mapping[str, object], persons: int, run: Run) -> PersonClasses:
        """Return classes of persons in the space of their columns, where they can be merged."""
        _, task = self._prepared(algorithm, persons, run)
        space = BoxSpace(task.attributes, task.table.dictionaries)
        codes = self.table.as_rows().codes(task.qids, task.table.dictionaries)
        return PersonClasses(space, space.points(codes), members)

    def merged(
        self, classes: PersonClasses, masked: Release, algorithm: Mapping[str, object], persons: int, run: Run
    ) -> Release:
        """Return the columns as they were masked, but for classes that became one, which show the smallest box around them."""
        prepared, task = self._prepared(algorithm, persons, run)
        scales = classes.space.scales()
        names = [*scales.get("trees", {}), *scales.get("ranges", {}), *scales.get("orders", {})]
        shown = classes.shown(masked.table)
        rows = list(zip(*(shown[name] for name in names), strict=True))
        operation = CellGeneralization.from_rows(self.table.select(names).to_rows(), rows, **scales)
        outcome = Outcome(operation=operation, warnings=masked.warnings)
        return TableShape().release(prepared, outcome, task, self.seed, self.table, run)

    def _prepared(self, algorithm: Mapping[str, object], persons: int, run: Run) -> tuple[Prepared, Task]:
        policy = Policy.of(
            {
                "columns": {name: self.asked[name] for name in self.table.columns},
                "requirements": [{"id": "k-anonymity", "k": persons}],
                "algorithm": dict(algorithm),
                "metrics": ["loss"],
                "output": {"row_order": "keep"},
                "seed": self.seed,
            }
        )
        prepared = TableShape().prepare(self.table, policy, run)
        return prepared, TableShape().task(prepared, None)


def once_for_each(table: Table, person: str, columns: Sequence[str]) -> Table:
    """Return the columns with one row for each person, in the order of persons; refuse one that changes from row to row."""
    for name in columns:
        if name not in table.types:
            raise BadRequest("is not a column", parameter="columns", value=name, available=table.columns)
        more = table.distinct([person, name]) - table.distinct([person])
        if more:
            raise BadRequest(
                f"must say the same in all rows of a person, and {more:,} times it does not",
                parameter="columns",
                value=name,
            )
    rows = table.as_rows()
    _, first = np.unique(rows.codes([person])[:, 0], return_index=True)
    return rows.take(first).select(columns)
