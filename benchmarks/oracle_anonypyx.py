"""An outside opinion: what intersecting releases leaves of victims, by sfumato and by anonypyx's attacker, side by side.

The invented hospital's register of some months, each published in boxes with m different diagnoses: once m-invariant, once each
month by itself. Every patient is a victim whose year of birth, sex and months in the register are known. A line says how many
victims are left with fewer diagnoses than m, and ends with one word: ``agrees`` if both say the same of every victim.

    python benchmarks/oracle_anonypyx.py
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

QID, SECRET, PERSON = ("born", "sex"), "diagnosis", "patient_id"
SEXES = ("female", "male")


def peer(source: str) -> None:
    """Print the diagnoses that anonypyx's intersection leaves of each victim."""
    import pandas as pd
    from anonypyx.attackers import IntersectionAttacker
    from anonypyx.generalisation import MachineReadable

    given = json.loads(Path(source).read_text())
    schema = MachineReadable({"sex": [f"sex_{one}" for one in SEXES]}, {"born": ("born_min", "born_max")}, [SECRET])
    attacker = IntersectionAttacker(pd.DataFrame(given["victims"]), list(QID), SECRET, schema)
    for rows, present in zip(given["releases"], given["present"], strict=True):
        attacker.observe(pd.DataFrame(rows), [*QID, SECRET], present)
    left = [sorted(attacker.predict(number, SECRET)) for number in range(len(given["victims"]))]
    print(json.dumps({"left": left}))


def published(months: Any, m: int, *, invariant: bool) -> list[Any]:
    """Return the public tables of all months; each by itself unless they are to be invariant."""
    import sfumato
    from sfumato.sequels.algorithms import MInvarianceAnonymize
    from sfumato.sequels.models import MInvariance
    from sfumato.sequels.task import SeriesTask

    series, out = None, []
    for month in months:
        batch = sfumato.from_dataset(month.select([*QID, SECRET, PERSON]))
        named = {} if series else {"qid": QID, "sensitive": SECRET, "person": PERSON}
        task = SeriesTask(batch, series, [MInvariance(m=m, group="group")], **named)
        made = MInvarianceAnonymize().publish(task)
        series = task.after(made.copy) if invariant else None
        out.append(made.data)
    return out


def machine_readable(labels: tuple[str, str]) -> dict[str, object]:
    """Return a box as anonypyx reads it: an interval by its ends, a set by its members."""
    from sfumato.data.text import parse_interval

    span = parse_interval(labels[0])
    low, high = (int(labels[0]),) * 2 if span is None else (int(span[0]), int(span[1]))
    shown = {f"sex_{one}": labels[1] in (one, "*") for one in SEXES}
    return {"born_min": low, "born_max": high, **shown}


def main(m: int = 3) -> int:
    """Print both ways of publishing; return 1 if a victim is judged differently."""
    from peers import in_peer

    from sfumato.datasets import hospital_months
    from sfumato.sequels.series import Series
    from sfumato.sequels.signatures import victim_candidates

    months = hospital_months(150, seed=4, months=4, changes=0)
    people = {row[0]: row[1:] for month in months for row in month.select([PERSON, *QID]).to_rows()}
    here = [set(month.values(PERSON)) for month in months]
    differ = 0
    for name, invariant in (("m-invariant", True), ("each month by itself", False)):
        releases = published(months, m, invariant=invariant)
        series = Series.of(releases, qid=QID, sensitive=SECRET)
        ours = []
        for who, (born, sex) in people.items():
            seen = [at for at, present in enumerate(here) if who in present]
            ours.append(sorted(victim_candidates(series, {"born": born, "sex": sex}, seen).common))
        given = {
            "releases": [
                [{**machine_readable(row[:2]), SECRET: row[2]} for row in table.select([*QID, SECRET]).to_rows()]
                for table in releases
            ],
            "victims": [
                {"ID": at, **machine_readable((str(born), sex))} for at, (born, sex) in enumerate(people.values())
            ],
            "present": [[at for at, who in enumerate(people) if who in present] for present in here],
        }
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "series.json"
            source.write_text(json.dumps(given))
            theirs = in_peer("anonypyx", __file__, "peer", str(source))["left"]
        wrong = sum(one != other for one, other in zip(ours, theirs, strict=True))
        few = sum(len(one) < m for one in ours)
        differ += wrong
        print(
            f"{name}: {len(people)} victims, {few} left with fewer than {m} diagnoses  "
            + (f"DIFFERS for {wrong}" if wrong else "agrees")
        )
    return 1 if differ else 0


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "peer":
        peer(sys.argv[2])
    else:
        sys.exit(main())
