"""``sfumato audit`` and attacks on bare files: one table of findings, exit codes, nothing of a person on the screen."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from sfumato.contracts.finding import Findings

from .conftest import GOOD_DATA, GOOD_POLICY

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_findings_on_the_screen_and_in_a_file(published: Path, run: Run) -> None:
    done = run("audit", "out", "--raw", "people.csv", "--population", "1000", "--write", "findings.json")
    assert done.returncode == 0, done.stderr
    for word in ("attacker-risk", "highest before", "not tried:", "needs a table of persons"):
        assert word in " ".join(done.stdout.split())
    assert "person1" not in done.stdout + done.stderr
    assert "flu" not in done.stdout + done.stderr
    found = Findings.from_document(json.loads((published / "findings.json").read_text()))
    assert found.of("attacker-risk").after.highest <= 1 / 5
    again = run("audit", "out", "--raw", "people.csv", "--population", "1000", "--json")
    assert json.loads(again.stdout) == found.document()
    refused = run("audit", "out", "--write", "findings.json")
    assert refused.returncode == 5
    assert "exists already" in refused.stderr


def test_exit_code_tells_whether_a_risk_is_too_high(published: Path, run: Run) -> None:
    asked = ("audit", "people.csv", "--qid", "age,job", "--quick")
    assert run(*asked, "--fail-above", "0.5").returncode == 0
    assert run(*asked, "--fail-above", "0.01").returncode == 1
    assert run("audit", "people.csv").returncode == 2
    assert run("audit", "people.csv", "--qid", "age,shoe").returncode == 2


def test_a_policy_tells_what_a_bare_file_means(published: Path, run: Run) -> None:
    (published / "masked.csv").write_text("job,age,illness\n" + "ANY,20,flu\nANY,20,ulcer\nANY,21,flu\n" * 2)
    (published / "outside.csv").write_text("name,job,age\nAda,cook,20\nBob,nurse,21\n")
    linked = ("attack", "masked.csv", "--with", "attack-record-linkage", "--external", "outside.csv", "--json")
    blind = run(*linked, "--qid", "job,age", "--name-column", "name")
    assert json.loads(blind.stdout)["release"]["linked"] == 0
    told = run(*linked, "--policy", "policy.yaml", "--name-column", "name")
    assert json.loads(told.stdout)["release"]["linked"] == 2
    assert json.loads(told.stdout)["linked_by"] == ["job", "age"]
    audited = run("audit", "masked.csv", "--policy", "policy.yaml", "--quick", "--json")
    assert {one["sensitive"] for one in json.loads(audited.stdout)["tried"]} == {None, "illness"}


def test_bad_options_are_one_line(published: Path, run: Run) -> None:
    for asked, said in (
        (("--write", "nowhere/findings.json"), "--write: is in a folder that does not exist"),
        (("--fail-above", "nan"), "--fail-above: must be between 0 and 1"),
        (("--weight", "nothing"), "individual-risk.weight: is not a column"),
        (("--qid", "age,illness", "--sensitive", "illness"), "sensitive: is known to the adversary"),
    ):
        done = run("audit", "out", "--quick", *asked)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert said in done.stderr
    empty = run("attack", "out", "--with", "")
    assert (empty.returncode, len(empty.stderr.splitlines())) == (2, 1)
    assert "--with: must be an id" in empty.stderr


def test_a_published_identifier_is_named_at_once(published: Path, run: Run) -> None:
    people = "".join(f"someone{i}@example.org,{20 + i % 2}\n" for i in range(40))
    (published / "mail.csv").write_text("contact,age\n" + people)
    (published / "mail.yaml").write_text(
        "columns:\n  contact: {role: plain}\n  age: {role: quasi-identifier}\nrequirements:\n  - {id: k-anonymity, k: 2}\n"
    )
    refused = run("anonymize", "mail.csv", "--policy", "mail.yaml", "--out", "mailed")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "column 'contact', publish_anyway" in refused.stderr
    assert "someone1@" not in refused.stdout + refused.stderr
    text = (published / "mail.yaml").read_text()
    (published / "mail.yaml").write_text(text.replace("{role: plain}", "{role: plain, publish_anyway: invented}"))
    done = run("anonymize", "mail.csv", "--policy", "mail.yaml", "--out", "mailed")
    assert done.returncode == 0, done.stderr
    assert "column contact looks like a direct identifier" in done.stderr
    assert "someone1@" not in done.stdout + done.stderr


def test_the_raw_table_is_read_as_the_policy_of_the_release_says(run: Run, good: Path) -> None:
    (good / "data.csv").write_bytes(GOOD_DATA.replace("cook", "K\xf6chin").replace(",", ";").encode("latin-1"))
    policy = GOOD_POLICY.replace("cook", "K\xf6chin") + "source: {separator: ';', encoding: latin-1}\n"
    (good / "policy.yaml").write_text(policy, encoding="utf-8")
    made = run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out")
    assert made.returncode == 0, made.stderr
    done = run("audit", "out", "--raw", "data.csv")
    assert done.returncode == 0, done.stderr
