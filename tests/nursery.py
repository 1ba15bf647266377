"""Processes of their own that begin at once: forked from an interpreter that has imported the house and computed nothing yet.

What a test kills, interrupts or keeps apart from itself needs a process, but rarely two seconds of imports. Tests on what is
imported when, on the environment that is read at import, or on another seed of hashes start an interpreter by themselves.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

__all__ = ["Child", "begun", "ran"]

# The nurse forks somebody who waits, and that one forks the work: whoever asked is told its number and its end.
NURSE = """
import atexit, importlib, json, os, pkgutil, signal, socket, sys, tempfile
import duckdb, numpy, polars, pyarrow.parquet, typer.main
import sfumato
for found in pkgutil.walk_packages(sfumato.__path__, "sfumato."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
made = typer.main.get_command(sfumato.cli.main.app)
typer.main.get_command = lambda _: made
small = numpy.zeros((1, 1), "i4"), numpy.zeros(1, "i8"), 1, numpy.zeros(1, "i4")
sfumato.kernels.rollup.smallest_below(*small)  # numba is ready from its first call on
door, home = socket.socket(fileno=int(sys.argv[1])), list(sys.path)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    asked, fds, _, _ = socket.recv_fds(door, 1 << 20, 4)
    if not asked:
        os._exit(0)
    if not os.fork():
        break
    for fd in fds:
        os.close(fd)
door.close()
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
child = os.fork()
if child:
    os.write(fds[3], f"{child}\\n".encode())
    os.write(fds[3], f"{os.waitpid(child, 0)[1]}\\n".encode())
    os._exit(0)
for number, fd in enumerate(fds[:3]):
    os.dup2(fd, number)
for fd in fds:
    os.close(fd)
asked = json.loads(asked)
os.chdir(asked["cwd"])
os.environ.clear()
os.environ.update(asked["env"])
tempfile.tempdir = None
sys.path[:] = home[:1] + [one for one in asked["env"].get("PYTHONPATH", "").split(os.pathsep) if one not in home] + home[1:]
sys.argv[:] = asked["argv"]
__file__ = asked["argv"][0]
code = 0
try:
    exec(compile(asked["code"], __file__, "exec"), globals())
except SystemExit as end:
    code = end.code if isinstance(end.code, int) else int(end.code is not None)
except BaseException:
    sys.excepthook(*sys.exc_info())
    code = 1
atexit._run_exitfuncs()  # an interpreter that takes itself apart module by module needs longer than most of what is tested
sys.stdout.flush()
os._exit(code)
"""


class Child:
    """A process that was begun; what it says goes to files, so that nobody has to listen while it works."""

    def __init__(self, code: str, *arguments: str, cwd: Path | None, env: Mapping[str, str] | None, name: str) -> None:
        asked = {
            "code": code,
            "argv": [name, *arguments],
            "cwd": str(cwd or Path.cwd()),
            "env": dict(os.environ if env is None else env),
        }
        self.stdout, self.stderr = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
        ours, theirs = socket.socketpair()
        with theirs, open(os.devnull, "rb") as nothing:
            fds = [nothing.fileno(), self.stdout.fileno(), self.stderr.fileno(), theirs.fileno()]
            socket.send_fds(nurse(), [json.dumps(asked).encode()], fds)
        self.told = ours.makefile("r")
        ours.close()
        self.pid = int(self.told.readline())
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        """Send a signal; one that comes after the end is lost, as it is for other processes."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self) -> int:
        """Wait for the end; return the exit code, negative for a signal."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(int(self.told.readline()))
            self.told.close()
        return self.returncode

    def communicate(self) -> tuple[bytes, bytes]:
        """Wait for the end; return what was said on both streams."""
        self.wait()
        said = []
        for stream in (self.stdout, self.stderr):
            stream.seek(0)
            said.append(stream.read())
        return said[0], said[1]


@cache
def nurse() -> socket.socket:
    """Return the door to this process's nurse, who ends when it is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "POLARS_ALLOW_FORKING_THREAD": "1"}
    command = [sys.executable, "-c", NURSE, str(theirs.fileno())]
    subprocess.Popen(command, env=env, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    return ours


def begun(
    code: str, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, name: str = "-c"
) -> Child:
    """Begin a process that runs some Python as ``python -c`` does."""
    return Child(code, *arguments, cwd=cwd, env=env, name=name)


def ran(
    code: str, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, name: str = "-c"
) -> subprocess.CompletedProcess[str]:
    """Run some Python in a process of its own; return its exit code and what it said."""
    child = begun(code, *arguments, cwd=cwd, env=env, name=name)
    out, err = child.communicate()
    return subprocess.CompletedProcess([name, *arguments], child.wait(), out.decode(), err.decode())
