"""A world of sessions on loopback: keys of everybody, a contract between holders, their tables, and what runs until it ends."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from nursery import begun
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


@contextmanager
def process(folder: Path, verb: str, name: str, settings: dict[str, Any]) -> Iterator[None]:
    """Run a holder or a coordinator in a process of its own, until the end."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if key != "members"]
    members = [f"{key} = {json.dumps(value)}" for key, value in settings.get("members", {}).items()]
    (folder / f"{name}.toml").write_text("\n".join([*lines, "[members]", *members] if members else lines) + "\n")
    words = ("party", verb, "--quiet", "--config", str(folder / f"{name}.toml"))
    started = begun("from sfumato.cli.main import run; run()", *words)
    try:
        yield
    finally:
        started.send_signal(signal.SIGTERM)
        started.wait()


def listening(port: int) -> None:
    """Wait until a process listens."""
    until = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return


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
        coordinator = Coordinator(self.people["coordinator"].pinned, members, **options)
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

    @contextmanager
    def processes(self, document: dict[str, Any], address: str, ports: dict[str, int]) -> Iterator[None]:
        """Run the coordinator and every holder in a process of its own; who has a port listens there."""
        (self.folder / "contract.json").write_text(json.dumps(document), encoding="utf-8")
        with ExitStack() as stack:
            for name in ("coordinator", *self.tables):
                own: dict[str, Any] = {"name": name, "key": f"{name}.key", "certificate": f"{name}.crt"}
                own |= {"listen": f"127.0.0.1:{ports[name]}"} if name in ports else {}
                if name == "coordinator":
                    own["members"] = {one: f"{one}.crt" for one in (*self.tables, "user")}
                    stack.enter_context(process(self.folder, "coordinate", name, own))
                    continue
                pl.DataFrame(self.tables[name]).write_csv(self.folder / f"{name}.csv")
                own |= {"contract": "contract.json", "source": f"{name}.csv", "approve": "rule", "allow": ["user"]}
                own |= {"coordinator": address, "coordinator_certificate": "coordinator.crt"}
                stack.enter_context(process(self.folder, "serve", name, own))
            listening(ports["coordinator"])
            yield
