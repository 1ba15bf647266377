"""Mashup session: how holders come from a contract to a release over a network, and what each role learns on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sfumato.parties.conversation.protocol import Joint

if TYPE_CHECKING:
    from sfumato.parties.contract import Contract

__all__ = ["MashupSession"]


class MashupSession(Joint):
    """Come from a contract to a release over a network: one process for each holder beside its data, and a coordinator.

    Somebody known to the coordinator asks for a session of a contract; every holder approves it by hand or by rule, after it
    was shown what every role would learn; then persons are brought together, the protocol of the contract runs, and all holders
    sign what they found. Connections are TLS 1.3 with pinned certificates; every message is signed (Ed25519), numbered, chained
    to the one before and bound to session and contract. Holders that open no port talk through the coordinator, which carries
    sealed envelopes and reads none. Whatever goes wrong, or takes too long, ends the session for all; nothing of it is
    published, and it is never resumed.

    Adversary: whoever listens or writes on the network, the coordinator, and holders that follow the protocol and try to learn
    from what they see. Not a holder that lies about its data. Run it by ``sfumato party serve``, ``coordinate`` and
    ``request``; ``sfumato party demo`` shows one.

    Examples
    --------
    >>> MashupSession().states
    ('NEGOTIATED', 'RUNNING', 'RELEASED', 'ABORTED')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 11.2.3 and 11.2.6.
    """

    id: ClassVar[str] = "mashup-session"
    states: ClassVar[tuple[str, ...]] = ("NEGOTIATED", "RUNNING", "RELEASED", "ABORTED")

    def told(self, contract: Contract) -> list[str]:
        """Return what is shown to whoever has to approve a session: what the contract asks, and what every role would learn."""
        from sfumato.parties.plan import sentences_before

        return sentences_before(contract)
