"""Every thing in the catalogue keeps the promises of its kind; things are discovered, not listed."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato import catalogue
from sfumato.contracts.thing import Thing
from sfumato.testing.checks import check


@pytest.mark.parametrize("thing", catalogue.things(), ids=lambda thing: f"{thing.kind}-{thing.id}")
def test_common_checks(thing: type[Thing]) -> None:
    check(thing, np.random.default_rng(20))


@pytest.mark.parametrize("kind", ["model", "hierarchy", "operation", "release", "metric", "algorithm"])
def test_there_is_something_to_check(kind: str) -> None:
    assert catalogue.things(kind)
