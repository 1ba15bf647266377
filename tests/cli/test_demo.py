"""The whole thread on invented data, by shape."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_baskets_go_the_whole_way(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sfumato-demo").mkdir()  # left by the demonstration of a table
    done = run("demo", "transactions")
    assert done.returncode == 0, done.stderr
    assert "holds: km-anonymity" in done.stdout
    assert run("verify", "sfumato-demo-transactions/release").returncode == 0


@pytest.mark.parametrize("shape", ["nonsense", "series"])
def test_a_shape_without_a_demonstration_is_refused_and_nothing_is_left(run: Run, tmp_path: Path, shape: str) -> None:
    done = run("demo", shape, "--out", "demo")
    assert done.returncode == 2
    assert "there is no demonstration of this shape" in done.stderr
    assert not (tmp_path / "demo").exists()
