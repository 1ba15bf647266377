"""The leakage ledger: what each role learns in a protocol beyond its own input, from whom, by which messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Self

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.parties.conversation.message import Message

__all__ = ["Leak", "Ledger"]


@frozen
class Leak:
    """``role`` learns ``what`` from ``source`` by messages of a type, for the first time in a round; ``times`` counts them.

    ``message`` is empty where it follows from several messages, or from the release.
    """

    role: str
    source: str
    message: str
    round: int
    what: str
    times: int = 1

    @classmethod
    def of(cls, message: Message) -> Leak:
        """Return what a message tells its receiver."""
        return cls(message.receiver, message.sender, message.body.type, message.round, message.body.reveals())


@frozen
class Ledger:
    """Every leak of a run, by role; the same thing learnt again is counted, not repeated."""

    leaks: Sequence[Leak] = ()

    @classmethod
    def of(cls, leaks: Iterable[Leak]) -> Self:
        """Count leaks that say the same."""
        found: dict[tuple[str, str, str, str], Leak] = {}
        for leak in leaks:
            key = (leak.role, leak.source, leak.message, str(leak.what))
            before = found.get(key)
            found[key] = leak if before is None else replace(before, times=before.times + leak.times)
        return cls(sorted(found.values(), key=lambda one: (one.role, one.round)))

    def and_also(self, leaks: Iterable[Leak]) -> Ledger:
        """Return the ledger with more leaks."""
        return Ledger.of([*self.leaks, *leaks])

    def learnt_by(self, role: str) -> list[Leak]:
        """Return what one role learns."""
        return [leak for leak in self.leaks if leak.role == role]

    def document(self) -> list[Json]:
        """Return the ledger as plain data for a file."""
        return [
            {
                "role": leak.role,
                "from": leak.source,
                "message": leak.message,
                "first_round": leak.round,
                "times": leak.times,
                "learns": str(leak.what),
            }
            for leak in self.leaks
        ]
