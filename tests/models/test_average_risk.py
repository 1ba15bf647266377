"""Average risk and sample uniqueness: counted like anybody would, and kept by the searches that enforce them."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.groups.stats import GroupStats
from sfumato.models import AverageRisk, SampleUniqueness

TREES = ({"*": [{"ab": ["a", "b"]}, {"cd": ["c", "d"]}]}, {"*": [{"xy": ["x", "y"]}, "z"]})


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.integers(1, 20))
def test_counts_like_anybody_would(sizes: list[int], twentieths: int) -> None:
    groups, threshold = GroupStats.from_sizes(sizes), twentieths / 20
    mean = AverageRisk(threshold=threshold).check(groups)
    records = [1 / size for size in sizes for _ in range(size)]
    assert mean.strongest == pytest.approx(sum(records) / len(records))
    assert mean.satisfied == (20 * len(sizes) <= twentieths * sum(sizes))
    alone = SampleUniqueness(threshold=threshold).check(groups)
    assert alone.strongest == pytest.approx(sizes.count(1) / sum(sizes))
    assert alone.satisfied == (20 * sizes.count(1) <= twentieths * sum(sizes))


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "tdr"])
@pytest.mark.parametrize("asked", ["average-risk", "sample-uniqueness"])
@pytest.mark.parametrize("seed", range(4))
def test_what_a_search_publishes_holds_by_hand(algorithm: str, asked: str, seed: int) -> None:
    rng = random.Random(seed)
    rows = [(rng.choice("abcd"), rng.choice("xyz")) for _ in range(rng.randint(12, 40))]
    threshold = rng.choice([0.05, 0.1, 0.2])
    policy: dict[str, Any] = {
        "columns": {
            name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}
            for name, tree in zip("qp", TREES, strict=True)
        },
        "requirements": [{"id": asked, "threshold": threshold}],
        "algorithm": {"id": algorithm},
    }
    try:
        release = sfumato.anonymize(sfumato.from_rows(["q", "p"], rows), policy)
    except sfumato.Infeasible:
        assert 1 / len(rows) > threshold  # even one group of all has too high a mean
        return
    sizes = Counter(release.table.to_rows()).values()
    found = len(sizes) if asked == "average-risk" else sum(size == 1 for size in sizes)
    assert found / sum(sizes) <= threshold * (1 + 1e-9)
    assert release.certificate.requirements[0].measured == pytest.approx(found / sum(sizes))
