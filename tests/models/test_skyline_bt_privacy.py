"""Skyline (B,t)-privacy: priors and posteriors against plain counting, distances, counter-examples, refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_worlds import assignment_posterior
from sfumato import BadRequest, Unsupported
from sfumato.contracts.publication import Publication
from sfumato.data.tree import Tree
from sfumato.models import SkylineBTPrivacy
from sfumato.models.skyline_bt_privacy import Beliefs, belief_change, exact_posterior, omega_posterior

NAMES = ["Age", "Job", "S", "G"]
JOBS = Tree.from_nested({"*": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}, "Clerk"]})
# Height of the lowest common ancestor / height of the tree.
JOB_STEPS = {frozenset({"Engineer", "Lawyer"}): Fraction(1, 2), frozenset({"Dancer", "Writer"}): Fraction(1, 2)}
RECORDS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from(JOBS.leaves), st.sampled_from("abc"), st.integers(0, 1)),
    min_size=1,
    max_size=7,
)
WIDTH = st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 2)])


def published(rows: list[tuple[Any, ...]]) -> Publication:
    table = sfumato.from_rows(NAMES, rows)
    return Publication(table=table, qids=("G",), raw=table, trees={"Job": JOBS})


def model(width: Any = 0.5, t: float = 0.2, known: tuple[str, ...] = ("Age", "Job"), **asked: Any) -> SkylineBTPrivacy:
    return SkylineBTPrivacy(sensitive="S", known=known, skyline=({"bandwidth": width, "t": t},), **asked)


def naive_prior(rows: list[tuple[Any, ...]], widths: tuple[Fraction, Fraction]) -> list[dict[str, Fraction]]:
    spread = max(row[0] for row in rows) - min(row[0] for row in rows)

    def weight(one: tuple[Any, ...], other: tuple[Any, ...]) -> Fraction:
        age = Fraction(abs(one[0] - other[0]), spread) if spread else Fraction(0)
        job = Fraction(0) if one[1] == other[1] else JOB_STEPS.get(frozenset({one[1], other[1]}), Fraction(1))
        out = Fraction(1)
        for distance, width in zip((age, job), widths, strict=True):
            x = distance / width
            out *= 1 - x * x if x < 1 else 0
        return out

    out = []
    for one in rows:
        total = sum(weight(one, other) for other in rows)
        out.append({s: sum((weight(one, o) for o in rows if o[2] == s), Fraction(0)) / total for s in "abc"})
    return out


@given(RECORDS, WIDTH, WIDTH)
def test_priors_and_posteriors(rows: list[tuple[Any, ...]], age: Fraction, job: Fraction) -> None:
    asked, publication = model({"Age": float(age), "Job": float(job)}), published(rows)
    prior = asked.prior(publication, {"Age": float(age), "Job": float(job)})
    exact = naive_prior(rows, (age, job))
    for found, wanted in zip(prior.rows(), exact, strict=True):
        assert found == pytest.approx({value: float(wanted[str(value)]) for value in prior.values})
    after = model(posterior="exact").after(publication, prior)
    omega = asked.after(publication, prior)
    for group in {row[3] for row in rows}:
        members = [i for i, row in enumerate(rows) if row[3] == group]
        values = [rows[i][2] for i in members]
        wanted_after = assignment_posterior([exact[i] for i in members], values)
        for i, wanted in zip(members, wanted_after, strict=True):
            assert after.rows()[i] == pytest.approx({v: float(wanted.get(v, 0)) for v in after.values})
            shares = {
                v: values.count(v) * exact[i][v] / sum(exact[j][v] for j in members) if exact[i][v] else Fraction(0)
                for v in "abc"
            }
            total = sum(shares.values())
            assert omega.rows()[i] == pytest.approx({v: float(shares[str(v)] / total) for v in omega.values})


@given(RECORDS, st.sampled_from(["tv", "js", "emd"]), st.sampled_from(["omega", "exact"]))
def test_the_verdict_follows_from_the_beliefs(rows: list[tuple[Any, ...]], distance: str, posterior: str) -> None:
    tree = Tree.from_nested({"*": [{"ab": ["a", "b"]}, "c"]})
    table = sfumato.from_rows(NAMES, rows)
    publication = Publication(table=table, qids=("G",), raw=table, trees={"Job": JOBS, "S": tree})
    asked = model(0.7, 0.1, distance=distance, posterior=posterior)
    prior = asked.prior(publication, 0.7)
    moved = asked.change(publication, prior, asked.after(publication, prior))
    assert ((moved >= -1e-12) & (moved <= 1 + 1e-12)).all()
    verdict = asked.judge(publication)
    assert verdict.strongest == pytest.approx(moved.max())
    assert verdict.violating_records == (moved > 0.1 * (1 + 1e-9)).sum()
    assert verdict.satisfied == (verdict.violating_records == 0)


def test_a_wide_kernel_is_the_overall_distribution() -> None:
    rows = [(20, "Clerk", "a", 0), (30, "Clerk", "b", 0), (60, "Clerk", "b", 1), (70, "Clerk", "b", 1)]
    prior = model(known=("Age",)).prior(published(rows), 1e6)
    assert prior.probability == pytest.approx(np.tile([0.25, 0.75], (4, 1)))
    narrow = model(known=("Age",)).prior(published(rows), 1e-6)
    assert narrow.probability.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1]]


@pytest.mark.parametrize("kernel, weight", [("epanechnikov", 0.75), ("triangular", 0.5), ("uniform", 1.0)])
def test_kernels(kernel: str, weight: float) -> None:
    rows = [(0, "Clerk", "a", 0), (5, "Clerk", "b", 0), (10, "Clerk", "c", 1)]
    prior = model(known=("Age",), kernel=kernel).prior(published(rows), 1.0)
    assert prior.probability[0] == pytest.approx([1 / (1 + weight), weight / (1 + weight), 0.0])


def test_risk_varies_little_with_the_bandwidth() -> None:
    """Claimed in the literature: a few well-chosen bandwidths are enough, because risk is continuous in them."""
    rows = [(i % 17, "Clerk", "abc"[(i * i) % 3], i % 4) for i in range(40)]
    widths = np.linspace(0.31, 0.99, 69)
    risks = [model(float(width), known=("Age",)).judge(published(rows)).strongest for width in widths]
    assert np.abs(np.diff(risks)).max() < 0.05


def beliefs(*rows: list[float]) -> Beliefs:
    return Beliefs((1, 2, 5), np.array(rows))


def test_distances() -> None:
    one, other = beliefs([1.0, 0.0, 0.0], [0.5, 0.5, 0.0]), beliefs([0.0, 0.0, 1.0], [0.5, 0.25, 0.25])
    assert belief_change(one, other, "tv").tolist() == pytest.approx([1.0, 0.25])
    assert belief_change(one, other, "js")[0] == pytest.approx(1.0)
    assert belief_change(one, other, "emd").tolist() == pytest.approx([1.0, 0.125])
    texts = Beliefs(("a", "b", "c"), one.probability), Beliefs(("a", "b", "c"), other.probability)
    tree = Tree.from_nested({"*": ["a", {"bc": ["b", "c"]}]})
    assert belief_change(*texts, "emd", tree).tolist() == pytest.approx([1.0, 0.125])
    with pytest.raises(BadRequest, match="hierarchy"):
        belief_change(*texts, "emd")


def changes(ages: list[int], values: list[int], width: float, groups: list[int], posterior: str) -> Any:
    names = "abc"
    rows = [(age, "Clerk", names[v], g) for age, v, g in zip(ages, values, groups, strict=True)]
    return model(width, t=0.2, known=("Age",), posterior=posterior).judge(published(rows))


@pytest.mark.parametrize(
    "posterior, ages, values, groups, width, before, after",
    [
        ("omega", [4, 0, 5, 5, 1, 3, 5], [1, 2, 1, 0, 1, 0, 1], [0, 1, 0, 2, 2, 0, 0], 0.3, 0.373256, 0.423878),
        ("exact", [1, 4, 2, 5, 3, 2, 3], [1, 0, 1, 2, 1, 0, 0], [1, 2, 0, 2, 1, 0, 1], 0.5, 0.230769, 0.244618),
    ],
)
def test_merging_may_raise_the_change(
    posterior: str, ages: list[int], values: list[int], groups: list[int], width: float, before: float, after: float
) -> None:
    """The stored counter-examples to closed_under_merge: groups 1 and 2 become one."""
    merged = [min(group, 1) for group in groups]
    assert changes(ages, values, width, groups, posterior).strongest == pytest.approx(before, abs=1e-6)
    assert changes(ages, values, width, merged, posterior).strongest == pytest.approx(after, abs=1e-6)
    assert not SkylineBTPrivacy.traits.closed_under_merge


def test_merging_may_add_violating_records() -> None:
    """The stored counter-example to violations_shrink_under_merge."""
    ages, values, groups = [2, 5, 2, 0, 2, 1, 5], [1, 0, 0, 1, 2, 0, 1], [2, 1, 0, 1, 1, 0, 2]
    counts = [
        changes(ages, values, 1.1, given_groups, "omega").violating_records
        for given_groups in (groups, [min(group, 1) for group in groups])
    ]
    assert counts == [4, 7]
    assert not SkylineBTPrivacy.traits.violations_shrink_under_merge


def test_every_adversary_of_the_skyline_counts() -> None:
    rows = [(20, "Clerk", "a", 1), (30, "Clerk", "b", 1), (40, "Clerk", "a", 2), (60, "Clerk", "b", 2)]
    asked = SkylineBTPrivacy(
        sensitive="S", known=("Age",), skyline=({"bandwidth": 0.5, "t": 0.2}, {"bandwidth": {"Age": 0.6}, "t": 0.01})
    )
    verdict = asked.judge(published(rows))
    assert not verdict.satisfied
    assert {violation.witness["t"] for violation in verdict.violations} == {0.01}
    measured = [violation.measured for violation in verdict.violations]
    assert measured == sorted(measured, reverse=True)


def test_large_groups_have_no_exact_posterior() -> None:
    count, values = 60, 6
    prior = Beliefs(tuple(range(values)), np.full((count, values), 1 / values))
    group, sensitive = np.zeros(count, np.int64), np.arange(count) % values
    with pytest.raises(Unsupported, match="omega"):
        exact_posterior(prior, group, sensitive)
    assert omega_posterior(prior, group, sensitive).probability == pytest.approx(1 / values)


def test_long_products_do_not_vanish() -> None:
    count = 200
    prior = Beliefs(("a", "b"), np.tile([1e-9, 1 - 1e-9], (count, 1)))
    after = exact_posterior(prior, np.zeros(count, np.int64), np.arange(count) % 2)
    assert after.probability == pytest.approx(0.5)


def test_priors_that_exclude_the_group_are_refused() -> None:
    prior = Beliefs(("a", "b"), np.array([[1.0, 0.0], [1.0, 0.0]]))
    with pytest.raises(BadRequest, match="no assignment"):
        exact_posterior(prior, np.zeros(2, np.int64), np.array([0, 1]))


def test_raw_records_must_be_the_published_ones() -> None:
    rows = [(20, "Clerk", "a", 0), (30, "Clerk", "b", 0)]
    table = sfumato.from_rows(NAMES, rows)
    asked = model(known=("Age",))
    with pytest.raises(BadRequest, match="raw table"):
        sfumato.check(table, asked, qid=["G"])
    with pytest.raises(BadRequest, match="same order"):
        sfumato.check(table, asked, qid=["G"], raw=sfumato.from_rows(NAMES, rows[::-1]))
    with pytest.raises(BadRequest, match="same order"):
        sfumato.check(table, asked, qid=["G"], raw=sfumato.from_rows(NAMES, rows[:1]))
    with pytest.raises(BadRequest, match="not a column of the raw table"):
        sfumato.check(table, model(known=("Income",)), qid=["G"], raw=table)
    with pytest.raises(BadRequest, match="needs a hierarchy"):
        sfumato.check(table, model(known=("Job",)), qid=["G"], raw=table)
    with pytest.raises(BadRequest, match="has no bandwidth"):
        sfumato.check(table, model({"Job": 0.5}, known=("Age",)), qid=["G"], raw=table)
    with pytest.raises(BadRequest, match="protects"):
        sfumato.check(table, asked, qid=["G", "S"], raw=table)
    with pytest.raises(BadRequest, match="weights"):
        sfumato.check(table, asked, qid=["G"], raw=table, weights="Age")
    blank = sfumato.from_rows(NAMES, [(None, "Clerk", "a", 0), (30, "Clerk", "b", 0)])
    with pytest.raises(BadRequest, match="no distance"):
        sfumato.check(blank, asked, qid=["G"], raw=blank)


@pytest.mark.parametrize(
    "asked, name",
    [
        ({"skyline": []}, "skyline"),
        ({"skyline": [{"bandwidth": 0, "t": 0.1}]}, "skyline"),
        ({"skyline": [{"bandwidth": {"Age": -1}, "t": 0.1}]}, "skyline"),
        ({"skyline": [{"bandwidth": "wide", "t": 0.1}]}, "skyline"),
        ({"skyline": [{"bandwidth": 0.5, "t": 1.1}]}, "skyline"),
        ({"skyline": [{"bandwidth": 0.5}]}, "skyline"),
        ({"skyline": [{"bandwidth": 0.5, "t": 0.1}], "known": ["S"]}, "known"),
        ({"skyline": [{"bandwidth": 0.5, "t": 0.1}], "distance": "l2"}, "distance"),
        ({"skyline": [{"bandwidth": 0.5, "t": 0.1}], "qid": ["S"]}, "qid"),
    ],
)
def test_bad_parameters(asked: dict[str, Any], name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        SkylineBTPrivacy.from_spec({"sensitive": "S", **asked})
    assert caught.value.parameter == f"skyline-bt-privacy.{name}"


def test_json() -> None:
    asked = model({"Age": 0.5}, posterior="exact", distance="js", kernel="uniform")
    assert SkylineBTPrivacy.from_spec(asked.spec()) == asked
