"""What a search found beside its outcome, one kind for each family: for the publisher, never published."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field

from sfumato.contracts.levels import Choice, FinerLevel, Round
from sfumato.contracts.owners import OwnerBlock, Owners
from sfumato.contracts.picture import Picture
from sfumato.contracts.record import Record
from sfumato.contracts.trace import Confidence, Exposure, ImprovementStep, RefinementStep
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.words import printable

__all__ = [
    "BoxFacts",
    "CellFacts",
    "CoarseningFacts",
    "CombinationFacts",
    "CurvePoint",
    "CutFacts",
    "Facts",
    "GroupFacts",
    "GuardFacts",
    "KindRequest",
    "LatticeFacts",
    "LocalFacts",
    "MadeFacts",
    "MechanismFacts",
    "OptimalFacts",
    "OwnerFacts",
    "StepFacts",
    "TakenBack",
    "gap_words",
]

Node = tuple[int, ...]


@frozen(eq=False, repr=False, kw_only=True)
class Facts(Record):
    """What every search may tell; an algorithm that has more to tell extends the facts of its family.

    ``seed`` is that of shuffles, draws and noise. ``records_read`` is kept here where nobody may be told how many there were.
    ``records_suppressed`` are the records that were left out.
    """

    seed: int | None = None
    records_read: int | None = None
    records_suppressed: int | None = None

    def words(self, *, chosen: bool = False) -> list[str]:
        """Return sentences about the search for its publisher; ``chosen``: the policy named what it should end with."""
        return []

    def done(self) -> str:
        """Return how far the search came, for whoever interrupts it."""
        return "0 steps"

    def pictures(self) -> Sequence[Picture]:
        """Return pictures of how it was found, for its publisher."""
        return ()


# ---- lattices --------------------------------------------------------------------------------------------------------------


@frozen(eq=False, repr=False, kw_only=True)
class LatticeFacts(Facts):
    """A choice of levels and what it took to find it.

    ``score`` is the value of the ``metric`` (a spec), lower is better. ``left_out`` records are not published, ``groups_kept``
    of ``groups`` are. ``lattice`` is the number of choices there are, ``checks`` how many of them were counted. Some
    searches know more: the ``satisfying`` choices, the ``minimal`` of them (with no satisfying choice below) and the
    ``best_nodes`` (that score equally well); those ``by_subset`` of the columns, and how many were ``looked`` at; the lowest
    ``height`` and its ``nodes`` with the records that each leaves out; the ``trace``: which columns were generalized, and how
    many values each showed; the ``presence``: the share of each group that is inside.
    """

    levels: Mapping[str, int]
    score: float
    metric: Mapping[str, object]
    left_out: int
    groups: int
    groups_kept: int
    lattice: int
    checks: int
    satisfying: Sequence[Node] | None = None
    minimal: Sequence[Node] | None = None
    best_nodes: Sequence[Node] | None = None
    by_subset: Mapping[str, Sequence[Node]] | None = None
    looked: int | None = None
    height: int | None = None
    nodes: Sequence[tuple[Node, int]] | None = None
    trace: Sequence[tuple[str, int]] | None = None
    presence: Sequence[tuple[tuple[Hashable, ...], float]] | None = None

    def done(self) -> str:
        """Return how many choices were counted."""
        return f"{self.checks} checks"


@frozen(eq=False, repr=False, kw_only=True)
class OptimalFacts(LatticeFacts):
    """The best levels that were found, and how sure it is that no others are better.

    Nothing scores below ``bound``; ``gap`` is the share of the score by which others can be better at most, 0 if none is, and
    ``None`` if nothing is known. ``solutions`` are the best choices, ``why`` says for each column what stops a finer level.
    """

    bound: float | None
    gap: float | None
    solutions: Sequence[Choice]
    why: Sequence[FinerLevel]

    def words(self, *, chosen: bool = False) -> list[str]:
        """Name the levels, and say how sure it is that they are the best."""
        levels = ", ".join(f"{printable(name, 60)} {level}" for name, level in self.levels.items())
        return [say("facts.levels", levels=levels), self.certainty(chosen=chosen)]

    def certainty(self, *, chosen: bool = False) -> str:
        """Say how sure it is that no other choice of levels is better; ``chosen``: the policy named the levels."""
        seen = say("facts.counted_choices", choices=self.lattice, checks=self.checks)
        score = say("facts.score", metric=printable(self.metric["id"]), score=self.score)
        if chosen:
            return say("facts.chosen", score=score)
        if self.gap == 0:
            return say("facts.proven", score=score, seen=seen)
        unsure = gap_words(self.gap)
        return say("facts.unproven", score=score, unsure=unsure, seen=seen)


@frozen(eq=False, repr=False, kw_only=True)
class LocalFacts(OptimalFacts):
    """Levels from which groups were given finer or coarser values of their own, in rounds, and why these ended early."""

    rounds: Sequence[Round]
    local_recoding_stopped: str | None


def gap_words(gap: float | None) -> str:
    """Say how much better another choice can be at most."""
    if gap is None:
        return say("facts.gap_unknown")
    return say("facts.gap", gap=gap)


@frozen(eq=False, repr=False, kw_only=True)
class CombinationFacts(Facts):
    """Combinations of a few values made safe: records that held an unsafe one at first, what was done, and what is left.

    ``smallest_group`` is that on all quasi-identifiers together, which nobody promises.
    """

    unsafe_records: int
    generalizations: int
    suppressed_cells: int
    smallest_group: int


@frozen(eq=False, repr=False, kw_only=True)
class CellFacts(Facts):
    """Cells that were emptied, by column, in so many ``records``, what that cost, and what no choice falls below.

    ``gap`` is the share of the cost by which another choice can be cheaper at most, 0 if none is. ``found`` are the records
    whose own values fit fewer than k of the published ones, ``alone`` those whose values one published record alone shows.
    """

    cells: Mapping[str, int]
    records: int
    cost: float
    bound: float
    gap: float
    found: int
    alone: int

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say what was emptied, and how sure it is that fewer would not do."""
        listed = ", ".join(f"{printable(name, 60)} {count:,}" for name, count in self.cells.items())
        sure = say("facts.cells_proven") if self.gap == 0 else gap_words(self.gap)
        return [say("facts.cells", cells=sum(self.cells.values()), records=self.records, columns=listed), sure]


# ---- steps -----------------------------------------------------------------------------------------------------------------


@frozen(eq=False, repr=False, kw_only=True)
class StepFacts(Facts):
    """How a top-down search ended.

    ``refinements`` is the number of steps, ``smallest_group`` the smallest group by quasi-identifier, ``left`` what could still
    have been refined (in a full trace). ``confidences`` and ``exposure`` are those at the end, where requirements ask for
    them; ``cluster_sizes`` those of the raw records, the largest first.
    """

    refinements: int
    smallest_group: Mapping[str, int]
    left: Sequence[RefinementStep] = ()
    confidences: Sequence[Confidence] | None = None
    exposure: Sequence[Exposure] | None = None
    cluster_sizes: Sequence[int] | None = None

    def done(self) -> str:
        """Return how many steps were taken."""
        return f"{self.refinements} steps"


@frozen(eq=False, repr=False, kw_only=True)
class CurvePoint(Record):
    """A state of a bottom-up search: the step that led to it (none to the raw table), its groups, and what is left of the data.

    ``cost`` sums up all steps; ``information`` about the target is in bits, ``detail`` a mean share.
    """

    step: int
    attribute: str | None
    value: str | None
    smallest_group: int
    groups: int
    cost: float
    information: float | None
    detail: float
    satisfied: bool


@frozen(eq=False, repr=False, kw_only=True)
class TakenBack(Record):
    """A generalization that turned out not to be needed."""

    attribute: str
    value: str


@frozen(eq=False, repr=False, kw_only=True)
class CoarseningFacts(Facts):
    """The sequence of a bottom-up search.

    ``generalizations`` is the number of steps that are published, ``satisfied_at`` the first that met every requirement,
    ``curve`` all states, ``smallest_group`` that of what is published by quasi-identifier, ``examined`` how many steps were
    tried each time. ``taken_back`` are steps that were not needed.
    """

    generalizations: int | None
    satisfied_at: int | None
    curve: Sequence[CurvePoint]
    smallest_group: Mapping[str, int]
    examined: Sequence[int]
    taken_back: Sequence[TakenBack] | None = None


# ---- cuts, boxes, groups ---------------------------------------------------------------------------------------------------


@frozen(eq=False, repr=False, kw_only=True)
class CutFacts(Facts):
    """The cheapest cuts that were found, among ``search_space`` many.

    ``cost`` is at least ``lower_bound``, and ``gap`` the share of it that could be saved at most; ``nodes`` were looked at.
    ``splits`` and ``cuts`` name what is published by column, ``optima`` all that cost as little. ``left_out`` records are in
    groups that are too small. Of an evolution: the ``metric``, ``suppressed_records``, the number of ``evaluations``, the
    ``history`` of the best, and the length of a string in ``bits``.
    """

    cost: float
    search_space: int
    lower_bound: float | None = None
    gap: float | None = None
    nodes: int | None = None
    splits: Mapping[str, Sequence[str]] | None = None
    cuts: Mapping[str, Sequence[str]] | None = None
    left_out: int | None = None
    optima: Sequence[Mapping[str, Sequence[str]]] | None = None
    metric: str | None = None
    suppressed_records: int | None = None
    evaluations: int | None = None
    history: Sequence[ImprovementStep] | None = None
    bits: int | None = None


@frozen(eq=False, repr=False, kw_only=True)
class BoxFacts(Facts):
    """Groups that are published as boxes.

    ``ncp`` is the weighted penalty of all records, ``dm`` the discernibility. ``cuts``, ``merges``, ``loans``, ``steps``,
    ``attempts`` and ``cancelled`` count what was done; ``presence`` is the share of each box that is inside.
    """

    groups: int
    smallest_group: int
    largest_group: int
    ncp: float | None = None
    dm: int | None = None
    cuts: int | None = None
    merges: int | None = None
    loans: int | None = None
    steps: int | None = None
    attempts: int | None = None
    cancelled: int | None = None
    presence: Sequence[float] | None = None


@frozen(eq=False, repr=False, kw_only=True)
class GroupFacts(Facts):
    """Groups of records that keep their values in the house.

    ``l`` values differ in each; ``residues`` were put into groups afterwards, ``residues_by_bucket`` says how many of them had
    each sensitive value, in the order of values. ``moments`` are count, mean and covariance by group;
    ``groups_without_variance`` hold equal records only. ``error_sum`` and ``error_max`` are ranges of the sensitive
    number. ``radius`` is at most ``guarantee`` times the optimum, which is at least ``optimum_at_least``, over ``clusters``.
    ``sse`` of ``sst``: squares inside groups, and in all.
    """

    groups: int | None = None
    smallest_group: int | None = None
    largest_group: int | None = None
    sse: float | None = None
    sst: float | None = None
    l: int | None = None
    residues: int | None = None
    residues_by_bucket: Sequence[int] | None = None
    groups_without_variance: int | None = None
    moments: Mapping[str, Sequence[object]] | None = None
    error_sum: float | None = None
    error_max: float | None = None
    radius: float | None = None
    optimum_at_least: float | None = None
    guarantee: int | None = None
    clusters: int | None = None


# ---- procedures and owners -------------------------------------------------------------------------------------------------


@frozen(eq=False, repr=False, kw_only=True)
class MechanismFacts(Facts):
    """What a random procedure did.

    ``ledger`` lists what was spent on what. ``noisy_counts`` are the counts by marginal. ``isolation`` is what the audit found.
    ``cells`` are boxes with their counts, or the number of cells of a domain; ``non_empty_cells`` and ``depth`` go with boxes.
    ``mean_side`` and ``mean_move`` say how far points were moved. ``prior`` and ``delta`` are those of drawn records;
    ``domain_size``, ``kept`` and ``counterfeits`` those of records kept among false ones; ``worst_growth`` bounds what a
    belief gains. ``distorted_groups`` of ``groups`` held ``distorted_records`` whose value was replaced, by ``shares_from``
    other groups or the bound.
    """

    ledger: Sequence[tuple[str, float]] | None = None
    noisy_counts: Mapping[str, Sequence[object]] | None = None
    isolation: Mapping[str, object] | None = None
    cells: int | Sequence[Sequence[object]] | None = None
    non_empty_cells: int | None = None
    depth: int | None = None
    mean_side: Mapping[str, float] | None = None
    mean_move: float | None = None
    prior: float | None = None
    delta: float | None = None
    domain_size: int | None = None
    kept: int | None = None
    counterfeits: int | None = None
    worst_growth: float | None = None
    groups: int | None = None
    distorted_groups: int | None = None
    distorted_records: int | None = None
    shares_from: str | None = None


@frozen(eq=False, repr=False, kw_only=True)
class OwnerFacts(Facts):
    """Blocks around owners who asked for protection; all positions are those of records, or of published rows if added.

    ``blocks`` are published and ``withheld`` ones are not; ``suppressed`` records are left out, nothing could be done for
    ``pending`` ones, ``protected`` ones asked. ``deviation`` is the largest of a block, counted anew.
    """

    status: str
    blocks: Sequence[OwnerBlock]
    withheld: Sequence[OwnerBlock]
    suppressed: Sequence[int]
    pending: Sequence[int]
    rounds: int
    added_rows: Sequence[int]
    rows_added: int
    protected: Sequence[int]
    owners: Owners
    deviation: float | None = field(default=None, metadata={"told": True})

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say what became of the owners."""
        return [self.owners.words()]


@frozen(eq=False, repr=False, kw_only=True)
class GuardFacts(Facts):
    """Groups in which sensitive values climbed until no guarding node can be inferred: what that cost, and the worst breach."""

    iloss: float
    iloss_quasi_identifiers: float
    iloss_sensitive: float
    guarding_owners: int
    cells_generalized: int
    highest_breach: float
    groups: int


# ---- releases that no search found -----------------------------------------------------------------------------------------


@frozen(eq=False, repr=False, kw_only=True)
class KindRequest(Record):
    """A request for a release of a kind, as plain data for whoever has to make it again."""

    kind: str
    groups: str | None
    qid: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    requirements: Sequence[Mapping[str, object]] = ()
    parameters: Mapping[str, object]


@frozen(eq=False, repr=False, kw_only=True)
class MadeFacts(Facts):
    """A release that was made as asked: how, how far from the original, why which cells are empty, what groups were called."""

    asked: KindRequest | None = None
    compared_with_the_original: Sequence[Mapping[str, object]] | None = None
    suppressed: Mapping[str, int] | None = None
    label_of_group: Mapping[str, str] | None = None
