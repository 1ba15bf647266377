"""What marginals tell together: bounds, the three depths beside each other, all tables of a small one, refusals."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.errors import BadRequest
from sfumato.views.marginal import MarginalQuery, marginal
from sfumato.views.marginal_set import MarginalSet
from sfumato.views.max_entropy import divergence, fitted
from sfumato.views.models import MarginalPrivacyCheck
from sfumato.views.models._exact_counts import count_bounds, share_bounds


def drawn(seed: int, rows: int = 12) -> Any:
    rng = np.random.default_rng(seed)
    cells = zip(rng.integers(0, 3, rows), rng.integers(0, 2, rows), rng.integers(0, 3, rows), strict=True)
    return sfumato.from_rows(["A", "B", "S"], [(f"a{a}", f"b{b}", f"s{s}") for a, b, s in cells])


def published(table: Any, *columns: tuple[str, ...]) -> MarginalSet:
    made = {"-".join(one): marginal(table, MarginalQuery(one)).table() for one in columns}
    return MarginalSet.of(None, made, sensitive="S")


def test_the_smallest_cell_bounds_a_class() -> None:
    base = sfumato.from_rows(["Zip", "S"], [("25*", s) for s in "xyzxy"])
    zips = sfumato.from_rows(["Zip", "count"], [("251", 3), ("252", 2)])
    both = MarginalSet.of(base, {"zips": zips}, sensitive="S")
    assert sorted(both.bounds().tolist()) == [2, 3]
    assert not MarginalPrivacyCheck(k=4).judge(both).satisfied
    assert MarginalPrivacyCheck(k=4).judge(MarginalSet.of(base, {}, sensitive="S")).satisfied


@pytest.mark.parametrize("seed", range(12))
def test_depths_shrink_what_is_possible(seed: int) -> None:
    table = drawn(seed)
    few = published(table, ("A", "S"), ("B", "S"))
    more = published(table, ("A", "S"), ("B", "S"), ("A", "B"))
    for one in (few, more):
        counted = count_bounds(one)
        assert counted.exact
        assert (counted.distinct() <= one.distinct()).all()
    # A further marginal leaves fewer values to every class that is still possible.
    place = {tuple(row): at for at, row in enumerate(few.classes.tolist())}
    before, after = few.distinct(), more.distinct()
    assert all(after[at] <= before[place[tuple(row)]] for at, row in enumerate(more.classes.tolist()))


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_all_tables(seed: int) -> None:
    table = drawn(seed, rows=5)
    one = published(table, ("A", "S"), ("B", "S"), ("A", "B"))
    found = count_bounds(one)
    cells = [(tuple(row), value) for row in one.classes.tolist() for value in range(len(one.atoms["S"]))]
    shares = share_bounds(one)
    most: dict[Any, int] = {}
    least: dict[Any, int] = {}
    ratios: dict[Any, list[float]] = {}
    for counts in _all(len(cells), 5):
        if all(_sums(one, at, cells, counts) for at in range(3)):
            totals: dict[Any, int] = {}
            for (row, _), count in zip(cells, counts, strict=True):
                totals[row] = totals.get(row, 0) + count
            for cell, count in zip(cells, counts, strict=True):
                ratios.setdefault(cell, []).extend([count / totals[cell[0]]] if totals[cell[0]] else [])
                most[cell] = max(most.get(cell, 0), count)
                least[cell] = min(least.get(cell, 99), count)
    for at, row in enumerate(one.classes.tolist()):
        for value in range(len(one.atoms["S"])):
            assert (most[tuple(row), value], least[tuple(row), value]) == (
                found.most[at, value],
                found.least[at, value],
            )
            held = ratios[tuple(row), value]
            wanted = (max(held), min(held)) if held else (np.nan, np.nan)
            assert (shares.most[at, value], shares.least[at, value]) == pytest.approx(wanted, nan_ok=True)


def _all(cells: int, total: int) -> Any:
    if cells == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _all(cells - 1, total - first):
            yield (first, *rest)


def _sums(one: MarginalSet, at: int, cells: Any, counts: Any) -> bool:
    publication = one.publications[at]
    columns = (*one.columns, "S")
    found: dict[Any, int] = {}
    for (row, value), count in zip(cells, counts, strict=True):
        if count:
            atoms = dict(zip(columns, (*row, value), strict=True))
            key = tuple(publication.labels[name][atoms[name]] for name in publication.columns)
            found[key] = found.get(key, 0) + count
    held = dict(zip(map(tuple, publication.codes.tolist()), publication.counts.tolist(), strict=True))
    return found == held


@pytest.mark.parametrize("seed", range(8))
def test_maximum_entropy_agrees_with_what_is_published(seed: int) -> None:
    table = drawn(seed, rows=40)
    pairs = published(table, ("A", "S"), ("B", "S"), ("A", "B"))
    p = fitted(pairs)
    assert p.sum() == pytest.approx(1)
    index = pairs.classes
    for a, s in product(range(len(pairs.atoms["A"])), range(len(pairs.atoms["S"]))):
        rows = [row for row in table.to_rows() if row[0] == pairs.atoms["A"][a] and row[2] == pairs.atoms["S"][s]]
        assert p[index[:, 0] == a, s].sum() == pytest.approx(len(rows) / table.rows, abs=1e-9)
    counts = np.zeros(p.shape, np.int64)
    place = {tuple(row): at for at, row in enumerate(index.tolist())}
    for a, b, s in table.to_rows():
        key = pairs.atoms["A"].index(a), pairs.atoms["B"].index(b)
        counts[place[key], pairs.atoms["S"].index(s)] += 1
    assert divergence(pairs, counts) >= -1e-12


def test_classes_of_records_are_those_of_the_table() -> None:
    table = drawn(3, rows=30)
    made = {
        "AS": marginal(table, MarginalQuery(("A", "S"))).table(),
        "BS": marginal(table, MarginalQuery(("B", "S"))).table(),
    }
    real = MarginalSet.of(None, made, sensitive="S", table=table)
    assert len(real.classes) == table.distinct(["A", "B"])
    every = MarginalSet.of(None, made, sensitive="S")
    place = {tuple(row): at for at, row in enumerate(every.classes.tolist())}
    assert [every.distinct()[place[tuple(row)]] for row in real.classes.tolist()] == real.distinct().tolist()


def test_bins_of_two_marginals_are_cut_where_either_is() -> None:
    table = sfumato.from_rows(["Age", "S"], [(1, "x"), (4, "y"), (7, "x"), (9, "y")])
    made = {
        "one": marginal(table, MarginalQuery(("Age", "S"), bins={"Age": [0, 5, 10]})).table(),
        "two": marginal(table, MarginalQuery(("Age",), bins={"Age": [0, 3, 10]})).table(),
    }
    both = MarginalSet.of(None, made, sensitive="S")
    assert len(both.atoms["Age"]) == 3
    assert both.bounds().tolist() == [1, 2, 2]


def test_what_does_not_fit_is_refused() -> None:
    base = sfumato.from_rows(["A", "S"], [("a", "x"), ("a", "y")])
    with pytest.raises(BadRequest, match="totals differ"):
        MarginalSet.of(base, {"m": {"A": ["a"], "count": [3]}}, sensitive="S")
    with pytest.raises(BadRequest, match="bins"):
        marginal(sfumato.from_rows(["A"], [(5,)]), MarginalQuery(("A",), bins={"A": [0, 5]}))
    with pytest.raises(BadRequest, match="rising"):
        MarginalQuery(("A",), bins={"A": [0, 5, 5]})
    wide = sfumato.from_rows(["A", "S"], [("[1-9)", "x"), ("[1-9)", "y")])
    with pytest.raises(BadRequest, match="overlap"):
        MarginalSet.of(wide, {"m": {"A": ["[1-5)", "[3-9)"], "count": [1, 1]}}, sensitive="S")
    with pytest.raises(BadRequest, match="needs k, l"):
        MarginalPrivacyCheck()
    with pytest.raises(BadRequest, match="no publication"):
        MarginalSet.of(base, {}, sensitive="T")
