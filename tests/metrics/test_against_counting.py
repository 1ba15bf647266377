"""Data metrics against the naive oracles, on random trees, tables and cuts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles import naive_groups as naive
from sfumato.data.tree import Tree
from sfumato.recodings import FullDomainGeneralization, SubtreeGeneralization
from sfumato.testing.strategies import DrawnTable, tables

NAMES = ("a0", "a1")


@dataclass
class Case:
    """A table, its recoding through the public verbs, and the same by the oracles."""

    columns: list[str]
    rows: list[tuple[Any, ...]]
    raw: sfumato.Table
    release: Any
    trees: dict[str, Any]
    maps: dict[str, dict[Any, Any]]
    published: list[tuple[Any, ...]]
    at: list[int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    drawn: DrawnTable = draw(tables(("taxonomy", "taxonomy")))
    nested: dict[str, Any] = {a.name: a.tree for a in drawn.attributes}
    recodings: dict[str, Any] = {}
    maps: dict[str, dict[Any, Any]] = {}
    for name in NAMES:
        tree = Tree.from_nested(nested[name])
        if draw(st.booleans()):
            level = draw(st.integers(0, tree.height))
            recodings[name] = FullDomainGeneralization(tree=tree, level=level)
            maps[name] = naive.full_domain_map(nested[name], level)
        else:
            cut = tuple(tree.labels[node] for node in draw(st.sampled_from(list(tree.cuts()))))
            recodings[name] = SubtreeGeneralization(tree=tree, cut=cut)
            maps[name] = naive.cut_map(nested[name], cut)
    columns, rows = list(drawn.columns), list(drawn.rows)
    raw = sfumato.from_rows(columns, rows)
    at = [columns.index(name) for name in NAMES]
    return Case(columns, rows, raw, sfumato.recode(raw, recodings), nested, maps, naive.recode(rows, columns, maps), at)


WEIGHTS = st.fixed_dictionaries({name: st.integers(0, 4) for name in NAMES})


@settings(max_examples=150)
@given(case=cases())
def test_recoding_gives_the_rows_of_the_oracle(case: Case) -> None:
    assert case.release.table.to_rows() == case.published
    assert case.release.table.groups(NAMES).as_dict() == naive.group_sizes(case.published, case.at)


@settings(max_examples=100)
@given(case=cases(), k=st.integers(1, 5))
def test_group_metrics(case: Case, k: int) -> None:
    measured = sfumato.measure(case.raw, case.release, "discernibility")
    assert measured.value == naive.discernibility(case.published, case.at)
    average = sfumato.measure(case.raw, case.release, {"id": "average-group-size", "k": k})
    assert average.value == pytest.approx(float(naive.c_avg(case.published, case.at, k)), rel=1e-12)


@settings(max_examples=100)
@given(case=cases())
def test_loss(case: Case) -> None:
    wanted = naive.loss_by_attribute(case.published, case.columns, case.trees)
    for aggregate, total in (("sum", sum(wanted.values())), ("mean", sum(wanted.values()) / len(wanted))):
        measured = sfumato.measure(case.raw, case.release, {"id": "loss", "aggregate": aggregate})
        assert dict(measured.by_attribute) == pytest.approx({n: float(v) for n, v in wanted.items()}, rel=1e-12)
        assert measured.value == pytest.approx(float(total), rel=1e-12)
        assert measured.lowest <= measured.value <= measured.highest


@settings(max_examples=100)
@given(case=cases(), weights=WEIGHTS)
def test_iloss(case: Case, weights: Mapping[str, int]) -> None:
    wanted = naive.iloss_by_attribute(case.published, case.columns, case.trees, weights)
    measured = sfumato.measure(case.raw, case.release, {"id": "iloss", "weights": weights})
    assert dict(measured.by_attribute) == pytest.approx({n: float(v) for n, v in wanted.items()}, rel=1e-12)
    assert measured.value == pytest.approx(float(sum(wanted.values())), rel=1e-12)
    assert measured.lowest <= measured.value <= measured.highest + 1e-9


@settings(max_examples=100)
@given(case=cases(), weights=WEIGHTS)
def test_minimal_distortion(case: Case, weights: Mapping[str, int]) -> None:
    wanted = naive.minimal_distortion(case.rows, case.columns, case.trees, case.maps, weights)
    measured = sfumato.measure(case.raw, case.release, {"id": "minimal-distortion", "weights": weights})
    assert measured.value == float(wanted)
    assert measured.lowest <= measured.value <= measured.highest
