"""What stands in front of every page: who may ask, from where, how much; and what a browser may do with an answer.

NiceGUI answers any Host and takes WebSockets of any Origin. A page of somebody else in the same browser could then reach
the workbench by a name that it made point here (DNS rebinding), or open its WebSocket; another user of this computer could
open the address. So the Host must be a loopback name with our port, the Origin, where there is one, our own, and a cookie
must hold a key that only the first address tells.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from sfumato.service.front import HEADERS, Application, Front, Message, Receive, Scope, Send, length_of

__all__ = ["COOKIE", "ENTER", "Guard"]

COOKIE = "sfumato-workbench"
ENTER = "/enter"

# Scripts and templates of NiceGUI are inline and compiled in the browser; nothing is ever fetched from elsewhere.
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; object-src 'none'"
)
_FRAMED = _POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")


class Guard(Front):
    """An ASGI application in front of another."""

    def __init__(self, app: Application, port: int, *, key: str | None = None, largest: int = 4 * 2**30) -> None:
        super().__init__(app, port, largest=largest)
        self.key = secrets.token_urlsafe(24) if key is None else key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if not self.from_here(headers):
            await _refuse(scope, receive, send, 403)
        elif scope["type"] == "http" and scope["path"] == ENTER:
            await self._enter(scope, send)
        elif not self._known(headers):
            await _refuse(scope, receive, send, 403)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif not length_of(headers) <= self.largest:
            await _refuse(scope, receive, send, 413)
        else:
            await self.app(scope, self._limited(receive), _adorned(send, scope["path"]))

    def _known(self, headers: dict[bytes, bytes]) -> bool:
        try:
            held = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(COOKIE)
        except CookieError:
            return False
        return held is not None and secrets.compare_digest(held.value.encode(), self.key.encode())

    async def _enter(self, scope: Scope, send: Send) -> None:
        """Take the key from the first address into a cookie, and leave the address behind."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("key", [""])[0]
        if not secrets.compare_digest(given.encode(), self.key.encode()):
            await _answer(send, 403)
            return
        cookie = f"{COOKIE}={self.key}; HttpOnly; SameSite=Strict; Path=/"
        await _answer(send, 303, [(b"location", b"/"), (b"set-cookie", cookie.encode())])

    def _limited(self, receive: Receive) -> Receive:
        """Stop reading a body that is too long: what a browser says of its length need not be true."""
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            return {"type": "http.disconnect"} if size > self.largest else message

        return counted


def _adorned(send: Send, path: str) -> Send:
    """Add to every answer what keeps a browser from showing or sending it elsewhere; reports are shown inside a page."""
    policy = (_FRAMED if path.startswith("/report/") else _POLICY).encode()
    frame = b"SAMEORIGIN" if path.startswith("/report/") else b"DENY"

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            more = {**HEADERS, b"content-security-policy": policy, b"x-frame-options": frame}
            if not path.startswith("/_nicegui/"):
                more[b"cache-control"] = b"no-store"
            kept = [(name, value) for name, value in message.get("headers", []) if name.lower() not in more]
            message = {**message, "headers": [*kept, *more.items()]}
        await send(message)

    return sent


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _answer(send, status)


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    told = [*(headers or []), *HEADERS.items(), (b"content-type", b"text/plain"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": b"" if status < 400 else b"refused\n"})
