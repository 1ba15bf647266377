"""Condensation: moments, splits and draws against their formulas, group sizes, the stream against a twin, the release."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.linked_records import records_by_group
from oracles.naive_groupings import streamed
from sfumato.algorithms.groupings._condensing import condense, condense_stream
from sfumato.algorithms.groupings._condensing_kernels import add_until_full
from sfumato.algorithms.groupings.condensation import Condensation
from sfumato.contracts.algorithm import Task
from sfumato.contracts.progress import Silent
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.estimates.moments import Moments
from sfumato.models import KAnonymity
from sfumato.releases.condensed_table import CondensedTable
from sfumato.testing.check_grouping import check_grouping
from sfumato.utility.queries import Between, CountQuery, counter_of

SEEDS = st.integers(0, 10_000)


def policy(k: int = 5, **algorithm: Any) -> dict[str, Any]:
    return {
        "columns": {"age": {"role": "quasi-identifier"}, "income": {"role": "sensitive"}},
        "requirements": [{"id": "k-anonymity", "k": k}],
        "algorithm": {"id": "condensation", **algorithm},
        "seed": 5,
    }


def table(n: int = 200, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 70, n)
    income = 100.0 * age + rng.normal(0, 400, n)
    return sfumato.from_rows(["age", "income"], list(zip(age.tolist(), income.tolist(), strict=True)))


def covariance(points: Any) -> Any:
    centred = points - points.mean(axis=0)
    return centred.T @ centred / len(points)


# ---- moments -------------------------------------------------------------------------------------------------------------


@given(seed=SEEDS, groups=st.integers(1, 4), wide=st.integers(1, 4))
def test_moments_are_those_of_the_records(seed: int, groups: int, wide: int) -> None:
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(groups), rng.integers(0, groups, 20)])
    points = rng.normal(3, 2, (len(group), wide))
    moments = Moments.of(points, group)
    for at in range(groups):
        inside = points[group == at]
        assert moments.count[at] == len(inside)
        assert moments.mean[at] == pytest.approx(inside.mean(axis=0))
        assert moments.covariance[at] == pytest.approx(covariance(inside), abs=1e-9)
        variances, axes = (part[at] for part in moments.axes())
        assert (np.diff(variances) <= 1e-12).all()
        assert (axes * variances) @ axes.T == pytest.approx(covariance(inside), abs=1e-8)
    again = Moments.of(points[::2], group[::2] * 0) + Moments.of(points[1::2], group[1::2] * 0)
    whole = Moments.of(points)
    assert (again.count, again.sums, again.products) == (
        pytest.approx(whole.count),
        pytest.approx(whole.sums),
        pytest.approx(whole.products),
    )


@given(seed=SEEDS, k=st.integers(1, 6), wide=st.integers(1, 4))
def test_a_split_keeps_mean_and_covariance_of_the_union(seed: int, k: int, wide: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(0, 1, (2 * k, wide)) * rng.random(wide)
    whole = Moments.of(points)
    halves = whole.split()
    assert halves.count.tolist() == [k, k]
    union = Moments(halves.count.sum(keepdims=True), halves.sums.sum(axis=0)[None], halves.products.sum(axis=0)[None])
    assert union.mean == pytest.approx(whole.mean, abs=1e-9)
    assert union.covariance == pytest.approx(whole.covariance, abs=1e-9)
    first, along = whole.axes()[0][0, 0], whole.axes()[1][0, :, 0]
    for half in range(2):
        assert along @ halves.covariance[half] @ along == pytest.approx(first / 4, abs=1e-9)
    step = (halves.mean[1] - halves.mean[0]) / 2
    assert step == pytest.approx(math.sqrt(12 * first) / 4 * along, abs=1e-9)


def test_draws_have_the_moments_of_the_group() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(0, 1, (40, 3)) @ np.array([[2.0, 0.5, 0], [0, 1.0, 0.7], [0, 0, 0.1]]) + 7
    moments = Moments.of(points)
    many = Moments.from_covariance(np.array([200_000]), moments.mean, moments.covariance)
    drawn, group = many.draw(rng)
    assert set(group.tolist()) == {0}
    assert drawn.mean(axis=0) == pytest.approx(points.mean(axis=0), abs=0.03)
    assert covariance(drawn) == pytest.approx(covariance(points), abs=0.05)
    # Uniform along each axis: nothing lies farther out than sqrt(12 v) / 2.
    variances, axes = moments.axes()
    along = np.abs((drawn - moments.mean[0]) @ axes[0])
    assert (along.max(axis=0) <= np.sqrt(12 * variances[0]) / 2 + 1e-9).all()


def test_a_group_of_equal_records_draws_copies() -> None:
    drawn, _ = Moments.of(np.full((6, 2), 2.5)).draw(np.random.default_rng(0))
    assert drawn == pytest.approx(np.full((6, 2), 2.5), abs=1e-7)


# ---- groups --------------------------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(seed=SEEDS, n=st.integers(1, 40), k=st.integers(1, 8), wide=st.integers(1, 3))
def test_sizes_are_at_least_k_and_below_2k(seed: int, n: int, k: int, wide: int) -> None:
    k = min(k, n)
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, (n, wide)).astype(float)
    groups = condense(points, k, rng, Silent())
    sizes = np.bincount(groups)
    assert len(sizes) == n // k
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    moments = condense_stream(points, k, Silent())
    assert moments.count.sum() == n
    assert moments.count.min() >= k
    assert moments.count.max() <= 2 * k - 1
    assert moments.sums.sum(axis=0) == pytest.approx(points.sum(axis=0), abs=1e-6)
    assert moments.products.sum(axis=0) == pytest.approx(points.T @ points, abs=1e-6)


@settings(max_examples=60)
@given(seed=SEEDS, n=st.integers(4, 30), k=st.integers(2, 4))
def test_a_group_is_a_record_and_its_nearest(seed: int, n: int, k: int) -> None:
    """The first group: some member has no stranger nearer than its farthest fellow."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    groups = condense(points, k, rng, Silent())
    first = np.flatnonzero(groups == 0)
    away = np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))
    for member in first.tolist():
        others = np.sort(away[member])[:k]
        if (away[member, first[np.argsort(away[member, first])][:k]] == others).all():
            break
    else:
        pytest.fail("no member has its nearest in the group")


@settings(max_examples=60)
@given(seed=SEEDS, n=st.integers(2, 25), groups=st.integers(1, 4), full=st.integers(2, 6))
def test_stream_kernel_against_a_twin(seed: int, n: int, groups: int, full: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.random((n + groups, 2))
    held = [[tuple(point)] for point in points[:groups].tolist()]
    counts = np.ones(n + groups, np.int64)
    sums = points.copy()
    products = points[:, :, None] * points[:, None, :]
    read, filled = add_until_full(points, groups, groups, counts, sums, products, full)
    assert (read, filled) == streamed([tuple(point) for point in points.tolist()], groups, held, full)
    wanted = [Moments.of(inside) for inside in held]
    assert counts[:groups].tolist() == [len(inside) for inside in held]
    assert sums[:groups] == pytest.approx(np.array([one.sums[0] for one in wanted]))
    assert products[:groups] == pytest.approx(np.array([one.products[0] for one in wanted]))


# ---- the release ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("stream", [False, True])
def test_release_keeps_its_promise(stream: bool, engine: str) -> None:
    source = sfumato.read(table().to_native(), engine=engine)
    release = sfumato.anonymize(source, {**policy(stream=stream), "engine": engine})
    assert release.kind == "condensed-table"
    assert release.verdict
    assert release.certificate["release"]["truthful"] is False
    assert release.certificate["statement"]["mechanism"] == "condensation"
    assert release.certificate["guarantee"]["smallest_group"] >= 5
    assert release.table.rows == 200
    assert dict(release.table.types) == dict(table().types)
    sizes = [size for _, size in release.tables["groups"].to_rows()]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == 200
    assert max(sizes) < 10
    facts = release.private.facts
    assert sorted(facts["moments"]["count"]) == sorted(sizes)
    total = np.average(np.array(facts["moments"]["mean"]), axis=0, weights=facts["moments"]["count"])
    assert total == pytest.approx(np.array(table().to_rows()).mean(axis=0))
    assert not set(release.table.to_rows()) & set(table().to_rows())
    assert (release.private.links is None) == stream


@pytest.mark.parametrize("stream", [False, True])
def test_means_and_covariances_survive(stream: bool) -> None:
    source = table(5000)
    release = sfumato.anonymize(source, policy(20, stream=stream))
    raw, drawn = np.array(source.to_rows()), np.array(release.table.to_rows())
    spread = raw.std(axis=0)
    assert np.abs((drawn.mean(axis=0) - raw.mean(axis=0)) / spread).max() < 0.05
    assert np.abs((covariance(drawn) - covariance(raw)) / np.outer(spread, spread)).max() < 0.08


def test_far_from_zero_no_digit_is_lost() -> None:
    rows = [(10**9 + age, income) for age, income in table().to_rows()]
    release = sfumato.anonymize(sfumato.from_rows(["age", "income"], rows), policy(distance="euclidean"))
    near = sfumato.anonymize(table(), policy(distance="euclidean"))
    assert [(age - 10**9, pytest.approx(income)) for age, income in release.table.to_rows()] == near.table.to_rows()


def test_declared_ranges_are_kept() -> None:
    asked = policy(3)
    asked["columns"]["age"]["range"] = [20, 69]
    drawn = [age for age, _ in sfumato.anonymize(table(), asked).table.to_rows()]
    assert min(drawn) >= 20
    assert max(drawn) <= 69


def test_copies_and_narrow_groups_are_told() -> None:
    rows = [(30, 5.0)] * 4 + [(60 + i, 10.0 * i) for i in range(4)]
    release = sfumato.anonymize(sfumato.from_rows(["age", "income"], rows), policy(4))
    assert any("1 of 2 groups hold equal records" in text for text in release.warnings)
    assert release.private.facts["groups_without_variance"] == 1
    assert any("singular" in text for text in sfumato.anonymize(table(), policy(2)).warnings)
    assert not any("singular" in text for text in sfumato.anonymize(table(), policy(3)).warnings)


def test_scaled_distance_does_not_depend_on_units() -> None:
    cents = sfumato.from_rows(["age", "income"], [(age, 1024 * income) for age, income in table().to_rows()])
    one, two = sfumato.anonymize(table(), policy()), sfumato.anonymize(cents, policy())
    assert records_by_group(one)
    assert [(age, 1024 * income, group) for age, income, group in records_by_group(one)] == records_by_group(two)


def test_the_stream_keeps_the_common_promises() -> None:
    check_grouping(Condensation(stream=True), np.random.default_rng(3))


@pytest.mark.parametrize("stream", [False, True])
def test_through_the_commands(stream: bool, commands: Callable[..., Path]) -> None:
    out = commands(["age", "income"], table().to_rows(), policy(stream=stream))
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert certificate["release"]["truthful"] is False
    assert certificate["requirements"][0]["satisfied"] is True
    page = (out / "private" / "report.html").read_text()
    assert "Every group stands for at least 5 records" in page
    assert "true of nobody" in page


def test_queries_are_counted_on_the_drawn_rows() -> None:
    release = sfumato.anonymize(table(2000), policy(10))
    query = CountQuery({"age": Between(30, 49)})
    true = sum(30 <= age <= 49 for age, _ in table(2000).to_rows())
    assert counter_of(CondensedTable(), release.tables).count(query) == pytest.approx(true, rel=0.1)


# ---- the kind ------------------------------------------------------------------------------------------------------------


def built(**changes: Any) -> Any:
    made = CondensedTable.build(table(6), [1, 1, 1, 7, 7, 7], ["age", "income"], np.random.default_rng(0))
    return {**made.tables, **changes}


def test_the_kind_judges_stated_sizes() -> None:
    kind = CondensedTable()
    verdicts = kind.verify(built(), [KAnonymity(k=3), KAnonymity(k=4)], ["age"])
    assert [verdict.satisfied for verdict in verdicts] == [True, False]
    assert kind.prevented([KAnonymity(k=3)]) == ["record"]


@pytest.mark.parametrize(
    "groups, words",
    [
        ([(1, 3), (2, 2)], "do not fit"),
        ([(1, 3), (1, 3)], "twice"),
        ([(1, 7), (2, -1)], "positive"),
        ([(1, 3.5), (2, 2.5)], "positive"),
    ],
)
def test_the_kind_refuses_sizes_that_do_not_fit(groups: Any, words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        CondensedTable().guarantee(built(groups=sfumato.from_rows(["Group", "Size"], groups)))


def test_the_kind_refuses_other_columns_and_requirements() -> None:
    with pytest.raises(BadRequest, match="sizes of groups"):
        CondensedTable().groups(built(groups=sfumato.from_rows(["Group", "Count"], [(1, 6)])))
    model = sfumato.catalogue.build({"id": "l-diversity-distinct", "l": 2, "sensitive": "income"}, "model")
    with pytest.raises(Unsupported):
        CondensedTable().verify(built(), [model], ["age"])
    with pytest.raises(BadRequest):
        CondensedTable(group="Size")


# ---- refusals ------------------------------------------------------------------------------------------------------------


def test_too_few_records() -> None:
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(table(4), policy(5))
    assert (caught.value.measured, caught.value.bound) == (4, 5)
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(table(1), policy(1))
    assert (caught.value.measured, caught.value.bound) == (1, 2)
    assert sfumato.anonymize(table(2), policy(1)).certificate["guarantee"]["smallest_group"] == 2


def test_columns_must_be_numbers() -> None:
    rows = [(age, "high" if income > 4000 else "low") for age, income in table().to_rows()]
    with pytest.raises(BadRequest) as caught:
        sfumato.anonymize(sfumato.from_rows(["age", "income"], rows), policy())
    assert caught.value.column == "income"


def test_other_requirements_are_refused() -> None:
    asked = policy()
    asked["requirements"].append({"id": "l-diversity-distinct", "l": 2, "sensitive": "income"})
    with pytest.raises(Unsupported) as caught:
        sfumato.anonymize(table(), asked)
    assert caught.value.thing == "l-diversity-distinct"
    task = Task(
        table=table().compress(["age"], ["income"]),
        attributes=(),
        models=[sfumato.catalogue.build({"id": "l-diversity-distinct", "l": 2, "sensitive": "income"}, "model")],
        raw=table(),
    )
    with pytest.raises(Unsupported):
        Condensation().run(task, Run.seeded(0))
