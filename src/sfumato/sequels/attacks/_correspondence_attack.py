"""What forward, cross and backward attacks share: every two releases are compared, the worst comparison counts."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.sequels.attack import SeriesAttack, SeriesKnowledge
from sfumato.sequels.classes import SeriesClasses
from sfumato.sequels.correspondence import FAR, Correspondence, Targets
from sfumato.sequels.series import Series

__all__ = ["CorrespondenceAttack", "CrackDetails", "Cracked", "correspondence_traits", "sought"]


def sought(series: Series, knowledge: SeriesKnowledge) -> Series:
    """Return the series by the columns that the adversary knows and wants to learn, if she says which."""
    return replace(
        series,
        qid=tuple(knowledge.known) or series.qid,
        sensitive=knowledge.learn[0] if knowledge.learn else series.sensitive,
    )


def correspondence_traits(knowledge: str) -> AttackTraits:
    """Return the traits of an attack on records by comparing releases."""
    return AttackTraits(
        aims_at=frozenset({"record"}), knowledge=knowledge, needs=frozenset(), victims="records", quick=True
    )


@frozen(eq=False)
class CrackDetails(Details):
    """Counts of an attack: the records attacked, those with fewer left than their class shows, and the fewest left.

    ``anonymity`` is FA, CA or BA, ``None`` if there is nobody to attack; ``alone`` the smallest class without the attack.
    """

    releases: int
    attacked: int
    cracked: int
    anonymity: int | None
    alone: int | None


@frozen(kw_only=True, eq=False)
class Cracked(Risk):
    """The risk of every class, and the comparisons of two releases (by number from 0) that it comes from."""

    details: CrackDetails
    pairs: tuple[tuple[int, int, Correspondence], ...]


class CorrespondenceAttack(SeriesAttack):
    """Compares every two releases of a growing table and counts the records that can still be a victim's."""

    sentence: ClassVar[str]

    targets: Targets = param(
        default="published",
        choices=("published", "actual"),
        doc="whether everybody counts who could match the releases, or who does: that only the holder can tell",
    )

    @abstractmethod
    def attacked(self, earlier: int, later: int, pair: Correspondence) -> tuple[int, Ints]:
        """Return the release in which victims are sought, and how many records are left in each of its classes."""

    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Cracked:
        """Compare every two releases; each record of a class has one chance in what the worst comparison leaves of it."""
        if len(series) < 2:
            raise BadRequest(f"{self.id} compares releases: give at least two of them", parameter="series")
        whole = SeriesClasses.of(sought(series, knowledge))
        pairs = []
        left = [np.full(len(one), FAR) for one in whole.releases]
        for later in range(len(series)):
            for earlier in range(later):
                run.checkpoint()
                pair = Correspondence.of(whole, earlier, later, targets=self.targets)
                pairs.append((earlier, later, pair))
                release, found = self.attacked(earlier, later, pair)
                left[release] = np.minimum(left[release], found)
        sizes = np.concatenate([one.sizes for one in whole.releases])
        fewest = np.concatenate(left)
        known = fewest < FAR
        fewest, sizes = fewest[known], sizes[known]
        risk = 1 / np.maximum(fewest, 1)
        details = CrackDetails(
            releases=len(series),
            attacked=int(sizes.sum()),
            cracked=int(sizes[fewest < sizes].sum()),
            anonymity=int(fewest.min()) if len(fewest) else None,
            alone=int(sizes.min()) if len(sizes) else None,
        )
        highest, mean = spread(risk, sizes)
        return Cracked(
            attack=self.id,
            per_victim=risk,
            counts=sizes,
            highest=highest,
            mean=mean,
            reading=self._reading(details),
            details=details,
            pairs=tuple(pairs),
        )

    def _reading(self, details: CrackDetails) -> str:
        if details.anonymity is None:
            return say("reading.nobody_to_attack")
        return say(
            f"reading.{self.sentence}",
            releases=details.releases,
            attacked=details.attacked,
            cracked=details.cracked,
            anonymity=details.anonymity,
            alone=details.alone,
        )
