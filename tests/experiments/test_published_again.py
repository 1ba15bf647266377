"""Experiments on series: what they claim in their quick form, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sfumato.catalogue import build
from sfumato.errors import BadRequest
from sfumato.experiments.result import ExperimentResult


@pytest.mark.usefixtures("public_data")
def test_the_promises_hold_in_the_quick_form(quick: Callable[[str], ExperimentResult]) -> None:
    joined = quick("tds4sa-adult")
    assert all(row[-1] == "yes" for row in joined.series() if row[0] == "tds4sa")
    grown = quick("bcf-adult")
    assert all(int(row[-1]) >= 10 for row in grown.series() if row[0] == "bcf-anonymizer")
    changed = quick("m-invariance-adult")
    assert {row[0] for row in changed.series()} == {"2", "4"}
    assert all(float(row[2]) < 1 for row in changed.series())


@pytest.mark.parametrize(
    "wrong", [{"id": "tds4sa-adult", "hs": [0.0]}, {"id": "m-invariance-adult", "ms": [1]}, {"id": "bcf-adult", "k": 0}]
)
def test_what_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadRequest, match=str(wrong["id"])):
        build(wrong, "experiment")


@pytest.mark.usefixtures("public_data")
def test_more_records_than_there_are_is_refused() -> None:
    with pytest.raises(BadRequest, match="Adult has"):
        build("m-invariance-adult", "experiment").run(rows=40_000)
