"""A column that says what a masked one says is warned of."""

from __future__ import annotations

from pathlib import Path

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


PATIENTS = [1000 + 7 * (place % 40) for place in range(200)]
NAMED = {
    "columns": {**POLICY["columns"], "patient": {"role": "identifier"}},  # type: ignore[dict-item]
    "requirements": POLICY["requirements"],
}


@pytest.mark.parametrize("copy", [lambda number: number, lambda number: f"P-{number}", lambda number: number / 3])
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_copy_of_an_identifier_is_refused_until_the_policy_says_why(copy, engine: str) -> None:
    data = {"age": AGES, "x": [copy(number) for number in PATIENTS], "patient": PATIENTS}
    with pytest.raises(sfumato.BadRequest, match="as the identifier patient does") as refused:
        sfumato.anonymize(data, {**NAMED, "engine": engine})
    assert (refused.value.column, refused.value.parameter) == ("x", "publish_anyway")
    let = {**NAMED["columns"], "x": {"role": "plain", "publish_anyway": "numbers of this release alone"}}  # type: ignore[dict-item]
    assert sfumato.anonymize(data, {**NAMED, "columns": let, "engine": engine}).table.rows == 200


def test_a_copy_of_an_identifier_is_refused_by_every_kind_that_publishes_it() -> None:
    data = {"age": AGES, "x": [f"P-{number}" for number in PATIENTS], "patient": PATIENTS}
    with pytest.raises(sfumato.BadRequest, match="as the identifier patient does"):
        sfumato.anonymize(data, {**NAMED, "algorithm": {"id": "mdav"}})


def test_what_parts_records_otherwise_than_an_identifier_goes() -> None:
    data = {"age": AGES, "x": [at % 39 for at in range(200)], "patient": PATIENTS}
    assert sfumato.anonymize(data, NAMED).table.rows == 200
    few = {"age": AGES, "x": ["ab"[at % 2] for at in range(200)], "patient": ["AB"[at % 2] for at in range(200)]}
    assert sfumato.anonymize(few, NAMED).table.rows == 200


def test_a_draft_leaves_copies_of_identifiers_out(tmp_path: Path) -> None:
    rows = {"patient_id": [f"p{number}" for number in PATIENTS], "age": AGES, "blub": [f"q{n}" for n in PATIENTS]}
    text = sfumato.draft(sfumato.from_rows(list(rows), list(zip(*rows.values(), strict=True))))
    (tmp_path / "p.yaml").write_text(text)
    columns = sfumato.Policy.of(tmp_path / "p.yaml").columns
    assert str(columns["patient_id"].role) == "identifier"
    assert columns["blub"].role.hidden
