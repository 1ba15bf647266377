"""Commands with odd options and values."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from given import POLICY, TABLE, Case, csv_text

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
    "compare": ["data.csv", "--policy", "policy.yaml", "--algorithms", "tdr,datafly"],
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


def odd_option(rng: Random, stock: Path) -> Case:
    """Return a command with odd options."""
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
