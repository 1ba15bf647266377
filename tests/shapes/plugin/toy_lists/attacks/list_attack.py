"""Who knows the list of a person finds those who share it."""

from __future__ import annotations

from typing import Any, ClassVar

from sfumato.contracts.attack import Attack, AttackTraits, Risk, spread
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param


class ListAttack(Attack[Any]):
    """Who knows the list of a person finds those who share it."""

    id: ClassVar[str] = "list-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}), knowledge="the list", needs=frozenset(), victims="records", compared=True
    )
    adversary: ClassVar[str] = "knows the list of a person"

    least: int = param(default=1, ge=1, doc="the smallest group that is called safe")

    def run(self, seen: Seen, knowledge: Any, run: Run) -> Risk:
        sizes = seen.table.groups(["words"]).sizes
        risk = 1.0 / sizes
        highest, mean = spread(risk, sizes)
        return Risk(
            attack=self.id,
            per_victim=risk,
            counts=sizes,
            highest=highest,
            mean=mean,
            reading=f"The smallest group of persons who share a list has {int(sizes.min())}. "
            f"{int(sizes[sizes < self.least].sum())} persons are in groups of fewer than {self.least}.",
        )
