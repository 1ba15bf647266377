"""Runs one part of a benchmark in a process of its own and returns its time and its peak memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


def in_own_process(script: str, *arguments: str) -> dict[str, Any]:
    """Run ``script arguments...`` with the same interpreter; its last line of output is JSON."""
    done = subprocess.run([sys.executable, script, *arguments], check=True, capture_output=True, text=True)
    out: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return out


def peak_megabytes() -> float:
    """Return the largest resident size that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def tree_seconds(process: int | None = None) -> float:
    """Return the seconds that processors spent on this process and on those below it: other loads change these little."""
    place = Path(f"/proc/{os.getpid() if process is None else process}")
    below = list[int]()
    try:
        fields = (place / "stat").read_text().rpartition(")")[2].split()
        for task in (place / "task").iterdir():
            with suppress(OSError):  # a thread that ended meanwhile; what the process spent is still known
                below += map(int, (task / "children").read_text().split())
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(map(tree_seconds, below))


def shared_data() -> None:
    """Let the loaders find the public data beside the checkout, if it lies there and nothing else was said."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    if beside.is_dir():
        os.environ.setdefault("SFUMATO_DATA", str(beside))


def load_kernels() -> None:
    """Run the refinement search once on a few records: loading and compiling its kernels is not what is timed."""
    import sfumato
    from sfumato.datasets import patients

    data = patients()
    policy = sfumato.Policy.for_dataset(data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm={"id": "tdr"})
    sfumato.anonymize(sfumato.from_dataset(data), policy)
