"""What releases of other shapes than tables cost is what was certified when they were made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest

POLICY = {"shape": "transactions", "requirements": [{"id": "km-anonymity", "k": 2, "m": 2}]}
BASKETS = [{"a", "b"}, {"a", "b"}, {"a", "c"}]


def test_certified_values_are_told(tmp_path: Path) -> None:
    release = sfumato.anonymize(BASKETS, POLICY)
    every = sfumato.measure(BASKETS, release)
    assert {name: one.value for name, one in every.items()} == {
        one.metric: one.value for one in release.certificate.metrics
    }
    assert sfumato.measure(BASKETS, release, "lost-items").value == every["lost-items"].value
    sfumato.publish(release, tmp_path / "out")
    (tmp_path / "baskets.txt").write_text("a b\na b\na c\n", encoding="utf-8")
    told = sfumato_in(tmp_path, "measure", "baskets.txt", "out", "-m", "lost-items", "--json")
    assert told.returncode == 0, told.stderr
    (entry,) = json.loads(told.stdout)["metrics"]
    assert (entry["metric"], entry["value"]) == ("lost-items", every["lost-items"].value)
    assert entry["denominator"] == every["lost-items"].denominator


def test_what_was_not_measured_then_is_refused() -> None:
    with pytest.raises(BadRequest, match="name it under metrics"):
        sfumato.measure(BASKETS, sfumato.anonymize(BASKETS, POLICY), "loss")
