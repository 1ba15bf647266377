"""The coordinator: it starts sessions, carries sealed envelopes for holders that open no port, and gets what is published.

It is trusted with nothing else: it cannot open an envelope, and what is published must be signed by every holder alike.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.identity import Pinned
from sfumato.parties.conversation.message import canonical
from sfumato.service.calls import Callers
from sfumato.service.invitations import Invitations
from sfumato.service.mailboxes import Mailboxes
from sfumato.service.news import News
from sfumato.service.server import new_app, read_body, read_json

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request

__all__ = ["Coordinator", "Ending", "Standing", "release_text"]

Status = Literal["NEGOTIATED", "RUNNING", "RELEASED", "ABORTED"]
Ending = Literal["refused", "late", "persons", "broken"]
"""Why a holder ends a session, as far as others are told: its log says more."""
_ATTEMPTS, _MOST = 5, 100
_LONGEST_WAIT = 5.0


def release_text(session: str, contract: str, end: Json) -> bytes:
    """Return what every holder signs: the session, the contract, and what was found."""
    return canonical(["sfumato/release/v1", session, contract, end])


@dataclass
class Standing:
    """A session as the coordinator knows it."""

    contract: Contract
    document: Mapping[str, Json]
    requester: str
    begun: float
    request: Json = None
    status: Status = "NEGOTIATED"
    reason: str = ""
    approved: set[str] = field(default_factory=set)
    ends: dict[str, tuple[Json, str]] = field(default_factory=dict)
    certificates: dict[str, str] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        """Whether all holders agreed: then something was found that could be compared with what another run finds."""
        return self.approved == set(self.contract.holders)


class Coordinator:
    """All sessions of one coordinator, as an application."""

    def __init__(self, own: Pinned, members: Mapping[str, Pinned], *, deadline: float = 600.0) -> None:
        self.callers, self.deadline = Callers(own, members), deadline
        self.sessions: dict[str, Standing] = {}
        self.mail = Mailboxes()
        self.invitations = Invitations(deadline)
        self.news = News()
        self._lock = threading.RLock()

    # ---- what is asked -------------------------------------------------------------------------------------------------

    def open(self, caller: str, document: Json, request: Json = None) -> Json:
        """Begin a session of a contract; everybody in it must be known here by the certificate that it pins.

        ``request`` is what the caller has signed for the holders, who need not believe what is said here.
        """
        if not isinstance(document, Mapping):
            raise BadRequest(say("party.bad.contract"), parameter="contract")
        contract = Contract.of(document)
        for name, entry in contract.holders.items():
            known = self.callers.known.get(name)
            if known is None or entry.certificate is None or Pinned(name, entry.certificate).key != known.key:
                raise BadRequest(say("party.bad.member"), parameter="holders", value=name)
        # Whoever signs a request names the session by its nonce, so that the end of an earlier one cannot be handed out for it.
        given = request.get("nonce") if isinstance(request, Mapping) else None
        session = given if isinstance(given, str) and re.fullmatch("[0-9a-f]{32}", given) else secrets.token_hex(16)
        with self._lock:
            begun = [one for key, one in self.sessions.items() if self._status(key) != "ABORTED" or one.ran]
            if sum(one.contract.hash() == contract.hash() for one in begun) >= _ATTEMPTS:
                raise BadRequest(say("party.bad.attempts"), parameter="contract")
            if session in self.sessions or sum(one.status == "NEGOTIATED" for one in begun) >= _MOST:
                raise BadRequest(say("party.bad.room"), parameter="session")
            self.sessions[session] = Standing(contract, document, caller, time.monotonic(), request)
        self.news.tell()
        return {"session": session, "contract": contract.hash()}

    def listed(self, caller: str) -> Json:
        """Return the sessions that a holder is asked to join."""
        with self._lock:
            asked = [(key, one) for key, one in self.sessions.items() if caller in one.contract.holders]
            found = [(key, one) for key, one in asked if self._status(key) == "NEGOTIATED"]
            return [
                {
                    "session": key,
                    "status": one.status,
                    "contract": one.document,
                    "requester": one.requester,
                    "request": one.request,
                }
                for key, one in found
            ]

    def awaited(self, caller: str) -> bool:
        """Tell whether a session waits for a holder to approve it."""
        with self._lock:
            waiting = [key for key, one in self.sessions.items() if caller in set(one.contract.holders) - one.approved]
            return any(self._status(key) == "NEGOTIATED" for key in waiting)

    def left(self, caller: str, session: str, status: str) -> bool:
        """Tell whether a session stands otherwise than it did."""
        self._standing(caller, session)
        return self._status(session) != status

    def told(self, caller: str, session: str) -> Json:
        """Return how a session stands; what was found goes to whoever asked for it."""
        standing = self._standing(caller, session)
        status = self._status(session)
        out: dict[str, Json] = {"status": status, "reason": standing.reason, "approved": sorted(standing.approved)}
        if status == "RELEASED" and caller == standing.requester:
            out["end"] = next(iter(standing.ends.values()))[0]
            out["signatures"] = {name: signature for name, (_, signature) in standing.ends.items()}
            out["certificates"] = dict(standing.certificates)
        return out

    def approve(self, caller: str, session: str, contract: Json) -> Json:
        """Note that a holder agrees to a contract; when all have, the session runs."""
        with self._lock:
            standing = self._standing(caller, session, holder=True)
            if contract != standing.contract.hash():
                self._abort(session, say("party.ended.refused", holder=caller))
            elif standing.status == "NEGOTIATED":
                standing.approved.add(caller)
                if standing.ran:
                    standing.status = "RUNNING"
                    self.news.tell()
            return {"status": standing.status}

    def post(self, caller: str, session: str, receiver: str, envelope: bytes) -> Json:
        """Carry an envelope."""
        standing = self._standing(caller, session, holder=True)
        if self._status(session) != "RUNNING" or receiver not in standing.contract.holders:
            raise BadRequest(say("party.bad.nobody_there"), parameter="session", value=standing.status)
        self.mail.post(session, receiver, envelope)
        return {}

    def fetch(self, caller: str, session: str, after: int, wait: float) -> Json:
        """Return what waits for a holder, and how the session stands."""
        standing = self._standing(caller, session, holder=True)
        found = (
            []
            if self._status(session) != "RUNNING"
            else self.mail.fetch(session, caller, after, min(wait, _LONGEST_WAIT))
        )
        return {"status": standing.status, "envelopes": [b64encode(one).decode() for one in found]}

    def abort(self, caller: str, session: str, why: Json = None) -> Json:
        """End a session for all; nothing of it is published."""
        standing = self._standing(caller, session)
        told = say("party.ended.by", holder=caller)
        if why == "refused":
            told = say("party.ended.refused", holder=caller)
        elif why == "late":
            told = say("party.ended.late", holder=caller)
        elif why == "persons":
            exact = standing.contract.align == "exact"
            told = say("party.ended.persons", holder=caller) if exact else say("party.ended.nobody", holder=caller)
        self._abort(session, told)
        return {"status": self.sessions[session].status}

    def release(self, caller: str, session: str, end: Json, signature: str, certificate: str = "") -> Json:
        """Take what a holder found, and its signature of the certificate; when all have found the same, it is released."""
        with self._lock:
            standing = self._standing(caller, session, holder=True)
            text = release_text(session, standing.contract.hash(), end)
            if self._status(session) != "RUNNING":
                raise BadRequest(say("party.bad.not_running"), parameter="session", value=standing.status)
            if not self.callers.known[caller].signed(text, _bytes(signature)):
                raise BadRequest(say("party.bad.sender"), parameter="release")
            standing.ends[caller], standing.certificates[caller] = (end, signature), certificate
            if any(canonical(one) != canonical(end) for one, _ in standing.ends.values()):
                self._abort(session, say("party.ended.different"))
            elif set(standing.ends) == set(standing.contract.holders):
                standing.status = "RELEASED"
                self.mail.forget(session)
                self.news.tell()
            return {"status": standing.status}

    # ---- how it stands -------------------------------------------------------------------------------------------------

    def _standing(self, caller: str, session: str, *, holder: bool = False) -> Standing:
        standing = self.sessions.get(session)
        if standing is None or not (
            caller in standing.contract.holders or (caller == standing.requester and not holder)
        ):
            raise BadRequest(say("party.bad.session"), parameter="session")
        return standing

    def _status(self, session: str) -> Status:
        standing = self.sessions[session]
        if standing.status in ("NEGOTIATED", "RUNNING") and time.monotonic() - standing.begun > self.deadline:
            self._abort(session, say("party.ended.over"))
        return standing.status

    def _abort(self, session: str, reason: str) -> None:
        with self._lock:
            standing = self.sessions[session]
            if standing.status in ("NEGOTIATED", "RUNNING"):
                standing.status, standing.reason, standing.ends = "ABORTED", reason, {}
                self.mail.forget(session)
                self.news.tell()

    # ---- the application -------------------------------------------------------------------------------------------------

    def app(self) -> FastAPI:
        """Return the application: every request is signed by whoever makes it."""
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import JSONResponse
        from starlette.routing import Route

        async def asked(request: Request) -> tuple[str, str, bytes]:
            body = await read_body(request)
            path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return self.callers.caller(path, request.headers, body), request.path_params.get("session", ""), body

        async def sessions(request: Request) -> JSONResponse:
            caller, _, body = await asked(request)
            if request.method == "GET":
                await self.news.until(lambda: self.awaited(caller), _seconds(request.query_params.get("wait")))
                return JSONResponse(self.listed(caller))
            given = read_json(body)
            return JSONResponse(self.open(caller, given.get("contract"), given.get("request")), 201)

        async def invitations(request: Request) -> JSONResponse:
            caller, _, body = await asked(request)
            if request.method == "GET":
                return JSONResponse(self.invitations.listed(caller))
            return JSONResponse(self.invitations.open(caller, read_json(body).get("holders"), self.callers.known), 201)

        async def invitation(request: Request) -> JSONResponse:
            caller, _, body = await asked(request)
            key = request.path_params["invitation"]
            if request.method == "GET":
                return JSONResponse(self.invitations.told(caller, key))
            return JSONResponse(self.invitations.put(caller, key, read_json(body)), 202)

        async def told(request: Request) -> JSONResponse:
            caller, session, _ = await asked(request)
            status = request.query_params.get("since", "")
            seconds = _seconds(request.query_params.get("wait"))
            await self.news.until(lambda: self.left(caller, session, status), seconds)
            return JSONResponse(self.told(caller, session))

        async def messages(request: Request) -> JSONResponse:
            caller, session, body = await asked(request)
            return JSONResponse(self.post(caller, session, request.query_params.get("to", ""), body), 202)

        async def acted(request: Request) -> JSONResponse:
            caller, session, body = await asked(request)
            act, given = request.path_params["act"], read_json(body)
            if act == "approve":
                return JSONResponse(self.approve(caller, session, given.get("contract")))
            if act == "abort":
                return JSONResponse(self.abort(caller, session, given.get("why")))
            if act == "release":
                signed = (str(given.get(key, "")) for key in ("signature", "certificate"))
                return JSONResponse(self.release(caller, session, given.get("end"), *signed))
            after, wait = given.get("after"), given.get("wait")
            if act != "mail" or not isinstance(after, int) or not isinstance(wait, int | float) or after < 0:
                raise BadRequest(say("party.bad.act"), parameter="path", value=act)
            return JSONResponse(await run_in_threadpool(self.fetch, caller, session, after, wait))

        app = new_app("sfumato coordinator")
        app.router.routes += [
            Route("/v1/invitations", invitations, methods=["GET", "POST"]),
            Route("/v1/invitations/{invitation}", invitation, methods=["GET", "POST"]),
            Route("/v1/sessions", sessions, methods=["GET", "POST"]),
            Route("/v1/sessions/{session}", told, methods=["GET"]),
            Route("/v1/sessions/{session}/messages", messages, methods=["POST"]),
            Route("/v1/sessions/{session}/{act}", acted, methods=["POST"]),
        ]
        return app


def _seconds(wait: str | None) -> float:
    """Return for how long a caller may be kept waiting: it need not ask again and again."""
    return min(int(wait), _LONGEST_WAIT) if wait is not None and wait.isdecimal() and len(wait) < 4 else 0.0


def _bytes(signature: str) -> bytes:
    try:
        return b64decode(signature, validate=True)
    except ValueError:
        return b""
