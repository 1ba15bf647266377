"""Drawings keep proportions, stay inside their frame, and leave nothing below a cut."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from sfumato.data.tree import Tree
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.reports.charts import WIDTH, Bar, bars, clip, columns, label_width, meter, scale
from sfumato.reports.cut_tree import cut_tree, drawn_nodes
from sfumato.reports.group_view import size_classes

RECT = re.compile(r'<rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)" height="([\d.-]+)"')


def _rects(drawing: Markup) -> list[tuple[float, float, float, float]]:
    return [tuple(float(part) for part in found) for found in RECT.findall(drawing)]  # type: ignore[misc]


def test_bars_are_as_long_as_their_counts() -> None:
    rects = _rects(bars("k", "t", [Bar("a", 100), Bar("b", 50), Bar("c", 0)], 150))
    assert [round(width / rects[0][2], 2) for _, _, width, _ in rects] == [1, 0.5, 0]


def test_columns_are_as_tall_as_their_counts() -> None:
    rects = _rects(columns("k", "t", [Bar("a", 100), Bar("b", 50), Bar("c", 0)]))
    assert [round(height / rects[0][3], 2) for *_, height in rects] == [1, 0.5, 0]


@given(st.lists(st.tuples(st.text(max_size=300), st.integers(0, 10**12)), max_size=70))
def test_nothing_leaves_the_frame(entries: list[tuple[str, int]]) -> None:
    drawn = [Bar(label, count) for label, count in entries]
    for drawing in (bars("k", "t", drawn, sum(count for _, count in entries)), columns("k", "t", drawn)):
        tall = float(re.findall(r'viewBox="0 0 720 ([\d.]+)"', drawing)[0])
        for x, y, width, height in _rects(drawing):
            assert 0 <= x <= x + width <= WIDTH + 0.2
            assert 0 <= y <= y + height <= tall + 0.2
        assert len(_rects(drawing)) == len(entries)


def test_intervals_are_to_scale() -> None:
    rects = _rects(scale("k", "t", (0, 10, 30, 100), ("[0-10)", "[10-30)", "[30-100)")))
    assert [round(width / rects[0][2], 1) for _, _, width, _ in rects] == [1, 2, 7]
    assert [x for x, *_ in rects] == sorted(x for x, *_ in rects)


def test_range_without_width_is_drawn() -> None:
    assert _rects(scale("k", "t", (5, 5), ("[5-5]",)))[0][2] > 100


@pytest.mark.parametrize(
    ("value", "lowest", "highest", "width"), [(0.5, 0, 1, "60"), (2000, 2000, 4000, "0"), (9, 0, 3, "120")]
)
def test_meter_normalises(value: float, lowest: float, highest: float, width: str) -> None:
    assert f'<rect width="{width}" height="10" rx="2" class="bar"/>' in meter(value, lowest, highest)


def test_meter_needs_bounds() -> None:
    assert meter(1, None, 2) == meter(1, 0, None) == meter(1, 2, 2) == ""


@given(st.text(max_size=200), st.floats(20, 300))
def test_clipped_labels_fit(text: str, width: float) -> None:
    assert label_width(clip(text, width)) <= max(width, label_width("(empty)")) + 1e-6


def test_drawings_escape() -> None:
    hostile = '"><script>&'
    for drawing in (
        bars(hostile, hostile, [Bar(hostile, 1, note=hostile)], 1),
        columns(hostile, hostile, [Bar(hostile, 1, note=hostile)]),
        scale(hostile, hostile, (0, 1), (hostile,)),
    ):
        assert "<script" not in drawing
        assert '"">' not in drawing


TREE = Tree.from_nested(
    {"ROOT": [{"Left": [{"Low": ["leaf-1", "leaf-2"]}, "leaf-3"]}, {"Right": ["leaf-4", "leaf-5"]}, "leaf-6"]}
)


@pytest.mark.parametrize("cut", list(TREE.cuts()), ids=lambda cut: "-".join(TREE.labels[node] for node in cut))
def test_only_what_lies_at_or_above_the_cut_is_drawn(cut: tuple[int, ...]) -> None:
    labels = tuple(TREE.labels[node] for node in cut)
    recoding = SubtreeGeneralization(tree=TREE, cut=labels)
    drawing = cut_tree("k", "t", recoding, dict.fromkeys(labels, 3), 3 * len(labels))
    shown = {label for label in TREE.labels if f">{label}<" in drawing}
    above = set(cut)
    for node in cut:
        while (node := int(TREE.parent[node])) >= 0:
            above.add(node)
    assert shown == {TREE.labels[node] for node in above}
    assert drawn_nodes(recoding) == sorted(above)
    assert not any(label in drawing for label in set(TREE.labels) - shown)
    assert drawing.count('class="dot on"') == len(cut)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=50))
def test_size_classes_hold_every_group_once(sizes: list[int]) -> None:
    classes = size_classes(np.array(sizes, np.int64))
    assert sum(part.groups for part in classes) == len(sizes)
    assert sum(part.records for part in classes) == sum(sizes)
    assert classes[0].low == min(sizes)
    assert classes[-1].high == max(sizes)
    assert all(before.high + 1 == after.low for before, after in itertools.pairwise(classes))


def test_no_groups_no_classes() -> None:
    assert size_classes(np.array([], np.int64)) == []
