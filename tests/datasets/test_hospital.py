"""The invented hospital: same seed, same rows; the promised types, skew and dependencies."""

from __future__ import annotations

import datetime
import json
from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato
from sfumato.data.schema import Role
from sfumato.data.tree import Tree
from sfumato.datasets import demo_policy, hospital, sample, sample_policy
from sfumato.errors import BadRequest


def test_same_seed_same_rows_other_seed_other_rows() -> None:
    assert hospital(300, seed=3).to_rows() == hospital(300, seed=3).to_rows()
    assert hospital(300, seed=3).to_rows() != hospital(300, seed=4).to_rows()


def test_the_global_generator_is_left_alone() -> None:
    np.random.seed(5)  # noqa: NPY002
    untouched = np.random.random()  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    hospital(50)
    assert np.random.random() == untouched  # noqa: NPY002


def test_types() -> None:
    frame = hospital(200).to_polars()
    texts = {"name", "sex", "zip", "department", "occupation", "insurance", "diagnosis", "readmitted"}
    assert {name for name, kind in frame.schema.items() if kind == pl.String} == texts
    assert {name for name, kind in frame.schema.items() if kind == pl.Date} == {"birth_date", "admission_date"}
    assert frame.schema["patient_id"] == pl.Int64
    assert frame.schema["bmi"] == pl.Float64
    assert sum(frame.null_count().row(0)) == 0


def test_identifiers_are_unique_and_dates_make_sense() -> None:
    table = hospital(5000)
    assert len(set(table.values("patient_id"))) == 5000
    ages = [
        (admitted - born).days / 365.25
        for born, admitted in zip(table.values("birth_date"), table.values("admission_date"), strict=True)
    ]
    assert min(ages) >= 0
    assert max(ages) < 103
    assert {day.year for day in table.values("admission_date")} == {2023, 2024}
    assert all(isinstance(day, datetime.date) for day in table.values("birth_date"))


def test_zips_are_five_digits_some_with_leading_zero_some_rare() -> None:
    counts = Counter(hospital(5000).values("zip"))
    assert all(len(code) == 5 and code.isdigit() for code in counts)
    assert any(code.startswith("0") for code in counts)
    assert max(counts.values()) > 200
    assert sum(count == 1 for count in counts.values()) > 10


def test_trees_cover_all_values_and_nothing_unheard_of() -> None:
    table = hospital(200_000)
    assert set(table.taxonomies) == {"sex", "occupation", "department", "diagnosis"}
    for column, nested in table.taxonomies.items():
        assert set(table.values(column)) == set(Tree.from_nested(nested, column=column).leaves), column


def test_roles() -> None:
    table = hospital(10)
    assert table.of(Role.IDENTIFIER) == ("patient_id", "name")
    assert table.of(Role.SENSITIVE) == ("diagnosis",)
    assert table.of(Role.TARGET) == ("readmitted",)
    assert set(table.roles) == set(table.columns)


def test_only_women_give_birth() -> None:
    table = hospital(20_000)
    pairs = Counter(zip(table.values("diagnosis"), table.values("sex"), strict=True))
    assert pairs["Delivery", "female"] > 100
    assert pairs["Delivery", "male"] == 0


def test_readmission_depends_on_age_diagnosis_and_body_mass() -> None:
    frame = hospital(20_000).to_polars()
    again = (frame["readmitted"] == "yes").to_numpy()
    age = (frame["admission_date"] - frame["birth_date"]).dt.total_days().to_numpy() / 365.25
    assert 0.2 < again.mean() < 0.45
    assert again[age > 75].mean() > again[age < 40].mean() + 0.3
    weak_heart = (frame["diagnosis"] == "Heart failure").to_numpy()
    assert again[weak_heart].mean() > again[~weak_heart].mean() + 0.3
    grown = age >= 18
    heavy = frame["bmi"].to_numpy() > 32
    assert again[grown & heavy].mean() > again[grown & ~heavy].mean() + 0.1


@pytest.mark.slow
def test_one_row_works_and_none_is_refused() -> None:
    assert len(hospital(1)) == 1
    with pytest.raises(BadRequest, match="n: must be at least 1, got 0"):
        hospital(0)


def test_sample_is_fixed() -> None:
    assert sample().to_rows() == hospital(10_000, seed=2010).to_rows()


def test_sample_policy_is_plain_data_about_the_sample() -> None:
    policy = sample_policy()
    assert json.loads(json.dumps(policy)) == policy
    columns = policy["columns"]
    assert isinstance(columns, dict)
    assert list(columns) == list(sample().columns)
    assert columns["birth_date"]["hierarchy"] == {"id": "dates", "levels": ["decade"]}
    assert columns["zip"]["hierarchy"]["id"] == "redaction"
    assert columns["diagnosis"] == {"role": "sensitive"}
    assert "hierarchy" not in columns["bmi"]
    tree = Tree.from_nested(columns["occupation"]["hierarchy"]["tree"])
    assert set(sample().values("occupation")) <= set(tree.leaves)


def test_the_demonstration_makes_one_promise_and_keeps_something_of_every_column() -> None:
    release = sfumato.anonymize(sfumato.from_dataset(sample()), demo_policy())
    (verdict,) = release.verdict
    assert set(verdict.qid) == set(release.of_role(Role.QUASI_IDENTIFIER))
    assert release.table.rows == len(sample())
    assert min(len(release.table.dictionary(name)) for name in release.table.columns) > 1
