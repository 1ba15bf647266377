"""Messages that no protocol sends, against holders that run: none crashes one, and none changes what a session ends with."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from service.session_world import World
from sfumato.contracts.run import Run
from sfumato.data.json import Json
from sfumato.errors import BadRequest, Contradiction, SfumatoError
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.envelope import Envelopes
from sfumato.parties.conversation.message import Message, canonical
from sfumato.parties.sessions.session import session_bodies
from sfumato.parties.simulation import collaborate
from sfumato.service.calls import signed_headers
from sfumato.service.coordinator import Coordinator
from sfumato.service.holder import Holder, Line
from sfumato.service.request import requested


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("hostile"))


class Noisy(Holder):
    """A holder that follows the protocol, and sends bad envelopes before each of its own until it has sent enough."""

    world: World
    most: int
    sent: int = 0

    def _send(
        self, line: Line, lines: dict[str, Line], session: str, envelopes: Envelopes, messages: list[Message]
    ) -> None:
        for message in messages:
            text = envelopes.wrapped(message)
            target = lines.get(message.receiver, line)
            path = f"/v1/sessions/{session}/messages" + ("" if lines else f"?to={message.receiver}")
            for bad in self._bad(envelopes, message, text):
                if self.sent >= self.most:
                    break
                self.sent += 1
                target.ask("POST", path, bad)
            target.ask("POST", path, text)
            target.ask("POST", path, text)  # once more: taken once

    def _bad(self, envelopes: Envelopes, message: Message, text: bytes) -> Iterator[bytes]:
        """Give what is tampered with, foreign, of another session, ahead of its time, or no envelope at all."""
        others, bodies, to = envelopes.others, envelopes.bodies, message.receiver
        rng, thief = np.random.default_rng(len(text)), self.world.people["thief"]
        yield from (b"", b"{}", b"[" * 5000, b"\xff" * 40, text[:-1], text + b" ", b"9" * 5000)
        foreign = Envelopes(thief, others, envelopes.session, envelopes.contract, bodies)
        elsewhere = Envelopes(self.identity, others, "0" * 32, envelopes.contract, bodies)
        early = Envelopes(self.identity, others, envelopes.session, envelopes.contract, bodies)
        early._sent[to] = (10**6, "")
        made = [one.wrapped(message) for one in (foreign, elsewhere, early)]
        if envelopes.is_sealed:
            yield from made
            yield from (others[to].sealed(one) for one in made)
        else:
            yield from made
            document: dict[str, Any] = json.loads(text)
            for change in ({"round": 99}, {"seq": 7}, {"sig": 3}, {"to": "h0"}, {"from": "nobody"}, {"body": {}}):
                yield canonical({**document, **change})
            for literal in (b"NaN", b'"\\ud800"', b"1e999", b"[" * 400 + b"]" * 400):
                yield text.replace(b'"round":%d' % message.round, b'"round":' + literal)
        while True:
            flipped = bytearray(text)
            for at in rng.integers(0, len(text), 3).tolist():
                flipped[at] ^= 1 << int(rng.integers(8))
            if bytes(flipped) != text:
                yield bytes(flipped)


def noisy_session(world: World, most: int, *, direct: bool) -> None:
    contract = Contract.of(world.contract(direct=direct))
    with world.coordinated() as (address, _):
        holders = [world.holder(name, contract, address) for name in contract.holders]
        first = holders[0]
        noisy = Noisy(**{name: getattr(first, name) for name in first.__dataclass_fields__})
        noisy.world, noisy.most = world, most
        user, server = world.people["user"], world.people["coordinator"].pinned
        with world.served([noisy, *holders[1:]]):
            granted = requested(user, server, address, contract, run=Run(), patience=60)
    simulated = collaborate(contract, {name: pl.DataFrame(table) for name, table in world.tables.items()})
    assert sorted(granted.end.rows) == sorted(simulated.table.to_rows())
    assert noisy.sent == most
    logged = [json.loads(line)["event"] for line in (world.folder / "h1.log").read_text().splitlines()]
    assert logged[-1] == "released"
    assert "stray envelopes" in logged[-2]


@pytest.mark.parametrize("direct", [False, True])
def test_a_session_ends_as_it_would_whatever_else_is_sent(world: World, direct: bool) -> None:
    noisy_session(world, 80, direct=direct)


@pytest.mark.nightly
@pytest.mark.parametrize("direct", [False, True])
def test_a_thousand_bad_messages_change_nothing(world: World, direct: bool) -> None:
    noisy_session(world, 1000, direct=direct)


def test_requests_that_no_holder_makes_are_refused_and_the_holder_stays(world: World) -> None:
    """Unknown sessions, strangers' signatures, replays of whole requests: a holder that listens answers, and stays."""
    contract = Contract.of(world.contract(direct=True))
    with world.coordinated() as (address, _):
        holder = world.holder("h1", contract, address)
        with holder.server("127.0.0.1:0") as server:
            line = Line(world.people["h0"], world.people["h1"].pinned, f"https://127.0.0.1:{server.port}")
            path = f"/v1/sessions/{'f' * 32}/messages"
            with pytest.raises(SfumatoError, match="takes part in"):
                line.ask("POST", path, b"{}")
            headers = signed_headers(world.people["h0"], line.server, path, b"{}")
            again = [line._client.post(path, content=b"{}", headers=headers) for _ in range(2)]
            assert ["heard already" in one.text for one in again] == [False, True]
            as_other = {**signed_headers(world.people["thief"], line.server, path, b"{}"), "party": "h2"}
            assert "not signed" in line._client.post(path, content=b"{}", headers=as_other).text
            for method, place in (("GET", path), ("POST", "/v1/sessions"), ("POST", "/docs"), ("DELETE", path)):
                assert line._client.request(method, place).status_code in (404, 405)
            assert not holder.mail._boxes
            line.close()


def test_a_holder_that_signs_nonsense_ends_the_session_and_no_process(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, coordinator):
        others = [world.holder(name, contract, address) for name in ("h1", "h2")]
        with world.served(others):
            line = Line(world.people["h0"], world.people["coordinator"].pinned, address)
            user = Line(world.people["user"], world.people["coordinator"].pinned, address)
            session = str(user.say("/v1/sessions", {"contract": contract.document()})["session"])
            line.say(f"/v1/sessions/{session}/approve", {"contract": contract.hash()})
            while user.ask("GET", f"/v1/sessions/{session}")["status"] == "NEGOTIATED":
                pass
            envelopes = Envelopes(
                world.people["h0"],
                others[0].others | others[1].others,
                session,
                contract.hash(),
                session_bodies(contract),
            )
            document = {"v": 1, "session": session, "contract": contract.hash(), "seq": 0, "prev": "", "round": 0}
            document |= {"from": "h0", "to": "h1", "type": "align.hidden", "body": {"owner": 0, "points": "AAAA"}}
            signature = envelopes.identity.sign(canonical(document))
            text = canonical({**document, "sig": base64.b64encode(signature).decode()})
            line.ask("POST", f"/v1/sessions/{session}/messages?to=h1", world.people["h1"].pinned.sealed(text))
        assert coordinator.sessions[session].status == "ABORTED"
        line.close()
        user.close()
    assert "not packed" in (world.folder / "h1.log").read_text().splitlines()[-1]


def test_a_coordinator_that_hands_out_an_earlier_session_is_not_believed(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, coordinator):
        coordinator.open = lambda *_: {"session": "0" * 32}  # type: ignore[method-assign]
        with pytest.raises(Contradiction, match="another session than"):
            requested(world.people["user"], world.people["coordinator"].pinned, address, contract, run=Run())


def test_sessions_that_never_ran_do_not_use_up_a_contract(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    members = {name: one.pinned for name, one in world.people.items() if name not in ("coordinator", "thief")}
    coordinator = Coordinator(world.people["coordinator"].pinned, members)
    for _ in range(6):  # a member whom no holder allows anything
        opened = coordinator.open("user", contract.document(), {"nonce": "not ours"})
        assert isinstance(opened, dict)
        coordinator.abort("h0", str(opened["session"]), "refused")
    assert coordinator.listed("h0") == []
    nonce: Json = {"nonce": "a" * 32}
    assert coordinator.open("user", contract.document(), nonce) == {"session": "a" * 32, "contract": contract.hash()}
    with pytest.raises(BadRequest, match="there already"):
        coordinator.open("user", contract.document(), nonce)
    for _ in range(4):
        coordinator.open("user", contract.document())
    with pytest.raises(BadRequest, match="too often"):
        coordinator.open("user", contract.document())
