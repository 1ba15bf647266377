"""How do I write my own hierarchy? One class: the path of a value. Here addresses in a network become networks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from ipaddress import ip_network
from typing import ClassVar

import numpy as np

import sfumato
from sfumato.algorithms import Optimal
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import param


class Networks(HierarchyBuilder):
    """An address, the networks that hold it, everything."""

    id: ClassVar[str] = "networks"
    bits: tuple[int, ...] = param(default=(24, 16, 8), doc="length of the prefix at each level")

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the address, its networks from small to large, and the root."""
        try:
            return (str(value), *(str(ip_network(f"{value}/{bits}", strict=False)) for bits in self.bits), "*")
        except ValueError:
            raise KeyError(value) from None

    def build(self, values: Sequence[Hashable], *, column: str = "") -> sfumato.Tree:
        """Return the tree over the addresses of a table."""
        return sfumato.Tree.from_paths([self.path(value) for value in values], values, column=column)


rng = np.random.default_rng(0)
raw = {"address": [f"10.{a}.{b}.{c}" for a, b, c in rng.integers(0, [2, 3, 9], (400, 3))], "pages": [1, 2, 3, 4] * 100}
columns = {"address": {"role": "quasi-identifier", "hierarchy": Networks()}, "pages": {"role": "sensitive"}}
policy = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 20}], "algorithm": Optimal()}
release = sfumato.anonymize(raw, policy)
print("published:", ", ".join(release.recodings["address"].published()))
# A tree that fits on a page needs no class: {"id": "taxonomy", "tree": {...}}, or its file with one row for each value.
