"""Judge a table as it stands."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.catalogue import TABLE, build, shape_of
from sfumato.contracts.cells import CellRequirement, cell_shape, column_cells
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model
from sfumato.contracts.publication import Publication
from sfumato.contracts.published import Judgement, Published
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.policy import SharedPolicy
from sfumato.publishing.published import Publishable
from sfumato.tables.named_values import look_alikes, with_held_values
from sfumato.tables.open import alike, open_table
from sfumato.tables.policy import Policy, table_models
from sfumato.tables.prepare import check_roles
from sfumato.tables.recode import tree_of

__all__ = ["check", "open_judged", "protected_hierarchies", "trees_of"]


def check(
    source: object,
    requirements: object = None,
    *,
    policy: SharedPolicy | Mapping[str, object] | str | None = None,
    qid: Sequence[str] | None = None,
    external: object = None,
    hierarchies: Mapping[str, object] | None = None,
    raw: object = None,
    weights: str | None = None,
    worst: int = 10,
    run: Run | None = None,
) -> Judgement:
    """Judge a table, a release, or explicit groups, exactly as they stand.

    Give ``requirements`` (a model, its spec, an id, or a list of these) with ``qid``, or a ``policy``. Missing values count
    as a value of their own. ``external`` is a population table recoded like this one, ``hierarchies`` the trees of columns
    whose distances or guarding nodes a model needs, ``raw`` the table before masking. ``weights`` names a column of positive
    numbers that says how many persons a record stands for; sums of it then take the place of counts of records. The answer
    is true if every requirement holds; each verdict lists the worst groups.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Job", "Sex"], [("Artist", "F"), ("Artist", "F"), ("Lawyer", "M")])
    >>> [verdict.strongest for verdict in check(table, {"id": "k-anonymity", "k": 2}, qid=["Job", "Sex"])]
    [1]
    """
    run = Run.of(run)
    shared = None if policy is None else SharedPolicy.of(policy)
    if shared is None and isinstance(source, Publishable) and source.published().shape != TABLE:
        return _whole(source.published(), requirements, worst, run)
    if shared is not None and not isinstance(shared, Policy):
        return _by_shape(source, requirements, shared, worst, run)
    asked, cells = shared, list[CellRequirement]()
    if requirements is None:
        if asked is None:
            raise BadRequest("give requirements or a policy", parameter="requirements")
        requirements = [*asked.models(), *asked.procedures()]
        cells = asked.cell_requirements()
    whole = table_models(requirements)
    opened = source if isinstance(source, GroupStats) else open_judged(source, whole, asked, qid, run=run)
    whole, warnings = with_held_values(whole, opened)
    for warning in [*warnings, *([] if isinstance(opened, GroupStats) else look_alikes(whole, opened))]:
        logging.getLogger("sfumato").warning(warning)
    models = [*whole, *cells]
    if isinstance(opened, GroupStats):
        publication = Publication(explicit=opened, trees=trees_of(None, hierarchies), weights=weights)
    else:
        table = opened
        if asked is not None:
            check_roles(table, asked, released=True)
            qid = qid or asked.of_role(Role.QUASI_IDENTIFIER)
            hierarchies = {**protected_hierarchies(asked), **(hierarchies or {})}
        publication = Publication(
            table=table,
            qids=tuple(qid or ()),
            external=None if external is None else alike(open_table(external, run=run.part()), table.types),
            trees=trees_of(table, hierarchies),
            raw=None if raw is None else open_table(raw, run=run.part()),
            weights=weights,
            cells={} if not cells or asked is None else _inside(table, asked),
        )
    run.stage("judging", len(models))
    verdicts = []
    for done, model in enumerate(models):
        run.tick(done, model.id)
        verdicts.append(model.judge(publication, worst=worst))
    return Judgement(tuple(verdicts))


def _inside(table: Table, policy: Policy) -> dict[str, object]:
    """Return what requirements on cells judge that need more than the cells."""
    views = {
        name: cell_shape(asked.shape).inside(column_cells(table, name), asked) for name, asked in policy.cells().items()
    }
    return {name: view for name, view in views.items() if view is not None}


def open_judged(
    source: object,
    requirements: object,
    policy: Policy | None = None,
    qid: Sequence[str] | None = None,
    engine: str | None = None,
    *,
    run: Run | None = None,
) -> Table:
    """Open a table to be judged as it stands: what an adversary may know counts as it is written."""
    known = {*(qid or ()), *(() if policy is None else policy.of_role(Role.QUASI_IDENTIFIER))}
    if requirements is not None:
        known |= {name for model in table_models(requirements) for name in model.qid or ()}
    return open_table(source, policy, engine, as_written=known, run=run)


def _by_shape(source: object, requirements: Any, asked: SharedPolicy, worst: int, run: Run) -> Judgement:
    """Judge data that are no table, as their shape does."""
    shape = shape_of(asked.shape)
    given = requirements if isinstance(requirements, (list, tuple)) else [requirements]
    models = asked.models() if requirements is None else [build(one, "model", shape.id) for one in given]
    data = shape.open(source, asked, run)
    run.stage("judging", len(models))
    return Judgement(tuple(shape.judge(data, models, asked, worst)))


def _whole(published: Published, requirements: Any, worst: int, run: Run) -> Judgement:
    """Judge what says itself what it is and is no table, such as a series of them."""
    if requirements is None:
        raise BadRequest("give requirements", parameter="requirements")
    given = requirements if isinstance(requirements, (list, tuple)) else [requirements]
    models = [one if isinstance(one, Model) else build(one, "model", published.shape) for one in given]
    run.stage("judging", len(models))
    return Judgement(tuple(published.form.verify(dict(published.tables), models, ())))


def protected_hierarchies(policy: Policy) -> dict[str, object]:
    """Return the hierarchies a policy gives to columns that are published as they are, for models that measure in them."""
    return {
        name: entry.hierarchy
        for name, entry in policy.columns.items()
        if entry.hierarchy is not None and entry.role in (Role.SENSITIVE, Role.TARGET, Role.PLAIN)
    }


def trees_of(table: Table | None, hierarchies: Mapping[str, object] | None) -> dict[str, Tree]:
    """Return the trees of columns, from trees, nested mappings, or builders that need the values of a table."""
    out: dict[str, Tree] = {}
    for name, given in (hierarchies or {}).items():
        if isinstance(given, Tree):
            out[name] = given
        elif isinstance(given, Mapping) and "id" not in given:
            out[name] = Tree.from_nested(given)  # as it is: the table may hold generalized values, which are no leaves
        elif isinstance(given, Mapping) and given.get("id") == "taxonomy" and given.get("tree") is not None:
            out[name] = Tree.from_nested(given["tree"])
        elif table is None or name not in table.types:
            raise BadRequest("needs a table to build the hierarchy from", column=name, parameter="hierarchies")
        else:
            out[name] = tree_of(table, name, given)[0]
    return out
