"""Top-Down Specialization on the worked example: every candidate of every step, and where it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato


def test_trace(golden: Callable[..., Any]) -> None:
    # The file prints six decimals.
    with golden("02-top-down-specialization-1", tolerance=5.1e-7) as file:
        given = file.input
        policy = {
            "columns": {
                **{
                    name: {
                        "role": "quasi-identifier",
                        "hierarchy": {"id": "taxonomy", "tree": given["taxonomies"][name]},
                    }
                    for name in given["qid"]
                },
                given["class"]: {"role": "target"},
            },
            "requirements": [{"id": "k-anonymity", "k": given["k"]}],
            # The worked run goes on with steps that cannot help to predict the class.
            "algorithm": {"id": "top-down-specialization", "trace": "full", "require_beneficial": False},
        }
        release = sfumato.anonymize(file.table(), policy)
        file.compare(
            [
                {
                    "candidates": [
                        {
                            "value": candidate["value"],
                            "infogain": candidate["gain"],
                            "anony_loss": candidate["loss"],
                            "igpl": candidate["score"],
                            "valid": candidate["valid"],
                        }
                        for candidate in entry["candidates"]
                    ],
                    "chosen": entry["value"],
                }
                for entry in release.private.trace
            ],
            "trace",
        )
        file.compare({name: sorted(release.recodings[name].published()) for name in given["qid"]}, "final_cuts")
        (verdict,) = release.verdict
        file.compare(verdict.strongest, "min_group_size")
