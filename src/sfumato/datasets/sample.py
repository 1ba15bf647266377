"""The sample that the demonstration and the first pages of the guide use, with a policy that publishes it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.hospital import hospital

__all__ = ["sample", "sample_policy"]

_ROWS = 2000
_SEED = 2010


def sample() -> Dataset:
    """Return 2,000 admissions of the invented hospital, always the same."""
    return replace(hospital(_ROWS, seed=_SEED), name="sample")


def sample_policy() -> dict[str, object]:
    """Return a policy for :func:`sample` as plain data that JSON and YAML can hold.

    Dates and ZIP codes lose their ends, occupation, department and sex climb trees, body mass is cut into intervals as the
    search sees fit, and insurance has no hierarchy: rare values are suppressed.
    """
    table = sample()
    hierarchies: dict[str, dict[str, Any]] = {
        "birth_date": {"id": "dates"},
        "admission_date": {"id": "dates"},
        "zip": {"id": "redaction"},
    }
    columns: dict[str, dict[str, Any]] = {}
    for column, role in table.roles.items():
        columns[column] = {"role": str(role)}
        if role is Role.QUASI_IDENTIFIER:
            if column in hierarchies:
                columns[column]["hierarchy"] = hierarchies[column]
            elif column in table.taxonomies:
                columns[column]["hierarchy"] = {"id": "taxonomy", "tree": deepcopy(table.taxonomies[column])}
    return {
        "version": 1,
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "algorithm": {"id": "tdr", "score": "igpl"},
        "seed": 7,
    }
