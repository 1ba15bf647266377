"""Malformed requests, drawn by number: damaged files, odd policies, odd hierarchies, forged certificates, odd options.

Every number is one command in a folder of its own; the same number is the same request for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from forged_certificates import forged_certificate
from given import Case
from odd_hierarchies import odd_hierarchy
from odd_options import odd_option
from odd_policies import odd_policy
from odd_tables import odd_table

FAMILIES: dict[str, Callable[[Random, Path], Case]] = {
    "data": odd_table,
    "policy": odd_policy,
    "hierarchy": odd_hierarchy,
    "certificate": forged_certificate,
    "option": odd_option,
}


def case(seed: int, number: int, stock: Path) -> Case:
    """Return one malformed request; ``stock`` holds finished releases and tables in every format."""
    rng = Random(f"{seed}:{number}")
    family = rng.choices(("data", "policy", "hierarchy", "certificate", "option"), (25, 25, 15, 25, 10))[0]
    return FAMILIES[family](rng, stock)
