"""Full-domain generalization of records that stand for several persons, by brute force: metrics see every person as a row.

Requirements count records, so that groups are left out as if nobody had weights. What a node costs is what it costs in the
table in which every record is repeated as often as its weight says. ``k-map`` asks for the sum of the weights of a group.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from oracles.naive_lattice import Node, Problem, Row, Spec, drawn
from oracles.naive_metrics import Case

__all__ = ["WeightedProblem", "drawn_with_weights"]


@dataclass(frozen=True)
class WeightedProblem(Problem):
    """A problem whose records stand for as many persons as ``weights`` says."""

    weights: tuple[int, ...] = ()

    def case(self, node: Node) -> Case:
        """Return what the metrics count, person by person."""
        often = [at for at, weight in enumerate(self.weights) for _ in range(weight)]
        shown, kept = self.shown(node), self.kept(node)
        return Case(
            [self.rows[at] for at in often],
            [shown[at] for at in often],
            [kept[at] for at in often],
            list(self.trees),
            [self.classes[at] for at in often],
        )

    def _breaking(self, spec: Spec, shown: list[Row], at: list[int], kept: list[bool]) -> set[Row]:
        if spec["id"] != "k-map":
            return super()._breaking(spec, shown, at, kept)
        people: Counter[Row] = Counter()
        for row, weight in zip(shown, self.weights, strict=True):
            people[tuple(row[i] for i in at)] += weight
        return {key for key, count in people.items() if count < spec["k"]}


def drawn_with_weights(seed: int) -> WeightedProblem:
    """Draw a small problem with weights; some ask for people."""
    problem, rng = drawn(seed), random.Random(seed + 5)
    weights = tuple(rng.choice([1, 1, 2, 3, 7]) for _ in problem.rows)
    requirements = problem.requirements
    if rng.random() < 0.4:
        asked = {"id": "k-map", "k": rng.randint(2, 12)}
        requirements = (*requirements, asked) if rng.random() < 0.5 else (asked,)
    return WeightedProblem(**{**vars(problem), "requirements": requirements, "weights": weights})
