"""Who may ask a holder for what: rules by person, organisation and function, and requests that their sender has signed."""

from __future__ import annotations

import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import field

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.conversation.message import canonical
from sfumato.service.heard import Heard

__all__ = ["Admission", "Known", "Rule", "signed_request"]


@frozen
class Rule:
    """Who is allowed: what is named must fit, what is not named may be anything. ``functions`` are ids of protocols."""

    person: str | None = None
    organisation: str | None = None
    functions: tuple[str, ...] = ()


@frozen
class Known:
    """A person that a holder knows: by which certificate, and of which organisation."""

    pinned: Pinned
    organisation: str | None = None


@frozen
class Admission:
    """The rules of one holder, and whom it knows: these are believed by their signature alone.

    A holder that knows nobody takes the coordinator's word for who asks.
    """

    rules: Sequence[Rule] = ()
    people: Mapping[str, Known] = field(default_factory=dict)
    heard: Heard = field(default_factory=Heard)

    def admits(self, requester: str, contract: Contract) -> bool:
        """Tell whether a rule allows somebody what a contract asks for."""
        known = self.people.get(requester)
        organisation = None if known is None else known.organisation
        function = contract.releasing().id
        return any(
            rule.person in (None, requester)
            and (rule.organisation is None or rule.organisation == organisation)
            and (not rule.functions or function in rule.functions)
            for rule in self.rules
        )

    def refuse_unsigned(self, requester: str, contract: Contract, request: Json) -> None:
        """Refuse a request of somebody known that this person has not signed, or that has started a session before."""
        known = self.people.get(requester)
        if known is None:
            if self.people:
                raise BadRequest(say("party.bad.stranger"), parameter="requester", value=requester)
            return
        at, nonce, signature = (request.get(key) if isinstance(request, Mapping) else None for key in _KEYS)
        try:
            held = b64decode(str(signature), validate=True)
        except ValueError:
            held = b""
        if not isinstance(at, int) or not known.pinned.signed(_text(contract, at, str(nonce)), held):
            raise BadRequest(say("party.bad.unsigned_request"), parameter="requester", value=requester)
        self.heard.refuse_again(requester, str(nonce), at)


_KEYS = ("at", "nonce", "sig")


def signed_request(identity: Identity, contract: Contract) -> dict[str, Json]:
    """Return what shows every holder who asks for a session of a contract, whatever the coordinator says."""
    at, nonce = int(time.time()), secrets.token_hex(16)
    return {"at": at, "nonce": nonce, "sig": b64encode(identity.sign(_text(contract, at, nonce))).decode()}


def _text(contract: Contract, at: int, nonce: str) -> bytes:
    return canonical(["sfumato/request/v1", contract.hash(), at, nonce])
