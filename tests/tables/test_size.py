"""A table that is larger than what an algorithm is meant for is warned of before the search, and searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import sfumato
from sfumato.algorithms.boxes.mondrian import Mondrian
from sfumato.algorithms.groupings.mdav import MDAV

NUMBERS = {"a": list(range(60)), "b": [n % 7 for n in range(60)]}
POLICY: dict[str, Any] = {
    "columns": {"a": {"role": "quasi-identifier"}, "b": {"role": "quasi-identifier"}},
    "requirements": [{"id": "k-anonymity", "k": 3}],
    "algorithm": {"id": "mdav"},
}


@pytest.mark.parametrize(("most", "warned"), [(59, True), (60, False)])
def test_a_larger_table_is_warned_of(
    most: int, warned: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(MDAV, "traits", replace(MDAV.traits, most_rows=most))
    assert sfumato.anonymize(NUMBERS, POLICY).verdict
    assert ("mdav is meant for tables of up to 59 records, this one has 60" in caplog.text) is warned
    assert Mondrian.traits.works_on == "counts"
    assert ("such as mondrian" in caplog.text) is warned
