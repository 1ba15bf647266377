"""What malformed requests begin with: a good table, a good policy, and ways to spoil bytes and documents."""

from __future__ import annotations

import copy
import csv
import io
from dataclasses import dataclass, field
from random import Random

# Nobody else is called so, and nobody else was born then: neither may stand in any message.
NAMES = [f"Quillon{i:03d}" for i in range(40)]
BORN = [f"19{40 + i % 50}-{1 + i % 12:02d}-{1 + i * 7 % 28:02d}" for i in range(40)]
JOBS = ("cook", "nurse", "clerk", "smith")
ILLS = ("flu", "ulcer", "cold")

TABLE = [["name", "born", "age", "job", "ill"]] + [
    [NAMES[i], BORN[i], str(20 + i % 9), JOBS[i % 4], ILLS[i * 5 % 3]] for i in range(40)
]
TREE = {"ANY": [{"hands": ["cook", "smith"]}, {"others": ["nurse", "clerk"]}]}
POLICY: dict[str, object] = {
    "version": 1,
    "columns": {
        "name": {"role": "identifier"},
        "born": {"role": "quasi-identifier", "hierarchy": {"id": "dates"}},
        "age": {"role": "quasi-identifier", "range": [0, 100]},
        "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
        "ill": {"role": "sensitive"},
    },
    "requirements": [{"id": "k-anonymity", "k": 3}],
    "limits": {"suppress_at_most": 0.0},
    "algorithm": {"id": "tdr"},
    "seed": 3,
    "output": {"format": "csv"},
}
LEVELS = "cook;hands;ANY\nsmith;hands;ANY\nnurse;others;ANY\nclerk;others;ANY\n"

ODD: list[object] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**70,
        -(2**63),
        0.0,
        -0.5,
        1e308,
        float("inf"),
        float("nan"),
        "",
        " ",
        "*",
        "?",
        "None",
    ),
    *(
        "a" * 5000,
        "\x00",
        "\x1b[31m",
        "\u202e",
        "🦊",
        "../../etc/passwd",
        "/dev/null",
        "1",
        "1e400",
        "k-anonymity",
        "tdr",
    ),
    *(
        [],
        {},
        [[]],
        [None],
        {"": ""},
        {"id": "k-anonymity"},
        ["age", "age"],
        {"a": {"b": {"c": []}}},
        [1, 2, 3],
        {"id": None},
    ),
    *(
        "age",
        "job",
        "ill",
        "name",
        "born",
        "2024-02-30",
        "dates",
        "taxonomy",
        "intervals",
        "optimal",
        "mondrian",
        [0, 0],
        [5, 1],
    ),
]


@dataclass
class Case:
    """A command and the folder it is run in: files by name, links by name, and where a finished release is needed."""

    family: str
    argv: list[str]
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)


def csv_text(rows: list[list[str]], separator: str = ",") -> str:
    """Return rows as delimited text."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


def damaged(rng: Random, held: bytes) -> bytes:
    """Return bytes that were cut, flipped, filled with zeros, doubled or torn apart."""
    held = bytes(held)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        if not held:
            return held
        at = rng.randrange(len(held))
        way = rng.randrange(7)
        if way == 0:
            held = held[:at]
        elif way == 1:
            flipped = bytearray(held)
            for _ in range(rng.choice([1, 3, 20])):
                flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
            held = bytes(flipped)
        elif way == 2:
            size = rng.choice([1, 8, 64])
            held = held[:at] + b"\0" * size + held[at + size :]
        elif way == 3:
            held = held[:at] + bytes(rng.randrange(256) for _ in range(rng.choice([1, 4, 40]))) + held[at:]
        elif way == 4:
            held = held[at:] + held[:at]
        elif way == 5:
            size = rng.choice([4, 8])
            held = held[:at] + b"\xff" * size + held[at + size :]
        else:
            held = held[:at] + held[at + rng.choice([1, 16, 200]) :]
    return held


def _places(node: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    found = [path]
    if isinstance(node, dict):
        for key, value in node.items():
            found += _places(value, (*path, key))
    elif isinstance(node, list):
        for at, value in enumerate(node):
            found += _places(value, (*path, at))
    return found


def odd(rng: Random, document: object, most: int = 3) -> object:
    """Return a document with entries replaced, left out, doubled, renamed or added."""
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, most)):
        places = [place for place in _places(document) if place]
        if not places:
            return document
        *path, last = rng.choice(places)
        holder = document
        for step in path:
            holder = holder[step]  # type: ignore[index]
        way = rng.random()
        if way < 0.55:
            holder[last] = copy.deepcopy(rng.choice(ODD))  # type: ignore[index]
        elif way < 0.75:
            del holder[last]  # type: ignore[attr-defined]
        elif isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(rng.choice([*ODD, *holder])))
        elif isinstance(holder, dict):
            key = rng.choice(
                ["id", "k", "l", "t", "sensitive", "qid", "hierarchy", "missing", "type", "x", "", f"{last}s"]
            )
            holder[key] = copy.deepcopy(rng.choice(ODD)) if way < 0.9 else holder.pop(last)
    return document
