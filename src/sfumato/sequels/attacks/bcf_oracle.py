"""Every correspondence attack at once: what follows from all releases of a growing table together, exactly."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.sequels.attack import SeriesAttack, SeriesKnowledge
from sfumato.sequels.attacks._correspondence_attack import sought
from sfumato.sequels.classes import SeriesClasses
from sfumato.sequels.correspondence import Targets
from sfumato.sequels.oracle import exact
from sfumato.sequels.series import Series
from sfumato.sequels.targets import Attacked

__all__ = ["BCFOracle", "OracleDetails", "Worlds"]


@frozen(eq=False)
class OracleDetails(Details):
    """Counts of the exact answer: combinations of classes that a victim can be in, and the fewest records left to any."""

    releases: int
    targets: int
    anonymity: int | None


@frozen(kw_only=True, eq=False)
class Worlds(Risk):
    """The risk of every possible victim; ``attacked`` holds what is left of each by the release that she came with."""

    details: OracleDetails
    attacked: tuple[Attacked, ...]


class BCFOracle(SeriesAttack):
    """Count, over all possible worlds, the records that can be a victim's: for any recoding and any number of releases.

    A world says how many persons came with each release, are in which classes ever since and have which value, so that every
    group of every release has its size. Of value s at most ``N(s)`` persons can be like the victim in one world, an integer
    program; she is left with ``sum over s of N(s)`` records. For two releases that are cuts of one hierarchy this is what the
    closed forms of ``f-attack``, ``c-attack`` and ``b-attack`` give; for more it can be less than any two releases leave.
    Classes of one release must not overlap. Series with too many unknown numbers are refused, never guessed.

    Adversary: has all releases, knows a victim's quasi-identifier and with which release the victim came, and draws every
    conclusion that follows.

    Examples
    --------
    >>> from sfumato.contracts.run import Run
    >>> from sfumato.sequels import Series
    >>> from sfumato.sequels.attack import SeriesKnowledge
    >>> before = {"Age": ["[20-30)", "[20-30)", "[30-40]"], "Disease": ["Flu", "HIV", "Flu"]}
    >>> after = {"Age": ["[20-35)", "[20-35)", "[20-35)", "[35-40]"], "Disease": ["Flu", "HIV", "Ulcer", "Flu"]}
    >>> series = Series.of([before, after], qid=["Age"], sensitive="Disease")
    >>> BCFOracle().spec()  # BCFOracle().on(series, SeriesKnowledge(), Run()) needs the extra "exact"
    {'id': 'bcf-oracle'}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 10.2.3 and 10.2.6; the program is
    ours.
    """

    id: ClassVar[str] = "bcf-oracle"
    about: ClassVar[tuple[str, ...]] = ("continuous",)
    aliases: ClassVar[tuple[str, ...]] = ("bcf-generator",)
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="all releases, the quasi-identifiers of a victim, and with which release the victim came",
        needs=frozenset(),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.bcf-oracle")
    title: ClassVar[str] = "all possible worlds"

    targets: Targets = param(
        default="published",
        choices=("published", "actual"),
        doc="whether everybody counts who could match the releases, or who does: that only the holder can tell",
    )

    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Worlds:
        """Count worlds; every combination of classes that somebody can be in is one victim."""
        if len(series) < 2:
            raise BadRequest(f"{self.id} compares releases: give at least two of them", parameter="series")
        whole = SeriesClasses.of(sought(series, knowledge))
        found = exact(whole, run, targets=self.targets)
        left = np.concatenate([one.anonymity[one.some] for one in found])
        risk = 1 / left
        fewest = [int(one.anonymity.min()) for one in found if len(one.classes)]
        details = OracleDetails(len(series), sum(len(one.classes) for one in found), min(fewest, default=None))
        highest, mean = spread(risk)
        return Worlds(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.nobody_to_attack")
            if details.anonymity is None
            else say("reading.worlds", releases=len(series), targets=details.targets, anonymity=details.anonymity),
            details=details,
            attacked=found,
        )
