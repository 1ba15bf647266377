"""The naive twin of Bottom-Up Generalization against the worked examples, straight from the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oracles.naive_bug import naive_bug

GOLDEN = Path(__file__).parents[1] / "golden"


def read(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    document = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return document["input"], document["expected"]


def test_the_whole_trace() -> None:
    given, expected = read("02-bottom-up-generalization-1")
    rows = [tuple(row) for row in given["table"]["rows"]]
    found = naive_bug(
        rows, given["table"]["columns"], given["taxonomies"], given["class"], [(tuple(given["qid"]), given["k"])]
    )
    assert [step["value"] for step in found.trace] == [step["chosen"] for step in expected["trace"]]
    for ours, theirs in zip(found.trace, expected["trace"], strict=True):
        for one, other in zip(ours["candidates"], theirs["candidates"], strict=True):
            assert (one["value"], one["gain"], one["critical"]) == (other["value"], other["pg"], other["critical"])
            assert one["cost"] == pytest.approx(other["il"], abs=5.1e-7)
    assert found.smallest[-1] == {("Edu", "Sex"): expected["min_group_size"]}


def test_the_example_of_the_paper() -> None:
    given, expected = read("03-bug-metric-1")
    columns = given["table"]["columns"][:-1]
    rows = [tuple(row[:-1]) for row in given["table"]["rows"] for _ in range(row[-1])]
    found = naive_bug(rows, columns, given["taxonomies"], "Class", [(tuple(given["vid"]), given["K"])])
    assert [step["value"] for step in found.trace] == [expected["best"]]
    for candidate in found.trace[0]["candidates"]:
        wanted = expected["metrics"][candidate["value"]]
        assert candidate["cost"] == pytest.approx(wanted["I"], abs=1e-6)
        assert candidate["gain"] == wanted["P"]
        assert candidate["score"] == (None if wanted["IP"] is None else pytest.approx(wanted["IP"], abs=1e-6))
