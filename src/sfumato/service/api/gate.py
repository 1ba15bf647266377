"""The gate of a service: who asks, from where, how often, how much and how slowly; every refusal is JSON."""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Collection

from sfumato.service.api.answers import error_document
from sfumato.service.api.house import House
from sfumato.service.api.tokens import Token
from sfumato.service.front import HEADERS, LOOPBACK, Application, Front, Message, Receive, Scope, Send, length_of

__all__ = ["OPEN", "Gate"]

OPEN = ("/livez", "/readyz", "/v1/openapi.json")
"""What anybody may ask: it holds no data."""


class Gate(Front):
    """An ASGI application in front of the routes."""

    def __init__(
        self, app: Application, house: House, port: int, names: Collection[str] = LOOPBACK, scheme: str = "http"
    ) -> None:
        super().__init__(app, port, names, scheme, largest=house.limits.largest)
        self.house = house
        self._left: dict[str, tuple[float, float]] = defaultdict(lambda: (float("inf"), time.monotonic()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # there are none here
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if not self.from_here(headers):
            await _refuse(send, 403, "is asked for by another name, or from a page of somebody else")
            return
        if scope["path"] in OPEN:
            await self.app(scope, self._limited(scope, receive), _adorned(send))
            return
        token = self._token(headers)
        if token is None:
            self.house.log.note("", scope["method"], "", 401, 0.0)
            await _refuse(send, 401, "needs Authorization: Bearer TOKEN", [(b"www-authenticate", b"Bearer")])
        elif not self._in_time(token):
            self.house.log.note(token.name, scope["method"], "", 429, 0.0)
            await _refuse(send, 429, "more requests in a minute than this token may make", [(b"retry-after", b"5")])
        elif not length_of(headers) <= (self.largest if _brings(scope) else self.house.limits.document):
            self.house.log.note(token.name, scope["method"], "", 413, 0.0)
            await _refuse(send, 413, "is longer than a request may be")
        else:
            await self._served(token, scope, receive, send)

    async def _served(self, token: Token, scope: Scope, receive: Receive, send: Send) -> None:
        status, began = 500, time.monotonic()

        async def heard(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        scope.setdefault("state", {})["token"] = token
        # Files go as a whole: a part that is not there would be refused in another form than all else.
        scope["headers"] = [(name, value) for name, value in scope["headers"] if name != b"range"]
        try:
            await self.app(scope, self._limited(scope, receive), _adorned(heard))
        finally:
            route, job = getattr(scope.get("route"), "path", ""), scope["state"].get("job")
            self.house.log.note(token.name, scope["method"], route, status, time.monotonic() - began, job)

    def _token(self, headers: dict[bytes, bytes]) -> Token | None:
        kind, _, given = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        return self.house.tokens.known(given.strip()) if kind.lower() == "bearer" else None

    def _in_time(self, token: Token) -> bool:
        """Take one request from what a token has left in this minute; what is left grows back with time."""
        most, now = float(token.quota.requests), time.monotonic()
        left, seen = self._left[token.name]
        left = min(most, left + (now - seen) * most / 60)
        self._left[token.name] = (max(left - 1, 0.0), now)
        return left >= 1

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Stop reading a body that is too long or too slow, whatever was said of its length."""
        from starlette.exceptions import HTTPException

        limits, brings = self.house.limits, _brings(scope)
        most, seconds = (self.largest, limits.upload_seconds) if brings else (limits.document, limits.body_seconds)
        until, size, complete = time.monotonic() + seconds, 0, False

        async def counted() -> Message:
            nonlocal size, complete
            if complete:
                return await receive()
            try:  # somebody who sends nothing for long sends nothing any more
                message = await asyncio.wait_for(receive(), min(limits.body_seconds, max(until - time.monotonic(), 0)))
            except TimeoutError:
                raise HTTPException(408, "comes too slowly", {"connection": "close"}) from None
            size += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if size > most:
                raise HTTPException(413, "is longer than a request may be", {"connection": "close"})
            return message

        return counted


def _brings(scope: Scope) -> bool:
    """Tell whether a request brings a file, and no document."""
    return bool(scope["method"] == "PUT" and scope["path"].startswith("/v1/data/"))


def _adorned(send: Send) -> Send:
    """Add what keeps a browser from showing or keeping an answer; a page may be looked at, and does nothing but that."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            policy = b"default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
            more = {**HEADERS, b"content-security-policy": policy, b"x-frame-options": b"DENY"}
            more[b"cache-control"] = b"no-store"
            kept = [(name, value) for name, value in message.get("headers", []) if name.lower() not in more]
            message = {**message, "headers": [*kept, *more.items()]}
        await send(message)

    return sent


async def _refuse(send: Send, status: int, message: str, more: Collection[tuple[bytes, bytes]] = ()) -> None:
    body = json.dumps(error_document(status, message)).encode()
    told = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    if status == 413:
        told.append((b"connection", b"close"))  # nobody reads what follows
    await _adorned(send)({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": body})
