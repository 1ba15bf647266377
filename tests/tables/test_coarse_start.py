"""Counting from a coarser level on: found where rows are too many, the same result, refused where it would not be the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.engines import read
from sfumato.errors import BadRequest

METRICS = ("loss", "non-uniform-entropy", "minimal-distortion", "discernibility", "average-group-size")
LEVELS = {"id": "intervals", "lower": 0, "upper": 64, "width": 4, "fan_out": [2, 2, 2]}


def policy(metric: str = "loss", k: int = 4, limit: float = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "a": {"role": "quasi-identifier", "hierarchy": LEVELS},
            "b": {"role": "quasi-identifier", "hierarchy": LEVELS},
            "c": {"role": "quasi-identifier"},
            "d": {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": k}, {"id": "l-diversity-distinct", "l": 2, "sensitive": "d"}],
        "algorithm": {"id": "optimal", "metric": metric},
        **more,
        "limits": {"suppress_at_most": limit, **more.get("limits", {})},
    }


def rows(n: int, seed: int) -> dict[str, list[Any]]:
    return {
        "a": [(at * 7 + seed) % 61 for at in range(n)],
        "b": [(at * at + seed) % 59 for at in range(n)],
        "c": ["xy"[at % 2] for at in range(n)],
        "d": ["pqr"[at % 3] for at in range(n)],
    }


def told(release: Any) -> tuple[Any, ...]:
    facts = release.private.facts
    return facts["levels"], facts["score"], facts["left_out"], release.table.content_digest(), facts["bound"]


def coarse(release: Any) -> bool:
    return any("counted from these levels on" in warning for warning in release.warnings)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("limit", [0.0, 0.05])
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_what_is_found_is_what_all_rows_give(metric: str, limit: float, engine: str) -> None:
    data = rows(300, 3)
    plain = sfumato.anonymize(data, policy(metric, 30, limit))
    bounded = sfumato.anonymize(read(data, engine), policy(metric, 30, limit, limits={"distinct_rows": 200}))
    assert coarse(bounded)
    assert not coarse(plain)
    assert told(bounded)[:4] == told(plain)[:4]
    assert bounded.certificate.algorithm.optimal == plain.certificate.algorithm.optimal
    assert bounded.verdict


@settings(deadline=None)
@given(
    n=st.integers(30, 90),
    seed=st.integers(0, 50),
    k=st.integers(2, 9),
    metric=st.sampled_from(METRICS),
    limit=st.sampled_from([0.0, 0.1, 1.0]),
    bound=st.integers(4, 60),
)
def test_random_tables(n: int, seed: int, k: int, metric: str, limit: float, bound: int) -> None:
    data = rows(n, seed)
    try:
        bounded = sfumato.anonymize(data, policy(metric, k, limit, limits={"distinct_rows": bound}))
    except BadRequest as error:
        assert "distinct rows" in str(error)  # noqa: PT017  either refused, or the same
        return
    assert told(bounded)[:4] == told(sfumato.anonymize(data, policy(metric, k, limit)))[:4]


def test_levels_that_the_policy_forbids_are_not_counted() -> None:
    asked = policy(k=2)
    for name in "ab":
        asked["columns"][name] = {**asked["columns"][name], "levels": {"at_least": 3}}
    bounded = sfumato.anonymize(rows(300, 3), {**asked, "limits": {"distinct_rows": 250}})
    assert coarse(bounded)
    assert told(bounded)[:4] == told(sfumato.anonymize(rows(300, 3), asked))[:4]


def test_what_would_not_be_the_same_is_refused() -> None:
    few = {"distinct_rows": 100}
    for algorithm in ({"id": "tdr"}, {"id": "incognito"}, {"id": "optimal", "local_recoding": True}):
        with pytest.raises(BadRequest, match="allows 100 distinct rows"):
            sfumato.anonymize(rows(300, 3), policy(k=12, limits=few) | {"algorithm": algorithm})
