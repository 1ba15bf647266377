"""Schedules, flags and frequency blocks by themselves."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from sfumato.algorithms.owners._qidb import (
    FrequencyBlock,
    alternating_chain,
    chain_rounds,
    check_frequency,
    complete,
    deviations,
    frequency_distribution_block,
    height_rounds,
    may_complete,
    may_suppress,
    minimal_completions,
    owner_flags,
)
from sfumato.errors import BadRequest, Unsupported

WHOLE = FrequencyBlock(("Gastric ulcer", "Stomach cancer", "Flu", "Heart Disease"), (1, 2, 5, 2))


def test_rounds_by_height_hold_every_node_once() -> None:
    rounds = height_rounds((2, 1, 3))
    assert [sum(node) for nodes in rounds for node in nodes] == sorted(
        sum(n) for n in product(range(3), range(2), range(4))
    )
    assert all(nodes == sorted(nodes) for nodes in rounds)
    assert len(rounds) == 7
    assert height_rounds((2, 1, 3), 2) == rounds[:2]
    assert height_rounds((2, 1, 3), 99) == rounds


def test_a_lattice_without_end_is_refused() -> None:
    with pytest.raises(Unsupported, match="chain"):
        height_rounds((9,) * 9)


def test_chains() -> None:
    assert alternating_chain((2, 1)) == [(0, 0), (1, 0), (1, 1), (2, 1)]
    assert chain_rounds([[0, 0], [0, 1]], (1, 1), 1) == [[(0, 0)]]
    for wrong in ([], [[0]], [[0, 2]], [[-1, 0]], [[1, 0], [0, 1]]):
        with pytest.raises(BadRequest) as error:
            chain_rounds(wrong, (1, 1))
        assert error.value.parameter == "chain"


def test_flags_take_the_safe_side_and_say_so() -> None:
    flags = owner_flags(["Cancer", "Cancer", "Cancer", "Flu", "Flu"], {"Cancer": 1, "Flu": 0}, [0, 1, None, 0, 1])
    assert flags.sdf.tolist() == [0, 1, 0, 1, 1]
    assert flags.protected.tolist() == [True, False, True, False, False]
    assert (flags.unanswered, flags.ignored) == (1, 1)
    assert len(flags.warnings()) == 2
    again = owner_flags(["Cancer", "Cancer", "Cancer", "Flu", "Flu"], {"Cancer": 1, "Flu": 0}, flags.sdf.tolist())
    assert again.sdf.tolist() == flags.sdf.tolist()
    assert not again.warnings()


@pytest.mark.parametrize("wrong", [2, -1, 0.5, "yes", "", [0]])
def test_flags_and_weights_are_zero_or_one(wrong: Any) -> None:
    with pytest.raises(BadRequest, match="0 or 1"):
        owner_flags(["Cancer"], {"Cancer": 1}, [wrong])
    with pytest.raises(BadRequest, match="0 or 1"):
        owner_flags(["Cancer"], {"Cancer": wrong})


def test_values_without_a_weight_are_listed() -> None:
    with pytest.raises(BadRequest, match="2 sensitive values have no weight") as error:
        owner_flags(["Flu", "Cancer", "Ulcer"], {"Cancer": 1, "Cold": 0})
    assert error.value.value == ["Flu", "Ulcer"]
    assert owner_flags(["Flu", "Cancer"], {"Cancer": 1}, default_weight=0).sw.tolist() == [0, 1]
    with pytest.raises(BadRequest, match="rows from 0 to 0"):
        owner_flags(["Cancer"], {"Cancer": 1}, {1: 0})


def test_the_order_of_a_frequency_block() -> None:
    values = ["Flu", "Ulcer", "Flu"]
    assert frequency_distribution_block(values).values == ("Flu", "Ulcer")
    assert frequency_distribution_block(values, ["Cold", "Ulcer"]).values == ("Ulcer", "Flu")
    with pytest.raises(BadRequest):
        frequency_distribution_block([])
    with pytest.raises(BadRequest):
        FrequencyBlock.from_shares({"a": "1/2", "b": "1/3"})


@pytest.mark.parametrize(("counts", "th", "holds"), [
    ({"Gastric ulcer": 1, "Stomach cancer": 1, "Flu": 2, "Heart Disease": 1}, "0.1", True),
    ({"Gastric ulcer": 1, "Stomach cancer": 1, "Flu": 2, "Heart Disease": 1}, "0.09999999999999999999", False),
    ({"Gastric ulcer": 1, "Stomach cancer": 2, "Flu": 5, "Heart Disease": 2}, "0", True),
    ({"Gastric ulcer": 100, "Stomach cancer": 200, "Flu": 500, "Heart Disease": 201}, "0", False),
    ({}, "1", False),
])  # fmt: skip
def test_thresholds_at_their_boundary(counts: dict[str, int], th: str, holds: bool) -> None:
    assert check_frequency(counts, WHOLE, th) == holds


def test_binary_floats_would_fail() -> None:
    whole = FrequencyBlock(("a", "b"), (7, 3))
    assert 0.8 - 0.7 > 0.1
    assert check_frequency({"a": 8, "b": 2}, whole, 0.1)


def test_larger_tolerances_never_refuse_more() -> None:
    for a, b, c in product(range(4), range(4), range(6)):
        counts = {"Gastric ulcer": a, "Stomach cancer": b, "Flu": c}
        found = [check_frequency(counts, WHOLE, Fraction(t, 20)) for t in range(21)]
        assert found == sorted(found)


def test_withholding_and_completing_at_their_boundary() -> None:
    marked = {"Stomach cancer", "Heart Disease"}
    block = {"Stomach cancer": 2, "Flu": 7}
    assert may_suppress(block, marked, 2)
    assert not may_suppress(block, marked, 1)
    assert not may_suppress({"Flu": 1}, marked, 0)
    far = deviations({"Heart Disease": 2, "Stomach cancer": 1}, WHOLE)["Heart Disease"]
    assert far == Fraction(7, 15)
    assert may_complete({"Heart Disease": 2, "Stomach cancer": 1}, WHOLE, marked, far)
    assert not may_complete({"Heart Disease": 2, "Stomach cancer": 1}, WHOLE, marked, far - Fraction(1, 10**12))
    assert may_complete({"Gastric ulcer": 5}, WHOLE, marked, 0)


def test_completion_of_more_than_the_table() -> None:
    done = complete({"Flu": 6}, WHOLE, 0)
    assert done.size == 20
    assert dict(done.added) == {"Gastric ulcer": 2, "Stomach cancer": 4, "Flu": 4, "Heart Disease": 4}
    assert minimal_completions({"Flu": 6}, WHOLE, 0) == 1
    assert complete({"Flu": 1}, WHOLE, 1, least=4).size == 4


@pytest.mark.parametrize("call", [
    lambda: check_frequency({"Cold": 1}, WHOLE, "0.1"),
    lambda: check_frequency({"Flu": -1}, WHOLE, "0.1"),
    lambda: check_frequency({"Flu": 1}, WHOLE, "0.1", scope="some"),
    lambda: check_frequency({"Flu": 1}, WHOLE, "1.1"),
    lambda: deviations({}, WHOLE),
])  # fmt: skip
def test_bad_blocks_are_refused(call: Any) -> None:
    with pytest.raises(BadRequest):
        call()
