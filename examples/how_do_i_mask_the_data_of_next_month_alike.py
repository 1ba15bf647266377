"""How do I mask the data of next month alike? Apply the recoding that a release folder keeps, and look at the verdict."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato
from sfumato.datasets import hospital

names = ["sex", "occupation", "bmi", "diagnosis"]
november, december = (hospital(3000, seed=seed).select(names) for seed in (11, 12))
policy = sfumato.Policy.for_dataset(november, requirements=[{"id": "k-anonymity", "k": 5}])

with TemporaryDirectory() as name:
    out = sfumato.publish(sfumato.anonymize(sfumato.from_dataset(november), policy), Path(name) / "november")
    later = sfumato.apply(out, sfumato.from_dataset(december), unknown="root")

print(later.table.to_rows()[:3])
print(f"values without a place in the recoding, shown as the most general one: {sum(later.outside.values())}")
# A promise does not carry over to other people: the requirement was counted anew.
(verdict,) = later.verdict
if verdict:
    print(f"december holds: its smallest group has {verdict.strongest} records")
else:
    print(f"december fails for {verdict.violating_records} records: publish it with a release of its own")
