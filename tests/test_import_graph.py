"""The import graph of the rooms is the one drawn in docs/explanation/architecture.md."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import sfumato

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "sfumato"
DRAWING = ROOT / "docs" / "explanation" / "architecture.md"

# Where rows live is the business of one room; datasets may hand over a frame from inside a function.
ENGINE_LIBRARIES = {"polars", "duckdb", "pyspark"}
LAZY_EXCEPTIONS = {("datasets", "polars")}


# ---- the drawing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Beside:
    """A room that stands beside the drawing: what it may import, and who may import it."""

    imports: frozenset[str]
    imported_by: frozenset[str] | None  # None: everyone


@dataclass(frozen=True)
class Drawing:
    """The lines from top to bottom, and the rooms beside them."""

    lines: tuple[tuple[str, ...], ...]
    beside: Mapping[str, Beside]

    def rooms(self) -> set[str]:
        return {room for line in self.lines for room in line} | set(self.beside)

    def level(self, room: str) -> int:
        return next(number for number, line in enumerate(self.lines) if room in line)

    def forbids(self, room: str, other: str) -> str | None:
        """Say why a room may not import another, or return ``None``."""
        if room == other:
            return None
        for name in (room, other):
            if name not in self.rooms():
                return f"{name} is missing from the drawing"
        if other in self.beside:
            allowed = self.beside[other].imported_by
            return None if allowed is None or room in allowed else f"{other} is not for {room}"
        if room in self.beside:
            return None if other in self.beside[room].imports else f"{room} does not import {other}"
        if self.level(other) == self.level(room):
            return f"{room} and {other} stand on one line"
        return None if self.level(other) > self.level(room) else f"{other} stands above {room}"


def drawing(text: str) -> Drawing:
    blocks = re.findall(r"(?ms)^```text\n(.*?)^```", text)
    assert len(blocks) == 2, "the drawing has one block of lines and one of rooms beside them"
    lines = tuple(tuple(line.split(", ")) for line in blocks[0].splitlines())
    beside = {}
    for line in blocks[1].splitlines():
        found = re.fullmatch(r"(\w+): imports (.+); imported by (.+)", line)
        assert found, f"cannot read {line!r}"
        beside[found[1]] = Beside(_rooms(found[2], lines), None if found[3] == "everyone" else _rooms(found[3], lines))
    # A room beside may import the others beside it that let it.
    return Drawing(lines, beside)


def _rooms(text: str, lines: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    if text == "nobody":
        return frozenset()
    if text.startswith("everything below "):
        top = next(number for number, line in enumerate(lines) if text.removeprefix("everything below ") in line)
        return frozenset(room for line in lines[top + 1 :] for room in line)
    return frozenset(text.split(", "))


# ---- the code ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Import:
    """One imported module: where, what, and whether only when a function runs."""

    module: str
    line: int
    name: str
    lazy: bool


def imports(source: str, module: str) -> Iterator[Import]:
    """Yield every import of a module, those inside functions too; what only type checkers read does not count."""

    def walk(node: ast.AST, lazy: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                continue  # no expression holds an import
            if isinstance(child, ast.If) and _type_checking(child.test):
                for other in child.orelse:
                    yield from found(other, lazy)
                continue
            yield from found(child, lazy)

    def found(node: ast.AST, lazy: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, node.lineno, alias.name, lazy)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")[: -node.level]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                yield Import(module, node.lineno, f"{base}.{alias.name}", lazy)
        inside = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        yield from walk(node, inside)

    yield from walk(ast.parse(source), False)


def _type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def room_of(name: str) -> str | None:
    """Return the room of an imported name, looking up what the top of the package only passes on."""
    parts = name.split(".")
    if parts[0] != "sfumato":
        return None
    if len(parts) == 1:
        return "sfumato"
    if parts[2:3] == ["recounts"]:
        return "recounts"  # those of a wing stand apart as those of the house do
    if (SOURCE / parts[1]).is_dir() or (SOURCE / f"{parts[1]}.py").is_file():
        return parts[1]
    home = sfumato._HOMES.get(parts[1])
    return home.split(".")[1] if home is not None else "sfumato"


def modules() -> dict[str, Path]:
    out = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        out[".".join(parts)] = path
    return out


@cache
def code() -> list[Import]:
    """Return all imports of the package; read when a test asks for them, not by every worker that only collects."""
    return [found for name, path in modules().items() for found in imports(path.read_text(encoding="utf-8"), name)]


DRAWN = drawing(DRAWING.read_text(encoding="utf-8"))


def test_every_room_is_drawn() -> None:
    rooms = {name.split(".")[1] for name in modules()} - {"__init__"}
    assert rooms, "no room was found"
    assert not rooms - DRAWN.rooms(), "rooms missing from the drawing"


def test_imports_follow_the_drawing() -> None:
    wrong = []
    for found in code():
        room, other = room_of(found.module), room_of(found.name)
        if room in (None, "sfumato", "__init__") or other is None:
            continue
        # The top of the package itself offers the version and nothing else to its rooms.
        reason = None if other == "sfumato" else DRAWN.forbids(room, other)
        if other == "sfumato" and found.name not in ("sfumato.__version__", "sfumato"):
            reason = "the top of the package is for users"
        if reason is not None:
            wrong.append(f"{found.module}:{found.line} imports {found.name}: {reason}")
    assert not wrong, "\n".join(wrong)


def test_the_top_of_the_package_imports_nothing_at_once() -> None:
    eager = [found.name for found in code() if found.module == "sfumato.__init__" and room_of(found.name) is not None]
    assert eager == []


def test_only_engines_touch_the_libraries_that_hold_rows() -> None:
    wrong = []
    for found in code():
        room, library = found.module.split(".")[1], found.name.split(".")[0]
        if library not in ENGINE_LIBRARIES or room == "engines":
            continue
        if not (found.lazy and (room, library) in LAZY_EXCEPTIONS):
            wrong.append(f"{found.module}:{found.line} imports {library}")
    assert not wrong, "\n".join(wrong)


def test_recounts_rest_on_the_standard_library_alone() -> None:
    """A second judgement shares nothing with the first, not even a library; PyArrow opens what is no text."""
    allowed = {*sys.stdlib_module_names, "pyarrow"}
    wrong = [
        f"{found.module}:{found.line} imports {found.name}"
        for found in code()
        if ".recounts." in f"{found.module}."
        and found.name.split(".")[0] not in allowed
        and not re.match(r"sfumato\.(errors|(\w+\.)?recounts)\.", found.name)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_import_goes_in_a_circle() -> None:
    """What is imported when a module is imported, and not only when a function of it runs, leads nowhere back."""
    names = {name.removesuffix(".__init__") for name in modules()}
    reached: dict[str, set[str]] = {}
    for found in code():
        target = found.name if found.name in names else found.name.rsplit(".", 1)[0]
        here = found.module.removesuffix(".__init__")
        if not found.lazy and target in names and target != here:
            reached.setdefault(here, set()).add(target)
    sorter = TopologicalSorter(reached)
    sorter.prepare()  # raises CycleError with the circle


def test_families_do_not_know_each_other() -> None:
    """Inside a room, a folder of things imports its own files and what lies above all families, nothing of its neighbours.

    The small rooms of a wing point the way that those of the house do: its algorithms may know its models.
    Protocols between holders are made of blocks, and blocks of what is said in a conversation; sessions run protocols.
    """
    wrong = []
    height = {room: -number for number, line in enumerate(DRAWN.lines) for room in line}
    height |= {"conversation": 0, "blocks": 1, "mashup": 2, "protocols": 3, "sessions": 4}
    for found in code():
        here, there = found.module.split("."), found.name.split(".")
        same_room = len(here) > 3 and len(there) > 3 and here[:2] == there[:2]
        if same_room and here[2] in height and there[2] in height and height[here[2]] > height[there[2]]:
            continue
        if same_room and here[2] != there[2] and (SOURCE / here[1] / there[2]).is_dir():
            wrong.append(f"{found.module}:{found.line} imports {found.name}")
    assert not wrong, "\n".join(wrong)


def test_what_has_an_underscore_is_for_its_own_folder() -> None:
    """A file of a room or a family whose name begins with an underscore is imported from that folder only."""
    wrong = []
    for found in code():
        parts = found.name.split(".")
        hidden = next((at for at, part in enumerate(parts) if part.startswith("_")), None)
        if parts[0] != "sfumato" or hidden is None or not SOURCE.parent.joinpath(*parts[:hidden]).is_dir():
            continue
        if found.name != "sfumato.__version__" and found.module.split(".")[:hidden] != parts[:hidden]:
            wrong.append(f"{found.module}:{found.line} imports {found.name}")
    assert not wrong, "\n".join(wrong)


def test_no_room_is_called_utils() -> None:
    assert not [name for name in modules() if name.split(".")[-1] in ("utils", "util", "helpers", "misc", "common")]


# ---- the test itself -----------------------------------------------------------------------------------------------------


SMALL = drawing(
    "```text\ncli\nverbs\nmodels, metrics\ndata\n```\n\n```text\ncatalogue: imports data; imported by everyone\n"
    "samples: imports data; imported by cli\nchecks: imports everything below cli; imported by nobody\n```\n"
)


@pytest.mark.parametrize(
    ("room", "other", "allowed"),
    [
        ("cli", "data", True),
        ("verbs", "models", True),
        ("models", "models", True),
        ("models", "verbs", False),
        ("models", "metrics", False),
        ("models", "nowhere", False),
        ("nowhere", "models", False),
        ("models", "catalogue", True),
        ("catalogue", "models", False),
        ("cli", "samples", True),
        ("verbs", "samples", False),
        ("samples", "verbs", False),
        ("checks", "verbs", True),
        ("checks", "cli", False),
        ("verbs", "checks", False),
    ],
)
def test_the_drawing_is_read_right(room: str, other: str, allowed: bool) -> None:
    assert (SMALL.forbids(room, other) is None) == allowed


def test_imports_are_found_wherever_they_stand() -> None:
    source = (
        "import a\nfrom b import c\nif TYPE_CHECKING:\n    import hidden\nelse:\n    import d\n"
        "def f():\n    from e import g\n    class H:\n        import i\nfrom . import j\nfrom .k import l\n"
    )
    found = [(entry.name, entry.lazy) for entry in imports(source, "sfumato.room.file")]
    assert found == [
        ("a", False),
        ("b.c", False),
        ("d", False),
        ("e.g", True),
        ("i", True),
        ("sfumato.room.j", False),
        ("sfumato.room.k.l", False),
    ]


def test_who_publishes_a_table_loads_no_other_shape() -> None:
    code = (
        "import sys, tempfile, sfumato\n"
        "rows = [(20 + i % 7, ('flu', 'ulcer')[i % 2]) for i in range(60)]\n"
        "columns = {'age': {'role': 'quasi-identifier'}, 'ill': {'role': 'sensitive'}}\n"
        "policy = {'columns': columns, 'requirements': [{'id': 'k-anonymity', 'k': 3}]}\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    sfumato.publish(sfumato.anonymize(sfumato.from_rows(['age', 'ill'], rows), policy), folder + '/out')\n"
        "    assert sfumato.verify(folder + '/out')\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shapes = {f"sfumato.{path.parent.name}" for path in SOURCE.glob("*/shape.py")} - {
        "sfumato.contracts",
        "sfumato.tables",
    }
    assert shapes
    assert not shapes & set(done.stdout.split())
