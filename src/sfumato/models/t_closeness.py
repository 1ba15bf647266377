"""t-closeness: in every group the sensitive column is distributed nearly as in the whole table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from sfumato.contracts.model import RELATIVE_SLACK, Bound, Numbers, TableTraits, Verdict, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, InternalError
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel
from sfumato.models.shares import Shares, by_group_sum, single

__all__ = ["TCloseness"]

GROUND_DISTANCES = ("equal", "ordered", "hierarchical", "matrix")

# Sums of counts times counts stay exact below this; larger tables are computed in floating point.
_EXACT = 2**62
_CELLS = 1 << 22  # counts that are laid out in a table


_NARROW = 1 << 31  # records from which on numbers of four bytes do not count them


class TCloseness(SensitiveModel):
    """In every group the sensitive column is distributed nearly as in the whole table.

    Let ``Q`` be the distribution of the sensitive column in the table and ``P`` that in a group. The Earth Mover's
    Distance between them is the least work of moving shares from ``Q`` to ``P``, where moving a share from value i to
    value j costs the ground distance ``d(i, j)`` in [0, 1]. t-closeness holds iff the distance is at most t in every group.
    There is no default ground distance, the publisher must choose:

    ``equal``
        ``d = 1`` for different values: ``EMD = 1/2 sum |p_i - q_i|``. For categories.
    ``ordered``
        the m values of the table in order, ``d(i, j) = |i - j| / (m - 1)``:
        ``EMD = 1/(m - 1) sum_i |sum_(j <= i) (p_j - q_j)|``. For numbers and dates; other values need ``values``, lowest
        first.
    ``hierarchical``
        the height of the lowest common ancestor in a taxonomy over the height H of its root. A leaf has height 0, an inner
        node that of its highest child plus 1, so that
        ``EMD = sum over nodes v below the root of (height(parent) - height(v)) / (2 H) |P(v) - Q(v)|``. The taxonomy is
        the parameter, or the hierarchy of the column that comes with the check.
    ``matrix``
        any symmetric distances between ``values``, solved as a transport problem for each different group.

    The distance is convex in ``P``, hence merging groups never raises the largest one. t = 0 asks for equal distributions,
    every table is 1-close. It says nothing about proximity of numbers and has no levels for single values.

    Adversary: knows the distribution in the table and which group a person is in, and learns how the group differs.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Flu": 1, "HIV": 1}, {"Flu": 94, "HIV": 4}], column="Disease")
    >>> model = TCloseness(t=0.1, sensitive="Disease", ground_distance="equal")
    >>> verdict = model.check(groups)
    >>> verdict.satisfied, verdict.strongest, verdict.violations[0].witness["ratio"]
    (False, 0.45, 10.0)
    >>> model.distance({"Flu": 0.5, "HIV": 0.5}, {"Flu": 0.95, "HIV": 0.05})
    0.45

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.8.
    Li, Li, Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", 2007,
    doi:10.1109/ICDE.2007.367856.
    """

    id: ClassVar[str] = "t-closeness"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute", "probabilistic"}),
        evaluation="group+table",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.t-closeness")
    level: ClassVar[str] = "t"
    # One record far from the table drags ten others with it: half the table is A.
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"A": 1}, {"A": 6, "B": 4}, {"A": 13, "B": 16}], column="Disease"),
            [0, 0, 1],
        )
    }

    t: float = param(ge=0, le=1, doc="largest distance between a group and the whole table")
    ground_distance: str = param(choices=GROUND_DISTANCES, doc="how far apart two values of the column are")
    values: tuple[Hashable, ...] | None = param(
        default=None, doc="values from lowest to highest (ordered), or those of the rows of the matrix"
    )
    taxonomy: Mapping[str, object] | None = param(
        default=None, doc="nested tree of the values; the column's hierarchy if not given (hierarchical)"
    )
    matrix: tuple[tuple[float, ...], ...] | None = param(
        default=None, doc="distance of each pair of values, between 0 and 1 (matrix)"
    )

    # ---- parameters --------------------------------------------------------------------------------------------------

    def validate(self) -> None:
        """Refuse parameters that the ground distance does not use, and distances that are none."""
        super().validate()
        used = {"ordered": ("values",), "hierarchical": ("taxonomy",), "matrix": ("values", "matrix")}
        for name in ("values", "taxonomy", "matrix"):
            if getattr(self, name) is not None and name not in used.get(self.ground_distance, ()):
                users = [distance for distance, names in used.items() if name in names]
                raise BadRequest(
                    f"is for the ground distances {', '.join(users)} only",
                    parameter=f"{self.id}.{name}",
                    value=self.ground_distance,
                )
        if self.values is not None and len(set(self.values)) != len(self.values):
            raise BadRequest("names a value twice", parameter=f"{self.id}.values", value=list(self.values))
        if self.taxonomy is not None:
            if not isinstance(self.taxonomy, Mapping):
                kind = type(self.taxonomy).__name__
                raise BadRequest("must be a mapping of labels", parameter=f"{self.id}.taxonomy", value=kind)
            _ = self._tree
        if self.ground_distance == "matrix":
            self._refuse_bad_matrix()

    def _refuse_bad_matrix(self) -> None:
        for name in ("values", "matrix"):
            if getattr(self, name) is None:
                raise BadRequest("is required for the ground distance matrix", parameter=f"{self.id}.{name}")
        where, size = f"{self.id}.matrix", len(self.values or ())
        rows = self.matrix or ()
        if len(rows) != size or any(len(row) != size for row in rows):
            raise BadRequest(f"must have {size} rows and columns, one for each value", parameter=where)
        costs = self._costs
        if not ((costs >= 0) & (costs <= 1)).all():
            raise BadRequest("distances must lie between 0 and 1", parameter=where)
        if costs.diagonal().any() or not np.array_equal(costs, costs.T):
            raise BadRequest("must be symmetric, with 0 from each value to itself", parameter=where)

    @cached_property
    def _tree(self) -> Tree:
        if self.taxonomy is None:
            raise BadRequest(
                "needs the taxonomy of the sensitive column", column=self.sensitive, parameter=f"{self.id}.taxonomy"
            )
        return Tree.from_nested(self.taxonomy, column=self.sensitive)

    @cached_property
    def _costs(self) -> Floats:
        return np.array(self.matrix, np.float64).reshape(len(self.matrix or ()), -1)

    # ---- judging -----------------------------------------------------------------------------------------------------

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the groups on the model's quasi-identifier; a lacking taxonomy is the column's hierarchy."""
        if self.ground_distance == "hierarchical" and self.taxonomy is None:
            tree = publication.tree(self.sensitive)
            return self.with_trees({self.sensitive: tree}).judge(publication, worst=worst)
        return super().judge(publication, worst=worst)

    def with_trees(self, trees: Mapping[str, Tree]) -> Self:
        """Return the model with the hierarchy of its column as taxonomy: whoever verifies a release has no other."""
        if self.ground_distance != "hierarchical" or self.taxonomy is not None or self.sensitive not in trees:
            return self
        return replace(self, taxonomy=trees[self.sensitive].to_nested())

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the distance of each group from the whole table."""
        return self._distances(Shares.of(groups, self))

    def least_removed(self, groups: GroupStats, values: Numbers) -> Ints:
        """Return a share of each group: the distance D is convex in the distribution and never above 1.

        What stays has a distance of at most t, what goes one of at most 1, so ``D <= (1 - r) t + r`` for the share r that goes,
        and ``r >= (D - t) / (1 - t)``. With equal ground distances the most records that can stay are known.
        """
        held = groups.histograms[self.sensitive]
        if self.ground_distance == "equal" and len(groups) * len(held.values) <= _CELLS:
            nothing = np.zeros(len(groups), bool)
            found = self.judge_counts(
                held.dense().astype(np.int32), groups.sizes, nothing, groups.whole_table(self.sensitive)
            )
            if found is not None:
                return found[1]
        over = np.asarray(values) - self.t * (1 + RELATIVE_SLACK)
        share = np.divide(over, 1.0 - self.t, out=np.ones(len(groups)), where=self.t < 1 - 1e-9)
        least: Ints = np.ceil(np.where(over > 0, share, 0.0).clip(0, 1) * groups.sizes - 1e-6).astype(np.int64)
        return least

    def judge_counts(self, counts: Codes, sizes: Ints, skipped: Bools, whole: Ints) -> tuple[Bools, Ints] | None:
        """Return what fails and what must leave at once, if all values are equally far apart."""
        if self.ground_distance != "equal" or whole.sum() >= _NARROW:
            return None
        from sfumato.models._closeness_kernels import equal_distances

        distances, least = equal_distances(counts, sizes, skipped, whole, self._limit)
        return distances > self._limit, least

    def bound(self) -> Bound:
        """Distances must be at most t."""
        return at_most(self.t)

    @cached_property
    def _limit(self) -> float:
        return self.bound().limit

    def distance(self, group: Mapping[Hashable, float], overall: Mapping[Hashable, float]) -> float:
        """Return the distance between two distributions, each given as counts or probabilities of values.

        >>> salaries = dict.fromkeys(range(3000, 12000, 1000), 1)
        >>> model = TCloseness(t=0.2, sensitive="Salary", ground_distance="ordered")
        >>> model.distance({3000: 1, 4000: 1, 5000: 1}, salaries)
        0.375
        """
        return float(self._distances(Shares.of_two(group, overall))[0])

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the value whose share grows most, before and after the group is known."""
        shares = Shares.of(single(groups, self.sensitive, group), self)
        return shares.belief(int(np.argmax(shares.surplus)))

    # ---- the four distances ------------------------------------------------------------------------------------------

    def _distances(self, shares: Shares) -> Floats:
        if len(shares.size) == 0:
            return np.empty(0)
        match self.ground_distance:
            case "equal":
                return _equal(shares)
            case "ordered":
                return _ordered(shares, self._ranks(shares))
            case "hierarchical":
                return _hierarchical(shares, self._tree, self._leaves(shares))
            case _:
                return _transported(shares, self._rows(shares), self._costs)

    def _ranks(self, shares: Shares) -> Ints:
        """Return the rank of each value among those that occur; -1 for the others."""
        codes = shares.occurring.tolist()
        if self.values is not None:
            place = {value: rank for rank, value in enumerate(self.values)}
            self._refuse_unknown([shares.values[code] for code in codes], place)
            codes.sort(key=lambda code: place[shares.values[code]])
        else:
            kinds = {type(shares.values[code]) for code in codes}
            if str in kinds or type(None) in kinds:
                what = "missing values" if type(None) in kinds else "text"
                raise BadRequest(
                    f"holds {what}, which has no order of its own; list every value in it, lowest first",
                    column=self.sensitive,
                    parameter=f"{self.id}.values",
                )
            codes.sort(key=lambda code: shares.values[code])
        ranks = np.full(len(shares.values), -1, np.int64)
        ranks[codes] = np.arange(len(codes))
        return ranks

    def _leaves(self, shares: Shares) -> Ints:
        """Return the leaf of each value; values are matched by their text."""
        tree = self._tree
        texts = ["" if value is None else to_text(value) for value in shares.values]
        known = {to_text(leaf): number for number, leaf in enumerate(tree.leaves)}
        leaves = np.array([known.get(text, -1) for text in texts], np.int64)
        lost = [shares.values[code] for code in shares.occurring if leaves[code] < 0]
        if lost:
            raise tree.unknown(lost, column=self.sensitive)
        return leaves

    def _rows(self, shares: Shares) -> Ints:
        """Return the row of the matrix of each value."""
        place = {value: row for row, value in enumerate(self.values or ())}
        self._refuse_unknown([shares.values[code] for code in shares.occurring], place)
        return np.array([place.get(value, -1) for value in shares.values], np.int64)

    def _refuse_unknown(self, values: Sequence[Hashable], known: Mapping[Hashable, int]) -> None:
        lost = [value for value in values if value not in known]
        if lost:
            raise BadRequest(
                "lacks a value of the column",
                column=self.sensitive,
                parameter=f"{self.id}.values",
                value=lost,
                available=known,
            )


def _equal(shares: Shares) -> Floats:
    # Half the sum of all differences is the sum of the positive ones, and only values that occur can have those.
    return np.asarray(by_group_sum(np.maximum(shares.surplus, 0), shares.start) / (shares.size * shares.total))


def _ordered(shares: Shares, ranks: Ints) -> Floats:
    """Add up |P_i - Q_i| of the cumulative shares; between two values of a group P_i is constant and Q_i only rises."""
    order = np.argsort(ranks, kind="stable")
    order = order[ranks[order] >= 0]
    last = len(order) - 1
    if last < 1:
        return np.zeros(len(shares.size))
    size, total, count = shares.size, shares.total, shares.count
    if np.issubdtype(size.dtype, np.integer) and float(last + 1) * float(size.max()) * float(total) >= _EXACT:
        size, count, total = size.astype(np.float64), count.astype(np.float64), float(total)
    below = np.cumsum(shares.whole[order]).astype(size.dtype)  # table records up to each rank
    summed = np.concatenate([np.zeros(1, below.dtype), np.cumsum(below)])
    rank = ranks[shares.code]
    if not (np.diff(ranks[ranks >= 0]) > 0).all():
        turn = np.lexsort((rank, shares.group))
        rank, count = rank[turn], count[turn]
    running = np.cumsum(count)
    first = shares.start[:-1]
    held = running - np.repeat(running[first] - count[first], np.diff(shares.start))  # group records up to each entry
    until = np.append(rank[1:], last)
    until[shares.start[1:] - 1] = last
    size_here = size[shares.group]
    level = held * total
    exact = np.issubdtype(size.dtype, np.integer)
    crossing = np.searchsorted(below, np.floor_divide(level, size_here) if exact else level / size_here, side="right")
    crossing = np.clip(crossing, rank, until)
    work = level * (2 * crossing - rank - until) - size_here * (2 * summed[crossing] - summed[rank] - summed[until])
    # Before its first value a group has no records, so all of the table's lie ahead.
    work[first] += size * summed[rank[first]]
    return np.asarray(by_group_sum(work, shares.start) / (size * (float(total) * last)))


def _hierarchical(shares: Shares, tree: Tree, leaves: Ints) -> Floats:
    """Add up |P(v) - Q(v)| over the nodes, weighted by the height a share gains on its way from v to the parent."""
    if tree.height == 0:
        return np.zeros(len(shares.size))
    climb = np.zeros(len(tree), np.int64)
    climb[1:] = tree.rise[tree.parent[1:]] - tree.rise[1:]
    per_leaf = np.zeros(len(tree.leaves) + 1, shares.whole.dtype)
    np.add.at(per_leaf, leaves[leaves >= 0] + 1, shares.whole[leaves >= 0])
    ahead = np.cumsum(per_leaf)
    whole = ahead[tree.leaf_last] - ahead[tree.leaf_first]
    # Nodes without a record of the group are most of them; what they add follows from the table alone.
    work = (climb * whole).sum() * shares.size
    leaf = leaves[shares.code]
    turn = np.lexsort((leaf, shares.group))
    group, leaf, count = shares.group[turn], leaf[turn], shares.count[turn]
    deepest = int(tree.depth.max())
    for depth in range(1, deepest + 1):
        node = tree.level_nodes[deepest - depth][leaf]
        here = np.flatnonzero(tree.depth[node] == depth)  # a leaf higher up repeats itself below
        if len(here) == 0:
            continue
        nodes, owners = node[here], group[here]
        fresh = np.ones(len(here), bool)
        fresh[1:] = (nodes[1:] != nodes[:-1]) | (owners[1:] != owners[:-1])
        runs = np.flatnonzero(fresh)
        nodes, owners = nodes[runs], owners[runs]
        held = np.add.reduceat(count[here], runs) * shares.total
        expected = whole[nodes] * shares.size[owners]
        np.add.at(work, owners, climb[nodes] * (np.abs(held - expected) - expected))
    return np.asarray(work / (shares.size * (2.0 * tree.height * float(shares.total))))


def _transported(shares: Shares, rows: Ints, costs: Floats) -> Floats:
    """Solve one transport problem for each different histogram."""
    demand = np.zeros(len(costs))
    np.add.at(demand, rows[rows >= 0], shares.whole[rows >= 0] / shares.total)
    solved: dict[tuple[bytes, bytes], float] = {}
    out = np.empty(len(shares.size))
    for group in range(len(out)):
        entries = slice(int(shares.start[group]), int(shares.start[group + 1]))
        supply = shares.count[entries] / shares.size[group]
        row = rows[shares.code[entries]]
        key = (row.tobytes(), supply.tobytes())
        if key not in solved:
            solved[key] = _transport(supply, demand, costs[row])
        out[group] = solved[key]
    return out


def _transport(supply: Floats, demand: Floats, costs: Floats) -> float:
    """Return the least cost of bringing ``supply`` to ``demand``."""
    try:
        from scipy.optimize import linprog
        from scipy.sparse import eye_array, kron, vstack
    except ImportError:
        raise BadRequest(
            "the ground distance matrix needs SciPy, which is not installed; the others do not",
            parameter=f"{TCloseness.id}.ground_distance",
            value="matrix",
            available=GROUND_DISTANCES[:-1],
        ) from None
    wanted = np.flatnonzero(demand > 0)
    demand, costs = demand[wanted], costs[:, wanted]
    here, there = costs.shape
    leaving = kron(eye_array(here), np.ones((1, there)))
    arriving = kron(np.ones((1, here)), eye_array(there))
    found = linprog(
        costs.ravel(),
        A_eq=vstack([leaving, arriving], format="csr"),
        b_eq=np.concatenate([supply, demand]),
        bounds=(0, None),
        method="highs",
    )
    if not found.success:  # both sides add up to one, so only a bug can lead here
        raise InternalError(f"the transport problem of {TCloseness.id} was not solved: {found.message}")
    return max(0.0, float(found.fun))
