"""Local recoding: what is published holds, says more than the node it starts from, and cannot be refined safely."""

from __future__ import annotations

import signal
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import pytest

import sfumato
from oracles.naive_groups import paths
from oracles.naive_lattice import Problem, Row, drawn, holds
from sfumato.contracts.progress import Silent
from sfumato.contracts.published import Release
from sfumato.errors import Infeasible, Unsupported

KEEP = {"output": {"row_order": "keep"}, "metrics": ["loss", "discernibility"]}


def released(problem: Problem, **more: Any) -> Release | None:
    """Return the release, or nothing if there is none."""
    table = sfumato.from_rows(problem.columns, problem.records)
    try:
        return sfumato.anonymize(table, problem.policy({"id": "optimal", **more}, **KEEP))
    except Infeasible:
        return None


def left_out(release: Release) -> set[Row]:
    """Return the raw values of the records that are left out."""
    return {group for entry in release.private.operations if entry.id == "group-suppression" for group in entry.groups}


def published(problem: Problem, release: Release) -> list[tuple[Row, Row, str]]:
    """Return raw values, published values and sensitive value of each published record."""
    gone = left_out(release)
    kept = [(row, s) for row, s in zip(problem.rows, problem.sensitive, strict=True) if row not in gone]
    shown = [row[: len(problem.names)] for row in release.table.to_rows()]
    return [(raw, label, s) for (raw, s), label in zip(kept, shown, strict=True)]


def finer(problem: Problem, at: int, raw: str, label: str) -> str:
    """Return what a published value would be one step further down."""
    path = next(path for path in paths(problem.trees[at]) if path[-1] == raw)
    step: str = path[min(path.index(label) + 1, len(path) - 1)]
    return step


@pytest.mark.parametrize("start", range(0, 120, 20))
def test_groups_hold_and_none_can_be_refined(start: int) -> None:
    for seed in range(start, start + 20):
        problem = drawn(seed, rows=30 if seed % 2 else None)
        problem = replace(
            problem,
            limit=max(problem.limit, 0.1),
            requirements=tuple(spec for spec in problem.requirements if "qid" not in spec)
            or ({"id": "k-anonymity", "k": 2},),
        )
        everywhere = released(problem)
        local = released(problem, local_recoding=True)
        assert (everywhere is None) == (local is None), f"seed {seed}"
        if everywhere is None or local is None:
            continue
        assert local.counts["records_suppressed"] <= everywhere.counts["records_suppressed"], f"seed {seed}"
        assert local.measured["loss"].value <= everywhere.measured["loss"].value + 1e-12, f"seed {seed}"
        raw = sfumato.from_rows(problem.columns, problem.records)
        for metric in ("loss", "discernibility"):
            assert sfumato.measure(raw, local, metric).value == pytest.approx(local.measured[metric].value), (
                f"seed {seed}"
            )
        whole = Counter(problem.sensitive)
        groups: dict[Row, list[tuple[Row, str]]] = defaultdict(list)
        for row, labels, s in published(problem, local):
            assert all(
                label in next(path for path in paths(problem.trees[at]) if path[-1] == row[at])
                for at, label in enumerate(labels)
            ), f"seed {seed}: {labels} is not true of {row}"
            groups[labels].append((row, s))

        def fine(counts: Counter[str], problem: Problem = problem, whole: Counter[str] = whole) -> bool:
            return all(holds(spec, counts, whole) for spec in problem.requirements)

        for labels, members in groups.items():
            assert fine(Counter(s for _, s in members)), f"seed {seed}, {labels}"
            for at in range(len(problem.names)):
                if all(row[at] == labels[at] for row, _ in members):
                    continue
                parts: dict[str, Counter[str]] = defaultdict(Counter)
                for row, s in members:
                    parts[finer(problem, at, row[at], labels[at])][s] += 1
                assert not all(fine(part) for part in parts.values()), f"seed {seed}, {labels} in {problem.names[at]}"
        # Of the records that are left out, no group at any node would hold.
        gone = left_out(local)
        rest = [at for at, row in enumerate(problem.rows) if row in gone]
        for node in problem.nodes():
            shown = problem.shown(node)
            again: dict[Row, Counter[str]] = defaultdict(Counter)
            for at in rest:
                again[shown[at]][problem.sensitive[at]] += 1
            assert not any(fine(part) for part in again.values()), f"seed {seed}, node {node}"
        assert local.private.facts["left_out"] == local.counts["records_suppressed"] == len(rest)
        assert local.private.facts["groups_kept"] == len(groups)
        assert sum(entry["records"] for entry in local.private.facts["rounds"]) == len(local.table.to_rows())


def test_a_part_is_refined_where_the_whole_could_not_be() -> None:
    """One record of b stands in the way of splitting by the first column, until the second column parts them."""
    rows = (*[("a", "p")] * 3, *[("a", "q")] * 2, ("b", "q"))
    first = {"value": "r", "children": [{"value": "a"}, {"value": "b"}]}
    second = {"value": "t", "children": [{"value": "p"}, {"value": "q"}]}
    problem = Problem(
        rows, (first, second), (False, False), ("x",) * 6, ("Y",) * 6, ({"id": "k-anonymity", "k": 3},), 0.0
    )
    release = sfumato.anonymize(
        sfumato.from_rows(problem.columns, problem.records),
        problem.policy({"id": "optimal", "levels": {"a0": 1, "a1": 1}, "local_recoding": True}, **KEEP),
    )
    assert Counter(row[:2] for row in release.table.to_rows()) == {("a", "p"): 3, ("r", "q"): 3}


def test_records_left_out_are_charged_as_left_out() -> None:
    """The certificate's metrics are those of the published rows, not of the boxes that the others would fall into."""
    rows = (*[("a", "p")] * 4, *[("b", "q")] * 4, ("c", "p"))
    first = {"value": "r", "children": [{"value": "a"}, {"value": "b"}, {"value": "c"}]}
    second = {"value": "t", "children": [{"value": "p"}, {"value": "q"}]}
    problem = Problem(
        rows, (first, second), (False, False), ("x",) * 9, ("Y",) * 9, ({"id": "k-anonymity", "k": 2},), 0.2
    )
    release = sfumato.anonymize(
        sfumato.from_rows(problem.columns, problem.records),
        problem.policy({"id": "optimal", "local_recoding": True}, **KEEP),
    )
    assert release.counts["records_suppressed"] == 1
    assert release.measured["loss"].by_attribute == pytest.approx({"a0": 1 / 9, "a1": 1 / 9})
    assert release.measured["discernibility"].value == 4 * 4 * 2 + 9


def test_requirements_on_part_of_the_columns_are_refused() -> None:
    problem = replace(drawn(3, columns=2), requirements=({"id": "k-anonymity", "k": 2, "qid": ["a0"]},), limit=0.0)
    with pytest.raises(Unsupported, match="all quasi-identifiers"):
        released(problem, local_recoding=True)


def test_what_can_be_placed_is_placed_however_much_of_the_rest_is_not() -> None:
    """The limit is one on the whole table: of the records left out by a round, most may stay out in the next."""
    tree = {
        "value": "r",
        "children": [
            {"value": "A", "children": [{"value": "a1"}, {"value": "a2"}]},
            {"value": "B", "children": [{"value": "b"}]},
            {"value": "C", "children": [{"value": "c"}]},
        ],
    }
    problem = Problem(
        (("a1",), ("a2",), *[("b",)] * 10, *[("c",)] * 6),
        (tree,),
        (False,),
        ("x", "y", *["y"] * 10, *["x"] * 6),
        ("Y",) * 18,
        ({"id": "k-anonymity", "k": 2}, {"id": "confidence-bounding", "value": "x", "h": 0.5, "sensitive": "s"}),
        0.45,
    )
    release = sfumato.anonymize(
        sfumato.from_rows(problem.columns, problem.records),
        problem.policy({"id": "optimal", "levels": {"a0": 0}, "local_recoding": True}, **KEEP),
    )
    assert Counter(row[0] for row in release.table.to_rows()) == {"b": 10, "A": 2}
    assert [entry["records"] for entry in release.private.facts["rounds"]] == [10, 2]


# ---- ending early --------------------------------------------------------------------------------------------------------


class Ticking:
    """A clock that shows one second more each time somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def in_rounds(seed: int) -> Problem:
    """Return a problem in which records are left out at the best levels and placed later, for some seeds."""
    return replace(drawn(seed, columns=3, rows=40), requirements=({"id": "k-anonymity", "k": 3},), limit=0.3)


@pytest.mark.parametrize("seed", [2, 3, 7, 36])
def test_a_deadline_ends_it_after_any_step_with_what_is_placed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = in_rounds(seed)
    whole = released(problem, local_recoding=True)
    assert whole is not None
    assert whole.private.facts["local_recoding_stopped"] is None
    assert whole.private.stopped is None
    seen: list[tuple[int, int]] = []
    for seconds in range(1, 400):
        monkeypatch.setattr("sfumato.contracts.run.monotonic", Ticking())
        release = released(problem, local_recoding=True, deadline=seconds)
        if release is None:
            continue
        facts = release.private.facts
        assert release.verdict.satisfied
        assert release.counts["records_suppressed"] == facts["left_out"] <= 0.3 * len(problem.rows)
        assert min(Counter(labels for _, labels, _ in published(problem, release)).values()) >= 3
        if release.private.stopped is None:
            assert facts["local_recoding_stopped"] is None
            assert release.table.to_rows() == whole.table.to_rows()
            break
        assert release.private.stopped == facts["local_recoding_stopped"] == "deadline"
        assert release.certificate["algorithm"]["stopped"] == "deadline"
        assert any("local recoding ended early (deadline)" in warning for warning in release.warnings)
        seen.append((len(facts["rounds"]), facts["groups_kept"]))
    else:
        pytest.fail("the clock never left enough time")
    rounds, groups = len(whole.private.facts["rounds"]), whole.private.facts["groups_kept"]
    assert any(done < rounds for done, _ in seen), "it was ended among the rounds"
    assert any(done == rounds and kept < groups for done, kept in seen), "and among the refinements"


def test_ctrl_c_among_the_rounds_keeps_what_is_placed_or_nothing() -> None:
    class Pressing(Silent):
        def tick(self, done: float, note: str = "") -> None:
            if note.endswith("not placed yet"):
                signal.raise_signal(signal.SIGINT)

    problem = in_rounds(2)
    table = sfumato.from_rows(problem.columns, problem.records)
    policy = problem.policy({"id": "optimal", "local_recoding": True}, **KEEP)
    whole = sfumato.anonymize(table, policy)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        sfumato.anonymize(table, policy, progress=Pressing())
    assert signal.getsignal(signal.SIGINT) is before
    release = sfumato.anonymize(table, policy, progress=Pressing(), accept_interrupted=lambda outcome: True)
    assert release.private.stopped == release.private.facts["local_recoding_stopped"] == "interrupted"
    assert release.verdict.satisfied
    assert len(release.private.facts["rounds"]) < len(whole.private.facts["rounds"])


def test_checks_used_up_on_the_levels_leave_local_recoding_its_time() -> None:
    problem = in_rounds(2)
    everywhere = released(problem, max_checks=2, heuristic="top-down")
    release = released(problem, local_recoding=True, max_checks=2, heuristic="top-down")
    assert everywhere is not None
    assert release is not None
    assert release.private.stopped == "checks used up"
    assert release.private.facts["local_recoding_stopped"] is None
    assert release.private.facts["groups_kept"] > everywhere.private.facts["groups_kept"]
