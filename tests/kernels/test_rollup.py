"""Kernels of the lattice search against counting in plain Python and numpy."""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.kernels.rollup import (
    charge_left_out,
    charge_nodes,
    merge_counts,
    merge_groups,
    merge_packed_groups,
    merge_to_nodes,
    merge_wide_groups,
    pairs_left_out,
    smallest_below,
)


class Drawn:
    """Random codes of a few groups, packed into words of a few bits, and what the codes become on a higher level."""

    def __init__(self, seed: int, groups: int, columns: int, bits: int) -> None:
        rng = np.random.default_rng(seed)
        self.values = rng.integers(1, 9, columns)
        self.codes = np.stack([rng.integers(0, n, groups) for n in self.values]) if groups else np.empty((columns, 0))
        self.codes = self.codes.astype(np.int64)
        self.sizes = rng.integers(1, 50, groups)
        widths = [max(int(n) - 1, 1).bit_length() for n in self.values]
        self.word, self.shift = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
        self.mask = np.array([(1 << width) - 1 for width in widths], np.int64)
        word = used = 0
        for i, width in enumerate(widths):
            if used + width > bits:
                word, used = word + 1, 0
            self.word[i], self.shift[i] = word, used
            used += width
        self.words = word + 1
        self.maps = [rng.integers(0, n, n).astype(np.int32) for n in self.values]
        self.changed = np.flatnonzero(rng.random(columns) < 0.6)
        self.offsets = np.concatenate([[0], np.cumsum(self.values)])[:-1]
        self.violating = rng.random(groups) < rng.random()

    def keys(self) -> Any:
        out = np.zeros((self.words, self.codes.shape[1]), np.int64)
        for i, row in enumerate(self.codes):
            out[self.word[i]] |= row << self.shift[i]
        return out

    def unpacked(self, keys: Any) -> list[tuple[int, ...]]:
        found = (keys[self.word] >> self.shift[:, None]) & self.mask[:, None]
        return [tuple(column) for column in found.T.tolist()]

    def merged(self) -> list[tuple[int, ...]]:
        """Return the codes of each group after the changed columns have climbed."""
        return [
            tuple(int(self.maps[i][code]) if i in self.changed else code for i, code in enumerate(column))
            for column in self.codes.T.tolist()
        ]


DRAWN = st.builds(Drawn, st.integers(0, 9999), st.sampled_from([0, 1, 9, 40, 900]), st.integers(1, 6), st.just(62))
WIDE = st.builds(Drawn, st.integers(0, 9999), st.integers(0, 40), st.integers(1, 6), st.sampled_from([3, 5, 62]))


def check_merged(drawn: Drawn, target: Any, keys: Any, sizes: Any) -> None:
    became = drawn.merged()
    first = list(dict.fromkeys(became))
    assert drawn.unpacked(keys) == first  # numbered in the order in which they first occur
    assert [first[group] for group in target.tolist()] == became
    counted: Counter[tuple[int, ...]] = Counter()
    for key, size in zip(became, drawn.sizes.tolist(), strict=True):
        counted[key] += size
    assert sizes.tolist() == [counted[key] for key in first]


@given(DRAWN)
@settings(max_examples=60, deadline=None)
def test_groups_whose_codes_agree_are_merged(drawn: Drawn) -> None:
    at = drawn.changed
    flat = np.concatenate(drawn.maps).astype(np.int32)
    target, keys, sizes = merge_groups(
        drawn.keys()[0], drawn.sizes, drawn.shift[at], drawn.mask[at], drawn.offsets[at], flat
    )
    check_merged(drawn, target, keys.reshape(1, -1), sizes)


@given(WIDE)
@settings(max_examples=60, deadline=None)
def test_keys_of_several_words_are_merged_alike(drawn: Drawn) -> None:
    at = drawn.changed
    flat = np.concatenate(drawn.maps).astype(np.int32)
    target, keys, sizes = merge_wide_groups(
        drawn.keys(), drawn.sizes, drawn.word[at], drawn.shift[at], drawn.mask[at], drawn.offsets[at], flat
    )
    check_merged(drawn, target, keys, sizes)


@given(
    st.integers(0, 9999),
    st.sampled_from([0, 1, 40, 900]),
    st.integers(1, 9),
    st.sampled_from([3, 5, 12, 62]),
    st.data(),
)
@settings(max_examples=80, deadline=None)
def test_keys_of_several_words_are_merged_alike_in_one(
    seed: int, groups: int, columns: int, bits: int, data: st.DataObject
) -> None:
    """Three levels each: the codes, what they become, and one value for all. Keys begin at any of the lower two."""
    drawn = Drawn(seed, groups, columns, bits)
    levels = [[np.arange(n), own, np.zeros(n, int)] for n, own in zip(drawn.values.tolist(), drawn.maps, strict=True)]
    # what a code of level a becomes on level b; from the middle level on, codes stay or are masked
    steps = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 1): 0, (1, 2): 2, (2, 2): 0}
    offsets, parts, at = np.zeros((columns, 3, 3), np.int64), [], 0
    for i, own in enumerate(levels):
        for (a, b), which in steps.items():
            offsets[i, a, b] = at
            parts.append(own[which])
            at += len(own[which])
    low = np.array(data.draw(st.lists(st.integers(0, 1), min_size=columns, max_size=columns)))
    high = np.array([data.draw(st.integers(int(a), 2)) for a in low])
    widths = np.stack([drawn.values, drawn.values, np.ones_like(drawn.values)], axis=1)
    target, keys, sizes = merge_packed_groups(
        drawn.keys(),
        drawn.sizes,
        low,
        high,
        drawn.word,
        drawn.shift,
        drawn.mask,
        offsets,
        np.concatenate(parts).astype(np.int32),
        widths,
    )
    drawn.maps = [levels[i][steps[int(low[i]), int(high[i])]] for i in range(columns)]
    drawn.changed = np.arange(columns)
    check_merged(drawn, target, keys, sizes)


@pytest.mark.parametrize("groups", [1500, 200_000])
def test_hash_tables_grow(groups: int) -> None:
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 1 << 40, groups)
    keys[groups // 2 :] = keys[: groups - groups // 2]
    sizes = rng.integers(1, 9, groups)
    distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(distinct), np.int64)
    number[order] = np.arange(len(distinct))
    nothing = np.empty(0, np.int64)
    maps = np.zeros(1, np.int32)
    one = merge_groups(keys, sizes, nothing, nothing, nothing, maps)
    wide = merge_wide_groups(np.stack([keys >> 20, keys & 0xFFFFF]), sizes, nothing, nothing, nothing, nothing, maps)
    for target, found, counted in ((one[0], one[1], one[2]), (wide[0], (wide[1][0] << 20) | wide[1][1], wide[2])):
        assert np.array_equal(found, distinct[order])
        assert np.array_equal(target, number[inverse])
        assert np.array_equal(counted, np.bincount(number[inverse], weights=sizes).astype(np.int64))


@given(WIDE, st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=90, deadline=None)
def test_what_is_left_out_is_charged_by_value(drawn: Drawn, charged: bool, firm: bool, measured: bool) -> None:
    rng = np.random.default_rng(len(drawn.sizes))
    columns = len(drawn.values)
    totals = [
        np.bincount(row, weights=drawn.sizes, minlength=n) for row, n in zip(drawn.codes, drawn.values, strict=True)
    ]
    extra = [rng.random(n) - 0.3 for n in drawn.values]
    lasting = drawn.sizes * drawn.violating if firm else np.minimum(drawn.sizes, rng.integers(0, 5, len(drawn.sizes)))
    cheapest = rng.random((2, len(np.concatenate(extra))))
    places = np.stack([np.stack([drawn.offsets + 9, drawn.offsets + level], axis=1) for level in (0, 0)], axis=1)
    places[:, 1, 1] += cheapest.shape[1]
    costs, bits, lasting_bits = np.full((3, columns), 7.0)
    lines = np.full((columns, 2), 7.0)
    node = np.ones(columns, np.int64)  # what is said of other levels must not matter
    records, lasts, kept, kept_squares, all_squares = charge_left_out(
        drawn.keys(),
        drawn.sizes,
        drawn.violating,
        lasting[:0] if firm else lasting,
        drawn.word,
        drawn.shift,
        drawn.mask,
        node,
        np.stack([drawn.values + 3, drawn.values], axis=1),
        np.concatenate(extra),
        np.concatenate(totals).astype(np.int64),
        np.stack([drawn.offsets + 5, drawn.offsets], axis=1),
        cheapest.reshape(-1),
        places,
        costs,
        bits,
        lines,
        lasting_bits,
        charged,
        measured,
    )
    gone = drawn.violating
    assert records == drawn.sizes[gone].sum()
    assert lasts == lasting.sum()
    assert kept == (~gone).sum()
    assert kept_squares == (drawn.sizes[~gone] ** 2).sum()
    assert all_squares == (drawn.sizes**2).sum()
    for i in range(columns):
        counts = Counter[int]()
        for code, size in zip(drawn.codes[i][gone].tolist(), drawn.sizes[gone].tolist(), strict=True):
            counts[code] += size
        wanted = sum(count * extra[i][value] for value, count in counts.items()) if charged else 0.0
        entropy = sum(count * log2(records / count) for count in counts.values()) if charged and measured else 0.0
        assert costs[i] == pytest.approx(wanted, abs=1e-9)
        assert bits[i] == pytest.approx(entropy, abs=1e-9)
        staying = np.bincount(drawn.codes[i], weights=lasting, minlength=drawn.values[i])
        entropy = sum(count * log2(lasting.sum() / count) for count in staying if count)
        assert lasting_bits[i] == pytest.approx(entropy if charged and measured else 0.0, abs=1e-9)
        for level, line in enumerate(lines[i]):
            wanted = staying @ cheapest[level, drawn.offsets[i] :][: drawn.values[i]]
            assert line == pytest.approx(wanted if charged else 0.0, abs=1e-9)


@given(WIDE, st.integers(1, 60), st.sampled_from([1, 20, 100]))
@settings(max_examples=60, deadline=None)
def test_pairs_of_columns_leave_out_what_is_in_small_groups(drawn: Drawn, least: int, most: int) -> None:
    """Two levels each: the codes themselves, and one value for all."""
    columns = len(drawn.values)
    widths = np.stack([drawn.values, np.ones_like(drawn.values)], axis=1)
    maps = np.concatenate([np.concatenate([np.arange(n), np.zeros(n + 1, int)]) for n in drawn.values])
    starts = np.cumsum([0, *(2 * drawn.values + 1)])[:-1]
    offsets = np.zeros((columns, 2, 2), np.int64)
    offsets[:, 0, 0], offsets[:, 0, 1], offsets[:, 1, 1] = starts, starts + drawn.values, starts + 2 * drawn.values
    shape = np.full(columns, 2)
    found = pairs_left_out(
        drawn.keys(),
        drawn.sizes,
        drawn.word,
        drawn.shift,
        drawn.mask,
        widths,
        shape,
        maps.astype(np.int32),
        offsets,
        least,
        most,
    )
    for i, a, j, b in np.ndindex(columns, 2, columns, 2):
        counts = Counter[tuple[int, int]]()
        for one, other, size in zip(drawn.codes[i], drawn.codes[j], drawn.sizes.tolist(), strict=True):
            counts[0 if a else int(one), 0 if b else int(other)] += size
        wanted = sum(count for count in counts.values() if count < least) if i < j else 0
        too_many = widths[i, 0] * widths[j, 0] > most  # then the finest are not looked at
        assert found[i, a, j, b] == wanted or (too_many and found[i, a, j, b] == 0)


@given(st.integers(0, 9999), st.integers(0, 30), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_histograms_of_merged_groups_add_up(seed: int, members: int, groups: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    target = rng.integers(0, groups, members).astype(np.int32)
    counts = rng.integers(0, 9, (members, width)).astype(np.int32)
    wanted = np.zeros((groups, width), np.int32)
    np.add.at(wanted, target, counts)
    assert np.array_equal(merge_counts(target, groups, counts), wanted)


@given(
    st.integers(0, 9999),
    st.sampled_from([1, 9, 300]),
    st.integers(1, 5),
    st.integers(1, 6),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_several_nodes_are_merged_and_charged_as_each_alone(
    seed: int, groups: int, columns: int, many: int, measured: bool, hashed: bool
) -> None:
    """Two levels each: the codes themselves, and what they become; looked up in place, or hashed where slots are few."""
    drawn, rng = Drawn(seed, groups, columns, 62), np.random.default_rng(seed)
    flat = np.concatenate(
        [np.concatenate([np.arange(n), own]) for n, own in zip(drawn.values, drawn.maps, strict=True)]
    )
    flat = flat.astype(np.int32)
    begins = np.cumsum([0, *(2 * drawn.values)])[:-1]
    offsets = np.zeros((columns, 2, 2), np.int64)
    offsets[:, 0, 0], offsets[:, 0, 1] = begins, begins + drawn.values
    nodes = rng.integers(0, 2, (many, columns))
    counts = rng.integers(0, 9, (groups, 3)).astype(np.int32)
    low = np.zeros(columns, np.int64)
    keys = drawn.keys()[0]
    starts = np.full(many + 1, 2)  # after two groups of others
    firsts, least = np.full(many + 1, 1), int(rng.integers(1, 12))
    slots = np.full(1 << (2 * groups - 1).bit_length() if hashed else 1 << 12, -1, np.int32)
    all_keys, all_sizes, large = np.full((3, 2 + many * groups), 7)
    all_counts = np.full((1 + many * groups, 3), 7, np.int32)
    shifts, masks = np.empty((2, many, columns), np.int64)
    widths = np.stack([drawn.values, drawn.values], axis=1)
    merge_to_nodes(
        keys,
        drawn.sizes,
        counts,
        low,
        nodes,
        drawn.shift,
        drawn.mask,
        offsets,
        flat,
        widths,
        least,
        slots,
        np.empty((3, groups), np.int64),
        starts,
        firsts,
        shifts,
        masks,
        all_keys,
        all_sizes,
        large,
        all_counts,
    )
    assert (slots == -1).all()
    assert (all_keys[:2] == 7).all()
    assert (all_counts[0] == 7).all()
    assert (all_counts[firsts[-1] :] == 7).all()
    large, all_counts = large[1 : firsts[-1]] - 2, all_counts[1 : firsts[-1]]
    all_keys, all_sizes = (one[2 : starts[-1]] for one in (all_keys, all_sizes))
    starts -= 2
    assert np.array_equal(large, np.flatnonzero(all_sizes >= least))
    violating = rng.random(len(all_sizes)) < 0.5
    lasting = np.where(violating, rng.integers(0, all_sizes + 1), 0)
    extra, cheapest = rng.random(int(drawn.values.sum())), rng.random(int(drawn.values.sum()))
    places = np.stack([drawn.offsets, drawn.offsets], axis=1)
    cheapest_at = np.stack([places, places], axis=1)
    totals = np.full(len(extra), 10_000)
    costs, bits, lasting_bits = np.empty((3, many, columns))
    lines = np.empty((many, columns, 2))
    terms = (widths, extra, totals, places, cheapest, cheapest_at)
    whole, squares = charge_nodes(
        starts,
        all_keys,
        all_sizes,
        violating,
        lasting,
        drawn.word,
        shifts,
        masks,
        nodes,
        *terms,
        costs,
        bits,
        lines,
        lasting_bits,
        measured,
    )
    for at, node in enumerate(nodes):
        up = np.flatnonzero(node)
        target, own_keys, sizes = merge_groups(
            keys, drawn.sizes, drawn.shift[up], drawn.mask[up], offsets[up, 0, 1], flat
        )
        own = slice(starts[at], starts[at + 1])
        assert np.array_equal(
            (all_keys[own, None] >> shifts[at]) & masks[at], (own_keys[:, None] >> drawn.shift) & drawn.mask
        )
        assert np.array_equal(all_sizes[own], sizes)
        measured_here = all_counts[(large >= starts[at]) & (large < starts[at + 1])]
        assert np.array_equal(measured_here, merge_counts(target, len(sizes), counts)[sizes >= least])
        one_cost, one_bits, one_lasting = np.empty((3, columns))
        one_lines = np.empty((columns, 2))
        found = charge_left_out(
            own_keys.reshape(1, -1),
            sizes,
            violating[own],
            lasting[own],
            drawn.word,
            drawn.shift,
            drawn.mask,
            node,
            *terms,
            one_cost,
            one_bits,
            one_lines,
            one_lasting,
            True,
            measured,
        )
        assert (*whole[at].tolist(), *squares[at].tolist()) == found
        for together, alone in ((costs, one_cost), (bits, one_bits), (lasting_bits, one_lasting), (lines, one_lines)):
            assert np.array_equal(together[at], alone)


@given(st.integers(0, 9999), st.integers(0, 12), st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_the_shortest_table_at_or_below_a_node_is_found(seed: int, count: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, 3, (count + 2, columns)).astype(np.int32)
    lengths = rng.integers(1, 6, count + 2)
    node = rng.integers(0, 3, columns).astype(np.int32)
    fitting = [row for row in range(count) if (levels[row] <= node).all()]
    wanted = min(fitting, key=lambda row: (lengths[row], row), default=-1)
    assert smallest_below(levels, lengths, count, node) == wanted
