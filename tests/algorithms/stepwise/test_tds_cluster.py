"""Refinement for clusters: it is refinement with the cluster as class, labels stay in the house, a target is not looked at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_clustering import naive_f_measure
from sfumato.algorithms.stepwise.tds_cluster import TdsCluster
from sfumato.utility.clustering import cluster_labels


def table(seed: int, rows: int = 200) -> sfumato.Table:
    """Return records of three towns that differ in age; the class is chance."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 3, rows)
    age = np.clip(rng.normal(25 + 20 * town, 4), 0, 99).astype(int)
    return sfumato.from_rows(
        ["age", "town", "class"],
        [(int(a), "abc"[t], str(c)) for a, t, c in zip(age, town, rng.integers(0, 2, rows), strict=True)],
    )


def policy(algorithm: dict[str, object], k: int = 10, target: str = "target") -> dict[str, object]:
    return {
        "columns": {
            "age": {"role": "quasi-identifier", "range": [0, 99]},
            "town": {"role": "quasi-identifier"},
            "class": {"role": target},
        },
        "requirements": [{"id": "k-anonymity", "k": k}],
        "algorithm": algorithm,
        "output": {"row_order": "keep"},
    }


@pytest.mark.parametrize("clusterer", ["k-means", "bisecting-k-means"])
def test_it_is_refinement_with_the_cluster_as_class(clusterer: str) -> None:
    raw = table(1)
    asked = {"id": "tds-cluster", "clusters": 3, "clusterer": clusterer}
    release = sfumato.anonymize(raw, policy(asked, target="plain"))
    rows = raw.to_rows()
    labels = cluster_labels(
        {"age": [row[0] for row in rows], "town": [row[1] for row in rows]},
        {"age": "number", "town": "category"},
        3,
        clusterer=clusterer,
        seed=0,
    )
    labelled = sfumato.from_rows(
        ["age", "town", "class", "cluster"], [(*row, int(label)) for row, label in zip(rows, labels, strict=True)]
    )
    by_hand = policy({"id": "tdr"}, target="plain")
    by_hand["columns"]["cluster"] = {"role": "target"}  # type: ignore[index]
    expected = sfumato.anonymize(labelled, by_hand)
    assert release.table.to_rows() == [row[:3] for row in expected.table.to_rows()]
    assert release.private.facts["cluster_sizes"] == sorted(np.bincount(labels).tolist(), reverse=True)


def test_labels_are_not_published_and_the_target_is_not_looked_at() -> None:
    raw = table(2)
    with_target = sfumato.anonymize(raw, policy({"id": "tds-cluster", "clusters": 3}))
    without = sfumato.anonymize(raw, policy({"id": "tds-cluster", "clusters": 3}, target="plain"))
    assert with_target.table.columns == ("age", "town", "class")
    assert with_target.table.to_rows() == without.table.to_rows()
    assert any("clusters take its place" in text for text in with_target.warnings)
    assert not any("clusters take its place" in text for text in without.warnings)
    assert "cluster_sizes" not in str(with_target.certificate.document)


def test_guided_search_keeps_more_of_the_structure_than_one_for_a_class_of_chance() -> None:
    gains = []
    for seed in range(4):
        raw = table(seed)
        found = [
            sfumato.cluster_utility(raw, sfumato.anonymize(raw, policy(asked, k=40)), clusters=3).f_measure.overall
            for asked in ({"id": "tds-cluster", "clusters": 3}, {"id": "tdr"})
        ]
        gains.append(found[0] - found[1])
    assert np.mean(gains) > 0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 6))
def test_requirements_hold_and_the_measure_is_that_of_the_rows(seed: int, k: int, clusters: int) -> None:
    raw = table(seed, rows=30)
    release = sfumato.anonymize(raw, policy({"id": "tds-cluster", "clusters": clusters}, k=k, target="plain"))
    counts: dict[tuple[str, str], int] = {}
    for row in release.table.to_rows():
        counts[row[0], row[1]] = counts.get((row[0], row[1]), 0) + 1
    assert min(counts.values()) >= k
    columns = ("age", "town")
    found = sfumato.cluster_utility(raw, release, clusters=2, columns=columns)
    assert found.sizes_before != ()
    labels = []
    for made in (raw, release.table):
        rows = made.select(columns).to_rows()
        kinds = {
            name: "number" if all(isinstance(row[at], int) for row in rows) else "category"
            for at, name in enumerate(columns)
        }
        if kinds["age"] == "category":
            kinds["age"] = "interval"
        columned = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
        labels.append(cluster_labels(columned, kinds, 2, clusterer="bisecting-k-means").tolist())  # type: ignore[arg-type]
    assert found.f_measure.overall == pytest.approx(naive_f_measure(*labels))


def test_refusals() -> None:
    with pytest.raises(sfumato.BadRequest, match=r"tds-cluster\.clusters.*>= 2"):
        TdsCluster(clusters=1)
    with pytest.raises(sfumato.BadRequest, match="choices"):
        TdsCluster(clusterer="dbscan")  # type: ignore[arg-type]
    with pytest.raises(sfumato.BadRequest, match="at most the number of records, 4"):
        sfumato.anonymize(table(0, rows=4), policy({"id": "tds-cluster", "clusters": 5}, k=1))


def test_few_different_records_give_fewer_clusters() -> None:
    raw = sfumato.from_rows(["age", "town", "class"], [(30, "a", "x"), (40, "b", "y")] * 6)
    release = sfumato.anonymize(raw, policy({"id": "tds-cluster", "clusters": 4}, k=3, target="plain"))
    assert release.private.facts["cluster_sizes"] == [6, 6]
    assert any("fewer than the 4 asked for" in text for text in release.warnings)


def test_a_column_called_cluster_is_left_alone() -> None:
    rows = [(i % 7, ("a", "b")[i % 2]) for i in range(40)]
    raw = sfumato.from_rows(["cluster", "cluster1"], rows)
    asked = {
        "columns": {"cluster": {"role": "quasi-identifier", "range": [0, 9]}, "cluster1": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "algorithm": {"id": "tds-cluster", "clusters": 2},
    }
    assert sfumato.anonymize(raw, asked).verdict.satisfied
