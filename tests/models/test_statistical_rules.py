"""Rules of statistical tables as models: dominance against whole numbers, query control, probabilistic differential privacy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_sanitization import dominated
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models import (
    DifferentialPrivacy,
    DominanceRule,
    ProbabilisticDifferentialPrivacy,
    QuerySizeOverlapControl,
)
from sfumato.models.query_size_overlap_control import QueryLog

cells = st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=8), min_size=1, max_size=6)


@given(found=cells, n=st.integers(1, 4), k=st.integers(1, 100))
def test_dominance_by_hand(found: list[list[int]], n: int, k: int) -> None:
    groups = GroupStats.from_histograms([{v: cell.count(v) for v in cell} for cell in found], column="v")
    model = DominanceRule(n=n, k=k, sensitive="v")
    assert (~model.bound().holds(model.measure(groups))).tolist() == [dominated(cell, n, k) for cell in found]


@given(found=cells, order=st.randoms())
def test_a_share_does_not_depend_on_the_order_of_records(found: list[list[int]], order: object) -> None:
    rows = [(f"c{at}", value) for at, cell in enumerate(found) for value in cell]
    turned = sorted(rows, key=lambda row: order.random())  # type: ignore[attr-defined]
    one, two = (
        sfumato.check(sfumato.from_rows(["c", "v"], held), {"id": "dominance-rule", "sensitive": "v"}, qid=["c"])
        for held in (rows, turned)
    )
    assert [v.strongest for v in one] == pytest.approx([v.strongest for v in two])


def test_dominance_refuses_what_has_no_sum() -> None:
    negative = GroupStats.from_histograms([{-1: 1, 5: 2}], column="v")
    with pytest.raises(BadRequest, match="negative") as refused:
        DominanceRule(sensitive="v").measure(negative)
    assert refused.value.column == "v"
    with pytest.raises(BadRequest):
        DominanceRule(sensitive="v", k=0)
    with pytest.raises(BadRequest):
        DominanceRule(sensitive="v", k=101)
    with pytest.raises(BadRequest):
        DominanceRule(sensitive="v", n=0)
    text = GroupStats.from_histograms([{"a": 1}], column="v")
    with pytest.raises(BadRequest):
        DominanceRule(sensitive="v").measure(text)


def test_a_search_can_keep_the_rule() -> None:
    rows = [(20 + i % 40, 10 + (i * 7) % 90) for i in range(200)]
    policy = {
        "columns": {"age": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}},
        "requirements": [{"id": "dominance-rule", "n": 2, "k": 40, "sensitive": "pay"}],
        "algorithm": {"id": "mondrian"},
    }
    release = sfumato.anonymize(sfumato.from_rows(["age", "pay"], rows), policy)
    (verdict,) = release.verdict
    assert verdict.satisfied
    assert verdict.groups > 3


queries = st.lists(st.sets(st.integers(0, 9), max_size=10), max_size=8)


@given(asked=queries, m=st.integers(1, 4), r=st.one_of(st.none(), st.integers(0, 4)))
def test_queries_by_hand(asked: list[set[int]], m: int, r: int | None) -> None:
    rule, answered = QuerySizeOverlapControl(m=m, r=r), list[set[int]]()
    log = rule.log(rows=10)
    for query in asked:
        fits = m <= len(query) <= 10 - m and (r is None or all(len(query & old) <= r for old in answered))
        assert log.ask(query) is fits
        if fits:
            answered.append(query)
    assert [entry.records for entry in log.entries if entry.answered] == answered
    again = QueryLog.from_document(log.document())
    assert again.document() == log.document()
    audit = rule.audit(answered, rows=10)
    assert audit.satisfied
    wrong = rule.audit([*answered, set()], rows=10)
    assert (wrong.satisfied, wrong.measured) == (False, 1.0)


def test_logs_that_are_none() -> None:
    with pytest.raises(BadRequest):
        QueryLog.from_document({"rule": {"m": 1}})
    with pytest.raises(BadRequest):
        QuerySizeOverlapControl(m=1).log(rows=3).ask([3])
    with pytest.raises(BadRequest):
        QuerySizeOverlapControl(m=0)


def test_probabilistic_privacy_by_hand() -> None:
    law = {(1,): {"a": 0.5, "b": 0.49, "c": 0.01}, (2,): {"a": 0.5, "b": 0.5, "c": 0.0}, (3,): {"a": 0.1, "b": 0.9}}
    model = ProbabilisticDifferentialPrivacy(epsilon=1.0, delta=0.02)
    audit = model.audit(law, [((1,), (2,))])
    assert (audit.satisfied, audit.measured) == (True, 0.01)
    assert audit.witness["outputs"] == ("c",)
    assert not model.audit(law).satisfied  # the pair with (3,) discloses a
    assert model.audit(law).measured == pytest.approx(0.51)
    # With delta 0 it is differential privacy.
    for epsilon in (0.1, 0.5, 2.0, 2.3):
        strict = ProbabilisticDifferentialPrivacy(epsilon=epsilon, delta=0.0)
        plain = DifferentialPrivacy(epsilon=epsilon, adjacency="substitute")
        assert strict.audit(law).satisfied is plain.audit(law).satisfied


def test_probabilistic_privacy_refuses() -> None:
    model = ProbabilisticDifferentialPrivacy(epsilon=1.0, delta=0.1)
    with pytest.raises(BadRequest):
        model.audit({"x": {"a": 1.0}, "y": {"a": 1.0}})
    with pytest.raises(BadRequest):
        model.audit({"x": {"a": 1.0}}, [])
    with pytest.raises(BadRequest):
        model.audit({"x": {"a": 1.0}}, [("x", "z")])
    for wrong in ({"epsilon": 0, "delta": 0.1}, {"epsilon": np.inf, "delta": 0.1}, {"epsilon": 1, "delta": 1}):
        with pytest.raises(BadRequest):
            ProbabilisticDifferentialPrivacy(**wrong)
