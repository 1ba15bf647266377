"""A world of sessions on loopback: keys of everybody, a contract between holders, their tables, and servers that end."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from parties.tables_of_holders import Columns, joint_table
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.identity import Identity, new_certificate
from sfumato.publishing.signature import new_key
from sfumato.service.coordinator import Coordinator
from sfumato.service.holder import Holder
from sfumato.service.server import Server

SEED = 4


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class World:
    """Keys of everybody, a contract between three holders, and their tables."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.document, self.tables = self.agreed()
        self.people = {name: self.identity(name) for name in (*self.tables, "coordinator", "user", "thief")}

    def agreed(self) -> tuple[dict[str, Any], dict[str, Columns]]:
        document, tables, _ = joint_table(SEED, holders=3)
        return document, tables

    def identity(self, name: str) -> Identity:
        new_key(self.folder / f"{name}.key")
        new_certificate(name, self.folder / f"{name}.key", self.folder / f"{name}.crt")
        return Identity(name, self.folder / f"{name}.key", self.folder / f"{name}.crt")

    def contract(self, *, direct: bool) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(json.dumps(self.document))
        for name, entry in document["holders"].items():
            entry["certificate"] = self.people[name].pinned.certificate
            if direct:
                entry["address"] = f"https://127.0.0.1:{free_port()}"
        return document

    @contextmanager
    def coordinated(self, **options: Any) -> Iterator[tuple[str, Coordinator]]:
        members = {name: one.pinned for name, one in self.people.items() if name not in ("coordinator", "thief")}
        coordinator = Coordinator(members, **options)
        with Server(coordinator.app(), self.people["coordinator"], list(members.values()), "127.0.0.1:0") as server:
            yield f"https://127.0.0.1:{server.port}", coordinator

    def holder(self, name: str, contract: Contract, address: str, **options: Any) -> Holder:
        listen = contract.holders[name].address
        return Holder(
            identity=self.people[name],
            contract=contract,
            source=pl.DataFrame(self.tables[name]),
            coordinator=self.people["coordinator"].pinned,
            address=address,
            agrees=options.pop("agrees", lambda requester, _: requester == "user"),
            listen=None if listen is None else listen.removeprefix("https://"),
            audit=self.folder / f"{name}.log",
            **{"deadline": 30.0, **options},
        )

    @contextmanager
    def served(self, holders: list[Holder]) -> Iterator[None]:
        until = time.monotonic() + 60
        threads = [
            threading.Thread(target=one.serve, kwargs={"sessions": 1, "pause": 0.05, "until": until}, daemon=True)
            for one in holders
        ]
        for thread in threads:
            thread.start()
        yield
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive()
