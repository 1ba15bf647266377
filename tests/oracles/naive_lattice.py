"""Full-domain generalization by brute force: every choice of levels is applied to the rows and counted one by one.

A problem is plain data: rows of quasi-identifier values, one nested tree per column, a sensitive value and a class for each
row, requirements as ``{"id": ..., parameters}``, and the share of records that may be left out. At a node each value becomes
its ancestor on the node's level. Groups that break a requirement on all columns are left out first; then those whose group on
the columns of a partial requirement breaks it among what is left, requirement by requirement, again and again until all hold.
Models that compare groups with the table compare them with all rows, those left out included.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from math import exp, floor
from typing import Any

from oracles import naive_distributions, naive_diversity
from oracles.naive_groups import full_domain_map, iloss, minimal_distortion, paths
from oracles.naive_metrics import Case, aggregate, factors

__all__ = [
    "Node",
    "Problem",
    "Spec",
    "drawn",
    "drawn_metric",
    "drawn_requirements",
    "drawn_tree",
    "holds",
    "lies_below",
]

Node = tuple[int, ...]
Row = tuple[str, ...]
Spec = Mapping[str, Any]

SLACK = 1e-9


@dataclass(frozen=True)
class Problem:
    """A table with its trees, what is required of it, and how much of it may be left out; ``bare`` columns have no tree."""

    rows: tuple[Row, ...]
    trees: tuple[Spec, ...]
    bare: tuple[bool, ...]
    sensitive: tuple[str, ...]
    classes: tuple[str, ...]
    requirements: tuple[Spec, ...]
    limit: float

    @property
    def names(self) -> tuple[str, ...]:
        """The columns: a0, a1, ..."""
        return tuple(f"a{i}" for i in range(len(self.trees)))

    @property
    def budget(self) -> int:
        """How many records may be left out."""
        return floor(self.limit * len(self.rows) + 1e-9)

    # ---- the lattice -------------------------------------------------------------------------------------------------

    @cached_property
    def top(self) -> Node:
        """The levels of the fully masked table."""
        return tuple(max(len(path) - 1 for path in paths(tree)) for tree in self.trees)

    def nodes(self) -> Iterator[Node]:
        """Yield every node, in lexicographic order."""
        return product(*(range(level + 1) for level in self.top))

    @cached_property
    def _maps(self) -> list[list[dict[Any, Any]]]:
        return [
            [full_domain_map(tree, level) for level in range(top + 1)]
            for tree, top in zip(self.trees, self.top, strict=True)
        ]

    def shown(self, node: Node) -> list[Row]:
        """Return the rows as they are published at a node."""
        maps = [levels[level] for levels, level in zip(self._maps, node, strict=True)]
        return [tuple(becomes[value] for becomes, value in zip(maps, row, strict=True)) for row in self.rows]

    def kept(self, node: Node) -> list[bool]:
        """Tell for each row whether it is published at a node."""
        if node not in self._known:
            self._known[node] = self._kept(self.shown(node))
        return self._known[node]

    @cached_property
    def _known(self) -> dict[Node, list[bool]]:
        return {}

    def _kept(self, shown: list[Row]) -> list[bool]:
        kept = [True] * len(shown)
        partial = []
        for spec in self.requirements:
            at = [self.names.index(name) for name in spec.get("qid") or self.names]
            if len(at) < len(self.names):
                partial.append((spec, at))
                continue
            bad = self._breaking(spec, shown, at, [True] * len(shown))
            kept = [stays and tuple(row[i] for i in at) not in bad for stays, row in zip(kept, shown, strict=True)]
        while partial:
            before = sum(kept)
            for spec, at in partial:
                bad = self._breaking(spec, shown, at, kept)
                kept = [stays and tuple(row[i] for i in at) not in bad for stays, row in zip(kept, shown, strict=True)]
            if sum(kept) == before:
                break
        return kept

    def _breaking(self, spec: Spec, shown: list[Row], at: list[int], kept: list[bool]) -> set[Row]:
        """Return the groups on some columns, of the rows that are kept, that break a requirement."""
        groups: dict[Row, Counter[str]] = {}
        for row, value, stays in zip(shown, self.sensitive, kept, strict=True):
            if stays:
                groups.setdefault(tuple(row[i] for i in at), Counter())[value] += 1
        whole = Counter(self.sensitive)
        return {key for key, group in groups.items() if not holds(spec, group, whole)}

    def left_out(self, node: Node) -> int:
        """Return how many records a node leaves out."""
        return self.kept(node).count(False)

    def valid(self, node: Node) -> bool:
        """Tell whether a node leaves out few enough, and publishes something."""
        return self.left_out(node) <= self.budget and any(self.kept(node))

    def groups(self, node: Node) -> tuple[int, int]:
        """Return how many groups there are at a node, and how many of them are kept."""
        shown, kept = self.shown(node), self.kept(node)
        return len(set(shown)), len({row for row, stays in zip(shown, kept, strict=True) if stays})

    # ---- what a node costs -------------------------------------------------------------------------------------------

    def case(self, node: Node) -> Case:
        """Return what the metrics count."""
        return Case(list(self.rows), self.shown(node), self.kept(node), list(self.trees), list(self.classes))

    def cost(self, node: Node, metric: Spec) -> float:
        """Return the value of a metric at a node."""
        return cost_of(self.case(node), metric, self.names)

    # ---- the same for the library ------------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns: quasi-identifiers, then the sensitive one and the class."""
        return (*self.names, "s", "class")

    @property
    def records(self) -> list[tuple[str, ...]]:
        """The rows with their sensitive value and class."""
        return [(*row, s, c) for row, s, c in zip(self.rows, self.sensitive, self.classes, strict=True)]

    def policy(self, algorithm: Spec, **more: Any) -> dict[str, Any]:
        """Return the policy that asks for the same."""
        columns: dict[str, Any] = {}
        for name, tree, bare in zip(self.names, self.trees, self.bare, strict=True):
            columns[name] = {"role": "quasi-identifier"}
            if not bare:
                columns[name]["hierarchy"] = {"id": "taxonomy", "tree": tree}
        return {
            "columns": {**columns, "s": {"role": "sensitive"}, "class": {"role": "target"}},
            "requirements": [dict(spec) for spec in self.requirements],
            "limits": {"suppress_at_most": self.limit},
            "algorithm": dict(algorithm),
            **more,
        }

    def satisfying(self) -> list[Node]:
        """Return all valid nodes, in lexicographic order."""
        return [node for node in self.nodes() if self.valid(node)]

    def minimal(self) -> list[Node]:
        """Return the valid nodes that have no other valid node below them."""
        found = self.satisfying()
        return [node for node in found if not any(other != node and lies_below(other, node) for other in found)]


def lies_below(lower: Node, upper: Node) -> bool:
    """Tell whether no level of a node is above that of the other."""
    return all(a <= b for a, b in zip(lower, upper, strict=True))


# ---- requirements, by their definitions ----------------------------------------------------------------------------------


def holds(spec: Spec, group: Mapping[str, int], whole: Mapping[str, int]) -> bool:
    """Tell whether a group, given as counts of sensitive values, meets a requirement."""
    size = sum(group.values())
    match spec["id"]:
        case "k-anonymity":
            return size >= spec["k"]
        case "l-diversity-distinct":
            return len(group) >= spec["l"]
        case "l-diversity-entropy":
            return exp(naive_diversity.entropy(group)) >= spec["l"] * (1 - SLACK)
        case "l-diversity-recursive":
            needed = naive_diversity.least_c(group, spec["l"])
            return needed is not None and float(needed) < spec["c"]
        case "confidence-bounding":
            return float(naive_diversity.share(group, spec["value"])) <= spec["h"] * (1 + SLACK)
        case "alpha-k-anonymity":
            return size >= spec["k"] and float(naive_diversity.largest_share(group)) <= spec["alpha"] * (1 + SLACK)
        case "t-closeness":
            return float(naive_distributions.equal_distance(group, whole)) <= spec["t"] * (1 + SLACK)
        case "delta-disclosure":
            return naive_distributions.largest_log(group, whole, 2) < spec["delta"]
    raise ValueError(spec["id"])


# ---- metrics, by their definitions ---------------------------------------------------------------------------------------


def cost_of(case: Case, metric: Spec, names: tuple[str, ...]) -> float:
    """Return the value of a metric, given as id and parameters."""
    given = {key: value for key, value in metric.items() if key != "id"}
    x, variant, weights = given.get("gs_factor", 0.5), given.get("variant", "literature"), given.get("weights") or {}
    every = range(len(names))
    match metric["id"]:
        case "loss":
            return weighted([case.loss(i, x) for i in every], names, weights, given.get("aggregate", "mean"))
        case "precision":
            parts = [case.precision(i, x, monotone=variant == "monotone") for i in every]
            return weighted(parts, names, weights, given.get("aggregate", "mean"))
        case "non-uniform-entropy":
            parts = [case.entropy(i, variant, x) for i in every]
            if given.get("normalized"):
                most = [case.most_entropy(i) for i in every]
                parts = [part / high if high > 0 else 0.0 for part, high in zip(parts, most, strict=True)]
            return weighted(parts, names, weights, given.get("aggregate", "sum"))
        case "normalized-certainty-penalty":
            return sum(weights.get(name, 1) * case.ncp(i) for i, name in enumerate(names))
        case "iloss":
            return sum(weights.get(name, 1) * _iloss(case, i) for i, name in enumerate(names))
        case "minimal-distortion":
            return given.get("penalty", 1) * sum(
                weights.get(name, 1) * _distortion(case, i) for i, name in enumerate(names)
            )
        case "discernibility":
            return case.discernibility(monotone=variant == "monotone")
        case "average-group-size":
            return _average(case, variant, x, given.get("k", 1))
        case "classification-metric":
            return case.classification(variant, x)
        case "ambiguity":
            return case.ambiguity()
        case "entropy-based-information-loss":
            return case.open_bits(x)
        case "kl-divergence":
            return case.kl_over_rows() if variant == "arx" else case.kl()
    raise ValueError(metric["id"])


def weighted(parts: list[float], names: tuple[str, ...], weights: Spec, how: str) -> float:
    """Put attributes together; weights are shares of the largest."""
    given = [weights.get(name, 1) for name in names]
    largest = max(given) or 1
    found: float = aggregate([part * weight / largest for part, weight in zip(parts, given, strict=True)], how)
    return found


def _iloss(case: Case, at: int) -> float:
    tree = case.trees[at]
    return float(sum(iloss(tree, label if kept else "*") for _, label, kept in case.cells(at)))


def _distortion(case: Case, at: int) -> float:
    tree, name = case.trees[at], "a"
    kept = [((raw,), {raw: label}) for raw, label, stays in case.cells(at) if stays]
    gone = [((raw,), {raw: "*"}) for raw, _, stays in case.cells(at) if not stays]
    return float(sum(minimal_distortion([row], [name], {name: tree}, {name: becomes}) for row, becomes in kept + gone))


def _average(case: Case, variant: str, x: float, k: int) -> float:
    groups, kept = len(case.sizes(kept=True)), case.kept.count(True)
    if variant == "literature":
        return kept / (groups * k) if groups else 0.0
    general, left_out = factors(x)
    count = groups * left_out + (general if case.suppressed else 0)
    return case.n / count if count else float("inf")


# ---- random problems -----------------------------------------------------------------------------------------------------


def drawn_tree(rng: random.Random, name: str, leaves: int, depth: int) -> dict[str, Any]:
    """Draw a tree with unique labels; leaves may hang at different depths and inner nodes may have one child."""
    labels = [f"{name}.v{i}" for i in range(leaves)]
    rng.shuffle(labels)
    number = iter(range(1000))

    def inner(run: list[str], left: int) -> dict[str, Any]:
        here = f"{name}.n{next(number)}"
        cuts = sorted(set(range(1, len(run)) if left == 1 else (i for i in range(1, len(run)) if rng.random() < 0.4)))
        edges = [0, *cuts, len(run)]
        return {"value": here, "children": [below(run[lo:hi], left - 1) for lo, hi in pairwise(edges)]}

    def below(run: list[str], left: int) -> dict[str, Any]:
        if len(run) == 1 and (left == 0 or rng.random() < 0.6):
            return {"value": run[0]}
        return inner(run, left)

    return inner(labels, depth)


def drawn_requirements(rng: random.Random, names: tuple[str, ...], values: str) -> tuple[Spec, ...]:
    """Draw one to three requirements, some on part of the columns."""
    k = {"id": "k-anonymity", "k": rng.randint(1, 4)}
    more: list[dict[str, Any]] = [
        {"id": "l-diversity-distinct", "l": rng.randint(1, 3), "sensitive": "s"},
        {"id": "l-diversity-entropy", "l": rng.choice([1.3, 1.7, 2.0, 2.4]), "sensitive": "s"},
        {"id": "l-diversity-recursive", "c": rng.choice([0.9, 1.4, 2.3]), "l": rng.randint(1, 3), "sensitive": "s"},
        {
            "id": "confidence-bounding",
            "value": rng.choice(values),
            "h": rng.choice([0.3, 0.5, 0.6, 0.8]),
            "sensitive": "s",
        },
        {"id": "alpha-k-anonymity", "alpha": rng.choice([0.4, 0.5, 0.7]), "k": rng.randint(1, 3), "sensitive": "s"},
        {
            "id": "t-closeness",
            "t": rng.choice([0.1, 0.25, 0.4, 0.6]),
            "ground_distance": "equal",
            "sensitive": "s",
        },
        {"id": "delta-disclosure", "delta": rng.choice([0.7, 1.1, 1.7]), "sensitive": "s"},
    ]
    chosen: list[dict[str, Any]] = [k] if rng.random() < 0.7 else []
    chosen += rng.sample(more, rng.choice([0, 1, 1, 2] if chosen else [1, 1, 2]))
    if len(names) > 1 and rng.random() < 0.25:
        at = rng.randrange(len(chosen))
        part = rng.sample(names, rng.randint(1, len(names) - 1))
        chosen[at] = {**chosen[at], "qid": part}
        if rng.random() < 0.5:
            chosen.append({"id": "k-anonymity", "k": 2, "qid": rng.sample(names, rng.randint(1, len(names) - 1))})
    return tuple(chosen)


def drawn_metric(rng: random.Random, names: tuple[str, ...]) -> Spec:
    """Draw a data metric with parameters."""
    weights = {name: rng.choice([0, 0.5, 1, 3]) for name in names if rng.random() < 0.7}
    general: dict[str, Any] = {
        "aggregate": rng.choice(["mean", "sum", "maximum", "geometric-mean"]),
        "gs_factor": rng.choice([0.0, 0.2, 0.5, 0.5, 0.7, 1.0]),
        **({"weights": weights} if weights and rng.random() < 0.5 else {}),
    }
    plain = {"weights": weights} if weights and rng.random() < 0.5 else {}
    x = general["gs_factor"]
    found: Spec = rng.choice(
        [
            {"id": "loss", **general},
            {"id": "loss"},
            {"id": "precision", "variant": rng.choice(["literature", "monotone"]), **general},
            {
                "id": "non-uniform-entropy",
                "variant": rng.choice(["literature", "arx", "monotone"]),
                "normalized": rng.random() < 0.3,
                **general,
            },
            {"id": "minimal-distortion", "penalty": rng.choice([1.0, 2.5]), **plain},
            {"id": "iloss", **plain},
            {"id": "normalized-certainty-penalty", **plain},
            {"id": "discernibility", "variant": rng.choice(["literature", "monotone"])},
            {
                "id": "average-group-size",
                "variant": rng.choice(["literature", "arx"]),
                "gs_factor": x,
                "k": rng.randint(1, 3),
            },
            {"id": "classification-metric", "variant": rng.choice(["literature", "arx"]), "gs_factor": x},
            {"id": "ambiguity"},
            {"id": "entropy-based-information-loss", "gs_factor": x},
            {"id": "kl-divergence", "variant": rng.choice(["literature", "arx"])},
        ]
    )
    return found


def drawn(seed: int, *, columns: int | None = None, rows: int | None = None, most_nodes: int = 60) -> Problem:
    """Draw a small problem; equal seeds give equal problems."""
    rng = random.Random(seed)
    wide = columns or rng.choice([2, 2, 3, 4])
    size = rows or rng.randint(5, 22)
    trees: list[Spec] = []
    bare: list[bool] = []
    domains: list[list[str]] = []
    for i in range(wide):
        leaves = rng.randint(1 if wide > 2 else 2, 5 if rows is None else 9)
        plain = rng.random() < 0.25
        tree = drawn_tree(rng, f"a{i}", leaves, rng.choice([1, 2, 3] if wide < 4 else [1, 1, 2]))
        bare.append(plain)
        domains.append([path[-1] for path in paths(tree)][: rng.randint(1, leaves)] if rng.random() < 0.3 else [])
        domains[-1] = domains[-1] or [path[-1] for path in paths(tree)]
        trees.append(tree)
    distinct = [tuple(rng.choice(domain) for domain in domains) for _ in range(rng.randint(2, size))]
    records = tuple(rng.choice(distinct) for _ in range(size))
    for i, plain in enumerate(bare):
        if plain:
            values = sorted({row[i] for row in records})
            trees[i] = {"value": "*", "children": [{"value": value} for value in values]}
    values = "xyz"[: rng.randint(1, 3)]
    # The sensitive value goes with the first column in part: otherwise all groups look like the table.
    sensitive = tuple(
        values[hash_of(row[0]) % len(values)] if rng.random() < 0.4 else rng.choice(values) for row in records
    )
    classes = tuple(rng.choice("NY") for _ in records)
    problem = Problem(records, tuple(trees), tuple(bare), sensitive, classes, (), rng.choice([0.0, 0.0, 0.1, 0.3, 1.0]))
    if len(list(problem.nodes())) > most_nodes:
        return drawn(seed + 1_000_003, columns=columns, rows=rows, most_nodes=most_nodes)
    return replace(problem, requirements=drawn_requirements(rng, problem.names, values))


def hash_of(text: str) -> int:
    """Return a number that depends on the text alone."""
    return sum(ord(letter) * (at + 1) for at, letter in enumerate(text))
