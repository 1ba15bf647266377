"""Attacking in turn: every attack that can be tried on a release, and the same on what it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from sfumato.catalogue import build, things
from sfumato.contracts.attack import Attack, K
from sfumato.contracts.finding import Exposure, Finding, Findings, Suspect, Untried
from sfumato.contracts.knowledge import Seen, pieces
from sfumato.contracts.progress import Progress
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, SfumatoError
from sfumato.identifiers.scan import EXAMINED, scan_table

__all__ = ["Adversaries", "Adversary", "audited"]

_GLANCED = 256  # distinct values of a column that a quick audit looks at for identifiers


@dataclass(frozen=True, eq=False)
class Adversary(Generic[K]):
    """Who attacks: how she reads the release and, to compare, what it was made from; and what she knows."""

    seen: Seen
    knowledge: K
    before: Seen | None = None

    def lacks(self, attack: Attack[K]) -> str | None:
        """Say why she cannot try an attack, or nothing."""
        return attack.unfit(attack.view(self.seen, self.knowledge), self.knowledge)

    def tries(
        self, attack: Attack[K], threshold: float, told: Mapping[str, object], thorough: bool, progress: Progress
    ) -> Finding | Untried:
        """Try an attack, or say why it cannot be tried; what the caller told wrongly about the table is refused."""
        lacking = self.lacks(attack)
        if lacking is not None:
            return Untried.of(attack, lacking)
        try:
            after = Exposure.of(attack.run(attack.view(self.seen, self.knowledge), self.knowledge, progress), threshold)
        except SfumatoError as error:
            if isinstance(error, BadRequest) and error.parameter in {f"{attack.id}.{name}" for name in told}:
                raise
            return Untried.of(attack, str(error))
        return Finding(
            attack=attack.id,
            spec=attack.spec(),
            summary=attack.summary(),
            adversary=attack.adversary,
            aims_at=tuple(sorted(attack.traits.aims_at)),
            victims=attack.traits.victims,
            columns=self.knowledge.known,
            sensitive=next(iter(self.knowledge.learn), None) if _learns(attack, self.knowledge) else None,
            after=after,
            before=self._before(attack, threshold, thorough, progress),
        )

    def _before(self, attack: Attack[K], threshold: float, thorough: bool, progress: Progress) -> Exposure | None:
        """Return what the same attack finds in the table before masking, if it is there and can be tried."""
        traits = attack.traits
        if self.before is None or not traits.comparable or not (thorough or traits.compared):
            return None
        if attack.unfit(self.before, self.knowledge):
            return None
        try:
            return Exposure.of(attack.run(self.before, self.knowledge, progress), threshold)
        except SfumatoError:
            return None


@dataclass(frozen=True, eq=False)
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


def audited(
    who: Adversaries[K],
    attacks: Sequence[Attack[K] | Mapping[str, object] | str] | None,
    threshold: float,
    thorough: bool,
    progress: Progress,
) -> Findings:
    """Return what every attack finds that can be tried, and why the others cannot."""
    first = who.all_knowing[0]
    told = {**first.knowledge.own(), "threshold": threshold}
    chosen: list[Attack[K]] = list(_chosen(told, thorough) if attacks is None else map(_made, attacks))
    tried: list[Finding] = []
    untried: list[Untried] = []
    progress.stage("attacking", len(chosen))
    for done, attack in enumerate(chosen):
        progress.tick(done, attack.id)
        for one in who.of(attack):
            found = one.tries(attack, threshold, told, thorough, progress)
            if isinstance(found, Finding):
                tried.append(found)
            else:
                untried.append(found)
    progress.tick(len(chosen))
    suspects = _suspects(first.seen, first.knowledge.known, EXAMINED if thorough else _GLANCED)
    return Findings(threshold, first.seen.table.rows, tuple(tried), tuple(untried), tuple(suspects))


def _learns(attack: Attack[K], knowledge: K) -> bool:
    """Tell whether an attack is tried for each thing to learn."""
    return any(piece.field == "learn" and piece.said in attack.traits.needs for piece in pieces(type(knowledge)))


def _made(attack: Attack[K] | Mapping[str, object] | str) -> Attack[K]:
    made: Attack[K] = attack if isinstance(attack, Attack) else build(attack, "attack")
    return made


def _chosen(told: Mapping[str, object], thorough: bool) -> Iterator[Attack[K]]:
    """Yield the attacks, told what is known of the population and the threshold where they ask for it."""
    for thing in things("attack"):
        assert issubclass(thing, Attack)
        if thorough or thing.traits.quick:
            # How sure one may be of a value is another question.
            aimed = "record" in thing.traits.aims_at
            yield thing().told({name: value for name, value in told.items() if aimed or name != "threshold"})


def _suspects(seen: Seen, known: Sequence[str], examined: int) -> Iterator[Suspect]:
    """Yield what looks like a direct identifier among the columns that nobody masked."""
    for part, table in (seen.parts or {"data": seen.table}).items():
        columns = [name for name in table.columns if name not in known and seen.roles.get(name) is not Role.IDENTIFIER]
        told: set[str] = set()
        for found in scan_table(table, columns, examined=examined):
            if found.role is Role.IDENTIFIER and found.column not in told:
                told.add(found.column)
                yield Suspect(part, found.column, found.identifier, found.reason, found.records)
