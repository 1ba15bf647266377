"""The verb: column recodings and operations on records by object or by spec, and the rule for new values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from recodings.conftest import JOB, any_of, paths, small_trees
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.recodings import Discretization, RecordSuppression, SiblingGeneralization, ValueSuppression

ROWS = [("Engineer", 35), ("Lawyer", 38), ("Engineer", 35)]


def table() -> Any:
    return sfumato.from_rows(["Job", "Age"], ROWS)


def test_operations_by_spec_take_their_trees_from_the_hierarchies() -> None:
    cells = {"id": "cell-generalization", "cells": [[1, "Job", "Professional"]]}
    release = sfumato.recode(table(), cells, {"Job": JOB})
    assert release.table.to_rows() == [("Engineer", 35), ("Professional", 38), ("Engineer", 35)]
    assert release.operation is not None
    assert release.operation.id == "cell-generalization"
    assert release.mixed_granularity
    boxes = {
        "id": "multidimensional-generalization",
        "qid": ["Age", "Job"],
        "ranges": {"Age": [30, 40]},
        "boxes": [["[35-40]", "Professional"]],
    }
    release = sfumato.recode(table(), boxes, {"Job": {"id": "taxonomy", "tree": JOB}})
    assert release.table.to_rows() == [("Professional", "[35-40]")] * 3
    assert not release.mixed_granularity


def test_columns_by_spec_know_whether_they_mix() -> None:
    siblings = {"Job": {"id": "sibling-generalization", "nodes": ["ANY", "Lawyer"]}}
    release = sfumato.recode(table(), siblings, {"Job": JOB})
    assert release.table.to_rows() == [("ANY", 35), ("Lawyer", 38), ("ANY", 35)]
    assert release.mixed_granularity
    assert release.operation is None


def test_a_column_recoding_needs_a_column() -> None:
    with pytest.raises(BadRequest, match="say which"):
        sfumato.recode(table(), {"id": "full-domain-generalization", "level": 1}, {"Job": JOB})
    with pytest.raises(BadRequest, match="must map columns"):
        sfumato.recode(table(), 5)


def test_a_column_may_be_called_id() -> None:
    rows = sfumato.from_rows(["id"], [("Engineer",), ("Lawyer",)])
    release = sfumato.recode(rows, {"id": ValueSuppression(suppressed=("Lawyer",))})
    assert release.table.to_rows() == [("Engineer",), ("*",)]


@pytest.mark.parametrize("unknown", ["declared", "refuse", "root", "guess"])
def test_new_values_follow_the_rule(unknown: str) -> None:
    rows = sfumato.from_rows(["Job", "Age"], [("Plumber", 99)])
    ages = {"Age": Discretization(edges=(30, 40))}
    jobs = {"Job": SiblingGeneralization(tree=JOB, nodes=("ANY", "Lawyer"))}
    if unknown == "declared":
        assert sfumato.recode(rows, ages, unknown=unknown).table.to_rows() == [("Plumber", "[30-40)")]
        assert sfumato.recode(rows, ages, unknown=unknown).outside == {"Age": 1}
    if unknown == "root":
        assert sfumato.recode(rows, {**jobs, **ages}, unknown=unknown).table.to_rows() == [("ANY", "*")]
    else:
        with pytest.raises(BadRequest):
            sfumato.recode(rows, jobs, unknown=unknown)


@given(tree=small_trees, data=st.data())
def test_every_published_value_is_above_its_raw_one(tree: Tree, data: st.DataObject) -> None:
    leaves = data.draw(st.lists(st.sampled_from(tree.leaves), min_size=1, max_size=6))
    rows = sfumato.from_rows(["c"], [(leaf,) for leaf in leaves])
    recoding = data.draw(any_of(tree))
    release = sfumato.recode(rows, {"c": recoding})
    above = paths(tree.to_nested())
    assert all(label in above[str(leaf)] for leaf, (label,) in zip(leaves, release.table.to_rows(), strict=True))
    # What is generalized already is refused; where nothing was generalized, nothing changes.
    if all(label in tree.leaf_number for (label,) in release.table.to_rows()):
        assert release.table.to_rows() == rows.to_rows()
        assert sfumato.recode(release.table, {"c": recoding}).table.to_rows() == rows.to_rows()
    else:
        with pytest.raises(BadRequest, match="no leaf"):
            sfumato.recode(release.table, {"c": recoding})


@given(values=st.lists(st.sampled_from("abcd"), min_size=1), hidden=st.sets(st.sampled_from("abcd")))
def test_suppressing_twice_is_suppressing_once(values: list[str], hidden: set[str]) -> None:
    rows = sfumato.from_rows(["c"], [(value,) for value in values])
    recoding = ValueSuppression(suppressed=tuple(sorted(hidden)))
    once = sfumato.recode(rows, {"c": recoding}).table
    assert all(label in (value, "*") for value, (label,) in zip(values, once.to_rows(), strict=True))
    assert sfumato.recode(once, {"c": recoding}).table.to_rows() == once.to_rows()


@pytest.mark.parametrize("mode", ["drop", "mask"])
@given(values=st.lists(st.sampled_from("abcd"), min_size=1), k=st.integers(1, 4))
def test_suppressing_records_in_both_modes(mode: str, values: list[str], k: int) -> None:
    rows = sfumato.from_rows(["c", "n"], [(value, number) for number, value in enumerate(values)])
    operation = RecordSuppression(qid=("c",), k=k, mode=mode, marker="?")
    once = operation.apply(rows)
    gone = [values.count(value) < k for value in values]
    wanted = [("?" if lost else value, number) for number, (value, lost) in enumerate(zip(values, gone, strict=True))]
    assert once.to_rows() == [row for row, lost in zip(wanted, gone, strict=True) if mode == "mask" or not lost]
    if mode == "drop":
        assert operation.apply(once).to_rows() == once.to_rows()
    found = operation.stats(rows)
    assert found.records == len(values)
    assert found.suppressed == (sum(gone) if mode == "drop" else 0)
    assert int(found.groups.sizes.sum()) == len(values) - found.suppressed
    attribute = found.attributes["c"]
    assert int(attribute.count.sum()) == len(values) - found.suppressed
    assert attribute.suppressed is not None
    assert int(attribute.suppressed.sum()) == found.suppressed
    assert attribute.domain == len(set(values))
    assert int(attribute.climbed @ attribute.count) == (sum(gone) if mode == "mask" else 0)
    assert found.raw_group is not None
    assert found.raw_sizes is not None
    assert int(found.raw_sizes[found.raw_group < 0].sum()) == found.suppressed


def test_cell_suppression_in_numbers() -> None:
    rows = sfumato.from_rows(["Job", "Age"], [("Engineer", 35), ("Lawyer", 38), ("Engineer", 35), ("*", 35)])
    operation = sfumato.recodings.CellSuppression(cells=((0, "Job"), (1, "Age")))
    found = operation.stats(rows)
    assert found.groups.as_dict() == {("*", "35"): 2, ("Engineer", "35"): 1, ("Lawyer", "*"): 1}
    job = found.attributes["Job"]
    assert sorted(zip(job.covered.tolist(), job.count.tolist(), job.climbed.tolist(), strict=True)) == [
        (1.0, 1, 0),
        (1.0, 1, 0),
        (2.0, 1, 0),  # was suppressed before
        (2.0, 1, 1),
    ]
    assert operation.stands_for("Job", "*", "Engineer")
    assert operation.stands_for("Age", "35", 35)
    assert not operation.stands_for("Job", "Lawyer", "Engineer")
