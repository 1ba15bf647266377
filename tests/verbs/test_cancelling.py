"""Cancelling from another thread, deadlines and bounds on memory: work ends within a step and leaves nothing behind."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.catalogue import find, ids
from sfumato.contracts.progress import Silent
from sfumato.contracts.run import Run
from sfumato.datasets import patients
from sfumato.engines import duckdb_session
from sfumato.errors import Cancelled, Infeasible
from sfumato.tables.open import open_table

TREES = {
    "a": {"ANY": {"A": ["a0", "a1"], "B": ["a2", "a3"], "C": ["a4"]}},
    "b": {"ANY": {"A": ["b0", "b1"], "B": ["b2"], "C": ["b3"]}},
    "c": {"ANY": {"A": ["c0", "c1"], "B": ["c2"]}},
}
TABLE = sfumato.from_rows(
    ["a", "b", "c", "d"],
    [(f"a{i * i // 3 % 5}", f"b{i * i // 5 % 4}", f"c{i * i // 7 % 3}", f"d{i % 2}") for i in range(50)],
)
ANYTIME = ["tdr", "optimal", "mondrian", "genetic-algorithm", "k-optimize", "l-plus-optimize", "hdtds"]
OTHERS = ["incognito", "mingen", "datafly", "samarati-binary-search", "bottom-up-generalization", "mdav"]


def policy(algorithm: str, **more: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}
        for name, tree in TREES.items()
    }
    columns["d"] = {"role": "target"}
    own: dict[str, Any] = {"require_beneficial": False} if algorithm == "tdr" else {}
    return {
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "algorithm": {"id": algorithm, **own, **more.pop("own", {})},
        **more,
    }


def from_another_thread(run: Run) -> None:
    thread = threading.Thread(target=run.cancel.set)
    thread.start()
    thread.join()


class Cancelling(Silent):
    """Has another thread cancel at a moment, and counts what is told afterwards."""

    def __init__(self, *, at_stage: str | None = None, at_tick: int | None = None) -> None:
        self.run = Run(progress=self)
        self.at_stage, self.at_tick = at_stage, at_tick
        self.stages: list[str] = []
        self.ticks = self.later = 0

    def stage(self, name: str, total: float | None = None) -> None:
        self.later += self.run.cancel.is_set()
        self.stages.append(name)
        if self.at_stage is not None and name.startswith(self.at_stage):
            from_another_thread(self.run)

    def tick(self, done: float, note: str = "") -> None:
        self.later += self.run.cancel.is_set()
        if self.at_tick is not None and self.stages[-1].startswith("searching") and not note.startswith("no valid"):
            if self.ticks == self.at_tick:
                from_another_thread(self.run)
            self.ticks += 1


# ---- cancelling ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ANYTIME)
def test_a_search_ends_within_a_step_and_nothing_is_made(algorithm: str) -> None:
    watch = Cancelling(at_stage="searching")
    with pytest.raises(Cancelled):
        sfumato.anonymize(TABLE, policy(algorithm), run=watch.run)
    assert watch.later <= 1, "one step at most was told after it"
    assert watch.stages[-1].startswith("searching")
    assert watch.run.cancel.is_set(), "whoever holds the token sees that it was set"


@pytest.mark.parametrize("algorithm", ["tdr", "optimal", "mondrian", "k-optimize"])
def test_what_was_reached_is_published_if_somebody_accepts_it(algorithm: str, tmp_path: Path) -> None:
    watch = Cancelling(at_tick=0)
    release = sfumato.anonymize(TABLE, policy(algorithm), run=watch.run, accept_interrupted=lambda outcome: True)
    assert release.private.stopped == "interrupted"
    assert release.verdict.satisfied
    assert sfumato.verify(sfumato.publish(release, tmp_path / "out", run=watch.run), run=watch.run)


@pytest.mark.parametrize("algorithm", OTHERS)
def test_what_has_no_state_on_the_way_is_cancelled_too(algorithm: str) -> None:
    limits = {"limits": {"suppress_at_most": 0.1}} if find(algorithm, "algorithm").traits.suppresses_records else {}  # type: ignore[attr-defined]
    watch = Cancelling(at_stage="searching")
    with pytest.raises(Cancelled):
        sfumato.anonymize(TABLE, policy(algorithm, **limits), run=watch.run)
    assert watch.later == 0
    assert watch.stages[-1].startswith("searching")


@pytest.mark.parametrize("stage", ["writing", "attacking", "reporting"])
def test_publishing_leaves_nothing(stage: str, tmp_path: Path) -> None:
    release, watch = sfumato.anonymize(TABLE, policy("tdr")), Cancelling(at_stage=stage)
    with pytest.raises(Cancelled):
        sfumato.publish(release, tmp_path / "out", run=watch.run)
    assert list(tmp_path.iterdir()) == []


def test_an_audit_ends_before_the_next_attack() -> None:
    release, watch = sfumato.anonymize(TABLE, policy("tdr")), Cancelling(at_stage="attacking")
    with pytest.raises(Cancelled):
        sfumato.audit(release, run=watch.run)
    assert watch.later == 0


def test_a_check_ends_before_the_next_requirement() -> None:
    judged: list[str] = []

    class Watch(Cancelling):
        def tick(self, done: float, note: str = "") -> None:
            judged.append(note)
            from_another_thread(self.run)

    asked = [{"id": "k-anonymity", "k": 2}, {"id": "l-diversity-distinct", "l": 2, "sensitive": "d"}]
    with pytest.raises(Cancelled):
        sfumato.check(TABLE, asked, qid=["a", "b"], run=Watch().run)
    assert judged == ["k-anonymity"]


def cancelled() -> Run:
    run = Run()
    run.cancel.set()
    return run


def test_every_verb_asks_before_it_begins(tmp_path: Path) -> None:
    release = sfumato.anonymize(TABLE, policy("tdr"))
    folder = sfumato.publish(release, tmp_path / "out")
    run = cancelled()
    for work in (
        lambda: sfumato.apply(release, TABLE.select(["a", "b", "c", "d"]), run=run),
        lambda: sfumato.audit(release, run=run),
        lambda: sfumato.check(TABLE, {"id": "k-anonymity", "k": 2}, qid=["a"], run=run),
        lambda: sfumato.classification_utility(TABLE, release, target="d", run=run),
        lambda: sfumato.cluster_utility(TABLE, release, clusters=2, run=run),
        lambda: sfumato.compare(TABLE, policy("tdr"), run=run),
        lambda: sfumato.detect(TABLE, run=run),
        lambda: sfumato.draft(TABLE, run=run),
        lambda: sfumato.explore(TABLE, policy("optimal"), run=run),
        lambda: sfumato.measure(TABLE, release, run=run),
        lambda: sfumato.perturb(TABLE, {"id": "rank-swapping", "column": "a", "p": 5}, seed=1, run=run),
        lambda: sfumato.profile(TABLE, run=run),
        lambda: sfumato.recode(TABLE, {"a": {"id": "value-suppression"}}, run=run),
        lambda: sfumato.release(TABLE, "anatomy-pair", groups="b", qid="a", sensitive="d", run=run),
        lambda: sfumato.report(folder, run=run),
        lambda: sfumato.safe_harbor(TABLE, run=run),
        lambda: sfumato.tabulate(TABLE, "a", min_size=2, run=run),
        lambda: sfumato.three_questions(TABLE, policy("tdr"), run=run),
        lambda: sfumato.utility_against_k(TABLE, policy("tdr"), [2], run=run),
        lambda: sfumato.verify(folder, run=run),
    ):
        with pytest.raises(Cancelled):
            work()  # type: ignore[no-untyped-call]


# ---- deadlines -------------------------------------------------------------------------------------------------------------


class Ticking:
    """A clock that shows one second more each time somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.mark.parametrize("algorithm", ANYTIME)
def test_a_deadline_of_the_run_ends_a_search_with_a_valid_state(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = policy(algorithm, own={"evaluations": 60} if algorithm == "genetic-algorithm" else {})
    ended: list[str | None] = []
    for seconds in range(0, 400, 1 if algorithm == "optimal" else 4):
        monkeypatch.setattr("sfumato.contracts.run.monotonic", Ticking())
        try:
            release = sfumato.anonymize(TABLE, asked, run=Run().within(seconds))
        except Infeasible:
            assert algorithm == "optimal", "only a search for levels begins without a valid state"
            continue
        assert release.verdict.satisfied
        ended.append(release.private.stopped)
        if release.private.stopped is None:
            break
    assert "deadline" in ended
    assert ended[-1] is None


def test_the_earlier_deadline_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.contracts.run.monotonic", Ticking())
    for own, given in ((1000.0, 0.0), (0.5, 1000.0)):
        asked = policy("tdr", own={"deadline": own})
        assert sfumato.anonymize(TABLE, asked, run=Run().within(given)).private.stopped == "deadline"


@pytest.mark.parametrize("algorithm", ["incognito", "bottom-up-generalization"])
def test_what_has_no_state_on_the_way_has_nothing_to_show_when_time_is_over(algorithm: str) -> None:
    with pytest.raises(Cancelled, match="the time that was given is over"):
        sfumato.anonymize(TABLE, policy(algorithm), run=Run().within(0))


def test_exploring_ends_with_the_best_choices_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.contracts.run.monotonic", Ticking())
    monkeypatch.setattr("sfumato.algorithms.lattice._explored.DRAWN", 0)
    found = sfumato.explore(TABLE, policy("optimal"), ks=(), run=Run().within(8))
    assert found.solutions
    assert not found.complete


# ---- what is left behind -----------------------------------------------------------------------------------------------------


def test_databases_and_their_folders_go_with_the_tables(tmp_path: Path) -> None:
    data = tmp_path / "patients.csv"
    patients().write_csv(data)
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    engine = {"id": "duckdb", "directory": str(rooms)}
    asked = sfumato.Policy.for_dataset(patients(), requirements=[{"id": "k-anonymity", "k": 2}], engine=engine)
    held = len(duckdb_session._HANDED_OUT)
    release = sfumato.anonymize(data, asked)
    assert list(rooms.iterdir())
    sfumato.publish(release, tmp_path / "out", input_path=data)
    with pytest.raises(Cancelled):
        sfumato.anonymize(data, asked, run=Cancelling(at_stage="recoding").run)
    sfumato.perturb(data, {"id": "rank-swapping", "column": "Age", "p": 50}, seed=1, engine=engine)
    del release
    gc.collect()
    assert list(rooms.iterdir()) == []
    assert len(duckdb_session._HANDED_OUT) == held


@pytest.mark.parametrize(("own", "wanted"), [({}, "95.3 MiB"), ({"memory_limit": "64MiB"}, "64.0 MiB")])
def test_a_bound_on_memory_reaches_the_database(own: dict[str, str], wanted: str, tmp_path: Path) -> None:
    data = tmp_path / "patients.csv"
    patients().write_csv(data)
    table: Any = open_table(data, engine={"id": "duckdb", **own}, run=Run(memory=100_000_000))
    assert table._session.run("SELECT current_setting('memory_limit')") == [(wanted,)]
    assert open_table(data, run=Run(memory=100_000_000)).rows == table.rows


def test_anytime_is_what_stops_with_a_state() -> None:
    known = {name for name in ids("algorithm", "table") if find(name, "algorithm").traits.anytime}  # type: ignore[attr-defined]
    assert {*ANYTIME} <= known
    assert not {*OTHERS} & known
