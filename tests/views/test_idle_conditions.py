"""A condition that hides nobody buys no verdict, and what the others protect is said."""

from __future__ import annotations

import pytest

import sfumato
from sfumato.errors import Infeasible

TABLE = {
    "name": ["Ann", "Bob", "Cal", "Dan", "Eva"],
    "job": ["Cook", "Cook", "Lawyer", "Cook", "Lawyer"],
    "age": [40, 50, 60, 70, 65],
    "disease": ["Flu", "Cold", "HIV", "Cold", "HIV"],
}


def policy(where: str) -> dict[str, object]:
    return {
        "views": {"staff": {"columns": ["name", "job"]}, "clinic": {"columns": ["job", "disease"], "where": where}},
        "requirements": [{"id": "sp-view-kanon-check", "k": 2, "identifier": "name", "sensitive": "disease"}],
    }


def test_a_condition_that_every_row_meets_counts_for_nothing() -> None:
    with pytest.raises(Infeasible, match="every row meets the condition of clinic"):
        sfumato.anonymize(TABLE, policy("age >= 0"))
    assert not sfumato.check(TABLE, policy=policy("age >= 0"))


def test_what_a_condition_protects_is_said() -> None:
    release = sfumato.anonymize(TABLE, policy("age < 70"))
    assert any("2 persons among fewer than 2, down to 1" in one for one in release.warnings)
    statement = release.certificate.statement
    assert statement is not None
    assert any("who meets the conditions" in one for one in statement.not_checkable)


def test_whoever_is_known_not_to_meet_it_is_no_error() -> None:
    release = sfumato.anonymize(TABLE, policy("age < 60"))  # no row shows the job of Cal and Eva
    assert any("may find her value among fewer" in one for one in release.warnings)


def test_without_conditions_nothing_is_added() -> None:
    plain = policy("")
    plain["views"] = {"staff": {"columns": ["name"]}, "clinic": {"columns": ["job", "disease"]}}
    release = sfumato.anonymize(TABLE, plain)
    statement = release.certificate.statement
    assert not release.warnings
    assert statement is not None
    assert len(statement.not_checkable) == 1
