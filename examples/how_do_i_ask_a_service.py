"""How do I ask a service? A typed client in twenty lines: bring a table, make a release, fetch what may go."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, cast
from urllib.request import Request, urlopen


@dataclass(frozen=True)
class Service:
    """A service and a token for it (``sfumato serve``, ``sfumato serve token add``)."""

    address: str
    token: str

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> bytes:
        told = {"authorization": f"Bearer {self.token}", "content-type": "application/json", **headers}
        with urlopen(Request(f"{self.address}/v1/{path}", body, told, method=method)) as answer:
            return cast("bytes", answer.read())

    def ask(self, verb: str, wait: int = 60, **asked: Any) -> dict[str, Any]:
        told = json.loads(self.send("POST", verb, json.dumps(asked).encode(), prefer=f"wait={wait}"))
        while told["state"] in ("waiting", "running"):  # the events of a job end with it
            self.send("GET", f"jobs/{told['job']}/events")
            told = json.loads(self.send("GET", f"jobs/{told['job']}"))
        return cast("dict[str, Any]", told)


if __name__ == "__main__" and "SFUMATO_SERVICE" not in os.environ:
    print("set SFUMATO_SERVICE (such as http://127.0.0.1:8700) and SFUMATO_TOKEN to try it")
elif __name__ == "__main__":
    from sfumato.datasets import hospital

    service = Service(os.environ["SFUMATO_SERVICE"], os.environ["SFUMATO_TOKEN"])
    service.send("PUT", "data/people.csv", hospital(500).to_polars().write_csv().encode())
    policy = service.ask("draft", data="people.csv", k=5)["result"]["policy"]
    made = service.ask("anonymize", data="people.csv", policy=policy)
    print("released:", service.ask("verify", release=made["release"])["result"]["verified"])
    print(len(service.send("GET", f"releases/{made['release']}/public.zip")), "bytes may go")
