"""What ``sfumato demo`` shows of each shape of data: an invented table to start from, and a policy that publishes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sfumato.datasets.baskets import PRIVATE_ARTICLES, baskets
from sfumato.datasets.city import city
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.sample import demo_policy, sample

__all__ = ["DEMOS", "Demo"]


@dataclass(frozen=True)
class Demo:
    """The name of the file, what makes its rows, and what makes the policy."""

    file: str
    data: Callable[[], Dataset]
    policy: Callable[[], Mapping[str, object]]


def _basket_policy() -> Mapping[str, object]:
    return {
        "shape": "transactions",
        "title": "Baskets of a shop (invented)",
        "person": "customer",
        "items": {"column": "article", "private": list(PRIVATE_ARTICLES)},
        "requirements": [{"id": "hkp-coherence", "h": 0.8, "k": 5, "p": 2}],
    }


def _trail_policy() -> Mapping[str, object]:
    values = ["HIV", "Depression"]
    return {
        "shape": "trajectories",
        "title": "Cards read in a city (invented)",
        "person": "card",
        "place": {"x": "lon", "y": "lat", "grid": "5km"},
        "time": {"column": "read_at", "bin": "6h"},
        "columns": {"diagnosis": {"role": "sensitive"}},
        "requirements": [
            {"id": "lkc-privacy", "L": 2, "K": 5, "C": 0.5, "sensitive": "diagnosis", "values": values},
        ],
        "repair": {"two-places": "first", "unsorted": "sort"},
    }


DEMOS: Mapping[str, Demo] = {
    "table": Demo("hospital.csv", sample, demo_policy),
    "transactions": Demo("shop.csv", lambda: baskets(2_000), _basket_policy),
    "trajectories": Demo("city.csv", lambda: city(5_000), _trail_policy),
}
"""The demonstrations that there are, by shape."""
