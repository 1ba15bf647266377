"""Top-Down Refinement against its naive twin: the same trace, solution, rows and smallest groups on random tables."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_tdr import NaiveAttribute, NaiveResult, naive_tdr
from sfumato.algorithms import TDR
from sfumato.contracts.algorithm import Outcome, Task
from sfumato.contracts.model import GroupModel, TableTraits
from sfumato.contracts.run import Run
from sfumato.data.compressed import CompressedTable
from sfumato.data.text import parse_interval
from sfumato.models import KAnonymity
from sfumato.searches.refinement import Refinery, choose, quantized, ranked
from sfumato.tables.prepare import prepare
from sfumato.testing.strategies import DrawnTable, tables

Rows = Sequence[tuple[Any, ...]]

# What the twin is asked for besides the table itself.
ASKED = st.fixed_dictionaries(
    {
        "score": st.sampled_from(["igpl", "infogain"]),
        "require_beneficial": st.booleans(),
        "max_refinements": st.sampled_from([None, None, None, 0, 1, 2, 4]),
    }
)


# ---- the two sides, in one form ------------------------------------------------------------------------------------------


def policy_of(drawn: DrawnTable, **algorithm: Any) -> sfumato.Policy:
    """Return the policy of a drawn table; a column in no quasi-identifier is nobody's business and stays plain."""
    masked = {name for qid, _ in drawn.requirement for name in qid}
    columns: dict[str, Any] = {}
    for attribute in drawn.attributes:
        columns[attribute.name] = entry = {"role": "quasi-identifier" if attribute.name in masked else "plain"}
        if attribute.name not in masked:
            continue
        if attribute.kind == "taxonomy":
            entry["hierarchy"] = {"id": "taxonomy", "tree": attribute.tree}
        elif attribute.range is not None and attribute.range[0] < attribute.range[1]:
            entry["range"] = attribute.range
    return sfumato.Policy.of(
        {
            "columns": {**columns, drawn.target: {"role": "target"}},
            "requirements": [{"id": "k-anonymity", "qid": list(qid), "k": k} for qid, k in drawn.requirement],
            "algorithm": {"id": "tdr", "trace": "full", **algorithm},
            "output": {"row_order": "keep"},
        }
    )


def naive(drawn: DrawnTable, rows: Rows | None = None, **asked: Any) -> NaiveResult:
    """Run the twin; a range of one point says nothing, so it is left out as the policy leaves it out."""
    attributes = [NaiveAttribute(a.name, a.kind, a.tree, a.range) for a in drawn.attributes]
    requirement = [(tuple(qid), k) for qid, k in drawn.requirement]
    given_rows = list(drawn.rows if rows is None else rows)
    return naive_tdr(given_rows, list(drawn.columns), attributes, drawn.target, requirement, **asked)


def table_of(drawn: DrawnTable, rows: Rows | None = None) -> sfumato.Table:
    return sfumato.from_rows(drawn.columns, drawn.rows if rows is None else rows)


def task_of(drawn: DrawnTable, rows: Rows | None = None) -> Task:
    return prepare(table_of(drawn, rows), policy_of(drawn)).task()


def plain(label: Any) -> Any:
    """Return an interval as its numbers, because the two sides write negative ends differently; other values as text."""
    text = label if isinstance(label, str) else str(label)
    return parse_interval(text) or text


def same_candidate(found: Any, wanted: Any) -> None:
    assert (found["attribute"], plain(found["value"])) == (wanted["attribute"], plain(wanted["value"]))
    for number in ("gain", "loss", "score"):
        assert found[number] == pytest.approx(wanted[number], abs=1e-9)
    assert (found["valid"], found["beneficial"]) == (wanted["valid"], wanted["beneficial"])


def same_candidates(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        same_candidate(ours, theirs)


def by_qid(smallest: Any) -> dict[frozenset[str], int]:
    return {frozenset(qid.split("|") if isinstance(qid, str) else qid): least for qid, least in smallest.items()}


def same_trace(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    assert [(e["attribute"], plain(e["value"])) for e in found] == [(e["attribute"], plain(e["value"])) for e in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        for number in ("gain", "loss", "score"):
            assert ours[number] == pytest.approx(theirs[number], abs=1e-9)
        assert ours["valid"]
        assert ours.get("split_at") == theirs.get("split_at")
        assert by_qid(ours["after"]) == by_qid(theirs["a_after"])
        same_candidates(ours["candidates"], theirs["candidates"])


def same_solution(recodings: Any, wanted: Any) -> None:
    assert set(recodings) == set(wanted)
    for name, state in wanted.items():
        recoding = recodings[name]
        if "cut" in state:
            assert recoding.published() == tuple(state["cut"])
        elif "intervals" in state:
            assert [plain(label) for label in recoding.published()] == [plain(label) for label in state["intervals"]]
        else:
            assert set(recoding.disclosed) == set(state["disclosed"])
            assert {value for value in recoding.domain if recoding.hides(value)} == set(state["suppressed"])


def same_rows(found: Rows, wanted: Rows) -> None:
    assert [[plain(value) for value in row] for row in found] == [[plain(value) for value in row] for row in wanted]


def same_as_twin(release: Any, twin: NaiveResult) -> None:
    same_trace(release.private.trace, twin.trace)
    same_solution(release.recodings, twin.solution)
    same_rows(release.table.to_rows(), twin.masked_rows)
    same_candidates(release.private.facts["left"], twin.rejected_at_end)
    assert by_qid(release.private.facts["smallest_group"]) == by_qid(twin.final_a)


# ---- the twin ------------------------------------------------------------------------------------------------------------


@settings(max_examples=400)
@given(drawn=tables(), asked=ASKED)
def test_same_as_the_naive_twin(drawn: DrawnTable, asked: dict[str, Any]) -> None:
    same_as_twin(sfumato.anonymize(table_of(drawn), policy_of(drawn, **asked)), naive(drawn, **asked))


@settings(max_examples=60)
@given(drawn=tables(min_rows=30, max_rows=60, max_leaves=8, max_qids=4), asked=ASKED)
def test_same_as_the_naive_twin_on_larger_tables(drawn: DrawnTable, asked: dict[str, Any]) -> None:
    same_as_twin(sfumato.anonymize(table_of(drawn), policy_of(drawn, **asked)), naive(drawn, **asked))


@pytest.mark.parametrize("kind", ["taxonomy", "interval", "suppress"])
@settings(max_examples=60)
@given(data=st.data(), asked=ASKED)
def test_same_as_the_naive_twin_with_one_operation(kind: Any, data: st.DataObject, asked: dict[str, Any]) -> None:
    drawn = data.draw(tables((kind,) * 3))
    same_as_twin(sfumato.anonymize(table_of(drawn), policy_of(drawn, **asked)), naive(drawn, **asked))


@settings(max_examples=100)
@given(drawn=tables(), asked=ASKED, seed=st.integers(0, 2**32 - 1))
def test_row_order_does_not_matter(drawn: DrawnTable, asked: dict[str, Any], seed: int) -> None:
    order = list(range(len(drawn.rows)))
    random.Random(seed).shuffle(order)
    release = sfumato.anonymize(table_of(drawn, [drawn.rows[i] for i in order]), policy_of(drawn, **asked))
    twin = naive(drawn, **asked)
    same_as_twin(release, replace(twin, masked_rows=[twin.masked_rows[i] for i in order]))


@settings(max_examples=100)
@given(drawn=tables(max_rows=12), asked=ASKED, data=st.data())
def test_weights_are_records(drawn: DrawnTable, asked: dict[str, Any], data: st.DataObject) -> None:
    """A row that stands for several records counts as these records, for the twin that never merges rows as well."""
    size = len(drawn.rows)
    times = data.draw(st.lists(st.integers(1, 4), min_size=size, max_size=size))
    rows = [row for row, count in zip(drawn.rows, times, strict=True) for _ in range(count)]
    same_as_twin(sfumato.anonymize(table_of(drawn, rows), policy_of(drawn, **asked)), naive(drawn, rows, **asked))


def unmerged(task: Task, order: Sequence[int]) -> Task:
    """Return the task over a table in which every record is a row of its own, in the given order."""
    table = task.table
    rows = np.repeat(np.arange(len(table)), table.weights)[list(order)]
    apart = CompressedTable(
        table.columns,
        table.codes[rows],
        np.ones(len(rows), np.int64),
        table.dictionaries,
        table.extra,
        table.extra_codes[rows],
    )
    return replace(task, table=apart)


@settings(max_examples=100)
@given(drawn=tables(), asked=ASKED, seed=st.integers(0, 2**32 - 1))
def test_compression_does_not_matter(drawn: DrawnTable, asked: dict[str, Any], seed: int) -> None:
    task = task_of(drawn)
    order = np.random.default_rng(seed).permutation(task.table.records)
    algorithm = TDR(trace="full", **asked)
    same_outcome(run(algorithm, unmerged(task, order)), run(algorithm, task))


def run(algorithm: TDR, task: Task) -> Outcome:
    return algorithm.run(task, Run.seeded(0))


def same_outcome(found: Outcome, wanted: Outcome) -> None:
    assert found.trace == wanted.trace
    assert found.facts == wanted.facts
    assert found.stopped == wanted.stopped
    assert {name: recoding.state() for name, recoding in found.recodings.items()} == {
        name: recoding.state() for name, recoding in wanted.recodings.items()
    }


# ---- what holds at every step --------------------------------------------------------------------------------------------


@settings(max_examples=120)
@given(drawn=tables(), asked=ASKED)
def test_every_state_satisfies_the_requirement_and_counts_right(drawn: DrawnTable, asked: dict[str, Any]) -> None:
    asked = {**asked, "max_refinements": None}
    columns = list(drawn.columns)
    seen: list[int] = []

    def recount(state: Refinery) -> None:
        recodings = state.recodings()
        masked = sfumato.recode(table_of(drawn), recodings)
        for names, least in state.smallest().items():
            groups = masked.table.groups(names)
            assert least == groups.sizes.min()
            counted = {
                tuple(plain(v) for v in (key if isinstance(key, tuple) else (key,))): size
                for key, size in groups.as_dict().items()
            }
            assert counted == {
                tuple(plain(value) for value in key): count for key, count in state.groups(names).items()
            }
        for qid, k in drawn.requirement:
            assert masked.table.groups(qid).sizes.min() >= k
        seen.append(state.steps)

    release = sfumato.anonymize(table_of(drawn), policy_of(drawn, **asked), on_step=recount)
    assert seen == list(range(1, len(release.private.trace) + 1))
    assert release.verdict.satisfied
    assert set(columns) == set(release.table.columns)


@settings(max_examples=120)
@given(drawn=tables(), asked=ASKED)
def test_nothing_valid_and_beneficial_is_left(drawn: DrawnTable, asked: dict[str, Any]) -> None:
    asked = {**asked, "max_refinements": None}
    release = sfumato.anonymize(table_of(drawn), policy_of(drawn, **asked))
    assert release.private.stopped is None
    for left in release.private.facts["left"]:
        assert not left["valid"] or (asked["require_beneficial"] and not left["beneficial"])


@settings(max_examples=60)
@given(drawn=tables(), steps=st.integers(0, 6))
def test_a_stopped_run_is_the_beginning_of_the_whole_run(drawn: DrawnTable, steps: int) -> None:
    whole = sfumato.anonymize(table_of(drawn), policy_of(drawn)).private
    part = sfumato.anonymize(table_of(drawn), policy_of(drawn, max_refinements=steps)).private
    assert part.trace == whole.trace[:steps]
    assert part.stopped == ("max_refinements" if len(whole.trace) > steps else None)


@settings(max_examples=60)
@given(drawn=tables(), asked=ASKED)
def test_the_short_trace_is_the_full_one_without_the_candidates(drawn: DrawnTable, asked: dict[str, Any]) -> None:
    """The short trace forgets candidates that can no longer be taken; that must not change what is taken."""
    full = sfumato.anonymize(table_of(drawn), policy_of(drawn, **asked))
    short = sfumato.anonymize(table_of(drawn), policy_of(drawn, **asked, trace="steps"))
    assert [{k: v for k, v in entry.items() if k != "candidates"} for entry in full.private.trace] == list(
        short.private.trace
    )
    assert full.table.to_rows() == short.table.to_rows()


# ---- corners -------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(drawn=tables(max_k=1))
def test_one_anonymity_refines_all_that_helps(drawn: DrawnTable) -> None:
    """With k = 1 every step is valid: without the benefit rule every value ends as it was, or alone in its interval."""
    release = sfumato.anonymize(table_of(drawn), policy_of(drawn, require_beneficial=False))
    assert release.private.facts["left"] == []
    for name, recoding in release.recodings.items():
        position = drawn.columns.index(name)
        labels = dict(
            zip((row[position] for row in drawn.rows), (r[position] for r in release.table.to_rows()), strict=True)
        )
        assert len(set(labels.values())) == len(labels)
        if recoding.id != "discretization":
            assert labels == {value: value for value in labels}


@settings(max_examples=40)
@given(drawn=tables(max_classes=1), score=st.sampled_from(["igpl", "infogain"]))
def test_one_class_stays_most_masked_and_says_so(drawn: DrawnTable, score: str) -> None:
    release = sfumato.anonymize(table_of(drawn), policy_of(drawn, score=score))
    same_as_twin(release, naive(drawn, score=score))
    assert release.private.trace == []
    assert any("one class only" in warning for warning in release.warnings)
    assert all(len(recoding.published()) == 1 for recoding in release.recodings.values())


def test_more_than_one_class_does_not_warn() -> None:
    drawn = DrawnTable(("a", "class"), (("x", "c0"), ("y", "c1")), (), "class", ((("a",), 1),))
    policy = {
        "columns": {"a": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
    }
    assert not any("one class" in warning for warning in sfumato.anonymize(table_of(drawn), policy).warnings)


def test_interruption_keeps_the_state_reached() -> None:
    drawn = DrawnTable(
        ("a", "b", "class"),
        tuple((f"v{i % 3}", f"w{i % 2}", f"c{i % 2}") for i in range(12)),
        (),
        "class",
        ((("a", "b"), 1),),
    )
    policy = {
        "columns": {"a": {"role": "quasi-identifier"}, "b": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "algorithm": {"id": "tdr", "require_beneficial": False},
    }

    def stop(state: Refinery) -> None:
        if state.steps == 2:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        sfumato.anonymize(table_of(drawn), policy, on_step=stop)
    assert signal.getsignal(signal.SIGINT) is before
    release = sfumato.anonymize(table_of(drawn), policy, on_step=stop, accept_interrupted=lambda outcome: True)
    assert release.private.stopped == "interrupted"
    assert release.private.facts["refinements"] == 2
    assert release.verdict.satisfied


def test_a_second_interruption_is_obeyed_at_once() -> None:
    drawn = DrawnTable(
        ("a", "class"), tuple((f"v{i % 3}", f"c{i % 2}") for i in range(12)), (), "class", ((("a",), 1),)
    )
    policy = {
        "columns": {"a": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
    }

    def stop(state: Refinery) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sfumato.anonymize(table_of(drawn), policy, on_step=stop, accept_interrupted=lambda outcome: True)


# ---- requirements that sizes do not decide -------------------------------------------------------------------------------


class SlowKAnonymity(KAnonymity):
    """k-anonymity that pretends sizes do not decide it, so that every step is asked of ``measure``."""

    traits: ClassVar[TableTraits] = replace(KAnonymity.traits, by_size_alone=False)

    def least_size(self) -> int:
        """Say nothing about sizes."""
        return 1


@settings(max_examples=150)
@given(drawn=tables(), asked=ASKED)
def test_the_general_validity_check_equals_the_fast_one(drawn: DrawnTable, asked: dict[str, Any]) -> None:
    task = task_of(drawn)
    slow: list[GroupModel] = [SlowKAnonymity(k=model.k, qid=model.qid) for model in task.models]  # type: ignore[attr-defined]
    algorithm = TDR(trace="full", **asked)
    same_outcome(run(algorithm, replace(task, models=slow)), run(algorithm, task))


class TwoClasses(GroupModel):
    """Every group holds at least two classes: closed under merging, and not decided by sizes."""

    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
        sensitive="categorical",
    )

    def measure(self, groups: Any) -> Any:
        """Count the classes of each group."""
        return np.diff(groups.histograms["class"].start)

    def bound(self) -> Any:
        """Two at least."""
        from sfumato.contracts.model import at_least

        return at_least(2)

    def needs(self) -> tuple[str, ...]:
        """The class."""
        return ("class",)


@settings(max_examples=120)
@given(drawn=tables(max_qids=2, max_k=2), asked=ASKED)
def test_a_model_that_reads_histograms_holds_at_every_step(drawn: DrawnTable, asked: dict[str, Any]) -> None:
    task = task_of(drawn)
    models = [*task.models, *(TwoClasses(qid=model.qid) for model in task.models)]
    algorithm = TDR(**asked)
    if len({row[-1] for row in drawn.rows}) == 1:
        with pytest.raises(sfumato.Infeasible):
            algorithm.run(replace(task, models=models), Run.seeded(0))
        return

    def recount(state: Refinery) -> None:
        masked = sfumato.recode(table_of(drawn), state.recodings()).table
        for model in models:
            assert model.check(masked.groups(model.qid or task.qids, ["class"]))

    outcome = algorithm.run(replace(task, models=models), replace(Run.seeded(0), on_step=recount))
    masked = sfumato.recode(table_of(drawn), outcome.recodings).table
    for model in models:
        assert model.check(masked.groups(model.qid or task.qids, ["class"]))


def test_models_that_break_under_merging_are_refused() -> None:
    drawn = DrawnTable(("a", "class"), (("x", "c0"), ("y", "c1")), (), "class", ((("a",), 1),))

    class Fragile(KAnonymity):
        traits: ClassVar[TableTraits] = replace(KAnonymity.traits, closed_under_merge=False)

    policy = sfumato.Policy.of(
        {
            "columns": {"a": {"role": "quasi-identifier"}, "class": {"role": "target"}},
            "requirements": [{"id": "k-anonymity", "k": 1}],
        }
    )
    task = prepare(table_of(drawn), policy).task()
    with pytest.raises(sfumato.Unsupported, match="under merging"):
        TDR().start(replace(task, models=[Fragile(k=1)]))


# ---- the chooser ---------------------------------------------------------------------------------------------------------


def test_scores_compare_in_steps_of_two_to_the_minus_forty() -> None:
    step = 2.0**-40
    assert quantized(np.array([0.0, 0.4 * step, 0.5 * step, 1.0])).tolist() == [0, 0, 1, 2**40]


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=5, unique_by=lambda offer: offer[1]),
        max_size=4,
    )
)
def test_the_best_score_wins_then_the_first_column_then_the_smallest_position(
    offers: list[list[tuple[int, int]]],
) -> None:
    columns = [
        (
            np.arange(len(offer), dtype=np.int64),
            np.array([score for score, _ in offer], np.float64),
            np.array([position for _, position in offer], np.int64),
        )
        for offer in offers
    ]
    order = sorted(
        (-score, column, position, slot)
        for column, offer in enumerate(offers)
        for slot, (score, position) in enumerate(offer)
    )
    wanted = [(column, slot) for _, column, _, slot in order]
    assert choose(columns) == (wanted[0] if wanted else None)
    assert list(ranked(columns)) == wanted  # each is refused, and the next best asked


def test_links_hold_values_that_cannot_be_refined_any_more() -> None:
    rows = [("Engineer", 30), ("Engineer", 35), ("Lawyer", 30), ("Lawyer", 35)] * 2
    job = {"id": "taxonomy", "tree": {"ANY": ["Engineer", "Lawyer"]}}
    policy = {
        "columns": {"Job": {"role": "quasi-identifier", "hierarchy": job}, "Age": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "tdr"},
    }
    seen: list[dict[str, list[tuple[str, ...]]]] = []
    sfumato.anonymize(sfumato.from_rows(["Job", "Age"], rows), policy, on_step=lambda state: seen.append(state.links()))
    assert set(seen[-1]) >= {"Engineer", "Lawyer"}
    assert seen[-1]["Engineer"] == [("Engineer", "[30-35)"), ("Engineer", "[35-35]")]
