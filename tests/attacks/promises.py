"""What tests of promises share: how near a risk may come to its bound, and how many tables must be seen on either side."""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]
SLACK = 1e-9
ENOUGH = 12  # tables that must pass, and tables that must not


def at_most(found: float, bound: float) -> bool:
    return bool(found <= bound * (1 + SLACK) + SLACK * SLACK)
