"""What the engine tests share: both engines, and a PostgreSQL server of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGINES = ("polars", "duckdb")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    return str(request.param)


def _binaries() -> Path | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    places += [Path(found).parent] if found else []
    return next((place for place in places if (place / "initdb").exists() and (place / "pg_ctl").exists()), None)


def _unprivileged() -> str | None:
    """The user to run the server as: it refuses to run as root."""
    if os.getuid() != 0:
        return None
    known = {line.split(":")[0] for line in Path("/etc/passwd").read_text().splitlines()}
    return "postgres" if "postgres" in known else "nobody"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a fresh PostgreSQL server on a free port of the loopback interface."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server binary (initdb, pg_ctl) on this machine")
    user = _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="sfumato-postgres-"))
    if user is not None:
        shutil.chown(folder, user)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def run(*command: str) -> None:
        prefix = () if user is None else ("runuser", "-u", user, "--")
        subprocess.run(
            [*prefix, *command],
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
        )

    data = str(folder / "data")
    run(str(binaries / "initdb"), "-D", data, "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
    settings = f"-h 127.0.0.1 -p {port} -k {folder} -F"
    run(str(binaries / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
    try:
        yield f"postgresql://tester@127.0.0.1:{port}/postgres"
    finally:
        run(str(binaries / "pg_ctl"), "-D", data, "-w", "-m", "fast", "stop")
        shutil.rmtree(folder, ignore_errors=True)
