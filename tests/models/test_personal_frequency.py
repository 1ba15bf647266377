"""Personal frequency against fractions, at its boundary, and under its parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models.personal_frequency import PersonalFrequency, PersonalFrequencyPresent

COUNTS = st.lists(st.dictionaries(st.sampled_from("ABCD"), st.integers(1, 5), min_size=1), min_size=1, max_size=5)


@given(histograms=COUNTS)
def test_equals_fractions(histograms: list[dict[str, int]]) -> None:
    groups = GroupStats.from_histograms(histograms, column="S")
    whole = {value: sum(one.get(value, 0) for one in histograms) for value in "ABCD"}
    n = sum(whole.values())
    for present, model in ((False, PersonalFrequency(sensitive="S")), (True, PersonalFrequencyPresent(sensitive="S"))):
        wanted = []
        for one in histograms:
            asked = [value for value in whole if value in one or not present]
            size = sum(one.values())
            far = max(abs(Fraction(one.get(value, 0), size) - Fraction(whole[value], n)) for value in asked)
            wanted.append(float(far))
        assert model.measure(groups).tolist() == wanted


def test_boundary_is_exact_and_inclusive() -> None:
    groups = GroupStats.from_histograms([{"A": 8, "B": 2}, {"A": 6, "B": 4}], column="S")
    assert PersonalFrequency(sensitive="S", th_acct="0.1").check(groups)
    assert PersonalFrequency(sensitive="S", th_acct=0.1).check(groups)
    assert not PersonalFrequency(sensitive="S", th_acct="0.0999999999").check(groups)


def test_small_groups_fail_whatever_their_frequencies() -> None:
    groups = GroupStats.from_histograms([{"A": 1}, {"A": 5}], column="S")
    model = PersonalFrequency(sensitive="S", th_acct=1, min_block_size=2)
    verdict = model.check(groups)
    assert (verdict.satisfied, verdict.violating_groups, model.least_size()) == (False, 1, 2)


def test_a_violation_says_what_stands_out() -> None:
    table = sfumato.from_rows(
        ["Q", "S"], [("x", "HIV"), ("x", "HIV"), ("y", "Flu"), ("y", "Flu"), ("y", "Flu"), ("y", "HIV")]
    )
    (verdict,) = sfumato.check(table, {"id": "personal-frequency", "sensitive": "S", "th_acct": "0.3"}, qid=["Q"])
    assert verdict.violations[0].group == ("x",)
    assert verdict.violations[0].witness["value"] == "HIV"
    assert verdict.violations[0].witness["posterior"] == 1.0


@pytest.mark.parametrize("wrong", ["", "1.5", -0.1, 2, "a tenth"])
def test_a_threshold_is_a_decimal_from_0_to_1(wrong: Any) -> None:
    with pytest.raises(BadRequest) as error:
        PersonalFrequency(sensitive="S", th_acct=wrong)
    assert error.value.parameter == "personal-frequency.th_acct"
