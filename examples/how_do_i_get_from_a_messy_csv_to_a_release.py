"""How do I get from a messy CSV to a release? Draft a policy, change what you know better, publish, verify."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from ruamel.yaml import YAML

import sfumato

# An invented export: semicolons, latin-1, decimal commas, German dates, a line of junk above the header, gaps.
rng = np.random.default_rng(1)
lines = ["Export Klinik Süd", "Name;Geburtsdatum;PLZ;Geschlecht;Größe;Diagnose"]
for i in range(1500):
    born = f"{rng.integers(1, 29):02d}.{rng.integers(1, 13):02d}.{rng.integers(1940, 2006)}"
    height = "" if i % 60 == 0 else f"1,{rng.integers(50, 99)}"
    place, sex = rng.choice(["80331", "80333", "81541", "86150", "86152"]), rng.choice(["männlich", "weiblich"])
    lines.append(f"Person {i};{born};{place};{sex};{height};{rng.choice(['Grippe', 'Asthma', 'Diabetes'])}")

with TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "export.csv").write_bytes("\n".join(lines).encode("latin-1"))
    for column in sfumato.profile(folder / "export.csv"):
        print(
            f"{column.name}: {column.type}, {column.distinct:,} values, {column.missing} missing, looks like {column.role}"
        )

    policy = YAML(typ="safe").load(sfumato.draft(folder / "export.csv", k=5))
    policy["columns"]["Diagnose"] = {"role": "sensitive"}  # what the draft cannot know
    policy["requirements"].append({"id": "l-diversity-distinct", "l": 2, "sensitive": "Diagnose"})
    policy["algorithm"] = {"id": "mondrian"}  # the drafted one judges sizes of groups alone
    release = sfumato.anonymize(folder / "export.csv", policy)
    print(release.public.head(3))
    out = sfumato.publish(release, folder / "release")
    print(f"{len(release.public):,} of 1,500 records published, verified again: {bool(sfumato.verify(out))}")
