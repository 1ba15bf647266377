"""``python -m sfumato``: the command line."""

from __future__ import annotations

from sfumato.cli.main import run

if __name__ == "__main__":
    run()
