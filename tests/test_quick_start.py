"""Importing stays light: nothing heavy is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest


def loaded_by(code: str) -> set[str]:
    script = f"import sys; {code}; print(' '.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("code", ["import sfumato", "import sfumato.cli.main", "import sfumato.datasets"])
def test_importing_loads_nothing_heavy(code: str) -> None:
    heavy = {"numba", "polars", "duckdb", "sklearn", "pyarrow", "pandas", "pydantic", "scipy"}
    assert not loaded_by(code) & heavy


def test_core_works_without_extras() -> None:
    """With every extra hidden, the main verbs still import."""
    extras = (
        "duckdb",
        "sklearn",
        "fastexcel",
        "xlsxwriter",
        "adbc_driver_sqlite",
        "opendp",
        "phonenumbers",
        "cryptography",
    )
    hide = f"sys.modules.update(dict.fromkeys({extras!r}))"
    loaded_by(f"{hide}; import sfumato; sfumato.anonymize; sfumato.check; sfumato.verify; import sfumato.cli.commands")
