"""The world-counting oracles against worked values."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from .naive_worlds import (
    assignment_posterior,
    breach,
    free_form,
    lkc,
    max_disclosure,
    publisher_credibility,
    share_over_worlds,
    skyline_confidence,
    worlds,
)

GOLDEN = Path(__file__).parent.parent / "golden"


def opened(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    document = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return document["input"], document["expected"]


def test_worlds_are_the_distinct_arrangements() -> None:
    assert len(worlds([["a", "a", "b"], ["c", "d"]])) == 3 * 2
    assert ("a", "b", "a", "d", "c") in worlds([["a", "a", "b"], ["c", "d"]])


@pytest.mark.parametrize("L", [1, 2, 3])
def test_combinations(L: int) -> None:
    given, wanted = opened("01-lkc-privacy-2")
    smallest, surest = lkc(given["table"]["rows"], range(3), L, 3, ["s"])
    assert smallest == wanted["min_group"][str(L)]
    assert float(surest) == wanted["max_confidence"][str(L)]


def test_free_form_attacks() -> None:
    given, wanted = opened("01-ff-anonymity-1")
    hidden = {(1, "HIV"), (2, "low")}
    found = [free_form(given["table"]["rows"], at, value, hidden)[0] for at, value in sorted(hidden)]
    assert [float(chance) for chance in found] == pytest.approx(list(wanted["max_probability"].values()))


@pytest.mark.parametrize("reading", ["union", "max_leaf"])
def test_breaches(reading: str) -> None:
    given, wanted = opened("01-personalized-privacy-1")
    below = {"Infectious": {"HIV", "SARS"}, "Respiratory": {"Flu", "Asthma"}}
    for variant, values in given["parameters"]["variants"].items():
        found = [
            0 if node is None else breach(values, node, lambda label: below.get(label, {label}), reading)
            for _, _, node in given["table"]["rows"]
        ]
        assert found == wanted[variant][reading]


def test_disclosure() -> None:
    given, wanted = opened("01-background-knowledge-safety-1")
    buckets = [bucket["values"] for bucket in given["buckets"]]
    for k in (0, 1):
        assert float(max_disclosure(buckets, k)) == pytest.approx(wanted["max_disclosure"][str(k)])


def test_skyline() -> None:
    given, wanted = opened("01-skyline-privacy-1")
    buckets = [bucket["values"] for bucket in given["buckets"]]
    for triplet in given["parameters"]["triplets"]:
        found = max(skyline_confidence(buckets, "HIV", *triplet))
        assert float(found) == pytest.approx(wanted["max_confidence"][str(tuple(triplet))])
    assert skyline_confidence([["a", "b"]], "a", 0, 0, 1, "equality") == [Fraction(1, 2)]
    assert skyline_confidence([["a", "a", "b", "c"]], "a", 0, 0, 1, "equality") == [1]


def test_shares() -> None:
    given, wanted = opened("01-privacy-maxent-1")
    found = share_over_worlds([(bucket["qi"], bucket["sensitive"]) for bucket in given["buckets"]])
    assert found == wanted["without_knowledge"]


def test_weighted_assignments() -> None:
    _, wanted = opened("01-skyline-bt-privacy-1")
    prior = [
        {"Flu": Fraction(4, 7), "HIV": Fraction(3, 7)},
        {"Flu": Fraction(3, 5), "HIV": Fraction(2, 5)},
    ]
    found = assignment_posterior(prior, ["Flu", "HIV"])
    for record, expected in zip(found, wanted["exact_posterior"][:2], strict=True):
        assert {value: float(chance) for value, chance in record.items()} == pytest.approx(expected)


def test_what_a_publisher_gives_away() -> None:
    given, wanted = opened("01-attack-minimality-1")
    jobs = [job for _, job, _ in given["external"]["rows"]]
    values = [row[2] for row in given["published"]["rows"]]

    def breaks(pairs: list[tuple[Any, Any]]) -> bool:
        having = Counter(job for job, value in pairs if value == "HIV")
        return any(having[job] > Fraction(6, 10) * count for job, count in Counter(j for j, _ in pairs).items())

    before, after, believed = publisher_credibility([(jobs, values)], breaks)
    assert (before, after) == (wanted["worlds_before"], wanted["worlds_after"])
    found = [float(chances.get("HIV", 0)) for chances in believed]
    assert found == [wanted["credibility_HIV"][name] for name, *_ in given["external"]["rows"]]
