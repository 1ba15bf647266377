"""Searches that publish the output of a procedure with noise: what protects is how it was drawn, not what came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from sfumato.contracts.algorithm import Outcome, Search
from sfumato.contracts.built import Built
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.model import MechanismModel, Requirement
from sfumato.contracts.release import ReleaseTraits
from sfumato.data.messages import say
from sfumato.errors import Infeasible, Unsupported

__all__ = ["NOISY_STATISTICS", "Mechanism"]

T = TypeVar("T")

NOISY_STATISTICS = ReleaseTraits(
    truthful=False,
    mixed_granularity=False,
    verifiable=say("verifiable.budget"),
    published="statistics",
    searched=True,
)
"""What is said of every kind of release that such a search gives."""


class Mechanism(Search[T]):
    """A search with parameters ``epsilon``, maybe ``delta``, that draws noise which no seed repeats and a budget pays for."""

    seedable: ClassVar[bool] = False
    spends: ClassVar[bool] = True

    def refuse_counted(self, models: Sequence[Requirement]) -> None:
        """Refuse requirements that would have to be counted in the output."""
        for model in models:
            raise Unsupported(
                f"{self.id} publishes the output of a procedure, in which {model.id} cannot be counted; what it can promise "
                f"is {', '.join(self.procedures)}",
                thing=model.id,
            )

    def refuse_unpromised(self, models: Sequence[MechanismModel]) -> None:
        """Refuse to spend more than a requirement allows."""
        spent = [f"{name} {getattr(self, name):g}" for name in ("epsilon", "delta") if hasattr(self, name)]
        for model in models:
            audit = self.promised(model)
            if audit is None or not audit.satisfied:
                raise Infeasible(
                    f"{self.id} with {' and '.join(spent)} spends more than {model.id} allows",
                    measured=None if audit is None else audit.measured,
                    bound=None if audit is None else audit.bound,
                    requirement=model.id,
                )

    def drawn(self, built: Built, model: MechanismModel, epsilon: float) -> Outcome:
        """Return the outcome of what was drawn and charged, with what it keeps of a requirement that fits its parameters."""
        audit = self.promised(model)
        return Outcome(
            built=built,
            audits=() if audit is None else (audit,),
            warnings=[say("warning.noise_spends")],
            facts=MechanismFacts(ledger=[(self.id, epsilon)]),
            procedure=self.spec(),
        )
