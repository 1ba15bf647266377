"""A house with three tokens and a table, asked in this process: what the tests of the service share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from sfumato.service.api.app import application
from sfumato.service.api.gate import Gate
from sfumato.service.api.house import House, Limits
from sfumato.service.api.tokens import Quota, TokenFile

PORT = 4711
POLICY: dict[str, Any] = {
    "columns": {
        "age": {
            "role": "quasi-identifier",
            "hierarchy": {"id": "intervals", "lower": 20, "width": 5, "upper": 60, "fan_out": [2, 2]},
        },
        "sick": {"role": "sensitive"},
    },
    "requirements": [{"id": "k-anonymity", "k": 3}],
    "algorithm": {"id": "optimal"},
}
TABLE = "age,sick\n" + "".join(f"{20 + n % 40},{('no', 'yes')[n % 3 % 2]}\n" for n in range(200))


@dataclass
class World:
    """The house, and a client for each token."""

    house: House
    tokens: dict[str, str]

    @cached_property
    def gate(self) -> Gate:
        """What is asked."""
        return Gate(application(self.house), self.house, PORT)

    def client(self, name: str | None = None, **headers: str) -> TestClient:
        """Return somebody who asks with a token, or without any."""
        known = {} if name is None else {"authorization": f"Bearer {self.tokens[name]}"}
        return TestClient(
            self.gate, base_url=f"http://127.0.0.1:{PORT}", headers={**known, **headers}, raise_server_exceptions=False
        )


def new_world(place: Path, limits: Limits | None = None, **quota: int) -> World:
    """Make a house; nobody works in it before it is entered."""
    file = TokenFile(place / "tokens.json")
    tokens = {
        "hospital": file.add("hospital", "steward", quota=Quota(**quota)),
        "clinic": file.add("clinic", "steward", private=True),
        "ann": file.add("ann", "reader", room="hospital"),
        "otto": file.add("otto", "auditor", room="hospital", private=True),
    }
    return World(House(place / "root", file, limits), tokens)
