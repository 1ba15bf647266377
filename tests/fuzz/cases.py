"""Malformed requests, drawn by number: damaged files, odd policies, odd hierarchies, forged certificates, odd options.

Every number is one command in a folder of its own; the same number is the same request for ever.
"""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
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


def case(seed: int, number: int, stock: Path) -> Case:
    """Return one malformed request; ``stock`` holds finished releases and tables in every format."""
    rng = Random(f"{seed}:{number}")
    family = rng.choices(("data", "policy", "hierarchy", "certificate", "option"), (25, 25, 15, 25, 10))[0]
    return FAMILIES[family](rng, stock)


def csv_text(rows: list[list[str]], separator: str = ",") -> str:
    """Return rows as delimited text."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


# ---- files ---------------------------------------------------------------------------------------------------------------

ENDINGS = ("csv", "csv", "csv", "tsv", "parquet", "arrow", "arrow", "jsonl", "xlsx", "sqlite")


def _data(rng: Random, stock: Path) -> Case:
    ending = rng.choice(ENDINGS)
    name = f"data.{ending}"
    held = (stock / name).read_bytes()
    if ending in ("csv", "tsv") and rng.random() < 0.6:
        held = _odd_table(rng, "," if ending == "csv" else "\t")
    else:
        held = _damaged(rng, held)
    if rng.random() < 0.1:
        name = f"data.{rng.choice(ENDINGS)}"
    if rng.random() < 0.05:
        name, held = f"{name}.gz", gzip.compress(held)[: rng.randint(5, len(held))]
    command = rng.choice(["anonymize", "anonymize", "anonymize", "check", "profile", "init", "detect"])
    argv = [command, name]
    if command in ("anonymize", "check"):
        argv += ["--policy", "policy.yaml"]
    if command in ("anonymize", "init"):
        argv += ["--out", "out"]
    if rng.random() < 0.3 and command != "detect":
        argv += ["--engine", "duckdb"]
    return Case("data", argv, {name: held, "policy.yaml": json.dumps(POLICY).encode()})


def _damaged(rng: Random, held: bytes) -> bytes:
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


CELLS = (
    *(
        "",
        " ",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "1e400",
        "-0",
        "1.0",
        "1,0",
        "0x10",
        "٣",
        "1_000",
        "9" * 40,
        "\x00",
        "\x1b[2J",
        "\ufeff",
    ),
    *(
        '"',
        '""',
        "'",
        "=1+1",
        "@x",
        "\u200b",
        "a" * 20000,
        "2024-02-30",
        "0000-00-00",
        "12:61",
        "true",
        "*",
        "?",
        "cook ",
        "Cook",
    ),
)


def _odd_table(rng: Random, separator: str) -> bytes:
    """Return a table with odd cells, odd names, rows too short or too long, in some encoding."""
    rows = copy.deepcopy(TABLE)
    for _ in range(rng.randint(1, 4)):
        way = rng.randrange(9)
        if way <= 3:
            rows[rng.randrange(1, len(rows))][rng.randrange(2, 5)] = rng.choice(CELLS)
        elif way == 4:
            rows[0][rng.randrange(5)] = rng.choice(
                ("", "age", "born", " ", "\x1b[31mage", "GroupID", "a" * 300, "\x00")
            )
        elif way == 5:
            row = rows[rng.randrange(len(rows))]
            row.append("more") if rng.random() < 0.5 else row.pop()
        elif way == 6:
            rows = rows[: rng.choice([0, 1, 2, 3])]
            if len(rows) < 2:
                break
        elif way == 7:
            column = rng.randrange(2, 5)
            odd = rng.choice(CELLS)
            for row in rows[1:]:
                if len(row) > column:
                    row[column] = odd
        else:
            rows.insert(rng.randrange(len(rows)), [])
    text = csv_text(rows, rng.choice([separator, separator, ";", "|"]))
    if rng.random() < 0.2:
        text = text.replace("\n", rng.choice(["\r\n", "\r", "\n\n"]))
    if rng.random() < 0.1:
        text = text.replace(",", '"', 1)
    return text.encode(rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace")


# ---- policies ------------------------------------------------------------------------------------------------------------


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


PARAMETERS = (
    *(
        "k",
        "l",
        "t",
        "c",
        "alpha",
        "beta",
        "delta",
        "epsilon",
        "m",
        "p",
        "h",
        "e",
        "L",
        "K",
        "C",
        "value",
        "values",
        "qid",
        "y",
    ),
    *(
        "sensitive",
        "missing",
        "metric",
        "score",
        "deadline",
        "publish",
        "strict",
        "queries",
        "domains",
        "known",
        "targets",
    ),
)


def _policy(rng: Random, stock: Path) -> Case:
    document: object = copy.deepcopy(POLICY)
    ids = json.loads((stock / "ids.json").read_text())
    way = rng.random()
    if way < 0.25:
        asked: dict[str, object] = {"id": rng.choice(ids["model"])}
        if rng.random() < 0.7:
            asked["sensitive"] = "ill"
        for _ in range(rng.randint(0, 3)):
            asked[rng.choice(PARAMETERS)] = copy.deepcopy(rng.choice([*ODD, 2, 3, 0.5, 0.2, "flu"]))
        document["requirements"] = [asked]  # type: ignore[index]
    elif way < 0.5:
        chosen: dict[str, object] = {"id": rng.choice(ids["algorithm"])}
        for _ in range(rng.randint(0, 2)):
            chosen[rng.choice(PARAMETERS)] = copy.deepcopy(rng.choice(ODD))
        document["algorithm"] = chosen  # type: ignore[index]
        document["metrics"] = [rng.choice(ids["metric"])]  # type: ignore[index]
    if way >= 0.3:
        document = odd(rng, document)
    text = json.dumps(document).encode()
    if rng.random() < 0.15:
        text = _damaged(rng, text)
    command = rng.choice(["anonymize", "anonymize", "anonymize", "check", "explore", "measure"])
    argv = [command, "data.csv", "--policy", "policy.yaml"]
    if command == "anonymize":
        argv += ["--out", "out"]
    if command == "measure":
        argv.insert(2, "data.csv")
    return Case("policy", argv, {"data.csv": csv_text(TABLE).encode(), "policy.yaml": text})


# ---- hierarchies ---------------------------------------------------------------------------------------------------------


def _hierarchy(rng: Random, stock: Path) -> Case:
    document = copy.deepcopy(POLICY)
    files = {"data.csv": csv_text(TABLE).encode()}
    way = rng.random()
    if way < 0.4:
        rows = [line.split(";") for line in LEVELS.splitlines()]
        for _ in range(rng.randint(1, 3)):
            row = rng.choice(rows)
            step = rng.randrange(6)
            if step == 0 and row:
                row[rng.randrange(len(row))] = rng.choice(
                    ["", "ANY", "hands", "cook", "*", "\x00", "?", " ", "x" * 9000]
                )
            elif step == 1:
                rows.append(list(row))
            elif step == 2 and row:
                row.insert(rng.randrange(len(row)), rng.choice(row))
            elif step == 3:
                row.clear() if rng.random() < 0.2 else row.pop() if row else None
            elif step == 4:
                rows.append([rng.choice(JOBS), rng.choice(["hands", "others", "new"]), "ANY"])
            else:
                rng.shuffle(row)
        files["levels.csv"] = csv_text(rows, ";").encode()
        if rng.random() < 0.15:
            files["levels.csv"] = _damaged(rng, files["levels.csv"])
        entry: object = {"id": "taxonomy", "file": "levels.csv"}
    elif way < 0.7:
        entry = {"id": "taxonomy", "file": "levels.yaml"}
        files["levels.yaml"] = json.dumps(odd(rng, TREE)).encode()
        if rng.random() < 0.2:
            files["levels.yaml"] = _damaged(rng, files["levels.yaml"])
    else:
        entry = odd(
            rng,
            rng.choice(
                [
                    {"id": "taxonomy", "tree": TREE},
                    {"id": "intervals", "lower": 0, "width": 10, "fan_out": [2, 5]},
                    {"id": "redaction", "length": 5},
                    {"id": "ordered", "order": list(JOBS), "fan_out": [2, 2]},
                    {"id": "frequency", "levels": 2},
                    {"id": "dates", "levels": ["month", "year"]},
                ]
            ),
        )
    column = "job" if way < 0.7 else rng.choice(["job", "age", "born"])
    document["columns"][column] = {"role": "quasi-identifier", "hierarchy": entry}  # type: ignore[index]
    if rng.random() < 0.4:
        document["algorithm"] = {"id": rng.choice(["optimal", "incognito", "mondrian", "bottom-up-generalization"])}
    files["policy.yaml"] = json.dumps(document).encode()
    return Case("hierarchy", ["anonymize", "data.csv", "--policy", "policy.yaml", "--out", "out"], files)


# ---- certificates --------------------------------------------------------------------------------------------------------


def _certificate(rng: Random, stock: Path) -> Case:
    release = rng.choice(sorted(path.name for path in (stock / "releases").iterdir()))
    root = stock / "releases" / release
    files = {f"out0/{path.relative_to(root)}": path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    out = Case("certificate", [], files)
    way = rng.random()
    inside = sorted(name for name in files if name.startswith("out0/public/"))
    if way < 0.7:
        document = json.loads(files["out0/public/certificate.json"])
        document.pop("digest")
        changed = odd(rng, document, 2)
        files["out0/public/certificate.json"] = sealed(changed) if rng.random() < 0.9 else json.dumps(changed).encode()
    elif way < 0.8:
        name = rng.choice(inside)
        files[name] = _damaged(rng, files[name])
    elif way < 0.85:
        changed = odd(rng, json.loads(files["out0/public/schema.json"]))
        files["out0/public/schema.json"] = json.dumps(changed).encode()
        document = json.loads(files["out0/public/certificate.json"])
        document.pop("digest")
        document["schema_sha256"] = digest(files["out0/public/schema.json"])
        files["out0/public/certificate.json"] = sealed(document)
    elif way < 0.9:
        out.gone = [rng.choice(inside)]
    elif way < 0.95:
        files[f"out0/public/{rng.choice(['more.csv', '.hidden', 'private.csv', 'sub/x.csv'])}"] = b"a,b\n1,2\n"
    else:
        name = rng.choice(inside)
        out.gone, out.links = (
            [name],
            {name: rng.choice(["../../data.csv", "/dev/zero", "nowhere", ".", "certificate.json"])},
        )
        if rng.random() < 0.5:
            files["out0/elsewhere"] = files[name]
            out.links = {name: "../elsewhere"}
    private = sorted(name for name in files if name.startswith("out0/private/"))
    command = rng.choice(["verify", "verify", "verify", "verify", "report", "audit", "apply"])
    if command in ("report", "audit", "apply") and private and rng.random() < 0.5:
        name = rng.choice(private)
        if name.endswith(".json"):
            files[name] = json.dumps(odd(rng, json.loads(files[name]))).encode()
        else:
            files[name] = _damaged(rng, files[name])
    files["data.csv"] = csv_text(TABLE).encode()
    out.argv = {
        "verify": ["verify", "out0"],
        "report": ["report", "out0", "--out", "page.html"],
        "audit": ["audit", "out0", "--quick"],
        "apply": ["apply", "out0", "data.csv", "--out", "applied.csv"],
    }[command]
    return out


def digest(held: bytes) -> str:
    """Return the SHA-256 of bytes."""
    import hashlib

    return hashlib.sha256(held).hexdigest()


def sealed(document: object) -> bytes:
    """Seal a forged certificate as a forger would: canonical JSON with its own digest."""

    def canonical(held: object) -> bytes:
        return (json.dumps(held, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")

    if not isinstance(document, dict):
        return canonical(document)
    return canonical({**document, "digest": digest(canonical(document))})


# ---- options -------------------------------------------------------------------------------------------------------------

COMMANDS: dict[str, list[str]] = {
    "anonymize": ["data.csv", "--policy", "policy.yaml", "--out", "out"],
    "check": ["data.csv", "--policy", "policy.yaml"],
    "profile": ["data.csv"],
    "init": ["data.csv", "--out", "out"],
    "describe": ["k-anonymity"],
    "verify": ["out0"],
    "attack": ["data.csv", "--with", "suda2"],
    "audit": ["data.csv", "--policy", "policy.yaml", "--quick"],
    "measure": ["data.csv", "data.csv", "--policy", "policy.yaml"],
    "detect": ["data.csv", "data.csv"],
    "tabulate": ["data.csv", "--by", "job", "--out", "out"],
    "perturb": ["data.csv", "--with", "rank-swapping columns=[age]", "--out", "out"],
    "release": [
        "data.csv",
        "--kind",
        "anatomy-pair",
        "--qid",
        "age,job",
        "--sensitive",
        "ill",
        "--groups",
        "job",
        "--out",
        "out",
    ],
    "schema": [],
    "pseudonymize": ["data.csv", "--columns", "name", "--out", "out"],
    "questions": ["data.csv", "data.csv"],
    "utility": ["data.csv", "data.csv"],
    "explore": ["data.csv", "--policy", "policy.yaml"],
    "sign": ["out0", "--key", "policy.yaml"],
    "queries": ["data.csv"],
    "reproduce": ["nothing"],
    "datasets": [],
}
OPTIONS = (
    *(
        "--engine",
        "--format",
        "--separator",
        "--encoding",
        "--sheet",
        "--table",
        "--k",
        "--qid",
        "--sensitive",
        "--require",
        "--kind",
    ),
    *(
        "--external",
        "--raw",
        "--weights",
        "--worst",
        "--json",
        "--with",
        "--population",
        "--weight",
        "--threshold",
        "--fail-above",
    ),
    *(
        "--metric",
        "--target",
        "--out",
        "--policy",
        "--quiet",
        "--edition",
        "--nothing",
        "--public-key",
        "--groups",
        "--seed",
        "--by",
    ),
)
VALUES = (
    *(
        "",
        "-1",
        "0",
        "1e999",
        "nan",
        "policy.yaml",
        "data.csv",
        "nowhere",
        "k-anonymity k=",
        "k-anonymity k=x",
        "k-anonymity k=2",
    ),
    *(
        "age",
        "age,age",
        ",",
        "postgresql://127.0.0.1:1/x",
        "duckdb",
        "parquet",
        "a" * 3000,
        "\x1b[31m",
        "suda2",
        "{",
        "[1,2",
        "🦊",
        ";",
    ),
    *("mondrian", "l-diversity-distinct l=2", "utf-99", "xlsx", "foo", "job", "rank-swapping", "out0", "data.csv::x"),
)


def _option(rng: Random, stock: Path) -> Case:
    command = rng.choice(sorted(COMMANDS))
    given = list(COMMANDS[command])
    for _ in range(rng.randint(1, 3)):
        way = rng.random()
        if way < 0.6:
            given += [rng.choice(OPTIONS), rng.choice(VALUES)]
        elif way < 0.8 and given:
            given[rng.randrange(len(given))] = rng.choice(VALUES)
        elif given:
            del given[rng.randrange(len(given))]
    root = stock / "releases" / "table"
    files = {f"out0/{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*") if path.is_file()}
    files |= {"data.csv": csv_text(TABLE).encode(), "policy.yaml": json.dumps(POLICY).encode()}
    return Case("option", [command, *(text.replace("\x00", "") for text in given)], files)


FAMILIES: dict[str, Callable[[Random, Path], Case]] = {
    "data": _data,
    "policy": _policy,
    "hierarchy": _hierarchy,
    "certificate": _certificate,
    "option": _option,
}
