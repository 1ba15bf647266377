"""The optimal nodes of Adult that other tools found: found by the search, and measured at the given levels."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato import Tree
from sfumato.data.schema import ColumnType
from sfumato.tables.recode import Recoded

PLACES = [os.environ.get("SFUMATO_DATA"), str(Path(__file__).parents[3] / "shared" / "data")]
FOLDER = next((Path(place) / "adult_arx" for place in PLACES if place and (Path(place) / "adult_arx").is_dir()), None)
ROWS = 8


@pytest.fixture(scope="module")
def adult() -> tuple[sfumato.Table, dict[str, Tree]]:
    """The table and its hierarchy files, every value as text."""
    if FOLDER is None:
        pytest.skip(
            "the folder adult_arx with Adult and its hierarchy files is not here; SFUMATO_DATA may say where it is"
        )
    trees = {}
    for path in sorted(FOLDER.glob("adult_hierarchy_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            trees[path.stem.removeprefix("adult_hierarchy_")] = Tree.from_levels(csv.reader(file, delimiter=";"))
    table = sfumato.read(FOLDER / "adult.csv.gz", separator=";", types=dict.fromkeys(trees, ColumnType.TEXT))
    return table, trees


def without_violating_groups(table: sfumato.Table, qid: list[str], models: dict[str, Any]) -> sfumato.Table:
    """Leave out the groups that violate a requirement decided by sizes or distinct values."""
    groups = table.groups(qid, ["occupation"] if "occupation" not in qid else [])
    small = groups.sizes < models["k-anonymity"]["k"]
    if "l-diversity-distinct" in models:
        small |= groups.histograms["occupation"].distinct() < models["l-diversity-distinct"]["l"]
    return table.drop_groups(qid, [groups.key(int(group)) for group in small.nonzero()[0]])


@pytest.mark.parametrize("number", range(ROWS))
def test_score_at_the_optimum(
    golden: Callable[..., Any], adult: tuple[sfumato.Table, dict[str, Tree]], number: int
) -> None:
    file = golden("08-adult-optimum-1")
    assert len(file.expected) == ROWS
    entry = file.expected[number]
    raw, trees = adult
    assert raw.rows == 30_162
    qid = file.input[f"qis_{entry['qis']}"]
    levels = {name: {"id": "full-domain-generalization", "level": entry["levels"][name]} for name in qid}
    recoded = sfumato.recode(raw, levels, trees)
    kept = without_violating_groups(recoded.table, qid, entry["model"])
    release = Recoded.of(kept, recoded.recodings)
    measured = sfumato.measure(raw, release, entry["metric"])
    file.compare(measured.value, number, "score")
    file.compare(len(kept.groups(qid)), number, "groups")
    file.compare(raw.rows - kept.rows, number, "suppressed_records")
    # Labels alone must lead to the same number.
    looked_up = sfumato.measure(raw, kept, entry["metric"], hierarchies={name: trees[name] for name in qid})
    file.compare(looked_up.value, number, "score")


@pytest.mark.parametrize("number", range(ROWS))
def test_the_search_finds_the_optimum(
    golden: Callable[..., Any], adult: tuple[sfumato.Table, dict[str, Tree]], number: int
) -> None:
    file = golden("08-adult-optimum-1")
    entry = file.expected[number]
    raw, trees = adult
    qid = file.input[f"qis_{entry['qis']}"]
    requirements = []
    for model, parameters in entry["model"].items():
        named = {("ground_distance" if key == "distance" else key): value for key, value in parameters.items()}
        requirements.append({"id": model, **named})
    policy = {
        "columns": {
            name: {
                "role": "quasi-identifier",
                "type": "text",
                "hierarchy": {"id": "taxonomy", "tree": trees[name].to_nested()},
            }
            if name in qid
            else {"role": "sensitive", "type": "text"}
            for name in raw.columns
        },
        "requirements": requirements,
        "limits": {"suppress_at_most": entry["suppression_limit"]},
        "algorithm": {"id": "optimal", "metric": entry["metric"]},
        "metrics": [entry["metric"]],
    }
    release = sfumato.anonymize(raw, policy)
    facts = release.private.facts
    file.compare(facts["levels"], number, "levels")
    file.compare(facts["score"], number, "score")
    file.compare(facts["groups_kept"], number, "groups")
    file.compare(facts["left_out"], number, "suppressed_records")
    assert release.certificate["algorithm"]["optimal"]
    assert facts["gap"] == 0.0
    # What was published says the same.
    file.compare(release.measured[entry["metric"]].value, number, "score")
    file.compare(release.counts["groups_on_all_quasi_identifiers"], number, "groups")
    file.compare(release.counts["records_suppressed"], number, "suppressed_records")
