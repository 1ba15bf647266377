"""Paths through a city: the quick run ends with claims, values and a picture; what makes no sense is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sfumato.catalogue import build
from sfumato.errors import BadRequest
from sfumato.experiments.result import ExperimentResult


def test_the_quick_run(quick: Callable[[str], ExperimentResult]) -> None:
    result = quick("city-paths")
    assert all(claim.holds for claim in result.claims)
    assert {row[0] for row in result.series()} == {"global suppression", "local suppression", "never walk alone"}


def test_falling_numbers_are_refused() -> None:
    with pytest.raises(BadRequest, match="rising"):
        build({"id": "city-paths", "ks": [5, 2]}, "experiment")
