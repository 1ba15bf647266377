"""A session over a network beside one holder of everything: seconds of each part, and bytes against the formula.

    python benchmarks/parties_session.py [--records 100000] [--k 50] [--align exact]

Two holders of five attributes each and a coordinator, processes of their own on this machine, messages over TLS straight from
one holder to the other, plain bids. Central runs and sessions take turns, and the fastest of each counts: the first loads
what a process loads once. Told are bringing persons together (to the first bid), the search (to its last word) and all the
rest (asking, approving, opening tables, certifying at every holder and at whoever asked), beside two central runs: the search
of one holder of everything, and the same with its release written and verified, as every holder does before it signs.
Figures are written to ``benchmarks/parties.json``.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from measured import load_kernels

SESSIONS = 4  # a contract may be tried five times
FIGURES = Path(__file__).with_name("parties.json")


def written(figures: dict[str, Any]) -> None:
    """Put figures beside those that are there."""
    held = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    FIGURES.write_text(json.dumps({**held, **figures}, indent=1, sort_keys=True) + "\n")


def agreed(records: int, k: int = 50, align: str = "exact") -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Return a contract between two holders, and the joint table."""
    rng = np.random.default_rng(7)
    columns: dict[str, Any] = {}
    table: dict[str, list[Any]] = {"person": [f"P-{at:07d}" for at in rng.permutation(10 * records)[:records].tolist()]}
    worth = np.zeros(records)
    for at in range(10):
        name = f"a{at}"
        if at % 2:
            values = rng.integers(0, 100, records)
            columns[name] = {"role": "quasi-identifier", "range": [0, 100]}
            table[name] = values.tolist()
        else:
            values = rng.integers(0, 8, records)
            leaves = [{"value": f"{name}.{one}"} for one in range(8)]
            tree = {
                "value": name,
                "children": [{"value": f"{name}/{h}", "children": leaves[4 * h : 4 * h + 4]} for h in (0, 1)],
            }
            columns[name] = {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}
            table[name] = [f"{name}.{one}" for one in values.tolist()]
        worth += values / values.max() * rng.uniform(0.2, 1)
    table["class"] = np.where(worth + rng.normal(0, 0.5, records) > np.median(worth), "yes", "no").tolist()
    columns["class"] = {"role": "target"}
    document = {
        "holders": {
            f"h{h}": {"person": "person", "columns": [f"a{at}" for at in range(5 * h, 5 * h + 5)]} for h in (0, 1)
        },
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": k}],
        **({} if align == "exact" else {"align": align}),
        "protocol": {"id": "ppmashup-semi-honest"},
        "metrics": [],
    }
    return document, table


def held_by(folder: Path, name: str) -> None:
    """Run one holder, and write when it sent its first and last message of each type."""
    import sfumato.parties.sessions.session as joint
    from sfumato.service.holder import Holder
    from sfumato.service.settings import HolderSettings

    load_kernels()
    times: dict[str, dict[str, list[float]]] = {}
    plain, together = Holder._send, joint.aligned_persons

    def aligned(seat: Any, persons: Any, *, exact: bool) -> Any:
        begun.append(time.time())  # hiding persons takes time before the first message
        return together(seat, persons, exact=exact)

    begun: list[float] = []
    joint.aligned_persons = aligned

    def send(self: Holder, line: Any, lines: Any, session: str, envelopes: Any, messages: Any) -> None:
        for message in messages:
            own = times.setdefault(session, {"begun": [begun[-1], 0.0]})
            own.setdefault(message.body.type, [time.time(), 0.0])[1] = time.time()
        plain(self, line, lines, session, envelopes, messages)

    Holder._send = send  # type: ignore[method-assign]
    HolderSettings(folder / f"{name}.toml").holder(None, lambda *_: False).serve(sessions=SESSIONS)
    (folder / f"{name}.times.json").write_text(json.dumps(times))


def settings_of(folder: Path, name: str, settings: dict[str, Any], *lines: str) -> Path:
    """Write the settings of somebody who takes part."""
    own = {"name": name, "key": f"{name}.key", "certificate": f"{name}.crt", **settings}
    file = folder / f"{name}.toml"
    file.write_text("\n".join([*(f"{key} = {json.dumps(value)}" for key, value in own.items()), *lines]) + "\n")
    return file


def waited(port: int) -> None:
    """Wait until somebody listens."""
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)


def main() -> None:
    """Print and write the figures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--records", type=int, default=100_000)
    asked.add_argument("--k", type=int, default=50)
    asked.add_argument("--align", choices=["exact", "intersection"], default="exact")
    asked.add_argument("--holder", nargs=2)
    given = asked.parse_args()
    if given.holder:
        held_by(Path(given.holder[0]), given.holder[1])
        return
    import sfumato
    from sfumato.contracts.run import Run
    from sfumato.parties.contract import Contract
    from sfumato.parties.protocols import CommunicationCost
    from sfumato.parties.sessions.leaving import written_certificate
    from sfumato.service.demo import _free_port, _identity
    from sfumato.service.request import requested

    document, table = agreed(given.records, given.k, given.align)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        people = {name: _identity(folder, name) for name in ("h0", "h1", "coordinator", "user")}
        for name in ("h0", "h1"):
            document["holders"][name] |= {
                "certificate": people[name].pinned.certificate,
                "address": f"https://127.0.0.1:{_free_port()}",
            }
        contract = Contract.of(document)
        (folder / "contract.json").write_text(json.dumps(document))
        for name, held in (("h0", [0, 5]), ("h1", [5, 10]), ("all", [0, 10])):
            own = [f"a{at}" for at in range(*held)] + ([] if name == "h1" else ["class"])
            own = own if name == "all" else ["person", *own]
            with (folder / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([own, *zip(*(table[one] for one in own), strict=True)])
        load_kernels()
        port = _free_port()
        members = [f'{name} = "{name}.crt"' for name in people if name != "coordinator"]
        settings_of(folder, "coordinator", {"listen": f"127.0.0.1:{port}"}, "[members]", *members)
        command = [sys.executable, "-m", "sfumato", "party", "coordinate", "--quiet", "--config"]
        coordinator = subprocess.Popen([*command, str(folder / "coordinator.toml")])
        address = f"https://127.0.0.1:{port}"
        running = []
        for name in ("h0", "h1"):
            settings = {
                "contract": "contract.json",
                "source": f"{name}.csv",
                "coordinator": address,
                "coordinator_certificate": "coordinator.crt",
                "approve": "rule",
                "allow": ["user"],
                "deadline": 600,
                "listen": str(contract.holders[name].address).removeprefix("https://"),
            }
            settings_of(folder, name, settings)
            running.append(subprocess.Popen([sys.executable, __file__, "--holder", str(folder), name]))
        for place in [address, *(str(contract.holders[name].address) for name in ("h0", "h1"))]:
            waited(int(place.rpartition(":")[2]))
        alone = published = session = float("inf")
        for at in range(SESSIONS):
            begun = time.perf_counter()
            central = sfumato.anonymize(folder / "all.csv", contract.policy())
            found = time.perf_counter() - begun
            written_certificate(central, contract)
            if at and (ended := time.perf_counter() - begun) < published:
                alone, published = found, ended
            begun = time.perf_counter()
            got = requested(people["user"], people["coordinator"].pinned, address, contract, run=Run(), patience=900)
            if at and (ended := time.perf_counter() - begun) < session:
                granted, session = got, ended
        for one in running:
            one.wait(timeout=60)
        coordinator.terminate()
        coordinator.wait(timeout=60)
        times = json.loads((folder / "h0.times.json").read_text())[granted.session]
    assert granted.release.table.content_digest() == central.table.content_digest()
    steps, traffic = len(granted.end.rounds), granted.end.traffic
    search = times["done"][1] - times["bid"][0]
    join = times["bid"][0] - times["begun"][0]
    rest = session - join - search
    said = sum(traffic.messages[kind] for kind in ("bid", "instruct"))
    cost = CommunicationCost()
    # Every step concerns as many records as carry its value: at most all of them.
    most = steps * cost.instruction_bytes(given.records, 8)
    figures = {
        "records": given.records,
        "k": given.k,
        "align": given.align,
        "steps": steps,
        "central_s": round(alone, 2),
        "central_published_s": round(published, 2),
        "session_s": round(session, 2),
        "join_s": round(join, 2),
        "search_s": round(search, 2),
        "rest_s": round(rest, 2),
        "search_to_central": round(search / alone, 2),
        "session_to_central": round(session / alone, 2),
        "session_to_central_published": round(session / published, 2),
        "messages": said,
        "messages_by_formula": cost.messages(steps, 2),
        "instruct_bytes": traffic.bytes["instruct"],
        "instruct_bytes_at_most": most,
        "all_bytes": traffic.all_bytes,
        "load_at_start": round(load, 2),
    }
    print(json.dumps(figures, indent=1))
    written({"session" if given.align == "exact" else "session_by_intersection": figures})


if __name__ == "__main__":
    main()
