"""A test's place mirrors its source: who knows where a thing lies knows where its test lies."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src/sfumato"

# What is tested from outside: worked examples of the literature, pages in a browser, documents, shapes and things of other
# distributions; malformed requests, promises and faults of whole runs; and plain versions, which belong to no room.
BESIDE = {"browser", "docs", "faults", "fuzz", "golden", "oracles", "promises", "shapes", "things"}

HOMES: dict[str, set[str]] = defaultdict(set)
for source in SOURCE.rglob("*.py"):
    if source.relative_to(SOURCE).parts[0] == "recounts":
        continue  # called like the models that they judge, and tried with them
    HOMES[source.stem.lstrip("_")].add(source.parent.relative_to(SOURCE).as_posix())

INSIDE = [path.relative_to(TESTS) for path in sorted(TESTS.rglob("test_*.py"))]
INSIDE = [path for path in INSIDE if path.parts[0] not in BESIDE]


@pytest.mark.parametrize("folder", sorted({path.parent for path in INSIDE}), ids=str)
def test_folders_are_rooms_and_families(folder: Path) -> None:
    assert (SOURCE / folder).is_dir()


def test_a_test_named_like_a_file_lies_where_the_file_lies() -> None:
    moved = {}
    for path in INSIDE:
        homes = HOMES.get(path.stem.removeprefix("test_"), set())
        if homes and path.parent.as_posix() not in homes:
            moved[path.as_posix()] = sorted(homes)
    assert moved == {}


def test_the_files_that_begin_first_are_there() -> None:
    listed = (TESTS / "longest_files.txt").read_text(encoding="utf-8").split()
    assert len(set(listed)) == len(listed)
    assert [name for name in listed if not (TESTS / name).is_file()] == []
