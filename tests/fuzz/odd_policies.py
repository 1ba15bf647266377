"""Policies with odd entries, odd requirements and odd algorithms."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random

from given import ODD, POLICY, TABLE, Case, csv_text, damaged, odd

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


def odd_policy(rng: Random, stock: Path) -> Case:
    """Return a command with an odd policy."""
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
        text = damaged(rng, text)
    command = rng.choice(["anonymize", "anonymize", "anonymize", "check", "explore", "measure"])
    argv = [command, "data.csv", "--policy", "policy.yaml"]
    if command == "anonymize":
        argv += ["--out", "out"]
    if command == "measure":
        argv.insert(2, "data.csv")
    return Case("policy", argv, {"data.csv": csv_text(TABLE).encode(), "policy.yaml": text})
