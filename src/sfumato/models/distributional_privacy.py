"""Distributional privacy: a release reveals the distribution that the records come from, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.models._output_distributions import Distribution, largest_log_ratio, refuse_bad_distribution

__all__ = ["DistributionalPrivacy"]

Records = tuple[Hashable, ...]

SLACK = 1e-9
DRAWS = 1_000_000
TABLES = 1_000


class DistributionalPrivacy(MechanismModel):
    """A release reveals the distribution that the records come from, and nothing else about them.

    A procedure F is (alpha, beta)-distributionally private iff for every population, with probability at least 1 - beta over
    two tables T1, T2 of n records, each drawn from it without replacement, ``P[F(T1) = S] <= e^alpha P[F(T2) = S]`` for every
    output S. The two tables may have no record in common, so the promise is stronger than differential privacy: with
    beta = 0 it holds for tables that differ in one record, too.

    No table can be checked for it, and no calibration is known here; a finite procedure can be audited over small, finite
    populations by comparing all pairs of tables. An audit speaks of the populations that it was given, not of all.

    Adversary: knows the population that the records were drawn from, and looks at the answer.

    Examples
    --------
    >>> model = DistributionalPrivacy(alpha=1.1, beta=0)
    >>> def noisy_majority(table):
    ...     share = 0.75 if sum(table) > 1 else 0.25
    ...     return {"yes": share, "no": 1 - share}
    >>> audit = model.audit(noisy_majority, population=[0, 0, 0, 1, 1, 1], size=3)
    >>> audit.satisfied, round(audit.measured, 6)
    (True, 1.098612)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.4.4.
    Blum, Ligett, Roth, "A learning theory approach to non-interactive database privacy", 2008,
    doi:10.1145/1374376.1374464.
    """

    id: ClassVar[str] = "distributional-privacy"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"table", "probabilistic"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.distributional-privacy")

    alpha: float = param(ge=0, doc="largest absolute logarithm of the ratio of an output's probabilities on two tables")
    beta: float = param(ge=0, lt=1, doc="share of pairs of tables for which the ratio may be larger")

    def audit(
        self,
        mechanism: Callable[[Records], Distribution] | Mapping[Records, Distribution],
        *,
        population: Sequence[Hashable],
        size: int,
    ) -> Audit:
        """Compute the smallest alpha of a finite procedure over tables of ``size`` records from one population.

        ``mechanism`` gives the probability of each output for a table, which is a tuple of records in the order of the
        population. The two tables are drawn independently of each other.
        """
        tables = _tables(population, size)
        outputs = {table: _outputs(mechanism, table) for table in tables}
        total = sum(tables.values()) ** 2
        apart: Counter[float] = Counter({0.0: sum(weight**2 for weight in tables.values())})
        worst: tuple[float, dict[str, object]] = (0.0, {})
        for one, other in combinations(tables, 2):
            distance, output = largest_log_ratio(outputs[one], outputs[other])
            apart[distance] += 2 * tables[one] * tables[other]
            if distance > worst[0]:
                worst = (distance, {"tables": (one, other), "output": output})
        measured, within = 0.0, 0
        for distance in sorted(apart):
            measured, within = distance, within + apart[distance]
            if within >= (1 - self.beta) * total * (1 - SLACK):
                break
        beyond = sum(weight for distance, weight in apart.items() if distance > self.alpha * (1 + SLACK))
        witness = {
            **worst[1],
            "largest": worst[0],
            "pairs": total,
            "share_beyond_alpha": beyond / total,
        }
        return self.audited(measured, at_most(float(self.alpha)), witness)


def _tables(population: Sequence[Hashable], size: int) -> dict[Records, int]:
    """Return the tables that can be drawn, each with the number of ways to draw it."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= len(population):
        raise BadRequest(f"must be a whole number from 1 to {len(population)}", parameter="size", value=size)
    number: dict[Hashable, int] = {}
    codes = sorted(number.setdefault(record, len(number)) for record in population)
    kinds = list(number)
    ways = comb(len(codes), size)
    drawn = Counter(combinations(codes, size)) if ways <= DRAWS else None
    if drawn is None or len(drawn) > TABLES:
        raise Unsupported(
            f"a population of {len(codes)} records has too many tables of {size} records to compare all pairs",
            thing=DistributionalPrivacy.id,
            alternatives=["a smaller population"],
        )
    return {tuple(kinds[code] for code in table): count for table, count in drawn.items()}


def _outputs(
    mechanism: Callable[[Records], Distribution] | Mapping[Records, Distribution], table: Records
) -> Distribution:
    if isinstance(mechanism, Mapping):
        if table not in mechanism:
            raise BadRequest("gives no outputs for a table that can be drawn", parameter="mechanism")
        outputs = mechanism[table]
    else:
        outputs = mechanism(table)
    refuse_bad_distribution("mechanism", outputs)
    return outputs
