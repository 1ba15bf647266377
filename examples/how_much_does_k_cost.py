"""How much does k cost? The same table for growing k, and what is left of each column."""

from __future__ import annotations

import sfumato
from sfumato.datasets import hospital

data = hospital(5000).select(["sex", "department", "occupation", "bmi", "diagnosis"])
table = sfumato.from_dataset(data)

print(f"{'k':>5} {'groups':>7} {'loss':>6}  loss by column")
for k in (2, 5, 10, 50, 100, 500):
    policy = sfumato.Policy.for_dataset(data, requirements=[{"id": "k-anonymity", "k": k}])
    release = sfumato.anonymize(table, policy)
    (verdict,) = release.verdict
    loss = release.measured["loss"]
    columns = ", ".join(f"{name} {value:.0%}" for name, value in loss.by_attribute.items())
    print(f"{k:>5} {verdict.groups:>7} {loss.value:>6.1%}  {columns}")
