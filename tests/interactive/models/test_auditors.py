"""Auditors against brute force on few records: disclosure over random questions, and decisions that anybody could make."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from sfumato.errors import BadRequest, Unsupported
from sfumato.interactive.models import PerfectSecrecy, QueryAuditOffline, QueryAuditOnline, SimulatableAudit
from sfumato.interactive.models.perfect_secrecy import Tuples
from sfumato.interactive.models.simulatable_audit import AnsweredMaxima


def some_rows(rng: np.random.Generator, records: int) -> list[int]:
    return np.flatnonzero(rng.random(records) < 0.5).tolist() or [0]


def test_answered_maxima_tell_what_brute_force_over_all_databases_tells() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        records = int(rng.integers(2, 5))
        past = AnsweredMaxima(records)
        truth = rng.integers(0, 4, records)
        questions = [some_rows(rng, records) for _ in range(3)]
        for rows in questions:
            past.add(rows, float(truth[rows].max()))
        # Values lie between integers as well, and below all answers.
        grid = [-0.5, *np.arange(0, 4, 0.5).tolist()]
        fitting = [
            values
            for values in product(grid, repeat=records)
            if all(max(values[at] for at in rows) == truth[rows].max() for rows in questions)
        ]
        fixed = [at for at in range(records) if len({values[at] for values in fitting}) == 1]
        assert past.told() == fixed


@pytest.mark.parametrize("extreme", ["max", "min"])
def test_decisions_about_maxima_follow_from_past_answers_alone(extreme: str) -> None:
    rule, rng = SimulatableAudit(extreme=extreme), np.random.default_rng(4)
    compared = 0
    for _ in range(150):
        records = int(rng.integers(2, 6))
        one, other = rng.integers(0, 3, (2, records)).astype(float)
        first, second = rule.log(records), rule.log(records)
        for _ in range(5):
            rows = some_rows(rng, records)
            pick = np.max if extreme == "max" else np.min
            compared += 1
            assert bool(first.ask(rows, one)) == bool(second.ask(rows, other))
            if pick(one[rows]) != pick(other[rows]):
                break  # from here on their answers differ
    assert compared > 300


def test_no_answer_of_the_maximum_auditor_discloses() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        values = rng.integers(0, 5, 8).astype(float)
        log = SimulatableAudit().log(8)
        for _ in range(8):
            log.ask(some_rows(rng, 8), values)
            assert log.past.told() == []


def test_decisions_about_sums_read_no_value() -> None:
    queries = [[1, 2, 3], [3, 4, 5], [1, 2], [1, 2, 4, 5], [2, 3]]
    assert QueryAuditOnline().decisions(queries, records=[1, 2, 3, 4, 5]) == [
        "answer", "answer", "deny", "deny", "deny"
    ]  # fmt: skip


def test_rules_of_size_overlap_dominance_and_percent() -> None:
    log = QueryAuditOnline(m=2, r=2).log(8)
    assert log.ask([0, 1, 2])
    assert "fewer than 2" in str(log.ask([3]))
    assert "leaves out" in str(log.ask(list(range(7))))
    assert "shares 3" in str(log.ask([0, 1, 2, 3]))
    rule = QueryAuditOnline(n=1, share=50, percent=20)
    assert "largest" in str(rule.log(3).ask([0, 1, 2], np.array([9.0, 1, 1])))
    assert "percent" in str(QueryAuditOnline(percent=20).log(3).ask([0, 1, 2], np.array([9.0, 8, 1])))
    assert rule.log(4).ask([0, 1, 2, 3], np.array([5.0, 5, 5, 5]))


def test_a_cell_that_is_left_empty_is_not_alone_in_its_line() -> None:
    log = QueryAuditOnline(m=2).log(9)
    rows = [np.isin(np.arange(9), held) for held in ([0], [1, 2], [3, 4, 5], [6, 7, 8])]
    found = log.ask_cells([("a",), ("b",), ("c",), ("d",)], rows)
    assert [bool(one) for one in found] == [False, False, True, True]


def test_questions_about_nobody_known_are_refused() -> None:
    with pytest.raises(BadRequest, match="not a record"):
        QueryAuditOnline().decisions([[9]], records=[1])
    with pytest.raises(BadRequest, match="row numbers below 3"):
        QueryAuditOnline().log(3).ask([5])


def test_a_log_with_answers_tells_values_and_intervals() -> None:
    log = [
        {"type": "sum", "ids": [1, 2], "answer": 190},
        {"type": "max", "ids": [1, 3], "answer": 97},
        {"type": "avg", "ids": [2, 3], "answer": 50.0},
    ]
    found = QueryAuditOffline(low=0, high=100).read(log)
    assert found.first_violation is None
    assert found.intervals == {1: (90.0, 97.0), 2: (93.0, 100.0), 3: (0.0, 7.0)}
    assert QueryAuditOffline(low=0, high=100, width=0.08).read(log).first_violation == 2
    more = [*log, {"type": "sum", "ids": [1, 3], "answer": 97}]
    assert QueryAuditOffline().read(more).values == {1: 93.5, 2: 96.5, 3: 3.5}


def test_a_value_that_changed_is_another_unknown() -> None:
    log = [{"type": "sum", "ids": [1, 2], "version": 1}, {"type": "sum", "ids": [1], "version": 2}]
    assert QueryAuditOffline().read(log).determined_after[-1] == (1, 2)
    assert QueryAuditOffline().read(log, changed={2: [1]}).determined_after[-1] == (1,)


def test_logs_that_cannot_be_read_are_refused() -> None:
    for log, words in (
        ([{"type": "mode", "ids": [1]}], "is not a question"),
        ([{"type": "sum"}], "needs the ids"),
        ([{"type": "max", "ids": [1]}], "needs the answers"),
        ([{"type": "max", "ids": [1], "answer": 3}, {"type": "max", "ids": [1], "answer": 2}], "contradict"),
    ):
        with pytest.raises(BadRequest, match=words):
            QueryAuditOffline().read(log)


def test_independence_at_one_choice_of_probabilities_is_weaker_than_at_all() -> None:
    model = PerfectSecrecy(columns=("x",), domain=("a", "b"))

    def first(instance: Tuples) -> bool:
        return ("a",) in instance

    def either(instance: Tuples) -> bool:
        return (("a",) in instance) != (("b",) in instance)

    found = model.judge(either, first)
    assert (found.always, found.independent) == (False, True)
    assert not PerfectSecrecy(columns=("x",), domain=("a", "b"), probability=0.3).judge(either, first).independent
    with pytest.raises(Unsupported, match="at most 20"):
        PerfectSecrecy(domain=("a", "b", "c", "d", "e"))
    with pytest.raises(BadRequest, match="project COLUMNS"):
        model.judge("count", first)
