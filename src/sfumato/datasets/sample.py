"""The sample that the demonstration and the first pages of the guide use, with a policy that publishes it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.hospital import hospital

__all__ = ["demo_policy", "sample", "sample_policy"]

_ROWS = 10_000
_SEED = 2010


def sample() -> Dataset:
    """Return 10,000 admissions of the invented hospital, always the same."""
    return replace(hospital(_ROWS, seed=_SEED), name="sample")


_NOBODY = "Nobody knows all columns of a person: a register has no admissions, and a visitor no birth dates"


def sample_policy() -> dict[str, object]:
    """Return a policy for :func:`sample` as plain data that JSON and YAML can hold.

    Two adversaries: a neighbour or a register knows birth date, sex, ZIP code and occupation; a visitor knows sex, day of
    admission and department. Neither may find a person among fewer than five. Insurance and body mass are known to nobody
    outside and are published as they are.
    """
    table = sample()
    hierarchies: dict[str, dict[str, Json]] = {
        "birth_date": {"id": "dates", "levels": ["decade"]},
        "admission_date": {"id": "dates", "levels": ["month", "quarter", "year"]},
        "zip": {"id": "redaction", "steps": [2, 1, 1, 1]},
    }
    columns: dict[str, dict[str, Json]] = {}
    for column, role in table.roles.items():
        if column in ("insurance", "bmi"):
            role = Role.PLAIN
        columns[column] = {"role": str(role)}
        if role is Role.QUASI_IDENTIFIER:
            if column in hierarchies:
                columns[column]["hierarchy"] = hierarchies[column]
            elif column in table.taxonomies:
                columns[column]["hierarchy"] = {"id": "taxonomy", "tree": deepcopy(table.taxonomies[column])}
    return {
        "version": 1,
        "title": "Hospital admissions (invented sample)",
        "purpose": "A study of who is admitted again, by ward and month",
        "recipients": "Researchers of a university who signed a contract of use (invented)",
        "steward": "The data office of the hospital (invented)",
        "columns": columns,
        # Attacks try it with all columns at once, and say that persons are found so.
        "accepted": [
            {"id": attack, "reason": _NOBODY} for attack in ("attacker-risk", "individual-risk", "uniqueness")
        ],
        "requirements": [
            {"id": "k-anonymity", "k": 5, "qid": ["birth_date", "sex", "zip", "occupation"]},
            {"id": "k-anonymity", "k": 5, "qid": ["sex", "admission_date", "department"]},
        ],
        "algorithm": {"id": "tdr", "score": "igpl"},
        "seed": 7,
    }


def demo_policy() -> dict[str, object]:
    """Return the policy that the demonstration publishes :func:`sample` with.

    One adversary may know all that the neighbour, the register and the visitor know together, and finds nobody among fewer
    than five. Boxes keep something of every column, where one cut for all records would hide whole columns.
    """
    asked = {"requirements": [{"id": "k-anonymity", "k": 5}], "algorithm": {"id": "mondrian"}}
    return {key: value for key, value in sample_policy().items() if key != "accepted"} | asked
