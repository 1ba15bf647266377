"""What a page says in numbers: who stands out, what a requirement would cost, what is kept; counted on the current table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from heapq import nlargest
from itertools import combinations
from math import log
from typing import Any

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel
from sfumato.contracts.publication import Publication
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.data.yaml import yaml_reader
from sfumato.errors import SfumatoError
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.recodings.group_suppression import GroupSuppression
from sfumato.recodings.record_suppression import RecordSuppression
from sfumato.recodings.saved import load_operations, load_recodings
from sfumato.tables.recode import recode_table
from sfumato.web.project import Project, RunEntry

__all__ = [
    "SETS",
    "Alone",
    "LevelEffect",
    "Predicted",
    "Pulse",
    "RunFigures",
    "WeakGroup",
    "Weighing",
    "alone",
    "breaking",
    "counting_table",
    "guessable",
    "level_effect",
    "predicted",
    "pulse",
    "run_figures",
    "spread",
    "weakest",
    "weighing",
]

SETS = 40
"""So many sets of columns are counted at most."""

_DRAWN = 12


@frozen
class RunFigures:
    """What a run made, in numbers."""

    records: int
    published: int
    detail: float | None
    smallest: int | None
    alone: int | None
    losses: Mapping[str, float]
    advice: Sequence[str]
    stopped: str | None

    @property
    def left_out(self) -> int:
        """How many records are not published."""
        return self.records - self.published


@frozen
class Pulse:
    """The four figures of every page, before and after."""

    records: int
    alone: int
    smallest: int
    after: RunFigures | None


@frozen
class Alone:
    """How many people are alone with their values in some columns."""

    columns: tuple[str, ...]
    people: int


@frozen
class Predicted:
    """How often a column is predicted right: from the release, from the raw table, and by its most frequent value alone."""

    release: float
    raw: float
    guess: float


def predicted(told: Mapping[str, Any]) -> Predicted:
    """Return what a worker found that predicted a column, as shares that are right."""
    errors = told["classifiers"][0]
    return Predicted(1 - errors["AE"]["rate"], 1 - errors["BE"]["rate"], errors["BE"]["zero_rule"])


def _qids(project: Project) -> tuple[str, ...]:
    return project.policy.of_role(Role.QUASI_IDENTIFIER)


def _sizes(table: Table, columns: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    sizes: np.ndarray[tuple[int], np.dtype[np.int64]] = np.asarray(table.groups(columns).sizes, np.int64)
    return sizes


def pulse(project: Project) -> Pulse:
    """Return who stands out in the table as it is, and what the chosen run leaves of that."""
    table, qids = project.found.table, _qids(project)

    def count() -> tuple[int, int]:
        sizes = _sizes(table, qids) if qids and table.rows else np.array([table.rows])
        return int((sizes == 1).sum()), int(sizes.min(initial=table.rows))

    single, smallest = project.counted(("alone", qids), count)
    run = project.chosen
    return Pulse(table.rows, single, smallest, None if run is None else run_figures(project, run))


def run_figures(project: Project, run: RunEntry) -> RunFigures:
    """Return what a run made, in numbers; a column that is held back counts as lost."""
    told = project.job(run).result
    counts: Mapping[str, int] = told.get("counts", {})  # type: ignore[assignment]
    losses: Mapping[str, float] = told.get("losses", {})  # type: ignore[assignment]
    weights, _, held = project.counted(("asked", run.number, run.job), lambda: _asked(run))
    lost = {**dict.fromkeys(held, 1.0), **losses}
    parts = {name: weights.get(name, 1.0) for name in lost}
    whole = sum(parts.values())
    smallest, single = told.get("smallest"), told.get("alone")
    advice: Sequence[str] = told.get("advice", ())  # type: ignore[assignment]
    return RunFigures(
        records=counts.get("records_read", 0),
        published=counts.get("records_published", 0),
        detail=1 - sum(parts[name] * lost[name] for name in lost) / whole if losses and whole else None,
        smallest=smallest if isinstance(smallest, int) else None,
        alone=single if isinstance(single, int) else None,
        losses=losses,
        advice=advice,
        stopped=str(told["stopped"]) if told.get("stopped") else None,
    )


def _asked(run: RunEntry) -> tuple[Mapping[str, float], list[str], list[str]]:
    """Return how much each column of a run mattered, which were masked, and which were held back."""
    asked = yaml_reader("safe").load(run.policy)
    columns: Mapping[str, Mapping[str, Any]] = asked["columns"]
    masked = [name for name, entry in columns.items() if entry["role"] == Role.QUASI_IDENTIFIER]
    held = [name for name, entry in columns.items() if entry["role"] in (Role.DROP, Role.PRIVATE)]
    return {name: float(entry.get("importance", 1.0)) for name, entry in columns.items()}, masked, held


@frozen
class Weighing:
    """How the score of a search becomes *detail kept*.

    Searches divide weights by the largest and take the mean; ``scale`` makes that the weighted mean of the losses. ``share`` is
    the part of all importance that columns have which are not held back.
    """

    share: float
    scale: float

    def kept(self, score: float) -> float:
        """Return what is kept, from 0 to 1."""
        return self.share * max(1 - self.scale * score, 0.0)


def weighing(project: Project, run: RunEntry) -> Weighing:
    """Return how a run weighs columns."""
    weights, masked, held = project.counted(("asked", run.number, run.job), lambda: _asked(run))
    shown = [weights[name] for name in masked]
    whole = sum(shown) + sum(weights[name] for name in held)
    if not sum(shown):
        return Weighing(0.0 if whole else 1.0, 1.0)
    return Weighing(sum(shown) / whole, len(shown) * max(shown) / sum(shown))


def alone(project: Project, known: int) -> list[Alone]:
    """Return the sets of so many columns that an outsider may know, those that single out most people first."""
    table, qids = project.found.table, _qids(project)

    def count() -> list[Alone]:
        sets = list(combinations(qids, min(known, len(qids))))
        if len(sets) > SETS:  # those whose columns have most values single out most people
            much = {name: log(max(len(table.dictionary(name)), 1)) for name in qids}
            sets = nlargest(SETS, sets, key=lambda names: sum(much[name] for name in names))
        found = [Alone(names, int((_sizes(table, names) == 1).sum())) for names in sets]
        return sorted(found, key=lambda one: -one.people)

    found = project.counted(("sets", qids, known), count)
    return found if len(found) <= _DRAWN else [*found[: _DRAWN - 1], found[-1]]


def spread(project: Project, name: str, most: int = 32) -> list[int]:
    """Return how often values occur, without the values: numbers and dates in order, others by how often."""

    def count() -> list[int]:
        dictionary = project.found.table.dictionary(name)
        counts = np.asarray(dictionary.counts)
        if project.found.table.types[name].value in ("text", "boolean"):
            counts = -np.sort(-counts)
        if len(counts) > most:
            counts = np.add.reduceat(counts, np.linspace(0, len(counts), most, endpoint=False).astype(int))
        return [int(one) for one in counts]

    return project.counted(("spread", name), count)


def counting_table(project: Project) -> tuple[Table, RunEntry | None]:
    """Return the table that requirements are counted on: with the levels of the chosen run, before records are left out.

    Where that run does not give columns levels, or the columns are no longer the same, the table as it is.
    """
    run = project.chosen
    if run is None:
        return project.found.table, None

    def recoded() -> Table | None:
        recodings = _recodings(project, run)
        try:
            return None if recodings is None else recode_table(project.found.table, recodings).table
        except SfumatoError:
            return None

    made = project.counted(("recoded", run.number, _qids(project)), recoded)
    return (made, run) if made is not None else (project.found.table, None)


def _recodings(project: Project, run: RunEntry) -> Mapping[str, ColumnRecoding] | None:
    """Return the levels that a run gave the columns, if it did, and they are still the same columns."""
    folder = project.made(run)
    try:
        document = {} if folder is None else json.loads((folder / "private" / "recoding.json").read_bytes())
        recodings, _ = load_recodings(document)
        # Records that were left out are counted as well: how many break a promise is what somebody asks.
        whole = all(isinstance(one, GroupSuppression | RecordSuppression) for one in load_operations(document))
        return recodings if whole and set(recodings) == set(_qids(project)) else None
    except (OSError, ValueError, KeyError, SfumatoError):
        return None


def level_effect(project: Project, name: str, tree: Tree) -> LevelEffect:
    """Return how many records break a promise with a column at each of its levels, the other columns as in the chosen run.

    Without a run that has levels the other columns count as hidden: so many break it at least, whatever else is done.
    """
    run = project.chosen
    found = None if run is None else _recodings(project, run)
    others = {} if found is None else {one: recoding for one, recoding in found.items() if one != name}
    specs = project.promises

    def count() -> LevelEffect:
        broken = []
        for level in range(tree.height + 1):
            here = FullDomainGeneralization(tree=tree, level=level)
            table = recode_table(project.found.table, {**others, name: here}).table
            judged = (_broken(table, (*others, name), spec) for spec in specs)
            broken.append(max((one for one in judged if isinstance(one, int)), default=0))
        return LevelEffect(tuple(broken), None if found is None or run is None else run.number)

    kept = (name, id(tree), json.dumps(specs, sort_keys=True), None if found is None or run is None else run.number)
    return project.counted(("effect", *kept), count)


@frozen
class LevelEffect:
    """How many records break a promise by level of a column, and the run that the other columns are as in, if there is one."""

    broken: tuple[int, ...]
    run: int | None


@frozen
class WeakGroup:
    """People who look alike and mostly share one secret: who they are as published, how many, how many share it."""

    published: tuple[str, ...]
    people: int
    sharing: int

    @property
    def guess(self) -> float:
        """How often the best guess of the secret is right."""
        return self.sharing / self.people


def guessable(table: Table, qids: Sequence[str], sensitive: str) -> int:
    """Return how many people are in groups of which more than half share one secret."""
    groups = table.groups(qids, [sensitive])
    likely = 2 * groups.histograms[sensitive].largest() > groups.sizes
    return int(groups.sizes[likely].sum())


def weakest(table: Table, qids: Sequence[str], sensitive: str, most: int = 4) -> list[WeakGroup]:
    """Return the groups in which the secret is easiest to guess, the surest first; never the secret itself.

    Groups of one person are nobody's business and are not described.
    """
    groups = table.groups(qids, [sensitive])
    largest = groups.histograms[sensitive].largest()
    share = np.where(groups.sizes > 1, largest / groups.sizes, 0.0)
    order = np.lexsort((-groups.sizes, -share))[:most]
    return [
        WeakGroup(
            tuple("–" if keys[at] is None else to_text(keys[at]) for keys in groups.keys),
            int(groups.sizes[at]),
            int(largest[at]),
        )
        for at in order.tolist()
        if share[at] > 0
    ]


def breaking(project: Project, specs: Sequence[Mapping[str, Json]]) -> list[int | str]:
    """Return for each requirement how many records break it on the counting table, or why that cannot be counted."""
    table, run = counting_table(project)
    qids = _qids(project)
    out: list[int | str] = []
    for spec in specs:
        asked = ("breaks", json.dumps(spec, sort_keys=True), qids, None if run is None else run.number)
        out.append(project.counted(asked, partial(_broken, table, qids, spec)))
    return out


def _broken(table: Table, qids: Sequence[str], spec: Mapping[str, Json]) -> int | str:
    """Return how many records of a table break a requirement, or why that cannot be counted."""
    try:
        model = build(dict(spec), "model")
        if not isinstance(model, TableModel):
            return ""
        return int(model.judge(Publication(table=table, qids=tuple(qids)), worst=0).violating_records)
    except SfumatoError as error:
        return str(error)
