"""Privacy-preserving mashup: holders of different columns refine one joint table, each its own columns, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.algorithms.stepwise.tdr import TDR
from sfumato.contracts.metric import SearchMetric
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Codes, Ints
from sfumato.parties.collaboration import Collaboration, Proposal
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.conversation.protocol import ReleasingProtocol
from sfumato.parties.holding import Holding
from sfumato.parties.mashup.messages import Ack, Bid, Done, Instruct, Judged
from sfumato.parties.mashup.refinery import HolderRefinery, Parting
from sfumato.parties.mashup.score_audit import Taken, Underbid, underbids
from sfumato.parties.protocols.secure_max import SecureMax
from sfumato.searches.refinement import Refinery, quantized

__all__ = ["PPMashupRational", "PPMashupSemiHonest", "Share", "Turn"]

# How holders find out whose number is the largest without showing it.
_COMPARISON = SecureMax(mode="pairwise")


@frozen(eq=False)
class Turn:
    """One round as one holder knows it: its own best step, who won, how the winner's value parts, what it is worth."""

    own: Proposal | None
    winner: str | None = None
    parting: Parting | None = None
    rejected: bool = False
    score: float | None = None


@frozen(eq=False)
class Share:
    """What one holder has in the end: its own recodings, and what every record shows in every joint column.

    ``labels`` are numbers by record with what they are called. ``alone`` are the steps that it took without a message, in
    columns that concern nobody else. ``contributed`` and ``received`` are the sums of scores of its own steps and of those of
    others; ``underbids`` are steps that came later than they were worth bidding, where that is audited.
    """

    turns: Sequence[Turn]
    recodings: Mapping[str, ColumnRecoding]
    labels: Mapping[str, tuple[Codes, Sequence[str]]]
    alone: Sequence[Proposal] = ()
    contributed: float = 0.0
    received: float = 0.0
    smallest: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    underbids: Sequence[Underbid] = ()


class PPMashupSemiHonest(ReleasingProtocol[Holding, Share]):
    """Refine one joint table from its most masked state; each step is taken by the holder whose best step is worth most.

    Every holder keeps its own columns, and the same groups of record numbers. In a round each bids the score of its best step
    that is valid and beneficial: ``Score(v) = InfoGain(v) / (AnonyLoss(v) + 1)``. The winner tells the others which of the
    records that carry the value go to which child; when nobody has a step left, all have the same joint table. It is the
    table that ``top-down-specialization`` finds for one holder of everything, step by step. Every state on the way is more
    general than the result, so what is said on the way tells nothing beyond it; with plain bids scores are told too, with
    pairwise ones they are not. Bids are checked afterwards: everybody can count what a step was worth. With ``audit`` all look
    back in the end: a step that comes late and was worth more than what won an earlier round was held back there.

    The naive ways are not offered. Joining raw tables first shows every holder, or a third party, what it must not see.
    Masking at each holder and joining then fails wherever a quasi-identifier spans holders: groups of k at each may meet in
    fewer records.

    Adversary: the other holders, who follow the protocol and try to learn from it, and whoever gets the table. The order of
    steps and who took them becomes known. A holder knows which person a record is, and so learns the published values of
    others for her. Nothing here protects from a holder that lies about its data. Cost: ``s(n^2 - 1) + n(n - 1)`` messages for
    s steps of n holders.

    Examples
    --------
    >>> PPMashupSemiHonest(winner="pairwise").spec()
    {'id': 'ppmashup-semi-honest', 'winner': 'pairwise'}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.4, algorithm 11.2.7.
    Mohammed, Fung, Wang, Hung, "Privacy-preserving data mashup", 2009, doi:10.1145/1516360.1516388.
    """

    id: ClassVar[str] = "ppmashup-semi-honest"
    aliases: ClassVar[tuple[str, ...]] = ("vertical-collaborative-anonymization", "mashup-naive-baselines")
    partition: ClassVar[Literal["vertical", "horizontal"]] = "vertical"
    bodies: ClassVar[Sequence[type[Body]]] = (Bid, Instruct, Judged, Ack, Done)

    score: str = param(
        default="auto",
        doc="how a step is valued: a search metric, or auto for igpl with a target column and loss-decrease without",
    )
    winner: Literal["plain", "pairwise"] = param(
        default="plain",
        choices=("plain", "pairwise"),
        doc="whether holders show their scores, or compare them two by two without showing them",
    )

    max_refinements: int | None = param(default=None, ge=0, doc="stop after this many steps of all holders together")
    audit: bool = param(default=False, doc="whether all look back in the end for steps that were bid too late")

    def spoken(self) -> Sequence[type[Body]]:
        """Return its own messages, and those of the comparison where scores are not shown."""
        return self.bodies if self.winner == "plain" else (*self.bodies, *_COMPARISON.spoken())

    def metric(self, target: str | None) -> SearchMetric:
        """Return the score to use."""
        return TDR(score=self.score).metric(target)

    def central(self) -> Mapping[str, Json]:
        """Return the same search for one holder of everything."""
        limit = {} if self.max_refinements is None else {"max_refinements": self.max_refinements}
        return {"id": "top-down-specialization", "score": self.score, **limit}

    def shares_sensitive(self) -> bool:
        """Tell whether sensitive columns that requirements read are shared like the target."""
        return True

    def refuse_requirements(self, contract: Contract) -> None:
        """Refuse requirements that this protocol does not look at."""
        policy = contract.policy()
        for model in policy.models():
            private = [name for name in model.needs() if name not in policy.of_role(Role.TARGET)]
            if private:
                raise Unsupported(
                    f"{self.id} knows group sizes and the class; {model.id} reads {private[0]}",
                    thing=model.id,
                    alternatives=["ppmashup-beyond-k"],
                )

    def judged_by(self) -> Mapping[str, str]:
        """Return what is learnt of sensitive columns that are not shared, by message."""
        return {Judged.type: say("party.leak.verdict")}

    def collaborate(
        self, contract: Contract, sources: Mapping[str, object], *, run: Run, order: np.random.Generator | None = None
    ) -> Collaboration:
        """Bring the holders' records together, and run all of them in this process."""
        from sfumato.parties.vertical import collaborated

        self.refuse_requirements(contract)
        return collaborated(self, contract, sources, run, order)

    # ---- one holder's side -------------------------------------------------------------------------------------------

    def talk(self, seat: Seat, own: Holding) -> Talk[Share]:
        """Bid, refine or follow, until nobody has a step left."""
        metric = self.metric(own.together.target)
        alone, steps = _refined_alone(own, metric)
        if not own.plan.joint:
            return _share(own, None, alone, steps, [], (0.0, 0.0))
        state = HolderRefinery(own, metric)
        turns: list[Turn] = []
        contributed = received = 0.0
        while self.max_refinements is None or state.steps < self.max_refinements:
            seat.round += 1
            willing = self.contributes(contributed, received, len(seat.names))
            chosen = state.best() if willing else None
            proposal = None if chosen is None else state.proposal(chosen)
            winner, key = yield from self._winner(seat, state.key(proposal))
            if winner is None:
                turns.append(Turn(proposal))
                break
            if winner == seat.name:
                if chosen is None:
                    raise OutOfProtocol("names a winner that has no step", parameter="bid")
                turn = yield from self._lead(seat, own, state, chosen)
            else:
                turn = yield from self._follow(seat, own, state, winner, key)
            turns.append(Turn(proposal, winner, turn.parting, turn.rejected, turn.score))
            if not turn.rejected:
                contributed += (turn.score or 0.0) if winner == seat.name else 0.0
                received += (turn.score or 0.0) if winner != seat.name else 0.0
        ends = yield from seat.exchange(Done(groups=state.digest()))
        _refuse_other_groups(state, [end.groups for end in ends.values()])
        found = _share(own, state, alone, steps, turns, (contributed, received))
        return replace(found, underbids=self._audited(seat, state, turns)) if self.audit else found

    def _audited(self, seat: Seat, state: HolderRefinery, turns: Sequence[Turn]) -> list[Underbid]:
        """Return the steps that their holders held back; whoever may wait is free to."""
        taken = [
            Taken(at, turn.winner, turn.parting)
            for at, turn in enumerate(turns, start=1)
            if turn.winner is not None and turn.parting is not None and not turn.rejected
        ]
        return underbids(state, taken, seat.names, lambda gave, got: self.contributes(gave, got, len(seat.names)))

    def contributes(self, contributed: float, received: float, holders: int) -> bool:
        """Tell whether a holder takes part in a round; whoever is honest always does."""
        return True

    def _winner(self, seat: Seat, key: int) -> Talk[tuple[str | None, int | None]]:
        """Find out whose step is worth most, and, where bids are shown, what it was said to be worth."""
        if self.winner == "plain":
            bids = yield from seat.exchange(Bid(key=str(key)))
            keys = {name: bid.number() for name, bid in bids.items()}
            best = max(seat.names, key=lambda name: keys[name])
            return (best, keys[best]) if keys[best] else (None, None)
        place = yield from _COMPARISON.talk(seat, key)
        return (None if place is None else seat.names[place]), None

    def _lead(self, seat: Seat, own: Holding, state: HolderRefinery, chosen: tuple[int, int]) -> Talk[Turn]:
        """Tell the others how the own value parts, and take the step unless somebody rejects it."""
        parting, worth = state.parting(chosen), state.proposal(chosen).score
        seat.tell(Instruct.of(parting))
        judges = [name for name in own.plan.judges if name != seat.name]
        verdicts = yield from seat.gather(Judged, judges)
        if not all(verdict.accepted for verdict in verdicts.values()):
            state.drop(chosen)
            return Turn(None, seat.name, parting, rejected=True)
        return (yield from self._taken(seat, state, chosen, parting, worth))

    def _taken(
        self, seat: Seat, state: HolderRefinery, chosen: tuple[int, int], parting: Parting, worth: float
    ) -> Talk[Turn]:
        """Take an own step that was told, while the others follow; all must have the same groups then."""
        yield from seat.let_out()
        state.take(chosen)
        acks = yield from seat.gather(Ack)
        _refuse_other_groups(state, [ack.groups for ack in acks.values()])
        return Turn(None, seat.name, parting, score=worth)

    def _follow(self, seat: Seat, own: Holding, state: HolderRefinery, winner: str, key: int | None) -> Talk[Turn]:
        """Hear how another's value parts, judge it if that is one's part, and follow."""
        parting = (yield from seat.hear(winner, Instruct)).parting()
        rows = state.told(parting)
        accepted = True
        if seat.name in own.plan.judges:
            accepted = state.accepts(parting)
            seat.tell(Judged(accepted=accepted))
        judges = [name for name in own.plan.judges if name not in (seat.name, winner)]
        verdicts = yield from seat.gather(Judged, judges)
        if not (accepted and all(verdict.accepted for verdict in verdicts.values())):
            return Turn(None, winner, parting, rejected=True)
        return self._followed(seat, state, winner, key, parting, rows)

    def _followed(
        self, seat: Seat, state: HolderRefinery, winner: str, key: int | None, parting: Parting, rows: Ints
    ) -> Turn:
        """Take a step of another that was told, unless it is not what was bid."""
        worth = state.follow(parting, rows)
        _refuse_wrong_bid(worth, key, state, parting)
        seat.send(winner, Ack(groups=state.digest()))
        return Turn(None, winner, parting, score=worth)


class PPMashupRational(PPMashupSemiHonest):
    """The same for holders that want to get as much as they give: generous tit for tat.

    A holder that has given more than the others gave on average does not contribute: ``mu > phi / (n - 1) + epsilon``, where
    ``mu`` is the sum of scores of its own steps and ``phi`` that of all others. The best step of those who contribute is
    taken; when nobody does, all stop. Scores are gain ratios, which can be compared between columns. At any time
    ``mu <= phi / (n - 1) + epsilon + (the largest score)``: the last step may overshoot by one score, so the difference is not
    bound by epsilon alone. With a very large epsilon it is ``ppmashup-semi-honest``.

    A holder may bid less than its best step is worth; that it bids more is seen at once. That it bid less is seen when it
    takes the step later: everybody counts what the step was worth in earlier rounds, and finds one that it would have won
    while the rule let it bid. Steps that are never taken escape.

    Examples
    --------
    >>> PPMashupRational(epsilon=0.1).contributes(0.5, 0.3, 2)
    False

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.5, algorithm 11.2.8.
    """

    id: ClassVar[str] = "ppmashup-rational"
    aliases: ClassVar[tuple[str, ...]] = ()

    score: str = param(default="gain-ratio-score", doc="how a step is valued: a search metric that reads the target")
    epsilon: float = param(default=0.01, ge=0, doc="how much more than the others a holder gives before it waits")
    audit: bool = param(default=True, doc="whether all look back in the end for steps that were bid too late")

    def contributes(self, contributed: float, received: float, holders: int) -> bool:
        """Tell whether a holder has not given more than it got."""
        return not contributed > received / (holders - 1) + self.epsilon

    def metric(self, target: str | None) -> SearchMetric:
        """Return the score to use; everybody must be able to count what a step was worth."""
        found = super().metric(target)
        if not found.traits.needs_target:
            raise BadRequest(
                "does not read the target, so that others cannot count what a step was worth",
                parameter=f"{self.id}.score",
                value=self.score,
                available=["gain-ratio-score", "igpl", "infogain"],
            )
        return found


def _refined_alone(own: Holding, metric: SearchMetric) -> tuple[Refinery | None, list[Proposal]]:
    """Refine the columns that concern nobody else."""
    if own.alone is None:
        return None, []
    search, steps = Refinery(own.alone, metric), []
    while (chosen := search.best()) is not None:
        found = search.candidate(*chosen)
        steps.append(Proposal(found.attribute, found.value, found.score))
        search.apply(*chosen)
    return search, steps


def _share(
    own: Holding,
    state: HolderRefinery | None,
    alone: Refinery | None,
    steps: Sequence[Proposal],
    turns: Sequence[Turn],
    given: tuple[float, float],
) -> Share:
    """Return what a holder has in the end."""
    labels: dict[str, tuple[Codes, Sequence[str]]] = {}
    recodings: dict[str, ColumnRecoding] = {}
    if alone is not None:
        recodings |= alone.recodings()
        for at, column in enumerate(alone.columns):
            called = [column.label_of_code(code) for code in range(len(column.values))]
            labels[column.name] = (alone.task.table.codes[:, at], called)
    if state is not None:
        recodings |= {state.columns[at].name: state.columns[at].recoding() for at in own.own}
        labels |= {column.name: state.labels(at) for at, column in enumerate(state.columns)}
    smallest = {} if state is None else state.smallest()
    return Share(turns, recodings, labels, steps, *given, smallest=smallest)


def _refuse_other_groups(state: HolderRefinery, told: Sequence[str]) -> None:
    if any(one != state.digest() for one in told):
        raise OutOfProtocol("tells of other groups than those here: somebody did not follow", parameter="ack")


def _refuse_wrong_bid(worth: float | None, key: int | None, state: HolderRefinery, parting: Parting) -> None:
    """Refuse a step that is not worth what was bid for it, or of another column; the last binary digits are forgiven."""
    if key is None:
        return
    counted = None if worth is None else int(quantized(np.array([worth * state.unit]))[0])
    if (counted is not None and abs(counted - (key >> 16)) > 1) or 65535 - (key & 65535) != parting.index:
        raise OutOfProtocol("is not worth what was bid for it", parameter="instruct")
