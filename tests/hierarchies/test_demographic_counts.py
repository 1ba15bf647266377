"""Demographic counts: every published region has enough people, and no finer choice of regions has."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest
from sfumato.hierarchies.demographic_counts import DemographicCounts

TREE = {"*": [{"N": [{"N1": ["a", "b"]}, {"N2": ["c", "d", "e"]}]}, {"S": [{"S1": ["f", "g"]}, "h"]}]}
LEAVES = "abcdefgh"


def cuts(node: Any) -> list[list[str]]:
    """Return every cut of a nested tree, as lists of labels."""
    if isinstance(node, str):
        return [[node]]
    ((label, children),) = node.items()
    return [[label], *([one for part in parts for one in part] for parts in product(*map(cuts, children)))]


@example([5] * 8, 2)
@given(st.lists(st.integers(0, 20), min_size=8, max_size=8), st.integers(1, 60))
def test_level_one_is_the_finest_cut_with_enough_people(obey: Any, numbers: list[int], at_least: int) -> None:
    counts = dict(zip(LEAVES, numbers, strict=True))
    if sum(numbers) < at_least:
        with pytest.raises(BadRequest, match="all regions together have"):
            DemographicCounts(tree=TREE, counts=counts, at_least=at_least)
        return
    builder = DemographicCounts(tree=TREE, counts=counts, at_least=at_least)
    held = {"*": LEAVES, "N": "abcde", "N1": "ab", "N2": "cde", "S": "fgh", "S1": "fg", **{one: one for one in LEAVES}}
    tree = obey(builder, list(LEAVES), lambda value, label: value in held[label])
    found = {row[1] for row in tree.to_levels()}
    able = [cut for cut in cuts(TREE) if all(sum(counts[leaf] for leaf in held[label]) >= at_least for label in cut)]
    assert found in map(set, able)
    assert len(found) == max(map(len, able))
    assert all(builder.people(label) == sum(counts[leaf] for leaf in held[label]) for label in held)


def test_the_worked_example() -> None:
    tree = {"*": [{"12*": ["120", "121"]}, {"13*": ["130", "131"]}]}
    counts = {"120": 40, "121": 25, "130": 80, "131": 90}
    region = DemographicCounts(tree=tree, counts=counts, at_least=50)
    assert region.people("12*") == 65
    # Numbers find the regions that are written as texts.
    assert region.path(120) == ("120", "12*", "12*", "*")


def test_a_policy_reads_the_counts_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "census.csv").write_text("120;12*;*;40\n121;12*;*;25\n130;13*;*;80\n131;13*;*;90\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(
        "columns:\n"
        "  zip:\n"
        "    role: quasi-identifier\n"
        "    hierarchy: {id: demographic-counts, file: census.csv, at_least: 50}\n"
        "    levels: {at_least: 1}\n"
        "requirements: [{id: k-anonymity, k: 1}]\n"
        "algorithm: {id: optimal}\n"
        "output: {row_order: keep}\n",
        encoding="utf-8",
    )
    table = sfumato.from_rows(["zip"], [("120",), ("121",), ("130",), ("131",)])
    release = sfumato.anonymize(table, tmp_path / "policy.yaml")
    assert release.table.to_rows() == [("12*",), ("12*",), ("130",), ("131",)]


def test_more_records_than_people_are_refused() -> None:
    hierarchy = {
        "id": "demographic-counts",
        "tree": {"*": ["120", "121"]},
        "counts": {"120": 2, "121": 9},
        "at_least": 2,
    }
    policy = {
        "columns": {
            "zip": {"role": "quasi-identifier", "type": "text", "hierarchy": hierarchy, "levels": {"at_least": 1}}
        },
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "algorithm": {"id": "optimal"},
    }
    table = sfumato.from_rows(["zip"], [("120",), ("120",), ("121",)])
    assert {row[0] for row in sfumato.anonymize(table, policy).table.to_rows()} == {"120", "121"}
    crowded = sfumato.from_rows(["zip"], [("120",), ("120",), ("121",), ("120",)])
    with pytest.raises(BadRequest, match="1 of its regions have fewer people than the table has records"):
        sfumato.anonymize(crowded, policy)


def test_regions_that_all_have_enough_people_stay_as_they_are(tmp_path: Path) -> None:
    """Level 1 is then the regions themselves: nothing joins, and a folder of it is verified."""
    tree = {"*": [{"12*": ["120", "121"]}, {"13*": ["130"]}]}
    hierarchy = {"id": "demographic-counts", "tree": tree, "counts": {"120": 9, "121": 9, "130": 9}, "at_least": 5}
    policy = {
        "columns": {
            "zip": {"role": "quasi-identifier", "type": "text", "hierarchy": hierarchy, "levels": {"at_least": 1}}
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "optimal"},
    }
    pairs = sfumato.from_rows(["zip"], [("120",), ("121",), ("130",)] * 2)
    release = sfumato.anonymize(pairs, policy)
    assert {row[0] for row in release.table.to_rows()} == {"120", "121", "130"}
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out")
    coarser = {**policy, "requirements": [{"id": "k-anonymity", "k": 3}], "limits": {"suppress_at_most": 0.4}}
    shown = {row[0] for row in sfumato.anonymize(pairs, coarser).table.to_rows()}
    assert shown == {"12*"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tree": TREE}, "either tree and counts, or a file"),
        ({"tree": TREE, "counts": dict.fromkeys("abcdefg", 9)}, "lacks the people of a region"),
        ({"tree": TREE, "counts": dict.fromkeys("abcdefghx", 9)}, "no region without parts"),
        ({"tree": TREE, "counts": {**dict.fromkeys(LEAVES, 9), "a": -1}}, "whole numbers"),
        ({"tree": TREE, "counts": dict.fromkeys(LEAVES, 1), "at_least": 9}, "8 people"),
        ({"tree": [], "counts": {}}, "mapping by region"),
        ({"file": "not-there.csv"}, "cannot be read"),
    ],
)
def test_refusals(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        DemographicCounts(**{"at_least": 5, **given}).path("a")


@pytest.mark.parametrize("rows", ["a;*;x\n", "a;3\n", "a;*;3\na;*;4\n"])
def test_files_that_are_no_census_are_refused(tmp_path: Path, rows: str) -> None:
    (tmp_path / "census.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(BadRequest, match="row"):
        DemographicCounts(file="census.csv", at_least=1).resolved(tmp_path)
