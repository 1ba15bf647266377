"""Malformed requests through the command line, in this process: the first of those that ``make trial`` runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from .trial import stocked, try_one

CASES, SEED, PART = 150, 16, 15
FOUND = (604, 719, 1234, 1415, 1574, 1859, 1949)  # what a trial once found


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stocked(tmp_path_factory.mktemp("stock"))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, CASES, PART))
def test_malformed_requests_are_refused_in_words_and_leave_nothing(first: int, stock: Path) -> None:
    wrong = {}
    for number in range(first, first + PART):
        asked, _, found = try_one(SEED, number, stock)
        if found:
            wrong[number] = (asked.argv, found)
    assert wrong == {}


@pytest.mark.parametrize("number", FOUND)
def test_what_was_found_stays_mended(number: int, stock: Path) -> None:
    assert try_one(SEED, number, stock)[2] == []
