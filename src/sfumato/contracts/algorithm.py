"""Algorithms: what a search receives, what it returns, and what it claims about itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field
from math import floor
from typing import ClassVar, Generic, Literal, TypeVar

from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.model import Audit, MechanismModel, TableModel
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.thing import Thing
from sfumato.contracts.trace import Step
from sfumato.data.compressed import CompressedTable, Weighed
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree

__all__ = [
    "ROWS_COMPARED",
    "ROWS_IN_MEMORY",
    "ROWS_MERGED",
    "Algorithm",
    "AlgorithmTraits",
    "Attribute",
    "Outcome",
    "Search",
    "SearchTraits",
    "Task",
    "suppression_budget",
]

T = TypeVar("T")

ROWS_IN_MEMORY = 100_000_000
"""What an algorithm is meant for that goes through rows in memory: some hundred bytes of numbers for each."""

ROWS_COMPARED = 1_000_000
"""What an algorithm is meant for that may compare every row with every other, in the simplest way: by distance."""

ROWS_MERGED = 300_000
"""What an algorithm is meant for that looks for the cheapest union again and again: minutes."""


def suppression_budget(share: float, records: int) -> int:
    """Return how many records a share allows to leave out: ``floor(share * n)``, forgiving the last binary digits.

    >>> suppression_budget(0.07, 100)
    7
    """
    return floor(share * records + 1e-9)


@frozen(kw_only=True)
class SearchTraits:
    """What an algorithm on data of any shape promises: the kind of its release, and how it gets there."""

    release: str
    optimal: bool
    deterministic: bool
    truthful: bool
    anytime: bool
    cost: str


@frozen(kw_only=True)
class AlgorithmTraits(SearchTraits):
    """What an algorithm on tables accepts and promises; the verb refuses a mismatch before any work.

    ``works_on`` says what it reads of a table, with its parameters as they come: ``counts`` (the compressed table, which any
    engine gives), ``groups`` (counts, and rows that look alike are shared out among groups), ``rows`` (every row in its place,
    in memory). ``most_rows`` is the largest table it is meant for, ``None`` where only the number of different rows counts.
    A larger table is refused before the search, with the algorithms that would serve: what nobody can wait for is not begun.
    """

    recoding: str
    model_needs: tuple[str, ...]
    numeric_without_hierarchy: bool
    suppresses_records: bool
    works_on: Literal["counts", "groups", "rows"]
    most_rows: int | None


@frozen(eq=False)
class Attribute:
    """One quasi-identifier as a search sees it: a tree, an ordered range of numbers, or bare values to suppress.

    ``levels`` are the lowest and the highest level that may be published of it, for searches that choose levels.
    """

    name: str
    kind: Literal["taxonomy", "interval", "suppress"]
    type: ColumnType
    tree: Tree | None = None
    builder: HierarchyBuilder | None = None
    range: tuple[float, float] | None = None
    levels: tuple[int, int | None] = (0, None)


@frozen(eq=False)
class Task:
    """Everything a search may look at: the compressed table, the attributes, the requirements, the limits.

    ``raw`` is the prepared table itself, for algorithms that group or count single records: it has the quasi-identifiers, the
    target, the sensitive and the plain columns, and no missing value that its rule does not allow. ``external`` is a
    population table over the same quasi-identifiers, as the publisher gave it. ``sensitive`` names the columns of that role.
    ``procedures`` are requirements on the procedure itself, for algorithms that can promise them. ``owners`` holds the columns
    of the role private, record by record like ``raw``: what an algorithm may read and nobody may publish. ``trees`` are the
    hierarchies of columns that are no quasi-identifiers, where the policy gives them one. ``weighed`` is the table with
    sampling weights in place of records, for metrics: requirements count records all the same.
    """

    table: CompressedTable
    attributes: Sequence[Attribute]
    models: Sequence[TableModel]
    target: str | None = None
    suppress_at_most: float = 0.0
    raw: Table | None = None
    external: Table | None = None
    sensitive: tuple[str, ...] = ()
    procedures: Sequence[MechanismModel] = ()
    owners: Table | None = None
    trees: Mapping[str, Tree] = field(default_factory=dict)
    weighed: Weighed | None = None

    @property
    def qids(self) -> tuple[str, ...]:
        """Names of all quasi-identifiers, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def budget(self) -> int:
        """How many records may be left out."""
        return suppression_budget(self.suppress_at_most, self.table.records)


@frozen(eq=False)
class Outcome:
    """What a search found, how it got there, and whether it stopped early.

    ``recodings`` (a recoding for each quasi-identifier), ``operation`` (a recoding of whole records, where the values of one
    column do not decide), both (columns first), or ``built`` (a release of another kind than a recoded table). ``suppressed``
    lists the published values, in the order of the task's quasi-identifiers, of the groups whose records are left out.
    ``optimal`` says whether the outcome was proven best by its metric, which only some searches can tell. ``facts`` stay in
    the house; ``trace`` too. ``audits`` say what the procedure was found to promise, for each requirement on it;
    ``procedure`` is the algorithm as it ran, with every open parameter settled. Both are published.
    """

    recodings: Mapping[str, ColumnRecoding] = field(default_factory=dict)
    operation: TableRecoding | None = None
    built: Built | None = None
    suppressed: Sequence[tuple[str, ...]] = ()
    optimal: bool | None = None
    trace: Sequence[Step] = ()
    warnings: Sequence[str] = ()
    stopped: str | None = None
    facts: Facts = field(default_factory=Facts)
    audits: Sequence[Audit] = ()
    procedure: Mapping[str, Json] | None = None


class Search(Thing, Generic[T]):
    """A published algorithm on data of some shape: takes the task of that shape."""

    kind: ClassVar[str] = "algorithm"
    traits: ClassVar[SearchTraits]
    procedures: ClassVar[tuple[str, ...]] = ()
    """Ids of the models of procedures that it can promise; a policy for it names one of them as a requirement."""
    seedable: ClassVar[bool] = True
    """Whether the seed of a policy repeats a release; noise with a formal guarantee is never repeated."""
    spends: ClassVar[bool] = False
    """Whether it spends epsilon, and so calls :meth:`~sfumato.contracts.run.Run.charge` before it draws."""

    @abstractmethod
    def run(self, task: T, run: Run) -> Outcome:
        """Search for what meets every requirement of the task; draws come from the run's generator."""

    def refuse_unpromised(self, models: Sequence[MechanismModel]) -> None:
        """Refuse requirements on the procedure that its own parameters do not keep, before anything is read or drawn.

        Algorithms that take what to keep from the requirement have nothing to refuse.
        """

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return what the parameters alone say about a requirement on the procedure, for anybody to repeat.

        ``None`` if the input is needed to tell; a verifier then leaves the requirement unchecked and says so.
        """
        return None


class Algorithm(Search[Task]):
    """A published algorithm on tables: configures a search, or stands alone."""

    traits: ClassVar[AlgorithmTraits]
    bounds_levels: ClassVar[bool] = False
    """Whether it keeps the levels of columns within the bounds of the policy."""
    weighs_records: ClassVar[bool] = False
    """Whether it measures by sampling weights, if the policy names a column of them."""
    several_quasi_identifiers: ClassVar[bool] = True
    """Whether requirements may name different sets of columns."""
    meets_every_limit: ClassVar[bool] = False
    """Whether a limit on records left out may be given although it leaves out none: it masks an odd record for itself, so that
    there is little to gain, and nothing where a record left out costs as much as one that is masked as a whole."""
