"""Requests that need more than a table: a table of everybody, owners who guard or mind, domains and places of points."""

from __future__ import annotations

from random import Random

from drawn import FORMATS, ILLS, Drawn, drawn_tree, written_text

INTERVALS = {"id": "intervals", "lower": 0, "width": 10, "fan_out": [2, 3]}

Columns = dict[str, dict[str, object]]
Values = dict[str, list[str]]


def draw_beside(rng: Random) -> Drawn:
    """Return one random request."""
    return rng.choice([_presence, _guarded, _minding, _sampled, _published_by_chance, _points])(rng)


def _records(rng: Random, rows: int) -> tuple[Columns, Values, dict[str, dict[str, tuple[str, ...]]]]:
    """Return a column with a tree, one of numbers with intervals, and what people have."""
    leaves = [f"v{i}" for i in range(rng.randint(2, 6))]
    nested, above = drawn_tree(rng, leaves)
    columns: Columns = {
        "tree": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": nested}},
        "number": {"role": "quasi-identifier", "hierarchy": INTERVALS},
        "ill": {"role": "sensitive"},
    }
    known = [str(rng.randrange(60)) for _ in range(8)]
    ills = ILLS[: rng.randint(2, 4)]
    values = {
        "tree": [rng.choice(leaves) for _ in range(rows)],
        "number": [rng.choice(known) for _ in range(rows)],
        "ill": [rng.choice(ills) for _ in range(rows)],
    }
    return columns, values, {"tree": above}


def _drawn(
    rng: Random,
    columns: Columns,
    values: Values,
    asked: dict[str, object],
    chosen: dict[str, object],
    above: dict[str, dict[str, tuple[str, ...]]] | None = None,
    external: str = "",
) -> Drawn:
    policy: dict[str, object] = {
        "columns": columns,
        "requirements": [asked],
        "algorithm": chosen,
        "seed": rng.randrange(1000),
        "engine": "polars",
    }
    return Drawn(written_text(values), policy, rng.choice(FORMATS), rng.random() < 0.1, above or {}, external)


def _presence(rng: Random) -> Drawn:
    """Some of those in a public table, who must not be told from the others."""
    everybody = rng.randint(10, 40)
    columns, values, above = _records(rng, everybody)
    inside = sorted(rng.sample(range(everybody), rng.randint(4, everybody)))
    external = written_text({name: values[name] for name in ("tree", "number")})
    low, high = sorted([rng.choice([0.0, 0.1, 0.3, 0.5]), rng.choice([0.5, 0.7, 0.9, 1.0])])
    asked: dict[str, object] = {"id": "delta-presence", "delta_min": low, "delta_max": high}
    records = {name: [held[at] for at in inside] for name, held in values.items()}
    return _drawn(rng, columns, records, asked, {"id": rng.choice(["spalm", "mpalm"])}, above, external)


def _guarded(rng: Random) -> Drawn:
    """Owners who guard a node of the tree of what people have."""
    columns, values, above = _records(rng, rng.randint(6, 30))
    ills = sorted(set(values["ill"]))
    if len(ills) == 1:
        ills.append("gout")
    nested, above["ill"] = drawn_tree(rng, ills, "kind ")
    nodes = sorted({label for over in above["ill"].values() for label in over[:-1]} | set(ills))
    columns["ill"]["hierarchy"] = {"id": "taxonomy", "tree": nested}
    columns["guard"] = {"role": "private", "type": "text"}
    values["guard"] = [rng.choice(["", "", rng.choice(nodes)]) for _ in values["ill"]]
    asked: dict[str, object] = {
        "id": "personalized-privacy",
        "sensitive": "ill",
        "guard": "guard",
        "p_breach": rng.choice([0.2, 0.4, 0.7]),
        "reading": rng.choice(["union", "max_leaf"]),
    }
    return _drawn(rng, columns, values, asked, {"id": "greedy-personalized"}, above)


def _minding(rng: Random) -> Drawn:
    """Owners who mind, or do not mind, that an embarrassing value is published."""
    columns, values, above = _records(rng, rng.randint(8, 36))
    columns["answer"] = {"role": "private", "type": "integer"}
    values["answer"] = [rng.choice(["", "0", "1", "1"]) for _ in values["ill"]]
    asked: dict[str, object] = {
        "id": "personal-frequency",
        "sensitive": "ill",
        "th_acct": rng.choice(["0.1", "0.2", "0.4"]),
        "min_block_size": rng.randint(1, 3),
    }
    weights = {value: rng.randint(0, 1) for value in sorted(set(values["ill"]))}
    chosen: dict[str, object] = {"id": "qidb-anonymization", "weights": weights, "flags": "answer"}
    if rng.random() < 0.5:
        chosen["th_disc"] = rng.choice(["0.1", "0.5", "1"])
    return _drawn(rng, columns, values, asked, chosen, above)


def _sampled(rng: Random) -> Drawn:
    """One record of each group, whose value may have been replaced."""
    columns, values, above = _records(rng, rng.randint(8, 36))
    asked: dict[str, object] = {"id": "k-anonymity", "k": rng.randint(1, 6)}
    chosen: dict[str, object] = {"id": "perturbed-generalization", "p": rng.choice([0, 0.3, 1]), "domain": list(ILLS)}
    return _drawn(rng, columns, values, asked, chosen, above)


def _published_by_chance(rng: Random) -> Drawn:
    """A set of records out of a domain; true ones are published with more probability than others."""
    jobs = ["cook", "clerk", "smith"]
    possible = [(str(age), job) for age in range(20, 40) for job in jobs]
    held = rng.sample(possible, rng.randint(3, 25))
    values = {"age": [age for age, _ in held], "job": [job for _, job in held]}
    columns: Columns = {"age": {"role": "quasi-identifier"}, "job": {"role": "quasi-identifier"}}
    asked: dict[str, object] = {"id": "d-gamma-privacy", "d": rng.choice([0.05, 0.2]), "gamma": rng.choice([0.3, 0.6])}
    chosen: dict[str, object] = {"id": "alpha-beta", "domains": {"age": {"low": 20, "high": 39}, "job": jobs}}
    if rng.random() < 0.5:
        chosen["alpha"], chosen["beta"] = rng.choice([(0.6, 0.2), (1.0, 0.0), (0.2, 0.4), (0.5, 0.5)])
    return _drawn(rng, columns, values, asked, chosen)


def _points(rng: Random) -> Drawn:
    """Points that are counted in cells, or moved."""
    rows = rng.randint(6, 36)
    values = {name: [str(rng.randrange(60)) for _ in range(rows)] for name in ("number", "second")}
    columns: Columns = {name: {"role": "quasi-identifier"} for name in values}
    asked: dict[str, object] = {"id": "c-t-isolation", "c": rng.choice([1, 2, 4]), "t": rng.randint(2, 5)}
    name = rng.choice(["recursive-histogram", "density-perturbation", "cross-training-sanitization"])
    chosen: dict[str, object] = {"id": name} if name == "recursive-histogram" else {"id": name, "rise": 1.0}
    return _drawn(rng, columns, values, asked, chosen)
