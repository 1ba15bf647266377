"""Uniqueness: which records are alone in the table, and how likely they are alone in the population too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.estimates.uniqueness import FEW_RECORDS, Dankar, Estimate, class_sizes, estimate, refuse_bad_sizes
from sfumato.kernels.arrays import Ints

__all__ = ["Uniqueness", "Uniques"]


@frozen(kw_only=True, eq=False)
class Uniques(Risk):
    """How many records are alone; ``estimate`` says how many of the population are, ``None`` without its size."""

    sample_uniques: int
    estimate: Estimate | None

    @property
    def share_of_sample(self) -> float:
        """Records that are alone as a share of all published records."""
        return self.sample_uniques / max(self.victims, 1)


class Uniqueness(TableAttack):
    """Count the records that are alone with their quasi-identifiers, and estimate how many are alone in the population.

    A record that is alone in the table (a *sample unique*) is found for certain if it is alone in the population as well (a
    *population unique*). Of ``c_1`` sample uniques in n records from N persons a share ``S1 (n / N) / c_1`` is expected to be
    population unique, where ``S1`` is the estimated number of population uniques; that share is the risk of each of them, and
    records that are not alone have none. Without N the risk is 1: the table may be all there is.

    ``estimator`` is one of ``zayatz``, ``pitman``, ``snb``, or ``dankar``, the rule that takes Pitman's up to a sampling
    fraction of 0.1 and else the smaller of Zayatz' and the slide negative binomial one. An estimator may have no answer; the
    risk is then 1, too, and it is said. All assume a simple random sample of 1,000 records at least: estimates from fewer may
    be far too low, and it is said. The page about uniqueness says how far each was off on populations that are known.

    Adversary: has a table of the whole population; records are found by being the only one with their values.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Job", "Sex"], [("Artist", "F"), ("Lawyer", "M"), ("Lawyer", "M"), ("Lawyer", "F")])
    >>> sfumato.attack(table, "uniqueness", qid=["Job", "Sex"]).sample_uniques
    2
    >>> found = Uniqueness(population=120, estimator="zayatz").of_sizes({1: 12, 2: 5, 3: 3, 4: 2, 6: 1})
    >>> round(found.estimate.population_uniques, 6), round(found.highest, 6)
    (15.737996, 0.491812)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1 (record linkage).
    Dankar, El Emam, Neisa, Roffey, "Estimating the re-identification risk of clinical data sets", 2012,
    doi:10.1186/1472-6947-12-66.
    """

    id: ClassVar[str] = "uniqueness"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="a table of the whole population, with the quasi-identifiers",
        needs=frozenset({"qid"}),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.uniqueness")

    population: int | None = param(
        default=None, ge=1, doc="number of persons the records were sampled from, N; not known if not given"
    )
    estimator: str = param(
        default="dankar",
        choices=("dankar", "zayatz", "pitman", "snb"),
        doc="how the number of population uniques is estimated",
    )

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Uniques:
        """Count groups of one record."""
        self.refuse_unfit(seen, knowledge)
        sizes = seen.groups(knowledge).sizes
        return self._found(class_sizes(sizes), sizes, sizes)

    def of_sizes(self, sizes: Mapping[int, int]) -> Uniques:
        """Return what a table with so many groups of each size would give; records of equal groups share an entry."""
        refuse_bad_sizes(sizes)
        each = np.array(sorted(size for size, count in sizes.items() if count), np.int64)
        return self._found(sizes, each, each * np.array([sizes[size] for size in each.tolist()], np.int64))

    def _found(self, sizes: Mapping[int, int], size: Ints, counts: Ints) -> Uniques:
        records, alone = int(counts.sum()), sizes.get(1, 0)
        found = None if self.population is None else self._estimate(sizes, records)
        chance = 1.0 if found is None or found.chance is None else found.chance
        risk = np.where(size == 1, chance, 0.0)
        highest, mean = spread(risk, counts)
        return Uniques(
            attack=self.id,
            per_victim=risk,
            counts=counts,
            highest=highest,
            mean=mean,
            reading=_reading(records, alone, found),
            details=_details(records, sum(sizes.values()), alone, found, self.estimator),
            warnings=_warnings(alone, found, self.estimator),
            sample_uniques=alone,
            estimate=found,
        )

    def _estimate(self, sizes: Mapping[int, int], records: int) -> Estimate:
        assert self.population is not None
        if self.population < records:
            raise BadRequest(
                f"must not be smaller than the table of {records:,} records",
                parameter=f"{self.id}.population",
                value=self.population,
            )
        return estimate(self.estimator, sizes, self.population)


def _details(records: int, classes: int, alone: int, found: Estimate | None, estimator: str) -> dict[str, object]:
    out: dict[str, object] = {
        "records": records,
        "groups": classes,
        "sample_uniques": alone,
        "share_of_sample": alone / max(records, 1),
    }
    if found is not None:
        out |= {
            "population": found.population,
            "sampling_fraction": found.sampling_fraction,
            "estimator": found.chosen if isinstance(found, Dankar) else estimator,
            "population_uniques": found.population_uniques,
            "share_of_population": found.share,
            "chance_alone_in_population": found.chance,
        }
    return out


def _warnings(alone: int, found: Estimate | None, estimator: str) -> tuple[str, ...]:
    if alone == 0 or found is None:
        return ()
    if found.chance is None:
        return (say("warning.no_estimate", estimator=estimator),)
    out: list[str] = []
    if found.n < min(FEW_RECORDS, found.population):
        out.append(say("warning.few_for_estimate", records=found.n, enough=FEW_RECORDS))
    if isinstance(found, Dankar) and found.silent is not None:
        out.append(say("warning.fell_back", silent=found.silent, estimator=found.chosen))
    return tuple(out)


def _reading(records: int, alone: int, found: Estimate | None) -> str:
    start = say("reading.uniqueness", records=records, alone=alone, share=alone / max(records, 1))
    if alone == 0:
        return say("reading.ended", start=start)
    if found is None:
        return say("reading.uniqueness_unknown", start=start)
    if found.chance is None:
        return say("reading.uniqueness_undefined", start=start, population=found.population)
    return say("reading.uniqueness_estimated", start=start, population=found.population, chance=found.chance)
