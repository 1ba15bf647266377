"""Probabilistic differential privacy: but for rare outputs, one record hardly changes what a procedure may answer."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import fsum, isfinite
from typing import ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.models._output_distributions import Distribution, largest_log_ratio, refuse_bad_distribution
from sfumato.models.differential_privacy import ADD_REMOVE, SUBSTITUTE, are_neighbours

__all__ = ["ProbabilisticDifferentialPrivacy"]

SLACK = 1e-9


class ProbabilisticDifferentialPrivacy(MechanismModel):
    """But for outputs that are rare, one record hardly changes what a randomised procedure may answer.

    An output S discloses a table T1 iff ``|ln(P[F(T1) = S] / P[F(T2) = S])| > epsilon`` for some neighbouring table T2.
    A procedure F is (epsilon, delta)-probabilistically differentially private iff for every table T1 its outputs
    disclose T1 with probability delta at most. With delta = 0 this is differential privacy; in general it is weaker,
    and stronger than the usual (epsilon, delta) relaxation.

    Adversary: knows every record but one, and all there is to know outside the table, and looks at the answer.

    Examples
    --------
    >>> model = ProbabilisticDifferentialPrivacy(epsilon=1.0, delta=0.01)
    >>> answers = {"no": {"a": 0.595, "b": 0.4, "c": 0.005}, "yes": {"a": 0.4, "b": 0.6}}
    >>> audit = model.audit(answers, [("no", "yes")])
    >>> audit.satisfied, audit.measured
    (True, 0.005)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.1.
    Machanavajjhala, Kifer, Abowd, Gehrke, Vilhuber, "Privacy: theory meets practice on the map", 2008,
    doi:10.1109/ICDE.2008.4497436.
    """

    id: ClassVar[str] = "probabilistic-differential-privacy"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"table", "probabilistic"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.probabilistic-differential-privacy")

    epsilon: float = param(
        gt=0, doc="largest absolute logarithm of the ratio of an output's probabilities, but for rare outputs"
    )
    delta: float = param(ge=0, lt=1, doc="largest probability of the outputs with a larger ratio")
    adjacency: str = param(
        default=SUBSTITUTE,
        choices=(SUBSTITUTE, ADD_REMOVE),
        doc="neighbours have one record replaced, or one record more or less",
    )

    def validate(self) -> None:
        """Refuse an infinite epsilon, which promises nothing."""
        if not isfinite(self.epsilon):
            raise BadRequest("must be finite", parameter=f"{self.id}.epsilon", value=self.epsilon)

    def audit(
        self,
        mechanism: Mapping[Hashable, Distribution],
        neighbours: Iterable[tuple[Hashable, Hashable]] | None = None,
    ) -> Audit:
        """Compute the smallest delta of a finite procedure for this epsilon.

        ``mechanism`` gives the probability of each output for each table. ``neighbours`` lists pairs of tables; without it
        the tables must be tuples of records, and the pairs follow from the adjacency.
        """
        for outputs in mechanism.values():
            refuse_bad_distribution("mechanism", outputs)
        tables = list(mechanism)
        beside: dict[Hashable, list[Hashable]] = {table: [] for table in tables}
        for one, other in self._pairs(tables) if neighbours is None else neighbours:
            if one not in beside or other not in beside:
                raise BadRequest("must be pairs of tables of the mechanism", parameter="neighbours")
            beside[one].append(other)
            beside[other].append(one)
        if not any(beside.values()):
            raise BadRequest("there is no pair of neighbouring tables to compare", parameter="neighbours")
        worst, witness = -1.0, dict[str, object]()
        for table, others in beside.items():
            rare = [output for output in mechanism[table] if self._discloses(mechanism, table, others, output)]
            chance = fsum(mechanism[table][output] for output in rare)
            if chance > worst:
                worst, witness = chance, {"table": table, "outputs": tuple(rare)}
        return self.audited(worst, at_most(float(self.delta)), witness)

    def _discloses(
        self, mechanism: Mapping[Hashable, Distribution], table: Hashable, others: list[Hashable], output: Hashable
    ) -> bool:
        here = {output: mechanism[table][output]}
        there = ({output: mechanism[other].get(output, 0.0)} for other in others)
        return any(largest_log_ratio(here, one)[0] > self.epsilon * (1 + SLACK) for one in there)

    def _pairs(self, tables: list[Hashable]) -> list[tuple[Hashable, Hashable]]:
        if not all(isinstance(table, tuple) for table in tables):
            raise BadRequest("name the neighbouring pairs, or give tables as tuples of records", parameter="neighbours")
        return [
            (one, other)
            for at, one in enumerate(tables)
            for other in tables[at + 1 :]
            if are_neighbours(one, other, self.adjacency)  # type: ignore[arg-type]
        ]
