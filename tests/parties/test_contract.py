"""A contract is read once: its policy and its hash stay, and a changed copy has its own."""

from __future__ import annotations

from typing import Any

import pytest

from parties.tables_of_holders import joint_table
from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract


def test_a_changed_copy_has_its_own_policy_and_hash() -> None:
    contract = Contract.of(joint_table(1, holders=2)[0])
    policy, before = contract.policy(), contract.hash()
    assert contract.policy() is policy
    changed = contract.model_copy(update={"seed": 7})
    assert changed.policy().seed == 7
    assert changed.hash() == Contract.of(changed.document()).hash() != before
    assert (contract.policy().seed, contract.hash()) == (policy.seed, before)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"algorithm": {"id": "mondrian"}}, "algorithm"),
        ({"search_on": {"sample": 50}}, "search_on"),
        ({"population": "people.csv"}, "population"),
        ({"weights": "a0"}, "weights"),
    ],
)
def test_what_no_protocol_reads_is_refused(changed: dict[str, Any], named: str) -> None:
    document = joint_table(1, holders=2)[0]
    with pytest.raises(BadRequest, match=f"{named}: is not read by a protocol between holders"):
        Contract.of({**document, **changed})


@pytest.mark.parametrize("key", ["levels", "importance"])
def test_what_no_protocol_keeps_of_a_column_is_refused(key: str) -> None:
    document = joint_table(1, holders=2)[0]
    name = next(iter(document["columns"]))
    document["columns"][name] = {**document["columns"][name], key: {"levels": {"at_least": 1}, "importance": 2}[key]}
    with pytest.raises(BadRequest, match=rf"columns.{name}.{key}: is not read by a protocol"):
        Contract.of(document)


@pytest.mark.parametrize(
    "address", ["http://bank.example:1", "bank.example:8443", "https://", "https://bank.example/x y"]
)
def test_an_address_is_a_place_that_speaks_tls(address: str) -> None:
    document = joint_table(1, holders=2)[0]
    next(iter(document["holders"].values()))["address"] = address
    with pytest.raises(BadRequest, match=r"holders\.h0\.address"):
        Contract.of(document)
