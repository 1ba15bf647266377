"""Cluster comparison against a twin that looks at every pair; clusters of made-up tables; refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.naive_clustering import naive_f_measure, naive_inertia, naive_matches
from sfumato.errors import BadRequest, Unsupported
from sfumato.searches.clusters import bisecting_k_means, k_means, one_hot
from sfumato.utility.clustering import (
    CLUSTERERS,
    cluster_labels,
    contingency,
    f_measure,
    f_measure_of_counts,
    match_point,
)

LABELS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)


class TestComparing:
    @settings(max_examples=100, deadline=None)
    @given(LABELS)
    def test_against_the_definition(self, drawn: tuple[list[int], list[int]]) -> None:
        before, after = drawn
        found = f_measure(before, after)
        assert found.overall == pytest.approx(naive_f_measure(before, after))
        assert match_point(before, after).matches == naive_matches(before, after)
        assert 0 < found.overall <= 1
        assert 1 / len(before) <= match_point(before, after).value <= 1

    @settings(max_examples=50, deadline=None)
    @given(LABELS)
    def test_only_equal_partitions_are_perfect(self, drawn: tuple[list[int], list[int]]) -> None:
        before, after = drawn
        same = len(set(before)) == len(set(after)) == len(set(zip(before, after, strict=True)))
        assert (f_measure(before, after).overall == pytest.approx(1)) == same
        assert (match_point(before, after).value == 1) == same
        assert match_point(before, after) == match_point(after, before)
        renamed = [f"c{label}" for label in before]
        assert f_measure(before, renamed).overall == pytest.approx(1)

    def test_it_is_not_symmetric(self) -> None:
        before, after = [0, 0, 0, 1, 2], [0, 0, 0, 0, 0]
        assert f_measure(before, after).overall != pytest.approx(f_measure(after, before).overall)

    def test_records_without_a_cluster_are_one_cluster(self) -> None:
        assert contingency([0, None, None], [None, 1, 1]).tolist() == [[0, 2], [1, 0]]

    def test_labels_by_record_are_matched_by_record(self) -> None:
        assert f_measure({"a": 0, "b": 1}, {"b": 5, "a": 4}).overall == 1

    def test_large_tables_need_no_matrix_of_pairs(self) -> None:
        labels = np.arange(300_000) % 3
        assert match_point(labels, labels).matches == 9 * 10**10

    @pytest.mark.parametrize(
        "before, after",
        [([0, 1], [0]), ([], []), ({"a": 0}, {"b": 0}), ({"a": 0}, [0])],
    )
    def test_other_records_are_refused(self, before: object, after: object) -> None:
        with pytest.raises(BadRequest):
            f_measure(before, after)  # type: ignore[arg-type]

    @pytest.mark.parametrize("counts", [[[1.5]], [[-1, 2]], [1, 2], [[0, 0], [1, 1]], [[]]])
    def test_tables_that_are_no_counts_are_refused(self, counts: object) -> None:
        with pytest.raises(BadRequest, match="counts"):
            f_measure_of_counts(counts)


class TestClusters:
    AGE = [20, 21, 22, 60, 61, 62, 90, 91]

    @pytest.mark.parametrize("clusterer", list(CLUSTERERS))
    def test_clear_clusters_are_found(self, clusterer: str) -> None:
        if clusterer == "agglomerative":
            pytest.importorskip("sklearn")
        found = cluster_labels({"age": self.AGE}, {"age": "number"}, 3, clusterer=clusterer)
        assert found.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]

    def test_intervals_are_placed_at_their_middle(self) -> None:
        # By lower bounds the second lies with the first, by middles with the third.
        labels = ["[0-2)", "[1-99)", "[48-52)"]
        assert cluster_labels({"x": labels}, {"x": "interval"}, 2).tolist() == [0, 1, 1]

    def test_units_do_not_matter(self) -> None:
        rng = np.random.default_rng(2)
        a, b = rng.normal(size=60), rng.normal(size=60)
        kinds = {"a": "number", "b": "number"}
        first = cluster_labels({"a": a, "b": b}, kinds, 4)  # type: ignore[arg-type]
        assert np.array_equal(first, cluster_labels({"a": 1000 * a, "b": b}, kinds, 4))  # type: ignore[arg-type]

    def test_same_seed_same_clusters_and_any_order_of_records(self) -> None:
        rng = np.random.default_rng(3)
        columns = {"x": rng.integers(0, 50, 200), "c": rng.choice(list("abcd"), 200)}
        kinds = {"x": "number", "c": "category"}
        labels = cluster_labels(columns, kinds, 5, seed=4)  # type: ignore[arg-type]
        order = rng.permutation(200)
        moved = cluster_labels({name: v[order] for name, v in columns.items()}, kinds, 5, seed=4)  # type: ignore[arg-type]
        assert f_measure(labels[order], moved).overall == 1

    def test_objects_with_fit_predict_are_taken(self) -> None:
        class Sign:
            def fit_predict(self, matrix: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
                return (matrix[:, 0] > 0).astype(int)

        assert cluster_labels({"x": [1, 5, 2, 6]}, {"x": "number"}, 2, clusterer=Sign()).tolist() == [0, 1, 0, 1]

    @pytest.mark.parametrize("clusters", [1, 9, 2.0, True])
    def test_wrong_numbers_of_clusters(self, clusters: int) -> None:
        with pytest.raises(BadRequest, match="from 2 to the 8 records"):
            cluster_labels({"age": self.AGE}, {"age": "number"}, clusters)

    def test_other_refusals(self) -> None:
        with pytest.raises(BadRequest, match="did you mean 'k-means'"):
            cluster_labels({"age": self.AGE}, {"age": "number"}, 2, clusterer="kmeans")
        with pytest.raises(BadRequest, match="needs a kind"):
            cluster_labels({"age": self.AGE}, {}, 2)
        with pytest.raises(BadRequest, match="at least one column"):
            cluster_labels({}, {}, 2)
        with pytest.raises(BadRequest, match="one length"):
            cluster_labels({"age": self.AGE, "x": [1]}, {"age": "number", "x": "number"}, 2)
        with pytest.raises(BadRequest, match="missing values"):
            cluster_labels({"x": [1.0, float("nan"), 2.0]}, {"x": "number"}, 2)
        with pytest.raises(Unsupported, match="every pair"):
            cluster_labels({"x": np.arange(20_001)}, {"x": "number"}, 2, clusterer="agglomerative")


class TestSearch:
    @settings(max_examples=25, deadline=None)
    @given(
        st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=6, unique=True),
        st.integers(2, 3),
        st.integers(0, 5),
    )
    def test_small_tables_come_close_to_the_best_partition(
        self, drawn: list[tuple[int, int]], clusters: int, seed: int
    ) -> None:
        points, weights = np.array(drawn, np.float64), np.arange(1, len(drawn) + 1)
        labels = k_means(points, weights, clusters, np.random.default_rng(seed), restarts=20)
        assert len(set(labels.tolist())) == min(clusters, len(drawn))
        best = min(
            naive_inertia(drawn, weights.tolist(), [number // clusters**i % clusters for i in range(len(drawn))])
            for number in range(clusters ** len(drawn))
        )
        assert naive_inertia(drawn, weights.tolist(), labels.tolist()) <= 1.5 * best + 1e-9

    def test_weights_stand_for_repeated_points(self) -> None:
        rng = np.random.default_rng(1)
        points, weights = rng.normal(size=(30, 2)), rng.integers(1, 5, 30)
        whole = np.repeat(points, weights, axis=0)
        for ways in (k_means, bisecting_k_means):
            by_weight = ways(points, weights, 3, np.random.default_rng(0))
            repeated = ways(whole, np.ones(len(whole), np.int64), 3, np.random.default_rng(0))
            inertia = naive_inertia(whole.tolist(), [1] * len(whole), np.repeat(by_weight, weights).tolist())
            assert inertia == pytest.approx(naive_inertia(whole.tolist(), [1] * len(whole), repeated.tolist()), rel=0.1)

    def test_equal_points_stay_together(self) -> None:
        points = np.zeros((4, 2))
        for ways in (k_means, bisecting_k_means):
            assert ways(points, np.ones(4, np.int64), 3, np.random.default_rng(0)).tolist() == [0, 0, 0, 0]

    def test_many_values_share_coordinates(self) -> None:
        hot = one_hot(np.arange(1000), np.ones(1000, np.int64))
        assert hot.shape == (1000, 200)
        assert (hot.sum(axis=1) == 1).all()
        assert hot[:, -1].sum() == 801
