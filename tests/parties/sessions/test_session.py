"""Sessions: what holders find by messages alone is what a simulation finds; envelopes that are not the next one are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from parties.tables_of_holders import joint_table
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.envelope import Envelopes, Repeated
from sfumato.parties.conversation.identity import Identity, Pinned, new_certificate
from sfumato.parties.conversation.local import Conversation, converse
from sfumato.parties.conversation.message import Message, OutOfProtocol, canonical
from sfumato.parties.sessions.session import JointSession, joint_table_release, session_bodies, session_party
from sfumato.parties.sessions.session_end import SessionEnd
from sfumato.parties.simulation import collaborate
from sfumato.publishing.signature import new_key


def talked(contract: Contract, tables: dict[str, Any], **options: Any) -> Conversation[SessionEnd]:
    parties = [session_party(JointSession(contract, name, pl.DataFrame(tables[name]))) for name in contract.holders]
    return converse(parties, session_bodies(contract), **options)


@pytest.mark.parametrize("seed, holders, protocol", [(0, 2, "semi-honest"), (3, 3, "beyond-k"), (4, 4, "semi-honest")])
def test_a_session_ends_with_what_a_simulation_finds(seed: int, holders: int, protocol: str) -> None:
    document, tables, _ = joint_table(
        seed, holders=holders, sensitive=protocol == "beyond-k", protocol=f"ppmashup-{protocol}"
    )
    contract = Contract.of(document)
    found = talked(contract, tables, keep=True)
    end, *others = found.results.values()
    assert all(other == end for other in others)
    simulated = collaborate(contract, {name: pl.DataFrame(table) for name, table in tables.items()})
    shown = [name for name in simulated.table.columns if name != "ill"]  # shuffled inside groups, by another generator
    places = [end.columns.index(name) for name in shown]
    assert sorted(tuple(row[at] for at in places) for row in end.rows) == sorted(
        simulated.table.select(shown).to_rows()
    )
    assert list(end.rounds) == [(one.winner, one.attribute, one.value) for one in simulated.performed]
    # What is said last tells the others what was learnt, and cannot tell of itself.
    assert {message.body.type for message in found.said} - {"share.told"} <= {leak.message for leak in end.leaks}
    assert SessionEnd.of(json.loads(canonical(end.document()))) == end
    release = joint_table_release(contract, end, Run())
    assert release.verdict
    said = b"".join(message.text() for message in found.said)
    assert not any(f'"{person}"'.encode() in said for person in tables["h0"]["id"])


def test_persons_that_differ_end_a_session_unless_the_contract_takes_those_that_all_have() -> None:
    document, tables, _ = joint_table(0, holders=2)
    tables["h1"] = {name: values[:-3] for name, values in tables["h1"].items()}
    with pytest.raises(BadRequest, match="3 persons that another holder does not have"):
        talked(Contract.of(document), tables)
    end = talked(Contract.of({**document, "align": "intersection"}), tables).results["h0"]
    assert len(end.rows) == len(tables["h1"]["id"])


def test_missing_values_are_settled_as_a_simulation_settles_them() -> None:
    document, tables, _ = joint_table(27, holders=3, sensitive=True, protocol="ppmashup-beyond-k")
    document["columns"]["ill"]["missing"] = document["columns"]["class"]["missing"] = "own-value"
    document["columns"]["note"] = {"role": "plain"}
    document["holders"]["h2"]["columns"] = [*document["holders"]["h2"]["columns"], "note"]
    count = len(tables["h0"]["id"])
    tables["h2"]["note"] = ["seen", None] * (count // 2)
    for name in ("ill", "class"):
        tables["h0"][name][:2] = [None, None]
    contract = Contract.of(document)
    end = talked(contract, tables).results["h1"]
    simulated = collaborate(contract, {name: pl.DataFrame(table) for name, table in tables.items()}).table
    for name in ("ill", "class", "note"):
        told = sorted(row[end.columns.index(name)] for row in end.rows)
        assert told == sorted(str(row[0] or "") for row in simulated.select([name]).to_rows())
    assert joint_table_release(contract, end, Run()).verdict
    del document["columns"]["ill"]["missing"]
    with pytest.raises(BadRequest, match="no rule for them"):
        talked(Contract.of(document), tables)


# ---- envelopes -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    folder = tmp_path_factory.mktemp("keys")
    out = {}
    for name in ("bank", "shop", "thief"):
        new_key(folder / f"{name}.key")
        new_certificate(name, folder / f"{name}.key", folder / f"{name}.crt")
        out[name] = Identity(name, folder / f"{name}.key", folder / f"{name}.crt")
    return out


def pair(people: dict[str, Identity], **options: Any) -> tuple[Envelopes, Envelopes, list[Message]]:
    document, tables, _ = joint_table(0, holders=2)
    names = {"h0": "bank", "h1": "shop"}
    document["holders"] = {names[name]: entry for name, entry in document["holders"].items()}
    contract = Contract.of(document)
    held = {names[name]: table for name, table in tables.items()}
    said = [one for one in talked(contract, held, keep=True).said if one.sender == "bank"]
    bodies = session_bodies(contract)
    bank, shop = people["bank"], people["shop"]
    sends = Envelopes(bank, {"shop": shop.pinned}, "s", contract.hash(), bodies, **options)
    takes = Envelopes(shop, {"bank": bank.pinned}, "s", contract.hash(), bodies, **options)
    return sends, takes, said


@pytest.mark.parametrize("sealed", [False, True])
def test_envelopes_are_taken_once_and_in_order(people: dict[str, Identity], sealed: bool) -> None:
    sends, takes, said = pair(people, sealed=sealed)
    sent = [sends.wrapped(message) for message in said[:4]]
    assert not sealed or b"contract" not in sent[0]
    assert takes.taken(sent[0]) == said[0]
    with pytest.raises(Repeated):
        takes.taken(sent[0])
    with pytest.raises(OutOfProtocol, match="comes next"):
        takes.taken(sent[2])
    assert [takes.taken(one) for one in sent[1:]] == said[1:4]


def test_what_is_changed_foreign_or_of_another_session_is_refused(people: dict[str, Identity]) -> None:
    sends, takes, said = pair(people)
    good = sends.wrapped(said[0])
    document = json.loads(good)
    others = {"shop": people["shop"].pinned}
    stolen = Envelopes(people["thief"], others, "s", takes.contract, takes.bodies).wrapped(said[0])
    as_bank = canonical({**json.loads(stolen), "from": "bank"})
    elsewhere = Envelopes(people["bank"], others, "other", takes.contract, takes.bodies).wrapped(said[0])
    elsewhat = Envelopes(people["bank"], others, "s", "0" * 64, takes.bodies).wrapped(said[0])
    bad = [
        canonical({**document, "round": 9}),
        canonical({**document, "seq": 1}),
        canonical({**document, "sig": "AAAA"}),
        canonical({**document, "sig": 3}),
        canonical({**document, "more": 1}),
        good + b" ",
        good[:-1],
        b"",
        b"[]",
        b"[" * 5000,
        stolen,
        as_bank,
        elsewhere,
        elsewhat,
    ]
    for text in bad:
        with pytest.raises(OutOfProtocol):
            takes.taken(text)
    assert takes.taken(good) == said[0]
    sealed = Envelopes(people["shop"], {"bank": people["bank"].pinned}, "s", takes.contract, takes.bodies, sealed=True)
    with pytest.raises(BadRequest, match="not sealed"):
        sealed.taken(good)


def test_keys_and_certificates_must_belong_together(people: dict[str, Identity], tmp_path: Path) -> None:
    folder = people["bank"].key_file.parent
    with pytest.raises(BadRequest, match="not that of the key"):
        Identity("bank", folder / "bank.key", folder / "shop.crt")
    with pytest.raises(BadRequest, match="PEM"):
        _ = Pinned("bank", "nothing").key
    with pytest.raises(BadRequest, match="never overwritten"):
        new_certificate("bank", folder / "bank.key", folder / "bank.crt")
    for name in ("", "a" * 65, "two words", "-"):
        with pytest.raises(BadRequest, match="at most 64"):
            new_certificate(name, folder / "bank.key", tmp_path / "odd.crt")
    new_certificate("a" * 64, folder / "bank.key", tmp_path / "long.crt")
    assert (folder / "bank.key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("holders", [2, 3])
def test_holders_of_the_same_persons_send_no_person_and_others_are_told_how_many_differ(holders: int) -> None:
    document, tables, _ = joint_table(1, holders=holders)
    found = talked(Contract.of(document), tables)
    assert found.traffic.messages["align.whole.hidden"] == holders**2
    assert "align.hidden" not in found.traffic.messages
    assert found.traffic.bytes["align.whole.hidden"] < 200 * holders**2
    assert any(leak.message == "align.whole.hidden" for leak in found.ledger.learnt_by("h1"))
    some = {**document, "align": "intersection"}
    assert talked(Contract.of(some), tables).results["h0"].rows == found.results["h0"].rows
