"""A run: what ends it, what it passes on, and that every long verb takes one."""

from __future__ import annotations

import inspect
import multiprocessing
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.contracts.progress import Silent
from sfumato.contracts.run import Cancel, Run, keyboard
from sfumato.errors import BadRequest, Cancelled

LONG = [
    "anonymize",
    "apply",
    "attack",
    "audit",
    "check",
    "check_results",
    "classification_utility",
    "cluster_utility",
    "compare",
    "detect",
    "dossier",
    "draft",
    "explore",
    "marginals",
    "measure",
    "perturb",
    "profile",
    "publish",
    "recode",
    "release",
    "report",
    "safe_harbor",
    "sign",
    "survey_utility",
    "tabulate",
    "three_questions",
    "utility_against_k",
    "verify",
]


class Watcher(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def stage(self, name: str, total: float | None = None) -> None:
        self.told.append((name, total))

    def tick(self, done: float, note: str = "") -> None:
        self.told.append((done, note))


@pytest.mark.parametrize("name", LONG)
def test_every_long_verb_takes_a_run(name: str) -> None:
    parameter = inspect.signature(getattr(sfumato, name)).parameters["run"]
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
    assert parameter.default is None


def test_no_other_verb_takes_long() -> None:
    verbs = [name for name in sfumato.__all__ if inspect.isfunction(getattr(sfumato, name))]
    quick = {"advise", "anatomy_groups", "describe", "from_dataset", "from_rows", "read"}
    assert sorted({*verbs} - quick) == LONG


def test_a_run_that_nobody_watches_goes_on() -> None:
    run = Run()
    assert run.stopping() is None
    run.checkpoint()
    run.stage("reading", 3)
    run.tick(1, "a")
    assert run.on_step is run.memory is run.deadline is None


def test_stages_and_ticks_are_told_until_somebody_cancels() -> None:
    watcher = Watcher()
    run = Run(progress=watcher)
    run.stage("reading", 2)
    run.tick(1, "half")
    run.cancel.set()
    assert run.stopping() == "interrupted"
    for going_on in (run.checkpoint, lambda: run.stage("next"), lambda: run.tick(2)):
        with pytest.raises(Cancelled, match="interrupted: nothing was written") as caught:
            going_on()
        assert (caught.value.exit_code, caught.value.reason) == (130, "interrupted")
    assert watcher.told == [("reading", 2), (1, "half")]
    run.cancel.clear()
    run.checkpoint()


def test_the_earlier_of_two_deadlines_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("sfumato.contracts.run.monotonic", lambda: now[0])
    run = Run().within(10).within(60)
    assert run.deadline == 110.0
    assert run.within(None) is run
    assert run.within(5).deadline == 105.0
    now[0] = 109.9
    assert run.stopping() is None
    now[0] = 110.0
    assert run.stopping() == "deadline"
    with pytest.raises(Cancelled, match="the time that was given is over"):
        run.checkpoint()
    assert run.without_deadline().stopping() is None
    run.cancel.set()
    assert run.stopping() == "interrupted", "a wish comes before the clock"


def test_parts_share_token_generator_and_deadline() -> None:
    run = Run(progress=Watcher(), on_step=lambda state: None, memory=5).within(60)
    part = run.part()
    assert isinstance(part.progress, Silent)
    assert not isinstance(part.progress, Watcher)
    assert part.on_step is None
    assert (part.cancel, part.rng, part.deadline, part.memory) == (run.cancel, run.rng, run.deadline, 5)
    rng = np.random.default_rng(3)
    assert run.with_rng(rng).rng is rng
    assert run.with_rng(rng).cancel is run.cancel
    assert Run.seeded(4).rng.integers(1000) == np.random.default_rng(4).integers(1000)


def test_progress_alone_is_short_for_a_run() -> None:
    watcher, run = Watcher(), Run(memory=7)
    assert Run.of(run) is run
    assert Run.of(None, watcher).progress is watcher
    assert Run.of(run, watcher) is not run
    assert (Run.of(run, watcher).memory, Run.of(run, watcher).progress) == (7, watcher)
    assert Run().cancel is not Run().cancel, "nobody cancels the run of somebody else"


def test_another_process_can_hold_the_token() -> None:
    flag = multiprocessing.get_context("spawn").Event()
    run = Run(cancel=Cancel(flag))
    assert run.stopping() is None
    flag.set()
    assert run.stopping() == "interrupted"


# ---- Ctrl-C ----------------------------------------------------------------------------------------------------------------


def test_the_first_press_sets_the_token_and_the_second_is_obeyed_at_once() -> None:
    before, cancel = signal.getsignal(signal.SIGINT), Cancel()
    with keyboard(cancel) as pressed:
        assert not pressed.is_set()
        signal.raise_signal(signal.SIGINT)
        assert pressed.is_set()
        assert cancel.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert not cancel.is_set(), "the next work begins afresh"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_token_that_others_set_stays_set() -> None:
    cancel = Cancel()
    with keyboard(cancel) as pressed:
        cancel.set()
    assert cancel.is_set()
    assert not pressed.is_set()


def test_other_threads_leave_signals_alone() -> None:
    before, seen = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with keyboard(Cancel()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_deadline_is_a_moment_of_the_monotonic_clock() -> None:
    begun = monotonic()
    deadline = Run().within(30).deadline
    assert deadline is not None
    assert begun + 30 <= deadline <= monotonic() + 30
    assert replace(Run(), deadline=begun).stopping() == "deadline"


@pytest.mark.parametrize(("given", "why"), [({"progress": []}, "stage and tick"), ({"run": 7}, "must be a Run")])
def test_what_cannot_watch_is_refused_in_words(given: dict[str, Any], why: str) -> None:
    table = sfumato.from_rows(["age", "sick"], [(20, "no"), (20, "yes"), (30, "no"), (30, "yes")])
    policy = {
        "columns": {"age": {"role": "quasi-identifier"}, "sick": {"role": "sensitive"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    verbs: list[Callable[..., object]] = [
        partial(sfumato.anonymize, table, policy),
        partial(sfumato.attack, table, "attacker-risk", qid=["age"]),
        partial(sfumato.audit, table, qid=["age"]),
        partial(sfumato.explore, table, policy),
        partial(sfumato.three_questions, table, policy),
    ]
    for verb in verbs:
        with pytest.raises(BadRequest, match=why):
            verb(**given)
