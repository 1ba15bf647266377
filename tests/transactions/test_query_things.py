"""Things of baskets and query logs keep the promises of their kind, as soon as their wing is found and before."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato import catalogue
from sfumato.testing.checks import check

IDS = {
    "model": ["rho1-to-rho2", "privacy-degree", "approximate-differential-privacy"],
    "attack": ["token-hash-attack"],
    "operation": [
        "band-matrix",
        "query-log-as-transactions",
        "query-secret-sharing",
        "split-personality",
        "token-hashing",
    ],
    "release": ["disassociated-baskets", "grouped-baskets", "noisy-queries"],
    "metric": ["reconstruction-error", "value-exclusiveness"],
    "algorithm": ["association-rule-hiding", "cahd", "disassociation", "nugget-suppression", "private-query-release"],
    "perturbation": ["select-a-size"],
}


@pytest.fixture(autouse=True)
def _wing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {**catalogue._wings()}
    if "sfumato.transactions" not in found.values():
        monkeypatch.setattr(catalogue, "_wings", lambda: {**found, "transactions": "sfumato.transactions"})


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in IDS.items() for name in names])
def test_common_checks(kind: str, name: str) -> None:
    check(catalogue.find(name, kind), np.random.default_rng(20))
