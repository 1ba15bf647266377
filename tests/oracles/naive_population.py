"""Full-domain generalization beside a population, by brute force: everybody is recoded like the table and counted one by one.

``others`` are the people who are not in the table. ``k-map`` counts people, ``delta-presence`` the share of them who are
published, ``no-attack`` and ``profitability`` what an attack on a record pays. With a least share nobody may be left out, and a
group of people none of whom is published fails everything. ``average-risk`` and ``sample-uniqueness`` speak of all groups that
are left together: the smallest go, those of equal size by their labels, until they hold.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import log
from typing import Any

from oracles.naive_groups import paths
from oracles.naive_lattice import Node, Problem, Row, Spec, drawn

__all__ = ["PeopledProblem", "drawn_among_people"]


@dataclass(frozen=True)
class PeopledProblem(Problem):
    """A problem with the people who are not in the table."""

    others: tuple[Row, ...] = ()

    @property
    def budget(self) -> int:
        """How many records may be left out."""
        return 0 if any(spec.get("delta_min", 0) > 0 for spec in self.requirements) else super().budget

    def kept(self, node: Node) -> list[bool]:
        """Tell for each row whether it is published at a node."""
        if node not in self._known:
            self._known[node] = self._kept_at(node)
        return self._known[node]

    def _kept_at(self, node: Node) -> list[bool]:
        shown = self.shown(node)
        everybody = shown + replace(self, rows=self.others).shown(node)
        requirements = [one for spec in self.requirements for one in self._parted(spec)]
        kept = [True] * len(shown)
        for spec in [spec for spec in requirements if "qid" not in spec]:
            if spec["id"] in ("average-risk", "sample-uniqueness"):
                continue
            bad = self._failing(spec, shown, everybody, range(len(self.names)), [True] * len(shown))
            if spec.get("delta_min", 0) > 0 and bad - set(shown):
                return [False] * len(shown)
            kept = [stays and row not in bad for stays, row in zip(kept, shown, strict=True)]
        partial = [spec for spec in requirements if "qid" in spec]
        while partial:
            before = sum(kept)
            for spec in partial:
                at = [self.names.index(name) for name in spec["qid"]]
                bad = self._failing(spec, shown, everybody, at, kept)
                kept = [stays and tuple(row[i] for i in at) not in bad for stays, row in zip(kept, shown, strict=True)]
            if sum(kept) == before:
                break
        for spec in self.requirements:
            if spec["id"] in ("average-risk", "sample-uniqueness"):
                kept = _together(spec, shown, kept)
        return kept

    def _parted(self, spec: Spec) -> list[Spec]:
        """Return a requirement on few values at a time as one on each set of columns."""
        if spec["id"] != "lkc-privacy":
            return [spec]
        least: Spec = {"id": "alpha-k-anonymity", "alpha": spec["C"], "k": spec["K"], "sensitive": "s"}
        if spec["L"] >= len(self.names):
            return [least]
        return [{**least, "qid": chosen} for chosen in combinations(self.names, spec["L"])]

    def _failing(self, spec: Spec, shown: list[Row], everybody: list[Row], at: Any, kept: list[bool]) -> set[Row]:
        cut = [tuple(row[i] for i in at) for row in shown]
        people = Counter(tuple(row[i] for i in at) for row in everybody)
        inside = Counter(row for row, stays in zip(cut, kept, strict=True) if stays)
        match spec["id"]:
            case "k-map":
                return {key for key in inside if people[key] < spec["k"]}
            case "no-attack":
                counted = people if spec.get("attacker") == "journalist" else inside
                return {key for key in inside if Fraction(spec["gain"]) / counted[key] > spec["cost"]}
            case "delta-presence":
                absent = people if spec["delta_min"] > 0 else inside
                share = {key: Fraction(inside[key], people[key]) for key in absent}
                return {key for key, one in share.items() if not spec["delta_min"] <= one <= spec["delta_max"]}
            case "profitability":
                counted = people if spec.get("attacker") == "journalist" else inside
                return {key for key in inside if self._payout(spec, key, counted[key]) <= 0}
        return self._breaking(spec, shown, list(at), kept)

    def _payout(self, spec: Spec, key: Row, people: int) -> float:
        covers = [sum(label in path for path in paths(tree)) for label, tree in zip(key, self.trees, strict=True)]
        domains = [len(list(paths(tree))) for tree in self.trees]
        bits = sum(map(log, domains))
        lost = sum(map(log, covers)) / bits if bits else 0.0
        attacked = spec["gain"] > spec["cost"] * people
        return float(spec["benefit"]) * (1 - lost) - (float(spec["loss"]) / people if attacked else 0)


def _together(spec: Spec, shown: list[Row], kept: list[bool]) -> list[bool]:
    sizes = Counter(row for row, stays in zip(shown, kept, strict=True) if stays)
    order = sorted(sizes, key=lambda row: (sizes[row], row))
    while order:
        records = sum(sizes[row] for row in order)
        bad = len(order) if spec["id"] == "average-risk" else sum(sizes[row] == 1 for row in order)
        if bad <= spec["threshold"] * records * (1 + 1e-9):
            break
        order = order[1:]
    stays = set(order)
    return [one and row in stays for one, row in zip(kept, shown, strict=True)]


def drawn_among_people(seed: int) -> PeopledProblem:
    """Draw a small problem beside a population; equal seeds give equal problems."""
    rng, problem = random.Random(seed), drawn(seed)
    domains = [[path[-1] for path in paths(tree)] for tree in problem.trees]
    others = tuple(
        rng.choice(problem.rows) if rng.random() < 0.4 else tuple(rng.choice(domain) for domain in domains)
        for _ in range(rng.randint(0, 2 * len(problem.rows)))
    )
    game = {"gain": rng.choice([10, 30, 60]), "cost": rng.choice([7, 10, 20, 25])}
    journalist = {"attacker": "journalist"} if rng.random() < 0.6 else {}
    payout = {"id": "profitability", "benefit": 100, "loss": rng.choice([50, 200, 300]), **game, **journalist}
    low = rng.choice([0.0, 0.0, 0.1, 0.25])
    choices: list[dict[str, Any]] = [
        {"id": "k-map", "k": rng.randint(1, 6)},
        {"id": "k-map", "k": rng.randint(2, 8)},
        {"id": "delta-presence", "delta_min": low, "delta_max": rng.choice([0.4, 0.5, 0.75, 0.9])},
        {"id": "delta-presence", "delta_min": 0.0, "delta_max": rng.choice([0.4, 0.5, 0.75, 0.9])},
        {"id": "no-attack", **game, **journalist},
        payout,
        {"id": "average-risk", "threshold": rng.choice([0.2, 0.33, 0.5])},
        {"id": "sample-uniqueness", "threshold": rng.choice([0.0, 0.05, 0.2])},
        {
            "id": "lkc-privacy",
            "L": rng.randint(1, 3),
            "K": rng.randint(1, 4),
            "C": rng.choice([0.6, 1.0]),
            "sensitive": "s",
        },
    ]
    chosen: list[Spec] = [rng.choice(choices)]
    names = problem.names
    if chosen[0]["id"] in ("k-map", "no-attack") and len(names) > 1 and rng.random() < 0.3:
        chosen = [{**chosen[0], "qid": rng.sample(names, rng.randint(1, len(names) - 1))}]
    if rng.random() < 0.5:
        chosen += [spec for spec in problem.requirements if "qid" not in spec][:1]
    limit = rng.choice([0.0, 0.1, 0.3, 0.5, 1.0])
    return PeopledProblem(
        **{**vars_of(problem), "requirements": tuple(chosen), "limit": limit},
        others=others,
    )


def vars_of(problem: Problem) -> dict[str, Any]:
    """Return the fields of a problem."""
    return {name: getattr(problem, name) for name in problem.__dataclass_fields__}
