"""BCF-anonymity: whoever keeps all releases of a growing table is still left with k records that can be a victim's."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.model import Model, ModelTraits, Verdict, Violation, at_least
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.sequels.classes import SeriesClasses
from sfumato.sequels.correspondence import FAR, Correspondence, Targets
from sfumato.sequels.oracle import exact, fits
from sfumato.sequels.series import Series
from sfumato.sequels.targets import Attacked, pairwise

__all__ = ["Asked", "BCFAnonymity", "BCFLevels", "attacked", "bcf_levels", "levels_of"]

Asked = Literal["auto", "pairwise", "exact"]
Used = Literal["closed", "pairs", "pairwise", "exact"]


@frozen
class BCFLevels:
    """How anonymous a continuous series leaves people.

    ``FA``, ``CA`` and ``BA`` are the least of any two releases, ``None`` where there is nobody to attack. ``sizes`` is the
    smallest class of each release alone. ``anonymity`` is the least that attacks with all releases leave; ``level`` says which
    were tried: for two releases the closed form, which is exact; else ``exact``, ``pairwise`` (each group by the best release
    beside it) or ``pairs`` (two releases at a time).
    """

    FA: int | None
    CA: int | None
    BA: int | None
    sizes: tuple[int, ...]
    anonymity: int | None
    level: Used
    targets: Targets

    @property
    def strongest(self) -> int | None:
        """The largest k with which the series is BCF-anonymous; ``None`` if it is about nobody."""
        known = [one for one in (self.FA, self.CA, self.BA, self.anonymity, *self.sizes) if one is not None]
        return min(known, default=None)

    def satisfies(self, k: int) -> bool:
        """Tell whether everybody is left with k records."""
        return self.strongest is None or self.strongest >= k


def bcf_levels(
    series: Series, *, targets: Targets = "published", level: Asked = "auto", run: Run | None = None
) -> BCFLevels:
    """Measure a series against forward, cross and backward attacks.

    ``targets``: ``published`` counts every pair of classes that somebody could match, ``actual`` those that a real record
    matches, which needs the raw batches of the series. ``level`` ``auto`` is exact where the series is small enough.

    >>> trees = {"Place": {"Europe": ["UK", "France"]}}
    >>> before = {"Place": ["Europe"] * 3, "Disease": ["Flu", "Flu", "HIV"]}
    >>> after = {"Place": ["UK", "UK", "France", "France", "France"], "Disease": ["Flu", "HIV", "Flu", "Flu", "HIV"]}
    >>> found = bcf_levels(Series.of([before, after], qid=["Place"], sensitive="Disease", hierarchies=trees))
    >>> found.FA, found.CA, found.BA, found.sizes, found.level
    (2, 2, 2, (3, 2), 'closed')
    """
    return levels_of(SeriesClasses.of(series), targets, level, Run.of(run))


def levels_of(whole: SeriesClasses, targets: Targets, level: Asked, run: Run) -> BCFLevels:
    """Measure counted classes, as :func:`bcf_levels` does."""
    return _Judged.of(whole, targets, level, run).levels


def attacked(whole: SeriesClasses, targets: Targets, level: Asked, run: Run) -> tuple[Attacked, ...]:
    """Return what is left of every target: exactly if asked or if it fits, else by single releases beside each group."""
    if level == "exact" or (level == "auto" and fits(whole)):
        try:
            return exact(whole, run, targets=targets)
        except Unsupported:
            if level == "exact":
                raise
    return pairwise(whole, targets=targets)


@frozen(eq=False)
class _Judged:
    """A series with every comparison that its verdict rests on."""

    whole: SeriesClasses
    levels: BCFLevels
    pairs: tuple[tuple[int, int, Correspondence], ...]
    together: tuple[Attacked, ...]

    @classmethod
    def of(cls, whole: SeriesClasses, targets: Targets, level: Asked, run: Run) -> _Judged:
        count = len(whole.releases)
        sizes = tuple(int(one.sizes.min()) for one in whole.releases if len(one))
        cut = count == 1 or (level != "exact" and whole.is_cut)
        pairs = tuple(
            (i, j, Correspondence.of(whole, i, j, targets=targets)) for j in range(count) for i in range(j) if cut
        )
        closed = cut and count <= 2
        together: tuple[Attacked, ...] = ()
        used: Used = "closed"
        if not closed:
            try:
                together = attacked(whole, targets, level, run)
                used = together[0].level
            except Unsupported:
                if level != "auto" or not cut:
                    raise
                used = "pairs"
        fa, ca, ba = (
            _least([getattr(one, name) for _, _, one in pairs]) if pairs else None for name in ("FA", "CA", "BA")
        )
        left = _least([int(one.anonymity.min()) if len(one.classes) else None for one in together])
        anonymity = _least([fa, ca, ba]) if not together else left
        return cls(whole, BCFLevels(fa, ca, ba, sizes, anonymity, used, targets), pairs, together)

    def broken(self, k: int) -> list[_Broken]:
        """Return the classes that are left with fewer than k records, attack by attack."""
        found = [_Broken("none", number, one.sizes) for number, one in enumerate(self.whole.releases)]
        for i, j, pair in self.pairs:
            found += [_Broken("forward", i, pair.forward, j), _Broken("cross", j, pair.cross, i)]
            found += [_Broken("backward", j, pair.backward, i)]
        for one in self.together:
            last = len(self.whole.releases) - 1
            left = np.full(len(self.whole.releases[last]), FAR)
            np.minimum.at(left, one.classes.members[:, -1], one.anonymity)
            found.append(_Broken(self.levels.level, last, left))
        return [one for one in found if (one.left < k).any()]

    def worst(self, broken: list[_Broken], k: int, most: int) -> list[Violation]:
        """Return the violations with the fewest records left."""
        listed = [
            (int(one.left[at]), number, int(at)) for number, one in enumerate(broken) for at in one.worst(k, most)
        ]
        return [self._violation(broken[number], at) for _, number, at in sorted(listed)[:most]]

    def _violation(self, one: _Broken, at: int) -> Violation:
        classes = self.whole.releases[one.release]
        told: dict[str, object] = {"attack": one.attack, "release": one.release + 1}
        if one.beside is not None:
            told["beside"] = one.beside + 1
        return Violation(classes.groups.key(at), int(classes.sizes[at]), int(one.left[at]), told)


@frozen(eq=False)
class _Broken:
    """What an attack on a release, by another one beside it, leaves of each class."""

    attack: str
    release: int
    left: Ints
    beside: int | None = None

    def worst(self, k: int, most: int) -> Ints:
        """Return the classes with the fewest records left."""
        at = np.flatnonzero(self.left < k)
        return at[np.argsort(self.left[at], kind="stable")][:most]


def _least(levels: list[int | None]) -> int | None:
    return min((one for one in levels if one is not None and one < FAR), default=None)


class BCFAnonymity(Model[Series]):
    """Whoever keeps all releases of a growing table is still left with at least k records that can be a victim's.

    Each release covers all records so far, generalized along cuts of shared hierarchies. An adversary who knows her victim's
    quasi-identifier and with which release the victim came cracks records that cannot be the victim's. For comparable classes
    (on one path in every column) and their groups g1, g2 of one sensitive value:

    - *forward*, a victim of before is sought in the earlier release: ``|g1| - min(|g1|, |g2|)`` records are cracked;
    - *cross*, she is sought in the later release: ``|g2| - min(|g1|, |g2|)``;
    - *backward*, a newcomer is sought in the later release: ``max(0, |G1| - (|G2| - |g2|))``, where G1 are the comparable
      records of before and G2 the records of the later release comparable with these.

    FA, CA and BA are the fewest records that a class is left with; the model asks that each is at least k, for every two
    releases, and that all releases together leave k. Refining a release never raises BA, nor FA and CA of ``actual``
    targets; FA over all ``published`` pairs may rise, because a pair that nobody matches can vanish. More than two releases can
    tell more together than any two: ``attacks: exact`` counts all possible worlds (an integer program, for small series),
    ``pairwise`` takes for each group the best release beside it, ``auto`` is exact where that fits; the verdict says which.

    Adversary: has all releases, knows the quasi-identifier of a victim and with which release the victim came, and that
    nobody leaves. Values are not protected: see ``bcf-beyond-anonymity``.

    Examples
    --------
    >>> before = {"Place": ["Europe"] * 3, "Disease": ["Flu", "Flu", "HIV"]}
    >>> after = {"Place": ["UK", "UK", "France", "France", "France"], "Disease": ["Flu", "HIV", "Flu", "Flu", "HIV"]}
    >>> series = Series.of([before, after], qid=["Place"], sensitive="Disease",
    ...                    hierarchies={"Place": {"Europe": ["UK", "France"]}})
    >>> verdict = BCFAnonymity(k=3).judge(series)
    >>> verdict.satisfied, verdict.strongest, dict(verdict.violations[0].witness)
    (False, 2, {'attack': 'none', 'release': 2})

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.2.
    Fung, Wang, Fu, Pei, "Anonymity for continuous data publishing", 2008, doi:10.1145/1353343.1353378.
    """

    id: ClassVar[str] = "bcf-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("bcf-detect", "bcf-multi-release")
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"record"}), evaluation="worlds")
    adversary: ClassVar[str] = say("adversary.bcf-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(
        ge=1, doc="smallest number of records that must be left to be a victim's, whatever releases are compared"
    )
    targets: Targets = param(
        default="published",
        choices=("published", "actual"),
        doc="whether everybody counts who could match the releases, or who does: that only the holder can tell",
    )
    attacks: Asked = param(
        default="auto",
        choices=("auto", "pairwise", "exact"),
        doc="what is tried with more than two releases: all of them together, one beside each group, or what fits",
    )

    def judge(self, view: Series, *, worst: int = 10) -> Verdict:
        """Judge a series; groups and records are those of all releases, the adversary says which attacks were tried."""
        judged = _Judged.of(SeriesClasses.of(view), self.targets, self.attacks, Run())
        found, releases = judged.levels, judged.whole.releases
        broken = judged.broken(self.k)
        touched = [np.zeros(len(one), bool) for one in releases]
        for one in broken:
            touched[one.release] |= one.left < self.k
        verdict = self.verdict(
            qid=view.qid,
            satisfied=found.satisfies(self.k),
            strongest=found.strongest,
            groups=sum(map(len, releases)),
            records=sum(int(one.sizes.sum()) for one in releases),
            bound=str(at_least(self.k)),
            violations=judged.worst(broken, self.k, worst),
            violating_groups=sum(int(one.sum()) for one in touched),
            violating_records=sum(int(one.sizes[at].sum()) for one, at in zip(releases, touched, strict=True)),
        )
        return replace(verdict, adversary=say("adversary.bcf-anonymity-tried", tried=say(f"tried.{found.level}")))
