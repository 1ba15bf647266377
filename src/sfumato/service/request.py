"""Asking for a session: the contract goes to the coordinator, and what all holders signed comes back to be judged anew."""

from __future__ import annotations

import json
import time
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path

from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Contradiction
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.sessions.leaving import written_certificate
from sfumato.parties.sessions.session import joint_table_release
from sfumato.parties.sessions.session_end import SessionEnd
from sfumato.parties.sessions.third_party import opened_rows, recipient
from sfumato.publishing.certificate import FILE
from sfumato.publishing.signature import checked, fingerprint
from sfumato.service.admission import signed_request
from sfumato.service.coordinator import release_text
from sfumato.service.holder import BREATH, Aborted, Line

__all__ = ["Granted", "refuse_unsigned_release", "requested"]


@frozen
class Granted:
    """A session that ended with a release: the release, and the signature of every holder under what it was made of
    and under the certificate."""

    session: str
    release: Release
    end: SessionEnd
    signatures: Mapping[str, str]
    certificates: Mapping[str, str]


def requested(
    identity: Identity, coordinator: Pinned, address: str, contract: Contract, *, run: Run, patience: float = 600.0
) -> Granted:
    """Ask for a session, wait for its end, check every signature, and certify the joint table."""
    if contract.third and recipient(contract).key != identity.pinned.key:
        raise BadRequest(say("party.bad.recipient"), parameter="name", value=identity.name)
    line = Line(identity, coordinator, address)
    try:
        asked = signed_request(identity, contract)
        opened = line.say("/v1/sessions", {"contract": contract.document(), "request": asked})
        session = str(opened.get("session"))
        if session != asked["nonce"]:
            raise Contradiction(say("party.bad.other_session"), parameter="session")
        run.stage("waiting for the holders")
        until = time.monotonic() + patience
        path, since = f"/v1/sessions/{session}?wait=1&since=", "NEGOTIATED"
        while (told := line.ask("GET", path + since)).get("status") not in ("RELEASED", "ABORTED"):
            since = "RUNNING" if told.get("status") == "RUNNING" else "NEGOTIATED"
            run.checkpoint()
            if time.monotonic() > until:
                line.say(f"/v1/sessions/{session}/abort", {})
                approved = told.get("approved")
                late = [name for name in contract.holders if not isinstance(approved, list) or name not in approved]
                raise Aborted(say("party.ended.waiting", holders=late) if late else say("party.ended.patience"))
            time.sleep(BREATH)
    finally:
        line.close()
    if told["status"] == "ABORTED":
        raise Aborted(say("party.ended.without", why=str(told.get("reason"))))
    end, signatures = told.get("end"), told.get("signatures")
    _refuse_unsigned(contract, session, end, signatures)
    assert isinstance(end, dict)
    assert isinstance(signatures, dict)
    found = SessionEnd.of(end)
    if contract.third:
        found = opened_rows(found, identity)
    run.stage("certifying")
    release = joint_table_release(contract, found, run)
    if contract.third:
        return Granted(session, release, found, {name: str(one) for name, one in signatures.items()}, {})
    certificates = _certificates(contract, written_certificate(release, contract), told.get("certificates"))
    return Granted(session, release, found, {name: str(one) for name, one in signatures.items()}, certificates)


def refuse_unsigned_release(folder: Path, contract: Contract) -> None:
    """Refuse a release folder whose holders have not all signed what was found and the certificate that is published.

    The signatures stand in ``FOLDER.holders.json``. Rows for a third party are certified by their recipient alone.
    """
    beside = folder.with_name(folder.name + ".holders.json")
    try:
        document = json.loads(beside.read_text(encoding="utf-8"))
        certificate = (folder / "public" / FILE).read_bytes()
    except OSError as error:
        raise BadRequest(
            say("party.bad.unread_why", why=str(error.strerror)), parameter="folder", value=folder.name
        ) from None
    except (ValueError, RecursionError):
        raise BadRequest(say("party.bad.json"), parameter="folder", value=beside.name) from None
    held = document if isinstance(document, dict) else {}
    end, certificates = held.get("end"), held.get("certificate")
    if contract.third and isinstance(end, dict):
        end = {**end, "rows": []}  # the recipient opened them after all had signed
    _refuse_unsigned(contract, str(held.get("session")), end, held.get("signatures"))
    if not contract.third:
        texts: Json = (
            {name: json.dumps(one) for name, one in certificates.items()} if isinstance(certificates, dict) else {}
        )
        _certificates(contract, certificate, texts)


def _certificates(contract: Contract, certificate: bytes, given: Json) -> dict[str, str]:
    """Return every holder's signature of the certificate; refuse one that is not of these bytes, or of another key."""
    out = {}
    for name, entry in contract.holders.items():
        text = str(given.get(name)) if isinstance(given, Mapping) else ""
        try:
            by = checked(certificate, text.encode()).fingerprint
        except BadRequest:  # no signature at all, or one of other bytes
            by = ""
        if by != fingerprint(Pinned(name, str(entry.certificate)).key):
            raise Contradiction(say("party.bad.unsigned_certificate"), parameter="holder", value=name)
        out[name] = text
    return out


def _refuse_unsigned(contract: Contract, session: str, end: Json, signatures: Json) -> None:
    text = release_text(session, contract.hash(), end)
    for name, entry in contract.holders.items():
        value = signatures.get(name) if isinstance(signatures, Mapping) else None
        try:
            held = b64decode(str(value), validate=True)
        except ValueError:
            held = b""
        if not isinstance(end, dict) or not Pinned(name, str(entry.certificate)).signed(text, held):
            raise Contradiction(say("party.bad.unsigned"), parameter="holder", value=name)
