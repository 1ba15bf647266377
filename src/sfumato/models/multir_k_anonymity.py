"""MultiRelational k-anonymity: every owner shares the quasi-identifier, spread over several tables, with k - 1 others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, Verdict, at_least
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.models._related_tables import RelatedTables, Rows
from sfumato.models.sensitive_model import checked_histogram

__all__ = ["MultiRelationalKAnonymity", "owner_groups"]

SIGNATURE = "owner signature"

Bag: TypeAlias = Mapping[tuple[Hashable, ...], int]


class MultiRelationalKAnonymity(GroupModel):
    """Every owner of records in several joined tables shares the quasi-identifier with at least k - 1 other owners.

    A person table has one row for each owner; child tables refer to it, or to each other, by foreign keys; the
    quasi-identifier is spread over them. In their join every value on QID must occur with at least k different owners: it is
    (X,Y)-anonymity with X = QID and Y = owner. An owner without rows in a child table takes part with missing values.

    An owner may have several values on QID. With ``owner_signature`` the whole bag of them must be shared by k owners, which
    implies the first reading and protects against an adversary who knows several rows of one person.

    Adversary: knows values on QID of a person, from one or several of the tables, and looks for that person.

    Examples
    --------
    >>> model = MultiRelationalKAnonymity(k=2, owner="Pid", qid=("Sex", "City"))
    >>> tables = {
    ...     "person": [{"Pid": 1, "Sex": "M"}, {"Pid": 2, "Sex": "M"}, {"Pid": 3, "Sex": "F"}],
    ...     "visit": [{"Pid": 1, "City": "X"}, {"Pid": 2, "City": "X"}, {"Pid": 3, "City": "Y"}],
    ... }
    >>> verdict = model.judge_tables(tables, person="person")
    >>> verdict.satisfied, verdict.strongest, verdict.violations[0].group
    (False, 1, ('F', 'Y'))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.4 and table 2.1.
    Nergiz, Clifton, Nergiz, "Multirelational k-anonymity", 2009.
    """

    id: ClassVar[str] = "multir-k-anonymity"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
    )
    adversary: ClassVar[str] = say("adversary.multir-k-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of owners that must look alike")
    owner: str = column("any", doc="column that names the owner of a record; the key of the person table")
    owner_signature: bool = param(
        default=False, doc="whether owners look alike only if all their values on the quasi-identifier agree, as a bag"
    )

    def needs(self) -> tuple[str, ...]:
        """Return the owner column."""
        return (self.owner,)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the number of different owners in each group."""
        if self.owner_signature and groups.columns != (SIGNATURE,):
            raise Unsupported(
                f"{self.id} with owner_signature compares all records of an owner, which groups of records do not tell",
                thing=self.id,
                alternatives=["owner_signature=False", "a check of the tables"],
            )
        return checked_histogram(groups, self.owner, "refuse").distinct()

    def bound(self) -> Bound:
        """Each group needs at least k owners."""
        return at_least(self.k)

    def least_size(self) -> int:
        """Return k: as many records as owners."""
        return self.k

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the number of records and owners, and the chance of pointing at the right owner; owners are not named."""
        owners = int(self.measure(groups)[group])
        return {"records": int(groups.sizes[group]), "owners": owners, "record_link_probability": 1 / owners}

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge a table that is joined already, one row for each joined record."""
        if not self.owner_signature or publication.explicit is not None:
            return super().judge(publication, worst=worst)
        groups = publication.groups(self.qid)
        keys = list(zip(*groups.keys, strict=True))
        bags: dict[Hashable, Counter[tuple[Hashable, ...]]] = {}
        numbers = publication.group_of_record(self.qid)
        for owner, number in zip(publication.column(self.owner), numbers.tolist(), strict=True):
            if owner is None:
                raise BadRequest("has missing values; every record needs an owner", column=self.owner)
            bags.setdefault(owner, Counter())[keys[number]] += 1
        return self.check(_by_signature(bags, self.owner), worst=worst)

    def judge_tables(
        self,
        tables: Mapping[str, Table | Rows],
        *,
        person: str,
        keys: Mapping[str, Mapping[str, str]] | None = None,
        worst: int = 10,
    ) -> Verdict:
        """Join the tables along their keys and judge the join; see :func:`owner_groups`."""
        if self.qid is None:
            raise BadRequest("must name the columns an adversary may know", parameter=f"{self.id}.qid")
        groups = owner_groups(
            tables, person=person, owner=self.owner, qid=self.qid, keys=keys, signature=self.owner_signature
        )
        return self.check(groups, worst=worst)

    def necessary(self, records: int) -> str | None:
        """Fewer than k records cannot belong to k owners."""
        return f"k={self.k} is larger than the number of records, {records}" if records < self.k else None


def owner_groups(
    tables: Mapping[str, Table | Rows],
    *,
    person: str,
    owner: str,
    qid: Sequence[str],
    keys: Mapping[str, Mapping[str, str]] | None = None,
    signature: bool = False,
) -> GroupStats:
    """Join a person table with its child tables and return the groups of the join, with the owners in each.

    The join itself is never written out: values on QID are counted owner by owner, child before parent. It is an outer join:
    an owner, or a row that others refer to, takes part with missing values where nothing refers to it.

    Parameters
    ----------
    tables
        Tables, or lists of rows as mappings, by name.
    person
        Name of the person table: one row for each owner.
    owner
        Key column of the person table.
    qid
        Quasi-identifier; ``table.column`` where several tables have a column of that name.
    keys
        For each child table its foreign key, ``{"T1": {"Pid": "PT.Pid"}}``. A child that is not named refers to the person
        table by a column called like ``owner``.
    signature
        Group owners by their whole bag of values on QID instead of records by their value.

    Returns
    -------
    Groups whose sizes count joined records and whose histogram of ``owner`` counts those of each owner.

    Raises
    ------
    BadRequest
        For an owner that is missing or repeats, a key that leads nowhere, tables that refer to each other in a circle, and
        columns that are unknown or ambiguous.

    Examples
    --------
    >>> tables = {"PT": [{"Pid": 1, "Sex": "M"}, {"Pid": 2, "Sex": "M"}], "T1": [{"Pid": 1, "City": "X"}]}
    >>> owner_groups(tables, person="PT", owner="Pid", qid=["Sex", "City"]).as_dict()
    {('M', 'X'): 1, ('M', None): 1}
    """
    names = tuple(qid)
    bags = RelatedTables(tables, person, owner, keys or {}).bags(names)
    return _by_signature(bags, owner) if signature else _by_value(bags, owner, names)


def _by_value(bags: Mapping[Hashable, Bag], owner: str, qid: tuple[str, ...]) -> GroupStats:
    place: dict[tuple[Hashable, ...], int] = {}
    triples = [
        (place.setdefault(value, len(place)), code, count)
        for code, bag in enumerate(bags.values())
        for value, count in bag.items()
    ]
    keys = tuple([value[at] for value in place] for at in range(len(qid)))
    return _stats(qid, keys, len(place), owner, list(bags), triples)


def _by_signature(bags: Mapping[Hashable, Bag], owner: str) -> GroupStats:
    place: dict[frozenset[tuple[Hashable, int]], int] = {}
    triples = [
        (place.setdefault(frozenset(bag.items()), len(place)), code, sum(bag.values()))
        for code, bag in enumerate(bags.values())
    ]
    # Told in one order whatever the order of rows; values may be of types that do not compare.
    told = [tuple(sorted(bag, key=repr)) for bag in place]
    return _stats((SIGNATURE,), (told,), len(place), owner, list(bags), triples)


def _stats(
    columns: tuple[str, ...],
    keys: tuple[Sequence[Hashable], ...],
    groups: int,
    owner: str,
    owners: Sequence[Hashable],
    triples: Sequence[tuple[int, int, int]],
) -> GroupStats:
    group, code, count = np.array(triples, np.int64).reshape(-1, 3).T
    histogram = Histogram.from_pairs(groups, owners, group, code, count)
    return GroupStats(columns, keys, histogram.totals(), {owner: histogram})
