"""Cell generalization: each cell for itself, groups of equal rows, and groups of rows that cover a person."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.recodings import CellGeneralization

from .conftest import JOB, paths, small_trees

SEX = {"*": ["Male", "Female"]}


@st.composite
def drawn(draw: st.DrawFn) -> tuple[dict[str, Tree], list[tuple[Any, ...]], list[tuple[str, ...]]]:
    """Draw two trees, raw rows, and a label at or above every value."""
    trees = {"a": draw(small_trees), "b": draw(small_trees)}
    above = {name: paths(tree.to_nested()) for name, tree in trees.items()}
    rows = draw(st.lists(st.tuples(*(st.sampled_from(tree.leaves) for tree in trees.values())), min_size=1, max_size=8))
    shown = [
        tuple(draw(st.sampled_from(above[name][value])) for name, value in zip(trees, row, strict=True)) for row in rows
    ]
    return trees, rows, shown


@given(given=drawn())
def test_every_cell_shows_its_own_label(given: Any) -> None:
    trees, rows, shown = given
    recoding = CellGeneralization.from_rows(rows, shown, trees=trees)
    table = sfumato.from_rows(["a", "b"], rows)
    assert recoding.apply(table).to_rows() == shown
    assert table.to_rows() == rows
    assert recoding.mixed_granularity == (rows != shown)
    assert len(recoding.cells) == sum(
        a != b for old, new in zip(rows, shown, strict=True) for a, b in zip(old, new, strict=True)
    )
    for old, new in zip(rows, shown, strict=True):
        assert all(recoding.stands_for(name, b, a) for name, a, b in zip("ab", old, new, strict=True))
    again = CellGeneralization.from_spec(json.loads(json.dumps(recoding.spec())))
    assert again == recoding


@given(given=drawn())
def test_groups_by_what_is_published(given: Any) -> None:
    trees, rows, shown = given
    groups = CellGeneralization.from_rows(rows, shown, trees=trees).groups(sfumato.from_rows(["a", "b"], rows))
    assert groups.as_dict() == {label: shown.count(label) for label in shown}


@given(given=drawn())
def test_groups_by_what_covers_a_person(given: Any) -> None:
    trees, rows, shown = given
    recoding = CellGeneralization.from_rows(rows, shown, trees=trees, covering=True)
    table = sfumato.from_rows(["a", "b", "s"], [(*row, f"s{number % 2}") for number, row in enumerate(rows)])
    groups = recoding.groups(table, histograms=["s"])
    above = {name: paths(tree.to_nested()) for name, tree in trees.items()}

    def covers(label: tuple[str, ...], row: tuple[Any, ...]) -> bool:
        return all(text in above[name][value] for name, text, value in zip("ab", label, row, strict=True))

    wanted = {row: [number for number, label in enumerate(shown) if covers(label, row)] for row in rows}
    assert groups.as_dict() == {row: len(members) for row, members in wanted.items()}
    for group in range(len(groups)):
        counts = groups.histograms["s"].row(group)
        members = wanted[groups.key(group)]
        assert counts == {
            value: total for value in ("s0", "s1") if (total := sum(f"s{m % 2}" == value for m in members))
        }
    # A covering group holds the group of equal rows of everybody behind it.
    for row, label in zip(rows, shown, strict=True):
        assert len(wanted[row]) >= shown.count(label)


def test_covering_groups_can_be_judged() -> None:
    rows = [("Engineer",), ("Engineer",), ("Lawyer",), ("Dancer",)]
    cells = ((0, "Job", "Professional"), (2, "Job", "Professional"), (3, "Job", "ANY"))
    table = sfumato.from_rows(["Job"], rows)
    plain = CellGeneralization(trees={"Job": JOB}, cells=cells)
    covering = CellGeneralization(trees={"Job": JOB}, cells=cells, covering=True)
    model = {"id": "k-anonymity", "k": 2}
    assert [verdict.strongest for verdict in sfumato.check(plain.groups(table), model)] == [1]
    # Engineer: rows 0 to 3. Lawyer: rows 0, 2, 3. Dancer: row 3 alone.
    assert covering.groups(table).as_dict() == {("Engineer",): 4, ("Lawyer",): 3, ("Dancer",): 1}


def test_labels_that_are_not_above_their_value_are_refused() -> None:
    recoding = CellGeneralization(trees={"Job": JOB, "Sex": SEX}, cells=((1, "Job", "Artist"),))
    with pytest.raises(BadRequest, match="does not cover") as caught:
        recoding.apply(sfumato.from_rows(["Job", "Sex"], [("Dancer", "Male"), ("Lawyer", "Male")]))
    assert caught.value.column == "Job"
    assert "Lawyer" not in str(caught.value)
    with pytest.raises(BadRequest, match=r"0\.\.0"):
        recoding.apply(sfumato.from_rows(["Job", "Sex"], [("Dancer", "Male")]))


def test_values_without_a_place_follow_the_rule() -> None:
    recoding = CellGeneralization(trees={"Job": JOB}, cells=((0, "Job", "Professional"),))
    table = sfumato.from_rows(["Job"], [("Engineer",), ("Plumber",)])
    for unknown in ("declared", "refuse"):
        with pytest.raises(BadRequest, match="1 value has no leaf") as caught:
            recoding.apply(table, unknown=unknown)
        assert caught.value.column == "Job"
    assert recoding.apply(table, unknown="root").to_rows() == [("Professional",), ("ANY",)]
    ages = CellGeneralization(ranges={"Age": (30, 40)}, cells=((0, "Age", "[30-35)"),))
    numbers = sfumato.from_rows(["Age"], [(31,), (99,)])
    with pytest.raises(BadRequest, match="outside what the recoding knows"):
        ages.apply(numbers)
    assert ages.apply(numbers, unknown="root").to_rows() == [("[30-35)",), ("*",)]


def test_recoded_rows_are_not_recoded_again() -> None:
    recoding = CellGeneralization(trees={"Job": JOB}, cells=((0, "Job", "Professional"),))
    table = sfumato.from_rows(["Job"], [("Engineer",), ("Engineer",)])
    with pytest.raises(BadRequest, match="no leaf"):
        recoding.apply(recoding.apply(table))
    untouched = CellGeneralization(trees={"Job": JOB}, cells=())
    assert untouched.apply(untouched.apply(table)).to_rows() == table.to_rows()


def test_missing_values_stay_missing_unless_a_cell_names_them() -> None:
    table = sfumato.from_rows(["Job"], [("Engineer",), (None,)])
    assert CellGeneralization(trees={"Job": JOB}, cells=((0, "Job", "ANY"),)).apply(table).to_rows() == [
        ("ANY",),
        (None,),
    ]
    with pytest.raises(BadRequest, match="does not cover"):
        CellGeneralization(trees={"Job": JOB}, cells=((1, "Job", "ANY"),)).apply(table)


@pytest.mark.parametrize(
    ("cells", "rule"),
    [
        (((0, "Zip", "1"),), "no tree"),
        (((0, "Job", "Worker"),), "not a label"),
        (((0, "Job", "ANY"), (0, "Job", "Artist")), "each cell once"),
        (((-1, "Job", "ANY"),), "rows from 0"),
    ],
)
def test_wrong_cells_are_refused(cells: Any, rule: str) -> None:
    with pytest.raises(BadRequest, match=rule) as caught:
        CellGeneralization(trees={"Job": JOB}, cells=cells)
    assert caught.value.parameter == "cell-generalization.cells"


def test_metrics_read_what_each_cell_costs() -> None:
    rows = [("Engineer",), ("Engineer",), ("Lawyer",)]
    recoding = CellGeneralization(trees={"Job": JOB}, cells=((0, "Job", "Professional"), (2, "Job", "Professional")))
    found = recoding.stats(sfumato.from_rows(["Job"], rows))
    attribute = found.attributes["Job"]
    pairs = sorted(zip(attribute.count.tolist(), attribute.covered.tolist(), attribute.climbed.tolist(), strict=True))
    assert pairs == [(1, 1.0, 0), (1, 2.0, 1), (1, 2.0, 1)]
    assert attribute.domain == 4
    assert attribute.root_climb.tolist() == [2, 2, 2]
    assert found.groups.as_dict() == {("Engineer",): 1, ("Professional",): 2}
    assert found.group_cover.tolist() == [[1.0], [2.0]]
    assert found.cover_domain.tolist() == [4.0]
    assert sorted(zip(found.raw_group.tolist(), found.raw_sizes.tolist(), strict=True)) == [(0, 1), (1, 1), (1, 1)]
