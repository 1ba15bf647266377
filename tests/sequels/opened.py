"""Plain series as ours."""

from __future__ import annotations

from oracles.naive_bcf import NESTED, Plain
from sfumato.sequels.series import Series

QID = ["QA", "QB"]


def opened(plain: Plain) -> Series:
    """Return a plain series, its raw batches beside it, as the one that is tested."""
    tables = [
        {name: [row[at] for row in rows] for at, name in enumerate([*QID, "S"])} if rows else None
        for rows in (*plain.releases(), *plain.batches)
    ]
    count = len(plain.cuts)
    return Series.of(tables[:count], qid=QID, sensitive="S", hierarchies=NESTED, batches=tables[count:])
