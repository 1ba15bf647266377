"""A holder's own process: it asks the coordinator for sessions, approves them by its rule, and runs its side beside its data.

Messages go straight to holders that listen, sealed through the coordinator to those that do not. Whatever goes wrong ends the
session for all, and nothing of it stays. What was asked, by whom and how it ended is written to the holder's own log.
"""

from __future__ import annotations

import json
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.contracts.run import Run
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest, SfumatoError
from sfumato.parties.blocks.alignment import Apart
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.envelope import Envelopes, Stray
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.conversation.leakage import Ledger
from sfumato.parties.conversation.message import Message, canonical
from sfumato.parties.sessions.leaving import written_certificate
from sfumato.parties.sessions.session import JointSession, joint_table_release, session_bodies, session_party
from sfumato.parties.sessions.session_end import SessionEnd
from sfumato.publishing.signature import signed
from sfumato.service.admission import Admission
from sfumato.service.bundles import bundles, parted
from sfumato.service.calls import Callers, signed_headers
from sfumato.service.coordinator import Ending, release_text
from sfumato.service.holder_schema import holder_schema
from sfumato.service.mailboxes import Mailboxes
from sfumato.service.server import Server, new_app, read_body
from sfumato.service.tls import client

if TYPE_CHECKING:
    import httpx
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import JSONResponse

__all__ = ["BREATH", "Aborted", "Holder", "Line"]


BREATH = 0.02
"""Seconds before the coordinator, which keeps its answers back until there is news, is asked again."""


class Aborted(SfumatoError):
    """A session that ended without a release."""

    exit_code = 3


class Late(Aborted):
    """A session in which nothing came for too long."""


class Line:
    """A line to one server that is pinned: every request is signed."""

    def __init__(self, identity: Identity, server: Pinned, address: str) -> None:
        self.identity, self.server = identity, server
        self._client: httpx.Client = client(identity, server, address)

    def ask(self, method: str, path: str, body: bytes = b"") -> dict[str, Json]:
        """Return the answer; a refusal is an error with its words."""
        import httpx

        try:
            headers = signed_headers(self.identity, self.server, path, body)
            answer = self._client.request(method, path, content=body, headers=headers)
        except httpx.HTTPError as error:
            raise Aborted(_silent(self.server.name, error)) from None
        try:
            document = answer.json()
        except (ValueError, RecursionError):
            document = {}
        told = document if isinstance(document, dict) else {"listed": document}
        if answer.status_code >= 400:
            said = str(told.get("error", answer.status_code))
            raise BadRequest(say("party.bad.says", server=self.server.name, what=said))
        return told

    def say(self, path: str, document: Json) -> dict[str, Json]:
        """Post a document."""
        return self.ask("POST", path, canonical(document))

    def close(self) -> None:
        """Hang up."""
        self._client.close()


@dataclass(eq=False)
class Holder:
    """One holder: who it is, what it has, whom it believes, and what it agrees to.

    ``agrees`` decides about a contract that somebody asks for: it gets who asks, and the contract. ``admission`` knows who
    signs requests, and ``auditors`` may read the log, with what every role learnt, and nothing else.
    """

    identity: Identity
    contract: Contract
    source: object
    coordinator: Pinned
    address: str
    agrees: Callable[[str, Contract], bool]
    listen: str | None = None
    audit: Path | None = None
    deadline: float = 120.0
    admission: Admission = field(default_factory=Admission)
    auditors: Mapping[str, Pinned] = field(default_factory=dict)
    mail: Mailboxes = field(default_factory=Mailboxes)
    _done: set[str] = field(default_factory=set)
    _joining: set[str] = field(default_factory=set)
    _schema: dict[str, Json] = field(default_factory=dict)

    @property
    def others(self) -> dict[str, Pinned]:
        """Return the other holders as the contract pins them."""
        out = {}
        for name, entry in self.contract.holders.items():
            if entry.certificate is None:
                raise BadRequest(say("party.bad.network_certificate"), parameter=f"holders.{name}.certificate")
            if name != self.identity.name:
                out[name] = Pinned(name, entry.certificate)
        return out

    def app(self) -> FastAPI:
        """Return the application of a holder that listens: other holders leave envelopes, auditors read the log, whoever may
        ask for sessions reads the schema; no more."""
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import JSONResponse
        from starlette.routing import Route

        own = self.identity.pinned
        callers, auditors = Callers(own, self.others), Callers(own, self.auditors)

        async def messages(request: Request) -> JSONResponse:
            body = await read_body(request)
            path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            callers.caller(path, request.headers, body)
            session = request.path_params["session"]
            if session not in self._joining:
                raise BadRequest(say("party.bad.not_here"), parameter="session")
            self.mail.post(session, self.identity.name, *parted(body))
            return JSONResponse({}, 202)

        async def audited(request: Request) -> JSONResponse:
            auditors.caller(request.url.path, request.headers, await read_body(request, 0))
            return JSONResponse(self.audited())

        readers = Callers(own, {**self._askers, **self.others})

        async def schema(request: Request) -> JSONResponse:
            readers.caller(request.url.path, request.headers, await read_body(request, 0))
            if not self._schema:
                told = await run_in_threadpool(holder_schema, self.contract, self.identity.name, self.source)
                self._schema.update(told)
            return JSONResponse(self._schema)

        app = new_app("sfumato holder")
        app.router.routes += [
            Route("/v1/sessions/{session}/messages", messages, methods=["POST"]),
            Route("/v1/audit", audited, methods=["GET"]),
            Route("/v1/schema", schema, methods=["GET"]),
        ]
        return app

    def server(self, listen: str) -> Server:
        """Return the server of a holder that listens: other holders, auditors and whoever may ask get a connection."""
        known = [*self.others.values(), *self.auditors.values(), *self._askers.values()]
        return Server(self.app(), self.identity, known, listen)

    @property
    def _askers(self) -> dict[str, Pinned]:
        """Return the people whom a rule allows a session of the contract; all who are known, if there are no rules."""
        admits = self.admission.admits
        people = self.admission.people.items()
        return {name: one.pinned for name, one in people if not self.admission.rules or admits(name, self.contract)}

    def serve(self, *, sessions: int | None = None, pause: float = 0.3, until: float | None = None) -> int:
        """Take part in sessions until told to stop, or until as many are over; return how many were released."""
        released = seen = 0
        self._append("")  # better said now than in the first session
        with ExitStack() as stack:
            if self.listen is not None:
                stack.enter_context(self.server(self.listen))
            line = Line(self.identity, self.coordinator, self.address)
            stack.callback(line.close)
            while (sessions is None or seen < sessions) and (until is None or time.monotonic() < until):
                asked = self._asked(line, pause)
                for session in asked:
                    seen += 1
                    released += self._joined(line, session)
                if not asked:
                    time.sleep(BREATH)
        return released

    def _asked(self, line: Line, pause: float) -> list[dict[str, Json]]:
        try:
            found = line.ask("GET", "/v1/sessions?wait=1").get("listed", [])
        except Aborted:
            time.sleep(pause)
            return []  # the coordinator is not there yet, or has gone for a while
        listed = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
        return [
            one for one in listed if one.get("status") == "NEGOTIATED" and str(one.get("session")) not in self._done
        ]

    def _joined(self, line: Line, asked: dict[str, Json]) -> bool:
        """Take part in one session; whatever goes wrong ends it for all."""
        session, requester = str(asked.get("session")), str(asked.get("requester"))
        self._done.add(session)
        why: Ending = "refused"
        try:
            self._refuse(requester, asked.get("contract"), asked.get("request"))
            why = "broken"
            own = JointSession(self.contract, self.identity.name, self.source)
            own.open()  # nobody has to begin with a holder that cannot read what it has
            self._log(session, requester, "approved")  # first: nothing is agreed to that the log does not hold
            self._joining.add(session)  # others may speak as soon as all have approved
            line.say(f"/v1/sessions/{session}/approve", {"contract": self.contract.hash()})
            learnt = self._run(line, session, requester, own)
        except Exception as error:
            # What an error that is not ours says may hold values: its name is enough.
            told = str(error) if isinstance(error, SfumatoError) else type(error).__name__
            why = "late" if isinstance(error, Late) else "persons" if isinstance(error, Apart) else why
            try:
                self._log(session, requester, f"ended: {told}")
            finally:  # others hear of the end even if nothing can be written
                with suppress(SfumatoError):  # whoever is not told finds out by the deadline
                    line.say(f"/v1/sessions/{session}/abort", {"why": why})
            return False
        finally:
            self._joining.discard(session)
            self.mail.forget(session)
        self._log(session, requester, "released", learnt)
        return True

    def _refuse(self, requester: str, document: Json, request: Json) -> None:
        asked = Contract.of(document) if isinstance(document, dict) else None
        if asked is None or asked.hash() != self.contract.hash():
            raise BadRequest(say("party.bad.other_contract"), parameter="contract")
        self.admission.refuse_unsigned(requester, asked, request)
        if not self.agrees(requester, asked):
            raise BadRequest(say("party.bad.not_agreed_to"), parameter="session")

    # ---- one session -----------------------------------------------------------------------------------------------------

    def _run(self, line: Line, session: str, requester: str, own: JointSession) -> Ledger:
        """Run this holder's side of a session; return what every role learnt."""
        contract = self.contract
        self._wait_for(line, session)
        direct = all(entry.address for entry in contract.holders.values())
        envelopes = Envelopes(
            self.identity, self.others, session, contract.hash(), session_bodies(contract), sealed=not direct
        )
        lines = {
            name: Line(self.identity, pinned, str(contract.holders[name].address))
            for name, pinned in (self.others.items() if direct else ())
        }
        try:
            party = session_party(own)
            for spoken in party.started():
                self._send(line, lines, session, envelopes, spoken)
            taken = strays = 0
            until = time.monotonic() + self.deadline
            while not party.done:
                status, found = self._fetched(line, session, taken, direct)
                if status != "RUNNING":
                    raise Aborted(say("party.ended.other"))
                for envelope in found:
                    taken += 1
                    try:
                        message = envelopes.taken(envelope)
                    except Stray:
                        strays += 1
                        continue
                    for spoken in party.handled(message):
                        self._send(line, lines, session, envelopes, spoken)
                    until = time.monotonic() + self.deadline
                if time.monotonic() > until:  # strays do not keep a session alive
                    raise Late(say("party.ended.silence"))
            line.say(f"/v1/sessions/{session}/release", self._signed(session, party.result))
            if strays:
                self._log(session, requester, f"left {strays} stray envelopes aside")
            return Ledger(party.result.leaks)
        finally:
            for one in lines.values():
                one.close()

    def _signed(self, session: str, found: SessionEnd) -> dict[str, Json]:
        """Return what was found with this holder's signatures; nothing is signed that does not keep its promise as written."""
        end = found.document()
        signature = b64encode(self.identity.sign(release_text(session, self.contract.hash(), end))).decode()
        if self.contract.third:  # no holder sees the rows: the recipient alone can judge and certify them
            return {"end": end, "signature": signature}
        release = joint_table_release(self.contract, found, Run())
        certificate = signed(
            written_certificate(release, self.contract), self.identity.key_file, self.identity.passphrase
        )
        return {"end": end, "signature": signature, "certificate": certificate.decode()}

    def _wait_for(self, line: Line, session: str) -> None:
        """Wait until all have approved."""
        until = time.monotonic() + self.deadline
        while True:
            status = line.ask("GET", f"/v1/sessions/{session}?since=NEGOTIATED&wait=1").get("status")
            if status == "RUNNING":
                return
            if status != "NEGOTIATED" or time.monotonic() > until:
                raise Late(say("party.ended.not_all"))
            time.sleep(BREATH)

    def _fetched(self, line: Line, session: str, after: int, direct: bool) -> tuple[str, list[bytes]]:
        if direct:
            found = self.mail.fetch(session, self.identity.name, after, 1.0)
            if found:
                return "RUNNING", found
            return str(line.ask("GET", f"/v1/sessions/{session}").get("status")), []
        answer = line.say(f"/v1/sessions/{session}/mail", {"after": after, "wait": 1})
        listed = answer.get("envelopes")
        return str(answer.get("status")), [_bytes(one) for one in (listed if isinstance(listed, list) else [])]

    def _send(
        self, line: Line, lines: dict[str, Line], session: str, envelopes: Envelopes, messages: list[Message]
    ) -> None:
        path = f"/v1/sessions/{session}/messages"
        for receiver in dict.fromkeys(message.receiver for message in messages):
            said = [envelopes.wrapped(message) for message in messages if message.receiver == receiver]
            try:
                if receiver in lines:
                    for bundle in bundles(said):
                        lines[receiver].ask("POST", path, bundle)
                else:
                    for envelope in said:
                        line.ask("POST", f"{path}?to={receiver}", envelope)
            except BadRequest:
                if line.ask("GET", f"/v1/sessions/{session}").get("status") == "RUNNING":
                    raise
                raise Aborted(say("party.ended.other")) from None

    def audited(self) -> Json:
        """Return the log: who asked for what with which parameters, how it ended, and what every role learnt."""
        if self.audit is None or not self.audit.exists():
            return []
        return [json.loads(line) for line in self.audit.read_text(encoding="utf-8").splitlines()]

    def _log(self, session: str, requester: str, event: str, ledger: Ledger | None = None) -> None:
        """Append to the holder's own log, which only its owner can read; nothing of the data is in it."""
        if self.audit is None:
            return
        entry: dict[str, Json] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "session": session,
            "requester": requester,
            "contract": self.contract.hash(),
            "protocol": self.contract.releasing().spec(),
            "requirements": [model.spec() for model in self.contract.policy().models()],
            "event": event,
            **({} if ledger is None else {"ledger": ledger.document()}),
        }
        self._append(json.dumps(entry, ensure_ascii=False) + "\n")

    def _append(self, text: str) -> None:
        """Write to the end of the log; a holder that cannot tell what it did takes part in nothing."""
        if self.audit is None:
            return
        try:
            number = os.open(self.audit, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(number, "a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            why = say("party.bad.unwritten", why=str(error.strerror))
            raise BadRequest(why, parameter="audit", value=self.audit.name) from None


def _bytes(text: Json) -> bytes:
    """Return what a relay hands out; what is no base64 is an envelope that nobody takes."""
    try:
        return b64decode(str(text), validate=True)
    except ValueError:
        return b""


def _silent(server: str, error: httpx.HTTPError) -> str:
    """Say why nothing was heard: another certificate than the pinned one, an own one that is not known there, or nobody."""
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return say("party.ended.other_certificate", server=server)
    kind = type(error).__name__
    if kind in ("RemoteProtocolError", "ReadError", "WriteError"):
        return say("party.ended.closed", server=server)
    return say("party.ended.no_answer", server=server, error=kind)
