"""Sessions over TLS on loopback: released as simulated, aborted everywhere when somebody is gone, unmoved by garbage."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import time
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl
import pytest

from nursery import begun
from service.session_world import World
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, SfumatoError
from sfumato.parties.contract import Contract
from sfumato.parties.simulation import collaborate
from sfumato.service.calls import Callers, signed_headers
from sfumato.service.coordinator import Coordinator
from sfumato.service.holder import Aborted, Line
from sfumato.service.request import requested
from sfumato.service.settings import CoordinatorSettings, HolderSettings


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


@pytest.mark.parametrize("direct", [False, True])
def test_three_holders_release_what_a_simulation_finds(world: World, direct: bool) -> None:
    contract = Contract.of(world.contract(direct=direct))
    with world.coordinated() as (address, coordinator):
        holders = [world.holder(name, contract, address) for name in contract.holders]
        posted: list[bytes] = []
        for mail in (coordinator.mail, *(one.mail for one in holders)):
            _overheard(mail, posted)
        user, server = world.people["user"], world.people["coordinator"].pinned
        with world.served(holders):
            granted = requested(user, server, address, contract, run=Run(), patience=60)
    simulated = collaborate(contract, {name: pl.DataFrame(table) for name, table in world.tables.items()})
    assert sorted(granted.end.rows) == sorted(simulated.table.to_rows())
    assert granted.release.verdict
    assert set(granted.signatures) == set(contract.holders)
    wire = b"".join(posted)
    assert not any(f'"{person}"'.encode() in wire for person in world.tables["h0"]["id"])
    assert direct or b'"session"' not in wire
    log = [json.loads(line) for line in (world.folder / "h0.log").read_text().splitlines()]
    assert [entry["event"] for entry in log][-2:] == ["approved", "released"]
    assert (world.folder / "h0.log").stat().st_mode & 0o077 == 0


def test_a_holder_that_cannot_read_what_it_has_agrees_to_nothing(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, coordinator):
        holders = [world.holder(name, contract, address) for name in contract.holders]
        holders[1].source, holders[1].audit = world.folder / "gone.csv", world.folder / "gone.log"
        user, server = world.people["user"], world.people["coordinator"].pinned
        # Of the others one may come when all is over, and would wait for another session.
        with world.served(holders[1:2]), pytest.raises(Aborted, match="h1 has ended it; its log says why"):
            requested(user, server, address, contract, run=Run(), patience=60)
        assert [one.ran for one in coordinator.sessions.values()] == [False]
    log = [json.loads(line) for line in (world.folder / "gone.log").read_text().splitlines()]
    assert [entry["event"].partition(":")[0] for entry in log] == ["ended"]


def test_whoever_speaks_after_the_end_hears_that_it_is_over(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, coordinator):
        holders = [world.holder(name, contract, address) for name in contract.holders]
        holders[0].audit = world.folder / "late.log"
        post = coordinator.post

        def over(caller: str, session: str, receiver: str, envelope: bytes) -> Any:
            coordinator.abort("h1", session)
            return post(caller, session, receiver, envelope)

        coordinator.post = over  # type: ignore[method-assign]
        user, server = world.people["user"], world.people["coordinator"].pinned
        with world.served(holders), pytest.raises(Aborted, match="h1 has ended it"):
            requested(user, server, address, contract, run=Run(), patience=60)
    log = [json.loads(line) for line in (world.folder / "late.log").read_text().splitlines()]
    assert [entry["event"] for entry in log] == ["approved", "ended: another holder has ended it"]


def _overheard(mail: Any, posted: list[bytes]) -> None:
    post = mail.post

    def heard(session: str, receiver: str, *envelopes: bytes) -> None:
        posted.extend(envelopes)
        post(session, receiver, *envelopes)

    mail.post = heard


def test_a_holder_that_does_not_agree_ends_it_for_all(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, coordinator):
        holders = [world.holder(name, contract, address) for name in contract.holders]
        holders[1].agrees = lambda *_: not _approved(coordinator, {"h0", "h2"})
        with (
            world.served(holders),
            pytest.raises(Aborted, match="h1 has ended it: it knows another contract"),
        ):
            requested(
                world.people["user"], world.people["coordinator"].pinned, address, contract, run=Run(), patience=60
            )


def test_whoever_asks_hears_that_lists_of_persons_differ_and_not_by_how_much(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, coordinator):
        holders = [world.holder(name, contract, address) for name in contract.holders]
        holders[1].source = pl.DataFrame(world.tables["h1"])[:-1]
        user, server = world.people["user"], world.people["coordinator"].pinned
        with world.served(holders), pytest.raises(Aborted, match="not all holders have the same persons") as ended:
            requested(user, server, address, contract, run=Run(), patience=60)
        assert not any(one.isdigit() for one in str(ended.value).replace("h0", "").replace("h2", ""))
        line = Line(user, server, address)
        (session,) = coordinator.sessions
        begun = time.monotonic()
        for wait in ("1", "%C2%B2", "-1", "9999", "1e9"):  # what is over is told at once, whatever is asked for
            assert line.ask("GET", f"/v1/sessions/{session}?since=RUNNING&wait={wait}")["status"] == "ABORTED"
        assert time.monotonic() - begun < 5
        line.close()


def _approved(coordinator: Coordinator, names: set[str]) -> bool:
    """Wait until all others have agreed to the one session: whoever has not seen it yet would never hear that it ended."""
    (session,) = coordinator.sessions.values()
    until = time.monotonic() + 60
    while session.approved != names and time.monotonic() < until:
        time.sleep(0.02)
    return session.approved == names


@pytest.mark.slow
def test_a_killed_holder_ends_a_session_everywhere(world: World) -> None:
    """One holder is a process of its own that is killed after it has agreed; the others end within their deadline."""
    document = world.contract(direct=False)
    contract = Contract.of(document)
    (world.folder / "contract.json").write_text(json.dumps(document), encoding="utf-8")
    pl.DataFrame(world.tables["h2"]).write_csv(world.folder / "h2.csv")
    with world.coordinated() as (address, coordinator):
        settings = {
            "name": "h2",
            "key": "h2.key",
            "certificate": "h2.crt",
            "contract": "contract.json",
            "source": "h2.csv",
            "coordinator": address,
            "coordinator_certificate": "coordinator.crt",
            "approve": "rule",
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        (world.folder / "h2.toml").write_text("\n".join([*lines, 'allow = ["user"]', ""]), encoding="utf-8")
        words = ("party", "serve", "--config", str(world.folder / "h2.toml"))
        killed = begun("from sfumato.cli.main import run; run()", *words)
        holders = [world.holder(name, contract, address, deadline=3.0) for name in ("h0", "h1")]
        try:
            line = Line(world.people["user"], world.people["coordinator"].pinned, address)
            session = str(line.say("/v1/sessions", {"contract": contract.document()})["session"])
            until = time.monotonic() + 90
            while "h2" not in coordinator.sessions[session].approved and time.monotonic() < until:
                time.sleep(0.02)
            killed.send_signal(signal.SIGKILL)
            with world.served(holders):
                pass
            assert line.ask("GET", f"/v1/sessions/{session}")["status"] == "ABORTED"
            line.close()
        finally:
            with suppress(ProcessLookupError):
                killed.send_signal(signal.SIGKILL)
            killed.wait()
    assert coordinator.sessions[session].ends == {}
    assert "ended:" in (world.folder / "h0.log").read_text().splitlines()[-1]


def test_garbage_moves_nothing(world: World) -> None:
    """A thousand bad requests against a coordinator: none is answered with success, none changes a session."""
    contract = Contract.of(world.contract(direct=False))
    rng = np.random.default_rng(7)
    with world.coordinated() as (address, coordinator):
        line = Line(world.people["h0"], world.people["coordinator"].pinned, address)
        session = str(
            Line(world.people["user"], world.people["coordinator"].pinned, address).say(
                "/v1/sessions", {"contract": contract.document()}
            )["session"]
        )
        before = json.dumps(line.ask("GET", f"/v1/sessions/{session}"), sort_keys=True)
        paths = ["messages?to=h1", "messages", "approve", "release", "mail", "nothing", "../x"]
        pieces = [b"{}", b"[]", b"", b'{"contract":1}', b'{"end":{},"signature":"x"}', b'{"after":-1}', b"\xff" * 40]
        for at in range(1000):
            path = f"/v1/sessions/{session if at % 3 else 'f' * 32}/{paths[int(rng.integers(len(paths)))]}"
            body = pieces[int(rng.integers(len(pieces)))] + rng.bytes(int(rng.integers(0, 30))) * int(rng.integers(2))
            if at % 2:
                response = line._client.post(path, content=body, headers={"party": "h0", "party-at": "1"})
                assert response.status_code in (400, 404, 405)
            elif "approve" not in path:
                with pytest.raises(SfumatoError):
                    line.ask("POST", path, body)
        assert json.dumps(line.ask("GET", f"/v1/sessions/{session}"), sort_keys=True) == before
        assert not coordinator.mail._boxes
        line.close()


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "https://", "https://127.0.0.1:port", "bank"])
def test_what_is_no_address_is_refused(world: World, address: str) -> None:
    with pytest.raises(BadRequest, match="https://HOST:PORT"):
        Line(world.people["user"], world.people["coordinator"].pinned, address)


def test_a_clock_that_is_wrong_is_said_to_its_owner_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    own = world.people["coordinator"].pinned
    callers = Callers(own, {"user": world.people["user"].pinned})
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1000)
    late = signed_headers(world.people["user"], own, "/", b"")
    monkeypatch.undo()
    with pytest.raises(BadRequest, match="more than 300 seconds before or after the clock here"):
        callers.caller("/", late, b"")
    with pytest.raises(BadRequest, match="not signed"):
        callers.caller("/", {**late, "party-nonce": "0" * 32}, b"")


def test_whoever_asks_hears_who_did_not_agree(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, _), pytest.raises(Aborted, match="h0, h1 and h2 did not agree yet"):
        requested(world.people["user"], world.people["coordinator"].pinned, address, contract, run=Run(), patience=0.1)


def test_strangers_and_old_protocols_get_no_connection(world: World) -> None:
    with world.coordinated() as (address, _):
        with pytest.raises(Aborted, match="does not know the certificate that was shown"):
            Line(world.people["thief"], world.people["coordinator"].pinned, address).ask("GET", "/v1/sessions")
        with pytest.raises(Aborted, match="does not answer with the certificate that is pinned"):
            Line(world.people["user"], world.people["thief"].pinned, address).ask("GET", "/v1/sessions")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        host, port = address.removeprefix("https://").split(":")
        with socket.create_connection((host, int(port)), timeout=5) as plain, pytest.raises(ssl.SSLError):
            context.wrap_socket(plain)


@pytest.mark.parametrize(
    "text, error",
    [
        ("name = ", "is no TOML"),
        ("colour = 1", "is not a setting"),
        ('name = "h0"', "must be given as a text"),
        ('name = "h0"\nkey = "no.key"\ncertificate = "h0.crt"', "cannot be read"),
        ('name = "h0"\nkey = "h0.key"\ncertificate = "h1.crt"', "not that of the key"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(world: World, text: str, error: str) -> None:
    file = world.folder / "bad.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadRequest, match=error):
        HolderSettings(file).holder(None, lambda *_: False)
    with pytest.raises(BadRequest):
        CoordinatorSettings(file).coordinator(None)


@pytest.mark.parametrize("listen", ["127.0.0.1", "127.0.0.1:", "127.0.0.1:\u00b2", "127.0.0.1:65536"])
def test_what_is_no_place_to_listen_is_refused(world: World, listen: str) -> None:
    holder = world.holder("h0", Contract.of(world.contract(direct=True)), "https://127.0.0.1:1")
    with pytest.raises(BadRequest, match="HOST:PORT"):
        holder.server(listen)


def test_a_holder_that_cannot_write_its_log_takes_part_in_nothing(world: World) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, coordinator):
        holder = world.holder("h0", contract, address)
        holder.audit = world.folder  # a folder is no log
        with pytest.raises(BadRequest, match="audit: cannot be written"):
            holder.serve(sessions=1, until=time.monotonic())
        opened = coordinator.open("user", contract.document())
        assert isinstance(opened, dict)
        session = str(opened["session"])
        line = Line(holder.identity, holder.coordinator, address)
        with pytest.raises(BadRequest, match="audit: cannot be written"):  # the log went away while it served
            holder._joined(line, {"session": session, "requester": "user", "contract": contract.document()})
        line.close()
        assert coordinator.sessions[session].status == "ABORTED"
        assert not coordinator.sessions[session].approved
