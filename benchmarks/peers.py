"""Other tools in virtual environments of their own, made on first use, so that they never meet our dependencies.

They live below the folder that SFUMATO_PEERS names, or else ``~/.cache/sfumato/peers``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def peer_python(package: str) -> Path:
    """Return the interpreter of the environment that holds a package; install it there if it is not yet."""
    home = Path(os.environ.get("SFUMATO_PEERS", Path.home() / ".cache" / "sfumato" / "peers"))
    folder = home / package
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    ready = folder / ".ready"
    if not ready.exists():
        print(f"installing {package} into {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", package], check=True, stderr=subprocess.DEVNULL)
        ready.touch()
    return python


def in_peer(package: str, script: str, *arguments: str) -> dict[str, Any]:
    """Run ``script arguments...`` with the peer's interpreter; its last line of output is JSON."""
    command = [str(peer_python(package)), "-W", "ignore", script, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    out: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return out
