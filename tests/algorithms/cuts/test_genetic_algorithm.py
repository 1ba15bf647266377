"""The genetic algorithm against its naive twin and exhaustive search, and its limits, refusals and repeatability."""

from __future__ import annotations

import os
import signal
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles import naive_genetic as naive
from sfumato.algorithms.cuts._evolution import Evolution, Fitness
from sfumato.algorithms.cuts.genetic_algorithm import LARGE, GeneticAlgorithm
from sfumato.contracts.algorithm import Attribute, Outcome, Task
from sfumato.contracts.progress import Silent
from sfumato.contracts.run import Run
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.schema import ColumnType
from sfumato.datasets import education_work
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.l_diversity_distinct import DistinctLDiversity
from sfumato.tables.prepare import prepare
from sfumato.testing.strategies import DrawnTable, tables

DATA = education_work()
METRICS = ("classification-metric", "loss")


def policy_of(drawn: DrawnTable, share: float, **algorithm: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {"class": {"role": "target"}}
    for attribute in drawn.attributes:
        columns[attribute.name] = {"role": "quasi-identifier"}
        if attribute.tree is not None:
            columns[attribute.name]["hierarchy"] = {"id": "taxonomy", "tree": attribute.tree}
        if attribute.range is not None and attribute.range[0] < attribute.range[1]:
            columns[attribute.name]["range"] = attribute.range
    return {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "qid": list(qid), "k": k} for qid, k in drawn.requirement],
        "limits": {"suppress_at_most": share},
        "algorithm": {"id": "genetic-algorithm", **algorithm},
        "metrics": list(METRICS),
    }


def states_of(drawn: DrawnTable) -> list[list[naive.State]]:
    out = []
    for at, attribute in enumerate(drawn.attributes):
        values = [row[at] for row in drawn.rows]
        if attribute.tree is not None:
            out.append(naive.tree_states(attribute.tree))
        elif attribute.kind == "interval":
            low, high = attribute.range or (min(values), max(values))
            out.append(naive.interval_states(values, low, high))
        else:
            out.append(naive.value_states(values))
    return out


def requirement_of(drawn: DrawnTable) -> list[tuple[list[int], int]]:
    return [([drawn.columns.index(name) for name in qid], k) for qid, k in drawn.requirement]


def table_of(drawn: DrawnTable) -> Any:
    return sfumato.from_rows(drawn.columns, drawn.rows)


SMALL = tables(max_attributes=3, max_rows=14, max_leaves=4, max_depth=2, max_qids=2)


# ---- the price -----------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(drawn=SMALL, metric=st.sampled_from(METRICS), seed=st.integers(0, 99))
def test_price_is_that_of_the_naive_twin(drawn: DrawnTable, metric: Any, seed: int) -> None:
    task = prepare(table_of(drawn), sfumato.Policy.of(policy_of(drawn, 1.0))).task()
    fitness = Fitness(task, metric)
    bits = np.random.default_rng(seed).random(fitness.bits) < 0.6
    recodings = fitness.recodings(bits)
    states: list[naive.State] = []
    known = states_of(drawn)
    for at, attribute in enumerate(drawn.attributes):
        values = sorted({row[at] for row in drawn.rows})
        labels = recodings[attribute.name].map(values).labels
        # Of all states the one that parts the values as the bits do: the twin knows what its labels leave open.
        (state,) = {
            tuple(entry[value] for value in values): entry
            for entry in known[at]
            if [[entry[a][0] == entry[b][0] for a in values] for b in values]
            == [[x == y for x in labels] for y in labels]
            and (attribute.tree is None or tuple(entry[value][0] for value in values) == labels)
            and (attribute.kind != "suppress" or tuple(entry[value][0] for value in values) == labels)
        }.values()
        states.append(state)
    cost, gone = naive.price(drawn.rows, states, requirement_of(drawn), metric)
    found = fitness.of(bits)
    assert found.cost == pytest.approx(cost, abs=1e-12)
    assert found.suppressed == gone
    alive, shown = naive.publish(drawn.rows, states, requirement_of(drawn))
    dead = {shown[i] for i in range(len(drawn.rows)) if i not in alive}
    assert len(fitness.left_out(bits, recodings)) == len(dead)


def wide_task(columns: int, values: int, rows: int, k: int) -> Task:
    """More combinations of values than a 64-bit number can tell apart."""
    rng = np.random.default_rng(5)
    codes = np.unique(rng.integers(0, values, (rows, columns), np.int32), axis=0)
    names = tuple(f"c{i}" for i in range(columns))
    weights = rng.integers(1, 4, len(codes)).astype(np.int64)
    dictionaries = {
        name: Dictionary(name, tuple(range(values)), np.ones(values, np.int64)) for name in (*names, "class")
    }
    target = rng.integers(0, 3, (len(codes), 1), np.int32)
    table = CompressedTable(names, codes, weights, dictionaries, ("class",), target)
    attributes = [Attribute(name, "interval", ColumnType.INTEGER, range=(0, values - 1)) for name in names]
    return Task(table, attributes, [KAnonymity(k=k)], "class", suppress_at_most=1.0)


@pytest.mark.parametrize("metric", METRICS)
def test_many_wide_columns_do_not_run_into_each_other(metric: Any) -> None:
    task = wide_task(columns=16, values=40, rows=60, k=2)
    fitness = Fitness(task, metric)
    for density in (0.0, 0.01, 0.05, 1.0):
        bits = np.random.default_rng(1).random(fitness.bits) < density
        rows, states = [], []
        for row, weight, code in zip(task.table.codes, task.table.weights, task.table.extra_codes[:, 0], strict=True):
            rows += [(*row.tolist(), int(code))] * int(weight)
        for at, column in enumerate(fitness.columns):
            slots, cost = column.decode(bits[fitness.start[at] : fitness.start[at + 1]])
            states.append({value: (str(slots[value]), float(cost[value])) for value in range(40)})
        cost, gone = naive.price(rows, states, [(range(16), 2)], metric)
        assert (fitness.of(bits).cost, fitness.of(bits).suppressed) == (pytest.approx(cost, abs=1e-9), gone)


# ---- against exhaustive search -------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(drawn=SMALL, metric=st.sampled_from(METRICS), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_never_better_than_the_optimum_and_what_it_says_holds(drawn: DrawnTable, metric: str, share: float) -> None:
    asked = policy_of(drawn, share, metric=metric, population=12, evaluations=120)
    release = sfumato.anonymize(table_of(drawn), asked)
    facts = release.private.facts
    states = states_of(drawn)
    assert facts["search_space"] == prod(len(column) for column in states)
    best = naive.optimum(drawn.rows, states, requirement_of(drawn), metric, int(share * len(drawn.rows) + 1e-9))
    assert facts["cost"] >= best - 1e-12
    # The release costs what the search says, by the metric that shares no code with it.
    assert release.measured[metric].value == pytest.approx(facts["cost"], abs=1e-9)
    assert release.counts["records_suppressed"] == facts["suppressed_records"] <= share * len(drawn.rows) + 1e-9
    qids = [attribute.name for attribute in drawn.attributes]
    for qid, k in drawn.requirement:
        if release.table.rows:
            assert sfumato.check(release.table, {"id": "k-anonymity", "k": k, "qid": list(qid)}, qid=qids)
    costs = [entry["cost"] for entry in facts["history"]]
    assert costs == sorted(costs, reverse=True)


@settings(max_examples=15, deadline=None)
@given(drawn=tables(max_attributes=2, max_rows=12, max_leaves=4, max_depth=2, max_qids=1))
def test_reaches_the_optimum_of_small_spaces(drawn: DrawnTable) -> None:
    for metric, share in product(METRICS, (0.0, 1.0)):
        asked = policy_of(drawn, share, metric=metric, population=30, evaluations=1500, mutation=0.1)
        release = sfumato.anonymize(table_of(drawn), asked)
        best = naive.optimum(drawn.rows, states_of(drawn), requirement_of(drawn), metric, int(share * len(drawn.rows)))
        assert release.private.facts["cost"] == pytest.approx(best, abs=1e-12)


# ---- through the verbs ---------------------------------------------------------------------------------------------------


def policy(*, k: int = 4, share: float = 0.1, target: bool = True, seed: int = 0, **algorithm: Any) -> dict[str, Any]:
    document = sfumato.Policy.for_dataset(
        DATA,
        requirements=[{"id": "k-anonymity", "k": k}],
        limits={"suppress_at_most": share},
        algorithm={"id": "genetic-algorithm", "population": 30, "evaluations": 400, **algorithm},
        seed=seed,
    ).document()
    if not target:
        for entry in document["columns"].values():
            if entry["role"] == "target":
                entry["role"] = "plain"
    return document


TABLE = sfumato.from_dataset(DATA)


def test_same_seed_same_release_another_seed_another_way() -> None:
    first, again, other = (sfumato.anonymize(TABLE, policy(seed=seed)) for seed in (1, 1, 2))
    assert first.table.to_rows() == again.table.to_rows()
    assert first.private.facts == again.private.facts
    assert first.private.facts["history"] != other.private.facts["history"]


def test_more_evaluations_are_never_worse() -> None:
    costs = [sfumato.anonymize(TABLE, policy(evaluations=n)).private.facts["cost"] for n in (1, 20, 100, 400)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_one_evaluation_masks_everything() -> None:
    release = sfumato.anonymize(TABLE, policy(evaluations=1))
    assert all(len(recoding.published()) == 1 for recoding in release.recodings.values())
    assert release.private.facts["evaluations"] == 1


def test_the_metric_follows_the_target() -> None:
    assert sfumato.anonymize(TABLE, policy()).private.facts["metric"] == "classification-metric"
    assert sfumato.anonymize(TABLE, policy(target=False)).private.facts["metric"] == "loss"
    with pytest.raises(BadRequest, match="role target") as caught:
        sfumato.anonymize(TABLE, policy(target=False, metric="classification-metric"))
    assert caught.value.parameter == "genetic-algorithm.metric"


def test_the_written_files_hold_what_was_promised(tmp_path: Path) -> None:
    release = sfumato.anonymize(TABLE, policy(k=5, share=1.0, metric="loss"))
    assert release.private.facts["suppressed_records"] > 0
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out")


def test_nothing_is_left_out_unless_allowed() -> None:
    release = sfumato.anonymize(TABLE, policy(share=0.0))
    assert release.table.rows == TABLE.rows
    assert release.private.facts["suppressed_records"] == 0


def test_a_deadline_and_patience_stop_early_with_a_valid_table() -> None:
    late = sfumato.anonymize(TABLE, policy(deadline=1e-9))
    assert (late.private.stopped, late.verdict.satisfied) == ("deadline", True)
    tired = sfumato.anonymize(TABLE, policy(patience=50, evaluations=100_000))
    assert (tired.private.stopped, tired.verdict.satisfied) == ("patience", True)
    last = tired.private.facts["history"][-1]["evaluation"]
    assert tired.private.facts["evaluations"] == last + 50


def test_an_interruption_keeps_the_best_so_far() -> None:
    seen: list[float] = []

    def on_step(state: Evolution) -> None:
        seen.append(state.price.cost)
        if len(seen) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    release = sfumato.anonymize(TABLE, policy(), on_step=on_step, accept_interrupted=lambda outcome: True)
    assert release.private.stopped == "interrupted"
    assert release.verdict.satisfied
    assert release.private.facts["cost"] == seen[-1]


def test_progress_is_told() -> None:
    ticks: list[tuple[float, str]] = []

    class Watcher(Silent):
        def tick(self, done: float, note: str = "") -> None:
            ticks.append((done, note))

    sfumato.anonymize(TABLE, policy(evaluations=600), progress=Watcher())
    assert [done for done, note in ticks if note.startswith("cost")] == [256, 512]


# ---- refusals ------------------------------------------------------------------------------------------------------------


def test_more_records_than_there_are_is_infeasible() -> None:
    with pytest.raises(Infeasible):
        sfumato.anonymize(TABLE, policy(k=TABLE.rows + 1))
    task = prepare(TABLE, sfumato.Policy.of(policy())).task()
    hopeless = Task(task.table, task.attributes, [KAnonymity(k=TABLE.rows + 1)], task.target)
    with pytest.raises(Infeasible) as caught:
        GeneticAlgorithm().run(hopeless, Run.seeded(0))
    assert (caught.value.measured, caught.value.bound) == (TABLE.rows, TABLE.rows + 1)


def test_models_that_sizes_do_not_decide_are_refused() -> None:
    document = policy()
    document["columns"]["Class"]["role"] = "sensitive"
    document["requirements"] = [{"id": "l-diversity-distinct", "l": 2, "sensitive": "Class"}]
    with pytest.raises(Unsupported):
        sfumato.anonymize(TABLE, document)
    task = prepare(TABLE, sfumato.Policy.of(policy())).task()
    diverse = Task(task.table, task.attributes, [DistinctLDiversity(l=2, sensitive="Class")], task.target)
    with pytest.raises(Unsupported, match="tdr"):
        GeneticAlgorithm().run(diverse, Run.seeded(0))


def test_large_tables_need_an_explicit_number_of_evaluations() -> None:
    side = 330
    codes = np.stack(np.divmod(np.arange(side * side, dtype=np.int32), side), axis=1).astype(np.int32)
    assert len(codes) > LARGE
    dictionaries = {name: Dictionary(name, tuple(range(side)), np.full(side, side)) for name in "ab"}
    table = CompressedTable(("a", "b"), codes, np.ones(len(codes), np.int64), dictionaries)
    attributes = [Attribute(name, "interval", ColumnType.INTEGER) for name in "ab"]
    task = Task(table, attributes, [KAnonymity(k=5)])
    with pytest.raises(BadRequest, match="must be given") as caught:
        GeneticAlgorithm().run(task, Run.seeded(0))
    assert caught.value.parameter == "genetic-algorithm.evaluations"
    outcome = GeneticAlgorithm(evaluations=5).run(task, Run.seeded(0))
    assert isinstance(outcome, Outcome)


@pytest.mark.parametrize(
    "wrong",
    [{"population": 1}, {"evaluations": 0}, {"mutation": 0}, {"mutation": 1}, {"crossover": 1.1}, {"metric": "iloss"}],
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as caught:
        GeneticAlgorithm(**wrong)
    assert caught.value.parameter == f"genetic-algorithm.{next(iter(wrong))}"


def test_the_symbol_of_suppression_must_not_be_a_value() -> None:
    table = sfumato.from_rows(["a", "class"], [("*", "0"), ("y", "1")])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "algorithm": {"id": "genetic-algorithm"},
    }
    with pytest.raises(BadRequest, match="stands for suppressed") as caught:
        sfumato.anonymize(table, asked)
    assert caught.value.column == "a"


def test_a_range_that_does_not_hold_the_numbers_is_refused() -> None:
    dictionary = Dictionary("a", (1, 9), np.ones(2, np.int64))
    table = CompressedTable(("a",), np.array([[0], [1]], np.int32), np.ones(2, np.int64), {"a": dictionary})
    task = Task(table, [Attribute("a", "interval", ColumnType.INTEGER, range=(2, 9))], [KAnonymity(k=1)])
    with pytest.raises(BadRequest, match="outside its declared range"):
        GeneticAlgorithm().run(task, Run.seeded(0))
