"""The bound on memory of a run reaches every table that is opened on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.engines import duckdb_engine
from sfumato.engines.duckdb_session import Bounds, Session

BOUND = 400_000_000
POLICY: dict[str, Any] = {
    "columns": {"age": {"role": "quasi-identifier"}, "job": {"role": "sensitive"}, "old": {"role": "target"}},
    "requirements": [{"id": "k-anonymity", "k": 5}],
    "engine": "duckdb",
}

LEVELS = {
    "age": {"role": "quasi-identifier", "hierarchy": {"id": "intervals", "lower": 20, "width": 10, "fan_out": [2, 2]}}
}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    lines = [f"{20 + n % 40},{('cook', 'nurse')[n % 2]},{('no', 'yes')[n % 40 > 20]}" for n in range(300)]
    path.write_text("age,job,old\n" + "\n".join(lines))
    return path


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Return the bounds of all sessions that are opened from here on."""
    seen: list[str | None] = []

    def opened(bounds: Bounds) -> Session:
        seen.append(bounds["memory_limit"])
        return Session(bounds)

    monkeypatch.setattr(duckdb_engine, "Session", opened)
    return seen


VERBS: dict[str, Callable[[Path, Path, Run], object]] = {
    "anonymize": lambda data, out, run: sfumato.publish(
        sfumato.anonymize(data, POLICY, run=run), out.with_name("new"), run=run
    ),
    "verify": lambda data, out, run: sfumato.verify(out, engine="duckdb", run=run),
    "check": lambda data, out, run: sfumato.check(data, policy=POLICY, run=run),
    "measure": lambda data, out, run: sfumato.measure(data, out, policy=POLICY, run=run),
    "release": lambda data, out, run: sfumato.release(
        data, "histogram-release", qid="age", cuts={"age": [10, 30, 70]}, engine="duckdb", run=run
    ),
    "report": lambda data, out, run: sfumato.report(out, raw=data, run=run),
    "classification_utility": lambda data, out, run: sfumato.classification_utility(
        data, out, policy=POLICY, classifiers=["naive-bayes"], run=run
    ),
    "explore": lambda data, out, run: sfumato.explore(data, POLICY | {"columns": POLICY["columns"] | LEVELS}, run=run),
    "compare": lambda data, out, run: sfumato.compare(data, POLICY, algorithms=["tdr", "mondrian"], run=run),
    "profile": lambda data, out, run: sfumato.profile(str(data), engine="duckdb", run=run),
    "three_questions": lambda data, out, run: sfumato.three_questions(data, POLICY, attempts=20, run=run),
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_table_is_opened_without_the_bound(
    verb: str, people: Path, tmp_path: Path, limits: list[str | None]
) -> None:
    out = sfumato.publish(sfumato.anonymize(people, {**POLICY, "engine": "polars"}), tmp_path / "out")
    # What a folder keeps says where rows live.
    kept = out / "private" / "policy.yaml"
    kept.write_text(kept.read_text() + "engine: duckdb\n")
    assert not limits
    VERBS[verb](people, out, Run(memory=BOUND))
    assert limits
    assert set(limits) == {f"{BOUND}B"}
