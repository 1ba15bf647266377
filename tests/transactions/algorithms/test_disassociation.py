"""Disassociation: what is taken apart is k^m-anonymous, in some baskets that may have been there, tried one by one."""

from __future__ import annotations

from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.transactions import Baskets
from sfumato.transactions.algorithms.disassociation import Disassociation
from sfumato.transactions.disassociated import Cluster, Disassociated
from sfumato.transactions.models import HKPCoherence, KMAnonymity
from sfumato.transactions.releases.disassociated_baskets import DisassociatedBaskets
from sfumato.transactions.task import BasketTask

sets = st.lists(st.frozensets(st.sampled_from("abcdefx"), min_size=1, max_size=5), min_size=1, max_size=14)


def made(baskets: list[frozenset[str]]) -> Baskets:
    return Baskets.of(baskets, private=["x"] if any("x" in one for one in baskets) else [])


@given(baskets=sets, k=st.integers(1, 4), m=st.integers(1, 3), largest=st.integers(2, 8))
def test_clusters_and_chunks_are_k_m_anonymous(baskets: list[frozenset[str]], k: int, m: int, largest: int) -> None:
    algorithm, data = Disassociation(largest=largest), made(baskets)
    if len(baskets) < k:
        with pytest.raises(Infeasible):
            algorithm.taken_apart(data, k, m)
        return
    apart = algorithm.taken_apart(data, k, m)
    assert apart.records == len(baskets)
    assert all(cluster.baskets >= k for cluster in apart.clusters)
    for cluster in apart.clusters:
        assert "x" not in {name for chunk in cluster.chunks for part in chunk for name in part}
        for chunk in cluster.chunks:
            items = {name for part in chunk for name in part}
            for size in range(1, m + 1):
                for known in combinations(sorted(items), size):
                    assert sum(set(known) <= set(part) for part in chunk) not in range(1, k)
    # Every item is still told, in as many clusters as it was, and no part is invented.
    told = {name for cluster in apart.clusters for chunk in cluster.chunks for part in chunk for name in part}
    told |= {name for cluster in apart.clusters for name in cluster.terms}
    assert told == set().union(*baskets)
    built = DisassociatedBaskets.build(apart)
    assert DisassociatedBaskets().view(built.tables).clusters == apart.clusters
    (verdict,) = DisassociatedBaskets().verify(built.tables, [KMAnonymity(k=k, m=m)], ())
    assert verdict.satisfied
    assert verdict.records == len(baskets)


def worlds(cluster: Cluster) -> list[list[set[str]]]:
    """Return all baskets that may have been taken apart to a cluster, before terms are given out."""
    filled = [[*map(set, chunk), *[set[str]()] * (cluster.baskets - len(chunk))] for chunk in cluster.chunks]
    return [
        [set().union(*parts) for parts in zip(*way, strict=True)] if way else [set() for _ in range(cluster.baskets)]
        for way in product(*(permutations(chunk) for chunk in filled))
    ]


@settings(max_examples=40, deadline=None)
@given(
    baskets=st.lists(st.frozensets(st.sampled_from("abcd"), min_size=1, max_size=3), min_size=2, max_size=4),
    m=st.integers(1, 3),
)
def test_some_world_has_k_baskets_with_what_is_known(baskets: list[frozenset[str]], m: int) -> None:
    k = 2
    (cluster,) = Disassociation().taken_apart(Baskets.of(baskets), k, m).clusters
    terms, possible = set(cluster.terms), worlds(cluster)
    for known in {known for one in baskets for size in range(1, m + 1) for known in combinations(sorted(one), size)}:
        wanted = set(known) - terms
        assert any(sum(wanted <= basket for basket in world) >= k and (terms or all(world)) for world in possible), (
            "terms may be in any basket, and fill those that would be empty"
        )


@given(baskets=sets)
def test_reconstructed_baskets_can_be_taken_apart_to_the_same(baskets: list[frozenset[str]]) -> None:
    apart = Disassociation(largest=4).taken_apart(made(baskets), 1, 2)
    rebuilt = apart.reconstructed(np.random.default_rng(1))
    assert len(rebuilt) == len(baskets)
    at = 0
    for cluster in apart.clusters:
        own = rebuilt[at : at + cluster.baskets]
        at += cluster.baskets
        for chunk in cluster.chunks:
            domain = {name for part in chunk for name in part}
            parts = sorted(tuple(sorted(one & domain)) for one in own if one & domain)
            assert tuple(parts) == chunk
        assert set(cluster.terms) <= set().union(*own)


def test_through_every_door(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 21)
    baskets = [
        set(rng.choice([f"i{at}" for at in range(20)], 4, replace=False, p=weights / weights.sum()).tolist())
        for _ in range(200)
    ]
    policy = {
        "shape": "transactions",
        "requirements": [{"id": "km-anonymity", "k": 3, "m": 2}],
        "algorithm": {"id": "disassociation"},
    }
    release = sfumato.anonymize(baskets, policy)
    sfumato.publish(release, tmp_path / "out")
    verified = sfumato.verify(tmp_path / "out/public")
    assert verified.verdict
    assert [entry.recounted for entry in verified.certificate.requirements] == ["plain"]


def test_what_does_not_fit_is_refused() -> None:
    two = ((("a",), ("a",)), (("b",),))
    for wrong in (
        (2, two, ()),
        (1, two, ("c",)),
        (2, two, ("a",)),
        (0, (), ("a",)),
        (2, ((("a",),), (("a",),)), ("c",)),
    ):
        with pytest.raises(BadRequest):
            Cluster(*wrong)  # type: ignore[arg-type]
    good = DisassociatedBaskets.build(Disassociated((Cluster(2, two, ("c",)),))).tables
    for part, rows in [
        ("items", from_rows(["cluster", "chunk", "part", "item"], [(9, 1, 1, "a")])),
        ("items", from_rows(["cluster", "chunk", "part", "item"], [(1, 1, 1, "a"), (1, 2, 1, "b")])),
        ("clusters", from_rows(["cluster", "baskets"], [(1, 2), (1, 2)])),
        ("clusters", from_rows(["cluster", "n"], [(1, 2)])),
    ]:
        with pytest.raises(BadRequest):
            DisassociatedBaskets().view({**good, part: rows})
    with pytest.raises(Unsupported, match="taken apart"):
        DisassociatedBaskets().verify(good, [HKPCoherence(h=0.5, k=2, p=1)], ())
    with pytest.raises(BadRequest, match="needs an item"):
        DisassociatedBaskets.build(Disassociated((Cluster(2, (), ()),)))
    baskets = Baskets.of([{"a", "b"}] * 3)
    with pytest.raises(Unsupported, match="km-anonymity"):
        Disassociation().run(BasketTask(baskets, [HKPCoherence(h=1, k=2, p=1)]), Run())
    rare = Baskets.of([{"a", f"b{at}"} for at in range(6)])
    with pytest.raises(Infeasible):
        Disassociation().run(BasketTask(rare, [KMAnonymity(k=3, m=2)], lose_at_most=0.1), Run())
