"""The tables of the papers: counts that the papers print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from sfumato.data.schema import Role
from sfumato.data.tree import Tree
from sfumato.datasets import Dataset, education_work, education_work_example5, patients, patients_external


def test_patients_is_one_anonymous_and_three_anonymous_one_level_up() -> None:
    table = patients()
    assert min(Counter(row[:3] for row in table.to_rows()).values()) == 1
    up = {
        column: {str(leaf): labels[1] for leaf, labels in zip(tree.leaves, tree.to_levels(), strict=True)}
        for column in ("Job", "Age")
        for tree in [Tree.from_nested(table.taxonomies[column])]
    }
    general = Counter((up["Job"][job], sex, up["Age"][str(age)]) for job, sex, age, _ in table.to_rows())
    assert general == {("Professional", "Male", "[35-40)"): 3, ("Artist", "Female", "[30-35)"): 4}


def test_register_links_three_persons_exactly() -> None:
    published = Counter(row[:3] for row in patients().to_rows())
    matches = {row[0]: published[row[1:]] for row in patients_external().to_rows()}
    assert [name for name, count in matches.items() if count == 1] == ["Bob", "Doug", "Fred"]
    assert [name for name, count in matches.items() if count == 0] == ["Henry", "Irene"]


def test_education_work_has_the_printed_counts() -> None:
    table = education_work()
    assert len(table) == 34
    assert Counter(table.values("Class")) == {"Y": 21, "N": 13}
    assert Counter(table.values("Sex")) == {"F": 18, "M": 16}
    assert Counter(hours < 37 for hours in table.values("Work_Hrs")) == {False: 22, True: 12}
    assert table.ranges == {"Work_Hrs": (1, 99)}


def test_example_5_has_the_printed_counts() -> None:
    table = education_work_example5()
    assert len(table) == 40
    assert Counter(zip(table.values("Sex"), table.values("Class"), strict=True)) == {
        ("M", "Y"): 20,
        ("M", "N"): 6,
        ("F", "N"): 14,
    }
    assert Counter(table.values("Education")) == {"10th": 24, "9th": 12, "8th": 4}


@pytest.mark.parametrize("make", [patients, patients_external, education_work, education_work_example5])
def test_every_value_has_a_leaf_and_every_column_a_role(make: Callable[[], Dataset]) -> None:
    table = make()
    assert set(table.roles) == set(table.columns)
    assert table.source
    for column, nested in table.taxonomies.items():
        assert {str(value) for value in table.values(column)} <= set(Tree.from_nested(nested).leaves)
        assert table.roles[column] is Role.QUASI_IDENTIFIER
