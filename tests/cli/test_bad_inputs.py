"""Every bad input ends in one readable line, the right exit code and no file."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import GOOD_DATA, GOOD_POLICY, SFUMATO, Run


def anonymize(run: Run, *more: str) -> subprocess.CompletedProcess[str]:
    return run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out", *more)


def refused(done: subprocess.CompletedProcess[str], code: int, *words: str, folder: Path) -> None:
    """One line on the error stream with all the words, nothing on the other, no release and nothing half-written."""
    assert done.returncode == code, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    for word in words:
        assert word in lines[0], lines[0]
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (folder / "out").exists()
    assert not [path.name for path in folder.iterdir() if "unverified" in path.name]


def change(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


DATA: list[tuple[str, str | bytes, int, tuple[str, ...]]] = [
    ("empty file", "", 2, ("data.csv", "empty")),
    ("header only", "id,age,job,class\n", 2, ("header", "no rows")),
    ("duplicate column", change(GOOD_DATA, "id,age", "age,age"), 2, ("age", "more than once")),
    ("ragged, too few", GOOD_DATA + "61,22,cook\n", 2, ("line 62",)),
    ("ragged, too many", GOOD_DATA + "61,22,cook,y,extra\n", 2, ("line 62",)),
    ("wrong encoding", (GOOD_DATA + "61,22,K\xf6chin,y\n").encode("latin-1"), 2, ("encoding",)),
    ("outside taxonomy", GOOD_DATA + "61,22,cok,y\n62,23,nurs,n\n", 2, ("'job'", "cok", "nurs", "nearest: cook")),
    ("NaN in a number", GOOD_DATA + "61,NaN,cook,y\n", 2, ("'age'", "1 missing value", "drop-record")),
]


@pytest.mark.parametrize(("text", "code", "words"), [case[1:] for case in DATA], ids=[case[0] for case in DATA])
def test_bad_data(run: Run, good: Path, text: str | bytes, code: int, words: tuple[str, ...]) -> None:
    (good / "data.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(anonymize(run), code, *words, folder=good)


LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)

POLICY: list[tuple[str, str, int, tuple[str, ...]]] = [
    ("unknown column", change(GOOD_POLICY, "age:", "agee:"), 2, ("agee", "age")),
    (
        "no role",
        change(GOOD_POLICY, "  age: {role: quasi-identifier}\n", ""),
        2,
        ("'age'", "suggested: quasi-identifier"),
    ),
    (
        "two roots",
        change(GOOD_POLICY, "{ANY: [cook, nurse, clerk]}", "{A: [cook], B: [nurse, clerk]}"),
        2,
        ("one root",),
    ),
    ("k zero", change(GOOD_POLICY, "k: 3", "k: 0"), 2, ("line 8", "k-anonymity.k", ">= 1", "0")),
    ("k above rows", change(GOOD_POLICY, "k: 3", "k: 61"), 3, ("k=61", "60")),
    ("k a fraction", change(GOOD_POLICY, "k: 3", "k: 2.5"), 2, ("whole number", "2.5")),
    ("k a text", change(GOOD_POLICY, "k: 3", "k: three"), 2, ("whole number", "three")),
    ("unknown model", change(GOOD_POLICY, "k-anonymity", "k-anonimity"), 2, ("k-anonimity", "available")),
    ("unknown role", change(GOOD_POLICY, "role: target", "role: goal"), 2, ("line 6", "goal", "target")),
    ("unknown key", GOOD_POLICY + "sead: 3\n", 2, ("sead", "seed")),
    ("not YAML", "columns: [", 2, ("policy.yaml", "YAML")),
    ("20,000 brackets", "columns: " + "[" * 20_000 + "]" * 20_000, 2, ("line 1", "nested too deeply")),
    ("billion laughs", LAUGHS, 2, ("policy.yaml, line", "unfold to too much")),
    ("qid not a column", change(GOOD_POLICY, "k: 3", "k: 3, qid: [agee]"), 2, ("agee", "age")),
    ("class in the qid", change(GOOD_POLICY, "k: 3", "k: 3, qid: [class]"), 2, ("class", "quasi-identifier")),
    ("empty qid", change(GOOD_POLICY, "k: 3", "k: 3, qid: []"), 2, ("at least one",)),
    ("duplicate label", change(GOOD_POLICY, "[cook, nurse, clerk]", "[cook, nurse, clerk, cook]"), 2, ("cook",)),
    (
        "suppression with bottom-up-generalization",
        GOOD_POLICY + "algorithm: {id: bottom-up-generalization}\nlimits: {suppress_at_most: 0.1}\n",
        4,
        ("suppress_at_most",),
    ),
    ("bad format", GOOD_POLICY + "output: {format: word}\n", 2, ("word", "parquet")),
]


@pytest.mark.parametrize(("text", "code", "words"), [case[1:] for case in POLICY], ids=[case[0] for case in POLICY])
def test_bad_policy(run: Run, good: Path, text: str, code: int, words: tuple[str, ...]) -> None:
    (good / "policy.yaml").write_text(text)
    refused(anonymize(run), code, *words, folder=good)


def test_missing_files(run: Run, good: Path) -> None:
    refused(run("anonymize", "nowhere.csv", "--policy", "policy.yaml", "-o", "out"), 2, "nowhere.csv", folder=good)
    refused(run("anonymize", "data.csv", "--policy", "none.yaml", "-o", "out"), 2, "none.yaml", folder=good)


def test_all_rows_dropped(run: Run, good: Path) -> None:
    (good / "data.csv").write_text("id,age,job,class\n1,,cook,y\n2,,nurse,n\n")
    (good / "policy.yaml").write_text(
        change(
            GOOD_POLICY,
            "age: {role: quasi-identifier}",
            "age: {role: quasi-identifier, type: integer, missing: drop-record}",
        )
    )
    refused(anonymize(run), 3, "no record is left", folder=good)


def test_output_exists(run: Run, good: Path) -> None:
    (good / "out").mkdir()
    (good / "out" / "mine.txt").write_text("keep me")
    done = anonymize(run)
    assert done.returncode == 5
    assert "exists already" in done.stderr
    assert (good / "out" / "mine.txt").read_text() == "keep me"
    assert [path.name for path in (good / "out").iterdir()] == ["mine.txt"]


def test_output_cannot_be_written(run: Run, good: Path) -> None:
    done = run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "no/such/folder/out")
    assert done.returncode == 2
    assert "no/such/folder" in done.stderr
    if os.geteuid() != 0:  # root may write anywhere
        (good / "locked").mkdir(mode=0o500)
        done = run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "locked/out")
        assert done.returncode == 2
        assert "cannot be written" in done.stderr


def _small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))


def test_disk_full(good: Path) -> None:
    """A file that may not grow stands for a full disk: the write fails half way."""
    command = [*SFUMATO, "anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}  # nothing but the release
    done = subprocess.run(command, cwd=good, capture_output=True, text=True, preexec_fn=_small_files, env=environment)
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in lines[-1] or "no space" in lines[-1]
    assert not (good / "out").exists()
    assert not [path.name for path in good.iterdir() if "unverified" in path.name]


@pytest.mark.parametrize(
    "command", [("check",), ("verify",), ("apply",), ("describe", "k-anonimity"), ("profile", "none.csv")]
)
def test_other_commands_refuse_in_one_line(run: Run, good: Path, command: tuple[str, ...]) -> None:
    more: dict[str, Callable[[], tuple[str, ...]]] = {
        "check": lambda: ("none.csv", "--policy", "policy.yaml"),
        "verify": lambda: ("none",),
        "apply": lambda: ("none", "data.csv", "-o", "x.csv"),
    }
    done = run(*command, *(more[command[0]]() if command[0] in more else ()))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("error: ")


def test_no_raw_identifier_in_any_message(run: Run, good: Path) -> None:
    """A broken row is named by its line, never by what stands in it."""
    (good / "data.csv").write_text(GOOD_DATA + "SECRET-NAME,22,cook\n")
    done = anonymize(run)
    assert "SECRET" not in done.stderr + done.stdout


def test_a_release_is_skipped_or_replaced_if_asked(run: Run, good: Path) -> None:
    assert anonymize(run).returncode == 0
    first = (good / "out" / "private" / "run.json").stat().st_ino
    (good / "data.csv").write_text("no,thing\n")
    skipped = anonymize(run, "--if-exists", "skip")
    assert skipped.returncode == 0
    assert "left as it is" in skipped.stderr
    failed = anonymize(run, "--if-exists", "replace")
    assert failed.returncode == 2, "a table that cannot be published replaces nothing"
    assert (good / "out" / "private" / "run.json").stat().st_ino == first
    (good / "data.csv").write_text(GOOD_DATA)
    assert anonymize(run, "--if-exists", "replace").returncode == 0
    assert (good / "out" / "private" / "run.json").stat().st_ino != first
    assert sorted(path.name for path in good.iterdir() if path.name.startswith(".")) == []
    assert run("verify", "out").returncode == 0


def test_only_a_release_is_replaced(run: Run, good: Path) -> None:
    (good / "out").mkdir()
    (good / "out" / "mine.txt").write_text("keep me")
    done = anonymize(run, "--if-exists", "replace")
    assert done.returncode == 5
    assert "is no release" in done.stderr
    assert (good / "out" / "mine.txt").read_text() == "keep me"


def test_nothing_beside_a_release_is_removed_and_nothing_else_is_skipped(run: Run, good: Path) -> None:
    assert anonymize(run).returncode == 0
    (good / "out" / "notes.txt").write_text("keep me")
    replaced = anonymize(run, "--if-exists", "replace")
    assert replaced.returncode == 5
    assert "holds more than a release" in replaced.stderr
    assert (good / "out" / "notes.txt").read_text() == "keep me"
    (good / "other").mkdir()
    skipped = run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "other", "--if-exists", "skip")
    assert skipped.returncode == 5


def test_a_draft_never_takes_the_place_of_the_table(run: Run, good: Path) -> None:
    done = run("init", "data.csv", "-o", "data.csv", "--if-exists", "replace")
    assert done.returncode == 5
    assert (good / "data.csv").read_text() == GOOD_DATA
    assert run("init", "data.csv", "-o", "new.yaml", "--k", "0").returncode == 2


def test_a_few_cells_that_are_no_numbers_are_counted_and_not_shown(run: Run, good: Path) -> None:
    (good / "data.csv").write_text(GOOD_DATA.replace("7,20,", "7,x20,", 1))
    hierarchy = "age: {role: quasi-identifier, hierarchy: {id: intervals, lower: 0, width: 10, fan_out: [2, 5]}}"
    (good / "policy.yaml").write_text(GOOD_POLICY.replace("age: {role: quasi-identifier}", hierarchy))
    done = anonymize(run)
    refused(done, 2, "column 'age'", "1 of 8 different values is no number, in 1 of 60 cells, in row ", folder=good)
    assert "x20" not in done.stderr


def test_what_is_skipped_is_told_in_json(run: Run, good: Path) -> None:
    assert anonymize(run, "-q").returncode == 0
    done = anonymize(run, "--if-exists", "skip", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"skipped": True, "out": "out"}


def test_a_warning_is_printed_once(run: Run, good: Path) -> None:
    lines = ["id,age,job,class,m", *(f"{i},{20 + i % 7},cook,y,{i / 7}" for i in range(60))]
    (good / "data.csv").write_text("\n".join(lines))
    (good / "policy.yaml").write_text(GOOD_POLICY.replace("  class:", "  m: {role: plain}\n  class:"))
    done = anonymize(run)
    assert done.returncode == 0, done.stderr
    words = "m is published as it is"
    assert (done.stderr.count(words), done.stdout.count(words)) == (1, 0)


def test_a_name_that_no_file_can_have_is_refused(run: Run, good: Path) -> None:
    refused(run("queries", "data.csv", "a" * 5000), 2, "too long for a file", folder=good)
