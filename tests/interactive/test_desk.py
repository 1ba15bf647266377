"""A desk: one mode, repeats without a charge, budgets, versions of the table, exact answers in no log, many askers at once."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.errors import BadRequest, Infeasible
from sfumato.interactive.cell_keys import cell_noise
from sfumato.interactive.desk import Desk
from sfumato.interactive.noise import NoisyAggregate
from sfumato.interactive.question import Aggregate
from sfumato.ledger.ledger import Ledger

from .trial import COLUMNS, POLICY, TABLE, asked_at_once, killed, new_ledger

EXACT = {"desk": {"mode": "exact", "audit": {"id": "query-audit-online", "m": 3}}, "columns": COLUMNS}
CELL_KEY = {"desk": {"mode": "cell-key"}, "columns": COLUMNS}
RECORDS = len(TABLE["sex"])
AGES = {**TABLE, "age": list(range(20, 20 + RECORDS))}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A new ledger with a budget of 1."""
    with Ledger(new_ledger(tmp_path, 1.0)) as made:
        yield made


def kept(ledger: Ledger) -> list[dict[str, Any]]:
    """Return what the ledger keeps of each question."""
    return [json.loads(ledger.questions.body(entry.number)) for entry, _ in ledger.questions.since()]


def test_a_noisy_answer_is_charged_once_however_it_is_asked(ledger: Ledger) -> None:
    with Desk(TABLE, POLICY, ledger) as desk:
        first = desk.ask("count where age >= 30 and ill = 'flu' group by sex")
        again = desk.ask("COUNT(*) where ill in (flu) and age > 29 group by sex")
        turned = {row[:2]: row[2] for row in desk.ask("count group by sex, ill", epsilon=0.2).rows()}
        other_way = {row[1::-1]: row[2] for row in desk.ask("count group by ill, sex", epsilon=0.2).rows()}
    with Desk({name: values[::-1] for name, values in TABLE.items()}, POLICY, ledger) as other:  # rows in another order
        third = other.ask("count where age >= 30 and ill != ulcer group by sex")
    assert turned == other_way
    assert first.rows() == again.rows() == third.rows()
    assert (first.cost, again.cost, third.cost) == (0.1, 0.0, 0.0)
    assert ledger.budgets.quote("total", epsilon=0).spent.epsilon == 300_000


def test_an_average_is_a_sum_and_a_count_and_both_are_charged(ledger: Ledger) -> None:
    with Desk(TABLE, POLICY, ledger) as desk:
        assert desk.explain("avg(pay)").cost == 0.2
        answer = desk.ask("avg(pay)")
        made = answer.part("sum(pay)").values[0] / answer.part("count(pay)").values[0]  # type: ignore[operator]
        assert answer.value == min(max(made, 0), 100)  # within the declared bounds
        assert desk.ask("sum(pay)").cost == 0
        assert desk.explain("avg(pay)").cost == 0
    assert len(kept(ledger)) == 2


def test_what_a_budget_does_not_cover_is_refused_with_what_is_left(ledger: Ledger) -> None:
    with Desk(TABLE, POLICY, ledger) as desk:
        desk.ask("count", epsilon=0.7)
        with pytest.raises(Infeasible, match=r"0\.1 left"):
            desk.ask("avg(pay)", epsilon=0.2)  # the sum is covered and the count is not: neither is drawn
        assert len(kept(ledger)) == 1
        assert desk.ask("sum(pay)", epsilon=0.3).cost == 0.3
    assert ledger.verify()


def test_each_asker_has_a_budget(ledger: Ledger) -> None:
    policy = {**POLICY, "desk": {"mode": "noisy", "per_asker": 0.2}}
    with Desk(TABLE, policy, ledger) as desk:
        desk.ask("count", asker="ann", epsilon=0.2)
        with pytest.raises(Infeasible, match="desk: ann"):
            desk.ask("count where age > 30", asker="ann")
        desk.ask("count where age > 30", asker="bob")
        assert [quote.budget for quote in desk.explain("count", asker="cat").budgets] == ["total", "desk: cat"]
        with pytest.raises(BadRequest, match="each asker has a budget"):
            desk.ask("count")


def test_noise_has_the_stated_scale_and_error() -> None:
    noisy = NoisyAggregate(Aggregate("count"), 0.5)
    mask = np.ones(100, bool)
    drawn = np.array(noisy.draw([mask] * 4_000, None)) - 100
    q = np.exp(-0.5)
    assert abs(drawn.mean()) < 4 * np.sqrt(2 * q / (1 - q) ** 2 / 4_000)
    assert abs(drawn.var() / (2 * q / (1 - q) ** 2) - 1) < 0.15
    assert (np.abs(drawn) <= noisy.error(0.95)).mean() >= 0.94
    pay = NoisyAggregate(Aggregate("sum", "pay"), 0.5, (0.0, 100.0), 1.0)
    assert pay.sensitivity == 100
    assert pay.draw([mask], np.full(100, 50.0))[0] == pytest.approx(5_000, abs=8_000)


def test_exact_answers_are_audited_and_kept_by_nobody(ledger: Ledger) -> None:
    with Desk(AGES, EXACT, ledger) as desk:
        assert desk.ask("sum(pay) group by sex").rows() == [("f", 870.0), ("m", 900.0)]
        assert desk.ask("avg(pay) where age < 60").value == 19.5
        assert "fewer than 3" in str(desk.ask("count where age = 30").parts[0].refused[0])
    with Desk(AGES, EXACT, ledger) as later:  # another process: it knows what was answered
        assert later.ask("sum(pay) where age <= 59").parts[0].repeated
        assert later.ask("sum(pay) where age < 61").refused
        assert later.ask("sum(pay) where age < 60 and sex = f").value == 380
        assert later.ask("sum(pay) where age >= 61 and sex = m").value == 500
        assert later.ask(
            "sum(pay) where age >= 61 and sex = f"
        ).refused  # all others are known: the woman of 60 is left
    words = json.dumps([{**one, "part": "", "question": ""} for one in kept(ledger)]) + "".join(ledger.export())
    assert not any(f"{mark}{true}" in words for true in ("870", "900", "780", "380", "500") for mark in ' "[')
    assert not any("values" in one for one in kept(ledger))


def test_sums_and_maxima_of_one_column_are_not_mixed(ledger: Ledger) -> None:
    with Desk(AGES, EXACT, ledger) as desk:
        assert desk.ask("max(pay) where age < 60").value == 39
        assert desk.ask("max(pay) where age < 59").refused  # an answer below 39 would tell the record that is left out
        assert "one of these alone" in str(desk.ask("sum(pay) where sex = f").parts[0].refused[0])
    with Desk(AGES, EXACT, ledger) as later:
        assert later.ask("min(pay) where sex = f").refused
        assert later.ask("max(pay) where age < 59").refused


def test_a_cell_that_was_left_empty_stays_empty(ledger: Ledger) -> None:
    table = {"a": ["x"] * 2 + ["y"] * 4 + ["z"] * 9, "pay": list(range(15))}
    columns = {"a": {"role": "quasi-identifier", "values": ["x", "y", "z"]}, "pay": {"role": "sensitive"}}
    with Desk(table, {**EXACT, "columns": columns}, ledger) as desk:
        assert desk.ask("count group by a").rows() == [("x", None), ("y", None), ("z", 9)]
        assert desk.ask("count where a = y").refused


def test_newcomers_are_new_unknowns_and_nobody_else_is(ledger: Ledger) -> None:
    policy = {**EXACT, "person": "id", "columns": {**COLUMNS, "id": {"role": "identifier"}}}
    old = {"id": [f"p{at}" for at in range(RECORDS)], **TABLE}
    new = {name: [*values, more] for (name, values), more in zip(old.items(), ("q", "f", 99, "flu", 7), strict=True)}
    with Desk(old, policy, ledger) as desk:
        assert desk.ask("sum(pay) where sex = f").value == 870
    with Desk(new, policy, ledger) as desk:
        assert desk.ask("sum(pay) where sex = f").refused  # the difference is the newcomer
        assert desk.ask("sum(pay) where sex = m").value == 900
    raised = {**new, "pay": [value + 1 for value in new["pay"]]}
    with Desk(raised, policy, ledger) as desk:
        assert desk.ask("sum(pay) where sex = f").value == 870 + 30 + 8  # all values are others now


def test_who_has_a_value_is_counted_under_audit_as_well(ledger: Ledger) -> None:
    gaps = {**AGES, "pay": [None if at in (3, 40) else at for at in range(RECORDS)]}
    with Desk(gaps, EXACT, ledger) as desk:
        assert desk.ask("count(pay) where age < 60").value == 39
        assert desk.ask("count(pay) where age < 59").refused  # it would tell whether one record has a value
        assert desk.ask("count where age < 59").value == 39
    with Desk(gaps, EXACT, ledger) as later:
        assert later.ask("count(pay) where age < 61").refused
        assert later.ask("count(pay) where age < 60 and sex = f").value == 20
    assert kept(ledger)[-1]["refused"] == [None]


def test_what_follows_from_earlier_answers_is_passed_over_by_whoever_goes_on(ledger: Ledger) -> None:
    with Desk(AGES, EXACT, ledger) as desk:
        assert desk.ask("sum(pay) group by sex").rows() == [("f", 870.0), ("m", 900.0)]
        assert desk.ask("sum(pay) where age >= 30").value == 1725
        assert desk.ask("sum(pay) where sex in (f, m) and age >= 30 group by sex").rows() == [
            ("f", 850.0),
            ("m", 875.0),
        ]
    assert [one.get("follows") for one in kept(ledger)] == [None, None, [1]]
    with Desk(AGES, EXACT, ledger) as later:
        assert later.ask("sum(pay) where age < 30 and sex = f").value == 20
        assert later.ask("sum(pay) where age >= 31 and sex = f").refused  # the woman of 30 would be left


def test_maxima_of_an_earlier_table_are_the_reason_that_is_said(ledger: Ledger) -> None:
    policy = {**EXACT, "person": "id", "columns": {**COLUMNS, "id": {"role": "identifier"}}}
    old = {"id": [f"p{at}" for at in range(RECORDS)], **AGES}
    with Desk(old, policy, ledger) as desk:
        assert desk.ask("max(pay) where age < 60").value == 39
    with Desk({**old, "pay": [value + 1 for value in old["pay"]]}, policy, ledger) as desk:
        assert "before the table changed" in str(desk.ask("max(pay) where age < 60").parts[0].refused[0])


def test_a_noisy_average_stays_within_its_bounds(ledger: Ledger) -> None:
    with Desk(TABLE, POLICY, ledger) as desk:
        answers = [desk.ask(f"avg(pay) where age = {age}", epsilon=0.01) for age in range(20, 35)]
    for answer in answers:
        (value,) = answer.column(Aggregate("avg", "pay"))
        assert (value is None and answer.uncounted == ("avg(pay)",)) or 0 <= value <= 100


def test_another_table_needs_persons_or_another_desk(ledger: Ledger) -> None:
    with Desk(TABLE, EXACT, ledger) as desk:
        desk.ask("count")
    with Desk({**TABLE, "pay": [1] * RECORDS}, EXACT, ledger) as desk, pytest.raises(BadRequest, match="person"):
        desk.ask("count")


def test_one_desk_has_one_mode(ledger: Ledger) -> None:
    with Desk(TABLE, CELL_KEY, ledger) as desk:
        one = desk.ask("count where sex = f and ill = flu").value
        cells = {row[:2]: row[2] for row in desk.ask("count group by sex, ill").rows()}
        assert cells["f", "flu"] == one  # the same records, the same noise
        assert desk.ask("count where age > 1000").value == 0
        with pytest.raises(BadRequest, match="counts, and nothing else"):
            desk.ask("sum(pay)")
    for policy in (EXACT, POLICY, {**EXACT, "desk": {"mode": "exact", "name": "another"}}):
        with Desk(TABLE, policy, ledger) as other, pytest.raises(BadRequest, match="one mode for ever"):
            other.ask("count")


@pytest.mark.parametrize("count", [1, 3, 50])
def test_noise_of_cells_is_unbiased_and_bounded(count: int) -> None:
    law = cell_noise(count, 5, 4.0)
    moves = np.arange(-min(count, 5), 6)
    assert law @ moves == pytest.approx(0, abs=1e-9)
    assert law @ moves**2 == pytest.approx(4.0)
    assert law.min() >= 0


def test_practice_is_free_and_about_nobody() -> None:
    with Desk(TABLE, POLICY) as desk:
        answer = desk.practice("count, avg(pay) where age >= 30 group by sex, ill")
        assert len(answer.rows()) == 4
        assert sum(answer.part("count").values) > RECORDS + 100  # type: ignore[arg-type]
        with pytest.raises(BadRequest, match="needs a ledger"):
            desk.ask("count")


def test_many_askers_at_once_spend_nothing_twice(tmp_path: Path) -> None:
    got, wrong = asked_at_once(tmp_path, 24)
    assert wrong == []
    assert got["answered"] >= 20
    assert got["Infeasible"] > 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_no_answer_goes_out_uncharged_when_the_desk_is_killed(tmp_path: Path) -> None:
    ends = [killed(tmp_path, 25, number, 20_000) for number in range(2)]
    assert [found for _, found in ends if found] == []


def test_threads_whose_entries_are_taken_back_leave_a_ledger_that_goes_on(ledger: Ledger) -> None:
    begun = threading.Event()

    def refused(name: str) -> None:
        with suppress(Infeasible), ledger.questions.answering():
            ledger.questions.allot(name, 1.0)
            begun.set()
            if name == "first":
                time.sleep(0.1)  # the second waits for its turn meanwhile
            raise Infeasible("taken back")

    first = threading.Thread(target=refused, args=("first",))
    first.start()
    begun.wait(10)
    second = threading.Thread(target=refused, args=("second",))
    second.start()
    first.join()
    second.join()
    with Desk(TABLE, POLICY, ledger) as desk:
        assert desk.ask("count").cost == 0.1
    assert ledger.verify()


def test_numbers_and_names_that_are_none_are_refused_before_anything_is_charged(ledger: Ledger) -> None:
    with Desk(TABLE, {**POLICY, "desk": {"mode": "noisy", "per_asker": 0.2}}, ledger) as desk:
        for odd in (1e-300, 0.0, float("nan"), "x"):
            with pytest.raises(BadRequest, match="epsilon"):
                desk.ask("count", asker="ann", epsilon=odd)  # type: ignore[arg-type]
        with pytest.raises(BadRequest, match="asker"):
            desk.ask("count", asker=None)  # type: ignore[arg-type]
    for bounds in ((0, float("inf")), (-1e308, 1e308)):
        with pytest.raises(BadRequest, match="neither beyond"):
            Desk(TABLE, {**POLICY, "columns": {**COLUMNS, "pay": {"role": "sensitive", "bounds": bounds}}}, ledger)
    assert kept(ledger) == []
