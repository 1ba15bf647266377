"""Attacker risk: the chance of finding a record, for a prosecutor, a journalist and a marketer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage._joining_attack import JoiningAttack
from sfumato.contracts.attack import AttackTraits, Risk, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["AttackerRisk", "AttackerRisks", "Journalist", "Marketer", "Prosecutor"]


@frozen
class Prosecutor:
    """Knows that the victim is in the table: one over the records that look alike."""

    max: float
    min: float
    average: float
    share_at_risk: float


@frozen
class Journalist:
    """Looks for anybody of the population: one over the persons who look alike.

    ``average_class_form`` is the number of groups over the persons they stand for, ``average_record_form`` the mean over the
    records; ``average`` is the larger one.
    """

    max: float
    min: float
    average_class_form: float
    average_record_form: float
    share_at_risk: float

    @property
    def average(self) -> float:
        """The larger of the two forms."""
        return max(self.average_class_form, self.average_record_form)


@frozen
class Marketer:
    """Links everybody: the expected share of right links."""

    average: float


@frozen(kw_only=True, eq=False)
class AttackerRisks(Risk):
    """The three adversaries; ``per_victim`` is the prosecutor's risk, group by group.

    ``sample`` and ``population`` are the number of records and of persons of each group; without a table of the population
    both are the same.
    """

    prosecutor: Prosecutor
    journalist: Journalist
    marketer: Marketer
    sample: Ints
    population: Ints
    population_known: bool


class AttackerRisk(JoiningAttack):
    """The chance of finding a record, for three adversaries: prosecutor, journalist and marketer.

    Let the published groups have ``f_1, ..., f_J`` records, n in all, and let them stand for ``F_1, ..., F_J`` persons of the
    population.

    - *Prosecutor*: knows that the victim is in the table. Risk of a record ``1 / f_j``; on average ``J / n``.
    - *Journalist*: looks for anybody, to show that it can be done. Risk of a record ``1 / F_j``; on average the larger of
      ``J / sum of F_j`` and ``(1 / n) sum of f_j / F_j``.
    - *Marketer*: links everybody; expected share of right links ``(1 / n) sum of f_j / F_j``.

    A record is at risk if its risk is above the threshold. The external table, if there is one, is the population; a person
    counts for every group whose labels cover the person's values. Without it, and where a group covers fewer persons than it
    has records (the external table lacks somebody, or does not know a value), ``F_j = f_j`` is taken, and it is said.
    Records that are not published are not counted.

    Adversary: a prosecutor who knows that the victim is in the table, a journalist who does not, a marketer who links all.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Age"], [("[20-30)",), ("[20-30)",), ("[30-40)",)])
    >>> people = sfumato.from_rows(["Age"], [(21,), (22,), (23,), (24,), (31,), (32,)])
    >>> found = sfumato.attack(table, AttackerRisk(threshold=0.3), qid=["Age"], external=people)
    >>> found.prosecutor.max, found.journalist.max, found.marketer.average
    (1.0, 0.5, 0.3333333333333333)
    >>> AttackerRisk().of_classes(sample=[1, 2, 3, 4], population=[2, 5, 4, 20]).journalist.average
    0.185

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1 (record linkage).
    El Emam, Dankar, "Protecting privacy using k-anonymity", 2008, doi:10.1197/jamia.M2716.
    """

    id: ClassVar[str] = "attacker-risk"
    title: ClassVar[str] = "Prosecutor, journalist, marketer"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="the quasi-identifiers of one person, of anybody, or of everybody; a table of the population if given",
        needs=frozenset({"qid"}),
        victims="records",
        compared=True,
        each_requirement=True,
    )
    adversary: ClassVar[str] = say("adversary.attacker-risk")

    threshold: float = param(default=0.2, ge=0, le=1, doc="a record is at risk if its risk is above this")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> AttackerRisks:
        """Compare the sizes of published groups with those in the external table, if there is one."""
        self.refuse_unfit(seen, knowledge)
        sample = seen.groups(knowledge).sizes
        if knowledge.external is None:
            return self._found(sample, sample, known=False)
        covered = self.looked_up(seen, knowledge).covered
        fewer = int(np.count_nonzero(covered < sample))
        warnings = (say("warning.population_incomplete", fewer=fewer, groups=len(sample)),) if fewer else ()
        return self._found(sample, np.maximum(covered, sample), known=True, warnings=warnings)

    def of_classes(self, *, sample: Sequence[int], population: Sequence[int] | None = None) -> AttackerRisks:
        """Return the risks of groups with so many records, and so many persons of the population if that is known."""
        records = _whole("sample", sample)
        if population is None:
            return self._found(records, records, known=False)
        persons = _whole("population", population)
        if len(persons) != len(records):
            raise BadRequest(f"needs one number for each of {len(records)} groups", parameter="population")
        if (persons < records).any():
            raise BadRequest("a group has fewer persons than records", parameter="population")
        return self._found(records, persons, known=True)

    def _found(self, sample: Ints, population: Ints, *, known: bool, warnings: tuple[str, ...] = ()) -> AttackerRisks:
        risk = 1 / sample
        prosecutor = _prosecutor(sample, risk, self.threshold)
        chance = risk if population is sample else 1 / population
        journalist, marketer = _population(sample, population, chance, self.threshold)
        highest, mean = spread(risk, sample)
        details = {
            "records": int(sample.sum()),
            "groups": len(sample),
            "smallest_group": int(sample.min(initial=np.iinfo(np.int64).max)) if len(sample) else 0,
            "threshold": self.threshold,
            "population_known": known,
            "prosecutor_highest": prosecutor.max,
            "prosecutor_average": prosecutor.average,
            "prosecutor_share_at_risk": prosecutor.share_at_risk,
            "journalist_highest": journalist.max,
            "journalist_average": journalist.average,
            "journalist_share_at_risk": journalist.share_at_risk,
            "marketer_average": marketer.average,
        }
        return AttackerRisks(
            attack=self.id,
            per_victim=risk,
            counts=sample,
            highest=highest,
            mean=mean,
            reading=_reading(details),
            details=details,
            warnings=warnings,
            prosecutor=prosecutor,
            journalist=journalist,
            marketer=marketer,
            sample=sample,
            population=population,
            population_known=known,
        )


def _prosecutor(sample: Ints, risk: Floats, threshold: float) -> Prosecutor:
    records = int(sample.sum())
    if records == 0:
        return Prosecutor(0.0, 0.0, 0.0, 0.0)
    return Prosecutor(
        float(risk.max()), float(risk.min()), len(sample) / records, int(sample[risk > threshold].sum()) / records
    )


def _population(sample: Ints, population: Ints, risk: Floats, threshold: float) -> tuple[Journalist, Marketer]:
    records = int(sample.sum())
    if records == 0:
        return Journalist(0.0, 0.0, 0.0, 0.0, 0.0), Marketer(0.0)
    links = float((sample * risk).sum()) / records
    journalist = Journalist(
        float(risk.max()),
        float(risk.min()),
        len(sample) / int(population.sum()),
        links,
        int(sample[risk > threshold].sum()) / records,
    )
    return journalist, Marketer(links)


def _whole(parameter: str, given: Sequence[int]) -> Ints:
    numbers = np.asarray(given)
    if numbers.ndim != 1 or (len(numbers) and (not np.issubdtype(numbers.dtype, np.integer) or (numbers < 1).any())):
        raise BadRequest("must be positive whole numbers", parameter=parameter)
    return numbers.astype(np.int64)


def _reading(details: Mapping[str, float]) -> str:
    if not details["records"]:
        return say("reading.nothing_published")
    start = say(
        "reading.attackers",
        records=details["records"],
        highest=details["prosecutor_highest"],
        average=details["prosecutor_average"],
    )
    if not details["population_known"]:
        return say("reading.attackers_alone", start=start)
    return say(
        "reading.attackers_population",
        start=start,
        highest=details["journalist_highest"],
        average=details["marketer_average"],
    )
