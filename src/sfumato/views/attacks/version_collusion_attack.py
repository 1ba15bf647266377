"""Put versions of different trust together: made from each other they tell what the best one tells, made apart more."""

from __future__ import annotations

from itertools import pairwise
from math import log, sqrt
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.views.attack import ViewAttack, ViewKnowledge, ViewSeen
from sfumato.views.natural_join import coded_facts, numbered, shared_values
from sfumato.views.version import Version
from sfumato.views.view_set import ViewSet

__all__ = ["VersionCollusionAttack", "VersionCollusionDetails"]

_SURE = 4.0  # standard deviations: a chain is taken for none once in 16,000 times


@frozen(eq=False)
class VersionCollusionDetails(Details):
    """Records, how many of them were found in all versions, the chance by the best version alone, and whether it is a chain.

    ``agreeing`` is the share of linked records that show the same in neighbouring versions, ``expected`` what a chain gives.
    """

    records: int
    linked: int
    alone: float
    chained: bool
    agreeing: float | None
    expected: float | None


class VersionCollusionAttack(ViewAttack):
    """Join versions of one column by the columns that were not perturbed, and guess the value from all of them.

    Whoever has the version with retention p alone is right with ``p + (1 - p) / n``. Two versions ``p > q`` that were
    made from each other agree in ``q/p + (1 - q/p) / n`` of the records, two that were made apart in ``p q + (1 - p q) / n``,
    whatever the values are. Where a chain is likelier and the linked records agree about as often as it makes them, colluding
    recipients gain nothing and the risk is that of the best version. Else it is the posterior of independent versions,
    ``P(x) ~ prod_i M_i[x][v_i]`` with a uniform prior. Needs releases, whose certificates tell p and n. Records that share all
    other values with somebody cannot be linked.

    Adversary: recipients of different trust, who put their versions together.

    Examples
    --------
    >>> high = {"id": [1, 2, 3, 4], "ill": ["a", "a", "b", "b"]}
    >>> low = {"id": [1, 2, 3, 4], "ill": ["a", "b", "b", "b"]}
    >>> versions = (Version("high", "ill", 0.8, 2), Version("low", "ill", 0.4, 2))
    >>> views = ViewSet.of_answers({"high": high, "low": low}, versions=versions)
    >>> risk = VersionCollusionAttack().on_views(views, ViewKnowledge(), Run())
    >>> risk.highest, risk.details["chained"], risk.details["expected"]
    (0.9, True, 0.75)

    References
    ----------
    Xiao, Tao, Chen, "Optimal random perturbation at multiple privacy levels", 2009, doi:10.14778/1687627.1687719.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.5.
    """

    id: ClassVar[str] = "version-collusion-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="every version, and how each was made",
        needs=frozenset(),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.version-collusion-attack")

    def unfit(self, seen: Seen, knowledge: ViewKnowledge) -> str | None:
        """Versions of one column are needed, with what their certificates say."""
        found = isinstance(seen, ViewSeen) and len(seen.views.versions) > 1
        return super().unfit(seen, knowledge) if found else say("needs.versions")

    def on_views(self, views: ViewSet, knowledge: ViewKnowledge, run: Run) -> Risk:
        """Link records, test the chain, and guess."""
        versions = sorted(views.versions, key=lambda one: -one.retention)
        if len(versions) < 2 or len({(one.column, one.values) for one in versions}) > 1:
            raise BadRequest(f"{self.id} reads two or more versions of one column", parameter="views")
        run.stage("linking versions")
        best = versions[0]
        alone = best.retention + (1 - best.retention) / best.values
        records = views.answers[views.place(best.view)].rows
        shown = _linked(views, versions)
        tests = [_agreement(high, low, shown[:, at : at + 2]) for at, (high, low) in enumerate(pairwise(versions))]
        chained = all(test.chained for test in tests)
        together = np.full(len(shown), alone) if chained else _posterior(versions, shown)
        beliefs = np.concatenate([together, np.full(records - len(shown), alone)])
        highest, mean = spread(beliefs)
        furthest = max(tests, key=lambda test: test.deviation)
        found, expected = (furthest.found, furthest.chain) if len(shown) else (None, None)
        details = VersionCollusionDetails(
            records=records, linked=len(shown), alone=alone, chained=chained, agreeing=found, expected=expected
        )
        told = {"linked": len(shown), "records": records, "alone": alone}
        if not len(shown):
            reading = say("reading.versions_unlinked", **told)
        elif chained:
            reading = say("reading.versions_chained", **told)
        else:
            reading = say("reading.versions_apart", highest=highest, mean=mean, **told)
        return Risk(attack=self.id, per_victim=beliefs, highest=highest, mean=mean, reading=reading, details=details)


def _linked(views: ViewSet, versions: list[Version]) -> Ints:
    """Return what each version shows of every record that all of them tell apart: records x versions."""
    column = versions[0].column
    tables = [views.answers[views.place(one.view)] for one in versions]
    shared = [name for name in tables[0].columns if name != column and all(name in one.types for one in tables)]
    cells = [table.counts([*shared, column]) for table in tables]
    values = shared_values(cells)
    facts = [coded_facts(one, values) for one in cells]
    keys, number = numbered(np.concatenate([one.of(shared) for one in facts]))
    starts = np.cumsum([0, *(len(one.codes) for one in facts)])
    once = np.ones(len(keys), bool)
    shown = np.zeros((len(keys), len(facts)), np.int64)
    for at, (one, cell) in enumerate(zip(facts, cells, strict=True)):
        own = number[starts[at] : starts[at + 1]]
        once &= np.bincount(own, cell.sizes, len(keys)) == 1
        shown[own, at] = one.of([column])[:, 0]
    return shown[once]


@frozen
class _Agreement:
    """The share of so many records that show the same in two versions: found, as a chain gives it, and as chance does."""

    records: int
    found: float
    chain: float
    apart: float

    @property
    def deviation(self) -> float:
        """How many standard errors lie between what was found and a chain; an eighth of a record is no deviation."""
        error = sqrt(self.chain * (1 - self.chain) / max(self.records, 1)) + 0.125 / max(self.records, 1)
        return abs(self.found - self.chain) / error

    @property
    def chained(self) -> bool:
        """Whether a chain is possible, and at least as likely as versions that were made apart."""
        same = self._likelihood(self.chain) >= self._likelihood(self.apart)
        return self.deviation <= _SURE and same

    def _likelihood(self, share: float) -> float:
        chances = (share, self.found), (1 - share, 1 - self.found)
        return sum(weight * log(max(chance, 1e-300)) for chance, weight in chances)


def _agreement(high: Version, low: Version, shown: Ints) -> _Agreement:
    kept, both = low.retention / high.retention, low.retention * high.retention
    chain, apart = (one + (1 - one) / high.values for one in (kept, both))
    found = float((shown[:, 0] == shown[:, 1]).mean()) if len(shown) else chain
    return _Agreement(len(shown), found, chain, apart)


def _posterior(versions: list[Version], shown: Ints) -> Floats:
    """Return the largest posterior of a value for each record, where versions were made apart."""
    size = versions[0].values
    other = np.prod([(1 - one.retention) / size for one in versions])
    # Only values that some version shows are more likely than the rest.
    weights = np.ones(shown.shape)
    for at in range(len(versions)):
        for place, one in enumerate(versions):
            weights[:, at] *= np.where(shown[:, place] == shown[:, at], one.retention, 0) + (1 - one.retention) / size
    fresh = np.ones(shown.shape, bool)
    for at in range(1, len(versions)):
        fresh[:, at] = (shown[:, :at] != shown[:, [at]]).all(axis=1)
    total = np.where(fresh, weights, 0).sum(axis=1) + (size - fresh.sum(axis=1)) * other
    return np.asarray(weights.max(axis=1) / total)
