"""How do I write my own model? One class: what to measure per group, and which side is safe.

This one asks that no group holds more than a given share of the table, so that no part of it stands for the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import sfumato
from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, at_most
from sfumato.contracts.thing import param
from sfumato.datasets import hospital
from sfumato.groups.stats import GroupStats


@dataclass(frozen=True, kw_only=True)
class LargestShare(GroupModel):
    """No group holds more than a share of the records."""

    id: ClassVar[str] = "largest-share"
    # Merging groups makes them larger: the claims about merging are false, and a search that relies on them refuses.
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset(), evaluation="group+table", closed_under_merge=False, violations_shrink_under_merge=False
    )
    adversary: ClassVar[str] = "takes the largest group for the whole table"

    share: float = param(gt=0, le=1, doc="largest share of the records that one group may hold")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the share of each group."""
        shares: Numbers = groups.sizes / groups.sizes.sum()
        return shares

    def bound(self) -> Bound:
        """Shares must not exceed the limit."""
        return at_most(self.share)


frame = hospital(2000).to_polars()
for columns in (["sex"], ["sex", "department"]):
    (verdict,) = sfumato.check(frame, LargestShare(share=0.25), qid=columns)
    print(f"{', '.join(columns)}: {'holds' if verdict else 'fails'}, the largest share is {verdict.strongest:.1%}")

try:
    LargestShare(share=1.5)
except sfumato.BadRequest as error:
    print("ranges are checked:", error)
# In sfumato/models/largest_share.py the class would also be a policy key, a command-line word and a reference page.
