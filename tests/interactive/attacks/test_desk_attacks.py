"""Attacks on the log of a desk: what follows from true answers, and what averaging and rebuilding gain."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import sfumato_in
from sfumato.interactive.attacks import AveragingAttack, CountReconstruction
from sfumato.interactive.desk import Desk
from sfumato.ledger.ledger import Ledger

EXACT = """
desk: {mode: exact, audit: {id: query-audit-online, m: 0}}
columns: {age: {role: quasi-identifier}, pay: {role: sensitive}}
"""
NOISY = """
desk: {mode: noisy, epsilon: 20}
budget: total
columns:
  age: {role: quasi-identifier}
  ill: {role: sensitive, values: [flu, ulcer]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table of 24 persons, two policies, and a ledger with a budget."""
    rng = np.random.default_rng(7)
    rows = [f"{20 + at},{10 * at},{('flu', 'ulcer')[int(rng.integers(2))]}" for at in range(24)]
    (tmp_path / "data.csv").write_text("age,pay,ill\n" + "\n".join(rows) + "\n")
    (tmp_path / "exact.yaml").write_text(EXACT)
    (tmp_path / "noisy.yaml").write_text(NOISY)
    with Ledger.create(tmp_path / "a.ledger", signature="hmac-sha256") as ledger:
        ledger.budgets.allot("total", epsilon=10_000)
    return tmp_path


def asked(folder: Path, policy: str, *questions: str) -> list[bool]:
    """Ask a desk; return which questions are refused."""
    with Desk(folder / "data.csv", folder / policy, folder / "a.ledger") as desk:
        return [desk.ask(one).refused for one in questions]


def audited(folder: Path, policy: str, *more: str) -> dict[str, dict[str, float]]:
    """Audit the desk on the command line; return the findings by attack."""
    done = sfumato_in(folder, "audit", "--desk", "a.ledger", "-p", policy, "--raw", "data.csv", "--json", *more)
    assert done.returncode == 0, done.stderr
    return {one["attack"]: one["after"] for one in json.loads(done.stdout)["tried"]}


def test_the_audit_of_an_exact_desk_finds_nobody(folder: Path) -> None:
    questions = ["sum(pay) where age < 30", "sum(pay) where age < 31", "sum(pay) where age >= 29"]
    assert asked(folder, "exact.yaml", *questions) == [False, True, False]
    found = audited(folder, "exact.yaml")
    assert list(found) == ["interactive-query-attack"]
    assert found["interactive-query-attack"]["highest"] == 0


def test_counts_with_little_noise_give_the_table_away(folder: Path) -> None:
    questions = [f"count where ill = flu and age >= {20 + at} and age < {23 + at}" for at in range(22)]
    asked(folder, "noisy.yaml", *questions, questions[0])
    found = audited(folder, "noisy.yaml")
    assert found["count-reconstruction"]["highest"] > 0.5
    assert found["averaging-attack"]["victims"] == 22  # the repeat was no new draw
    page = sfumato_in(folder, "ask", "data.csv", "-p", "noisy.yaml", "--ledger", "a.ledger", "--report", "desk.html")
    assert page.returncode == 0, page.stderr
    assert "<td>count</td><td>answered</td><td>20</td>" in (folder / "desk.html").read_text()


def test_averages_of_fresh_noise_come_close() -> None:
    attack = AveragingAttack()
    assert attack.rounded([0.1]) < 0.06
    assert attack.rounded([0.1] * 10_000) > 0.99
    assert attack.rounded([0.1, 3.0]) == pytest.approx(attack.rounded([3.0, 0.1]))


def test_noise_that_is_large_protects_the_table() -> None:
    rng = np.random.default_rng(8)
    bits = rng.random(40) < 0.5
    sets = [rng.random(40) < 0.5 for _ in range(120)]
    for scale, right in ((0.3, True), (40.0, False)):
        answers = [float((bits & one).sum() + rng.laplace(0, scale)) for one in sets]
        share = ((CountReconstruction().rebuilt(sets, answers) >= 0.5) == bits).mean()
        assert (share > 0.95) == right


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", "data.csv", "-p", "exact.yaml"], "give a question"),
        (["ask", "data.csv", "count", "-p", "exact.yaml"], "needs a ledger"),
        (["ask", "data.csv", "count", "-p", "exact.yaml", "--practice", "--explain"], "either way"),
        (["ask", "data.csv", "median(pay)", "-p", "exact.yaml", "--ledger", "a.ledger"], "no audit of medians"),
        (["ask", "data.csv", "count where pay = 3", "-p", "exact.yaml", "--ledger", "a.ledger"], "is sensitive"),
        (["ask", "data.csv", "count", "-p", "exact.yaml", "--ledger", "a.ledger", "-e", "1"], "noisy answers"),
        (
            ["ask", "data.csv", "count", "-p", "noisy.yaml", "--ledger", "a.ledger", "--confidence", "1"],
            "between 0 and 1",
        ),
        (["audit", "--desk", "a.ledger"], "policy of the desk"),
        (["audit", "--desk", "a.ledger", "-p", "exact.yaml"], "answered nothing yet"),
        (["anonymize", "data.csv", "-p", "exact.yaml", "-o", "out"], "publishes no table"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, arguments: list[str], words: str) -> None:
    done = sfumato_in(folder, *arguments)
    assert done.returncode in (2, 4)
    assert words in done.stderr
