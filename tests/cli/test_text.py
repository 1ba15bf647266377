"""``sfumato text``: the loop of suggesting, correcting, training and tagging, and what is refused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

pytest.importorskip("pycrfsuite")


@pytest.fixture
def tagged(tmp_path: Path) -> Path:
    lines = [
        {"text": f"Dear {name}, you owe {owed} coins.", "spans": [[5, 5 + len(name), "who"]]}
        for name, owed in (("Wibble", 3), ("Wobble", 40), ("Wubble", 17), ("Webble", 5))
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def test_the_loop(tagged: Path, run: Run) -> None:
    assert run("text", "train", "gold.jsonl", "-o", "m", "--iterations", "20").returncode == 0
    (tagged / "new.jsonl").write_text('{"text": "Dear Wabble, all well."}\n{"text": "Quite Zork you Plugh."}\n')
    done = run("text", "suggest", "new.jsonl", "-m", "m", "-o", "todo", "--count", "1")
    assert done.returncode == 0, done.stderr
    (todo,) = (tagged / "todo").iterdir()
    todo.write_text("Quite <who>Zork</who> you Plugh.")
    told = json.loads(run("text", "tag", "todo", "--add-to", "gold.jsonl", "--json").stdout)
    assert (told["new"], told["changed"]) == (1, 0)
    todo.write_text("Quite <who>Zork</who> you <who>Plugh</who>.")
    told = json.loads(run("text", "tag", "todo", "--add-to", "gold.jsonl", "--json").stdout)
    assert (told["new"], told["changed"]) == (0, 1)
    assert len((tagged / "gold.jsonl").read_text().splitlines()) == 5
    assert run("text", "train", "gold.jsonl", "-o", "m2", "--iterations", "20").returncode == 0
    told = json.loads(run("text", "score", "gold.jsonl", "-m", "m2", "--json").stdout)
    assert told["types"]["who"]["recall"] > 0.5
    assert "counted by" in run("text", "score", "gold.jsonl", "--found", "gold.jsonl").stdout


def test_tagging_by_the_model_of_the_package(tmp_path: Path, run: Run) -> None:
    assert run("datasets", "notes", "--rows", "4", "-o", "notes.csv").returncode == 0
    done = run("text", "score", "notes.csv", "--column", "note", "--person", "patient")
    assert "direct identifiers of which every mention is covered" in done.stdout, done.stderr
    (tmp_path / "a.txt").write_text("Mail u@example.org or info@example.org about Zork.")
    done = run("text", "tag", "a.txt", "-o", "out.jsonl", "--allow", "email=info@example.org", "--deny", "plan=zork")
    assert done.returncode == 0, done.stderr
    line = json.loads((tmp_path / "out.jsonl").read_text())
    assert [(line["text"][start:end], type_) for start, end, type_ in line["spans"]] == [
        ("u@example.org", "email"),
        ("Zork", "plan"),
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tag", "gold.jsonl"], "one of both"),
        (["tag", "gold.jsonl", "-o", "gold.jsonl"], "exists already"),
        (["tag", "none.jsonl", "-o", "out"], "no such file"),
        (["tag", "latin.txt", "-o", "out"], "UTF-8"),
        (["tag", "gold.jsonl", "-o", "out", "--threshold", "who=much"], "PROBABILITY"),
        (["tag", "gold.jsonl", "-o", "out", "--threshold", "who=7"], "at most 1"),
        (["tag", "gold.jsonl", "-o", "out", "--allow", "who"], "NAME=VALUE"),
        (["tag", "gold.jsonl", "-o", "out", "-m", "gold.jsonl"], "not a model"),
        (["tag", "half.jsonl", "-o", "out"], "half of a sign"),
        (["tag", "gold.jsonl", "-o", "out", "--deny", "a b=c"], "as tags name it"),
        (["tag", "open.txt", "--add-to", "t.jsonl"], "not closed"),
        (["tag", "gold.jsonl", "--add-to", "t.csv"], "JSON lines"),
        (["train", "latin.txt", "-o", "m"], "UTF-8"),
        (["train", "plain.txt", "-o", "m"], "no tag"),
        (["train", "gold.jsonl", "-o", "no/where/m"], "cannot be written"),
        (["train", "gold.jsonl", "-o", "m", "--list", "a=none"], "UTF-8"),
        (["train", "overlap.jsonl", "-o", "m"], "overlap"),
        (["score", "gold.jsonl", "--found", "plain.txt"], "same documents"),
        (["suggest", "empty", "-o", "out"], "no text file"),
    ],
)  # fmt: skip
def test_wrong_requests(tagged: Path, run: Run, arguments: list[str], words: str) -> None:
    (tagged / "latin.txt").write_bytes("Müller".encode("latin-1"))
    (tagged / "open.txt").write_text("<who>Ann")
    (tagged / "plain.txt").write_text("Ann")
    (tagged / "overlap.jsonl").write_text('{"text": "Ann Lee", "spans": [[0, 5, "a"], [3, 7, "b"]]}\n')
    (tagged / "half.jsonl").write_text('{"text": "\\ud83d"}\n')
    (tagged / "empty").mkdir()
    done = run("text", *arguments)
    assert done.returncode in (2, 5), done.stdout
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
