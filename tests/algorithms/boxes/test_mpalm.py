"""MPALM: cuts of a population that keep presence uncertain, against plain recursion and by an independent check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_mondrian import NaiveSpace, naive_any, naive_median
from oracles.naive_tdr import NaiveAttribute
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.testing.strategies import DrawnTable, tables


@dataclass(frozen=True)
class Asked:
    """A population, and for each of its rows whether it is in the private table."""

    people: DrawnTable
    inside: tuple[bool, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.people.columns[:-1]

    def public(self) -> Any:
        return sfumato.from_rows(self.names, [row[:-1] for row in self.people.rows])

    def private(self) -> Any:
        rows = [row for row, member in zip(self.people.rows, self.inside, strict=True) if member]
        return sfumato.from_rows(self.people.columns, rows)


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    people = draw(tables(max_attributes=3, min_rows=8, max_rows=40, max_leaves=8))
    inside = draw(st.lists(st.booleans(), min_size=len(people.rows), max_size=len(people.rows)))
    inside[0] = True
    return Asked(people, tuple(inside))


def policy_of(task: Asked, *requirements: dict[str, Any], **algorithm: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {task.people.target: {"role": "sensitive"}}
    for one in task.people.attributes:
        columns[one.name] = {"role": "quasi-identifier"}
        if one.tree is not None:
            columns[one.name]["hierarchy"] = {"id": "taxonomy", "tree": one.tree}
    return {
        "columns": columns,
        "requirements": list(requirements),
        "algorithm": {"id": "mpalm", **algorithm},
        "output": {"row_order": "keep"},
        "metrics": [],
    }


def groups_of(rows: Sequence[Sequence[Any]]) -> list[list[int]]:
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(tuple(map(to_text, row)), []).append(number)
    return sorted(groups.values())


@settings(max_examples=60)
@given(
    task=asked(),
    bounds=st.sampled_from([(0.0, 0.7), (0.2, 0.8), (0.3, 1.0), (0.0, 1.0)]),
    k=st.sampled_from([None, 2]),
    threshold=st.sampled_from(["median", "any"]),
)
def test_the_parts_of_the_naive_twin(task: Asked, bounds: tuple[float, float], k: int | None, threshold: str) -> None:
    low, high = bounds
    requirements: list[dict[str, Any]] = [{"id": "delta-presence", "delta_min": low, "delta_max": high}]
    if k is not None:
        requirements.append({"id": "k-anonymity", "k": k})

    def allowed(part: Sequence[int]) -> bool:
        held = sum(task.inside[row] for row in part)
        share = held / len(part)
        return low - 1e-9 <= share <= high + 1e-9 and (k is None or held == 0 or held >= k)

    attributes = [NaiveAttribute(one.name, one.kind, one.tree) for one in task.people.attributes]
    space = NaiveSpace([row[:-1] for row in task.people.rows], attributes)
    policy = policy_of(task, *requirements, threshold=threshold)
    if not allowed(space.everything()):
        with pytest.raises(Infeasible):
            sfumato.anonymize(task.private(), policy, external=task.public())
        return
    release = sfumato.anonymize(task.private(), policy, external=task.public())
    wanted = (naive_any if threshold == "any" else naive_median)(space, allowed)
    assert groups_of(release.private.beside.external.to_rows()) == sorted(map(sorted, wanted))
    shares = sorted(sum(task.inside[row] for row in part) / len(part) for part in wanted)
    assert sorted(release.private.facts["presence"]) == pytest.approx(shares)
    # Another count, of the published rows beside the recoded population.
    assert sfumato.check(
        release.table, policy=release.private.policy, external=release.private.beside.external
    ).satisfied


PEOPLE = [("Bonn", 20), ("Bonn", 21), ("Ulm", 22), ("Ulm", 30), ("Köln", 31), ("Köln", 45), ("Ulm", 50), ("Bonn", 61)]
INSIDE = [1, 0, 1, 1, 0, 0, 1, 0]


def public(rows: Sequence[Any] = PEOPLE) -> Any:
    return sfumato.from_rows(["town", "age"], rows)


def private(rows: Sequence[Any] | None = None) -> Any:
    return public(rows or [row for row, member in zip(PEOPLE, INSIDE, strict=True) if member])


def policy(low: float = 0.25, high: float = 0.75, **more: Any) -> dict[str, Any]:
    return {
        "columns": {"town": {"role": "quasi-identifier"}, "age": {"role": "quasi-identifier"}},
        "requirements": [{"id": "delta-presence", "delta_min": low, "delta_max": high}],
        "algorithm": {"id": "mpalm"},
        **more,
    }


@pytest.mark.parametrize("publish", ["box", "region"])
def test_written_and_verified_with_the_recoded_population(tmp_path: Path, publish: str) -> None:
    release = sfumato.anonymize(
        private(), policy(algorithm={"id": "mpalm", "publish": publish, "trace": True}), external=public()
    )
    assert release.private.facts["groups"] > 1
    assert len(release.private.trace) == release.private.facts["cuts"]
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out, external=release.private.beside.external)
    counts = Counter(release.private.beside.external.to_rows())
    for box, share in zip(release.private.operations[0].boxes, release.private.facts["presence"], strict=True):
        held = sum(tuple(map(to_text, row)) == box for row in release.table.to_rows())
        assert share == pytest.approx(held / counts[box])


def test_values_that_only_the_population_has_widen_the_boxes() -> None:
    release = sfumato.anonymize(private([("Ulm", 30), ("Ulm", 50)]), policy(0.2, 0.5), external=public())
    assert any("Köln" in box[0] or ".." in box[0] for box in release.private.operations[0].boxes)
    assert release.verdict.satisfied


def test_hierarchies_are_built_over_the_population() -> None:
    asked_for = policy(0.0, 0.8)
    asked_for["columns"]["age"]["hierarchy"] = {"id": "intervals", "edges": [20, 30, 40, 70]}
    release = sfumato.anonymize(private(), asked_for, external=public())
    assert release.verdict.satisfied


def test_keeps_more_than_full_domain_generalization_does() -> None:
    tree = {"any": [{"low": ["a", "b", "c"]}, {"high": ["d", "e", "f"]}]}
    costs: dict[str, list[float]] = {"mpalm": [], "spalm": []}
    for seed in range(9):
        rng = np.random.default_rng(seed)
        rows = [tuple(row) for row in rng.choice(list("abcdef"), (60, 3)).tolist()]
        inside = [row for row, member in zip(rows, rng.random(60) < 0.5, strict=True) if member]
        for algorithm, found in costs.items():
            asked_for = {
                "columns": {
                    name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": _renamed(tree, name)}}
                    for name in "xyz"
                },
                "requirements": [{"id": "delta-presence", "delta_min": 0.2, "delta_max": 0.8}],
                "algorithm": {"id": algorithm},
                "metrics": ["discernibility"],
            }
            release = sfumato.anonymize(
                sfumato.from_rows("xyz", inside), asked_for, external=sfumato.from_rows("xyz", rows)
            )
            found.append(release.measured["discernibility"].value)
    assert np.median(costs["mpalm"]) <= np.median(costs["spalm"])


def _renamed(tree: Any, name: str) -> Any:
    """Return the tree with inner nodes that carry the name of their column."""
    if isinstance(tree, dict):
        return {f"{name}.{label}": [_renamed(child, name) for child in below] for label, below in tree.items()}
    return tree


def test_refusals() -> None:
    with pytest.raises(BadRequest, match="public table") as caught:
        sfumato.anonymize(private(), policy())
    assert caught.value.parameter == "external"
    with pytest.raises(BadRequest, match="lacks a quasi-identifier"):
        sfumato.anonymize(private(), policy(), external=sfumato.from_rows(["town"], [("Bonn",)]))
    with pytest.raises(BadRequest, match="1 records of the table are not"):
        sfumato.anonymize(private([("Bonn", 20), ("Rom", 20)]), policy(), external=public())
    with pytest.raises(BadRequest, match="1 records of the table are not"):
        sfumato.anonymize(private([("Bonn", 20), ("Bonn", 20)]), policy(), external=public())
    with pytest.raises(BadRequest, match="2 records of the table are not"):
        sfumato.anonymize(private([("Bonn", 22), ("Ulm", 20)]), policy(), external=public())
    with pytest.raises(Infeasible) as hopeless:
        sfumato.anonymize(private(), policy(0.6, 0.7), external=public())
    assert hopeless.value.measured == 0.5
    with pytest.raises(Unsupported):
        sfumato.anonymize(private(), policy(requirements=[{"id": "k-anonymity", "k": 2}]), external=public())
    for low, high in ((-0.1, 0.5), (0.1, 1.5), (0.6, 0.5)):
        with pytest.raises(BadRequest, match="delta"):
            sfumato.anonymize(private(), policy(low, high), external=public())
    with pytest.raises(BadRequest, match="threshold"):
        sfumato.anonymize(private(), policy(algorithm={"id": "mpalm", "threshold": "mean"}), external=public())
