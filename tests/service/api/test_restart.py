"""A server that is killed: what was asked goes on when it is there again, and no half of a release has a name."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import sfumato
from service.api.house_world import POLICY, TABLE
from sfumato.service.api.tokens import TokenFile

EXAMPLE = Path(__file__).parents[3] / "examples" / "how_do_i_ask_a_service.py"


@contextmanager
def serving(place: Path, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run ``sfumato serve`` as a process of its own; it is killed in the end."""
    asked = ["serve", "--root", str(place / "root"), "--token-file", str(place / "tokens"), "--listen", "127.0.0.1:0"]
    command = [sys.executable, "-m", "sfumato", *asked, *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1], process
        finally:
            process.kill()


def asked(address: str, token: str, path: str, body: bytes | None = None, method: str | None = None) -> Any:
    """Ask a running server; an error is returned as its document."""
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    try:
        with urlopen(Request(address + path, body, headers, method=method), timeout=60) as answer:
            return json.load(answer)
    except HTTPError as error:
        return json.load(error)


def waited(address: str, token: str, job: int, until: Any) -> Any:
    for _ in range(600):
        told = asked(address, token, f"/v1/jobs/{job}")
        if until(told):
            return told
        time.sleep(0.1)
    raise AssertionError(told)


def test_a_job_survives_the_server(tmp_path: Path) -> None:
    token = TokenFile(tmp_path / "tokens").add("hospital", "steward")
    releases = tmp_path / "root" / "hospital" / "releases"
    with serving(tmp_path) as (address, process):
        asked(address, token, "/v1/data/t.csv", TABLE.encode(), "PUT")
        # A series, so that the ledger has something begun that was never ended.
        body = json.dumps({"data": "t.csv", "policy": {**POLICY, "series": {"name": "monthly"}}}).encode()
        job = asked(address, token, "/v1/anonymize", body)["job"]
        waited(
            address, token, job, lambda told: told["stage"] in ("attacking", "trying what to change next", "reporting")
        )
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert [one.name for one in releases.iterdir() if not one.name.startswith(".")] == []
    with serving(tmp_path) as (address, process):
        told = waited(address, token, job, lambda told: told["state"] == "done")
        assert asked(address, token, "/v1/series") == {"monthly": 1}
        assert asked(address, token, "/v1/ledger/verify", b"")["verified"] is True
        assert asked(address, "hospital.x", "/v1/me")["error"]["code"] == "who-are-you"
        assert sfumato.verify(releases / told["release"])
        client = runpy.run_path(str(EXAMPLE))["Service"](address, token)
        assert client.ask("verify", release=told["release"])["result"]["verified"] is True
        assert client.send("GET", f"releases/{told['release']}/public.zip").startswith(b"PK")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) is not None
