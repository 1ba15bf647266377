"""What every test shares: how many random examples are drawn, whether they repeat themselves, no limit on their time.

Three profiles, chosen by ``--hypothesis-profile``: ``sfumato`` draws the same examples every time; ``quick`` draws few of
them; ``nightly`` draws many fresh ones, and prints how to draw a failing one again. A test that says how many examples it
needs means the first; the others draw a share or a multiple of that.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

FACTORS = {"sfumato": 1.0, "quick": 0.1, "nightly": 10.0}

for name in FACTORS:
    settings.register_profile(
        name,
        derandomize=name != "nightly",
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("sfumato")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Scale the number of examples of every test that draws some."""
    factor = FACTORS.get(config.getoption("--hypothesis-profile") or "sfumato", 1.0)
    if factor == 1:
        return
    for item in items:
        drawn = getattr(item, "obj", None)
        own = getattr(drawn, "_hypothesis_internal_use_settings", None)
        if own is not None and not getattr(drawn, "scaled", False):
            function = getattr(drawn, "__func__", drawn)
            function._hypothesis_internal_use_settings = settings(
                own, max_examples=max(3, round(own.max_examples * factor))
            )
            function.scaled = True  # one function stands behind all its parameters
