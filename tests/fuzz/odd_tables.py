"""Tables that are damaged, oddly written, or called something else than they are."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from random import Random

from given import POLICY, TABLE, Case, csv_text, damaged

ENDINGS = ("csv", "csv", "csv", "tsv", "parquet", "arrow", "arrow", "jsonl", "xlsx", "sqlite")


def odd_table(rng: Random, stock: Path) -> Case:
    """Return a command on a table that is damaged or odd."""
    ending = rng.choice(ENDINGS)
    name = f"data.{ending}"
    held = (stock / name).read_bytes()
    if ending in ("csv", "tsv") and rng.random() < 0.6:
        held = _odd_cells(rng, "," if ending == "csv" else "\t")
    else:
        held = damaged(rng, held)
    if rng.random() < 0.1:
        name = f"data.{rng.choice(ENDINGS)}"
    if rng.random() < 0.05:
        name, held = f"{name}.gz", gzip.compress(held, mtime=0)[: rng.randint(5, max(5, len(held)))]
    command = rng.choice(["anonymize", "anonymize", "anonymize", "check", "profile", "init", "detect"])
    argv = [command, name]
    if command in ("anonymize", "check"):
        argv += ["--policy", "policy.yaml"]
    if command in ("anonymize", "init"):
        argv += ["--out", "out"]
    if rng.random() < 0.3 and command != "detect":
        argv += ["--engine", "duckdb"]
    return Case("data", argv, {name: held, "policy.yaml": json.dumps(POLICY).encode()})


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


def _odd_cells(rng: Random, separator: str) -> bytes:
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
