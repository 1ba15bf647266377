"""Reconstruction error against all cells counted one by one."""

from __future__ import annotations

from itertools import product
from math import isclose, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.transactions import Baskets
from sfumato.transactions.metric import Masked
from sfumato.transactions.metrics.reconstruction_error import ReconstructionError
from sfumato.transactions.metrics.value_exclusiveness import ValueExclusiveness, generalized_counts, true_count

sets = st.lists(st.frozensets(st.sampled_from("abcx"), max_size=4), min_size=1, max_size=10)


@given(baskets=sets, data=st.data())
def test_cells_and_error_are_those_of_plain_counting(baskets: list[frozenset[str]], data: st.DataObject) -> None:
    baskets = [*baskets, frozenset("ax")]
    numbers = [data.draw(st.integers(0, 2)) for _ in baskets]
    groups = [[at for at, one in enumerate(numbers) if one == number] for number in sorted(set(numbers))]
    metric = ReconstructionError(item="x", query=("a", "b"))
    made = Baskets.of(baskets, private=["x"])
    total, error = sum("x" in one for one in baskets), 0.0
    cells = metric.cells(made, groups)
    for cell, (a, b) in zip(cells, product((0, 1), repeat=2), strict=True):
        inside = [at for at, one in enumerate(baskets) if (("a" in one), ("b" in one)) == (a, b)]
        actual = sum("x" in baskets[at] for at in inside) / total
        estimated = sum(
            sum("x" in baskets[at] for at in group) * len(set(group) & set(inside)) / len(group) for group in groups
        )
        assert isclose(cell.actual, actual)
        assert isclose(cell.estimated, estimated / total, abs_tol=1e-12)
        error += actual * log(actual / (estimated / total)) if actual else 0
    assert isclose(sum(cell.estimated for cell in cells), 1)
    assert isclose(metric.measure(made, groups).value, error, abs_tol=1e-12)


def test_bad_questions_are_refused() -> None:
    baskets = Baskets.of([{"a", "x"}, {"b"}], private=["x"])
    for item, query in (("x", ()), ("x", ("a", "a")), ("x", ("x",))):
        with pytest.raises(BadRequest):
            ReconstructionError(item=item, query=query)
    with pytest.raises(BadRequest, match="no basket"):
        ReconstructionError(item="q", query=("a",)).measure(baskets, [[0, 1]])
    for groups in ([[0]], [[0, 1], [1]], [[0, 1], []], [[0, 2]]):
        with pytest.raises(BadRequest):
            ReconstructionError(item="x", query=("a",)).measure(baskets, groups)


def test_exclusive_items() -> None:
    tree = Tree.from_nested({"any": [{"drink": ["wine", "beer"]}, "bread"]})
    metric = ValueExclusiveness()
    assert metric.exclusive(Baskets.of([{"drink"}, {"bread"}]), tree)
    assert metric.exclusive(
        Baskets.of([{"wine", "x"}], private=["x"], tree={"any": [{"drink": ["wine", "beer"]}, "bread"]})
    )
    assert not metric.exclusive({"any": 1, "beer": 1}, tree)
    assert metric.exclusive({"any": 0, "beer": 1}, tree)
    assert true_count("wine", {"wine": 1, "any": 2, "drink": 3}, tree) == (1, 6)
    assert metric.exclusive({"a": 1})
    before = Baskets.of([{"wine"}, {"beer"}]).with_tree(tree)
    assert metric.exclusive(before)
    assert metric.measure(Masked(before, Baskets.of([{"wine"}, {"drink"}]))).value == 1
    for wrong in ({"wine": 2}, {"any": 1}, {"tea": 1}):
        with pytest.raises(BadRequest):
            generalized_counts({"wine": 1, "any": 1}, wrong, tree)
