"""High-Dimensional Top-Down Specialization on the worked example: the scores of the first candidate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.data.text import parse_interval
from sfumato.metrics.infogain import entropy, information_gain


def run(file: Any, **algorithm: Any) -> Any:
    """Return the release of the example's table under a requirement that binds nothing."""
    attributes = file.input["attributes"]
    table = file.input["table"]
    leaves = ["[1-30)", "[30-60)", "[60-99)"]  # as the file's note says: numbers are mapped to the interval leaves
    age = table["columns"].index("Age")
    rows = [[*row[:age], leaf_of(row[age], leaves), *row[age + 1 :]] for row in table["rows"]]
    columns: dict[str, Any] = {
        "ID": {"role": "identifier"},
        "Transfuse": {"role": "target"},
        "Surgery": {"role": "sensitive"},
    }
    for name, entry in attributes.items():
        columns[name] = {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": entry["taxonomy"]}}
    return sfumato.anonymize(
        sfumato.from_rows(table["columns"], rows),
        {
            "columns": columns,
            "requirements": [{"id": "lkc-privacy", "L": 2, "K": 1}],
            "algorithm": {"id": "hdtds", "trace": "full", **algorithm},
        },
    )


def leaf_of(value: float, leaves: list[str]) -> str:
    for leaf in leaves:
        bounds = parse_interval(leaf)
        assert bounds is not None
        if bounds[0] <= value < bounds[1]:
            return leaf
    raise AssertionError(value)


def first(release: Any, asked: dict[str, str]) -> dict[str, Any]:
    candidates = release.private.trace[0]["candidates"]
    return next(c for c in candidates if (c["attribute"], c["value"]) == (asked["attribute"], asked["value"]))


def test_scores_of_one_specialization(golden: Callable[..., Any]) -> None:
    with golden("03-hdtds-score-1") as file:
        asked = file.input["candidate"]
        tree = file.input["attributes"][asked["attribute"]]["taxonomy"]
        children = [child["value"] for child in tree["children"]]
        classes: dict[str, Any] = {}
        for cut in ([asked["value"]], children):
            table = sfumato.recode(
                file.table(),
                {asked["attribute"]: {"id": "subtree-generalization", "cut": cut}},
                {asked["attribute"]: tree},
            ).table
            groups = table.groups([asked["attribute"]], ["Transfuse"])
            for number, counts in enumerate(groups.histograms["Transfuse"].dense()):
                classes[str(groups.key(number)[0])] = counts
        file.compare({label: float(entropy(counts)) for label, counts in classes.items()}, "entropy")
        found = first(run(file, need="classification"), asked)
        assert found["score"] == found["gain"]
        gain = information_gain(classes[asked["value"]], np.stack([classes[child] for child in children]))
        assert found["gain"] == pytest.approx(float(gain), abs=1e-12)
        file.compare(found["gain"], "InfoGain")
        for score in ("dm-children", "dm-current", "dm-reduction"):
            found = first(run(file, need="general", score=score), asked)
            name = score.replace("-", "_")
            assert found["score"] == found[name]
            file.compare(found[name], name)
