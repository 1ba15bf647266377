"""Envelopes that wait for whoever fetches them: at a holder for itself, at a relay for holders that open no port."""

from __future__ import annotations

import threading
import time

from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["Mailboxes"]


class Mailboxes:
    """Envelopes by receiver, in the order in which they came; a relay neither opens nor keeps them longer than the session."""

    def __init__(self, most: int = 256 * 2**20) -> None:
        self._most, self._held = most, 0
        self._boxes: dict[tuple[str, str], list[bytes]] = {}
        self._came = threading.Condition()

    def post(self, session: str, receiver: str, *envelopes: bytes) -> None:
        """Put envelopes into a box; refuse those for which there is no room."""
        size = sum(map(len, envelopes))
        with self._came:
            if self._held + size > self._most:
                raise BadRequest(say("party.bad.mail_full"), parameter="mailbox")
            self._held += size
            self._boxes.setdefault((session, receiver), []).extend(envelopes)
            self._came.notify_all()

    def fetch(self, session: str, receiver: str, after: int, wait: float) -> list[bytes]:
        """Return the envelopes of a box after some number of them; wait a while if there is none."""
        until = time.monotonic() + wait
        with self._came:
            while len(found := self._boxes.get((session, receiver), [])) <= after:
                left = until - time.monotonic()
                if left <= 0:
                    return []
                self._came.wait(left)
            return found[after:]

    def forget(self, session: str) -> None:
        """Throw the boxes of a session away."""
        with self._came:
            for key in [key for key in self._boxes if key[0] == session]:
                self._held -= sum(map(len, self._boxes.pop(key)))
