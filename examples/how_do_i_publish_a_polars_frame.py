"""How do I publish a polars frame? One call, the same frame type back, then a folder that anybody can verify."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato
from sfumato.datasets import hospital

frame = hospital(5000).to_polars().select("sex", "bmi", "department", "diagnosis")
policy = {
    "columns": {
        "sex": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"Any sex": ["female", "male"]}}},
        "bmi": {"role": "quasi-identifier", "range": [10, 70]},
        "department": {"role": "quasi-identifier"},
        "diagnosis": {"role": "sensitive"},
    },
    "requirements": [{"id": "k-anonymity", "k": 5}],
}

release = sfumato.anonymize(frame, policy)
print(release.public.head(3))
for verdict in release.verdict:
    print(f"{verdict.model}: smallest group {verdict.strongest}, needed {verdict.bound}")
for name, recoding in release.recodings.items():
    print(f"{name}: {len(recoding.published())} values published")

with TemporaryDirectory() as folder:
    out = sfumato.publish(release, Path(folder) / "release")
    print("public files:", ", ".join(sorted(path.name for path in (out / "public").iterdir())))
    print("verified again from these files:", bool(sfumato.verify(out)))
