"""How exposed records are, against every subset of their items."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.itemsets.exposure import exposures
from sfumato.transactions import Baskets
from sfumato.transactions.models import HKPCoherence


@given(
    st.lists(st.frozensets(st.sampled_from("abcdxy"), max_size=5), min_size=1, max_size=7),
    st.sampled_from([(), ("x",), ("x", "y")]),
    st.integers(1, 3),
)
def test_exposure_is_that_of_the_best_items(baskets: list[frozenset[str]], private: tuple[str, ...], most: int) -> None:
    held = Baskets.of(baskets, private=[name for name in private if any(name in one for one in baskets)])
    database, _, _ = HKPCoherence(h=0.5, k=2, p=most).database(held)
    rarest, surest = exposures(database, most)
    for at, basket in enumerate(baskets):
        public = sorted(basket - held.private)
        least, share = len(baskets), 0.0
        for size in range(1, most + 1):
            for known in combinations(public, size):
                fitting = [one for one in baskets if set(known) <= one]
                least = min(least, len(fitting))
                for secret in held.private:
                    share = max(share, sum(secret in one for one in fitting) / len(fitting))
        assert rarest[at] == least
        assert np.isclose(surest[at], share)
