"""Which algorithm fits my table? Try several at several k; nothing is published."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato
from sfumato.datasets import hospital

data = hospital(600).select(["sex", "department", "occupation", "diagnosis"])
policy = sfumato.Policy.for_dataset(data, requirements=[{"id": "k-anonymity", "k": 5}])
found = sfumato.compare(sfumato.from_dataset(data), policy, algorithms=["tdr", "mondrian", "datafly"], ks=[2, 20])
print(found.to_frame().select("algorithm", "k", "loss", "left", "best"))

for row in found.best:
    print(f"k = {row.k}: {row.algorithm} loses least, {row.loss:.1%}")
release = sfumato.anonymize(sfumato.from_dataset(data), found.best[-1].policy)
print(f"made again with {release.certificate.algorithm.id}: {bool(release.verdict)}")

with TemporaryDirectory() as folder:  # the picture for a paper; found.chart() is the same for a notebook
    picture = Path(folder) / "risk_and_loss.svg"
    picture.write_text(found.picture(), encoding="utf-8")
    print(f"a picture of {picture.stat().st_size:,} bytes")
