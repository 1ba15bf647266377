"""A service that listens: loopback without further ado, anything else behind TLS; nothing is logged but by the house."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from sfumato.errors import BadRequest
from sfumato.service.api.answers import error_document
from sfumato.service.api.app import application
from sfumato.service.api.gate import Gate
from sfumato.service.api.house import House
from sfumato.service.front import LOOPBACK

__all__ = ["Service"]

_SILENT = 20.0  # seconds in which a connection must have asked for something


class _Protocol(H11Protocol):
    """HTTP in which what is no request is answered by JSON, too, and nobody holds a connection without asking."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._late = self.loop.call_later(_SILENT, self._too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(_SILENT, self._too_late)

    def _too_late(self) -> None:
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state is not h11.IDLE:  # half an answer is out already
            self.transport.close()
            return
        body = json.dumps(error_document(400, "is no request of HTTP")).encode()
        headers = [("content-type", "application/json"), ("connection", "close"), ("content-length", str(len(body)))]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class Service:
    """A house with its door: where it listens, and by which names it may be called."""

    def __init__(
        self,
        house: House,
        listen: str = "127.0.0.1:0",
        *,
        certificate: str | Path | None = None,
        key: str | Path | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.house = house
        host, port = _address(listen)
        here = host == "localhost" or ip_address(host).is_loopback
        if (certificate is None) != (key is None):
            raise BadRequest("takes both, the certificate and its key", parameter="TLS")
        if certificate is None and not here:
            raise BadRequest(
                "is not this computer alone: that takes --tls-certificate and --tls-key", parameter="listen"
            )
        if not here and not names:
            raise BadRequest("is required: by which names the service is called", parameter="name")
        for file in (certificate, key):
            if file is not None and not Path(file).is_file():
                raise BadRequest("there is no such file", parameter="TLS", value=Path(file).name)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
            self._socket.listen(2048)  # whoever is told the address may ask at once, and waits until somebody is there
        except (OSError, OverflowError):
            raise BadRequest(
                "cannot be listened on; another process may hold it", parameter="listen", value=listen
            ) from None
        self.port: int = self._socket.getsockname()[1]
        self.scheme = "http" if certificate is None else "https"
        called = (*names, *(LOOPBACK if here else ()))
        self.gate = Gate(application(house), house, self.port, called, self.scheme)
        self.address = f"{self.scheme}://{called[0]}:{self.port}"
        self._config = uvicorn.Config(
            self.gate,
            http=_Protocol,
            ws="none",
            lifespan="off",
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=3,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        try:
            self._config.load()
        except (OSError, ValueError):
            raise BadRequest("cannot be used for TLS", parameter="certificate or key") from None

    def serve(self) -> None:
        """Serve until the process is ended."""
        with self.house:
            uvicorn.Server(self._config).run(sockets=[self._socket])


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    try:
        if host != "localhost":
            ip_address(host)
        number = int(port)
    except ValueError:
        raise BadRequest("must be ADDRESS:PORT, such as 127.0.0.1:8700", parameter="listen", value=listen) from None
    if not 0 <= number < 65536:
        raise BadRequest("must be ADDRESS:PORT, such as 127.0.0.1:8700", parameter="listen", value=listen)
    return host, number
