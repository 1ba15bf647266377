"""Joint table: a recoded table that several holders found together, each of whom kept its rows."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.releases.recoded_table import RecodedTable

__all__ = ["JointTable"]


class JointTable(RecodedTable):
    """A recoded table that several holders found together, each of whom kept its rows.

    What is masked is true of its record. Columns that are not masked are published by group: each holder shuffles its own
    inside the groups that are alike in all that is masked, so that no row ties them to columns of another holder. The
    certificate says by which protocol the table was found, and what each role learnt on the way.

    Examples
    --------
    >>> JointTable(protocol="ppmashup-semi-honest", holders=("bank", "shop")).operation("job")
    'none'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.
    """

    id: ClassVar[str] = "joint-table"
    stated: ClassVar[tuple[str, ...]] = ("protocol", "holders", "contract", "rounds", "messages", "bytes", "learnt")

    protocol: str = param(default="", doc="id of the protocol by which it was found")
    holders: tuple[str, ...] = param(default=(), doc="who took part, in the order of the contract")
    contract: str = param(default="", doc="SHA-256 of the contract that all agreed on")
    rounds: int = param(default=0, ge=0, doc="how many rounds it took")
    messages: int = param(default=0, ge=0, doc="how many messages were sent")
    bytes: int = param(default=0, ge=0, doc="how many bytes they had, without what transport adds")
    learnt: tuple[str, ...] = param(
        default=(), doc="the leakage ledger in words: what each role learnt beyond its own input"
    )

    def truth(self) -> str:
        return say("truth.joint")

    def statement(self) -> Statement:
        said = super().statement()
        return Statement(
            checked=said.checked,
            not_checkable=[*said.not_checkable, say("statement.joint_learnt"), say("statement.joint_malicious")],
        )
