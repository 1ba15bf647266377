"""Fifty clients for a minute against ``sfumato serve`` on loopback, mixing checks and releases of 10,000 rows.

    python benchmarks/service.py [--clients 50] [--seconds 60] [--rows 10000]

Clients share ten tokens, and each has a table of its own size and its own k: whoever got the answer of another would see a
wrong number of records. Prints requests, failures, mixed-up answers, times, and the largest memory of server and workers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from sfumato.datasets.hospital import hospital
from sfumato.service.api.tokens import Quota, TokenFile

_TOKENS = 10


def _policy(k: int) -> dict[str, object]:
    columns = {"sex": {"role": "quasi-identifier"}, "department": {"role": "quasi-identifier"}}
    named = {"sex": columns["sex"], "department": columns["department"], "diagnosis": {"role": "sensitive"}}
    others = (
        "patient_id",
        "name",
        "birth_date",
        "zip",
        "admission_date",
        "occupation",
        "insurance",
        "bmi",
        "readmitted",
    )
    return {
        "columns": {**named, **{name: {"role": "drop"} for name in others}},
        "requirements": [{"id": "k-anonymity", "k": k}],
        "algorithm": {"id": "mondrian"},
    }


class _Client(threading.Thread):
    """Somebody who asks and waits, in turns, until the time is over."""

    def __init__(self, number: int, address: str, token: str, rows: int, until: float) -> None:
        super().__init__()
        self.number, self.address, self.token, self.rows, self.until = number, address, token, rows + number, until
        self.checks: list[float] = []
        self.releases: list[float] = []
        self.requests = 0
        self.failed: list[str] = []
        self.mixed = 0

    def _asked(self, method: str, path: str, body: bytes | None = None, wait: int = 60) -> dict[str, object]:
        headers = {
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            "prefer": f"wait={wait}",
        }
        self.requests += 1
        with urlopen(Request(f"{self.address}/v1/{path}", body, headers, method=method), timeout=200) as answer:
            told: dict[str, object] = json.load(answer)
            return told

    def _done(self, verb: str, asked: dict[str, object]) -> dict[str, object]:
        told = self._asked("POST", verb, json.dumps(asked).encode())
        while told["state"] in ("waiting", "running"):
            time.sleep(0.5)
            told = self._asked("GET", f"jobs/{told['job']}")
        if told["state"] != "done":
            self.failed.append(str(told["error"]))
        return told

    def run(self) -> None:
        name, turn = f"t{self.number}.csv", self.number
        try:
            table = hospital(self.rows, seed=self.number).to_polars().write_csv().encode()
            self._asked("PUT", f"data/{name}", table)
            while time.monotonic() < self.until:
                began, turn = time.monotonic(), turn + 1
                if turn % 4:
                    judged = [{"id": "k-anonymity", "k": self.number + 2}]
                    told = self._done("check", {"data": name, "requirements": judged, "qid": ["sex", "department"]})
                    verdict = told["result"]["verdicts"][0]  # type: ignore[index,call-overload]
                    self.mixed += (verdict["records"], verdict["parameters"]["k"]) != (self.rows, self.number + 2)
                    self.checks.append(time.monotonic() - began)
                else:
                    told = self._done("anonymize", {"data": name, "policy": _policy(self.number % 5 + 2)})
                    self.mixed += told["result"]["counts"]["records_read"] != self.rows  # type: ignore[index,call-overload]
                    self.releases.append(time.monotonic() - began)
        except HTTPError as error:
            self.failed.append(f"{error.code} {error.read()[:200]!r}")
        except (OSError, TypeError, LookupError) as error:
            self.failed.append(repr(error))


def _memory(pid: int) -> int:
    """Return the megabytes that a process and its children have."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,rss"], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, line.split())) for line in listed.splitlines()[1:]]
    return sum(rss for one, parent, rss in rows if pid in (one, parent)) // 1024


def main() -> None:
    """Print what happened."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--clients", type=int, default=50)
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--rows", type=int, default=10_000)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as place:
        file = TokenFile(Path(place) / "tokens")
        tokens = [file.add(f"house-{at}", "steward", quota=Quota(requests=10**6)) for at in range(_TOKENS)]
        command = ["serve", "--root", f"{place}/root", "--token-file", str(file.path), "--listen", "127.0.0.1:0"]
        with subprocess.Popen([sys.executable, "-m", "sfumato", *command], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address, until = server.stdout.readline().split()[-1], time.monotonic() + given.seconds
            clients = [_Client(at, address, tokens[at % _TOKENS], given.rows, until) for at in range(given.clients)]
            for one in clients:
                one.start()
            largest = 0
            while any(one.is_alive() for one in clients):
                largest = max(largest, _memory(server.pid))
                time.sleep(0.5)
            server.terminate()
    checks = sorted(value for one in clients for value in one.checks)
    releases = sorted(value for one in clients for value in one.releases)
    for name, values in (("checks", checks), ("releases", releases)):
        middle = f"median {values[len(values) // 2]:.1f} s, longest {values[-1]:.1f} s" if values else "none"
        print(f"{len(values)} {name}: {middle}")
    failed = [why for one in clients for why in one.failed]
    sent, mixed = sum(one.requests for one in clients), sum(one.mixed for one in clients)
    print(f"{sent} requests, {len(failed)} failed, {mixed} mixed up")
    print(f"largest memory of server and workers: {largest} MB")
    for why in sorted(set(failed))[:5]:
        print(f"  {why}")


if __name__ == "__main__":
    main()
