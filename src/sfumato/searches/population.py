"""A table inside the population it was taken from: both as rows of one space, with who is inside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.model import GroupModel, at_least, at_most
from sfumato.data.compressed import CompressedTable, Dictionary, Weighed
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Infeasible
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.models.delta_presence import DeltaPresence
from sfumato.searches.box_space import BoxSpace, rows_of_codes
from sfumato.searches.part_requirements import CountedRows

__all__ = [
    "PeopleCheck",
    "Population",
    "PresenceCheck",
    "held_inside",
    "over_population",
    "population_of",
    "with_population",
]


@frozen(eq=False)
class Population:
    """The rows of a task's table, then those of everybody else, with the codes of the population's values.

    ``inside`` tells which rows belong to the table. Columns that only the table has are empty (code 0) for everybody else.
    """

    space: BoxSpace
    codes: Codes
    counted: CountedRows
    inside: Bools

    @classmethod
    def of(cls, task: Task, external: Table) -> Population:
        """Join a table with its population; refuse a population that does not hold the whole table."""
        everybody, codes, counts = held_inside(task, external)
        table = task.table
        left = everybody.weights - counts
        others = np.flatnonzero(left)
        inside = np.repeat([True, False], [len(table), len(others)])
        space = BoxSpace([over_population(one, everybody) for one in task.attributes], everybody.dictionaries)
        columns = {name: np.zeros(len(inside), np.int32) for name in table.extra}
        for at, column in enumerate(columns.values()):
            column[: len(table)] = table.extra_codes[:, at]
        counted = CountedRows(
            np.concatenate([table.weights, left[others]]),
            columns,
            {name: table.dictionaries[name] for name in table.extra},
            table.records,
        )
        return cls(space, np.concatenate([codes, everybody.codes[others]]), counted, inside)


def with_population(task: Task) -> Task:
    """Return a task whose table counts people of its population beside the records, if a requirement asks for them.

    Rows of people who are not in the table follow those of the table, with weight 0. Where everybody's group must have a least
    share of published records, none may be left out.
    """
    asking = [model for model in task.models if model.counts_people]
    if not asking or task.table.people is not None:
        return task
    if task.weighed is not None and task.weighed.people:
        return replace(task, table=replace(task.table, people=task.weighed.table.weights))
    everybody, codes, counts = held_inside(task, population_of(task, asking[0].id))
    table, left = task.table, everybody.weights - counts
    others = np.flatnonzero(left)
    known = dict(table.dictionaries)
    for at, name in enumerate(table.columns):
        values = everybody.dictionaries[name].values
        held = np.bincount(codes[:, at], weights=table.weights, minlength=len(values)).astype(np.int64)
        known[name] = Dictionary(name, values, held)
    joined = replace(
        table,
        codes=np.concatenate([codes, everybody.codes[others]]),
        weights=np.concatenate([table.weights, np.zeros(len(others), np.int64)]),
        people=np.concatenate([table.weights, left[others]]),
        dictionaries=known,
        extra_codes=np.concatenate([table.extra_codes, np.zeros((len(others), table.extra_codes.shape[1]), np.int32)])
        if table.extra
        else table.extra_codes,
    )
    weighed = task.weighed
    if weighed is not None:
        sums = np.concatenate([weighed.table.weights, np.zeros(len(others), weighed.table.weights.dtype)])
        weighed = Weighed.of(joined, sums, weighed.lightest, weighed.heaviest)
    asked = [model.in_search() for model in asking]
    stays = any(model is not None and model.judges_absent for model in asked)
    attributes = [_ranging(over_population(one, everybody), everybody) for one in task.attributes]
    return replace(
        task,
        table=joined,
        attributes=attributes,
        suppress_at_most=0.0 if stays else task.suppress_at_most,
        weighed=weighed,
    )


def _ranging(attribute: Attribute, everybody: CompressedTable) -> Attribute:
    """Return an attribute whose range, if it has one, holds the numbers of the population."""
    values = everybody.dictionaries[attribute.name].values
    if attribute.range is None or attribute.tree is not None or not values:
        return attribute
    numbers = [float(value) for value in values]  # type: ignore[arg-type]
    low, high = attribute.range
    return replace(attribute, range=(min(low, *numbers), max(high, *numbers)))


def population_of(task: Task, thing: str) -> Table:
    """Return the population of a task; refuse if there is none."""
    if task.external is None:
        raise BadRequest(
            f"{thing} needs a table of the population: population: FILE in the policy, or --external FILE",
            parameter="external",
        )
    return task.external


def held_inside(task: Task, external: Table) -> tuple[CompressedTable, Codes, Ints]:
    """Return a population, the codes that a table's rows have in it, and how many records of the table each of its rows is.

    A population that lacks a quasi-identifier, or does not hold the whole table, is refused.
    """
    names = list(task.qids)
    lacking = [name for name in names if name not in external.types]
    if lacking:
        raise BadRequest(
            "the external table lacks a quasi-identifier",
            parameter="external",
            column=lacking[0],
            available=external.columns,
        )
    everybody = external.compress(names)
    table = task.table
    codes = _among(table, everybody)
    known = (codes >= 0).all(axis=1)
    rows = np.zeros(len(table), np.int64)
    if len(everybody):
        rows = rows_of_codes(everybody, np.maximum(codes, 0))
        known &= (everybody.codes[rows] == codes).all(axis=1)
    counts = np.bincount(rows[known], weights=table.weights[known], minlength=len(everybody)).astype(np.int64)
    strange = int(table.weights[~known].sum()) + int(np.maximum(counts - everybody.weights, 0).sum())
    if strange:
        raise BadRequest(
            f"{strange:,} records of the table are not in the external table, which must hold everybody who may be in it",
            parameter="external",
        )
    return everybody, codes, counts


def _among(table: CompressedTable, everybody: CompressedTable) -> Codes:
    """Return the codes that the rows of a table have among the values of the population; -1 for values it lacks."""
    out = np.empty(table.codes.shape, np.int32)
    for at, name in enumerate(table.columns):
        place = {to_text(value): code for code, value in enumerate(everybody.dictionaries[name].values)}
        own = [place.get(to_text(value), -1) for value in table.dictionaries[name].values]
        out[:, at] = np.array(own, np.int32)[table.codes[:, at]]
    return out


def over_population(attribute: Attribute, everybody: CompressedTable) -> Attribute:
    """Return an attribute whose tree holds the values of the population."""
    if attribute.builder is None:
        return attribute
    tree = attribute.builder.build(everybody.dictionaries[attribute.name].values, column=attribute.name)
    return replace(attribute, tree=tree)


@frozen(eq=False)
class PeopleCheck:
    """A model that counts people of a population beside the records, asked about parts of the population."""

    model: GroupModel
    inside: Bools

    def holds(self, counted: CountedRows, rows: Ints, part: Ints, parts: int) -> Bools:
        """Tell for each part whether the model holds; a part that holds no record is published only where it counts."""
        stats = self._stats(counted, rows, part, parts)
        asked = np.flatnonzero(stats.sizes > 0) if not self.model.judges_absent else np.arange(parts)
        out = np.ones(parts, bool)
        out[asked] = self.model.bound().holds(self.model.measure(stats.taken(asked)))
        return out

    def refuse_hopeless(self, counted: CountedRows) -> None:
        """Refuse a table that fails as one single group."""
        rows = np.arange(len(counted.weights))
        verdict = self.model.check(self._stats(counted, rows, np.zeros(len(rows), np.int64), 1))
        if not verdict.satisfied:
            raise Infeasible(
                f"the whole table as one group fails {self.model.id}: measured {verdict.strongest}, needed {verdict.bound}",
                measured=verdict.strongest,
                bound=verdict.bound,
                requirement=self.model.id,
            )

    def _stats(self, counted: CountedRows, rows: Ints, part: Ints, parts: int) -> GroupStats:
        weights = counted.weights[rows]
        people, sizes = (
            np.bincount(part, weights=one, minlength=parts).astype(np.int64)
            for one in (weights, weights * self.inside[rows])
        )
        return GroupStats(("part",), (range(parts),), sizes, table_records=counted.records, people=people)


@frozen(eq=False)
class PresenceCheck:
    """δ-presence, asked about parts of the population: the share of the table in each must lie within the bounds."""

    model: DeltaPresence
    inside: Bools

    def shares(self, counted: CountedRows, rows: Ints, part: Ints, parts: int) -> Floats:
        """Return the share of the table in each part."""
        weights = counted.weights[rows]
        held = np.bincount(part, weights=weights * self.inside[rows], minlength=parts)
        return np.asarray(held / np.bincount(part, weights=weights, minlength=parts))

    def holds(self, counted: CountedRows, rows: Ints, part: Ints, parts: int) -> Bools:
        """Tell for each part whether presence in it is uncertain enough."""
        share = self.shares(counted, rows, part, parts)
        low, high = at_least(float(self.model.delta_min)), at_most(float(self.model.delta_max))
        return low.holds(share) & high.holds(share)

    def refuse_hopeless(self, counted: CountedRows) -> None:
        """Refuse if even the fully masked table tells too much: its share lies outside the bounds."""
        rows = np.arange(len(counted.weights))
        nowhere = np.zeros(len(rows), np.int64)
        if not self.holds(counted, rows, nowhere, 1)[0]:
            share = float(self.shares(counted, rows, nowhere, 1)[0])
            raise Infeasible(
                f"{share:.4f} of the external table is in the private one, even with everything masked",
                measured=share,
                bound=f"{self.model.delta_min:g} to {self.model.delta_max:g}",
                requirement=self.model.id,
            )
