"""Worked examples of what protocols between holders are made of: sums, comparisons, commuting keys, private joins, ranks."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from sfumato.parties.protocols import (
    CommutativeEncryption,
    Keyed,
    MinimalInformationSharing,
    PohligHellman,
    SecureKthElement,
    SecureMax,
    SecureSum,
    exceeds,
    masked,
    one_encoding,
    ring_messages,
    ring_sum,
    unmasked_sum,
    zero_encoding,
)


def test_numbers_under_pairwise_masks(golden: Callable[..., Any]) -> None:
    with golden("05-secure-sum-pairwise-1") as file:
        given = file.input
        pairs = {tuple(map(int, pair.split(","))): bytes.fromhex(seed) for pair, seed in given["seeds_hex"].items()}
        sent = []
        for at, value in enumerate(given["inputs"]):
            seeds = {pair[1 - pair.index(at)]: seed for pair, seed in pairs.items() if at in pair}
            sent.append(masked(value, at, seeds, given["session"], given["round"], given["slot"]))
        file.compare([str(one) for one in sent], "masked")
        file.compare(unmasked_sum(sent), "sum")
        holders = {str(at): [value] for at, value in enumerate(given["inputs"])}
        assert set(SecureSum().simulate(holders).results.values()) == {(file.expected["sum"],)}


def test_a_sum_goes_round_a_ring(golden: Callable[..., Any]) -> None:
    with golden("05-secure-sum-ring-1") as file:
        given = file.input
        sent = ring_messages(given["inputs"], given["R"], given["modulus"])
        file.compare(sent, "messages")
        file.compare(ring_sum(sent[-1], given["R"], given["modulus"]), "sum")
        holders = {str(at): [value] for at, value in enumerate(given["inputs"])}
        assert SecureSum(mode="ring").simulate(holders).results["0"] == (file.expected["sum"],)


def test_numbers_are_compared_by_their_prefixes(golden: Callable[..., Any]) -> None:
    with golden("05-secure-max-1") as file:
        for at, (x, y, bits) in enumerate(file.input["cases_x_y_bits"]):
            ones, zeros = one_encoding(x, bits), zero_encoding(y, bits)
            file.compare(sorted(ones), at, "one_encoding_x")
            file.compare(sorted(zeros), at, "zero_encoding_y")
            file.compare(sorted(set(ones) & set(zeros)), at, "overlap")
            file.compare(exceeds(x, y, bits), at, "x_gt_y")
            found = SecureMax(bits=bits).simulate({"y": y, "x": x}).results["x"]
            assert found == (None if x == y == 0 else int(x > y))


def test_keys_of_two_holders_commute(golden: Callable[..., Any]) -> None:
    with golden("05-commutative-encryption-1") as file:
        cipher = CommutativeEncryption(group="pohlig-hellman").cipher()
        assert isinstance(cipher, PohligHellman)
        first, second = (cipher.key_of(label) for label in file.input["key_labels"])
        for text in file.input["ids"]:
            element = cipher.hashed([text.encode()])
            alone = cipher.encrypted(first, element)
            made = {"H": element, "E_A": alone, "E_B": cipher.encrypted(second, element)}
            made["E_AB"] = cipher.encrypted(second, alone)
            assert made["E_AB"] == cipher.encrypted(first, made["E_B"])
            file.compare({name: sha256(cipher.serialised(one)).hexdigest() for name, (one,) in made.items()}, text)


def test_commuting_keys_in_a_toy_group(golden: Callable[..., Any]) -> None:
    with golden("05-commutative-encryption-3") as file:
        given = file.input
        cipher = PohligHellman(given["p"])
        first = cipher.encrypted(given["e1"], given["messages"])
        file.compare(first, "E1")
        file.compare(cipher.encrypted(given["e2"], given["messages"]), "E2")
        both = cipher.encrypted(given["e2"], first)
        file.compare(both, "E12")
        for number in (1, 2):
            file.compare(cipher.inverse(given[f"e{number}"]), f"d{number}")
        assert cipher.decrypted(given["e1"], cipher.decrypted(given["e2"], both)) == given["messages"]


def test_two_holders_share_what_both_have(golden: Callable[..., Any]) -> None:
    with golden("05-minimal-sharing-1") as file:
        own = {
            name: Keyed([key for key, _ in table["rows"]], [payload for _, payload in table["rows"]])
            for name, table in file.input.items()
        }

        def found(operation: str) -> Any:
            return MinimalInformationSharing(operation=operation).simulate(own).results

        both = found("intersection")
        file.compare(both["R"].keys, "intersection")
        file.compare({"R": both["S"].other_size, "S": both["R"].other_size}, "leak_distinct_sizes")
        file.compare(found("intersection-size")["R"].size, "intersection_size")
        file.compare({"columns": ["key", "R", "S"], "rows": found("equijoin")["R"].rows}, "equijoin")
        sizes = found("equijoin-size")
        file.compare(sizes["R"].size, "equijoin_size")
        repeated = {"R": sizes["S"].other_multiplicities, "S": sizes["R"].other_multiplicities}
        file.compare(repeated, "leak_multiplicity_distribution_equijoin_size")


@pytest.mark.parametrize("mode", ["sum", "bits"])
def test_an_element_by_its_rank(golden: Callable[..., Any], mode: str) -> None:
    with golden("05-secure-kth-element-1") as file:
        rounds = set()
        for name in file.input["qid"]:
            low, high = file.input["domain"][name]
            nodes = file.input["nodes"].items()
            own = {node: [row[table["columns"].index(name)] for row in table["rows"]] for node, table in nodes}
            for rank in (1, 4, 8):
                protocol = SecureKthElement(k=rank, low=low, high=high, mode=mode)
                talked = protocol.simulate(own)
                assert len(set(talked.results.values())) == 1
                assert talked.traffic.rounds <= protocol.rounds
                rounds.add(protocol.rounds)
                file.compare(talked.results["0"], name, f"k{rank}")
        file.compare(rounds.pop(), "max_rounds")
        assert not rounds
