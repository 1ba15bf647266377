"""What type checkers know of things: stubs that are up to date, and parameters that are required."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

USER = """
from sfumato.algorithms import TDR, Mondrian
from sfumato.attacks import SpecialUniques
from sfumato.metrics import Discernibility
from sfumato.models import KAnonymity, TCloseness, templates
from sfumato.sequels.algorithms import TDS4SA
from sfumato.sequels.attacks import FAttack
from sfumato.sequels.models import BCFAnonymity, MInvariance
from sfumato.sequels.releases import CounterfeitedTable
import sfumato

KAnonymity(k="x")
KAnonymity()
KAnonymity(k=2, l=3)
BCFAnonymity()
fine = KAnonymity(k=5, qid=("age",))
reveal_type(fine)
release = sfumato.anonymize("in.csv", {"requirements": [fine], "algorithm": TDR()})
reveal_type(release)
"""


def test_the_stubs_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "tools/stubs.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_a_type_checker_sees_what_is_wrong(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    words = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--cache-dir",
        str(ROOT / ".mypy_cache"),
        "user.py",
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    said = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert [line for line in said if line.startswith("error")] == [
        'error: Argument "k" to "KAnonymity" has incompatible type "str"; expected "int"  [arg-type]',
        'error: Missing named argument "k" for "KAnonymity"  [call-arg]',
        'error: Unexpected keyword argument "l" for "KAnonymity"  [call-arg]',
        'error: Missing named argument "k" for "BCFAnonymity"  [call-arg]',
    ], done.stdout
    assert 'note: Revealed type is "sfumato.models.k_anonymity.KAnonymity"' in said
    assert 'note: Revealed type is "sfumato.contracts.published.Release"' in said
    assert "Found 4 errors" in done.stdout
