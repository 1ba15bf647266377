"""Offers over a network: holders who were invited put down what they offer and demand, and each makes the contract of it.

Every offer is signed by its holder for this one invitation, and everybody makes the contract from all of them by the same rule:
nobody has to believe a contract that somebody else made.
"""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence

from sfumato.contracts.run import Run
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Contradiction
from sfumato.parties.contract import Contract, without_fractions
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.conversation.message import canonical
from sfumato.parties.negotiation import Offer, negotiated
from sfumato.service.holder import Aborted, Line

__all__ = ["invited", "offered"]

_PAUSE = 0.3


def invited(line: Line, holders: Sequence[str], *, run: Run, patience: float) -> Contract:
    """Invite holders, wait for what all offer, and return the contract that follows."""
    found = str(line.say("/v1/invitations", {"holders": list(holders)}).get("invitation"))
    return _agreed(line, found, run, patience)


def offered(line: Line, offer: Offer, *, run: Run, patience: float, listens: str | None = None) -> tuple[str, Contract]:
    """Answer the next invitation with an offer; return who invited, and the contract that follows from all offers."""
    identity, until = line.identity, time.monotonic() + patience
    if offer.holder != identity.name:
        raise BadRequest(say("party.bad.offer"), parameter="policy", value=offer.holder)
    while True:
        listed = line.ask("GET", "/v1/invitations").get("listed", [])
        waiting = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        if waiting:
            break
        _wait(run, until)
    found, requester = str(waiting[0].get("invitation")), str(waiting[0].get("requester"))
    document = dict(offer.document())
    document["certificate"] = identity.pinned.certificate
    if listens is not None:
        document["address"] = f"https://{listens}"
    signature = b64encode(identity.sign(_text(found, document))).decode()
    line.say(f"/v1/invitations/{found}", {"offer": document, "sig": signature})
    return requester, _agreed(line, found, run, max(until - time.monotonic(), 1.0))


def _agreed(line: Line, invitation: str, run: Run, patience: float) -> Contract:
    """Wait until all offers are there, and make the contract of them; one that its holder did not sign ends it."""
    until = time.monotonic() + patience
    while (told := line.ask("GET", f"/v1/invitations/{invitation}")).get("waiting"):
        _wait(run, until)
    holders, given = told.get("holders"), told.get("offers")
    if not isinstance(holders, list) or not isinstance(given, Mapping):
        raise Contradiction(say("party.bad.no_offers"), parameter="invitation")
    return negotiated([_signed(str(name), given.get(str(name)), invitation, line.identity) for name in holders])


def _signed(name: str, given: Json, invitation: str, own: Identity) -> Offer:
    document = given.get("offer") if isinstance(given, Mapping) else None
    signature = str(given.get("sig")) if isinstance(given, Mapping) else ""
    offer = Offer.of(document) if isinstance(document, dict) else None
    try:
        held = b64decode(signature, validate=True)
    except ValueError:
        held = b""
    certificate = None if offer is None else offer.certificate
    pinned = None if certificate is None else own.pinned if name == own.name else Pinned(name, certificate)
    if offer is None or pinned is None or offer.holder != name or not pinned.signed(_text(invitation, document), held):
        raise Contradiction(say("party.bad.unsigned_offer"), parameter="holder", value=name)
    return offer


def _text(invitation: str, offer: object) -> bytes:
    return canonical(["sfumato/offer/v1", invitation, without_fractions(offer)])


def _wait(run: Run, until: float) -> None:
    run.checkpoint()
    if time.monotonic() > until:
        raise Aborted(say("party.bad.offered_late"))
    time.sleep(_PAUSE)
