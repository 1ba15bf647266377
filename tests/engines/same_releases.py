"""Ten policies, models by algorithms by suppression, that must give one digest on every engine."""

from __future__ import annotations

from typing import Any

import sfumato
from sfumato.datasets import sample_policy

K5: list[dict[str, Any]] = [{"id": "k-anonymity", "k": 5}]
DIVERSE: list[dict[str, Any]] = [*K5, {"id": "l-diversity-distinct", "l": 2, "sensitive": "diagnosis"}]
CLOSE: list[dict[str, Any]] = [
    *K5,
    {"id": "t-closeness", "t": 0.5, "sensitive": "diagnosis", "ground_distance": "equal"},
]
BOUNDED: list[dict[str, Any]] = [
    {"id": "alpha-k-anonymity", "k": 4, "alpha": 0.6, "sensitive": "diagnosis"},
]

ASKED: dict[str, tuple[list[dict[str, Any]], str, float]] = {
    "tdr": (K5, "tdr", 0.0),
    "tdr, some left out": (K5, "tdr", 0.05),
    "tdr, diverse": (DIVERSE, "tdr", 0.0),
    "optimal": (K5, "optimal", 0.0),
    "optimal, some left out": (K5, "optimal", 0.05),
    "optimal, diverse, some left out": (DIVERSE, "optimal", 0.05),
    "incognito, bounded": (BOUNDED, "incognito", 0.0),
    "bottom-up": (K5, "bottom-up-generalization", 0.0),
    "mondrian": (K5, "mondrian", 0.0),
    "mondrian, close": (CLOSE, "mondrian", 0.0),
}


def policy_of(name: str) -> dict[str, Any]:
    """Return the policy of that name."""
    requirements, algorithm, limit = ASKED[name]
    return sample_policy() | {
        "requirements": requirements,
        "algorithm": {"id": algorithm},
        "limits": {"suppress_at_most": limit},
    }


GROUPED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "anatomize": ({"id": "l-diversity-frequency", "l": 3, "sensitive": "diagnosis"}, {"id": "anatomize"}),
    "anatomize, bucketized": (
        {"id": "l-diversity-distinct", "l": 2, "sensitive": "diagnosis"},
        {"id": "anatomize", "form": "bucketized"},
    ),
    "ke-permutation": ({"id": "k-e-anonymity", "k": 4, "e": 3, "sensitive": "bmi"}, {"id": "ke-permutation"}),
    "ke-permutation, max": (
        {"id": "k-e-anonymity", "k": 3, "e": 2.5, "sensitive": "bmi"},
        {"id": "ke-permutation", "error": "max"},
    ),
}
"""What publishes groups of records; no order of the input may be left in it."""


def grouped_policy(name: str) -> dict[str, Any]:
    """Return the policy of that name for the hospital."""
    requirement, algorithm = GROUPED[name]
    asked: dict[str, Any] = sample_policy() | {"requirements": [requirement], "algorithm": algorithm}
    asked["columns"] = {
        name: {**entry, "role": "sensitive"} if name == requirement["sensitive"] else entry
        for name, entry in asked["columns"].items()
    }
    return asked


def digests_of(release: Any) -> dict[str, str]:
    """Return what each public table holds."""
    return {name: table.content_digest() for name, table in release.tables.items()}


MIXED = {
    "tdr": (2, "tdr", 0.0),
    "optimal, some left out": (3, "optimal", 0.3),
    "mondrian": (2, "mondrian", 0.0),
    "bottom-up": (2, "bottom-up-generalization", 0.0),
}


def mixed_policy(name: str) -> dict[str, Any]:
    """Return a policy for tables of :mod:`engines.test_engine_contract`: a column of each type, with gaps."""
    k, algorithm, limit = MIXED[name]
    masked = {"role": "quasi-identifier", "missing": "own-value"}
    plain = {"role": "plain", "missing": "keep"}
    return {
        "columns": {
            "t": masked,
            "i": {
                "role": "quasi-identifier",
                "missing": "drop-record",
                "hierarchy": {"id": "intervals", "lower": -4, "width": 2, "fan_out": [2, 2]},
            },
            "f": plain,
            "b": masked,
            "d": plain,
            "m": plain,
        },
        "requirements": [{"id": "k-anonymity", "k": k}],
        "algorithm": {"id": algorithm},
        "limits": {"suppress_at_most": limit},
    }


def outcome_of(table: Any, policy: dict[str, Any]) -> str:
    """Return the digest of a release, or the kind of refusal; rows that no requirement can hold for are refused alike."""
    try:
        return sfumato.anonymize(table, policy).table.content_digest()
    except sfumato.SfumatoError as error:
        return type(error).__name__
