"""Anatomy pair: exact quasi-identifiers in one table, sensitive values counted by group in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.alike import Alike
from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.columns import check_columns, coded, coded_counts, coded_numbers, made
from sfumato.contracts.engine import Table
from sfumato.contracts.release import Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.errors import BadRequest
from sfumato.groups.anatomy import anatomy_groups, listed_counts
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Ints
from sfumato.releases._parts import Groups, free_name, group_numbers, links_of, shuffled
from sfumato.releases.grouped import GroupedKind, distinct_names, one_or_more

__all__ = ["AnatomyPair"]


class AnatomyPair(GroupedKind):
    """Exact quasi-identifiers in one table, sensitive values counted by group in another.

    ``QIT(qid..., GroupID)`` has one row per record, ``ST(GroupID, sensitive..., Count)`` one per group and sensitive value. A
    record has value s with probability ``count_g(s) / |g|``; the release bounds the largest of these. Rows of QIT are
    shuffled inside each group, so that their order says nothing of sensitive values. ``form="bucketized"`` publishes one
    table instead, in which sensitive values are shuffled inside each group: the same information in another shape.

    Linking of records is not prevented: quasi-identifiers are exact. Values keep their exactness for aggregate queries.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.engines import from_rows
    >>> rows = [(30, "Flu"), (32, "HIV"), (38, "Flu"), (36, "Heart")]
    >>> table = from_rows(["Age", "Disease"], rows)
    >>> made = AnatomyPair.build(table, [1, 1, 2, 2], ["Age"], "Disease", np.random.default_rng(0))
    >>> made.tables["st"].to_rows()
    [(1, 'Flu', 1), (1, 'HIV', 1), (2, 'Flu', 1), (2, 'Heart', 1)]
    >>> AnatomyPair(qid=("Age",), sensitive=("Disease",)).guarantee(made.tables)
    {'max_link_probability': 0.5, 'l': 2}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.2.
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006.
    """

    id: ClassVar[str] = "anatomy-pair"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=False,
        verifiable=say("verifiable.anatomy"),
        published="groups",
        stops=frozenset({"attribute", "probabilistic"}),
        counted_by="groups",
    )

    count: str = param(default="Count", doc="name of the published column of counts")
    form: str = param(default="pair", choices=("pair", "bucketized"), doc="two tables, or one with shuffled values")

    def validate(self) -> None:
        """Refuse names that clash."""
        super().validate()
        distinct_names(self, [self.group, *self.sensitive, self.count])

    @classmethod
    def build(
        cls,
        table: Table | Alike,
        groups: Groups,
        qid: Sequence[str],
        sensitive: str | Sequence[str],
        rng: np.random.Generator,
        *,
        group: str | None = None,
        count: str | None = None,
        form: Literal["pair", "bucketized"] = "pair",
    ) -> Built:
        """Return the release of a table under a given grouping (one number per record).

        Only the named columns are published. Group numbers are published as they are: number groups so that the numbers
        tell nothing of the input's order. Their column, and that of counts, has a name that no other column has.
        """
        secrets = one_or_more(sensitive)
        group = free_name("GroupID", [*qid, *secrets]) if group is None else group
        count = free_name("Count", [group, *qid, *secrets]) if count is None else count
        kind = cls(qid=tuple(qid), sensitive=secrets, group=group, count=count, form=form)
        check_columns(table, "qid", kind.qid)
        check_columns(table, "sensitive", kind.sensitive)
        records = table if isinstance(table, Alike) else Alike.placed(table, [*kind.qid, *kind.sensitive])
        numbers = group_numbers(groups, len(records))
        order = shuffled(numbers, rng)
        exact = records.shown(kind.qid, order) | {group: coded_numbers(numbers[order])}
        true = records.shown(kind.sensitive, order)
        if form == "bucketized":
            # A second shuffle keeps the groups where they are and parts sensitive values from their records.
            mixed = records.shown(kind.sensitive, shuffled(numbers, rng))
            tables = {"data": coded(exact | mixed, records.types, records.home)}
        else:
            del numbers, order  # as much again as a column of the release each, and what follows needs room
            listed = coded_counts({group: exact[group]} | true, records.types, count, records.home)
            tables = {"qit": coded(exact, records.types, records.home), "st": listed}
        return Built(kind, tables, links_of(records, {name: exact[name] for name in kind.qid} | true, exact[group]))

    def part_names(self) -> tuple[str, ...]:
        return ("qit", "st") if self.form == "pair" else ("data",)

    def roles(self) -> Mapping[str, Role]:
        return {**super().roles(), self.group: Role.PLAIN} | (
            {} if self.count in self.qid else {self.count: Role.PLAIN}
        )

    def records(self, parts: Parts) -> Table:
        return self.tables(parts)[self.part_names()[0]]

    def groups(self, parts: Parts) -> GroupStats:
        """Return the groups; refuse tables that do not fit together."""
        tables = self.tables(parts)
        self._refuse_bad_columns(tables)
        if self.form == "bucketized":
            data = tables["data"]
            if data.missing()[self.group]:
                raise BadRequest("a group is missing", column=self.group)
            return data.groups([self.group], list(self.sensitive))
        qit, st = tables["qit"], tables["st"]
        if len(self.sensitive) == 1:
            return anatomy_groups(qit, st, group=self.group, sensitive=self.sensitive[0], count=self.count)
        return self._composite(qit, st)

    def cells(self, parts: Parts) -> GroupStats:
        tables = self.tables(parts)
        self.groups(tables)
        if self.form == "bucketized":
            return tables["data"].groups([self.group, *self.sensitive])
        listed = tables["st"].groups([self.group, *self.sensitive, self.count])
        return GroupStats(listed.columns[:-1], listed.keys[:-1], listed_counts(self.count, listed.keys[-1]))

    def _composite(self, qit: Table, st: Table) -> GroupStats:
        """Judge each sensitive column by its own counts: sums of the listed ones over the other columns."""
        listed = st.groups([self.group, *self.sensitive, self.count])
        coded = [CodedKeys.of(keys) for keys in listed.keys]
        if (listed.sizes > 1).any() or len(_distinct(coded[:-1])[0]) < len(listed):
            raise BadRequest("lists sensitive values twice in one group", parameter="st")
        if any(not isinstance(count, int) or count <= 0 for count in set(coded[-1])):
            raise BadRequest("counts must be positive whole numbers", parameter="st", column=self.count)
        counts = listed_counts(self.count, coded[-1])
        found: list[GroupStats] = []
        for name, values in zip(self.sensitive, coded[1:-1], strict=True):
            first, number = _distinct([coded[0], values])
            columns = {
                self.group: list(coded[0].take(first)),
                name: list(values.take(first)),
                self.count: np.bincount(number, weights=counts).astype(np.int64),
            }
            found.append(
                anatomy_groups(qit, made(columns, st.home), group=self.group, sensitive=name, count=self.count)
            )
        histograms = {name: one.histograms[name] for name, one in zip(self.sensitive, found, strict=True)}
        return GroupStats(found[0].columns, found[0].keys, found[0].sizes, histograms)

    def _refuse_bad_columns(self, tables: Mapping[str, Table]) -> None:
        if self.form == "bucketized":
            self._refuse_columns("data", tables["data"], [*self.qid, self.group, *self.sensitive])
        else:
            self._refuse_columns("qit", tables["qit"], [*self.qid, self.group])
            self._refuse_columns("st", tables["st"], [self.group, *self.sensitive, self.count])
        for part, table in tables.items():
            if table.types[self.group] is not ColumnType.INTEGER:
                raise BadRequest(
                    "group numbers must be whole numbers",
                    parameter=part,
                    column=self.group,
                    value=str(table.types[self.group]),
                )

    def statement(self) -> Statement:
        fit = [say("statement.pair_fits")]
        return Statement(
            checked=[
                *(fit if self.form == "pair" else []),
                say("statement.sensitive_counts"),
                say("statement.exact_qid"),
                say("statement.largest_share"),
            ],
            not_checkable=[
                say("statement.own_group"),
                say("statement.order_drawn"),
                say("statement.linkage_open"),
            ],
        )


def _distinct(columns: Sequence[CodedKeys]) -> tuple[Ints, Ints]:
    """Return the first place of each combination of values, and which of them stands at each place."""
    number = np.zeros(len(columns[0]), np.int64)
    for keys in columns:
        _, number = np.unique(number * (len(keys.values) + 1) + keys.codes + 1, return_inverse=True)
    return np.unique(number, return_index=True)[1], number
