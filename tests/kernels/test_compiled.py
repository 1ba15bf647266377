"""Kernels are compiled once, and whoever waits for it is told so in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = "from sfumato.kernels.compiled import announce_compilation; announce_compilation()"


@pytest.mark.slow
def test_the_first_run_says_so_and_the_second_does_not(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, check=True)
        for _ in range(2)
    )
    assert first.stderr.splitlines() == ["compiling kernels, once on this machine (a few seconds)"]
    assert second.stderr == ""
