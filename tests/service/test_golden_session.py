"""The worked example of two holders over mutual TLS, as processes of their own, with somebody who taps every wire."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from golden.test_mashup import columns_of, contract_of, label
from parties.tables_of_holders import Columns
from service.session_world import World, free_port
from sfumato.contracts.run import Run
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.local import converse
from sfumato.parties.conversation.message import Body
from sfumato.parties.sessions.session import JointSession, session_bodies, session_party
from sfumato.parties.simulation import collaborate
from sfumato.service.request import requested


class Tap:
    """A relay of bytes on loopback that keeps what passes, in both directions."""

    def __init__(self, port: int) -> None:
        self.target, self.heard = port, bytearray()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.door.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Tap:
        return self

    def __exit__(self, *_: object) -> None:
        self.door.close()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self.door.accept()
                called = socket.create_connection(("127.0.0.1", self.target), timeout=30)
            except OSError:
                return
            for ends in ((caller, called), (called, caller)):
                threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while part := source.recv(65536):
                self.heard += part
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            source.close()


class Example(World):
    """The holders, tables and contract of the example."""

    def __init__(self, folder: Path) -> None:
        path = Path(__file__).parents[1] / "golden" / "05-ppmashup-semi-honest-2.json"
        example = json.loads(path.read_text(encoding="utf-8"))
        self.given, self.expected = example["input"], example["expected"]
        super().__init__(folder)

    def agreed(self) -> tuple[dict[str, Any], dict[str, Columns]]:
        tables = {party["name"]: columns_of(party["table"]) for party in self.given["parties"]}
        return dict(contract_of(self.given, "ppmashup-semi-honest").document()), tables


@pytest.mark.slow
def test_two_holders_in_processes_of_their_own_find_the_example(tmp_path: Path) -> None:
    world = Example(tmp_path)
    document = world.contract(direct=True)
    with ExitStack() as stack:
        ports = {name: free_port() for name in (*world.tables, "coordinator")}
        taps = {name: stack.enter_context(Tap(port)) for name, port in ports.items()}
        for name, entry in document["holders"].items():
            entry["address"] = f"https://127.0.0.1:{taps[name].port}"
        address = f"https://127.0.0.1:{taps['coordinator'].port}"
        stack.enter_context(world.processes(document, address, ports))
        contract, server = Contract.of(document), world.people["coordinator"].pinned
        granted = requested(world.people["user"], server, address, contract, run=Run(), patience=90)
    end, wanted = granted.end, world.expected
    simulated = collaborate(contract, {name: pl.DataFrame(table) for name, table in world.tables.items()})
    assert granted.release.table.content_digest() == simulated.table.sort().content_digest()
    assert [(who, name, label(value)) for who, name, value in end.rounds] == [
        (one["winner"], one["attr"], one["value"]) for one in wanted["trace"] if one["winner"] is not None
    ]
    records = [{name: label(value) for name, value in zip(end.columns, row, strict=True)} for row in end.rows]
    assert len(records) == sum(len(group["ids"]) for group in wanted["groups"])
    for group in wanted["groups"]:
        counts = [records.count({**group["record"], "Class": one}) for one in "YN"]
        assert counts == group["class_YN"]
    logical = [body.type for body in contract.releasing().spoken() if not body.control]
    assert sum(end.traffic.messages.get(name, 0) for name in logical) == wanted["logical_messages"]
    assert all(len(tap.heard) > 1000 for tap in taps.values())
    wire = b"".join(bytes(tap.heard) for tap in taps.values())
    readable = [b"Janitor", b"Mover", b"Accountant", b"Manager", b"ANY_Sex", b"Salary", b'"session"', b'"from"']
    assert not [one for one in readable if one in wire]


def test_what_holders_say_holds_no_person_and_no_value_below_the_cut(tmp_path: Path) -> None:
    """What travels inside the connections, unpacked: labels of the cut and above, places of records, classes; no more."""
    world = Example(tmp_path)
    world.tables = {
        holder: {**table, "ID": [f"person-{one}" for one in table["ID"]]} for holder, table in world.tables.items()
    }
    contract = Contract.of(world.document)
    parties = [session_party(JointSession(contract, name, pl.DataFrame(world.tables[name]))) for name in world.tables]
    said = converse(parties, session_bodies(contract), keep=True).said
    texts = {text for message in said for text in spoken(message.body)}
    assert any(b"Carpenter" in text for text in texts)
    hidden = [b"person-", b"Janitor", b"Mover", b"Accountant", b"Lawyer", b"Male", b"Female"]
    assert not [word for word in hidden for text in texts if word in text]
    salaries = {str(one).encode() for one in world.tables["B"]["Salary"]} - {b"37"}  # where it was cut
    assert not salaries & texts


def spoken(value: object) -> Iterator[bytes]:
    """Give every text and every packed content of a body, and numbers as texts."""
    if isinstance(value, Body):
        yield from (text for one in fields(value) for text in spoken(getattr(value, one.name)))
    elif isinstance(value, tuple):
        yield from (text for one in value for text in spoken(one))
    elif value is not None:
        yield value if isinstance(value, bytes) else str(value).encode()
