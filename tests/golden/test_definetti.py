"""The deFinetti attack on the worked example of smokers and diseases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato


def test_smokers_and_cancer(golden: Callable[..., Any]) -> None:
    with golden("01-attack-definetti-1") as file:
        pair = {
            part: sfumato.from_rows(file.input[part]["columns"], file.input[part]["rows"]) for part in ("qit", "st")
        }
        records = [row[0] for row in file.input["qit"]["rows"]]
        found: Any = sfumato.attack(
            pair, {"id": "attack-definetti", **file.input["parameters"]}, qid=["Smoker"], sensitive="Disease"
        )
        assert found.details["method"] == "exact"
        file.compare({str(record): found.posterior(row) for row, record in enumerate(records)}, "posterior")
        for record in (11, 12):
            belief = found.random_worlds(records.index(record))["Cancer"]
            file.compare(belief, "random_worlds", f"rec{record}_Cancer")
        assert found.details["above_bound"] == 4
        assert round(found.posterior(records.index(12))["Cancer"], 2) == 0.16
