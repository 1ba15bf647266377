"""What to change next about a recoded table: the same search is tried again with one thing asked otherwise.

Small tables are tried as they are, larger ones by a sample of records on which the release itself is repeated as well. How much
is tried depends on the table alone; if it takes long all the same, or the run has a deadline, what was found so far is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sfumato.contracts.advice import Advice, Change, with_dropped
from sfumato.contracts.algorithm import Attribute, Outcome, Task
from sfumato.contracts.engine import RowTable, Table
from sfumato.contracts.facts import OptimalFacts
from sfumato.contracts.levels import BoundLevel, FinerLevel
from sfumato.contracts.metric import Measured
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree
from sfumato.errors import Cancelled, SfumatoError
from sfumato.hierarchies.taxonomy import Taxonomy
from sfumato.metrics.loss import Loss
from sfumato.policy import LimitPolicy
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.recodings.tree_recoding import TreeRecoding
from sfumato.tables.build import masked_table, outcome_stats
from sfumato.tables.prepare import Prepared
from sfumato.tables.recode import recode_table
from sfumato.tables.statistics import release_stats

__all__ = ["advised"]

_SECONDS = 10.0  # a net below the bounds that follow, which do not depend on the machine
_EXACT = 10_000  # records; of more a sample is tried
_CHECKS = 2_000  # choices of levels that are counted to find what forces them
_COLUMNS = 6  # columns that are tried one level coarser
_FEW = 0.01  # of all records: so many force a level that might be left out
_POINT = 0.01  # one more percent
_COARSER = 2  # columns that are told of as one level coarser
_ROOM = 0.001  # a coarser column that gives others less is no choice
_SEED = 0  # of the sample, not of the release


@frozen(eq=False)
class _Trials:
    """Searches on one prepared table, and what the release itself costs on it."""

    prepared: Prepared
    external: Table | None
    run: Run

    def lost(self, changed: Prepared) -> tuple[Table, Measured]:
        """Return what the search of the policy makes of a table, and its loss measured on the original values."""
        task = changed.task(self.external)
        algorithm = changed.policy.search()
        outcome = algorithm.run(task, self.run.with_rng(np.random.default_rng(changed.policy.seed)))
        if outcome.stopped is not None:
            self.run.checkpoint()  # half a search says nothing about the change
        public = masked_table(changed, outcome)
        public = public if changed.whole is None else public.select(changed.table.columns)
        if changed.table is self.prepared.table:
            return public, Loss().measure(outcome_stats(changed, outcome, task, public))
        trees = {entry.name: entry.tree for entry in self.prepared.attributes if entry.tree is not None}
        names = self.prepared.names
        return public, Loss().measure(release_stats(self.prepared.table, public, qid=names, hierarchies=trees))


def advised(prepared: Prepared, outcome: Outcome, task: Task, release: Release, run: Run) -> Advice:
    """Return what to change next about the release of an outcome."""
    own = Loss().measure(outcome_stats(prepared, outcome, task, release.table))
    read, dropped = prepared.records_read, prepared.dropped
    by = {name: with_dropped(lost, read, dropped) for name, lost in own.by_attribute.items()}
    plain = Advice(
        cost=with_dropped(own.value, read, dropped),
        columns=dict(sorted(by.items(), key=lambda one: -one[1])),
        little=release.little_left,
    )
    run = run.part().within(_SECONDS)
    changes: list[Change] = []
    forced: tuple[BoundLevel, ...] = ()
    sampled = None
    try:
        tried = prepared
        if prepared.table.rows > _EXACT:
            tried, sampled = _sampled(prepared), _EXACT
        trials = _Trials(_by_loss(tried), task.external, run)
        base = own if sampled is None else trials.lost(trials.prepared)[1]
        changes.extend(_changes(trials, outcome, base, list(plain.columns)))  # found before the time is over, they stay
        forced = _forced(outcome, task, run)
    except Cancelled as error:
        if error.reason != "deadline":
            raise
        return replace(plain, changes=tuple(changes), sampled=sampled, complete=False)
    except SfumatoError:  # where rows cannot be sampled nothing is tried
        return replace(plain, changes=tuple(changes), sampled=sampled)
    return replace(plain, changes=tuple(changes), forced=forced, sampled=sampled, tried=True)


def _by_loss(prepared: Prepared) -> Prepared:
    return replace(prepared, policy=prepared.policy.model_copy(update={"metrics": (Loss.id,)}))


def _sampled(prepared: Prepared) -> Prepared:
    """Return some records of a prepared table, always the same ones."""
    chosen = np.sort(np.random.default_rng(_SEED).choice(prepared.table.rows, _EXACT, replace=False))

    def some(table: Table | None) -> RowTable | None:
        return None if table is None else table.as_rows().take(chosen)

    table = some(prepared.table)
    assert table is not None
    held = {name: table.dictionary(name) for name in prepared.dictionaries}
    return replace(prepared, table=table, dictionaries=held, owners=some(prepared.owners), whole=some(prepared.whole))


def _changes(trials: _Trials, outcome: Outcome, base: Measured, dearest: list[str]) -> Iterator[Change]:
    """Try one thing after the other: more records left out, one requirement less, one column coarser."""
    prepared = trials.prepared
    read, dropped = prepared.records_read, prepared.dropped
    share = dropped / read if read else 0.0
    policy, rows = prepared.policy, prepared.table.rows

    def cost(loss: float) -> float:
        return loss * (1 - share) + share

    limit = policy.limits.suppress_at_most
    if policy.search().traits.suppresses_records and limit + _POINT <= 1:
        more = policy.model_copy(update={"limits": LimitPolicy(suppress_at_most=limit + _POINT)})
        found = _tried(trials, replace(prepared, policy=more))
        if found is not None:
            public, then = found
            yield Change(
                "suppression", "", cost(base.value), cost(then.value), rows - public.rows, limit, limit + _POINT
            )
    if len(prepared.models) > 1:
        without: list[Change] = []
        for at, model in enumerate(prepared.models):
            rest = (*prepared.models[:at], *prepared.models[at + 1 :])
            found = _tried(trials, replace(prepared, models=rest))
            if found is not None:
                public, then = found
                without.append(Change("requirement", model.id, cost(base.value), cost(then.value), rows - public.rows))
        dear = min(without, key=lambda one: one.then, default=None)
        if dear is not None and dear.gains:
            yield dear
    # What kept most takes room from the others.
    next_levels = [(name, _next_level(prepared, outcome, name)) for name in reversed(dearest)]
    levels = [(name, level) for name, level in next_levels if level is not None]
    coarser: list[Change] = []
    try:
        for name, level in levels[:_COLUMNS]:
            found = _tried(trials, _coarser(prepared, name, level))
            if found is None:
                continue
            public, then = found
            others = cost(_others(base, name)), cost(_others(then, name))
            change = Change(
                "coarser", name, cost(base.value), cost(then.value), rows - public.rows, to=level, others=others
            )
            coarser += [change] if change.gains and others[0] - others[1] >= _ROOM else []
    finally:
        yield from sorted(coarser, key=lambda one: one.then)[:_COARSER]


def _tried(trials: _Trials, changed: Prepared) -> tuple[Table, Measured] | None:
    """Return what a change gives, or nothing where the search cannot do it."""
    try:
        return trials.lost(changed)
    except Cancelled:
        raise
    except SfumatoError:
        trials.run.checkpoint()  # for want of time it says nothing about the change
        return None


def _others(measured: Measured, name: str) -> float:
    rest = [lost for column, lost in measured.by_attribute.items() if column != name]
    return sum(rest) / len(rest) if rest else 0.0


def _next_level(prepared: Prepared, outcome: Outcome, name: str) -> int | None:
    """Return one level above the finest that is published of a column; nothing where only the root is above it."""
    tree = next(entry.tree for entry in prepared.attributes if entry.name == name)
    if tree is None:
        return None
    recoding = outcome.recodings.get(name)
    level = 0
    if isinstance(recoding, TreeRecoding):
        # A leaf above the deepest level stands on several: the highest of them counts. Where a population brought further
        # values, the tree of the recoding is the larger one.
        cut = recoding.tree
        highest = {node: at for at in range(cut.height + 1) for node in cut.level_nodes[at].tolist()}
        level = min(highest[node] for node in recoding.cut_nodes())
    return level + 1 if level + 1 < tree.height else None


def _coarser(prepared: Prepared, name: str, level: int) -> Prepared:
    """Return a prepared table in which a column shows no finer values than those of a level."""
    at = prepared.names.index(name)
    tree = prepared.attributes[at].tree
    assert tree is not None
    recoding = {name: FullDomainGeneralization(tree=tree, level=level)}
    table = recode_table(prepared.table, recoding).table
    above = Tree.from_levels(dict.fromkeys(row[level:] for row in tree.to_levels()), column=name)
    attribute = Attribute(name, "taxonomy", ColumnType.TEXT, above, Taxonomy(tree=above.to_nested()))
    return replace(
        prepared,
        table=table,
        whole=None if prepared.whole is None else recode_table(prepared.whole, recoding).table,
        attributes=(*prepared.attributes[:at], attribute, *prepared.attributes[at + 1 :]),
        dictionaries={**prepared.dictionaries, name: table.dictionary(name)},
    )


def _forced(outcome: Outcome, task: Task, run: Run) -> tuple[BoundLevel, ...]:
    """Return the levels that few records force a column to, if every column has one level."""
    few = _FEW * task.table.records
    if isinstance(outcome.facts, OptimalFacts):
        why: tuple[FinerLevel, ...] = tuple(outcome.facts.why)
    elif all(entry.tree is not None for entry in task.attributes):
        from sfumato.algorithms.lattice.optimal import Optimal

        try:
            why = Optimal(max_checks=_CHECKS).why(task, run)
        except Cancelled:
            raise
        except SfumatoError:
            return ()
    else:
        return ()
    bound = [one for one in why if isinstance(one, BoundLevel) and one.records <= few]
    return tuple(sorted(bound, key=lambda one: one.records))
