"""A level table padded with repeated labels, as other tools write them, publishes what the table without repeats does."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sfumato import anonymize

PLAIN = {
    "job": [("clerk", "office", "*"), ("lawyer", "office", "*"), ("smith", "craft", "*"), ("baker", "craft", "*")],
    "town": [("Bonn", "west", "*"), ("Trier", "west", "*"), ("Jena", "east", "*"), ("Gera", "east", "*")],
}
PADDED = {name: [(leaf, group, group, group, "*") for leaf, group, _ in rows] for name, rows in PLAIN.items()}
RAGGED = {"*": {"north": ["Kiel", "Oslo"], "south": {"west": ["Bonn", "Trier"], "east": ["Jena", "Gera"]}}}
RAGGED_PADDED = [
    *((leaf, "north", "north", "*") for leaf in ("Kiel", "Oslo")),
    *((leaf, "west", "south", "*") for leaf in ("Bonn", "Trier")),
    *((leaf, "east", "south", "*") for leaf in ("Jena", "Gera")),
]
FULL_DOMAIN = ("optimal", "incognito", "samarati-binary-search", "datafly")
BY_NODES = ("tdr", "bottom-up-generalization", "mondrian", "infogain-mondrian", "genetic-algorithm")


def _published(
    algorithm: str, frame: pl.DataFrame, hierarchies: dict[str, dict[str, object]]
) -> list[tuple[object, ...]]:
    spec: dict[str, object] = {"id": algorithm}
    if algorithm == "genetic-algorithm":
        spec |= {"evaluations": 200}
    columns: dict[str, dict[str, object]] = {
        name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", **given}}
        for name, given in hierarchies.items()
    }
    policy = {
        "version": 1,
        "columns": {**columns, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 4}],
        "algorithm": spec,
        "limits": {"suppress_at_most": 0},
        "seed": 3,
    }
    return sorted(anonymize(frame, policy).public.rows())


def _frame(seed: int, values: dict[str, list[str]]) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    drawn = {name: rng.choice(known, 40).tolist() for name, known in values.items()}
    return pl.DataFrame({**drawn, "class": rng.choice(["yes", "no"], 40).tolist()})


@pytest.mark.parametrize("algorithm", FULL_DOMAIN + BY_NODES)
@pytest.mark.parametrize("seed", range(3))
def test_a_level_that_all_rows_repeat_changes_nothing(algorithm: str, seed: int) -> None:
    frame = _frame(seed, {name: [row[0] for row in rows] for name, rows in PLAIN.items()})
    plain, padded = (
        _published(algorithm, frame, {name: {"levels": rows} for name, rows in table.items()})
        for table in (PLAIN, PADDED)
    )
    assert padded == plain


@pytest.mark.parametrize("algorithm", BY_NODES)
@pytest.mark.parametrize("seed", range(3))
def test_padding_of_short_branches_changes_nothing_where_steps_go_by_nodes(algorithm: str, seed: int) -> None:
    frame = _frame(seed, {"town": [row[0] for row in RAGGED_PADDED]})
    plain, padded = (
        _published(algorithm, frame, {"town": given}) for given in ({"tree": RAGGED}, {"levels": RAGGED_PADDED})
    )
    assert padded == plain
