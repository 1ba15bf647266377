"""The counting oracles against the worked values of Tables 2.2 and 2.4."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from .naive_groups import (
    c_avg,
    cut_map,
    discernibility,
    full_domain_map,
    group_sizes,
    iloss,
    iloss_by_attribute,
    leaf_count,
    loss_by_attribute,
    minimal_distortion,
    recode,
)

GOLDEN = Path(__file__).parent.parent / "golden"

# a leaf at depth 1 beside leaves at depth 2
UNEVEN = {"value": "top", "children": [{"value": "in", "children": [{"value": "x"}, {"value": "y"}]}, {"value": "z"}]}


class Worked:
    """One golden file with its table recoded to the given levels."""

    def __init__(self, name: str) -> None:
        golden: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
        given = golden["input"]
        self.given, self.expected = given, golden["expected"]
        self.columns: list[str] = given["table"]["columns"]
        self.rows: list[list[str]] = given["table"]["rows"]
        self.trees: dict[str, Any] = given["taxonomies"]
        self.maps = {qi: full_domain_map(self.trees[qi], given["levels"][qi]) for qi in given["qid"]}
        self.published = recode(self.rows, self.columns, self.maps)
        self.idx = [self.columns.index(qi) for qi in given["qid"]]


def test_loss_metric() -> None:
    worked = Worked("02-loss-metric-1")
    losses = loss_by_attribute(worked.published, worked.columns, worked.trees)
    assert {qi: float(loss) for qi, loss in losses.items()} == pytest.approx(worked.expected["lm_by_attribute"])
    assert float(sum(losses.values())) == pytest.approx(worked.expected["lm"])
    assert float(c_avg(worked.published, worked.idx, worked.given["k"])) == pytest.approx(worked.expected["c_avg"])


def test_iloss() -> None:
    worked = Worked("02-iloss-1")
    job = worked.trees["Job"]
    assert {label: float(iloss(job, label)) for label in worked.expected["value"]} == worked.expected["value"]
    losses = iloss_by_attribute(worked.published, worked.columns, worked.trees, worked.given["weights"])
    assert {qi: float(loss) for qi, loss in losses.items()} == worked.expected["table_by_attribute"]
    assert float(sum(losses.values())) == worked.expected["table"]
    doubled = iloss_by_attribute(worked.published, worked.columns, worked.trees, {"Job": 2, "Sex": 1, "Age": 1})
    assert doubled["Job"] == 2 * losses["Job"]


def test_minimal_distortion() -> None:
    worked = Worked("02-minimal-distortion-2")
    md = minimal_distortion(worked.rows, worked.columns, worked.trees, worked.maps)
    assert md == worked.expected["md"]
    assert md == worked.expected["records"] * worked.expected["height"]


def test_discernibility() -> None:
    worked = Worked("02-discernibility-metric-2")
    assert discernibility(worked.rows, worked.idx) == worked.expected["dm_raw"]
    assert discernibility(worked.published, worked.idx) == worked.expected["dm_generalized"]
    assert float(c_avg(worked.published, worked.idx, 3)) == pytest.approx(worked.expected["c_avg_k3"])


def test_suppressed_records_pay_the_whole_table() -> None:
    assert discernibility([("a",), ("a",), ("b",)], [0], suppressed=2) == 4 + 1 + 2 * 5


def test_group_sizes_reads_only_the_named_columns() -> None:
    rows = [("a", 1, "x"), ("a", 1, "y"), ("b", 1, "x")]
    assert group_sizes(rows, [0, 1]) == {("a", 1): 2, ("b", 1): 1}
    assert group_sizes(rows, [1]) == {(1,): 3}


def test_short_leaf_repeats_itself_downwards() -> None:
    assert full_domain_map(UNEVEN, 0) == {"x": "x", "y": "y", "z": "z"}
    assert full_domain_map(UNEVEN, 1) == {"x": "in", "y": "in", "z": "z"}
    assert full_domain_map(UNEVEN, 2) == {"x": "top", "y": "top", "z": "top"}
    with pytest.raises(ValueError, match="level"):
        full_domain_map(UNEVEN, 3)


def test_a_cut_has_one_node_on_every_path() -> None:
    assert cut_map(UNEVEN, ["in", "z"]) == {"x": "in", "y": "in", "z": "z"}
    for wrong in (["in"], ["in", "x", "z"]):
        with pytest.raises(ValueError, match="exactly one"):
            cut_map(UNEVEN, wrong)


def test_distortion_of_a_cut_counts_levels_of_each_instance() -> None:
    rows = [("x",), ("x",), ("z",)]
    trees = {"q": UNEVEN}
    assert minimal_distortion(rows, ["q"], trees, {"q": cut_map(UNEVEN, ["in", "z"])}) == 2
    assert minimal_distortion(rows, ["q"], trees, {"q": cut_map(UNEVEN, ["top"])}) == 5
    assert minimal_distortion(rows, ["q"], trees, {"q": cut_map(UNEVEN, ["top"])}, {"q": Fraction(1, 2)}) == Fraction(
        5, 2
    )


def test_suppressed_symbol_counts_as_the_root() -> None:
    assert leaf_count(UNEVEN, "*") == leaf_count(UNEVEN, "top") == 3
    assert loss_by_attribute([("*",)], ["q"], {"q": UNEVEN}) == {"q": 1}
    assert iloss(UNEVEN, "*") == Fraction(2, 3)
    everything = dict.fromkeys("xyz", "*")
    assert minimal_distortion([("x",), ("z",)], ["q"], {"q": UNEVEN}, {"q": everything}) == 3


def test_unknown_label_is_refused() -> None:
    with pytest.raises(ValueError, match="not in the tree"):
        leaf_count(UNEVEN, "w")
