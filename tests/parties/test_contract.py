"""A contract is read once: its policy and its hash stay, and a changed copy has its own."""

from __future__ import annotations

from parties.tables_of_holders import joint_table
from sfumato.parties.contract import Contract


def test_a_changed_copy_has_its_own_policy_and_hash() -> None:
    contract = Contract.of(joint_table(1, holders=2)[0])
    policy, before = contract.policy(), contract.hash()
    assert contract.policy() is policy
    changed = contract.model_copy(update={"seed": 7})
    assert changed.policy().seed == 7
    assert changed.hash() == Contract.of(changed.document()).hash() != before
    assert (contract.policy().seed, contract.hash()) == (policy.seed, before)
