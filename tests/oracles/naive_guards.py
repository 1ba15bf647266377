"""Full-domain generalization where owners guard nodes, by brute force: every owner's breach is counted value by value."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oracles.naive_groups import paths
from oracles.naive_lattice import Problem, Row, Spec, drawn

__all__ = ["TREE", "GuardedProblem", "drawn_with_guards"]

TREE: Spec = {
    "value": "any",
    "children": [{"value": "xy", "children": [{"value": "x"}, {"value": "y"}]}, {"value": "z"}, {"value": "w"}],
}


@dataclass(frozen=True)
class GuardedProblem(Problem):
    """A problem whose owners may name a node above sensitive values each."""

    guards: tuple[str | None, ...] = ()

    def _breaking(self, spec: Spec, shown: list[Row], at: list[int], kept: list[bool]) -> set[Row]:
        if spec["id"] != "personalized-privacy":
            return super()._breaking(spec, shown, at, kept)
        below = {node: {path[-1] for path in paths(TREE) if node in path} for node in ("xy", "x", "y", "z", "w")}
        members: dict[Row, list[int]] = {}
        for place, (row, stays) in enumerate(zip(shown, kept, strict=True)):
            if stays:
                members.setdefault(tuple(row[i] for i in at), []).append(place)
        bad = set()
        for key, places in members.items():
            values = [self.sensitive[place] for place in places]
            for node in {guard for place in places if (guard := self.guards[place]) is not None}:
                chances = [Fraction(values.count(leaf), len(values)) for leaf in below[node]]
                breach = max(chances) if spec["reading"] == "max_leaf" else sum(chances)
                if float(breach) > spec["p_breach"] * (1 + 1e-9):
                    bad.add(key)
        return bad

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns, with that of the guarding nodes."""
        return (*super().columns, "guard")

    @property
    def records(self) -> list[tuple[Any, ...]]:
        """The rows with their sensitive value, class and guarding node."""
        return [(*record, guard) for record, guard in zip(super().records, self.guards, strict=True)]

    def policy(self, algorithm: Spec, **more: Any) -> dict[str, Any]:
        """Return the policy that asks for the same."""
        asked = super().policy(algorithm, **more)
        asked["columns"]["s"]["hierarchy"] = {"id": "taxonomy", "tree": TREE}
        asked["columns"]["guard"] = {"role": "private", "type": "text"}
        return asked


def drawn_with_guards(seed: int) -> GuardedProblem:
    """Draw a small problem in which some owners guard a node; some ask for more."""
    problem, rng = drawn(seed), random.Random(seed + 9)
    guards = tuple(rng.choice(["xy", "x", "y", "z", None, None]) for _ in problem.rows)
    asked: Spec = {
        "id": "personalized-privacy",
        "sensitive": "s",
        "guard": "guard",
        "p_breach": rng.choice([0.34, 0.5, 0.67, 0.8]),
        "reading": rng.choice(["union", "max_leaf"]),
    }
    others = [spec for spec in problem.requirements if "qid" not in spec] if rng.random() < 0.5 else []
    return GuardedProblem(**{**vars(problem), "requirements": (*others, asked), "guards": guards})
