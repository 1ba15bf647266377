"""Make owners of several tables alike: those with similar trees of rows share one, more general and a little smaller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heapreplace
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.built import Built
from sfumato.contracts.columns import made
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.databases.algorithms._owner_trees import OwnerTrees, Shared
from sfumato.databases.models.multir_k_anonymity import OwnerKAnonymity
from sfumato.databases.releases.recoded_database import RecodedDatabase
from sfumato.databases.task import DatabaseTask
from sfumato.errors import Infeasible, Unsupported
from sfumato.kernels.arrays import Ints

__all__ = ["DatabaseFacts", "MultirAnonymize"]

Numbers = np.ndarray[tuple[int, int], np.dtype[np.float32]]


@frozen(eq=False, repr=False, kw_only=True)
class DatabaseFacts(Facts):
    """What was done to owners: groups in which they look alike, and rows that were left out of them."""

    clusters: int
    rows_before: int
    rows_after: int

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how many groups there are, and how many rows are left."""
        return [say("database.clusters", clusters=self.clusters, before=self.rows_before, after=self.rows_after)]


class MultirAnonymize(Search[DatabaseTask]):
    """Persons with similar rows are put together, k or more, and made alike in every table.

    An owner is a tree: the person's row, below it the rows that refer to it, and so on. Owners that are alike already stay as
    they are. Then greedily: take the next owner, and of the ``compared`` nearest ones among the ``window`` that come after her
    in an order by numbers of rows and values, k - 1 times the one whose tree costs least to merge with what the group shares by
    then. Two trees are merged by pairing the children of each row, the cheapest pair first; paired values become their lowest
    common ancestor, rows without a partner are left out. Whoever is left at the end joins the last group. Cost is how high
    values climb, as a share of the tree, plus rows left out, for every member. Nobody is left out. The
    result meets the requirement in both readings. Keys become fresh numbers in random order.

    Examples
    --------
    >>> import sfumato
    >>> tables = {
    ...     "patients": {"id": [1, 2, 3, 4], "sex": ["f", "f", "m", "m"]},
    ...     "stays": {"patient": [1, 2, 2, 3, 4], "ward": ["A", "A", "B", "B", "B"]},
    ... }
    >>> policy = {
    ...     "shape": "database",
    ...     "person": "patients",
    ...     "tables": {
    ...         "patients": {"key": "id", "columns": {"sex": {"role": "quasi-identifier"}}},
    ...         "stays": {"references": {"patient": "patients"}, "columns": {"ward": {"role": "quasi-identifier"}}},
    ...     },
    ...     "requirements": [{"id": "multir-k-anonymity", "k": 2}],
    ... }
    >>> release = sfumato.anonymize(tables, policy)
    >>> sorted(row[-1] for row in release.tables["stays"].to_rows()), release.verdict.verdicts[0].strongest
    (['A', 'A', 'B', 'B'], 2)

    References
    ----------
    Nergiz, Clifton, Nergiz, "Multirelational k-anonymity", 2009, doi:10.1109/TKDE.2008.210; order and window are ours.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.4.
    """

    id: ClassVar[str] = "multir-anonymize"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=RecodedDatabase.id,
        optimal=False,
        deterministic=False,
        truthful=True,
        anytime=False,
        cost="rows x rows of one owner, and a window for each group",
    )

    window: int = param(default=512, ge=1, doc="how many of the next owners are looked at when a group is made")
    compared: int = param(
        default=16, ge=1, doc="how many of them, the nearest, are merged on trial for each next member"
    )

    def run(self, task: DatabaseTask, run: Run) -> Outcome:
        k = _asked(task, self.id)
        database = task.database
        trees = OwnerTrees(database, task.trees)
        groups = self._groups(task, trees, k, run)
        labels: dict[str, list[list[str]]] = {
            name: [[""] * table.rows for _ in trees.columns[name]] for name, table in database.tables.items()
        }
        kept = {name: np.zeros(table.rows, bool) for name, table in database.tables.items()}
        run.stage("merging", database.persons)
        done, clusters = 0, 0
        for shared in groups:
            run.tick(done)
            _told(shared, database.person, trees, task, labels, kept)
            done, clusters = done + len(shared.rows), clusters + 1
        before, after = database.rows, sum(int(kept[name].sum()) for name in kept if name != database.person)
        if before - after > task.lose_at_most * before + 1e-9:
            raise Infeasible(
                f"{before - after:,} of {before:,} rows had to be left out, more than limits.lose_at_most allows",
                measured=(before - after) / before,
                bound=task.lose_at_most,
                requirement=self.id,
            )
        kind, tables = _published(task, trees, labels, kept, run.rng)
        return Outcome(
            built=Built(kind, tables),
            facts=DatabaseFacts(clusters=clusters, rows_before=before, rows_after=after),
        )

    def _groups(self, task: DatabaseTask, trees: OwnerTrees, k: int, run: Run) -> Iterator[Shared]:
        """Yield what the owners of each group share: those alike already, then neighbours."""
        forms = task.database.forms()
        sizes = np.bincount(forms)
        alike = np.argsort(forms, kind="stable")
        starts = np.concatenate(([0], np.cumsum(sizes)))
        ready = [alike[starts[number] : starts[number + 1]].tolist() for number in np.flatnonzero(sizes >= k).tolist()]
        order, numbers = trees.features(task.trees)
        left = order[(sizes < k)[forms[order]]]
        if 0 < len(left) < k:
            # Too few for a group of their own: they join those who are alike already and nearest to them.
            middle = numbers[left].mean(axis=0)
            nearest = min(ready, key=lambda members: float(np.abs(numbers[members[0]] - middle).sum()))
            nearest += left.tolist()
            left = left[:0]
        for first, *others in ready:
            shared = trees.begun(task.database.person, first)
            for other in others:
                trees.join(shared, task.database.person, other)
            yield shared
        yield from self._neighbours(left, numbers, trees, k, run)

    def _neighbours(self, left: Ints, numbers: Numbers, trees: OwnerTrees, k: int, run: Run) -> Iterator[Shared]:
        """Yield groups of k near owners, each next member the one who costs least; the last one takes whoever is left."""
        person = trees.database.person
        used = np.zeros(len(left), bool)
        at, remaining = 0, len(left)
        last: Shared | None = None
        while remaining >= k:
            run.checkpoint()
            if last is not None:
                yield last
            while used[at]:
                at += 1
            used[at] = True
            near = _free(used, at + 1, self.window)
            far = np.abs(numbers[left[near]] - numbers[left[at]]).sum(axis=1)
            last = trees.begun(person, int(left[at]))
            offered = [
                (-1.0, one) for one in near[np.argsort(far, kind="stable")[: max(self.compared, k - 1)]].tolist()
            ]
            for _ in range(k - 1):
                # What somebody costs grows with the group: who was dearer than the best before need not be merged again.
                best = heapreplace(offered, _offer(trees, last, left, offered[0][1]))[1]
                while offered[0][1] != best:
                    best = heapreplace(offered, _offer(trees, last, left, offered[0][1]))[1]
                heappop(offered)
                used[best] = True
                trees.join(last, person, int(left[best]))
            remaining -= k
        if last is not None:
            for one in left[~used].tolist():
                trees.join(last, person, one)
            yield last


def _offer(trees: OwnerTrees, shared: Shared, left: Ints, one: int) -> tuple[float, int]:
    """Return what it costs a group if somebody joins it, and who that is."""
    return trees.joining(shared, trees.database.person, int(left[one])), one


def _free(used: np.ndarray[tuple[int], np.dtype[np.bool_]], start: int, count: int) -> Ints:
    """Return the next places that are not used yet, as many as are asked for if there are."""
    end = start + count
    found = start + np.flatnonzero(~used[start:end])
    while len(found) < count and end < len(used):
        end += 4 * count
        found = start + np.flatnonzero(~used[start:end])
    return found[:count]


def _asked(task: DatabaseTask, thing: str) -> int:
    found = [model.k for model in task.models if isinstance(model, OwnerKAnonymity)]
    if not found or len(found) < len(task.models):
        raise Unsupported(f"{thing} meets multir-k-anonymity and nothing else", thing=thing)
    return max(found)


def _told(
    shared: Shared,
    name: str,
    trees: OwnerTrees,
    task: DatabaseTask,
    labels: dict[str, list[list[str]]],
    kept: dict[str, np.ndarray[tuple[int], np.dtype[np.bool_]]],
) -> None:
    """Note what the rows of a shared tree show."""
    kept[name][shared.rows] = True
    for at, column in enumerate(trees.columns[name]):
        label = task.trees[name, column].labels[shared.values[at]]
        for row in shared.rows:
            labels[name][at][row] = label
    for child, inside in shared.below.items():
        for one in inside:
            _told(one, child, trees, task, labels, kept)


def _published(
    task: DatabaseTask,
    trees: OwnerTrees,
    labels: dict[str, list[list[str]]],
    kept: dict[str, np.ndarray[tuple[int], np.dtype[np.bool_]]],
    rng: np.random.Generator,
) -> tuple[RecodedDatabase, dict[str, Table]]:
    """Return the tables with fresh keys, in the order of the schema."""
    database = task.database
    fresh = {
        name: _numbers(int(database.tables[name].rows), kept[name], rng)
        for name in database.order()
        if name in database.keys
    }
    tables: dict[str, Table] = {}
    for name in database.order():
        table = database.tables[name]
        rows = np.flatnonzero(kept[name])
        columns: dict[str, object] = {}
        if name in database.keys:
            columns[database.keys[name]] = fresh[name][rows]
        if name in database.references:
            column, parent = database.references[name]
            columns[column] = fresh[parent][database.parents(name)[rows]]
        for at, column in enumerate(trees.columns[name]):
            columns[column] = [labels[name][at][row] for row in rows.tolist()]
        plain = [column for column in _shown(task, name) if column not in columns]
        held = table.as_rows().take(rows).select(plain).to_rows() if plain else []
        for at, column in enumerate(plain):
            columns[column] = [row[at] for row in held]
        if not len(rows):  # of nothing no type can be found
            columns |= {column: np.array([], str) for column, held in columns.items() if isinstance(held, list)}
        tables[name] = made(columns, table.home, may_be_empty=True).sort()
    kind = RecodedDatabase(
        person=database.person,
        keys=tuple((name, key) for name, key in database.keys.items()),
        references=tuple((name, *database.references[name]) for name in database.order()[1:]),
        known=tuple((name, column) for name in database.order() for column in trees.columns[name]),
        secret=tuple(
            (name, column)
            for name in database.order()
            for column, role in task.roles.get(name, {}).items()
            if role is Role.SENSITIVE
        ),
    )
    return kind, tables


def _numbers(count: int, kept: np.ndarray[tuple[int], np.dtype[np.bool_]], rng: np.random.Generator) -> Ints:
    """Return fresh numbers in random order for the rows that are kept."""
    found = np.zeros(count, np.int64)
    found[kept] = rng.permutation(int(kept.sum())) + 1
    return found


def _shown(task: DatabaseTask, name: str) -> Sequence[str]:
    roles = task.roles.get(name, {})
    return [column for column in task.database.tables[name].columns if column in roles and not roles[column].hidden]
