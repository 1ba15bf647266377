"""Invitations to offer something: the coordinator keeps what holders put down until all have, and decides nothing."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, field

from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["Invitations"]

_MOST = 100


@dataclass
class _Invitation:
    requester: str
    holders: tuple[str, ...]
    begun: float
    offers: dict[str, Json] = field(default_factory=dict)


class Invitations:
    """What the coordinator keeps: who invited whom, and what was put down."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._held: dict[str, _Invitation] = {}
        self._lock = threading.Lock()

    def open(self, caller: str, holders: Json, known: Collection[str]) -> Json:
        """Invite holders, in the order in which they will sit at the table."""
        names = [str(one) for one in holders] if isinstance(holders, list) else []
        strangers = [name for name in names if name not in known]
        if len(names) < 2 or len(set(names)) != len(names) or strangers:
            raise BadRequest(say("party.bad.invited"), parameter="holders", value=strangers or names)
        with self._lock:
            now = time.monotonic()
            self._held = {key: one for key, one in self._held.items() if now - one.begun <= self.deadline}
            if len(self._held) >= _MOST:
                raise BadRequest(say("party.bad.invitations_full"), parameter="invitation")
            key = secrets.token_hex(16)
            self._held[key] = _Invitation(caller, tuple(names), now)
        return {"invitation": key}

    def listed(self, caller: str) -> Json:
        """Return the invitations that a holder has not answered."""
        return [
            {"invitation": key, "requester": one.requester, "holders": list(one.holders)}
            for key, one in list(self._held.items())
            if caller in one.holders and caller not in one.offers
        ]

    def put(self, caller: str, invitation: str, offer: Json) -> Json:
        """Take what a holder offers; what was put down stays."""
        held = self._invitation(caller, invitation)
        with self._lock:
            if caller not in held.holders or caller in held.offers:
                raise BadRequest(say("party.bad.not_invited"), parameter="holder", value=caller)
            held.offers[caller] = offer
        return {}

    def told(self, caller: str, invitation: str) -> Json:
        """Return all offers, once they are there: nobody sees those of others before it has put down its own."""
        held = self._invitation(caller, invitation)
        waiting: list[Json] = [name for name in held.holders if name not in held.offers]
        offers: Json = {} if waiting else dict(held.offers)
        return {"holders": list(held.holders), "waiting": waiting, "offers": offers}

    def _invitation(self, caller: str, invitation: str) -> _Invitation:
        held = self._held.get(invitation)
        late = held is not None and time.monotonic() - held.begun > self.deadline
        if held is None or late or caller not in (held.requester, *held.holders):
            raise BadRequest(say("party.bad.invitation"), parameter="invitation")
        return held
