"""Mashup beyond group sizes: requirements that read a sensitive column, which is shared, judged by its holder, or by both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.message import Body
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.holding import Holding
from sfumato.parties.mashup.messages import Checked, Instruct
from sfumato.parties.mashup.refinery import HolderRefinery
from sfumato.parties.mashup.secure_check import CHECKING, answer_check, ask_check, refuse_uncheckable
from sfumato.parties.protocols.ppmashup import PPMashupSemiHonest, Turn

__all__ = ["PPMashupBeyondK"]


class PPMashupBeyondK(PPMashupSemiHonest):
    """The same for requirements that read a sensitive column: l-diversity, confidence bounding, (alpha, k)-anonymity.

    Any requirement that refinement can only break, never mend, may be asked for. ``shared_sensitive``: all holders agree that
    the column is shared like the class, and each judges its own steps. ``literal_reject``: its holder alone judges a step
    when the winner has told it, and may reject it; it then has seen parts that are finer than what is published, and each
    rejection tells the winner one bit about the column. Both stand in the leakage ledger. ``secure_check``: the winner and the
    holder of the column find out by oblivious transfer and comparisons of random halves whether the step passes; all learn that
    bit, the winner how many values the column has, its holder which value would part, and nobody the parts of a step that is
    rejected. It takes distinct l-diversity, confidence bounding and (alpha, k)-anonymity, and some hundredths of a second for
    each group, child and value: for small tables.

    Examples
    --------
    >>> PPMashupBeyondK(check="literal_reject").spec()
    {'id': 'ppmashup-beyond-k', 'check': 'literal_reject'}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.4.4.
    """

    id: ClassVar[str] = "ppmashup-beyond-k"
    aliases: ClassVar[tuple[str, ...]] = ()

    check: Literal["shared_sensitive", "literal_reject", "secure_check"] = param(
        default="shared_sensitive",
        choices=("shared_sensitive", "literal_reject", "secure_check"),
        doc="whether sensitive columns are shared, their holder judges steps that it was told, or both find out in secret",
    )

    def shares_sensitive(self) -> bool:
        """Tell whether all holders see the sensitive columns."""
        return self.check == "shared_sensitive"

    def refuse_requirements(self, contract: Contract) -> None:
        """Refuse what cannot be compared; requirements that a top-down search cannot keep are refused by the search."""
        if self.check == "secure_check":
            policy = contract.policy()
            for model in policy.models():
                if any(name not in policy.of_role(Role.TARGET) for name in model.needs()):
                    refuse_uncheckable(model)

    def spoken(self) -> Sequence[type[Body]]:
        """Return its messages, and those of the check where nobody shows anything."""
        checking: Sequence[type[Body]] = (Checked, *CHECKING) if self.check == "secure_check" else ()
        return (*super().spoken(), *checking)

    def judged_by(self) -> Mapping[str, str]:
        """Return what is learnt of sensitive columns that are not shared, by message."""
        if self.check != "secure_check":
            return super().judged_by()
        told = {"check.ask": say("party.leak.checked"), "ot.texts": say("party.leak.sizes")}
        return {Checked.type: say("party.leak.bit"), **told}

    def _lead(self, seat: Seat, own: Holding, state: HolderRefinery, chosen: tuple[int, int]) -> Talk[Turn]:
        if self.check != "secure_check":
            return (yield from super()._lead(seat, own, state, chosen))
        parting, worth = state.parting(chosen), state.proposal(chosen).score
        accepted = True
        for judge in own.plan.judges:
            if judge != seat.name:
                kept = yield from ask_check(seat, judge, own.plan.judged_by(judge), state, chosen[1], parting)
                accepted = accepted and kept
        seat.tell(Checked(accepted=accepted))
        if not accepted:
            state.drop(chosen)
            return Turn(None, seat.name, parting, rejected=True)
        seat.tell(Instruct.of(parting))
        return (yield from self._taken(seat, state, chosen, parting, worth))

    def _follow(self, seat: Seat, own: Holding, state: HolderRefinery, winner: str, key: int | None) -> Talk[Turn]:
        if self.check != "secure_check":
            return (yield from super()._follow(seat, own, state, winner, key))
        if seat.name in own.plan.judges:
            yield from answer_check(seat, winner, own.plan.judged_by(seat.name), state)
        if not (yield from seat.hear(winner, Checked)).accepted:
            return Turn(None, winner, rejected=True)
        parting = (yield from seat.hear(winner, Instruct)).parting()
        return self._followed(seat, state, winner, key, parting, state.told(parting))
