"""Whatever the numbers are, what is published holds its record: labels are read by plain code, in exact numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import sfumato
from sfumato.errors import BadRequest

LARGE = 2**53
NUMBERS: dict[str, list[Any]] = {
    "above what floats tell apart": [LARGE + 1 + 2 * at for at in range(8)],
    "neighbours": [LARGE + step for step in (0, 1, 1, 2, 2, 3, 3, 4)],
    "nanoseconds since 1970": [1_700_000_000_000_000_001 + 7 * at for at in range(8)],
    "largest": [2**63 - 1 - at for at in range(8)],
    "smallest": [-(2**63) + at for at in range(8)],
    "both ends": [-(2**63), -(2**63) + 1, -1, 0, 1, 2, 2**63 - 2, 2**63 - 1],
    "large fractions": [1e300 * at for at in range(1, 9)],
    "small fractions": [5e-324 * at for at in range(1, 9)],
    "close fractions": [1 + at * 2.2e-16 for at in range(8)],
}
SEARCHES = [
    *("k-optimize", "mondrian", "tdr", "genetic-algorithm", "infogain-mondrian"),
    *("local-recoding-greedy", "progressive-local-recoding", "bottom-up-generalization"),
]
NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"


def holds(label: object, value: object) -> bool:
    """Tell whether a published text stands for a number."""
    text, number = str(label), Fraction(value)  # type: ignore[arg-type]
    if text == "*":
        return True
    found = re.fullmatch(rf"\[({NUMBER})(?:-|\.\.)({NUMBER})([)\]])", text)
    if found is None:
        return read(text) == number
    low, high = read(found[1]), read(found[2])
    return low <= number < high or (found[3] == "]" and number == high)


def read(text: str) -> Fraction:
    """Read a number: digits are exact, anything else is the nearest float, as it was written."""
    return Fraction(int(text)) if text.lstrip("-").isdecimal() else Fraction(float(text))


def asked(search: str, **columns: Any) -> dict[str, Any]:
    roles = {name: {"role": "quasi-identifier"} for name in ("x", "y")} | {"who": {"role": "sensitive"}} | columns
    if search in ("tdr", "infogain-mondrian", "bottom-up-generalization"):
        roles["c"] = {"role": "target"}
    algorithm = {"id": search} | ({"evaluations": 200, "population": 20} if search == "genetic-algorithm" else {})
    return {"columns": roles, "requirements": [{"id": "k-anonymity", "k": 2}], "algorithm": algorithm, "seed": 1}


def table(values: list[Any]) -> pl.DataFrame:
    people = [f"person {at}" for at in range(len(values))]
    return pl.DataFrame({"x": values, "y": [1, 1, 2, 2, 3, 3, 4, 4], "who": people, "c": ["a", "a", "b", "b"] * 2})


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_what_is_published_holds_its_record(search: str, numbers: str) -> None:
    raw = table(NUMBERS[numbers])
    columns = raw.columns if "target" in str(asked(search)) else raw.columns[:-1]
    policy = asked(search)
    if search == "bottom-up-generalization":
        held = sorted(NUMBERS[numbers])
        policy["columns"]["x"]["hierarchy"] = {"id": "intervals", "edges": [held[0], held[4], held[-1]]}
        policy["columns"]["y"]["hierarchy"] = {"id": "intervals", "edges": [1, 3, 4]}
    release = sfumato.anonymize(raw.select(columns), policy)
    shown = {row[columns.index("who")]: row for row in release.table.to_rows()}
    assert len(shown) == 8
    for x, y, who, *_ in raw.iter_rows():
        assert holds(shown[who][0], x), (x, shown[who][0])
        assert holds(shown[who][1], y)
    known = raw.select("who", "x", "y")
    linked = sfumato.attack(release, "linking-attack", external=known, name="who", qid=["x", "y"])
    assert linked.details["linked"] == 8


@pytest.mark.parametrize("search", ["k-optimize", "mondrian", "tdr"])
def test_infinite_numbers_are_refused_in_words(search: str) -> None:
    raw = table([1.0, 2.0, float("inf"), float("-inf"), 3.0, 4.0, 5.0, 6.0])
    policy = asked(search)
    columns = raw.columns if "target" in str(policy) else raw.columns[:-1]
    with pytest.raises(BadRequest, match="infinite"):
        sfumato.anonymize(raw.select(columns), policy)
