"""Kernels are compiled once, and whoever waits for it is told so in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import numpy as np
from sfumato.kernels.compiled import announce_compilation
announce_compilation()
announce_compilation()
from sfumato.algorithms.lattice._box_kernels import raise_box
from sfumato.kernels.rollup import smallest_below
raise_box(np.zeros(2), np.ones(1, np.int64), np.zeros(1, np.int64), np.ones(1, np.int64), 1.0, 2.0)
smallest_below(np.zeros((1, 1), np.int32), np.zeros(1, np.int64), 1, np.zeros(1, np.int32))
"""


@pytest.mark.slow
def test_the_first_run_says_so_and_the_second_does_not(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, check=True)
        for _ in range(2)
    )
    assert first.stderr.splitlines() == ["compiling kernels, once on this machine (a few seconds)"]
    assert second.stderr == ""
