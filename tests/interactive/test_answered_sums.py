"""Answered sums against brute force over rational numbers, and the kernels against plain whole numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sfumato.interactive import answered_sums
from sfumato.interactive.answered_sums import AnsweredSums
from sfumato.interactive.answered_sums_kernels import add_rows, clear_column, scale_row

PRIME = 2**61 - 1


def rank(rows: list[list[int]]) -> int:
    """Return the rank over the rational numbers."""
    left = [[Fraction(value) for value in row] for row in rows]
    found = 0
    for column in range(len(rows[0])):
        at = next((at for at in range(found, len(left)) if left[at][column]), None)
        if at is None:
            continue
        left[found], left[at] = left[at], left[found]
        for other in range(found + 1, len(left)):
            times = left[other][column] / left[found][column]
            left[other] = [a - times * b for a, b in zip(left[other], left[found], strict=True)]
        found += 1
    return found


def told(rows: list[list[int]], records: int) -> set[int]:
    """Return the records whose unit vector the rows span."""
    units = [[int(at == one) for at in range(records)] for one in range(records)]
    return {one for one in range(records) if rows and rank([*rows, units[one]]) == rank(rows)}


@pytest.mark.parametrize("checked", [2_000, -1], ids=["rational", "modular"])
def test_random_questions_on_few_records_against_brute_force(checked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answered_sums, "_CHECKED", checked)
    rng = np.random.default_rng(1)
    for _ in range(40):
        records = int(rng.integers(2, 8))
        sums, log = AnsweredSums(records), list[list[int]]()
        for _ in range(8):
            if rng.random() < 0.15 and records < 8:
                sums.grow(1)
                records, log = records + 1, [[*row, 0] for row in log]
            asked = (rng.random(records) < 0.5).astype(int).tolist()
            asking = sums.asking(np.array(asked, bool))
            assert asking.tells == bool(told([*log, asked], records))
            if not asking.tells or rng.random() < 0.3:
                sums.add(asking)
                log.append(asked)
                assert set(sums.told().tolist()) == told(log, records)
                if told(log, records):
                    break


def test_a_prime_that_hides_a_disclosure_is_corrected_by_rational_numbers() -> None:
    sums = AnsweredSums(3, prime=2)  # {0,1}, {1,2}, {0,2} have the determinant 2
    for rows in ([0, 1], [1, 2]):
        sums.add(sums.asking(rows))
    assert sums.asking([0, 2]).tells


def test_records_that_no_answer_tells_apart_share_a_column() -> None:
    sums = AnsweredSums(1_000)
    sums.add(sums.asking(np.arange(1_000) < 500))
    sums.add(sums.asking(np.arange(1_000) < 250))
    assert (sums.columns, sums.rank) == (3, 2)
    sums.asking([1])
    assert sums.columns == 3


def test_kernels_against_plain_numbers() -> None:
    rng = np.random.default_rng(2)
    rows = rng.integers(0, PRIME, (5, 7))
    rows[rng.random((5, 7)) < 0.3] = 0
    chosen = np.array([True, False, True, True, False])
    plain = [[int(value) for value in row] for row in rows]
    assert add_rows(rows, chosen, 7, PRIME).tolist() == [
        sum(row[at] for row, one in zip(plain, chosen, strict=True) if one) % PRIME for at in range(7)
    ]
    factor = PRIME - 5
    ratio = np.uint64((factor << 64) // PRIME)
    assert scale_row(rows[0], factor, ratio, PRIME).tolist() == [factor * value % PRIME for value in plain[0]]
    factors = rng.integers(0, PRIME, 4)
    factors[1] = 0
    ratios = np.array([(int(one) << 64) // PRIME for one in factors], np.uint64)
    cleared = np.zeros((4, 9), np.int64)[:, :7]  # a part of the rows that there is room for
    cleared[:] = rows[1:]
    clear_column(cleared, rows[0], factors, ratios, PRIME)
    assert cleared.tolist() == [
        [(value - int(one) * first) % PRIME for value, first in zip(row, plain[0], strict=True)]
        for row, one in zip(plain[1:], factors, strict=True)
    ]
