"""What protocols are made of, beside plain Python: sums, thresholds, maxima, ranks and private joins of random numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.parties.blocks.ciphers import Curve, PohligHellman
from sfumato.parties.blocks.masks import MODULUS, masked, unmasked_sum
from sfumato.parties.blocks.points import parted, parted_sets
from sfumato.parties.blocks.prefixes import exceeds, one_encoding, zero_encoding
from sfumato.parties.conversation.message import OutOfProtocol
from sfumato.parties.protocols import Keyed, MinimalInformationSharing, SecureKthElement, SecureMax, SecureSum

NUMBERS = st.lists(st.integers(0, 20), min_size=2, max_size=5)


def holders(numbers: list[int]) -> dict[str, list[int]]:
    return {f"h{at}": [number] for at, number in enumerate(numbers)}


def test_prefixes_decide_every_pair_of_five_bits() -> None:
    for x in range(32):
        for y in range(32):
            shared = set(one_encoding(x, 5)) & set(zero_encoding(y, 5))
            assert len(shared) == int(x > y) == int(exceeds(x, y, 5))


@settings(max_examples=20)
@given(NUMBERS, st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_sums_and_thresholds_are_those_of_plain_numbers(numbers: list[int], threshold: int, seed: int) -> None:
    order = np.random.default_rng(seed)
    told = SecureSum(mode="threshold", threshold=threshold, largest=20).simulate(holders(numbers), order=order)
    assert set(told.results.values()) == {(int(sum(numbers) >= threshold),)}
    if len(numbers) > 2:
        for mode in ("pairwise", "ring"):
            assert SecureSum(mode=mode).simulate(holders(numbers), order=order).results["h0"] == (sum(numbers),)


@settings(max_examples=20)
@given(NUMBERS, st.sampled_from(["plain", "pairwise"]), st.integers(0, 2**32 - 1))
def test_the_largest_number_wins_and_the_first_of_equals(numbers: list[int], mode: str, seed: int) -> None:
    own = {f"h{at}": number for at, number in enumerate(numbers)}
    told = SecureMax(mode=mode, bits=5).simulate(own, order=np.random.default_rng(seed))
    assert set(told.results.values()) == {numbers.index(max(numbers)) if any(numbers) else None}


@settings(max_examples=20)
@given(st.lists(st.lists(st.integers(-3, 9), max_size=4), min_size=3, max_size=4), st.data())
def test_ranks_are_those_of_the_sorted_union(values: list[list[int]], data: st.DataObject) -> None:
    union = sorted(one for some in values for one in some)
    rank = data.draw(st.integers(1, len(union) + 1))
    protocol = SecureKthElement(k=rank, low=-3, high=9, mode="sum")
    own = {f"h{at}": some for at, some in enumerate(values)}
    if rank > len(union):
        with pytest.raises(BadRequest, match="larger than the number"):
            protocol.simulate(own)
    else:
        assert set(protocol.simulate(own).results.values()) == {union[rank - 1]}


KEYS = st.lists(st.one_of(st.none(), st.sampled_from(["a", " a", "b", "c", "d\u0308", "ä"])), max_size=8)


@settings(max_examples=15)
@given(KEYS, KEYS)
def test_private_joins_are_those_of_plain_keys(left: list[str | None], right: list[str | None]) -> None:
    import unicodedata

    def plain(keys: list[str | None]) -> list[str]:
        return [unicodedata.normalize("NFC", key).strip() for key in keys if key is not None]

    own = {"R": Keyed(left, list(range(len(left)))), "S": Keyed(right, [f"s{at}" for at in range(len(right))])}
    found = {
        operation: MinimalInformationSharing(operation=operation).simulate(own).results
        for operation in ("intersection", "intersection-size", "equijoin", "equijoin-size")
    }
    both = set(plain(left)) & set(plain(right))
    pairs = sum(Counter(plain(left))[key] * Counter(plain(right))[key] for key in both)
    assert found["intersection"]["R"].keys == tuple(sorted(both))
    assert found["intersection-size"]["R"].size == len(both)
    assert found["equijoin"]["R"].size == found["equijoin-size"]["R"].size == pairs
    for key, mine, theirs in found["equijoin"]["R"].rows:
        assert key == plain([left[mine]])[0] == plain([right[int(theirs[1:])]])[0]  # type: ignore[index, call-overload]


def test_a_private_intersection_is_short() -> None:
    keys = [f"id{at}" for at in range(300)]
    talked = MinimalInformationSharing().simulate({"R": Keyed(keys), "S": Keyed(keys[100:] + keys[:100])}, keep=True)
    assert talked.traffic.all_bytes <= 110 * 300
    assert not any(b"id29" in message.text() for message in talked.said)
    assert {leak.message for leak in talked.ledger.leaks} == {"psi.keys", "psi.doubled"}


def test_two_who_add_up_would_tell_each_other() -> None:
    for mode in ("pairwise", "ring"):
        with pytest.raises(BadRequest, match="use the threshold"):
            SecureSum(mode=mode).simulate(holders([1, 2]))
    with pytest.raises(BadRequest, match="use bits"):
        SecureKthElement(k=1, low=0, high=9, mode="sum").simulate({"a": [1], "b": [2]})


def test_masks_cancel_below_zero_too() -> None:
    seeds = {(0, 1): b"x" * 32, (0, 2): b"y" * 32, (1, 2): b"z" * 32}
    sent = [
        masked(value, at, {pair[1 - pair.index(at)]: seed for pair, seed in seeds.items() if at in pair}, "s", 1, "n")
        for at, value in enumerate([-5, 1, 2])
    ]
    assert unmasked_sum(sent) == -2
    assert all(0 <= one < MODULUS for one in sent)
    assert len({*sent, MODULUS - 5, 1, 2}) == 6


@pytest.mark.parametrize("bad", [b"\xff" * 32, bytes(32), b"short"])
def test_what_is_no_element_is_refused(bad: bytes) -> None:
    group = Curve()
    with pytest.raises(BadRequest, match="not an element"):
        group.encrypted(group.key(), [bad])


def test_elements_beyond_the_group_and_torn_lists_are_refused() -> None:
    with pytest.raises(BadRequest, match="not an element"):
        PohligHellman(23).encrypted(3, [5])  # no square modulo 23
    with pytest.raises(BadRequest, match="safe prime"):
        PohligHellman(12)
    with pytest.raises(OutOfProtocol):
        parted(b"x" * 33)
    with pytest.raises(OutOfProtocol):
        parted_sets(b"x" * 96, 2)


def test_many_elements_by_several_threads_stay_in_order() -> None:
    few, many = Curve(threads=1), Curve(threads=2)
    texts = [str(at).encode() for at in range(1100)]
    assert few.hashed(texts) == many.hashed(texts)
    key = few.key()
    points = few.hashed(texts)[:600]
    assert few.encrypted(key, points) == many.encrypted(key, points)
    assert few.decrypted(key, many.encrypted(key, points[:5])) == points[:5]
