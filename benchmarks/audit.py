"""What does it cost to attack a release before it leaves? Every quick attack on a million rows against one group-by.

Nine quasi-identifiers, recoded along trees and intervals as in ``measure.py``, and a sensitive column of three values. It
tries every quick attack: linkage of records and attributes, skewness, belief change, corruption, uniqueness with an estimate
for the population, the risks of prosecutor, journalist and marketer, individual risk. With an outside table of 100,000 persons
it also links records and tells who is in the table. The peer is ``group_by(...).len()`` on the nine published columns in
Polars, in the same run. Bar: at most 10 times as long.

    python benchmarks/audit.py [rows]
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

from measure import DOMAINS, fastest, generated, trees
from measured import in_own_process, peak_megabytes

GROUP_BYS = 10
NAMES = [f"q{at}" for at in range(len(DOMAINS))]


def released(rows: int) -> tuple[Any, Any]:
    """Return the raw frame and its release."""
    import sfumato

    frame = generated(rows)
    spec: dict[str, Any] = {f"q{at}": {"id": "full-domain-generalization", "level": 1} for at in range(1, len(DOMAINS))}
    spec["q0"] = {"id": "discretization", "edges": list(range(0, 81, 10))}
    return frame, sfumato.recode(frame, spec, trees())


def our_audit(rows: str) -> None:
    """Time the audit without and with an outside table; the first call loads the attacks and is timed apart."""
    import polars as pl

    import sfumato

    frame, release = released(int(rows))
    persons = frame.select(NAMES).head(100_000).with_columns(name=pl.int_range(pl.len()))
    asked: dict[str, Any] = {"qid": NAMES, "sensitive": "class", "population": 10 * int(rows), "thorough": False}

    def fresh() -> Any:
        """Return the release with nothing counted yet: a table keeps its groups."""
        return replace(release, table=release.table.select(release.table.columns))

    first, _ = fastest(lambda: sfumato.audit(fresh(), **asked), 1)
    seconds, found = fastest(lambda: sfumato.audit(fresh(), **asked), 3)
    linked, beside = fastest(lambda: sfumato.audit(fresh(), **asked, external=persons, name="name"), 3)
    print(
        json.dumps(
            {
                "first": first,
                "seconds": seconds,
                "linked": linked,
                "tried": [one.attack for one in found.tried],
                "beside": [one.attack for one in beside.tried if one.attack not in {x.attack for x in found.tried}],
                "peak": peak_megabytes(),
            }
        )
    )


def peer_groups(rows: str) -> None:
    """Time one group-by of the published columns."""
    _, release = released(int(rows))
    published = release.table.to_native()
    seconds, sizes = fastest(lambda: published.group_by(NAMES).len())
    print(json.dumps({"seconds": seconds, "groups": sizes.height, "peak": peak_megabytes()}))


def compare(rows: int) -> None:
    """Print ours, the group-by, the ratio and the memory."""
    ours = in_own_process(__file__, "our_audit", str(rows))
    theirs = in_own_process(__file__, "peer_groups", str(rows))
    print(f"{rows:,} rows, {len(DOMAINS)} quasi-identifiers, {theirs['groups']:,} groups")
    print(f"tried: {', '.join(ours['tried'])}")
    print(f"with an outside table also: {', '.join(ours['beside'])}")
    for what, seconds in (("audit", ours["seconds"]), ("audit with 100,000 persons", ours["linked"])):
        ratio = seconds / theirs["seconds"]
        print(
            f"{what}: {seconds:.3f} s, group-by {theirs['seconds']:.3f} s, ratio {ratio:.2f} (bar {GROUP_BYS}) "
            f"{'ok' if ratio <= GROUP_BYS else 'MISSED'}"
        )
    print(f"first call {ours['first']:.3f} s; peak {ours['peak']:.0f} MB, group-by {theirs['peak']:.0f} MB")


PARTS = {part.__name__: part for part in (our_audit, peer_groups)}


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in PARTS:
        PARTS[sys.argv[1]](*sys.argv[2:])
    else:
        compare(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
