"""A session to look at: a coordinator and three holders with invented data on this machine, and what they publish together."""

from __future__ import annotations

import csv
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.json import Json
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.identity import Identity, new_certificate
from sfumato.publishing.signature import new_key
from sfumato.service.coordinator import Coordinator
from sfumato.service.request import Granted, requested
from sfumato.service.server import Server

__all__ = ["demonstrated", "invented"]

_JOBS: Json = {
    "value": "any job",
    "children": [
        {"value": "trade", "children": [{"value": "joiner"}, {"value": "painter"}, {"value": "plumber"}]},
        {"value": "office", "children": [{"value": "clerk"}, {"value": "lawyer"}, {"value": "teacher"}]},
    ],
}
_TOWNS: Json = {
    "value": "anywhere",
    "children": [
        {"value": "north", "children": [{"value": "Nordby"}, {"value": "Isholm"}]},
        {"value": "south", "children": [{"value": "Sudheim"}, {"value": "Weinfeld"}]},
    ],
}
_COLUMNS: Mapping[str, tuple[str, ...]] = {"loans": ("age",), "bank": ("job",), "insurer": ("town", "claims")}


def invented(records: int, rng: np.random.Generator) -> tuple[dict[str, Json], dict[str, dict[str, list[str]]]]:
    """Return a contract between three holders, and an invented table of each."""
    persons = [f"P-{number:06d}" for number in rng.choice(10**6, records, replace=False).tolist()]
    age = rng.integers(18, 80, records)
    job = rng.choice(["joiner", "painter", "plumber", "clerk", "lawyer", "teacher"], records)
    town = rng.choice(["Nordby", "Isholm", "Sudheim", "Weinfeld"], records)
    likely = 0.1 + 0.3 * (age > 45) + 0.35 * np.isin(job, ["clerk", "lawyer", "teacher"]) + 0.2 * (town == "Nordby")
    whole = {
        "age": age.tolist(),
        "job": job.tolist(),
        "town": town.tolist(),
        "claims": rng.choice(["none", "few", "many"], records, p=[0.6, 0.3, 0.1]).tolist(),
        "repays": np.where(rng.random(records) < likely, "yes", "no").tolist(),
    }
    tables = {}
    for holder, names in _COLUMNS.items():
        order = rng.permutation(records).tolist()
        mine = {"person": persons, **{name: whole[name] for name in names}}
        mine |= {"repays": whole["repays"]} if holder == "loans" else {}
        tables[holder] = {name: [str(values[at]) for at in order] for name, values in mine.items()}
    document: dict[str, Json] = {
        "holders": {name: {"person": "person", "columns": list(names)} for name, names in _COLUMNS.items()},
        "protocol": {"id": "ppmashup-semi-honest"},
        "columns": {
            "age": {"role": "quasi-identifier", "range": [0, 100]},
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": _JOBS}},
            "town": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": _TOWNS}},
            "claims": {"role": "sensitive"},
            "repays": {"role": "target"},
        },
        "requirements": [{"id": "k-anonymity", "k": 8}],
    }
    return document, tables


def demonstrated(run: Run, *, direct: bool = False, records: int = 400, patience: float = 120.0) -> Granted:
    """Start all of them, ask for a session, and stop them again; holders are processes of their own."""
    document, tables = invented(records, run.rng)
    with tempfile.TemporaryDirectory(prefix="sfumato-party-") as place, ExitStack() as stack:
        folder = Path(place)
        people = {name: _identity(folder, name) for name in (*tables, "coordinator", "analyst")}
        holders = document["holders"]
        assert isinstance(holders, dict)
        for name in tables:
            holders[name]["certificate"] = people[name].pinned.certificate
            if direct:
                holders[name]["address"] = f"https://127.0.0.1:{_free_port()}"
        contract = Contract.of(document)
        (folder / "contract.json").write_text(json.dumps(document), encoding="utf-8")
        members = {name: one.pinned for name, one in people.items() if name != "coordinator"}
        coordinator = Coordinator(people["coordinator"].pinned, members, deadline=patience)
        server = Server(coordinator.app(), people["coordinator"], list(members.values()), "127.0.0.1:0")
        stack.enter_context(server)
        address = f"https://127.0.0.1:{server.port}"
        run.stage("starting three holders")
        for name, table in tables.items():
            stack.callback(_stop, _start(folder, name, table, address, contract.holders[name].address))
        return requested(people["analyst"], people["coordinator"].pinned, address, contract, run=run, patience=patience)


def _identity(folder: Path, name: str) -> Identity:
    new_key(folder / f"{name}.key")
    new_certificate(name, folder / f"{name}.key", folder / f"{name}.crt")
    return Identity(name, folder / f"{name}.key", folder / f"{name}.crt")


def _start(
    folder: Path, name: str, table: Mapping[str, list[str]], address: str, listen: str | None
) -> subprocess.Popen[bytes]:
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    settings = {
        "name": name,
        "key": f"{name}.key",
        "certificate": f"{name}.crt",
        "contract": "contract.json",
        "source": f"{name}.csv",
        "coordinator": address,
        "coordinator_certificate": "coordinator.crt",
        "approve": "rule",
        **({"listen": listen.removeprefix("https://")} if listen else {}),
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    (folder / f"{name}.toml").write_text(
        "\n".join([*lines, 'allow = ["analyst"]', "deadline = 60", ""]), encoding="utf-8"
    )
    command = [sys.executable, "-m", "sfumato", "party", "serve", "--config", str(folder / f"{name}.toml")]
    return subprocess.Popen(
        [*command, "--sessions", "1", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait(timeout=10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found
