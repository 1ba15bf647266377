"""Tables as a shape of data: rows about persons, with named and typed columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, cast

from sfumato.contracts.adversary import Adversaries, CellReader
from sfumato.contracts.advice import Advice
from sfumato.contracts.algorithm import Outcome, Task
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import AT_ONCE, Table
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.knowledge import Knowledge, Seen, TableKnowledge, Told
from sfumato.contracts.model import Requirement, SizesModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.advice import advised
from sfumato.tables.build import built_release, recoded_release
from sfumato.tables.cell_readers import cell_readers
from sfumato.tables.evidence import evidence, original
from sfumato.tables.open import open_table
from sfumato.tables.plain_columns import refuse_identifying, warnings_of_copies
from sfumato.tables.policy import Policy
from sfumato.tables.population import population
from sfumato.tables.prepare import Prepared, check_roles, prepare
from sfumato.tables.sample import repaired, sampled
from sfumato.tables.seen import adversaries, open_seen
from sfumato.tables.size import refuse_size, within_limits

__all__ = ["TableShape"]


class TableShape(Shape[Table, Prepared, Task, TableKnowledge]):
    """Rows about persons, with named and typed columns.

    Examples
    --------
    >>> from sfumato.catalogue import shape_of
    >>> shape_of("table").policy.__name__
    'Policy'
    """

    id: ClassVar[str] = "table"
    policy: ClassVar[type[Asked]] = Policy
    knowledge: ClassVar[type[Knowledge]] = TableKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Table:
        """Return the table of a path, a frame or a database table."""
        return open_table(source, None if asked is None else _policy(asked), run=run)

    def prepare(self, data: Table, asked: Asked, run: Run) -> Prepared:
        """Settle roles, missing values and hierarchies; refuse requirements that the algorithm cannot work with."""
        policy = _policy(asked)
        run.stage("preparing", len(policy.of_role(Role.QUASI_IDENTIFIER)))
        prepared = prepare(data, policy, run)
        _refuse_unfit(prepared)
        refuse_size(prepared)
        prepared = within_limits(prepared)
        if policy.search().traits.release != RecodedTable.id:
            return prepared  # what other kinds publish of plain columns is known when they are built
        identifying = refuse_identifying(prepared.table, policy, prepared.table.columns, prepared.copies)
        as_they_are = [name for name in prepared.table.columns if name not in policy.aggregates()]
        told = warnings_of_copies(prepared.table, policy, as_they_are)
        if any(model.id == "k-anonymity" and model.least_size() == 1 for model in prepared.models):
            told.append(say("warning.k_one"))
        return replace(prepared, warnings=(*prepared.warnings, *identifying, *told))

    def task(self, prepared: Prepared, external: Table | None) -> Task:
        """Compress the table; a population is read as the table is, from beside it or from where the policy says."""
        seen = prepared if prepared.policy.search_on is None else sampled(prepared)
        return seen.task(population(prepared, external))

    def release(self, prepared: Prepared, outcome: Outcome, task: Task, seed: int, source: object, run: Run) -> Release:
        """Recode the table as the search says, or take what it built; certify either."""
        if prepared.policy.search_on is not None:
            whole = prepared.table.select([n for n in prepared.table.columns if n not in prepared.policy.pseudonyms()])
            return recoded_release(prepared, repaired(prepared, outcome, task), replace(task, raw=whole), source, run)
        if outcome.built is not None:
            del task  # what was searched is not what is judged
            return built_release(prepared, outcome, outcome.built, seed)
        made = recoded_release(prepared, outcome, task, source, run)
        if prepared.start:
            return made  # what would be tried next looks at levels that were not counted
        if prepared.table.rows <= AT_ONCE:
            advising = partial(advised, prepared, outcome, task, made, run)
        else:  # the distinct rows of a large table take room, and are counted again if anybody asks
            advising = partial(self._advised, prepared, outcome, task.external, made, run)
        return replace(made, private=replace(made.private, advising=advising))

    def _advised(
        self, prepared: Prepared, outcome: Outcome, external: Table | None, release: Release, run: Run
    ) -> Advice:
        return advised(prepared, outcome, prepared.task(external), release, run)

    def judge(self, data: Table, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge a table by the groups of its quasi-identifiers."""
        policy = _policy(asked)
        check_roles(data, policy, released=True)
        view = Publication(table=data, qids=policy.of_role(Role.QUASI_IDENTIFIER))
        return [model.judge(view, worst=worst) for model in models]

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, TableKnowledge]:
        """Return what labels stand for, and the tables beside it, opened."""
        return open_seen(published, cast("Told", told), learns=learns)

    def cell_readers(
        self, published: Published, told: Mapping[str, object], run: Run
    ) -> Sequence[CellReader[Knowledge]]:
        """Return who reads columns whose cells have a shape of their own."""
        return tuple(cell_readers(published, told, run))

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[TableKnowledge]:
        """Return who knows all quasi-identifiers, who has an external table, and who knows less."""
        return adversaries(published, cast("Told", told))

    def original(self, published: Published, source: object, run: Run) -> Table:
        """Open the table before masking, without identifiers; refuse one with another number of records."""
        return original(published, source, run)

    def evidence(self, published: Published, raw: Table, *, thorough: bool, run: Run) -> Evidence:
        """Return distributions, answers to questions and, if thorough, predictions, before and after masking."""
        return evidence(published, raw, thorough=thorough, run=run)


def _policy(asked: Asked) -> Policy:
    assert isinstance(asked, Policy), "a table is asked for by a policy for tables"
    return asked


def _refuse_unfit(prepared: Prepared) -> None:
    """Refuse requirements whose traits the algorithm cannot work with, before any work."""
    algorithm = prepared.policy.search()
    if algorithm.procedures and not prepared.policy.procedures():
        raise Unsupported(
            f"{algorithm.id} publishes the output of a procedure and needs a requirement on it, such as "
            f"{{id: {algorithm.procedures[0]}}}",
            thing=algorithm.id,
        )
    bounded = [name for name, entry in prepared.policy.columns.items() if entry.levels is not None]
    known = prepared.policy.of_role(Role.QUASI_IDENTIFIER)
    for name in bounded:
        if name not in known:
            raise BadRequest("are for quasi-identifiers", column=name, parameter="levels", available=known)
        if not algorithm.bounds_levels:
            raise Unsupported(
                f"{algorithm.id} does not choose levels within bounds, which are given for {name}",
                thing=algorithm.id,
                alternatives=["optimal"],
            )
    for model in prepared.models:
        for need in algorithm.traits.model_needs:
            if not getattr(model.traits, need):
                raise Unsupported(
                    f"{algorithm.id} needs requirements that are {need.replace('_', ' ')}",
                    thing=model.id,
                    alternatives=["optimal"] if model.in_search() is not None or isinstance(model, SizesModel) else [],
                )
