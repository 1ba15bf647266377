"""A server: an application behind TLS on one address, started in a thread and stopped again."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest, SfumatoError, Unsupported
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.conversation.message import canonical
from sfumato.service.tls import server_context

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import JSONResponse

__all__ = ["LARGEST_REQUEST", "Server", "new_app", "read_body", "read_json"]

LARGEST_REQUEST = 128 * 2**20


def new_app(title: str) -> FastAPI:
    """Return an application without pages of its own, in which errors of ours are answers and no error tells a trace."""
    try:
        from fastapi import FastAPI
        from starlette.responses import JSONResponse
    except ImportError:
        raise Unsupported(
            'a service needs FastAPI and uvicorn: pip install "sfumato[parties]"', thing="party"
        ) from None
    app = FastAPI(title=title, docs_url=None, redoc_url=None, openapi_url=None)

    async def refused(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": str(error)}, status_code=400)

    async def broken(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": "this server has failed; nothing of the request was kept"}, status_code=500)

    app.add_exception_handler(SfumatoError, refused)
    app.add_exception_handler(Exception, broken)
    return app


async def read_body(request: Request, most: int = LARGEST_REQUEST) -> bytes:
    """Return the body of a request; one that is too long is refused before all of it is read."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise BadRequest(say("party.bad.too_long", most=most), parameter="request")
        parts.append(part)
    return b"".join(parts)


def read_json(body: bytes) -> dict[str, Json]:
    """Return the mapping that a body holds."""
    try:
        document = json.loads(body)
        canonical(document)  # a number that is none, or half a character, has no form that can be hashed or signed
    except (ValueError, RecursionError):
        raise BadRequest(say("party.bad.json"), parameter="request") from None
    if not isinstance(document, dict):
        raise BadRequest(say("party.bad.mapping"), parameter="request")
    return document


class Server:
    """An application on an address; as a context manager it is there inside and gone outside."""

    def __init__(self, app: FastAPI, identity: Identity, trusted: Sequence[Pinned], listen: str) -> None:
        import uvicorn

        host, _, port = listen.rpartition(":")
        if not host or not port.isdecimal() or not 0 <= int(port) < 65536:
            raise BadRequest(say("party.bad.listen"), parameter="listen", value=listen)
        config = uvicorn.Config(
            app,
            host=host,
            port=int(port),
            log_level="critical",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=2,
        )
        config.load()
        config.ssl = server_context(identity, trusted)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.listen = listen

    def _serve(self) -> None:
        asyncio.run(self._server.serve())

    def __enter__(self) -> Server:
        self._thread.start()
        until = time.monotonic() + 20
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > until:
                raise BadRequest(say("party.bad.taken"), parameter="listen", value=self.listen)
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=10)

    @property
    def port(self) -> int:
        """Return the port, which the machine chose if 0 was asked for."""
        found: int = self._server.servers[0].sockets[0].getsockname()[1]
        return found

    def wait(self) -> None:
        """Wait until somebody ends it."""
        while self._thread.is_alive():
            self._thread.join(timeout=0.5)
