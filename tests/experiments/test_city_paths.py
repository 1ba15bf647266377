"""Paths through a city: the quick run ends with claims, values and a picture; what makes no sense is refused."""

from __future__ import annotations

import pytest

from sfumato.catalogue import build
from sfumato.errors import BadRequest


def test_the_quick_run() -> None:
    result = build("city-paths", "experiment").run(quick=True)
    assert all(claim.holds for claim in result.claims)
    assert {row[0] for row in result.series()} == {"global suppression", "local suppression", "never walk alone"}
    assert "<svg" in result.to_svg()


def test_falling_numbers_are_refused() -> None:
    with pytest.raises(BadRequest, match="rising"):
        build({"id": "city-paths", "ks": [5, 2]}, "experiment")
