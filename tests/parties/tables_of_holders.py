"""Random tables of several holders, and the contract between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.parties.contract import Contract

Columns = dict[str, list[Any]]


def random_tree(rng: np.random.Generator, name: str, depth: int) -> dict[str, Any]:
    if depth == 0:
        return {"value": name}
    ways = int(rng.integers(2, 4))
    return {"value": name, "children": [random_tree(rng, f"{name}{way}", depth - 1) for way in range(ways)]}


def leaves(tree: dict[str, Any]) -> list[str]:
    below = tree.get("children")
    return [tree["value"]] if not below else [leaf for child in below for leaf in leaves(child)]


def joint_table(
    seed: int, *, holders: int, sensitive: bool = False, several: bool = False, protocol: str = "ppmashup-semi-honest"
) -> tuple[dict[str, Any], dict[str, Columns], Columns]:
    """Return a contract as a document, the table of each holder, and the joint table."""
    rng = np.random.default_rng(seed)
    records, width = int(rng.integers(12, 60)), int(rng.integers(holders, holders + 3))
    names = [f"a{at}" for at in range(width)]
    columns: dict[str, Any] = {}
    joint: Columns = {}
    for name in names:
        if rng.random() < 0.4:
            columns[name] = {"role": "quasi-identifier", "range": [0, 20]}
            joint[name] = rng.integers(0, 20, records).tolist()
        else:
            tree = random_tree(rng, name, int(rng.integers(1, 3)))
            columns[name] = {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}
            joint[name] = rng.choice(leaves(tree), records).tolist()
    joint["class"] = rng.choice(["no", "yes", "perhaps"], records).tolist()
    columns["class"] = {"role": "target"}
    owner = [*range(holders), *rng.integers(0, holders, width - holders).tolist()]
    held = {f"h{at}": [name for name, who in zip(names, owner, strict=True) if who == at] for at in range(holders)}
    k = int(rng.integers(2, 6))
    requirements: list[dict[str, Any]] = [{"id": "k-anonymity", "k": k}]
    if several:
        count = int(rng.integers(1, 4))
        qids = [rng.choice(names, int(rng.integers(1, width + 1)), replace=False).tolist() for _ in range(count)]
        requirements = [{"id": "k-anonymity", "k": int(rng.integers(2, 6)), "qid": sorted(qid)} for qid in qids]
    if sensitive:
        joint["ill"] = rng.choice(["flu", "cold", "none"], records).tolist()
        columns["ill"] = {"role": "sensitive"}
        held["h0"].append("ill")
        requirements.append({"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"})
    persons = [f"p{at}" for at in rng.permutation(records)]
    tables: dict[str, Columns] = {}
    for holder, own in held.items():
        place = rng.permutation(records).tolist()
        mine = {
            "id": persons,
            **{name: joint[name] for name in own},
            **({"class": joint["class"]} if holder == "h0" else {}),
        }
        tables[holder] = {name: [values[at] for at in place] for name, values in mine.items()}
    document = {
        "holders": {holder: {"person": "id", "columns": own} for holder, own in held.items()},
        "protocol": {"id": protocol},
        "columns": columns,
        "requirements": requirements,
        "metrics": [],
    }
    return document, tables, {name: joint[name] for name in columns}


def contract_of(document: dict[str, Any], **protocol: Any) -> Contract:
    return Contract.of({**document, "protocol": {**document["protocol"], **protocol}})
