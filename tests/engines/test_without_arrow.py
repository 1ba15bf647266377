"""Without PyArrow a text file is drafted, published and verified all the same; whatever needs it says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import sfumato

WORK = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Hidden())

from pathlib import Path
import sfumato
from sfumato.errors import Unsupported

Path("policy.yaml").write_text(sfumato.draft("people.csv", k=2))
release = sfumato.anonymize("people.csv", "policy.yaml")
sfumato.publish(release, "out")
assert sfumato.verify("out")
for refused in (
    lambda: sfumato.publish(release, "other", format="parquet"),
    lambda: sfumato.anonymize("people.csv", sfumato.Policy.load(Path("policy.yaml")).model_copy(update={"engine": "duckdb"})),
    lambda: sfumato.read({"age": [1]}),
    lambda: sfumato.read("people.parquet"),
):
    try:
        refused()
    except Unsupported as error:
        assert "needs PyArrow" in str(error), error
    else:
        raise AssertionError("not refused")
"""


def test_a_text_file_becomes_a_release(tmp_path: Path) -> None:
    rows = [(20 + at % 9, "fm"[at % 2], f"town {at % 3}") for at in range(40)]
    table = sfumato.from_rows(["age", "sex", "town"], rows)
    table.write(tmp_path / "people.csv")
    table.write(tmp_path / "people.parquet")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", WORK], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sfumato.publish(sfumato.anonymize(tmp_path / "people.csv", tmp_path / "policy.yaml"), tmp_path / "again")
    assert (tmp_path / "out/public/data.csv").read_bytes() == (tmp_path / "again/public/data.csv").read_bytes()
