"""An invented shop: baskets of customers, the same rows for the same seed.

Nobody in it exists. A few articles are common and many rare; customers have a taste, so that articles of one shelf are bought
together; two articles of the pharmacy are what nobody should learn.
"""

from __future__ import annotations

import numpy as np

from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest

__all__ = ["PRIVATE_ARTICLES", "baskets"]

_SHELVES: dict[str, dict[str, tuple[str, ...]]] = {
    "Food": {
        "Dairy": ("milk", "butter", "yoghurt", "cheese", "cream"),
        "Bakery": ("bread", "rolls", "cake", "croissant"),
        "Fruit": ("apples", "bananas", "oranges", "grapes", "mango"),
        "Vegetables": ("potatoes", "tomatoes", "carrots", "spinach", "artichoke"),
        "Meat": ("sausage", "chicken", "minced meat", "venison"),
    },
    "Drinks": {
        "Without alcohol": ("water", "juice", "lemonade", "coffee", "tea"),
        "With alcohol": ("beer", "wine", "gin", "absinthe"),
    },
    "Home": {
        "Cleaning": ("soap", "bleach", "sponges", "dishwasher tablets"),
        "Paper": ("tissues", "notebook", "pens"),
        "Baby": ("diapers", "wipes", "baby food"),
    },
    "Pharmacy": {
        "Care": ("plasters", "vitamins", "cough syrup"),
        "Tests and medicine": ("pregnancy test", "insulin"),
    },
}

PRIVATE_ARTICLES = ("insulin", "pregnancy test")
"""What nobody should learn of a customer."""


def baskets(customers: int = 1000, seed: int = 7) -> Dataset:
    """Return a row for each article in a customer's basket, with the taxonomy of articles.

    >>> shop = baskets(50)
    >>> shop.columns, len(set(shop.data["customer"]))
    (('customer', 'article'), 50)
    """
    if customers < 1:
        raise BadRequest("must be at least 1", parameter="rows", value=customers)
    rng = np.random.default_rng(seed)
    shelves = [(name, articles) for group in _SHELVES.values() for name, articles in group.items()]
    names = np.array([article for _, articles in shelves for article in articles], object)
    shelf = np.repeat(np.arange(len(shelves)), [len(articles) for _, articles in shelves])
    # The first articles of a shelf are the common ones.
    place = np.concatenate([np.arange(len(articles)) for _, articles in shelves])
    common = 1.0 / (1 + place) ** 1.5
    common[np.isin(names, PRIVATE_ARTICLES)] = 0.05
    out: dict[str, list[str]] = {"customer": [], "article": []}
    width = max(4, len(str(customers)))
    for customer in range(1, customers + 1):
        taste = rng.dirichlet(np.full(len(shelves), 0.6))
        weights = common * (0.02 + taste[shelf])
        size = min(1 + int(rng.poisson(3.5)), 20)
        chosen = rng.choice(len(names), size=size, replace=False, p=weights / weights.sum())
        for article in sorted(names[chosen]):
            out["customer"].append(f"C{customer:0{width}}")
            out["article"].append(article)
    nested: dict[str, Json] = {
        "Everything": [
            {group: [{name: list(articles)} for name, articles in inside.items()]} for group, inside in _SHELVES.items()
        ]
    }
    return Dataset(
        "baskets",
        out,
        roles={"customer": Role.IDENTIFIER, "article": Role.QUASI_IDENTIFIER},
        taxonomies={"article": nested},
        source="invented",
    )
