"""Grouping algorithms against worked examples: anatomize, (k,e)-permutation, condensation, r-gather."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_groupings import best_gather, best_values, partitions, radius
from sfumato.estimates.moments import Moments


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("requirement", ["l-diversity-distinct", "l-diversity-frequency"])
def test_anatomize(golden: Callable[..., Any], seed: int, requirement: str) -> None:
    with golden("02-anatomize-1") as file:
        rows = [
            (number, disease)
            for number, disease in enumerate(
                disease for disease, count in file.input["sensitive_counts"].items() for _ in range(count)
            )
        ]
        table = sfumato.from_rows(["Id", "Disease"], rows)

        def run(l: int) -> Any:
            return sfumato.anonymize(
                table,
                {
                    "columns": {"Id": {"role": "quasi-identifier"}, "Disease": {"role": "sensitive"}},
                    "requirements": [{"id": requirement, "l": l, "sensitive": "Disease"}],
                    "algorithm": {"id": "anatomize"},
                    "seed": seed,
                },
            )

        release = run(file.input["l"])
        sizes = release.tables["qit"].groups(["GroupID"]).sizes
        file.compare(len(sizes), "groups")
        file.compare(sizes.tolist(), "group_sizes")
        file.compare(release.private.facts["residues"], "residues")
        distinct = Counter(group for group, _, _ in release.tables["st"].to_rows())
        assert {count for _, _, count in release.tables["st"].to_rows()} == {1}
        (found,) = set(distinct.values())
        file.compare(found, "distinct_per_group")
        file.compare(release.certificate["guarantee"]["max_link_probability"], "max_link_probability")
        with pytest.raises(sfumato.Infeasible) as caught:
            run(file.input["l_refused"])
        file.compare(caught.value.measured == 5 and caught.value.bound == 3, "l4_refused")


def test_ke_permutation(golden: Callable[..., Any]) -> None:
    with golden("02-ke-permutation-1") as file:
        given = file.input
        release = sfumato.anonymize(
            sfumato.from_rows(["Id", "Salary"], list(enumerate(given["values"]))),
            {
                "columns": {"Id": {"role": "quasi-identifier"}, "Salary": {"role": "sensitive"}},
                "requirements": [{"id": "k-e-anonymity", "k": given["k"], "e": given["e"], "sensitive": "Salary"}],
                "algorithm": {"id": "ke-permutation"},
                "seed": 3,
            },
        )
        groups: dict[int, list[int]] = {}
        for _, number, salary in release.tables["data"].to_rows():
            groups.setdefault(number, []).append(salary)
        file.compare(sorted(sorted(group) for group in groups.values()), "one_optimal_partition")
        published = release.tables["aggregates"].to_rows()
        file.compare(sum(high - low for _, _, _, low, high in published), "min_sum_of_ranges")
        file.compare(int(release.private.facts["error_sum"]), "min_sum_of_ranges")
        file.compare(best_values(given["values"], given["k"], given["e"]), "min_sum_of_ranges")


def test_condensation(golden: Callable[..., Any]) -> None:
    with golden("02-condensation-1") as file:
        points, k = file.input["points"], file.input["k"]
        moments = Moments.of(points)
        file.compare(int(moments.count[0]), "n")
        file.compare(moments.sums[0].tolist(), "first_order_sums")
        file.compare(moments.products[0].tolist(), "second_order_sums")
        file.compare(moments.mean[0].tolist(), "mean")
        file.compare(moments.covariance[0].tolist(), "covariance")
        file.compare(moments.axes()[0][0].tolist(), "eigenvalues")
        halves = moments.split()
        file.compare(halves.mean.tolist(), "split", "centroids")
        for variances in halves.axes()[0].tolist():
            file.compare(variances, "split", "eigenvalues")
        file.compare(halves.count.tolist(), "split", "counts")
        # The same four points through the stream: the fourth fills the group of 2k, and it is split.
        release = sfumato.anonymize(
            sfumato.from_rows(["x", "y"], points),
            {
                "columns": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}},
                "requirements": [{"id": "k-anonymity", "k": k}],
                "algorithm": {"id": "condensation", "stream": True, "distance": "euclidean"},
            },
        )
        kept = release.private.facts["moments"]
        file.compare(sorted(kept["mean"]), "split", "centroids")
        file.compare(kept["count"], "split", "counts")
        for covariance in kept["covariance"]:
            file.compare(np.linalg.eigvalsh(covariance).tolist(), "split", "eigenvalues")


def test_r_gather(golden: Callable[..., Any]) -> None:
    with golden("02-r-gather-1") as file:
        points = [tuple(point) for point in file.input["points"]]
        kept = True
        for r in file.input["r"]:
            optimum = best_gather(points, r)
            file.compare(optimum, "optimal_radius", str(r))
            assert optimum is not None
            # The partition of the file is one of those with the least radius.
            listed = file.expected["optimal_clusters"][str(r)]
            best = [
                sorted(map(sorted, groups))
                for groups in partitions(range(len(points)))
                if all(len(group) >= r for group in groups)
                and max(radius(points, group) for group in groups) <= optimum + 1e-12
            ]
            file.compare(next(groups for groups in best if groups == listed), "optimal_clusters", str(r))
            release = sfumato.anonymize(
                sfumato.from_rows(["x", "y"], points),
                {
                    "columns": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}},
                    "requirements": [{"id": "k-anonymity", "k": r}],
                    "algorithm": {"id": "r-gather", "distance": "euclidean"},
                },
            )
            rows = release.tables["clusters"].to_rows()
            kept &= max(row[4] for row in rows) <= 2 * optimum and min(row[3] for row in rows) >= r
            assert release.private.facts["optimum_at_least"] <= optimum
        file.compare("radius <= 2 * optimal, every cluster >= r points" if kept else "broken", "guarantee")
