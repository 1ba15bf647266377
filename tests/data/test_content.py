"""Leaves of rows: the kernel against hashlib, whatever the length, the letters and the count."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data import content
from sfumato.data.content import MISSING_CELL, CodedRows, bucket_lines, cell_texts, row_text


def expected(texts: list[list[str]], codes: list[np.ndarray], counts: np.ndarray) -> bytes:
    rows = zip(*([known[code] for code in held] for known, held in zip(texts, codes, strict=True)), strict=True)
    return b"".join(sha256(f"{row_text(row)}\n{n}".encode()).digest() for row, n in zip(rows, counts, strict=True))


@pytest.fixture(params=["hashlib", "kernel"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "_MANY", 1 << 40 if request.param == "hashlib" else 0)


def test_rows_of_every_length_around_blocks(way: None) -> None:
    texts = [["x" * length for length in range(300)]]
    codes, counts = [np.arange(300, dtype=np.int32)], np.arange(300) * 10**15 + 1
    assert CodedRows(texts).leaves(codes, counts) == expected(texts, codes, counts)


def test_missing_cells_and_a_count_of_nothing(way: None) -> None:
    texts = [["a", MISSING_CELL], ["", "é€😀", MISSING_CELL]]
    codes = [np.array([-1, 0, 0], np.int32), np.array([1, -1, 0], np.int32)]
    counts = np.array([0, 10, (1 << 63) - 1])
    assert CodedRows(texts).leaves(codes, counts) == expected(texts, codes, counts)


@given(st.data())
def test_random_rows(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 4))
    texts = [data.draw(st.lists(st.text(max_size=90), min_size=1, max_size=5)) for _ in range(width)]
    rows = data.draw(st.integers(1, 9))
    codes = [
        np.array(data.draw(st.lists(st.integers(-1, len(t) - 1), min_size=rows, max_size=rows)), np.int32)
        for t in texts
    ]
    counts = np.array(data.draw(st.lists(st.integers(0, (1 << 62)), min_size=rows, max_size=rows)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(content, "_MANY", 0)
        assert CodedRows(texts).leaves(codes, counts) == expected(texts, codes, counts)


@pytest.mark.parametrize("alike", [0, 6, 24])
def test_runs_of_leaves_are_joined_bucket_by_bucket(alike: int, way: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves in any order and in any portions: the plain way is to sort their digits and to hash those of each bucket."""
    rng = np.random.default_rng(alike)
    leaves = [bytes(alike) + rng.bytes(32 - alike) for _ in range(500)] + [rng.bytes(32) for _ in range(500)]
    expected = {}
    for leaf in sorted(leaf.hex() for leaf in leaves):
        expected.setdefault(int(leaf[:4], 16), sha256()).update(leaf.encode())
    plain = "".join(f"\n{bucket:04x} {expected[bucket].hexdigest()}" for bucket in sorted(expected)).encode()
    assert b"".join(bucket_lines(leaves)) == b"".join(bucket_lines([b"".join(leaves)])) == plain
    monkeypatch.setattr(content, "_RUN", 32 * 100)
    assert b"".join(bucket_lines(leaves)) == plain
    assert [*bucket_lines([])] == []


@given(start=st.integers(0, 1200), many=st.integers(0, 300))
def test_a_range_is_spelled_like_its_numbers(start: int, many: int) -> None:
    numbers = range(start, start + many)
    told, plain = cell_texts(numbers), cell_texts(list(numbers))
    assert list(told) == plain
    assert [told[at] for at in (-1, 0)] == [plain[-1], plain[0]]
    codes, counts = np.arange(-1, many, dtype=np.int32), np.arange(1, many + 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "_MANY", 0)
        assert CodedRows([told]).leaves([codes], counts) == CodedRows([plain]).leaves([codes], counts)
