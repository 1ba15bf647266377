"""What the three questions share: guesses about persons in a release and about a control group, drawn with a seed."""

from __future__ import annotations

from abc import abstractmethod

from sfumato.contracts.attack import TableAttack
from sfumato.contracts.knowledge import Names, Seen, TableKnowledge
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.estimates.excess import Excess, Rate
from sfumato.kernels.arrays import Bools

__all__ = ["Question"]


class Question(TableAttack):
    """An attack whose success is compared with that on persons who are not in the release."""

    attempts: int = param(default=2000, ge=1, doc="how many guesses are made about each group, fewer if it is smaller")
    confidence: float = param(default=0.95, gt=0, lt=1, doc="of the intervals")
    negligible: float = param(default=0.1, ge=0, lt=1, doc="a risk up to this counts as none")
    seed: int = param(default=0, ge=0, doc="seed of everything that is drawn")

    @abstractmethod
    def columns(self, seen: Seen, knowledge: TableKnowledge) -> Names | tuple[Names, Names]:
        """Return the columns that the question is about; refuse those that cannot be asked about."""

    def unfit(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say why the question cannot be asked, or nothing."""
        lacking = super().unfit(seen, knowledge)
        if lacking is not None:
            return lacking
        try:
            self.columns(seen, knowledge)
        except BadRequest as error:
            return error.message
        return None

    def compared(self, right: Bools, inside: int) -> Excess:
        """Return the success of guesses, those about the ``inside`` persons of the release first, then the control group."""
        release, control = (Rate(int(part.sum()), len(part)) for part in (right[:inside], right[inside:]))
        return Excess(release, control, self.confidence, self.negligible)
