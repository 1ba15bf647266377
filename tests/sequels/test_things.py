"""Things of the series keep the promises of their kind, as soon as their wing is found and before."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato import catalogue
from sfumato.testing.checks import check

IDS = {
    "model": ["bcf-anonymity", "bcf-beyond-anonymity"],
    "attack": ["f-attack", "c-attack", "b-attack", "bcf-oracle", "incremental-attack", "anatomy-increment-attack"],
    "algorithm": ["bcf-anonymizer", "byun-incremental", "incremental-baselines"],
}


@pytest.fixture(autouse=True)
def _wing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {**catalogue._wings()}
    if "sfumato.sequels" not in found.values():
        monkeypatch.setattr(catalogue, "_wings", lambda: {**found, "series": "sfumato.sequels"})


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in IDS.items() for name in names])
def test_common_checks(kind: str, name: str) -> None:
    check(catalogue.find(name, kind), np.random.default_rng(20))


@pytest.mark.parametrize(
    ("alias", "name"),
    [("bcf-detect", "bcf-anonymity"), ("bcf-multi-release", "bcf-anonymity"), ("bcf-generator", "bcf-oracle")],
)
def test_other_names(alias: str, name: str) -> None:
    assert catalogue.find(alias).id == name
