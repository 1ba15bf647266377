"""Several holders, one release: protocols in which each keeps its rows, and nobody learns more than what is published."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.parties.collaboration import Collaboration, Proposal, Round
    from sfumato.parties.contract import Contract
    from sfumato.parties.conversation.leakage import Leak, Ledger
    from sfumato.parties.conversation.local import Conversation, Traffic
    from sfumato.parties.conversation.message import Body, Message, OutOfProtocol
    from sfumato.parties.conversation.party import Party, Seat
    from sfumato.parties.simulation import collaborate, simulate

__all__ = [
    "Body",
    "Collaboration",
    "Contract",
    "Conversation",
    "Leak",
    "Ledger",
    "Message",
    "OutOfProtocol",
    "Party",
    "Proposal",
    "Round",
    "Seat",
    "Traffic",
    "collaborate",
    "simulate",
]

_HOMES = {
    **dict.fromkeys(("Collaboration", "Proposal", "Round"), "collaboration"),
    "Contract": "contract",
    **dict.fromkeys(("Leak", "Ledger"), "conversation.leakage"),
    **dict.fromkeys(("Conversation", "Traffic"), "conversation.local"),
    **dict.fromkeys(("Body", "Message", "OutOfProtocol"), "conversation.message"),
    **dict.fromkeys(("Party", "Seat"), "conversation.party"),
    **dict.fromkeys(("collaborate", "simulate"), "simulation"),
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
