"""Communication cost: how many messages, and about how many bytes, a joint top-down search takes."""

from __future__ import annotations

from typing import ClassVar

from sfumato.errors import BadRequest
from sfumato.parties.conversation.protocol import Joint

__all__ = ["CommunicationCost"]


class CommunicationCost(Joint):
    """How many messages, and about how many bytes, a joint top-down search takes.

    With n holders and s steps each round has ``n(n - 1)`` bids, and each step ``n - 1`` instructions: ``s(n^2 - 1)`` in all,
    and ``n(n - 1)`` more for the last round, in which nobody bids. Acknowledgements, which tell nothing, are not counted. An
    instruction has ``ceil(log2 children)`` bits for each record that carries the value.

    Examples
    --------
    >>> CommunicationCost().messages(5, 2), CommunicationCost().messages(5, 2, last_round=False)
    (17, 15)
    >>> CommunicationCost().instruction_bytes(1_000_000, 2)
    125000

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.4.5.
    """

    id: ClassVar[str] = "communication-cost"

    def messages(self, steps: int, holders: int, *, last_round: bool = True) -> int:
        """Return the number of messages that say something new."""
        if steps < 0 or holders < 2:
            raise BadRequest("must be at least 0 steps of 2 holders", parameter=self.id, value=[steps, holders])
        return steps * (holders**2 - 1) + (holders * (holders - 1) if last_round else 0)

    def instruction_bytes(self, records: int, children: int) -> int:
        """Return the bytes of one instruction for so many records, before they are packed."""
        if records < 0 or children < 1:
            raise BadRequest("must be at least 0 records and 1 child", parameter=self.id, value=[records, children])
        return -(-records * (children - 1).bit_length() // 8)
