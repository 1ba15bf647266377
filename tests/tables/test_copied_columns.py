"""A column that says what a masked one says is warned of."""

from __future__ import annotations

import pytest

import sfumato

AGES = [18 + place % 20 for place in range(200)]
POLICY = {
    "columns": {"age": {"role": "quasi-identifier", "range": [10, 60]}, "x": {"role": "plain"}},
    "requirements": [{"id": "k-anonymity", "k": 5}],
}


@pytest.mark.parametrize(
    "copy", [lambda age: age, lambda age: f"{age} years", lambda age: 2024 - age, lambda age: age / 2]
)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_masked_column_in_other_words_is_warned_of(copy, engine: str) -> None:
    release = sfumato.anonymize({"age": AGES, "x": [copy(age) for age in AGES]}, {**POLICY, "engine": engine})
    assert any("x is published as it is and tells age" in str(warning) for warning in release.warnings)


def test_a_column_that_tells_more_than_the_masked_one_is_warned_of() -> None:
    release = sfumato.anonymize({"age": AGES, "x": [f"{age}-{at % 3}" for at, age in enumerate(AGES)]}, POLICY)
    assert any("tells age" in str(warning) for warning in release.warnings)
    protected = {**POLICY, "columns": {**POLICY["columns"], "x": {"role": "sensitive"}}}  # type: ignore[dict-item]
    assert any(
        "tells age" in str(warning) for warning in sfumato.anonymize({"age": AGES, "x": AGES}, protected).warnings
    )


def test_what_goes_with_several_values_is_not_spoken_of() -> None:
    release = sfumato.anonymize({"age": AGES, "x": [at % 7 for at in range(200)]}, POLICY)
    assert not any("tells" in str(warning) for warning in release.warnings)


def test_a_k_of_one_is_warned_of() -> None:
    nothing = {**POLICY, "requirements": [{"id": "k-anonymity", "k": 1}]}
    release = sfumato.anonymize({"age": AGES, "x": [at % 7 for at in range(200)]}, nothing)
    assert any("asks for nothing" in str(warning) for warning in release.warnings)
