"""What the documents show is run: Python blocks, commands with their output and exit code, policies."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import sfumato
from command_line import sfumato_in
from sfumato.catalogue import TABLE, things
from sfumato.cli.release import _parameters
from sfumato.contracts.algorithm import Algorithm
from sfumato.datasets import hospital
from sfumato.engines.sources import FORMATS, UNWRITTEN
from sfumato.policy import LimitPolicy, OutputPolicy, SeriesKey, SharedPolicy, SourcePolicy
from sfumato.tables.policy import ColumnPolicy, Policy
from sfumato.verbs.draft import draft

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
SHOWN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
ENVIRONMENT = {**os.environ, **SHOWN, "PATH": f"{BIN}:{os.environ['PATH']}"}
TUTORIAL = "docs/tutorial/first_release.md"
REFUSALS = "docs/how_to/when_it_refuses.md"

FENCE = re.compile(r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    language: str
    title: str
    text: str
    where: str
    line: int


def blocks(name: str) -> Iterator[Block]:
    """Yield the fenced blocks of a document in order."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        line = text[: found.start()].count("\n") + 1
        yield Block(found["language"], found["title"] or "", found["text"], f"{name}, line {line}", line)


def documents() -> list[str]:
    """Return the documents that show something to run; drawings are text."""
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "ids"]
    names = ["README.md", "CONTRIBUTING.md", *sorted(path.relative_to(ROOT).as_posix() for path in pages)]
    return [name for name in names if any(block.language != "text" for block in blocks(name))]


def prepare(name: str, folder: Path) -> None:
    """Put into a folder what the reader of a page has when she begins."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name == "docs/reference/errors.md":  # it speaks of the reader's own table
        hospital(200).write_csv(folder / "data.csv")
        (folder / "policy.yaml").write_text(draft(folder / "data.csv", k=2), encoding="utf-8")
    elif name == "docs/explanation/three_questions.md":
        rows = [f"{20 + i % 60},{10000 + 7 * i % 90},{'abcd'[i % 4]},{'xyz'[i % 3]}" for i in range(300)]
        (folder / "patients.csv").write_text("\n".join(["age,zip,job,illness", *rows]), encoding="utf-8")
        (folder / "policy.yaml").write_text(draft(folder / "patients.csv", k=2), encoding="utf-8")
    elif "(../tutorial/first_release.md)" in text:
        hospital(2000).write_csv(folder / "hospital.csv")
        for block in blocks(TUTORIAL):
            if block.title:
                (folder / block.title).write_text(block.text, encoding="utf-8")
        if "the folder `release`" in text:
            made = sfumato.anonymize(folder / "hospital.csv", folder / "policy.yaml")
            sfumato.publish(made, folder / "release")


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line as a reader would, in a folder of its own; our own command alone needs no shell."""
    if command.startswith("sfumato ") and not set(command) & set("|&;<>$`*?~\n"):
        return sfumato_in(folder, *shlex.split(command, comments=True)[1:], **SHOWN)
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False
    )


def squeezed(text: str) -> str:
    """Return the text with every run of blanks as one."""
    return " ".join(text.split())


def run_console(block: Block, folder: Path) -> None:
    """Run the lines behind ``$``; shown output must appear, the code must be 0 or the one that ``echo $?`` shows."""
    pieces = re.split(r"(?m)^\$ ", block.text)[1:]
    assert pieces, f"{block.where}: no command"
    commands = [piece.split("\n", 1) for piece in pieces]
    for number, (command, shown) in enumerate(commands):
        if command == "echo $?":
            continue
        after = commands[number + 1] if number + 1 < len(commands) else ("", "")
        expected = int(after[1]) if after[0] == "echo $?" else 0
        done = run(command, folder)
        assert done.returncode == expected, f"{block.where}: {command}\n{done.stdout}{done.stderr}"
        got = [squeezed(line) for line in (done.stdout + done.stderr).splitlines()]
        for line in filter(None, map(squeezed, shown.splitlines())):
            assert line in got, f"{block.where}: {command} does not print {line!r} but\n" + "\n".join(got)


def run_script(block: Block, folder: Path) -> None:
    """Run a block of commands; ``make`` is not run but must name targets that exist."""
    if "make " not in block.text:
        lines = block.text.strip().splitlines()
        whole = lines if all(line.startswith("sfumato ") for line in lines) else [f"set -e\n{block.text}"]
        for command in whole:
            done = run(command, folder)
            assert done.returncode == 0, f"{block.where}\n{done.stdout}{done.stderr}"
        return
    targets = set(re.findall(r"(?m)^(\w[\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    for line in filter(None, block.text.splitlines()):
        tool, *named = shlex.split(line, comments=True)
        assert tool == "make", f"{block.where}: {tool} beside make"
        assert named, f"{block.where}: make without a target"
        assert set(named) <= targets, f"{block.where}: {line}"


def take_file(block: Block, folder: Path) -> None:
    """Save a titled block under its name; policies, whole or in part, must be accepted."""
    if block.title == "part of a policy":
        part = YAML(typ="safe").load(block.text)
        columns = part.get("columns", {"age": {"role": "quasi-identifier"}})
        whole = {"requirements": [{"id": "k-anonymity", "k": 5}], **part, "columns": columns}
        with (folder / "part.yaml").open("w", encoding="utf-8") as file:
            YAML().dump(whole, file)
        Policy.load(folder / "part.yaml")
        return
    assert block.title, f"{block.where}: a block of {block.language} needs a title"
    (folder / block.title).write_text(block.text, encoding="utf-8")
    if block.title.endswith("policy.yaml"):
        SharedPolicy.load(folder / block.title)


@pytest.mark.slow
@pytest.mark.parametrize("name", documents())
def test_blocks_run_as_written(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(name, tmp_path)
    space: dict[str, Any] = {"__name__": name}
    ran = 0
    for block in blocks(name):
        ran += 1
        if block.language == "python":
            exec(compile("\n" * block.line + block.text, name, "exec", dont_inherit=True), space)
        elif block.language == "console":
            run_console(block, tmp_path)
        elif block.language == "sh":
            run_script(block, tmp_path)
        else:
            assert block.language in ("yaml", "text"), f"{block.where}: {block.language} is not checked"
            take_file(block, tmp_path)
    assert ran


@pytest.mark.parametrize("section", [Policy, ColumnPolicy, LimitPolicy, SourcePolicy, OutputPolicy, SeriesKey])
def test_the_policy_page_explains_every_key(section: type[Any]) -> None:
    text = (ROOT / "docs/reference/policy.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"(?m)^\| `(\w+)` \|", text))
    assert set(section.model_fields) <= explained


def named_in(document: str, section: str, words: str) -> set[str]:
    """Return what stands in backticks on the lines of a section that begin with some words, up to the next blank line."""
    text = (ROOT / document).read_text(encoding="utf-8").split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"`([a-z-]+)`", text.split(words, 1)[1].split("\n\n", 1)[0]))


def test_the_policy_page_names_who_leaves_records_out_and_what_can_be_written() -> None:
    leaving = {
        one.id for one in things("algorithm", TABLE) if issubclass(one, Algorithm) and one.traits.suppresses_records
    }
    assert named_in("docs/reference/policy.md", "`limits`", "These algorithms can leave records out:") == leaving
    written = named_in("docs/reference/policy.md", "`output`", "| `format` |") - {"row_order", "sorted", "keep"}
    assert written == set(FORMATS) - set(UNWRITTEN)


def test_parameters_in_the_guide_can_be_read() -> None:
    said = re.findall(
        r"--set '?((?<=')[^']+|[^\s`']+)", (ROOT / "docs/how_to/other_kinds.md").read_text(encoding="utf-8")
    )
    assert any("columns=[" in one for one in said)
    for one in said:
        assert _parameters([one]), one


def test_the_readme_names_commands_that_exist() -> None:
    from sfumato.cli.commands import COMMANDS

    for name in ("README.md", TUTORIAL):
        text = (ROOT / name).read_text(encoding="utf-8")
        shown = "\n".join([block.text for block in blocks(name)] + re.findall(r"`sfumato [^`]+`", text))
        named = set(re.findall(r"(?m)(?:^|`|\$ )sfumato ([a-z]+)\b", shown))
        assert named, name
        assert named <= set(COMMANDS), name


# ---- messages that a page quotes -------------------------------------------------------------------------------------

ANONYMIZE = "sfumato anonymize hospital.csv --policy policy.yaml --out out"


def changed(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Return an edit of one file that must find what it replaces."""

    def edit(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} does not hold {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    return edit


def without_two_dates(folder: Path) -> None:
    """Blank the admission date of the first two records and take the rule for it out of the policy."""
    lines = (folder / "hospital.csv").read_text(encoding="utf-8").split("\n")
    position = lines[0].split(",").index("admission_date")
    for number in (1, 2):
        cells = lines[number].split(",")
        cells[position] = ""
        lines[number] = ",".join(cells)
    (folder / "hospital.csv").write_text("\n".join(lines), encoding="utf-8")
    changed("policy.yaml", "    missing: drop-record\n", "")(folder)


def tampered_release(folder: Path) -> None:
    """Change one value of a finished release."""
    assert run("sfumato anonymize hospital.csv --policy policy.yaml --out release", folder).returncode == 0
    data = folder / "release/public/data.csv"
    data.write_text(data.read_text(encoding="utf-8").replace("female", "male", 1), encoding="utf-8")


SITUATIONS: dict[str, tuple[Callable[[Path], None], str, int]] = {
    "has no role": (changed("policy.yaml", "  bmi: {role: identifier}\n", ""), ANONYMIZE, 2),
    "is not in the table": (changed("policy.yaml", "  bmi:", "  bmii:"), ANONYMIZE, 2),
    "would be published as it is": (
        changed("policy.yaml", "patient_id: {role: identifier}", "patient_id: {role: plain}"),
        ANONYMIZE,
        2,
    ),
    "no rule for them": (without_two_dates, ANONYMIZE, 2),
    "a date needs a hierarchy": (
        changed("policy.yaml", "    hierarchy: {id: dates, levels: [month, quarter, year]}\n", ""),
        ANONYMIZE,
        2,
    ),
    "has no leaf": (changed("occupation.yaml", ", Unemployed", ""), ANONYMIZE, 2),
    "outside the declared range": (
        changed("policy.yaml", "bmi: {role: identifier}", "bmi: {role: quasi-identifier, range: [20, 40]}"),
        ANONYMIZE,
        2,
    ),
    "no release can satisfy it": (changed("policy.yaml", "k: 5", "k: 5000"), ANONYMIZE, 3),
    "suppress_at_most must be 0": (
        changed(
            "policy.yaml",
            "algorithm: {id: tdr",
            "limits: {suppress_at_most: 0.02}\nalgorithm: {id: bottom-up-generalization}  # ",
        ),
        ANONYMIZE,
        4,
    ),
    "exists already": (
        lambda folder: (folder / "release").mkdir(),
        "sfumato anonymize hospital.csv --policy policy.yaml --out release",
        5,
    ),
    "was changed after it was certified": (tampered_release, "sfumato verify release", 2),
}


def quoted_messages() -> list[str]:
    """Return the messages that the page on refusals quotes."""
    return re.findall(r"(?m)^- `(.+)`$", (ROOT / REFUSALS).read_text(encoding="utf-8"))


@pytest.fixture
def guide_folder(tmp_path: Path) -> Path:
    """A folder as the reader of the tutorial has it when the policy is written."""
    prepare(REFUSALS, tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("words", SITUATIONS)
def test_quoted_messages_are_real(words: str, guide_folder: Path) -> None:
    arrange, command, code = SITUATIONS[words]
    (quoted,) = [message for message in quoted_messages() if words in message]
    arrange(guide_folder)
    done = run(command, guide_folder)
    assert done.returncode == code, done.stderr
    assert quoted in done.stderr
    assert not (guide_folder / "out").exists()


def test_every_quoted_message_has_a_situation() -> None:
    messages = quoted_messages()
    assert len(messages) == len(SITUATIONS)
    for message in messages:
        assert sum(words in message for words in SITUATIONS) == 1, message
