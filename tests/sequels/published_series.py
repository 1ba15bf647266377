"""A series that is published for real: a ledger, a policy of a kind, folders one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import sfumato
from sfumato.contracts.published import Release

COLUMNS = ("id", "place", "age", "disease")
PLACES = {"World": [{"Europe": ["UK", "France"]}, {"America": ["Peru", "Chile"]}]}
REQUIREMENTS: Mapping[str, Mapping[str, object]] = {
    "continuous": {"id": "bcf-anonymity", "k": 2},
    "dynamic": {"id": "m-invariance", "m": 2},
    "serial": {"id": "hd-composition", "permanent": ["HIV"], "l": 2},
}

Row = tuple[str, str, int, str]
ROWS: list[Row] = [
    (f"p{at}", ("UK", "France", "Peru", "Chile")[at % 4], 20 + at * 7 % 40, ("Flu", "Cold", "HIV")[at % 3])
    for at in range(48)
]


@dataclass
class Publisher:
    """Whoever publishes a series into a folder."""

    folder: Path
    kind: str
    more: Mapping[str, object] = field(default_factory=dict)
    count: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        if not self.ledger.exists():
            sfumato.Ledger.create(self.ledger).close()

    @property
    def ledger(self) -> Path:
        return self.folder / "people.ledger"

    @property
    def policy(self) -> dict[str, object]:
        return {
            "ledger": str(self.ledger),
            "series": {"name": "patients", "kind": self.kind},
            "person": "id",
            "columns": {
                "id": {"role": "identifier", "type": "text"},
                "place": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": PLACES}},
                "age": {
                    "role": "quasi-identifier",
                    "hierarchy": {"id": "intervals", "lower": 20, "width": 10, "fan_out": [2, 2]},
                },
                "disease": {"role": "sensitive"},
            },
            "requirements": [REQUIREMENTS[self.kind]],
            "seed": 1,
            **self.more,
        }

    def made(self, rows: Sequence[Row], **more: object) -> Release:
        return sfumato.anonymize(sfumato.from_rows(COLUMNS, rows), {**self.policy, **more})

    def publish(self, rows: Sequence[Row], **more: object) -> Path:
        made = self.made(rows, **more)
        self.count += 1
        return sfumato.publish(made, self.folder / f"r{self.count}")
