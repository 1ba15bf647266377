"""MDAV and V-MDAV: groups of near records are published as what stands for the group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import ROWS_COMPARED, Algorithm, AlgorithmTraits, Attribute, Outcome, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import GroupFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible
from sfumato.groups.representatives import Shape
from sfumato.kernels.arrays import Ints
from sfumato.perturbations.near_groups import (
    Categories,
    Gower,
    NearRecords,
    Numbers,
    mdav,
    sums_of_squares,
    v_mdav,
)
from sfumato.releases.aggregated_table import AggregatedTable
from sfumato.searches.grouping import group_size, records_of
from sfumato.searches.points import points_of, scales_of

__all__ = ["MDAV", "VMDAV"]


class MDAV(Algorithm):
    """Groups of k near records are peeled off the outside of the table and published as what stands for them.

    While at least ``3 k`` records are left: the record farthest from their centre and its ``k - 1`` nearest become a group,
    then the record farthest from that one and its ``k - 1`` nearest. Of ``2 k`` or more that are left, the farthest from
    the centre and its ``k - 1`` nearest are one group, the others the last. So every group has k to ``2 k - 1`` records.
    Ties go to the record that comes first, and centres are added up in that order: records need a place, so that it works on
    rows, up to a million of them. The groups are those of the plain search, which takes ``n^2 / k`` distances; a tree finds
    them sooner.

    Distances are Euclidean over numbers that are divided by their range (``scaled``) or as they are (``euclidean``), or
    Gower's (``gower``): the sum of ``|a - b| / range`` over numbers, of ``(leaves below the lowest common node - 1) /
    (leaves - 1)`` over columns with a hierarchy, and of 0 or 1 over other columns; there the centre is made of medians and
    of the values with the least total distance. If not said, columns of numbers alone are ``scaled`` and others go by
    ``gower``.

    The release is an ``aggregated-table``: numbers are the mean (or median) of their group, other values the one that lies
    nearest to all. **It is not truthful at record level.** Means keep the total of each column. k is that of k-anonymity,
    counted on what is published; requirements on anything but the number of records are refused. Sensitive columns, plain
    ones and the target are published as they are.

    Adversary: that of k-anonymity. The facts hold ``groups``, ``smallest_group``, ``largest_group``, and ``sse`` and
    ``sst``, the squared distances from the means of the groups and of all, in units of the distance (numbers only). ``100
    sse / sst`` is the usual loss.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Age", "Pay"], [(30, 10), (61, 90), (34, 20), (59, 80), (66, 70)])
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}, "Pay": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 2}],
    ...     "algorithm": MDAV().spec(),
    ... }
    >>> sfumato.anonymize(table, policy).table.to_rows()
    [(32.0, 15.0), (32.0, 15.0), (62.0, 80.0), (62.0, 80.0), (62.0, 80.0)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.
    Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", 2005,
    doi:10.1007/s10618-005-0007-5.
    Gower, "A general coefficient of similarity and some of its properties", 1971, doi:10.2307/2528823.
    """

    id: ClassVar[str] = "mdav"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="none",
        release="aggregated-table",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        model_needs=("by_size_alone",),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="about records times their logarithm where they form a cloud; at worst records squared over k",
        works_on="rows",
        most_rows=ROWS_COMPARED,
    )

    distance: str | None = param(
        default=None,
        choices=("scaled", "euclidean", "gower"),
        doc="how far records lie apart; if not given, scaled for numbers and gower where there are other columns",
    )
    statistic: str = param(default="mean", choices=("mean", "median"), doc="what stands for the numbers of a group")
    decimals: int | None = param(
        default=None, ge=0, doc="digits after the decimal point that are published; all if not set"
    )

    def run(self, task: Task, run: Run) -> Outcome:
        """Group the records; the generator is not used."""
        raw = records_of(task, self.id)
        k = group_size(task, self.id, ["mondrian", "tdr"])
        if raw.rows < k:
            raise Infeasible(
                f"k={k} is larger than the number of records, {raw.rows}; no group can be made",
                measured=raw.rows,
                bound=k,
                requirement=task.models[0].id if task.models else None,
            )
        near, distance = self._near(task, raw)
        groups = self._grouped(near, k, run)
        sizes = np.bincount(groups)
        sse, sst = sums_of_squares(near.points, groups) if near.metric.squares else (None, None)
        facts = GroupFacts(
            groups=len(sizes), smallest_group=int(sizes.min()), largest_group=int(sizes.max()), sse=sse, sst=sst
        )
        built = AggregatedTable.build(
            raw,
            groups,
            task.qids,
            statistic=self.statistic,
            decimals=self.decimals,
            trees={one.name: one.tree for one in task.attributes if one.tree is not None},
            beside=[name for name in raw.columns if name not in task.qids],
            settings={"k": k, "distance": distance, "statistic": self.statistic, **self._settings()},
            mechanism=self.id,
        )
        warning = say("warning.aggregated")
        return Outcome(built=built, warnings=[warning], facts=facts)

    def _grouped(self, near: NearRecords, k: int, run: Run) -> Ints:
        return mdav(near, k, run)

    def _settings(self) -> dict[str, object]:
        return {}

    def _near(self, task: Task, raw: Table) -> tuple[NearRecords, str]:
        others = [one.name for one in task.attributes if one.tree is not None or not one.type.numeric]
        distance = self.distance or ("gower" if others else "scaled")
        if distance == "gower":
            return NearRecords.gower(self._columns(task, raw)), distance
        if others:
            raise BadRequest(
                f"{distance} distances are for numbers without a hierarchy",
                column=others[0],
                parameter=f"{self.id}.distance",
                value=distance,
                available=["gower"],
            )
        points = points_of(raw, task.qids)
        return NearRecords.euclidean(points / scales_of(points, task.qids, task.attributes, distance), "none"), distance

    def _columns(self, task: Task, raw: Table) -> Gower:
        codes = raw.as_rows().codes(task.qids, task.table.dictionaries).astype(np.int64)
        return [
            self._column(raw, attribute, task.table.dictionaries[attribute.name].values, codes[:, at])
            for at, attribute in enumerate(task.attributes)
        ]

    def _column(
        self, raw: Table, attribute: Attribute, values: Sequence[Hashable], codes: Ints
    ) -> Numbers | Categories:
        if attribute.tree is not None:
            leaves = attribute.tree.encode(values, column=attribute.name).astype(np.int64)
            return Categories(leaves[codes], Shape.of(attribute.tree))
        if not attribute.type.numeric:
            return Categories(codes, Shape.flat(len(values)))
        points = points_of(raw, [attribute.name])
        return Numbers(points[:, 0], float(scales_of(points, [attribute.name], [attribute], "scaled")[0]))


class VMDAV(MDAV):
    """As MDAV, with groups of variable size: a group takes in records that lie nearer to it than to others.

    The record farthest from the centre of all that has no group, and its ``k - 1`` nearest, become a group. It grows up to
    ``2 k - 1`` records: the record nearest to any of its members joins while ``d_in < gamma * d_out``, d_in being that
    distance and d_out the distance of this record from the nearest other one without a group. Fewer than k that are left
    over join the group with the nearest centre; a group that reaches ``2 k`` by that is parted as MDAV parts its last ``2
    k``. So every group has k to ``2 k - 1`` records. A gamma of 0.2 fits records that are scattered, one of 1.1 records in
    clusters; with 0 no group grows.

    Release, distances, adversary and facts are those of :class:`MDAV`.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Age"], [(30,), (31,), (30,), (60,), (62,)])
    >>> policy = {
    ...     "columns": {"Age": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 2}],
    ...     "algorithm": VMDAV(gamma=1.1).spec(),
    ... }
    >>> sfumato.anonymize(table, policy).private.facts["largest_group"]
    3

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.
    Solanas, Martinez-Balleste, "V-MDAV: a multivariate microaggregation with variable group size", 2006.
    """

    id: ClassVar[str] = "v-mdav"

    gamma: float = param(default=0.2, ge=0, doc="how much nearer a record must be to a group than to others to join it")

    def _grouped(self, near: NearRecords, k: int, run: Run) -> Ints:
        return v_mdav(near, k, self.gamma, run)

    def _settings(self) -> dict[str, object]:
        return {"gamma": self.gamma}
