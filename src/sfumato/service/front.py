"""What stands in front of an application: by which names it is called, whose pages may ask, how long a body may be.

A page of somebody else in a browser could reach a server by a name that it made point here (DNS rebinding): so the Host must
be one of ours, and the Origin, where there is one, our own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

__all__ = ["HEADERS", "LOOPBACK", "Application", "Front", "Message", "Receive", "Scope", "Send", "length_of"]

HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
}
"""What every answer says to a browser."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names of this computer for itself, as a Host has them."""

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class Front:
    """An ASGI application in front of another, which is called by some names with one port."""

    def __init__(
        self, app: Application, port: int, names: Collection[str] = LOOPBACK, scheme: str = "http", *, largest: int
    ) -> None:
        self.app, self.largest = app, largest
        usual = {"http": 80, "https": 443}[scheme]
        told = [f"{name}:{port}" for name in names] + ([*names] if port == usual else [])
        self.hosts = {host.lower().encode() for host in told}
        self._origin = f"{scheme}://".encode()

    def from_here(self, headers: dict[bytes, bytes]) -> bool:
        """Tell whether a request calls us by a name of ours, and comes from no page but ours."""
        origin = headers.get(b"origin")
        if headers.get(b"host", b"").lower() not in self.hosts:
            return False
        return origin is None or (origin.startswith(self._origin) and origin[len(self._origin) :] in self.hosts)


def length_of(headers: dict[bytes, bytes]) -> float:
    """Return how long a body is said to be: without end, if what is said is no number."""
    given = headers.get(b"content-length", b"0")
    return int(given) if given.isdigit() and len(given) < 20 else float("inf")
