"""Perturbed generalization: the bound against every world, the calibration, the release through verbs and commands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.linked_records import records_by_group
from sfumato.algorithms.mechanisms.perturbed_generalization import corruption, largest_retention, worst_growth
from sfumato.errors import BadRequest, Unsupported

VALUES = ["flu", "hiv", "cold", "none"]
ROWS = [(20 + i % 50, "fm"[i % 2], VALUES[i % 3]) for i in range(120)]


def policy(**parameters: Any) -> dict[str, Any]:
    return {
        "columns": {
            "age": {"role": "quasi-identifier"},
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "algorithm": {"id": "perturbed-generalization", "domain": VALUES, **parameters},
        "seed": 9,
    }


def table(rows: Any = ROWS) -> Any:
    return sfumato.from_rows(["age", "sex", "ill"], rows)


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 4), Fraction(3, 4), Fraction(1)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_bound_is_what_all_worlds_say(p: Fraction, k: int) -> None:
    """A group of k, all but the victim with the value 1; the victim has value 0 with this prior. The published value is 0."""
    size, prior = 3, Fraction(1, 5)
    shares = [prior, *[(1 - prior) / (size - 1)] * (size - 1)]
    seen = hers = truly = Fraction(0)
    for own, chosen in product(range(size), range(k)):
        raw = own if chosen == 0 else 1
        told = p * (raw == 0) + (1 - p) / size
        weight = shares[own] * told / k
        seen += weight
        hers += weight * (chosen == 0)
        truly += weight * (own == 0)
    if seen == 0:
        return  # without replacement nobody but the victim could have shown it
    found = corruption(float(p), size, k, float(prior))
    assert found.own == pytest.approx(float(hers / seen))
    assert found.posterior == pytest.approx(float(truly / seen))
    assert found.growth == pytest.approx(float(truly / seen - prior))


@settings(max_examples=200)
@given(p=st.floats(0.01, 0.99), domain=st.integers(2, 60), k=st.integers(1, 20), limit=st.floats(0.01, 1.0))
def test_the_worst_prior_is_the_worst(p: float, domain: int, k: int, limit: float) -> None:
    grid = [corruption(p, domain, k, x).growth for x in np.linspace(0, limit, 200)]
    assert worst_growth(p, domain, k, limit) >= max(grid) - 1e-12
    assert worst_growth(p, domain, k, limit) <= max(grid) + 0.02
    assert worst_growth(p, domain, k + 1, limit) <= worst_growth(p, domain, k, limit) + 1e-12
    assert worst_growth(p * 0.9, domain, k, limit) <= worst_growth(p, domain, k, limit) + 1e-12


@settings(max_examples=60)
@given(domain=st.integers(2, 60), k=st.integers(1, 20), growth=st.floats(0.01, 0.5), limit=st.floats(0.05, 1.0))
def test_the_largest_retention_is_on_the_edge(domain: int, k: int, growth: float, limit: float) -> None:
    p = largest_retention(domain, k, growth=growth, highest_prior=limit)
    assert worst_growth(p, domain, k, limit) <= growth
    assert p > 0.999999 or worst_growth(p + 1e-6, domain, k, limit) > growth


def test_corner_cases() -> None:
    assert worst_growth(0.0, 5, 3) == 0.0
    assert worst_growth(1.0, 5, 3) == 1.0
    for wrong in ((1.5, 5, 3, 0.1), (0.5, 0, 3, 0.1), (0.5, 5, 0, 0.1), (0.5, 5, 3, 2.0)):
        with pytest.raises(BadRequest):
            corruption(*wrong)
    with pytest.raises(BadRequest):
        largest_retention(5, 3, growth=0.0)


def test_one_row_for_each_group_and_its_weight() -> None:
    release = sfumato.anonymize(table(), policy(p=1.0))
    rows = release.table.to_rows()
    assert sum(row[3] for row in rows) == len(ROWS)
    assert min(row[3] for row in rows) >= 5
    assert release.verdict.satisfied
    assert any("p = 1" in text for text in release.warnings)
    grouped = records_by_group(release)
    assert Counter(row[:3] for row in grouped) == Counter(ROWS)
    held: dict[int, list[Any]] = {}
    for _, _, ill, number in grouped:
        held.setdefault(number, []).append(ill)
    # With p = 1 every published value is that of a member.
    assert Counter(len(values) for values in held.values()) == Counter(row[3] for row in rows)
    assert all(any(row[2] in values and len(values) == row[3] for values in held.values()) for row in rows)


def test_values_are_replaced_as_often_as_they_should() -> None:
    """Seeded: of 2,000 equal values 1,000 stay but for replacements by the same; 7 standard deviations either way."""
    rows = [(i, "f", "flu") for i in range(2000)]
    asked = policy(p=0.5)
    asked["requirements"] = [{"id": "k-anonymity", "k": 1}]
    asked["columns"]["age"]["range"] = [0, 2000]
    release = sfumato.anonymize(table(rows), asked)
    same = sum(row[2] == "flu" for row in release.table.to_rows())
    share = 0.5 + 0.5 / 4
    assert abs(same / release.table.rows - share) < 7 * (share * (1 - share) / release.table.rows) ** 0.5


def test_the_grouping_does_not_see_sensitive_values() -> None:
    turned = [(age, sex, VALUES[(VALUES.index(ill) + 1) % 4]) for age, sex, ill in ROWS]
    one, two = sfumato.anonymize(table(), policy(p=0.3)), sfumato.anonymize(table(turned), policy(p=0.3))
    back = [(age, sex, VALUES[VALUES.index(ill) - 1], group) for age, sex, ill, group in records_by_group(two)]
    assert Counter(records_by_group(one)) == Counter(back)


def test_what_it_refuses() -> None:
    with pytest.raises(Unsupported):
        sfumato.anonymize(
            table(), {**policy(), "requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"}]}
        )
    with pytest.raises(BadRequest, match="lacks 1 values"):
        sfumato.anonymize(table(), policy(domain=["flu", "hiv"]))
    with pytest.raises(BadRequest, match="different"):
        sfumato.anonymize(table(), policy(domain=[*VALUES, "flu"]))
    with pytest.raises(BadRequest):
        sfumato.anonymize(table(), policy(sensitive="age"))
    asked = policy()
    asked["columns"]["ill"] = {"role": "plain"}
    with pytest.raises(Unsupported, match="name it"):
        sfumato.anonymize(table(), asked)
    with pytest.raises(BadRequest):
        sfumato.anonymize(table(), policy(p=1.2))


def test_through_the_commands(commands: Callable[..., Path]) -> None:
    out = commands(["age", "sex", "ill"], ROWS, policy(p=0.3))
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert certificate["release"]["parameters"]["weights"] == "Weight"
    assert certificate["release"]["truthful"] is False
    assert certificate["requirements"][0]["satisfied"] is True
