"""Sensitive values that look alike are warned of, without being named."""

from __future__ import annotations

import logging

import pytest

import sfumato
from sfumato.engines import from_rows
from sfumato.models import DistinctLDiversity
from sfumato.tables.named_values import look_alikes

ALIKE = ["HIV", "hiv", "HIV ", "H\u200bIV", "\uff28IV", "Caf\u00e9", "Cafe\u0301", "a  b", "a\u00a0b"]
APART = ["HIV", "HPV", "flu", "Caf\u00e9", "Cafe", "a b", "ab"]
MODEL = {"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"}


def test_values_that_look_alike_are_counted() -> None:
    models = [DistinctLDiversity(l=2, sensitive="ill")]
    (warning,) = look_alikes(models, from_rows(["ill"], [(value,) for value in ALIKE]))
    assert "9 values" in warning
    assert "HIV" not in warning
    assert look_alikes(models, from_rows(["ill"], [(value,) for value in APART])) == []
    assert look_alikes(models, from_rows(["ill"], [(1,), (2,)])) == []


@pytest.mark.parametrize("values", [["1", "1.0", "1e0", "01"], ["HIV", "H\u0406V", "\u041d\u0406V"]])
def test_spellings_of_a_number_and_letters_of_other_scripts_look_alike(values: list[str]) -> None:
    table = from_rows(["ill"], [(value,) for value in [*values, "flu"]])
    (warning,) = look_alikes([DistinctLDiversity(l=2, sensitive="ill")], table)
    assert f"{len(values)} values" in warning


def test_check_and_anonymize_warn(caplog: pytest.LogCaptureFixture) -> None:
    table = from_rows(["job", "ill"], [("a", "HIV"), ("a", "hiv"), ("b", "HIV"), ("b", "hiv")])
    with caplog.at_level(logging.WARNING, "sfumato"):
        assert sfumato.check(table, MODEL, qid=["job"])
    assert "count as different" in caplog.text
    policy = {
        "columns": {"job": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "requirements": [MODEL],
        "algorithm": {"id": "mondrian"},
    }
    assert any("count as different" in warning for warning in sfumato.anonymize(table, policy).warnings)
