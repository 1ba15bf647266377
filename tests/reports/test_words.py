"""Sentences are made from numbers and agree with them."""

from __future__ import annotations

import pytest

from sfumato.contracts.certificate import RequirementEntry
from sfumato.reports.words import asked, counted, ending, jointly, listing, number, percent, printable, promise


def _entry(measured: int | None, columns: list[str], k: int = 5) -> RequirementEntry:
    return RequirementEntry(
        model="k-anonymity",
        parameters={"k": k},
        quasi_identifier=tuple(columns),
        satisfied=measured is not None and measured >= k,
        measured=measured,
        needed=f">= {k}",
        groups=1,
        records=10,
        adversary="knows these columns",
    )


@pytest.mark.parametrize(
    ("measured", "columns", "sentence"),
    [
        (
            7,
            ["zip", "age", "sex"],
            "Every record looks like at least 6 others on zip, age and sex: an adversary who knows these values of a "
            "person finds that person's record with a chance of at most 1 in 7.",
        ),
        (
            2,
            ["zip"],
            "Every record looks like at least 1 other on zip: an adversary who knows this value of a person finds that "
            "person's record with a chance of at most 1 in 2.",
        ),
        (
            1,
            ["zip"],
            "At least one record looks like no other on zip: an adversary who knows this value of that person finds the "
            "record for certain.",
        ),
        (None, ["zip"], "No record is published."),
    ],
)
def test_promise(measured: int | None, columns: list[str], sentence: str) -> None:
    assert promise(_entry(measured, columns)) == sentence


def test_asked_counts_the_others() -> None:
    assert asked(_entry(7, ["zip"], k=5)).endswith("with at least 4 others")


@pytest.mark.parametrize(
    ("sets", "told"), [([["a", "b"]], False), ([["a"], ["b"]], True), ([["a"], ["b", "a"]], False), ([["a"]], True)]
)
def test_jointly_speaks_up_only_if_no_requirement_covers_all(sets: list[list[str]], told: bool) -> None:
    assert (jointly([_entry(5, columns) for columns in sets], ["a", "b"], 3) is not None) is told


def test_jointly_tells_the_chance() -> None:
    entries = [_entry(5, ["a"])]
    assert str(jointly(entries, ["a", "b"], 3)).endswith("with a chance of 1 in 3")
    assert str(jointly(entries, ["a", "b"], 1)).endswith("for certain")


def test_long_lists_and_texts_are_cut() -> None:
    names = [f"c{i}" for i in range(30)]
    assert listing(names).endswith("c10 and 19 more columns")
    assert listing(["a"]) == "a"
    assert listing([]) == ""
    assert printable("x" * 300) == "x" * 199 + "…"


def test_unseen_signs_are_shown() -> None:
    assert printable("a\nb\x00c\u202ed") == "a·b·c·d"
    assert printable("  ") == "(empty)"


def test_numbers() -> None:
    assert number(None) == "–"
    assert number(12404.18) == "12,404"
    assert number(1e300) == f"{1e300:,.0f}"
    assert percent(0, 10) == "0.0 %"
    assert percent(10, 10) == "100.0 %"
    assert percent(1, 0) == "0.0 %"
    assert counted(0, "group") == "0 groups"


def test_an_early_end_is_told() -> None:
    assert "stopped early" in ending("deadline")
    assert "stopped early" in ending("a reason nobody thought of")
    assert "stopped early" not in ending("no step was left")
