"""How do I read a certificate? What was asked, who judged it, what is not covered, and whether the files are those."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato
from sfumato.datasets import hospital

data = hospital(2000).select(["sex", "department", "diagnosis"])
diverse = {"id": "l-diversity-distinct", "l": 3, "sensitive": "diagnosis"}
policy = sfumato.Policy.for_dataset(data, requirements=[{"id": "k-anonymity", "k": 5}, diverse])

with TemporaryDirectory() as name:
    public = sfumato.publish(sfumato.anonymize(sfumato.from_dataset(data), policy), Path(name) / "release") / "public"
    told = json.loads((public / "certificate.json").read_text(encoding="utf-8"))
    for one in told["requirements"]:
        judged = f"{one['judged']}, recounted {one['recounted']}"
        print(
            f"{one['model']} on {', '.join(one['quasi_identifier'])}: {one['measured']}, needed {one['needed']} ({judged})"
        )
        print(f"    against somebody who {one['adversary']}")
    for column in told["columns"]:
        print(f"{column['name']} ({column['role']}): {column['operation']}")
    print("not protected against:", *told["not_protected_against"], sep="\n    ")
    print("fingerprint of the data:", told["release"]["files"][0]["sha256"][:16])

    print("as received:", bool(sfumato.verify(public)))
    data_file = public / told["release"]["files"][0]["file"]
    data_file.write_text(data_file.read_text(encoding="utf-8").replace("female", "male", 1), encoding="utf-8")
    try:
        sfumato.verify(public)
    except sfumato.BadRequest as error:
        print("after somebody changed a value:", error)
