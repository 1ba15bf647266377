"""Hierarchies that are no trees, or odd ones."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random

from given import JOBS, LEVELS, POLICY, TABLE, TREE, Case, csv_text, damaged, odd


def odd_hierarchy(rng: Random, stock: Path) -> Case:
    """Return a command with an odd hierarchy."""
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
            files["levels.csv"] = damaged(rng, files["levels.csv"])
        entry: object = {"id": "taxonomy", "file": "levels.csv"}
    elif way < 0.7:
        entry = {"id": "taxonomy", "file": "levels.yaml"}
        files["levels.yaml"] = json.dumps(odd(rng, TREE)).encode()
        if rng.random() < 0.2:
            files["levels.yaml"] = damaged(rng, files["levels.yaml"])
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
