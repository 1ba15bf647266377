"""Does my table already satisfy k-anonymity? Judge it as it stands, for what different people may know."""

from __future__ import annotations

import sfumato
from sfumato.datasets import hospital

frame = hospital(2000).to_polars()
knowledge = {
    "a colleague": ["sex", "occupation"],
    "a visitor": ["sex", "department"],
    "a neighbour": ["sex", "zip", "occupation"],
}

for who, columns in knowledge.items():
    (verdict,) = sfumato.check(frame, {"id": "k-anonymity", "k": 5}, qid=columns)
    answer = "yes" if verdict.satisfied else "no"
    print(
        f"{who} who knows {', '.join(columns)}: {answer}, the smallest of {verdict.groups:,} groups holds "
        f"{verdict.strongest}; {verdict.violating_records:,} of {verdict.records:,} records are in groups below 5"
    )
