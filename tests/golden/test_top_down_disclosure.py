"""Top-Down Disclosure on the worked example: every candidate of every step, the order of disclosure, what stays hidden."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato


def candidate(entry: Any) -> dict[str, Any]:
    return {
        "attr": entry["attribute"],
        "value": entry["value"],
        "infogain": entry["gain"],
        "privacy_loss": entry["loss"],
        "score": entry["score"],
        "valid": entry["valid"],
    }


def test_run(golden: Callable[..., Any]) -> None:
    # The figures are printed with six decimals.
    with golden("02-top-down-disclosure-1", tolerance=5.1e-7) as file:
        given = file.input
        release = sfumato.anonymize(
            file.table(),
            {
                "columns": {
                    **{name: {"role": "quasi-identifier"} for name in given["qid"]},
                    given["sensitive"]: {"role": "sensitive"},
                    given["class"]: {"role": "target"},
                },
                "requirements": [
                    {
                        "id": "confidence-bounding",
                        "sensitive": given["sensitive"],
                        "qid": given["qid"],
                        **given["template"],
                    }
                ],
                "algorithm": {"id": "top-down-disclosure", "trace": "full"},
            },
        )
        trace = release.private.trace
        file.compare([[step["attribute"], step["value"]] for step in trace], "disclosed_in_order")
        file.compare(
            [
                {
                    "candidates": [candidate(entry) for entry in step["candidates"]],
                    "disclosed": [step["attribute"], step["value"]],
                }
                for step in trace
            ],
            "trace",
        )
        file.compare(
            {
                name: [value for value in recoding.domain if recoding.hides(value)]
                for name, recoding in release.recodings.items()
            },
            "suppressed_at_end",
        )
        (verdict,) = release.verdict
        assert release.private.facts["confidences"][0]["confidence"] == verdict.strongest
        file.compare(verdict.strongest, "final_max_confidence")
