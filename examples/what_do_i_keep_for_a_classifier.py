"""What do I keep for a classifier? Name the column to predict, and compare the errors before and after."""

from __future__ import annotations

import sfumato
from sfumato.datasets import hospital

data = hospital(3000).select(["sex", "department", "occupation", "bmi", "readmitted"])
table = sfumato.from_dataset(data)

# The role target tells the search what must stay predictable; igpl looks at it, loss-decrease does not.
print(f"{'score':>13} {'raw':>6} {'release':>8} {'without the masked columns':>27}")
for score in ("loss-decrease", "igpl"):
    policy = sfumato.Policy.for_dataset(
        data, requirements=[{"id": "k-anonymity", "k": 10}], algorithm={"id": "tdr", "score": score}
    )
    release = sfumato.anonymize(table, policy)
    errors = sfumato.classification_utility(table, release, target="readmitted", masking="published")["decision-tree"]
    print(f"{score:>13} {errors.baseline.rate:>6.1%} {errors.anonymity.rate:>8.1%} {errors.upper.rate:>27.1%}")
