"""Random requests as plain data: a table as text, a policy, a format; the same number draws the same request.

Every sixth request is one for what needs more than a table and groups: see ``drawn_beside``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

FORMATS = ("csv", "tsv", "parquet", "arrow", "jsonl", "xlsx", "sqlite")
TEXTS = ("x", "y", "z z", "Ä", "a,b", 'q"q', "x;y", "01", "1e3", "nan", "-", "x..y", "[1-2)", "Ä", "line\nbreak", "'t")
ILLS = ("flu", "hiv", "cold", "ulcer", "HIV", "cancer")
SPELLINGS = ("+{}", "{}", "{}", "{}", "{}", "{}.0", "{}.00", "{}e0")

# What can leave records out.
LEAVING = (
    "datafly",
    "genetic-algorithm",
    "incognito",
    "k-optimize",
    "mingen",
    "optimal",
    "samarati-binary-search",
    "tdr",
)
LATTICE = ("optimal", "incognito", "datafly", "mingen", "samarati-binary-search")
RECODING = (
    *LATTICE,
    "tdr",
    "tdr",
    "bottom-up-generalization",
    "genetic-algorithm",
    "hdtds",
    "infogain-mondrian",
    "k-optimize",
    "l-plus-optimize",
    "local-recoding-greedy",
    "mondrian",
    "mondrian",
    "progressive-local-recoding",
    "tds-cluster",
    "top-down-specialization",
    "top-down-disclosure",
)
BY_SIZE = (
    *("mdav", "v-mdav", "r-gather", "condensation", "genetic-algorithm", "local-recoding-greedy"),
    *("progressive-local-recoding", "samarati-binary-search"),
)
OTHERS = ("anatomize", "mask", "ke-permutation", "mdav", "v-mdav", "r-gather", "condensation", "mu-argus")


@dataclass(frozen=True)
class Drawn:
    """A request: the text of the table, the policy, how it is written, and the trees as labels over each leaf."""

    text: str
    policy: dict[str, object]
    format: str
    whole: bool
    above: dict[str, dict[str, tuple[str, ...]]]
    external: str = ""
    after: Mapping[str, object] | None = None
    """A requirement that no search takes, asked of the written file."""

    @property
    def algorithm(self) -> str:
        """The id of the algorithm."""
        return str(self.policy["algorithm"]["id"])  # type: ignore[index]

    def roles(self, *wanted: str) -> list[str]:
        """Return the columns that have one of the roles."""
        columns: Mapping[str, Mapping[str, str]] = self.policy["columns"]  # type: ignore[assignment]
        return [name for name, entry in columns.items() if entry["role"] in wanted]


def draw(seed: int, number: int) -> Drawn:
    """Return one random request."""
    rng = Random(f"{seed}/{number}")
    if number % 6 == 5:
        from drawn_beside import draw_beside

        return draw_beside(rng)
    algorithm = rng.choice(RECODING) if rng.random() < 0.75 else rng.choice(OTHERS)
    lattice = algorithm in (*LATTICE, "genetic-algorithm", "bottom-up-generalization", "mu-argus", "l-plus-optimize")
    numeric = algorithm in ("mdav", "v-mdav", "r-gather", "condensation")
    rows = rng.randint(6, 36)
    columns: dict[str, dict[str, object]] = {}
    values: dict[str, list[str]] = {}
    above: dict[str, dict[str, tuple[str, ...]]] = {}

    if rng.random() < 0.5:
        columns["id"], values["id"] = {"role": "identifier"}, [f"P{i:04d}" for i in range(rows)]
    if not numeric:
        leaves = [f"v{i}" for i in range(rng.randint(2, 7))]
        nested, above["tree"] = drawn_tree(rng, leaves)
        columns["tree"] = {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": nested}}
        values["tree"] = [rng.choice(leaves) for _ in range(rows)]
    columns["number"], values["number"] = _numbers(rng, rows, lattice, numeric)
    if numeric:
        columns["second"], values["second"] = _numbers(rng, rows, lattice, numeric)
    elif rng.random() < 0.7:
        texts = rng.sample(TEXTS, rng.randint(1, 4))
        columns["bare"] = {"role": "quasi-identifier", "type": "text"}
        values["bare"] = [rng.choice(texts) for _ in range(rows)]
        if algorithm in ("hdtds", "bottom-up-generalization", "l-plus-optimize") or rng.random() < 0.5:
            nested, above["bare"] = drawn_tree(rng, sorted(set(values["bare"])), "group ")
            columns["bare"]["hierarchy"] = {"id": "taxonomy", "tree": nested}
    if not numeric and rng.random() < 0.2:
        columns["born"] = {"role": "quasi-identifier", "hierarchy": "dates"}
        days = [f"19{rng.randint(50, 99)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}" for _ in range(5)]
        values["born"] = [rng.choice(days) for _ in range(rows)]
    codes = rng.random() < 0.3
    ills = [str(i) for i in range(1, 6)] if codes else list(ILLS[: rng.randint(2, len(ILLS))])
    weights = [rng.random() + 0.05 for _ in ills]
    values["ill"] = rng.choices(ills, weights, k=rows)
    pays = [str(rng.randrange(1000, 9000, 500)) for _ in range(6)]
    values["pay"] = [rng.choice(pays) for _ in range(rows)]
    asked = _requirements(rng, algorithm, sorted(set(values["ill"])), rows)
    named = {str(entry.get("sensitive", "")) for entry in asked} | {str(n) for e in asked for n in e.get("y", ())}  # type: ignore[attr-defined]
    for name in ("ill", "pay"):
        columns[name] = {
            "role": "sensitive" if name in named else "identifier" if algorithm == "condensation" else "plain"
        }
    if algorithm in ("hdtds", "tds-cluster", "infogain-mondrian", "top-down-specialization") and "ill" not in named:
        columns["ill"] = {"role": "target"}
    if rng.random() < 0.25:
        _gaps(rng, columns, values)

    chosen: dict[str, object] = {"id": algorithm}
    if algorithm in ("mondrian", "infogain-mondrian") and rng.random() < 0.3:
        chosen["publish"] = rng.choice(["box", "region"])
    if algorithm == "infogain-mondrian" and columns["ill"]["role"] != "target":
        chosen["targets"] = ["pay" if "pay" not in named else "ill"]
    if algorithm == "mondrian" and rng.random() < 0.4:
        chosen["strict"] = rng.random() < 0.5
    policy: dict[str, object] = {
        "columns": columns,
        "requirements": asked,
        "algorithm": chosen,
        "seed": rng.randrange(1000),
        "engine": "duckdb" if rng.random() < 0.12 else "polars",
    }
    by_size = all(entry["id"] == "k-anonymity" for entry in asked)
    if algorithm in LEAVING and (by_size or algorithm != "tdr") and rng.random() < 0.4:
        policy["limits"] = {"suppress_at_most": rng.choice([0.05, 0.2, 0.5])}
    written = (written_text(values), policy, rng.choice(FORMATS), rng.random() < 0.1, above)
    return Drawn(*written, after=_after(rng, sorted(set(values["ill"]))) if rng.random() < 0.5 else None)


def _after(rng: Random, ills: Sequence[str]) -> dict[str, object]:
    few = (rng.randint(0, 1), rng.randint(0, 1), rng.randint(0, 1), rng.choice([0.4, 0.6, 0.8, 1.0]))
    asked: dict[str, object] = rng.choice(
        [
            {"id": "background-knowledge-safety", "c": rng.choice([0.5, 0.7, 0.9, 1.0]), "k": rng.randint(0, 2)},
            {"id": "skyline-privacy", "value": rng.choice(ills), "skyline": [list(few)]},
            {"id": "privacy-maxent", "threshold": rng.choice([0.3, 0.5, 0.8])},
            {"id": "k-map", "k": rng.randint(1, 8)},
            {"id": "personal-frequency", "th_acct": rng.choice(["0.1", "0.3", "0.5"])},
        ]
    )
    return asked if asked["id"] == "k-map" else {**asked, "sensitive": "ill"}


def written_text(values: Mapping[str, Sequence[str]]) -> str:
    """Return columns of texts as a delimited file."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(values)
    writer.writerows(zip(*values.values(), strict=True))
    return text.getvalue()


def drawn_tree(
    rng: Random, leaves: Sequence[str], prefix: str = "n"
) -> tuple[dict[str, object], dict[str, tuple[str, ...]]]:
    """Return a tree over the leaves, and the labels over each of them."""
    numbers = iter(range(1000))
    above: dict[str, tuple[str, ...]] = {}

    def node(run: Sequence[str], over: tuple[str, ...]) -> dict[str, object]:
        label = f"{prefix}{next(numbers)}"
        cuts = sorted(rng.sample(range(1, len(run)), min(len(run) - 1, rng.randint(1, 2)))) if len(run) > 1 else []
        edges = [0, *cuts, len(run)]
        children: list[object] = []
        for low, high in pairwise(edges):
            if high - low == 1:
                above[run[low]] = (label, *over)
                children.append(run[low])
            else:
                children.append(node(run[low:high], (label, *over)))
        return {label: children}

    tree = node(leaves, ())
    above["?"] = (next(iter(tree)),)  # what is missing hangs below the root
    return tree, above


def _numbers(rng: Random, rows: int, lattice: bool, numeric: bool = False) -> tuple[dict[str, object], list[str]]:
    style = rng.choice(["small", "small", "small", "negative", "decimal", "huge", "spelled"])
    if style == "huge" and not lattice:
        base = 2**53 + rng.randrange(1000)
        known = [str(base + rng.randrange(4)) for _ in range(6)]
    elif style == "decimal":
        known = [f"{rng.uniform(0, 60):.{rng.randint(1, 3)}f}" for _ in range(8)]
    elif style == "negative" and not lattice:
        known = [str(rng.randrange(-40, 60)) for _ in range(8)]
    else:
        known = [str(rng.randrange(60)) for _ in range(8)]
    values = [rng.choice(known) for _ in range(rows)]
    if style == "spelled":
        # A plus sign makes a text of it.
        values = [rng.choice(SPELLINGS[numeric:]).format(value) for value in values]
    entry: dict[str, object] = {"role": "quasi-identifier"}
    if lattice:
        entry["hierarchy"] = {"id": "intervals", "lower": 0, "width": 10, "fan_out": [2, 3]}
    elif style in ("small", "decimal", "spelled") and rng.random() < 0.5:
        entry["range"] = [0, 60]
    return entry, values


def _gaps(rng: Random, columns: Mapping[str, dict[str, object]], values: Mapping[str, list[str]]) -> None:
    """Leave cells of a quasi-identifier empty."""
    chosen = rng.choice([name for name, entry in columns.items() if entry["role"] == "quasi-identifier"])
    for at in range(len(values[chosen])):
        if rng.random() < 0.1:
            values[chosen][at] = ""
    columns[chosen]["missing"] = rng.choice(["drop-record", "own-value"])
    if chosen == "number" or chosen == "second" or chosen == "born":
        columns[chosen]["missing"] = "drop-record"


def _requirements(rng: Random, algorithm: str, ills: Sequence[str], rows: int) -> list[dict[str, object]]:
    k = rng.randint(1, min(6, rows))
    size: dict[str, object] = {"id": "k-anonymity", "k": k}
    if algorithm in ("anatomize", "mask"):
        return [{"id": "l-diversity-frequency", "l": rng.choice([1.5, 2, 2, 3]), "sensitive": "ill"}]
    if algorithm == "ke-permutation":
        return [{"id": "k-e-anonymity", "k": rng.randint(1, 3), "e": rng.choice([100, 500, 1500]), "sensitive": "pay"}]
    if algorithm in BY_SIZE:
        return [size]
    if algorithm == "mu-argus":
        return [{"id": "k-combinations", "k": k, "size": rng.randint(1, 3)}]
    if algorithm == "hdtds":
        asked = {
            "id": "lkc-privacy",
            "L": rng.randint(1, 3),
            "K": k,
            "C": rng.choice([0.5, 0.8, 1.0]),
            "sensitive": "ill",
        }
        return [asked]
    if algorithm == "top-down-disclosure":
        return [
            {"id": "confidence-bounding", "sensitive": "ill", "value": rng.choice(ills), "h": rng.choice([0.3, 0.6])}
        ]
    ill: dict[str, object] = {"sensitive": "ill"}
    models: list[dict[str, object]] = [
        size,
        size,
        size,
        {"id": "l-diversity-distinct", "l": rng.randint(1, 3), **ill},
        {"id": "l-diversity-entropy", "l": rng.choice([1.2, 1.7, 2.2]), **ill},
        {"id": "l-diversity-frequency", "l": rng.choice([1.2, 2, 2.5]), **ill},
        {"id": "l-diversity-recursive", "c": rng.choice([0.7, 1.0, 2.0]), "l": rng.randint(1, 3), **ill},
        {"id": "alpha-k-anonymity", "alpha": rng.choice([0.4, 0.7, 1.0]), "k": k, **ill},
        {"id": "alpha-k-anonymity", "alpha": rng.choice([0.4, 0.7]), "k": k, "values": [rng.choice(ills)], **ill},
        {"id": "confidence-bounding", "value": rng.choice(ills), "h": rng.choice([0.3, 0.6]), **ill},
        {"id": "p-sensitive-k-anonymity", "p": rng.randint(1, 3), "k": max(3, k), **ill},
        {"id": "k-e-anonymity", "k": rng.randint(1, 3), "e": rng.choice([100, 1500]), "sensitive": "pay"},
        {"id": "epsilon-m-anonymity", "epsilon": rng.choice([10, 600]), "m": rng.randint(1, 3), "sensitive": "pay"},
        {"id": "t-closeness", "t": rng.choice([0.1, 0.3, 0.6]), "ground_distance": "equal", **ill},
        {"id": "t-closeness", "t": rng.choice([0.1, 0.3]), "ground_distance": "ordered", "sensitive": "pay"},
        {"id": "basic-beta-likeness", "beta": rng.choice([0.5, 1.0, 3.0]), **ill},
        {"id": "enhanced-beta-likeness", "beta": rng.choice([0.5, 1.0, 3.0]), **ill},
        {"id": "delta-disclosure", "delta": rng.choice([0.5, 1.0, 3.0]), **ill},
        {"id": "lkc-privacy", "L": rng.randint(1, 3), "K": k, "C": rng.choice([0.5, 0.8, 1.0]), **ill},
        {"id": "xy-anonymity", "y": ["ill"], "k": rng.randint(1, 3)},
        {"id": "xy-linkability", "y": ["ill"], "h": rng.choice([0.4, 0.7])},
    ]
    if algorithm in LATTICE:  # decided group by group
        models = [entry for entry in models if entry["id"] != "lkc-privacy"]
    first = rng.choice(models)
    return [first, size] if first is not size and rng.random() < 0.4 else [first]
