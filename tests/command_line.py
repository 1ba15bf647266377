"""The real command inside this process, in a folder of its own: what a shell would see, without an interpreter to start."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

__all__ = ["sfumato_in"]

SIGNALS = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]


def sfumato_in(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``sfumato ...`` in a folder; return its exit code and what it wrote to both streams."""
    from sfumato.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    home, handlers = Path.cwd(), {number: signal.getsignal(number) for number in SIGNALS}
    os.chdir(folder)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch.object(sys, "argv", ["sfumato", *arguments]),
            mock.patch.object(sys, "stdin", io.StringIO()),
            mock.patch.dict(os.environ, {"COLUMNS": "200", "NO_COLOR": "1", **environment}),
        ):
            main.run()
        code = 0
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else int(done.code is not None)
    finally:
        os.chdir(home)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    told = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(list(arguments), code, *told)
