"""Count queries on raw tables and on releases, and how far the answers lie apart.

A reader of a release who asks how many records meet a condition on quasi-identifiers and a sensitive value estimates:

- from a recoded table, ``sum_g |{r in g: S(r)}| * prod_A |range_g(A) and Q_A| / |range_g(A)|``: raw values are taken to be
  spread evenly over what each label stands for;
- from an anatomized or permuted release, ``sum_g |{r in g: Q(r)}| * sum_{s in S} count_g(s) / |g|``: quasi-identifiers are
  exact and every record of a group is equally likely to have each of its sensitive values.

Workloads are drawn as in the second reference: some quasi-identifiers at random and the sensitive column, each with as many
values as the wanted selectivity needs.

References
----------
Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.2, Example 3.1.
Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006, section 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from sfumato.catalogue import things
from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.release import Parts, ReleaseKind
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.releases.grouped import GroupedKind
from sfumato.utility.conditions import Among, Between, Condition, CountQuery, PublishedColumn, Values

__all__ = [
    "Among",
    "Between",
    "CountQuery",
    "Counter",
    "GroupedCounter",
    "QueryErrors",
    "RawCounter",
    "RecodedCounter",
    "counter_of",
    "query_errors",
    "relative_errors",
    "workload",
]

Shares = Callable[[Values], Sequence[float] | Bools]
"""What share of each value counts."""

QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.95)


class Counter(Protocol):
    """Anything that answers count queries."""

    def count(self, query: CountQuery) -> float:
        """Return how many records meet the query, exactly or as an estimate."""


@frozen(eq=False)
class _Cells:
    """Distinct rows over some columns with their weights; each column as its distinct values and a position per row."""

    weights: Floats
    values: Mapping[str, Values]
    codes: Mapping[str, Ints]

    @classmethod
    def of(cls, groups: GroupStats) -> _Cells:
        values: dict[str, Values] = {}
        codes: dict[str, Ints] = {}
        for name, keys in zip(groups.columns, groups.keys, strict=True):
            if isinstance(keys, CodedKeys):
                # A missing value has position -1: the last entry stands for it.
                values[name], codes[name] = Values((*keys.values, None)), keys.codes.astype(np.int64)
            else:
                place: dict[Hashable, int] = {}
                codes[name] = np.array([place.setdefault(key, len(place)) for key in keys], np.int64)
                values[name] = Values(place)
        return cls(groups.sizes.astype(np.float64), values, codes)

    def matching(self, shares: Mapping[str, Shares]) -> Floats:
        """Return the weight of each row times the shares of its values; ``shares`` maps columns to functions of values."""
        out = self.weights.copy()
        for name, share in shares.items():
            out *= np.array(share(self.values[name]), np.float64)[self.codes[name]]
        return out


def _holding(query: CountQuery, columns: Sequence[str]) -> dict[str, Shares]:
    return {name: query.where[name].each for name in query.columns if name in columns}


def _refuse_unknown(query: CountQuery, columns: Sequence[str]) -> None:
    for name in query.columns:
        if name not in columns:
            raise BadRequest("is not a column that can be asked about", column=name, value=name, available=columns)


class RawCounter:
    """Counts the records of a table that meet a query.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Disease"], [(38, "Heart"), (38, "Flu"), (36, "Heart")])
    >>> RawCounter(table).count(CountQuery({"Age": Among([38]), "Disease": Among(["Heart"])}))
    1.0
    """

    def __init__(self, table: Table, columns: Sequence[str] | None = None) -> None:
        self.columns = tuple(columns or table.columns)
        self._cells = _Cells.of(table.groups(self.columns))

    def count(self, query: CountQuery) -> float:
        """Return the number of records."""
        _refuse_unknown(query, self.columns)
        return float(self._cells.matching(_holding(query, self.columns)).sum())


class RecodedCounter:
    """Estimates from a recoded table, raw values being spread evenly over what each label stands for.

    ``recodings`` are those of the release; ``trees`` stand in for them where only hierarchies are known. ``types`` are those of
    the raw columns, ``domains`` the raw values that exist. Columns of which nothing is known, and of which no label is an
    interval or ``*``, are taken as they stand.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Disease"], [("[35-40)", "Heart"), ("[35-40)", "Heart")])
    >>> RecodedCounter(table).count(CountQuery({"Age": Among([38]), "Disease": Among(["Heart"])}))
    0.4
    """

    def __init__(
        self,
        table: Table,
        recodings: Mapping[str, ColumnRecoding] | None = None,
        *,
        trees: Mapping[str, Tree] | None = None,
        types: Mapping[str, ColumnType] | None = None,
        domains: Mapping[str, Sequence[Hashable]] | None = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        self.columns = tuple(columns or table.columns)
        self._cells = _Cells.of(table.groups(self.columns))
        self._known = {
            name: PublishedColumn(
                name,
                (types or {}).get(name),
                (recodings or {}).get(name),
                (trees or {}).get(name),
                (domains or {}).get(name),
            )
            for name in self.columns
        }

    def count(self, query: CountQuery) -> float:
        """Return the estimate."""
        _refuse_unknown(query, self.columns)
        shares = {name: self._share(name, condition) for name, condition in query.where.items()}
        return float(self._cells.matching(shares).sum())

    def _share(self, name: str, condition: Condition) -> Shares:
        column = self._known[name]
        return lambda labels: [column.share(label, condition) for label in labels]


class GroupedCounter:
    """Estimates from an anatomized or permuted release: exact quasi-identifiers, sensitive values by group.

    >>> import numpy as np
    >>> from sfumato.engines import from_rows
    >>> from sfumato.releases.anatomy_pair import AnatomyPair
    >>> rows = [(36, "Flu"), (38, "Flu"), (38, "Heart"), (38, "Heart")]
    >>> table = from_rows(["Age", "Disease"], rows)
    >>> made = AnatomyPair.build(table, [1] * 4, ["Age"], "Disease", np.random.default_rng(0))
    >>> query = CountQuery({"Age": Among([38]), "Disease": Among(["Heart"])})
    >>> GroupedCounter(made.kind, made.tables).count(query)
    1.5
    """

    def __init__(self, kind: ReleaseKind, parts: Parts) -> None:
        if not isinstance(kind, GroupedKind):
            raise Unsupported(f"a {kind.id} has no groups of exact records", thing=kind.id)
        self.columns = (*kind.qid, *kind.sensitive)
        self._qid, self._sensitive, self._group = kind.qid, kind.sensitive, kind.group
        cells = kind.cells(parts)
        numbers = list(dict.fromkeys(cells.keys[0]))
        place = {number: at for at, number in enumerate(numbers)}
        self._groups = len(numbers)
        self._records = _Cells.of(kind.records(parts).groups([kind.group, *kind.qid]))
        self._listed = _Cells.of(cells)
        self._group_of_record = self._places(self._records, place)
        self._group_of_cell = self._places(self._listed, place)
        self._sizes = np.bincount(self._group_of_cell, weights=self._listed.weights, minlength=self._groups)

    def _places(self, cells: _Cells, place: Mapping[Hashable, int]) -> Ints:
        # Values that occur in no row have no place; none of their positions is ever looked up.
        numbers = np.array([place.get(value, -1) for value in cells.values[self._group]], np.int64)
        return numbers[cells.codes[self._group]]

    def count(self, query: CountQuery) -> float:
        """Return the estimate."""
        _refuse_unknown(query, self.columns)
        chosen = np.bincount(
            self._group_of_record,
            weights=self._records.matching(_holding(query, self._qid)),
            minlength=self._groups,
        )
        fitting = np.bincount(
            self._group_of_cell,
            weights=self._listed.matching(_holding(query, self._sensitive)),
            minlength=self._groups,
        )
        return float((chosen * fitting / self._sizes).sum())


def counter_of(
    kind: ReleaseKind, parts: Parts, recodings: Mapping[str, ColumnRecoding] | None = None, **known: Any
) -> Counter:
    """Return what answers queries from a release: by groups, by labels, or by counting rows that are drawn or perturbed.

    ``known`` goes to :class:`RecodedCounter`.
    """
    if isinstance(kind, GroupedKind):
        return GroupedCounter(kind, parts)
    if kind.traits.counted_by == "labels":
        return RecodedCounter(kind.tables(parts)["data"], recodings, **known)
    if kind.traits.counted_by == "rows":
        return RawCounter(kind.tables(parts)["data"], known.get("columns"))
    able = [thing for thing in things("release") if issubclass(thing, ReleaseKind)]
    raise Unsupported(
        f"count queries on columns cannot be estimated from a {kind.id}",
        thing=kind.id,
        alternatives=[thing.id for thing in able if thing.traits.counted_by != "nothing"],
    )


def workload(
    table: Table,
    size: int,
    dimensions: int,
    selectivity: float,
    rng: np.random.Generator,
    *,
    qid: Sequence[str],
    sensitive: str | None = None,
) -> list[CountQuery]:
    """Draw queries on ``dimensions`` of the quasi-identifiers each, and on the sensitive column if one is given.

    With d conditions, each leaves ``ceil(|A| * selectivity^(1/d))`` of the |A| values of its column: a run of neighbours for
    numbers and dates, values at random for anything else. If columns were independent and uniform, a query would select
    that share of the records.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Job"], [(30, "cook"), (31, "cook"), (32, "nurse")])
    >>> workload(table, 1, 1, 0.5, np.random.default_rng(1), qid=["Age"])
    [CountQuery(where={'Age': Between(low=30, high=31)})]
    """
    names = list(qid)
    asked = [*names, *([sensitive] if sensitive is not None else [])]
    for name in asked:
        if name not in table.types:
            raise BadRequest("is not a column of the table", parameter="qid", value=name, available=table.columns)
    if size < 1:
        raise BadRequest("must be at least 1", parameter="size", value=size)
    if not 1 <= dimensions <= len(names):
        raise BadRequest(f"must lie in 1..{len(names)}", parameter="dimensions", value=dimensions)
    if not 0 < selectivity <= 1:
        raise BadRequest("must lie in (0, 1]", parameter="selectivity", value=selectivity)
    domains = {name: table.dictionary(name).values for name in asked}
    empty = [name for name in asked if not domains[name]]
    if empty:
        raise BadRequest("has no value", column=empty[0])
    share = selectivity ** (1 / (dimensions + (sensitive is not None)))
    queries = []
    for _ in range(size):
        chosen = sorted(rng.choice(len(names), dimensions, replace=False).tolist())
        columns = [*(names[at] for at in chosen), *([sensitive] if sensitive is not None else [])]
        queries.append(CountQuery({name: _condition(table.types[name], domains[name], share, rng) for name in columns}))
    return queries


def _condition(kind: ColumnType, values: Sequence[Hashable], share: float, rng: np.random.Generator) -> Condition:
    # A hair below, so that a product such as 10 * 0.1^(1/1) is not pushed over a whole number by rounding.
    count = min(max(1, math.ceil(len(values) * share - 1e-9)), len(values))
    if kind in (ColumnType.TEXT, ColumnType.BOOLEAN):
        return Among(values[at] for at in rng.choice(len(values), count, replace=False).tolist())
    first = int(rng.integers(len(values) - count + 1))
    return Between(values[first], values[first + count - 1])


def relative_errors(truth: Sequence[float] | Floats, estimates: Sequence[float] | Floats) -> Floats:
    """Return ``|estimate - truth| / truth`` of each query; where the truth is 0 there is no such error, and NaN is returned.

    >>> relative_errors([2, 0, 4], [1.5, 1, 4]).tolist()
    [0.25, nan, 0.0]
    """
    exact, told = np.asarray(truth, np.float64), np.asarray(estimates, np.float64)
    if exact.shape != told.shape:
        raise BadRequest("must have one estimate per answer", parameter="estimates", value=told.shape)
    out = np.full(exact.shape, np.nan)
    np.divide(np.abs(told - exact), exact, out=out, where=exact != 0)
    return out


@frozen
class QueryErrors:
    """How far the answers of a release lie from the truth, over a workload.

    ``undefined`` queries select no record, so that a relative error does not exist; they are in none of the other figures.
    ``above`` is the share of queries with an error above ``threshold``. Without any defined query all figures are ``None``.
    """

    queries: int
    undefined: int
    median: float | None
    mean: float | None
    quantiles: Mapping[float, float]
    threshold: float
    above: float | None

    @classmethod
    def of(cls, errors: Floats, threshold: float = 0.5, quantiles: Sequence[float] = QUANTILES) -> QueryErrors:
        """Summarise relative errors."""
        known = errors[~np.isnan(errors)]
        if not len(known):
            return cls(len(errors), len(errors), None, None, {}, threshold, None)
        return cls(
            queries=len(errors),
            undefined=len(errors) - len(known),
            median=float(np.median(known)),
            mean=float(known.mean()),
            quantiles={q: float(np.quantile(known, q)) for q in quantiles},
            threshold=threshold,
            above=float((known > threshold).mean()),
        )


def query_errors(raw: Table, release: Counter, queries: Sequence[CountQuery], *, threshold: float = 0.5) -> QueryErrors:
    """Answer a workload from the raw table and from a release, and return how far the answers lie apart."""
    columns = list(dict.fromkeys(name for query in queries for name in query.columns))
    exact = RawCounter(raw, columns)
    truth = [exact.count(query) for query in queries]
    return QueryErrors.of(relative_errors(truth, [release.count(query) for query in queries]), threshold)
