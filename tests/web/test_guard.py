"""The guard: who may ask, from where, how much; on pages and on WebSockets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sfumato.web.guard import COOKIE, Guard

HERE = (b"host", b"127.0.0.1:4711")
KEY = (b"cookie", f"{COOKIE}=secret".encode())


async def inner(scope: Any, receive: Any, send: Any) -> None:
    """Answer with how many bytes came, as far as they came."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        return
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect":
            size = -1
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"ALLOW")]})
    await send({"type": "http.response.body", "body": str(size).encode()})


def asked(
    *headers: tuple[bytes, bytes], path: str = "/", kind: str = "http", query: str = "", body: Any = (b"",)
) -> list[Any]:
    """Return what the guard sends for a request."""
    out: list[Any] = []
    parts = [{"type": "http.request", "body": one, "more_body": at + 1 < len(body)} for at, one in enumerate(body)]
    waiting = iter([{"type": "websocket.connect"}] if kind == "websocket" else parts)

    async def receive() -> Any:
        return next(waiting)

    async def send(message: Any) -> None:
        out.append(message)

    scope = {"type": kind, "path": path, "headers": list(headers), "query_string": query.encode()}
    asyncio.run(Guard(inner, 4711, key="secret", largest=10)(scope, receive, send))
    return out


def test_whoever_has_the_key_enters() -> None:
    start, _ = asked(HERE, path="/enter", query="key=secret")
    told = dict(start["headers"])
    assert (start["status"], told[b"location"]) == (303, b"/")
    assert b"HttpOnly; SameSite=Strict" in told[b"set-cookie"]
    assert asked(HERE, path="/enter", query="key=guess")[0]["status"] == 403
    assert asked(HERE, KEY)[0]["status"] == 200


@pytest.mark.parametrize(
    "headers",
    [
        (HERE,),
        (KEY,),
        ((b"host", b"evil.example:4711"), KEY),
        ((b"host", b"127.0.0.1:80"), KEY),
        ((b"host", b"127.0.0.1.evil.example:4711"), KEY),
        (HERE, KEY, (b"origin", b"http://evil.example")),
        (HERE, KEY, (b"origin", b"null")),
        (HERE, KEY, (b"origin", b"https://127.0.0.1:4711")),
        (HERE, (b"cookie", f"{COOKIE}=guess".encode())),
        (HERE, (b"cookie", b"\xff\x00;;;==")),
    ],
)
def test_strangers_are_refused_on_pages_and_on_websockets(headers: Any) -> None:
    assert asked(*headers)[0]["status"] == 403
    assert asked(*headers, kind="websocket")[0] == {"type": "websocket.close", "code": 1008}


def test_our_own_pages_may_ask() -> None:
    for name in (b"127.0.0.1:4711", b"localhost:4711", b"[::1]:4711"):
        own = ((b"host", name), KEY, (b"origin", b"http://" + name))
        assert asked(*own)[0]["status"] == 200
        assert asked(*own, kind="websocket")[0]["type"] == "websocket.accept"


def test_bodies_are_counted_while_they_come() -> None:
    assert asked(HERE, KEY, body=(b"12345", b"67890"))[1]["body"] == b"10"
    assert asked(HERE, KEY, body=(b"12345", b"678901"))[1]["body"] == b"-1"  # cut off, whatever was said of its length
    assert asked(HERE, KEY, (b"content-length", b"11"))[0]["status"] == 413
    assert asked(HERE, KEY, (b"content-length", b"many"))[0]["status"] == 413


def test_every_answer_says_what_a_browser_may_do() -> None:
    told = dict(asked(HERE, KEY)[0]["headers"])
    assert told[b"x-frame-options"] == b"DENY"
    policy = told[b"content-security-policy"].decode()
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http" not in policy
    assert told[b"cache-control"] == b"no-store"
