"""How do I write my own model? One class: what to measure per group, and which side is safe.

This one asks that every group holds at least a given share of the table, so that nobody stands out however large it is.
"""

from __future__ import annotations

from typing import ClassVar

import sfumato
from sfumato.algorithms import TDR
from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.datasets import hospital
from sfumato.groups.stats import GroupStats


class SmallestShare(GroupModel):
    """Every group holds at least a share of the records."""

    id: ClassVar[str] = "smallest-share"
    # Merging groups makes them larger: the claims about merging are true, and searches that rely on them may use the model.
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="group+table",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
    )
    adversary: ClassVar[str] = "knows the quasi-identifier of a person who is in the table"

    share: float = param(gt=0, le=1, doc="smallest share of the records that a group may hold")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the share of each group."""
        # Searches show some groups only; groups.records is the size of the whole table all the same.
        shares: Numbers = groups.sizes / groups.records
        return shares

    def bound(self) -> Bound:
        """Shares must not fall below the limit."""
        return at_least(self.share)


frame = hospital(2000).to_polars()
for known in (["sex"], ["sex", "department"]):
    (verdict,) = sfumato.check(frame, SmallestShare(share=0.05), qid=known)
    print(f"{', '.join(known)}: {'holds' if verdict else 'fails'}, the smallest share is {verdict.strongest:.1%}")

try:
    SmallestShare(share=1.5)
except sfumato.BadRequest as error:
    print("ranges are checked:", error)

# An object stands in a policy like an id of ours: any search finds a release that meets it.
sexes = {"id": "taxonomy", "tree": {"Any sex": ["female", "male"]}}
columns = {"sex": {"role": "quasi-identifier", "hierarchy": sexes}, "department": {"role": "quasi-identifier"}}
policy = {"columns": columns, "requirements": [SmallestShare(share=0.05)], "algorithm": TDR()}
release = sfumato.anonymize(frame.select("sex", "department"), policy)
print(f"published with a smallest share of {release.verdict.verdicts[0].strongest:.1%}")
print("certified as", release.certificate.requirements[0].model)
# A package that names its module as an entry point "sfumato.things" makes the id known to policies in YAML, to the command line
# and to whoever verifies; without it a verifier says that this requirement is unchecked.
