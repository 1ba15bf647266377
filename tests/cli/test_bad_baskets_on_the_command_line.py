"""Every bad input of baskets ends in one line that a person can act on, and leaves nothing behind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

KM = "requirements:\n- {id: km-anonymity, k: 3, m: 2}\n"
WIDE = "shape: transactions\nperson: who\nitems: {column: what}\n" + KM
TREE = WIDE.replace("what}", "what, hierarchy: {id: taxonomy, file: tree.csv}}") + "algorithm: apriori-anonymization\n"
CASES = {
    "duplicate ids": (WIDE, '{"who": 1, "what": ["a"]}\n{"who": 1, "what": ["b"]}\n', 2, "a person has one basket"),
    "both sets": (
        WIDE.replace("what}", "what, private: [a], public: [a, b, c]}"),
        None,
        2,
        "public and private at once",
    ),
    "neither": (WIDE.replace("what}", "what, public: [a]}"), None, 2, "neither public nor private"),
    "nobody has it": (WIDE.replace("what}", "what, private: [insulin]}"), None, 2, "no basket holds it"),
    "taxonomy misses an item": (TREE, None, 2, "no leaf in the hierarchy"),
    "taxonomy names an item twice": (TREE.replace("tree.csv", "twice.csv"), None, 2, "1 item in two places"),
    "percent for fraction": (WIDE + "limits: {lose_at_most: 15}\n", None, 2, "must be <= 1, got 15"),
    "h in percent": (
        WIDE.replace(KM, "requirements:\n- {id: hkp-coherence, h: 80, k: 3, p: 2}\n"),
        None,
        2,
        "h: must be",
    ),
    "k above records": (WIDE.replace("k: 3", "k: 300"), None, 3, "larger than the number of baskets"),
    "half a basket": (WIDE.replace("k: 3", "k: 2.5"), None, 2, "must be a whole number"),
    "no column of persons": (WIDE.replace("person: who\n", ""), None, 2, "say which column names the persons"),
    "a wrong column": (WIDE.replace("column: what", "column: wat"), None, 2, "did you mean 'what'"),
    "persons left out": (WIDE + "limits: {suppress_at_most: 0.1}\n", None, 2, "no basket is left out as a whole"),
    "a column of many values": (WIDE + "columns: {when: {role: quasi-identifier}}\n", None, 2, "the same in all rows"),
    "a sensitive column": (WIDE + "columns: {when: {role: sensitive}}\n", None, 2, "columns are quasi-identifiers"),
    "a set that nobody may know": (WIDE.replace("what}", "what, known: [[a, insulin]]}"), None, 2, "items.known"),
    "a group of one": (WIDE.replace("what}", "what, groups: [[a]]}"), None, 2, "two items or more"),
}


@pytest.mark.parametrize("name", CASES)
def test_one_line_and_nothing_is_left(run: Run, tmp_path: Path, name: str) -> None:
    policy, lines, code, said = CASES[name]
    rows = "".join(f"p{at},{'abc'[at % 3]},{at}\np{at},{'abc'[at % 2]},{at + 1}\n" for at in range(20))
    data = tmp_path / ("data.csv" if lines is None else "data.jsonl")
    data.write_text("who,what,when\n" + rows if lines is None else lines, encoding="utf-8")
    (tmp_path / "tree.csv").write_text("a,A,*\nb,A,*\n", encoding="utf-8")
    (tmp_path / "twice.csv").write_text("a,A,*\nb,A,*\nc,A,*\na,B,*\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(policy, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    done = run("anonymize", data.name, "--policy", "policy.yaml", "-o", "out")
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert sum(line.startswith("error") for line in done.stderr.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("lines", "said"), [("\n\n\n", "every basket is empty"), ("", "has no basket")])
def test_files_without_an_item_are_refused(run: Run, tmp_path: Path, lines: str, said: str) -> None:
    (tmp_path / "data.dat").write_text(lines, encoding="utf-8")
    (tmp_path / "policy.yaml").write_text("shape: transactions\n" + KM, encoding="utf-8")
    done = run("anonymize", "data.dat", "--policy", "policy.yaml", "-o", "out")
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "out").exists()
