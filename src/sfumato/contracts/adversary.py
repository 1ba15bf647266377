"""Who attacks: how she reads what is published, what she knows beside it, and what it was made from, to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Generic

from sfumato.contracts.attack import Attack, K
from sfumato.contracts.finding import Exposure, Finding, Untried
from sfumato.contracts.knowledge import Seen, pieces
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, SfumatoError

__all__ = ["Adversaries", "Adversary", "CellReader"]


@frozen(eq=False)
class Adversary(Generic[K]):
    """Who attacks: how she reads the release and, to compare, what it was made from; and what she knows."""

    seen: Seen
    knowledge: K
    before: Seen | None = None

    def lacks(self, attack: Attack[K]) -> str | None:
        """Say why she cannot try an attack, or nothing."""
        return attack.unfit(attack.view(self.seen, self.knowledge), self.knowledge)

    def tries(
        self, attack: Attack[K], threshold: float, told: Mapping[str, object], thorough: bool, run: Run
    ) -> Finding | Untried:
        """Try an attack, or say why it cannot be tried; what the caller told wrongly about the table is refused."""
        lacking = self.lacks(attack)
        if lacking is not None:
            return Untried.of(attack, lacking)
        try:
            after = Exposure.of(attack.run(attack.view(self.seen, self.knowledge), self.knowledge, run), threshold)
        except SfumatoError as error:
            if isinstance(error, BadRequest) and error.parameter in {f"{attack.id}.{name}" for name in told}:
                raise
            return Untried.of(attack, str(error))
        if self.seen.nobody and attack.traits.victims == "records":
            added = f"{self.seen.nobody:,} of the published rows stand for nobody; no row tells that it is one of them"
            after = replace(after, warnings=(*after.warnings, added))
        return Finding(
            attack=attack.id,
            spec=attack.spec(),
            summary=attack.summary(),
            adversary=attack.adversary,
            aims_at=tuple(sorted(attack.traits.aims_at)),
            victims=attack.traits.victims,
            columns=self.knowledge.linked_by,
            sensitive=next(iter(self.knowledge.learn), None) if _learns(attack, self.knowledge) else None,
            after=after,
            before=self._before(attack, threshold, thorough, run),
        )

    def _before(self, attack: Attack[K], threshold: float, thorough: bool, run: Run) -> Exposure | None:
        """Return what the same attack finds in the table before masking, if it is there and can be tried."""
        traits = attack.traits
        if self.before is None or not traits.comparable or not (thorough or traits.compared):
            return None
        if attack.unfit(self.before, self.knowledge):
            return None
        try:
            return Exposure.of(attack.run(self.before, self.knowledge, run), threshold)
        except SfumatoError:
            return None


@frozen(eq=False)
class Adversaries(Generic[K]):
    """Who is tried: who knows everything, one for each thing to learn; who knows what an external table has; who knows less.

    The first two stand side by side, and may be the same. ``narrower`` are those whom single requirements have in mind.
    """

    all_knowing: Sequence[Adversary[K]]
    linking: Sequence[Adversary[K]]
    narrower: Sequence[Adversary[K]]

    def of(self, attack: Attack[K]) -> list[Adversary[K]]:
        """Return who tries an attack: who knows everything comes first, then whom the requirements have in mind."""
        able = [
            one if one.lacks(attack) is None else other
            for one, other in zip(self.all_knowing, self.linking, strict=True)
        ]
        tried = able if _learns(attack, able[0].knowledge) else able[:1]
        return [*tried, *self.narrower] if attack.traits.each_requirement else tried


@frozen(eq=False)
class CellReader(Generic[K]):
    """Who reads the cells of one column that have a shape of their own: she tries the attacks of that shape."""

    column: str
    shape: str
    who: Adversaries[K]


def _learns(attack: Attack[K], knowledge: K) -> bool:
    """Tell whether an attack is tried for each thing to learn."""
    return any(piece.field == "learn" and piece.said in attack.traits.needs for piece in pieces(type(knowledge)))
