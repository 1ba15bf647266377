"""Microaggregation: every value is replaced by what stands for a group of near records."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed, Values
from sfumato.contracts.thing import columns as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.representatives import Shape, aggregate, middle_leaves
from sfumato.kernels.arrays import Floats, Ints
from sfumato.perturbations._reading import KEEP, REFUSE, matrix, present, refuse_repeats, refuse_unknown, values
from sfumato.perturbations.projected_groups import clusters_of, first_component, groups_of_neighbours

if TYPE_CHECKING:
    from sfumato.perturbations.near_groups import NearRecords

__all__ = ["Microaggregation", "aggregate", "groups_of_neighbours"]

FloatArray = Floats

SINGLE, MDAV, V_MDAV = "single", "mdav", "v-mdav"
PCA, ROBUST, CLUSTERED = "pca", "robust", "clustered"
ALONG = (PCA, ROBUST, CLUSTERED)
EUCLIDEAN, GOWER = "euclidean", "gower"


class Microaggregation(Perturbation):
    """Every value is replaced by what stands for a group of at least k records.

    Groups are given by equal values in the columns ``by``, or found:

    - ``single``: for each column on its own. The values are sorted and every ``k`` neighbours form a group, the last one
      holding what is left, fewer than ``2 k``. Each published number stands for at least ``k`` records, but groups of
      single columns say nothing about combinations: a record can still be unique in two columns together.
    - ``mdav``: for all columns together. The record farthest from the centre and its ``k - 1`` nearest become a group, then
      the record farthest from that one and its ``k - 1`` nearest, until fewer than ``3 k`` are left, which become one or
      two groups.
    - ``v-mdav``: the same around the record farthest from the centre of all, and a group takes in the record nearest to it
      while ``d_in < gamma * d_out``: its distance from the group is below ``gamma`` times that from the nearest record
      without a group. A small ``gamma`` (0.2) fits scattered records, a larger one (1.1) records in clusters.

    - ``pca``: for all columns together. Columns are standardised, records sorted by the first principal component, and every
      ``k`` neighbours form a group. Fast, and coarser than ``mdav``. ``robust`` standardises by median and MAD, so that few
      extreme records do not decide the direction; ``clustered`` first makes ``clusters`` by k-means and then does the same
      inside each of at least ``k`` records.

    Groups that are found hold k to ``2 k - 1`` records. But with ``single`` every combination of the columns that is published
    stands for at least ``k`` records. Means keep the total of every group, and so of the column.

    ``euclidean`` distances are for numbers, divided by ``scale``. ``gower`` is for mixed columns: the sum of ``|a - b| /
    range`` over numbers and of 0 or 1 over categories; with a tree, the share of leaves, but one, below the lowest common
    node. The centre is the lower median of numbers, and of categories the value with the least total distance: the most
    frequent one, or that of the tree. Such a value stands for a group, too. Cost: about ``n log n`` where records form a
    cloud, at worst ``n^2 / k``.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["age", "pay"], [(30, 10), (61, 90), (34, 20), (59, 80), (66, 70)])
    >>> Microaggregation(columns=("age",), k=2).apply(table, np.random.default_rng(7)).values("age")
    [32.0, 62.0, 32.0, 62.0, 62.0]
    >>> made = Microaggregation(columns=("age", "pay"), k=2, method="mdav").apply(table, np.random.default_rng(7))
    >>> list(zip(made.values("age"), made.values("pay")))
    [(32.0, 15.0), (62.0, 80.0), (32.0, 15.0), (62.0, 80.0), (62.0, 80.0)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.
    Domingo-Ferrer, Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure control", 2002,
    doi:10.1109/69.979982.
    Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", 2005,
    doi:10.1007/s10618-005-0007-5.
    Solanas, Martinez-Balleste, "V-MDAV: a multivariate microaggregation with variable group size", 2006.
    Gower, "A general coefficient of similarity and some of its properties", 1971, doi:10.2307/2528823.
    """

    id: ClassVar[str] = "microaggregation"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="none")

    columns: tuple[str, ...] = named(
        "quasi-identifier", doc="columns whose values are replaced; numbers, or mixed with gower"
    )
    k: int = param(ge=1, doc="fewest records of a group")
    by: tuple[str, ...] = named("quasi-identifier", default=(), doc="columns whose equal values make a group")
    method: str = param(
        default=SINGLE,
        choices=(SINGLE, MDAV, V_MDAV, PCA, ROBUST, CLUSTERED),
        doc="how groups are found: column by column, or for all columns together by nearness or along one direction",
    )
    clusters: int = param(default=8, ge=1, doc="clustered: how many clusters k-means looks for")
    gamma: float = param(
        default=0.2, ge=0, doc="v-mdav: how much nearer a record must be to a group than to others to join it"
    )
    distance: str = param(
        default=EUCLIDEAN, choices=(EUCLIDEAN, GOWER), doc="how far records lie apart; gower takes categories too"
    )
    scale: str = param(
        default="range",
        choices=("range", "deviation", "none"),
        doc="what numbers are divided by for euclidean distances",
    )
    trees: Mapping[str, object] | None = param(
        default=None, doc="gower: tree of each column that has one, as a nested mapping of value and children"
    )
    statistic: str = param(default="mean", choices=("mean", "median"), doc="what stands for the numbers of a group")
    decimals: int | None = param(
        default=None, ge=0, doc="digits after the decimal point that are published; all if not set"
    )
    missing: str = param(
        default=REFUSE, choices=(REFUSE, KEEP), doc="whether missing values are refused or stay missing"
    )

    def validate(self) -> None:
        """Refuse to group by a column that is averaged, and settings that the method has no use for."""
        refuse_repeats(self.columns, f"{self.id}.columns")
        both = sorted(set(self.columns) & set(self.by))
        if both:
            raise BadRequest("is averaged and cannot make groups", parameter=f"{self.id}.by", value=both[0])
        if self.method in (SINGLE, *ALONG) and self.distance == GOWER:
            raise BadRequest(
                "is for groups by nearness, mdav and v-mdav", parameter=f"{self.id}.distance", value=self.distance
            )
        if self.method != SINGLE and self.by:
            raise BadRequest("groups are given or found, not both", parameter=f"{self.id}.by", value=list(self.by))
        if self.method != SINGLE and self.missing == KEEP:
            raise BadRequest(
                "a record without a value has no place among the others",
                parameter=f"{self.id}.missing",
                value=self.missing,
                available=[REFUSE],
            )
        self._settle_trees()

    def _settle_trees(self) -> None:
        if self.trees is None:
            return
        if not isinstance(self.trees, Mapping):
            raise BadRequest("must map columns", parameter=f"{self.id}.trees", value=self.trees)
        if self.distance != GOWER:
            raise BadRequest("are for gower distances", parameter=f"{self.id}.trees", value=list(self.trees))
        settled = {}
        for name, tree in self.trees.items():
            if name not in self.columns:
                raise BadRequest(
                    "is not one of the columns", parameter=f"{self.id}.trees", value=name, available=self.columns
                )
            made = tree if isinstance(tree, Tree) else Tree.from_nested(tree, column=name)
            settled[name] = made.to_nested()
        object.__setattr__(self, "trees", settled)

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the columns with the values of groups; nothing is drawn."""
        return self._by_column(table) if self.method == SINGLE else self._together(table)

    # ---- column by column --------------------------------------------------------------------------------------------

    def _by_column(self, table: Table) -> Perturbed:
        data = matrix(table, self.columns, f"{self.id}.columns")
        refuse_unknown(table, self.by, f"{self.id}.by")
        given = _groups(table, self.by) if self.by else None
        new: dict[str, Values] = {}
        smallest: dict[str, int] = {}
        count: dict[str, int] = {}
        for at, name in enumerate(self.columns):
            rows = present(table, [name], self.missing, f"{self.id}.missing")
            numbers = data[rows, at]
            self._refuse_few(len(numbers), name)
            groups = groups_of_neighbours(numbers, self.k) if given is None else _renumbered(given[rows])
            sizes = np.bincount(groups)
            small = int((sizes < self.k).sum())
            if small:
                raise BadRequest(
                    f"{small} of {len(sizes)} groups hold fewer than {self.k} values",
                    column=name,
                    parameter=f"{self.id}.by",
                )
            published = np.full(len(data), np.nan)
            published[rows] = self._aggregated(numbers, groups)
            new[name] = published
            smallest[name], count[name] = int(sizes.min()), len(sizes)
        return Perturbed(self, new, table.rows, self._keeps(), facts={"smallest_group": smallest, "groups": count})

    def _refuse_few(self, held: int, name: str) -> None:
        if held < self.k:
            raise BadRequest(
                f"must be at most the number of values, {held}", column=name, parameter=f"{self.id}.k", value=self.k
            )

    def _aggregated(self, numbers: FloatArray, groups: Ints) -> FloatArray:
        found = aggregate(numbers, groups, self.statistic)
        return found if self.decimals is None else np.round(found, self.decimals)

    # ---- all columns together ------------------------------------------------------------------------------------------

    def _together(self, table: Table) -> Perturbed:
        from sfumato.perturbations.near_groups import mdav, sums_of_squares, v_mdav

        refuse_unknown(table, self.columns, f"{self.id}.columns")
        numeric = [name for name in self.columns if self.distance == EUCLIDEAN or self._number(table, name)]
        data = dict(zip(numeric, matrix(table, numeric, f"{self.id}.columns").T, strict=True)) if numeric else {}
        present(table, self.columns, self.missing, f"{self.id}.missing")
        self._refuse_few(table.rows, self.columns[0])
        coded = {name: self._coded(table, name) for name in self.columns if name not in data}
        near = self._near(data, coded)
        if self.method in ALONG:
            groups = self._along(np.column_stack([data[name] for name in self.columns]))
        else:
            groups = mdav(near, self.k) if self.method == MDAV else v_mdav(near, self.k, self.gamma)
        sizes = np.bincount(groups)
        new: dict[str, Values] = {}
        for name in self.columns:
            if name in data:
                new[name] = self._aggregated(data[name], groups)
            else:
                known, leaves, shape = coded[name]
                new[name] = [known[leaf] for leaf in middle_leaves(leaves, groups, shape)[groups].tolist()]
        facts = {"groups": len(sizes), "smallest_group": int(sizes.min()), "largest_group": int(sizes.max())}
        private: dict[str, object] = {}
        if self.distance == EUCLIDEAN:
            private["sse"], private["sst"] = sums_of_squares(near.points, groups)
        return Perturbed(self, new, table.rows, self._keeps(), facts=facts, private=private)

    def _along(self, points: FloatArray) -> Ints:
        if self.method != CLUSTERED:
            return groups_of_neighbours(first_component(points, robust=self.method == ROBUST), self.k)
        clusters = clusters_of(points, min(self.clusters, len(points)), self.k)
        groups, found = np.empty(len(points), np.int64), 0
        for cluster in range(int(clusters.max()) + 1):
            rows = np.flatnonzero(clusters == cluster)
            groups[rows] = found + groups_of_neighbours(first_component(points[rows]), self.k)
            found = int(groups[rows].max()) + 1
        return groups

    def _number(self, table: Table, name: str) -> bool:
        return table.types[name].numeric and name not in (self.trees or {})

    def _coded(self, table: Table, name: str) -> tuple[list[Hashable], Ints, Shape]:
        """Return the values that a column can have, which of them each record has, and their tree."""
        held = values(table, name)
        if self.trees is not None and name in self.trees:
            tree = Tree.from_nested(self.trees[name], column=name)
            # The leaves of a nested mapping are texts; values of other types are found by theirs.
            known: dict[Hashable, Hashable] = {str(value): value for value in dict.fromkeys(held)}
            leaves = tree.encode([str(value) for value in held], column=name).astype(np.int64)
            return [known.get(leaf, leaf) for leaf in tree.leaves], leaves, Shape.of(tree)
        order = list(table.dictionary(name).values)
        place = {value: at for at, value in enumerate(order)}
        return order, np.array([place[value] for value in held], np.int64), Shape.flat(len(order))

    def _near(
        self, data: Mapping[str, FloatArray], coded: Mapping[str, tuple[list[Hashable], Ints, Shape]]
    ) -> NearRecords:
        from sfumato.perturbations.near_groups import Categories, NearRecords, Numbers

        if self.distance == EUCLIDEAN:
            return NearRecords.euclidean(np.column_stack([data[name] for name in self.columns]), self.scale)
        return NearRecords.gower(
            [Numbers(data[name]) if name in data else Categories(*coded[name][1:]) for name in self.columns]
        )

    def _keeps(self) -> tuple[str, ...]:
        if self.statistic == "median":
            return (say("keeps.group_sizes"), say("keeps.medians"))
        return (
            say("keeps.group_sizes"),
            say("keeps.means_exactly") if self.decimals is None else say("keeps.means_rounded"),
        )


def _groups(table: Table, by: tuple[str, ...]) -> Ints:
    numbers: dict[tuple[Hashable, ...], int] = {}
    records = zip(*(values(table, name) for name in by), strict=True)
    return np.array([numbers.setdefault(record, len(numbers)) for record in records], np.int64)


def _renumbered(groups: Ints) -> Ints:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)
