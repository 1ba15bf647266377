"""What holders find together is what one holder of everything finds, step by step; what breaks the rules ends the session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from parties.tables_of_holders import contract_of, joint_table
from sfumato.contracts.run import Run
from sfumato.errors import Infeasible, Unsupported
from sfumato.parties.collaboration import Collaboration
from sfumato.parties.conversation.message import OutOfProtocol
from sfumato.parties.mashup.messages import Instruct
from sfumato.parties.mashup.refinery import HolderRefinery
from sfumato.parties.protocols import PPMashupRational, PPMashupSemiHonest
from sfumato.parties.vertical import aligned, holdings


def collaborated(document: dict[str, Any], tables: Any, seed: int = 0, **protocol: Any) -> Collaboration:
    contract = contract_of(document, **protocol)
    order = np.random.default_rng(seed)
    return contract.releasing().collaborate(contract, tables, run=Run.seeded(seed), order=order)


def central(document: dict[str, Any], joint: Any, **protocol: Any) -> Any:
    return sfumato.anonymize(joint, contract_of(document, **protocol).policy())


def steps(release: Any) -> list[tuple[str, str]]:
    return [(step.attribute, step.value) for step in release.private.trace]


@given(seed=st.integers(0, 10**6), holders=st.integers(2, 5))
def test_holders_find_what_one_holder_of_everything_finds(seed: int, holders: int) -> None:
    document, tables, joint = joint_table(seed, holders=holders)
    try:
        expected = central(document, joint)
    except Infeasible:
        with pytest.raises(Infeasible):
            collaborated(document, tables, seed)
        return
    found = collaborated(document, tables, seed)
    assert [(one.attribute, one.value) for one in found.performed] == steps(expected)
    assert found.table.sort().content_digest() == expected.table.content_digest()
    assert {name: one.spec() for name, one in found.recodings.items()} == {
        name: one.spec() for name, one in expected.private.recodings.items()
    }
    n, s = holders, len(found.performed)
    assert found.traffic.logical_messages == s * (n * n - 1) + n * (n - 1)


@given(seed=st.integers(0, 10**6), holders=st.integers(2, 4))
def test_quasi_identifiers_of_one_holder_are_handled_without_a_message(seed: int, holders: int) -> None:
    document, tables, joint = joint_table(seed, holders=holders, several=True)
    try:
        expected = central(document, joint)
    except Infeasible:
        return
    found = collaborated(document, tables, seed)
    assert found.table.sort().content_digest() == expected.table.content_digest()
    alone = [(step.attribute, step.value) for steps in found.local.values() for step in steps]
    together = [(one.attribute, one.value) for one in found.performed]
    assert sorted([*alone, *together]) == sorted(steps(expected))
    assert [step for step in steps(expected) if step in together] == together


@given(
    seed=st.integers(0, 10**6), holders=st.integers(2, 4), check=st.sampled_from(["shared_sensitive", "literal_reject"])
)
def test_requirements_on_sensitive_columns_hold_and_cost_no_more_than_centrally(
    seed: int, holders: int, check: str
) -> None:
    document, tables, joint = joint_table(seed, holders=holders, sensitive=True, protocol="ppmashup-beyond-k")
    try:
        expected = central(document, joint)
    except Infeasible:
        return
    found = collaborated(document, tables, seed, check=check)
    assert [(one.attribute, one.value) for one in found.performed] == steps(expected)
    names = [name for name in joint if name != "class"]  # inside groups the sensitive values are shuffled
    assert found.table.select(names).sort().content_digest() == expected.table.select(names).sort().content_digest()
    told = {leak.message for leak in found.ledger.leaks}
    assert ("judged" in told) == (
        check == "literal_reject"
        and found.traffic.messages.get("instruct", 0) > 0
        and "judged" in found.traffic.messages
    )


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), holders=st.integers(2, 4), apart=st.booleans())
def test_who_cannot_see_a_sensitive_column_keeps_the_same_groups(seed: int, holders: int, apart: bool) -> None:
    document, tables, joint = joint_table(
        seed, holders=holders, sensitive=True, several=True, protocol="ppmashup-beyond-k"
    )
    if apart:  # the last holder alone has the columns; whoever has the sensitive one must be asked all the same
        last = document["holders"][f"h{holders - 1}"]["columns"]
        document["requirements"] = [{**document["requirements"][-1], "qid": list(last)}]
    try:
        expected = central(document, joint)
    except Infeasible:
        return
    found = collaborated(document, tables, seed, check="literal_reject")
    names = [name for name in joint if name != "class"]
    assert found.table.select(names).sort().content_digest() == expected.table.select(names).sort().content_digest()


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), holders=st.integers(2, 4))
def test_nobody_gives_much_more_than_it_gets(seed: int, holders: int) -> None:
    document, tables, joint = joint_table(seed, holders=holders, protocol="ppmashup-rational")
    try:
        found = collaborated(document, tables, seed, epsilon=0.05)
    except Infeasible:
        return
    largest = max((one.score or 0.0 for one in found.performed), default=0.0)
    for given_, got in found.shares.values():
        assert given_ <= got / (holders - 1) + 0.05 + largest + 1e-9
    generous = collaborated(document, tables, seed, epsilon=1e9)
    assert [(one.attribute, one.value) for one in generous.performed] == steps(central(document, joint))


def test_all_holders_end_with_the_same_groups_and_every_state_on_the_way_is_allowed() -> None:
    document, tables, _ = joint_table(7, holders=3)
    contract = contract_of(document)
    protocol = PPMashupSemiHonest()
    given_ = holdings(protocol, contract, aligned(contract, tables, np.random.default_rng(0)).tables)
    shares = protocol.simulate(given_).results
    for name in given_["h0"].plan.joint:
        shown = []
        for share in shares.values():
            codes, labels = share.labels[name]
            shown.append([labels[code] for code in codes])
        told = [one for one in shown if "" not in one]
        assert told
        assert all(one == told[0] for one in told)


def test_what_is_said_tells_nothing_below_the_published_cut() -> None:
    """Two inputs that differ only below the final cut of one holder give the same messages to the others."""
    tree = {
        "value": "any",
        "children": [{"value": "x", "children": [{"value": "x1"}, {"value": "x2"}]}, {"value": "y"}],
    }
    quasi = {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}
    document = {
        "holders": {"h0": {"person": "id", "columns": ["a"]}, "h1": {"person": "id", "columns": ["b"]}},
        "protocol": {"id": "ppmashup-semi-honest"},
        "columns": {"a": quasi, "b": quasi, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 4}],
    }
    contract = contract_of(document)

    def said(below: list[str]) -> list[bytes]:
        tables = {
            "h0": {"id": list("12345678"), "a": [*below, "y", "y", "y", "y"], "class": list("nnynyyyn")},
            "h1": {"id": list("12345678"), "b": ["y"] * 8},
        }
        given_ = holdings(PPMashupSemiHonest(), contract, aligned(contract, tables, np.random.default_rng(0)).tables)
        talked = PPMashupSemiHonest().simulate(given_, keep=True)
        assert talked.traffic.messages["instruct"] == 2
        return [message.text() for message in talked.said if message.receiver == "h1"]

    assert said(["x1", "x1", "x2", "x2"]) == said(["x2", "x1", "x2", "x2"])


def test_a_bid_that_promises_more_than_the_step_is_worth_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    document, tables, _ = joint_table(7, holders=2)
    honest = HolderRefinery.key
    monkeypatch.setattr(
        HolderRefinery, "key", lambda self, proposal: honest(self, proposal) + (1 << 40 if proposal else 0)
    )
    with pytest.raises(OutOfProtocol, match="worth"):
        collaborated(document, tables)


@pytest.mark.parametrize(
    "changed",
    [
        {"attribute": -1},
        {"attribute": 99},
        {"born": 5},
        {"born": -1},
        {"children": ()},
        {"records": 0, "parts": b""},
        {"records": 10**12},
        {"parts": b"\xff"},
        {"children": ("one",), "parts": b"\xff\xff"},
    ],
)
def test_instructions_that_cannot_be_followed_end_the_session(
    changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    document, tables, _ = joint_table(7, holders=2)
    honest = Instruct.of.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Instruct, "of", classmethod(lambda cls, parting: replace(honest(cls, parting), **changed)))
    with pytest.raises(OutOfProtocol):
        collaborated(document, tables)


def test_requirements_on_sensitive_columns_need_the_protocol_that_looks_at_them() -> None:
    document, tables, _ = joint_table(3, holders=2, sensitive=True)
    with pytest.raises(Unsupported, match="ppmashup-beyond-k"):
        collaborated(document, tables)


def test_whoever_gave_more_than_the_others_waits() -> None:
    rule = PPMashupRational(epsilon=0.5)
    assert rule.contributes(0.0, 0.0, 2)
    assert rule.contributes(1.0, 0.5, 2)
    assert not rule.contributes(1.1, 0.5, 2)
    assert not rule.contributes(1.1, 1.0, 3)


class Late(PPMashupRational):
    """The second holder does not bid in the first rounds, whatever it has."""

    rounds = 2

    def _winner(self, seat: Any, key: int) -> Any:
        quiet = seat.index == 1 and seat.round <= self.rounds
        return (yield from super()._winner(seat, 0 if quiet else key))


@pytest.mark.parametrize("winner", ["plain", "pairwise"])
def test_who_bids_late_is_seen_by_all_and_who_may_wait_is_not_accused(winner: Any) -> None:
    document, tables, _ = joint_table(5, holders=3, protocol="ppmashup-rational")
    contract = contract_of({**document, "requirements": [{"id": "k-anonymity", "k": 1}]})
    brought = aligned(contract, tables, np.random.default_rng(0)).tables
    options = {"epsilon": 0.2, "winner": winner}
    honest = PPMashupRational(**options)
    given = holdings(honest, contract, brought)
    assert all(not share.underbids for share in honest.simulate(given).results.values())
    first, *others = Late(**options).simulate(holdings(honest, contract, brought)).results.values()
    assert {late.holder for late in first.underbids} == {"h1"}
    assert all(share.underbids == first.underbids for share in others)
    late = first.underbids[0]
    assert late.round <= Late.rounds < late.taken
    assert late.worth > late.winning
    assert "bid less than it could" in late.words()


@pytest.mark.parametrize(
    "requirement",
    [
        {"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"},
        {"id": "confidence-bounding", "value": "flu", "h": 0.6, "sensitive": "ill"},
        {"id": "alpha-k-anonymity", "alpha": 0.7, "k": 3, "sensitive": "ill"},
    ],
)
def test_a_secure_check_decides_as_one_holder_of_everything_does_and_tells_one_bit(requirement: dict[str, Any]) -> None:
    document, tables, joint = joint_table(27, holders=3, sensitive=True, protocol="ppmashup-beyond-k")
    document["requirements"] = [{"id": "k-anonymity", "k": 2}, requirement]
    expected = central(document, joint)
    found = collaborated(document, tables, check="secure_check")
    assert [(one.attribute, one.value) for one in found.performed] == steps(expected)
    told = {leak.message for leak in found.ledger.leaks}
    assert {"checked", "check.ask"} <= told
    assert "judged" not in told
    assert any(one.rejected for one in found.rounds)
    assert found.traffic.messages["instruct"] == 2 * len(found.performed)  # what is rejected is never told


def test_a_secure_check_refuses_what_counts_do_not_decide() -> None:
    document, tables, _ = joint_table(27, holders=3, sensitive=True, protocol="ppmashup-beyond-k")
    document["requirements"] = [{"id": "l-diversity-entropy", "l": 1.5, "sensitive": "ill"}]
    with pytest.raises(Unsupported, match="compares counts"):
        collaborated(document, tables, check="secure_check")
