"""Anatomize: its properties on random tables, its kernel against a naive twin, its release through verbs and commands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.linked_records import records_by_group
from oracles.naive_groupings import fullest_buckets
from sfumato.algorithms.groupings._bucket_kernels import fill_groups
from sfumato.algorithms.groupings._diverse_buckets import diverse_groups, eligible
from sfumato.algorithms.groupings.anatomize import Anatomize
from sfumato.contracts.algorithm import Task
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import FrequencyLDiversity
from sfumato.releases.anatomy_pair import AnatomyPair
from sfumato.utility.queries import Among, Between, CountQuery, GroupedCounter, RawCounter, query_errors, workload

FREQUENCY = {"id": "l-diversity-frequency", "l": 2, "sensitive": "disease"}


def policy(*requirements: dict[str, Any], **changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "age": {"role": "quasi-identifier"},
        "job": {"role": "quasi-identifier"},
        "disease": {"role": "sensitive"},
    }
    return {
        "columns": columns,
        "requirements": list(requirements or [FREQUENCY]),
        "algorithm": {"id": "anatomize"},
        "seed": 5,
        **changes,
    }


ROWS = [(20 + i % 17, ("cook", "nurse", "clerk")[i % 3], f"d{(i * i + i // 7) % 6}") for i in range(60)]


def table(rows: Any = ROWS) -> Any:
    return sfumato.from_rows(["age", "job", "disease"], rows)


# ---- the grouping --------------------------------------------------------------------------------------------------------


@settings(max_examples=120)
@given(counts=st.lists(st.integers(1, 12), min_size=1, max_size=10), l=st.integers(2, 6))
def test_kernel_takes_from_the_fullest(counts: list[int], l: int) -> None:
    ordered = np.array(sorted(counts, reverse=True), np.int64)
    left = ordered.copy()
    slots, groups = fill_groups(left, l)
    wanted, rest = fullest_buckets(ordered.tolist(), l)
    # Which of equally full buckets is taken is free; what they held, and what is left, is not. With more groups than n / l
    # there would be no room: the twin can never make more.
    assert groups == len(wanted) == len(slots)
    held = ordered.copy()
    for slot, fullness in zip(slots.tolist(), wanted, strict=True):
        assert len(set(slot)) == l
        assert sorted(held[slot].tolist(), reverse=True) == fullness
        held[slot] -= 1
    assert sorted(left.tolist(), reverse=True) == rest
    assert left.tolist() == held.tolist()


@settings(max_examples=120)
@given(counts=st.lists(st.integers(1, 15), min_size=2, max_size=9), l=st.integers(2, 6), seed=st.integers(0, 99))
def test_every_promise_of_the_grouping(counts: list[int], l: int, seed: int) -> None:
    n = sum(counts)
    assert eligible(np.array(counts), l) == (max(counts) <= n / l)
    if max(counts) * l > n:
        return
    codes = np.repeat(np.arange(len(counts)), counts)
    rng = np.random.default_rng(seed)
    rng.shuffle(codes)
    groups, residues = diverse_groups(codes, l, rng)
    sizes = np.bincount(groups)
    assert sizes[0] == 0
    assert len(sizes) - 1 == n // l
    assert sizes[1:].min() >= l
    assert sizes.max() <= 2 * l - 1
    assert len(residues) == n % l <= l - 1
    assert len(set(codes[residues].tolist())) == len(residues)
    assert max(Counter(zip(groups.tolist(), codes.tolist(), strict=True)).values()) == 1


def test_records_of_a_bucket_are_drawn_at_random() -> None:
    """Every record of a frequent value meets the only record of a rare one about equally often."""
    codes = np.array([0] * 5 + [1] * 4 + [2])
    met: Counter[int] = Counter()
    for seed in range(1000):
        groups, _ = diverse_groups(codes, 2, np.random.default_rng(seed))
        met.update(np.flatnonzero((groups == groups[9]) & (codes == 0)).tolist())
    assert min(met[record] for record in range(5)) > 0.75 * max(met[record] for record in range(5))


def test_group_numbers_tell_nothing() -> None:
    """Groups of the fullest buckets are made first; their numbers must not show it."""
    codes = np.array([0] * 50 + [1] * 25 + [2] * 25)
    first = [np.flatnonzero(np.bincount(diverse_groups(codes, 2, np.random.default_rng(s))[0][50:75], minlength=51))[0]
             for s in range(20)]  # fmt: skip
    assert len(set(first)) > 1


# ---- the release ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("form", ["pair", "bucketized"])
@pytest.mark.parametrize("requirement", ["l-diversity-distinct", "l-diversity-frequency", "l-diversity-entropy"])
def test_release_keeps_its_promise(requirement: str, form: str, engine: str) -> None:
    asked = policy({"id": requirement, "l": 3, "sensitive": "disease"}, engine=engine)
    asked["algorithm"]["form"] = form
    release = sfumato.anonymize(sfumato.read(table().to_native(), engine=engine), asked)
    assert release.kind == "anatomy-pair"
    assert release.verdict
    assert release.certificate["guarantee"] == {"max_link_probability": pytest.approx(1 / 3), "l": 3}
    assert release.certificate["algorithm"]["id"] == "anatomize"
    grouped = records_by_group(release)
    exact = release.tables["qit" if form == "pair" else "data"].to_rows()
    assert Counter(row[:3] for row in grouped) == Counter(table().to_rows())
    assert Counter(row[:3] for row in exact) == Counter((age, job, group) for age, job, _, group in grouped)
    held = Counter((group, disease) for _, _, disease, group in grouped)
    if form == "pair":
        assert {row[:2]: row[2] for row in release.tables["st"].to_rows()} == held
    else:
        assert Counter(row[2:] for row in exact) == held
        assert any("not of this one" in text for text in release.warnings)


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.sampled_from("uvwxyz")), min_size=2, max_size=40
    ),
    form=st.sampled_from(["pair", "bucketized"]),
    seed=st.integers(0, 9),
)
def test_alike_records_are_shared_out_as_single_ones_would_be(rows: Any, form: Any, seed: int) -> None:
    """Counted records give what the same draws give for rows one by one that stand in the order of their values."""
    if max(Counter(row[2] for row in rows).values()) * 2 > len(rows):
        return
    asked = policy(FREQUENCY, seed=seed, algorithm={"id": "anatomize", "form": form})
    release = sfumato.anonymize(table(rows), asked)
    one_by_one, rng = table(sorted(rows)), np.random.default_rng(seed)
    groups, _ = diverse_groups(one_by_one.as_rows().codes(["disease"])[:, 0], 2, rng)
    wanted = AnatomyPair.build(one_by_one, groups, ["age", "job"], "disease", rng, form=form)
    assert {name: sorted(part.to_rows()) for name, part in release.tables.items()} == {
        name: sorted(part.to_rows()) for name, part in wanted.tables.items()
    }
    (verdict,) = release.form.verify(release.tables, [FrequencyLDiversity(l=2, sensitive="disease")], ["age", "job"])
    assert verdict.satisfied


@pytest.mark.parametrize("l, groups", [(1.5, 30), (2.5, 20), (3, 20), (3.0000000001, 20)])
def test_real_levels_are_rounded_up(l: float, groups: int) -> None:
    release = sfumato.anonymize(table(), policy({**FREQUENCY, "l": l}))
    assert release.private.facts["groups"] == groups


def test_the_strictest_requirement_counts() -> None:
    asked = [FREQUENCY, {"id": "l-diversity-distinct", "l": 4, "sensitive": "disease"}]
    release = sfumato.anonymize(table(), policy(*asked))
    assert release.private.facts["l"] == 4
    assert len(release.verdict.verdicts) == 2


def test_other_columns_are_left_out_and_named() -> None:
    rows = [(*row, i % 2, f"note {i}") for i, row in enumerate(ROWS)]
    asked = policy()
    asked["columns"] |= {"target": {"role": "target"}, "note": {"role": "plain"}}
    release = sfumato.anonymize(sfumato.from_rows(["age", "job", "disease", "target", "note"], rows), asked)
    assert any("target, note" in text for text in release.warnings)
    assert release.tables["qit"].columns == ("age", "job", "GroupID")
    assert release.certificate["dropped_columns"] == 2


def test_further_sensitive_columns_are_listed_without_a_promise() -> None:
    rows = [(*row, i % 4) for i, row in enumerate(ROWS)]
    asked = policy()
    asked["columns"] |= {"dose": {"role": "sensitive"}}
    release = sfumato.anonymize(sfumato.from_rows(["age", "job", "disease", "dose"], rows), asked)
    assert release.tables["st"].columns == ("GroupID", "disease", "dose", "Count")
    assert any("no requirement speaks of dose" in text for text in release.warnings)


def test_missing_sensitive_values_count_as_a_value_if_asked() -> None:
    rows = [(20 + i, "cook", None if i < 3 else f"d{i % 3}") for i in range(12)]
    asked = policy({**FREQUENCY, "l": 3})
    with pytest.raises(BadRequest, match="missing"):
        sfumato.anonymize(table(rows), asked)
    asked["columns"]["disease"]["missing"] = "own-value"
    assert sfumato.anonymize(table(rows), asked).certificate["guarantee"]["l"] == 3


def test_through_the_commands(commands: Callable[..., Path]) -> None:
    out = commands(["age", "job", "disease"], ROWS, policy())
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert certificate["release"]["truthful"] is True
    assert certificate["guarantee"]["l"] == 2
    assert {path.name for path in (out / "public").iterdir()} == {
        "qit.csv", "st.csv", "schema.json", "certificate.json", "report.html",
    }  # fmt: skip
    assert "anatomize" in (out / "private" / "report.html").read_text()
    assert json.loads((out / "private" / "run.json").read_text())["seed"] == 5


# ---- queries -------------------------------------------------------------------------------------------------------------


def test_queries_on_the_release() -> None:
    release = sfumato.anonymize(table(), policy())
    kind = AnatomyPair(qid=("age", "job"), sensitive=("disease",))
    counter = GroupedCounter(kind, release.tables)
    exact = RawCounter(table())
    for query in (
        CountQuery({"age": Between(20, 28)}),
        CountQuery({"disease": Among(["d0", "d2"])}),
        CountQuery({"age": Among([25]), "job": Among(["cook"])}),
    ):
        # Without a condition on the one side or the other nothing is estimated.
        assert counter.count(query) == pytest.approx(exact.count(query))
    mixed = CountQuery({"age": Between(20, 30), "disease": Among(["d0"])})
    grouped = records_by_group(release)
    by_hand = 0.0
    for group in {row[-1] for row in grouped}:
        inside = [row for row in grouped if row[-1] == group]
        chosen = sum(20 <= row[0] <= 30 for row in inside)
        by_hand += chosen * sum(row[2] == "d0" for row in inside) / len(inside)
    assert counter.count(mixed) == pytest.approx(by_hand)


def test_queries_are_answered_better_than_from_one_group() -> None:
    queries = workload(table(), 200, 1, 0.3, np.random.default_rng(1), qid=["age", "job"], sensitive="disease")
    kind = AnatomyPair(qid=("age", "job"), sensitive=("disease",))
    release = sfumato.anonymize(table(), policy())
    one = AnatomyPair.build(table(), [1] * len(ROWS), ["age", "job"], "disease", np.random.default_rng(1))
    fine = query_errors(table(), GroupedCounter(kind, release.tables), queries)
    coarse = query_errors(table(), GroupedCounter(kind, one.tables), queries)
    assert fine.mean is not None
    assert coarse.mean is not None
    assert fine.mean < coarse.mean


# ---- refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "requirement",
    [
        {"id": "k-anonymity", "k": 2},
        {"id": "t-closeness", "t": 0.5, "sensitive": "disease", "ground_distance": "equal"},
        {"id": "l-diversity-recursive", "l": 2, "c": 2, "sensitive": "disease"},
    ],
)
def test_other_requirements_are_refused(requirement: dict[str, Any]) -> None:
    with pytest.raises(Unsupported) as caught:
        sfumato.anonymize(table(), policy(requirement))
    assert caught.value.thing == requirement["id"]
    with pytest.raises(Unsupported):
        sfumato.anonymize(table(), policy(FREQUENCY, requirement))


def test_requirements_on_two_columns_are_refused() -> None:
    rows = [(*row, i % 4) for i, row in enumerate(ROWS)]
    asked = policy(FREQUENCY, {**FREQUENCY, "sensitive": "dose"})
    asked["columns"] |= {"dose": {"role": "sensitive"}}
    with pytest.raises(Unsupported, match="disease, dose"):
        sfumato.anonymize(sfumato.from_rows(["age", "job", "disease", "dose"], rows), asked)


def test_not_eligible() -> None:
    rows = [(20 + i, "cook", "flu" if i < 7 else f"d{i}") for i in range(12)]
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(table(rows), policy())
    assert (caught.value.measured, caught.value.bound) == (7, 6)
    assert "flu" not in str(caught.value)
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(table(), policy({**FREQUENCY, "l": 7}))
    assert (caught.value.measured, caught.value.bound) == (6, 7)
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(table(), policy({**FREQUENCY, "l": 61}))
    assert (caught.value.measured, caught.value.bound) == (60, 61)


def test_groups_of_one_are_refused() -> None:
    with pytest.raises(BadRequest) as caught:
        sfumato.anonymize(table(), policy({"id": "l-diversity-distinct", "l": 1, "sensitive": "disease"}))
    assert caught.value.parameter == "l-diversity-distinct.l"


def test_records_are_needed() -> None:
    table_ = table().compress(["age", "job"], ["disease"])
    task = Task(table=table_, attributes=(), models=[FrequencyLDiversity(l=2, sensitive="disease")])
    with pytest.raises(BadRequest, match="needs the table"):
        Anatomize().run(task, Run.seeded(0))


def test_no_record_may_be_left_out() -> None:
    with pytest.raises(Unsupported, match="suppress_at_most"):
        sfumato.anonymize(table(), policy(limits={"suppress_at_most": 0.1}))


def test_a_published_pair_verifies_and_a_changed_one_does_not(tmp_path: Path) -> None:
    out = sfumato.publish(sfumato.anonymize(table(), policy()), tmp_path / "out")
    assert sfumato.verify(out)
    file = out / "public" / "st.csv"
    file.write_text(file.read_text().replace("d1", "d0", 1))
    with pytest.raises(BadRequest, match="changed"):
        sfumato.verify(out)


def test_left_over_records_are_counted_by_bucket() -> None:
    rows = [(20 + at, value) for at, value in enumerate(["Flu", "HIV", "Ulcer", "Cold"] * 2)]
    asked = {
        "columns": {"age": {"role": "quasi-identifier"}, "disease": {"role": "sensitive"}},
        "requirements": [{"id": "l-diversity-frequency", "l": 3, "sensitive": "disease"}],
        "algorithm": {"id": "anatomize"},
        "seed": 1,
    }
    facts = sfumato.anonymize(sfumato.from_rows(["age", "disease"], rows), asked).private.facts
    assert len(facts["residues_by_bucket"]) == 4
    assert sum(facts["residues_by_bucket"]) == facts["residues"] == 2
    assert max(facts["residues_by_bucket"]) == 1
