"""How holders got to their joint table, for whoever publishes it: rounds, winners, messages, bytes, and who learnt what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.contracts.facts import StepFacts
from sfumato.contracts.picture import Bars, Picture
from sfumato.contracts.trace import RefinementStep
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.words import printable
from sfumato.parties.protocols.rational_participation import RationalParticipation

__all__ = ["JointFacts", "JointStep"]

_TOLD = 20


@frozen(eq=False, repr=False, kw_only=True)
class JointStep(RefinementStep):
    """A value that a ``holder`` refined in a ``round``; others know its score alone, so gain and loss are not told."""

    holder: str
    round: int


@frozen(eq=False, repr=False, kw_only=True)
class JointFacts(StepFacts):
    """A conversation: its winners in order, messages and bytes by type, what each holder gave and got, who learnt what."""

    protocol: str
    holders: Sequence[str]
    rounds: int
    winners: Sequence[tuple[str, str, str]]
    rejected: int
    messages: Mapping[str, int]
    bytes: Mapping[str, int]
    shares: Mapping[str, tuple[float, float]]
    ledger: Sequence[Json]

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how many rounds and bytes it took, and who refined what."""
        out: list[str] = [
            say(
                "party.talked",
                protocol=self.protocol,
                holders=len(self.holders),
                rounds=self.rounds,
                messages=sum(self.messages.values()),
                bytes=sum(self.bytes.values()),
            )
        ]
        if self.rejected:
            out.append(say("party.rejected", count=self.rejected))
        if any(given for given, _ in self.shares.values()):
            for name, one in RationalParticipation().of(self.shares).items():
                out.append(
                    say(
                        "party.participation",
                        holder=name,
                        given=one.given,
                        got=one.received,
                        share=one.share,
                        gap=one.gap,
                    )
                )
        for at, (holder, attribute, value) in enumerate(self.winners[:_TOLD], start=1):
            out.append(say("party.refined", step=at, holder=holder, attribute=attribute, value=printable(value)))
        if len(self.winners) > _TOLD:
            out.append(say("party.more", count=len(self.winners) - _TOLD))
        return out

    def pictures(self) -> list[Picture]:
        """Return what travelled, and what each holder gave and got."""
        out: list[Picture] = []
        if self.bytes:
            labels = list(self.bytes)
            out.append(
                Bars(
                    title=say("party.picture.bytes"), labels=labels, after=[float(self.bytes[name]) for name in labels]
                )
            )
        if any(given for given, _ in self.shares.values()):
            out.append(
                Bars(
                    title=say("party.picture.shares"),
                    caption=say("party.picture.shares_told"),
                    labels=list(self.shares),
                    after=[given for given, _ in self.shares.values()],
                )
            )
        return out
