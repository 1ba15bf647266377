"""How do I publish from a database every night? A view in, a folder out, an exit code for whoever started the job."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato
from sfumato.datasets import hospital

COLUMNS = {
    "sex": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"*": ["female", "male"]}}},
    "bmi": {"role": "quasi-identifier", "range": [10, 70]},
    "diagnosis": {"role": "sensitive"},
}
POLICY = {"columns": COLUMNS, "requirements": [{"id": "k-anonymity", "k": 5}], "output": {"format": "csv"}}


def job(database: Path, out: Path) -> int:
    """Return 0 if a verified release lies there, else the exit code that the command would have."""
    try:
        night = sfumato.read(database, table="tonight")  # a table or a view
        sfumato.publish(sfumato.anonymize(night, POLICY), out)
    except sfumato.SfumatoError as error:  # it tells facts and no value of a person, so it may go to a log
        print(error, file=sys.stderr)
        return error.exit_code
    return 0 if sfumato.verify(out) else 1


with TemporaryDirectory() as name:
    folder = Path(name)
    with sqlite3.connect(folder / "clinic.db") as database:
        database.execute("CREATE TABLE admissions (sex TEXT, bmi REAL, diagnosis TEXT, department TEXT)")
        rows = hospital(2000).to_polars().select("sex", "bmi", "diagnosis", "department").rows()
        database.executemany("INSERT INTO admissions VALUES (?, ?, ?, ?)", rows)
        database.execute(
            "CREATE VIEW tonight AS SELECT sex, bmi, diagnosis FROM admissions WHERE department <> 'Emergency'"
        )
    database.close()
    print("exit code", job(folder / "clinic.db", folder / "release"))
    print("exit code", job(folder / "clinic.db", folder / "release"), "because a release is never written over")
