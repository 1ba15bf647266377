"""The gate: tokens, names, origins, lengths, speed and number of requests; every refusal is JSON, logged without names."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.api.house_world import PORT, World, new_world
from sfumato.service.api.house import House, Limits


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return new_world(tmp_path_factory.mktemp("gate"), Limits(largest=1000, document=400, body_seconds=0.2))


def error(answer: Any) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/json"
    return answer.status_code, answer.json()["error"]["code"]


def test_whoever_has_no_token_sees_that_it_lives_and_nothing_else(world: World) -> None:
    nobody = world.client()
    assert nobody.get("/livez").json() == {"alive": True}
    assert nobody.get("/readyz").status_code == 503  # nobody works here
    assert nobody.get("/v1/openapi.json").status_code == 200
    for path in ("/v1/me", "/v1/data", "/v1/nothing", "/docs", "/"):
        assert error(nobody.get(path)) == (401, "who-are-you")
    for given in (
        "Bearer",
        "Bearer x",
        "Bearer hospital.",
        "Bearer hospital.x",
        "Basic aG9zcGl0YWw6eA==",
        "Bearer é.é",
    ):
        told = nobody.get("/v1/me", headers={"authorization": given.encode("latin-1")})
        assert error(told) == (401, "who-are-you")
    assert world.client("ann").get("/v1/me").json()["role"] == "reader"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": f"evil.example:{PORT}"},
        {"host": "127.0.0.1:80"},
        {"host": f"127.0.0.1.evil.example:{PORT}"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{PORT}"},
    ],
)
def test_foreign_names_and_pages_are_refused(world: World, headers: dict[str, str]) -> None:
    assert error(world.client("hospital").get("/v1/me", headers=headers)) == (403, "not-allowed")
    assert error(world.client().get("/livez", headers=headers)) == (403, "not-allowed")


def test_there_are_no_websockets(world: World) -> None:
    out: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        out.append(message)

    scope = {"type": "websocket", "path": "/v1/me", "headers": [(b"host", f"127.0.0.1:{PORT}".encode())]}
    asyncio.run(world.gate(scope, receive, send))
    assert out == [{"type": "websocket.close", "code": 1008}]


def test_bodies_have_a_length_and_a_speed(world: World) -> None:
    steward = world.client("hospital")
    assert error(steward.put("/v1/data/a.csv", content=b"a" * 1001)) == (413, "too-large")
    assert error(steward.post("/v1/check", content=b"a" * 401)) == (413, "too-large")

    def pieces() -> Any:  # nobody says how long it is
        yield from [b"a" * 100] * 11

    assert error(steward.put("/v1/data/a.csv", content=pieces())) == (413, "too-large")
    assert error(steward.post("/v1/check", content=pieces())) == (413, "too-large")
    assert steward.get("/v1/data").json() == []
    assert not list((world.house.root / "hospital" / "data").iterdir())


def test_a_body_that_does_not_come_is_not_waited_for(world: World) -> None:
    out: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(5)

    async def send(message: Any) -> None:
        out.append(message)

    known = f"Bearer {world.tokens['hospital']}".encode()
    headers = [
        (b"host", f"127.0.0.1:{PORT}".encode()),
        (b"authorization", known),
        (b"content-type", b"application/json"),
    ]
    scope = {"type": "http", "method": "POST", "path": "/v1/check", "headers": headers, "query_string": b""}
    asyncio.run(world.gate(scope, receive, send))
    assert out[0]["status"] == 408


def test_a_token_may_ask_so_often_and_no_more(tmp_path: Path) -> None:
    world = new_world(tmp_path, requests=5)
    steward = world.client("hospital")
    assert [steward.get("/v1/data").status_code for _ in range(7)] == [200] * 5 + [429] * 2
    assert world.client("clinic").get("/v1/data").status_code == 200


def test_tokens_are_for_what_they_are_for(world: World) -> None:
    reader, auditor, steward = (world.client(name) for name in ("ann", "otto", "hospital"))
    for route in ("/v1/data", "/v1/ledger", "/v1/releases/x/private"):
        assert error(reader.get(route)) == (403, "not-allowed")
    assert error(reader.put("/v1/data/a.csv", content=b"a\n1\n")) == (403, "not-allowed")
    assert error(auditor.put("/v1/data/a.csv", content=b"a\n1\n")) == (403, "not-allowed")
    assert error(auditor.post("/v1/anonymize", json={"data": "a", "policy": {}})) == (403, "not-allowed")
    assert error(steward.get("/v1/releases/x/private")) == (403, "not-allowed")
    assert error(auditor.get("/v1/releases/x/private")) == (404, "not-found")


def test_the_log_has_patterns_and_no_names(world: World) -> None:
    world.client("hospital").get("/v1/data/Jane%20Doe.csv?secret=1")
    world.client("hospital").delete("/v1/data/Jane%20Doe.csv")
    text = world.house.log.path.read_text()
    assert "Jane" not in text
    assert "secret" not in text
    assert world.tokens["hospital"].partition(".")[2] not in text
    assert world.house.log.path.stat().st_mode & 0o777 == 0o600
    last = json.loads(text.splitlines()[-1])
    assert (last["token"], last["route"], last["status"]) == ("hospital", "/v1/data/{name:path}", 404)
    assert {one["token"] for one in world.client("otto").get("/v1/log").json()} <= {"hospital", "ann", "otto"}


def test_what_fails_inside_tells_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: House, token: object) -> None:
        raise RuntimeError("Jane Doe in /etc/secret")

    monkeypatch.setattr(House, "room", broken)
    told = world.client("hospital").get("/v1/data")
    assert error(told) == (500, "our-mistake")
    assert "Jane" not in told.text


def test_it_describes_itself(world: World) -> None:
    told = world.client().get("/v1/openapi.json").json()
    parts = told["components"]["schemas"]
    assert "k-anonymity" in parts["Requirement"]["anyOf"][0]["enum"]
    assert "columns" in parts["Policy"]["properties"]
    named = {one.split("/")[-1] for one in _references(told)}
    assert named <= set(parts)
    assert "/v1/anonymize" in told["paths"]


def _references(node: Any) -> Any:
    if isinstance(node, dict):
        yield from [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def test_ids_are_explained(world: World) -> None:
    reader: TestClient = world.client("ann")
    assert reader.get("/v1/things/k-anonymity").json()["kind"] == "model"
    assert error(reader.get("/v1/things/nothing")) == (404, "not-found")
    assert any(one["id"] == "polars" for one in reader.get("/v1/things?kind=engine").json())
